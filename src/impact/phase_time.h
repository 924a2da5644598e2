// Durations of the phases of a collision, by quadrature in a variable in which nothing cancels.
#pragma once

#include "percuss/impact/impact.h"

namespace percuss::impact {

/// With the log-speed y = ln(1 + a u)/a (u itself for a = 0), F = f(x)(1 + a u) gives dt = -m v0 dy/f(x), and the
/// elastic energy measured from the end of a phase is, with s the distance in y from that end,
///   loading    phi/(m v0^2) = [(1 - exp(-as)) a - (exp(-as) - 1 + as)]/a^2
///   unloading  phi/(m v0^2) = s e - exp(q) (exp(as) - 1 - as)/a^2,  q = ln(1 - a e)
/// The integrand is singular only at s = 0, like s^(-n/(n+1)), which the tanh-sinh rule takes.
/// docs/theory/impact.md
struct PhaseTime {
  const Collision& collision;
  double a;

  /// From touch until the speed has fallen to u v0, 0 <= u < 1.
  double of_loading(double u) const;
  /// From the deepest point to the end with speed e v0, along a curve that recovers the part `recovered` of the
  /// depth.
  double of_unloading(double e, double recovered) const;
  /// One phase without damping whose speed at touch is e v0, under the force `factor` f(x).
  double of_elastic_half(double e, double factor) const;
};

/// Half of an elastic collision with F = K x^n, in units of depth over speed: integral of dx/sqrt(1 - x^(n+1)).
double elastic_half_time(double exponent);

}  // namespace percuss::impact
