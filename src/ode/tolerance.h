// How exact a step must be, and how it went.
#pragma once

#include <cstddef>
#include <vector>

namespace percuss::ode {

/// Local error per step: |error_i| <= absolute + relative * |y_i|, in the root mean square.
struct Tolerance {
  double relative = 1e-9;
  double absolute = 1e-12;
};

/// The same component by component: the error allowed in each.
struct Weights {
  std::vector<double> absolute;
  bool operator==(const Weights&) const = default;
};

enum class StepOutcome { accepted, too_small, not_finite };

}  // namespace percuss::ode
