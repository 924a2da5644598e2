// Forces between bounds: the convex problem behind sticking, rest and rigid impact rules.
#pragma once

#include "percuss/linear/sizes.h"

namespace percuss::linear {

/// Minimises F.W F/2 + c.F over low <= F <= high (which may be infinite), W symmetric and positive semidefinite.
/// With the accelerations a = -(W F + c) that is: a > 0 only where F is at its upper bound, a < 0 only where it is
/// at its lower bound, a = 0 in between. W F is unique; where redundant points leave F open, the share near 0
/// is taken in which points of equal stiffness carry equal parts: the answer does not depend on their order.
///
/// `stiffness` weighs the shares (above 0).
template <int most>
VectorOf<most> bounded_forces(const MatrixOf<most>& W, const VectorOf<most>& c, const VectorOf<most>& low,
                              const VectorOf<most>& high, const VectorOf<most>& stiffness);
inline Eigen::VectorXd bounded_forces(const Eigen::MatrixXd& W, const Eigen::VectorXd& c,
                                      const Eigen::VectorXd& low, const Eigen::VectorXd& high,
                                      const Eigen::VectorXd& stiffness) {
  return bounded_forces<Eigen::Dynamic>(W, c, low, high, stiffness);
}

/// D (D W D)^+ D, D the roots of the stiffnesses: forces for accelerations, the share of least weighted size.
/// Eigenvalues below `kZeroEigenvalue` times their number of the largest are zero.
template <int most>
MatrixOf<most> weighted_inverse(const MatrixOf<most>& W, const VectorOf<most>& stiffness);
inline Eigen::MatrixXd weighted_inverse(const Eigen::MatrixXd& W, const Eigen::VectorXd& stiffness) {
  return weighted_inverse<Eigen::Dynamic>(W, stiffness);
}

inline constexpr double kZeroEigenvalue = 1e-14;

}  // namespace percuss::linear
