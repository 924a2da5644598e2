// Systems of linear equations with full matrices. Eigen's decompositions take long to compile: each is compiled
// once, here.
#pragma once

#include "percuss/linear/sizes.h"

namespace percuss::linear {

/// H x = b by Cholesky's method, H symmetric and positive definite.
template <int most>
VectorOf<most> solve_definite(const MatrixOf<most>& H, const VectorOf<most>& b);

struct SymmetricSolution {
  bool factored = false;   // false: a pivot is no number
  Eigen::VectorXd pivots;  // D of A = L D L^T, rows and columns exchanged
  Eigen::MatrixXd x;       // means something if no pivot is near 0
};
/// A X = B, A symmetric.
SymmetricSolution solve_symmetric(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// The shortest x among those of least |A x - b|. Pivots below `rank` of the largest are zero.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double rank);

/// Orthonormal columns that span the x with A x = 0; no column if there is none but 0.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A);

}  // namespace percuss::linear
