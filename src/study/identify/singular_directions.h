// What data see of their parameters: the singular values of slopes, and the direction of each.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace percuss::study {

struct SingularDirection {
  double value = 0;               // by how much the data move with a step of 1 this way
  std::vector<double> direction;  // [parameter] of length 1, at right angles to the others
};

/// Of slopes [datum * parameters + parameter]; the largest first, one for each parameter.
std::vector<SingularDirection> singular_directions(std::span<const double> slopes, std::size_t parameters);

}  // namespace percuss::study
