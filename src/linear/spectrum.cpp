// The solver takes longer to compile than all that uses it.
#include "percuss/linear/spectrum.h"

#include <Eigen/Eigenvalues>

namespace percuss::linear {

template <int most>
SpectrumOf<most>::SpectrumOf(const MatrixOf<most>& symmetric) {
  const Eigen::SelfAdjointEigenSolver<MatrixOf<most>> solver(symmetric);
  values = solver.eigenvalues();
  vectors = solver.eigenvectors();
}

template struct SpectrumOf<kSmall>;
template struct SpectrumOf<Eigen::Dynamic>;

GeneralSpectrum::GeneralSpectrum(const Eigen::MatrixXd& matrix) {
  if (matrix.size() == 0) return;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix);
  values = solver.eigenvalues();
  vectors = solver.eigenvectors();
}

Eigen::Vector3d eigenvalues(const Eigen::Matrix3d& symmetric) { return SpectrumOf<kSmall>(symmetric).values; }

}  // namespace percuss::linear
