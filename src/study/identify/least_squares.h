// Nonlinear least squares within the unit cube. Ceres is known to least_squares.cpp alone.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace percuss::study {

/// Residuals r_i(z) and, if asked for, their slopes [i * parameters + j]. False: this point cannot be computed.
using Residuals =
    std::function<bool(std::span<const double> z, std::vector<double>& residuals, std::vector<double>* slopes)>;

struct Minimum {
  std::vector<double> z;
  double squares = 0;  // sum of r_i^2
  bool found = false;
};

/// A local minimum of the sum of squares over 0 <= z <= 1 by Levenberg and Marquardt, from a start; parameters in
/// `held` stay.
Minimum minimise(const Residuals& residuals, std::size_t count, std::span<const double> start,
                 const std::vector<std::size_t>& held = {});

}  // namespace percuss::study
