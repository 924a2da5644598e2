// What the mobility W = J M^-1 J^T between points says of them.
#pragma once

#include <algorithm>
#include <cmath>

#include "percuss/linear/sizes.h"

namespace percuss::linear {

/// Entries below `part` of the mean (geometric) of the two points' own mobilities, as they were before what
/// cancelled, are zero: such points do not know of each other.
template <class Matrix, class Vector>
void drop_rounding(const Vector& own_mobility, double part, Matrix& W) {
  for (Eigen::Index j = 0; j < W.cols(); ++j)
    for (Eigen::Index i = 0; i < W.rows(); ++i)
      if (std::abs(W(i, j)) <= part * std::sqrt(own_mobility[i] * own_mobility[j])) W(i, j) = 0;
}

/// The points that share bodies with the given ones, directly or through others; these among them, in order.
template <class Matrix>
Indices coupled_with(Indices points, const Matrix& W) {
  std::vector<char> in(static_cast<std::size_t>(W.rows()), 0);
  for (const Eigen::Index i : points) in[static_cast<std::size_t>(i)] = 1;
  for (std::size_t k = 0; k < points.size(); ++k)
    for (Eigen::Index j = 0; j < W.rows(); ++j)
      if (!in[static_cast<std::size_t>(j)] && W(points[k], j) != 0)
        points.push_back(j), in[static_cast<std::size_t>(j)] = 1;
  std::ranges::sort(points);
  return points;
}

}  // namespace percuss::linear
