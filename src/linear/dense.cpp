// Eigen's decompositions.
#include "percuss/linear/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace percuss::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;

template <int most>
VectorOf<most> solve_definite(const MatrixOf<most>& H, const VectorOf<most>& b) {
  return H.llt().solve(b);
}

SymmetricSolution solve_symmetric(const MatrixXd& A, const MatrixXd& B) {
  const Eigen::LDLT<MatrixXd> factors(A);
  return {factors.info() == Eigen::Success, factors.vectorD(), factors.solve(B)};
}

/// The threshold is set first: the orthogonal factors belong to the rank that they were made for.
VectorXd least_squares(const MatrixXd& A, const VectorXd& b, double rank) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(rank);
  solver.compute(A);
  return solver.solve(b);
}

MatrixXd null_space(const MatrixXd& A) {
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(A.transpose());
  const MatrixXd Q = qr.householderQ();
  return Q.rightCols(A.cols() - qr.rank());
}

template VectorOf<kSmall> solve_definite<kSmall>(const MatrixOf<kSmall>&, const VectorOf<kSmall>&);
template VectorXd solve_definite<Eigen::Dynamic>(const MatrixXd&, const VectorXd&);

}  // namespace percuss::linear
