// The weighted root mean square by which methods judge their errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "percuss/ode/tolerance.h"

namespace percuss::ode {

/// sqrt(sum (error_i/allowed_i)^2 / n).
inline double error_norm(const Weights& w, std::span<const double> error) {
  double sum = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double e = error[i] / w.absolute[i];
    sum += e * e;
  }
  return std::sqrt(sum / static_cast<double>(error.size()));
}

/// A first step for a method of the given order (Hairer, Norsett, Wanner I, II.4): an Euler step and the change of
/// slope along it both small. `slope(t, y, out)` is called once.
template <class Slope>
double first_step(const Weights& w, int order, double t, std::span<const double> y, std::span<const double> slope_0,
                  std::span<double> scratch_y, std::span<double> scratch_slope, Slope&& slope) {
  const double d0 = error_norm(w, y), d1 = error_norm(w, slope_0);
  const double h0 = d0 > 1e-5 && d1 > 1e-5 ? 0.01 * d0 / d1 : 1e-6;
  for (std::size_t i = 0; i < y.size(); ++i) scratch_y[i] = y[i] + h0 * slope_0[i];
  slope(t + h0, std::span<const double>(scratch_y), scratch_slope);
  for (std::size_t i = 0; i < y.size(); ++i) scratch_slope[i] -= slope_0[i];
  const double d2 = error_norm(w, scratch_slope) / h0;
  const double steepest = std::max(d1, d2);
  const double h1 = steepest > 1e-15 ? std::pow(0.01 / steepest, 1.0 / order) : std::max(1e-6, 1e-3 * h0);
  return std::min(100 * h0, h1);
}

}  // namespace percuss::ode
