// Many isolated impacts of the scaled family at once: restitution, depth, force.
#pragma once

#include <span>

#include "percuss/contact/specification.h"

namespace percuss::impact {

struct ImpactInputs {
  std::span<const double> restitution, stiffness, mass_kg, velocity_mps;  // of one length
};
struct ImpactOutputs {
  std::span<double> restitution, peak_indentation_m, peak_force_N;
};

/// F = K x^n (1 + a(c) x'/v0) for each element; `row` must take a restitution and have a scaled shape. The result
/// does not depend on the number of threads.
void collide_batch(const contact::DissipationRow& row, contact::Calibration calibration, double exponent,
                   const ImpactInputs& in, const ImpactOutputs& out, unsigned threads = 1);

}  // namespace percuss::impact
