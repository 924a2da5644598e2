// Closed forms of the isolated collision. Derivations: docs/theory/restitution.md and docs/theory/impact.md.
#pragma once

#include <optional>

#include "percuss/impact/impact.h"

namespace percuss::impact {

/// nullopt if the law has none; otherwise the outcome, with an infinite peak_indentation_m if the law's range is
/// exceeded.
std::optional<Outcome> collide_closed_form(const Collision& collision, Times times);

/// Largest depth and force of F = K x^n (1 + a x'/v0) alone, without durations.
struct ScaledPeaks {
  double peak_indentation_m, peak_force_N;
};
ScaledPeaks scaled_peaks(double stiffness, double exponent, double a, double mass_kg, double velocity_mps);

/// u = x'/v0 at the largest force of F = K x^n (1 + a u): the root of u n/(n+1) = a g(u).
double speed_ratio_at_max_force(double a, double exponent);

/// g(u) = integral from u to 1 of w dw/(1 + a w): elastic energy over m v0^2 when the speed has fallen to u v0; u
/// >= 0.
double energy_at_speed_ratio(double a, double u);

}  // namespace percuss::impact
