// Eigenvalues and eigenvectors of symmetric matrices: Eigen's solver, compiled in one place.
#pragma once

#include "percuss/linear/sizes.h"

namespace percuss::linear {

template <int most>
struct SpectrumOf {
  VectorOf<most> values;   // ascending
  MatrixOf<most> vectors;  // [, value] of length 1

  SpectrumOf() = default;
  explicit SpectrumOf(const MatrixOf<most>& symmetric);  // reads the lower triangle
};
using Spectrum = SpectrumOf<Eigen::Dynamic>;

/// Of any real matrix.
struct GeneralSpectrum {
  Eigen::VectorXcd values;   // conjugate ones beside each other
  Eigen::MatrixXcd vectors;  // [, value] of length 1
  explicit GeneralSpectrum(const Eigen::MatrixXd& matrix);
};

/// Ascending; reads the lower triangle.
Eigen::Vector3d eigenvalues(const Eigen::Matrix3d& symmetric);

}  // namespace percuss::linear
