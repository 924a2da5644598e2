// Vectors and matrices of few or many entries. Up to kSmall rows they live on the stack: a collision at a few
// points is too short for the heap.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace percuss::linear {

/// One below the size from which Eigen multiplies by blocks: its kernels are for larger matrices, and slow to
/// compile.
inline constexpr int kSmall = 7;

template <int most>
using VectorOf = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1>;
template <int most>
using MatrixOf = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;

/// A bound of twice as many.
constexpr int twice(int most) { return most == Eigen::Dynamic ? Eigen::Dynamic : 2 * most; }

using Indices = std::vector<Eigen::Index>;

/// Entries by index. (Eigen's own views copy the indices to the heap.)
template <int most>
VectorOf<most> picked(const VectorOf<most>& v, const Indices& rows) {
  VectorOf<most> out(static_cast<Eigen::Index>(rows.size()));
  for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = v[rows[static_cast<std::size_t>(i)]];
  return out;
}
template <int most>
MatrixOf<most> picked(const MatrixOf<most>& m, const Indices& rows, const Indices& columns) {
  MatrixOf<most> out(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  for (Eigen::Index j = 0; j < out.cols(); ++j)
    for (Eigen::Index i = 0; i < out.rows(); ++i)
      out(i, j) = m(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
  return out;
}
template <int most>
MatrixOf<most> picked_columns(const MatrixOf<most>& m, const Indices& columns) {
  MatrixOf<most> out(m.rows(), static_cast<Eigen::Index>(columns.size()));
  for (Eigen::Index j = 0; j < out.cols(); ++j) out.col(j) = m.col(columns[static_cast<std::size_t>(j)]);
  return out;
}

}  // namespace percuss::linear
