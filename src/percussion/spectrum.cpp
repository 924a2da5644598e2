// The solver takes longer to compile than all that uses it.
#include "percuss/percussion/spectrum.h"

#include <Eigen/Eigenvalues>

namespace percuss::percussion {

template <int most>
SpectrumOf<most>::SpectrumOf(const MatrixOf<most>& symmetric) {
  const Eigen::SelfAdjointEigenSolver<MatrixOf<most>> solver(symmetric);
  values = solver.eigenvalues();
  vectors = solver.eigenvectors();
}

template struct SpectrumOf<kSmall>;
template struct SpectrumOf<Eigen::Dynamic>;

}  // namespace percuss::percussion
