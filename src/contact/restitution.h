// Damping and restitution: the exact relations between what a law is given and what a free collision returns.
//
// Everything here is dimensionless and independent of stiffness, mass and speed. Derivations:
// docs/theory/restitution.md.
#pragma once

#include "percuss/base/dual.h"

namespace percuss::contact {

/// ---- scaled damping, F = f(x) (1 + a x'/v0) for any elastic f
/// -----------------------------------------------------
///   m v dv = -F dx separates: with u = v/v0,  phi(x) = integral of f = m v0^2 * integral from u to 1 of w dw/(1 +
///   a w). Both phases span the same phi, hence     a (1 + e) = ln[(1 + a)/(1 - a e)] (1)

/// (x - log1p(x))/x^2 = 1/2 - x/3 + x^2/4 - ..., without cancellation; x > -1.
double log_residue(double x);

/// The restitution that damping a >= 0 delivers: the root e of (1), in (0, 1].
double restitution_of_damping(double a);

/// The damping that delivers restitution e, 0 < e <= 1: the root a of (1). Grows as 1/e.
double damping_of_restitution(double e);

/// ln(1 - a e) at the root, which 1 - a e itself cannot hold for small e (at e = 0.001 it is exp(-994)).
double log_end_factor(double a, double e);

/// ---- damping that makes a power law an oscillator: F = K x^n + chi x^((n-1)/2) x'
/// -----------------------------------
///   With s = sqrt(2/(n+1)) x^((n+1)/2) and a stretched time the motion is s'' + 2 z s' + s = 0,
///   z = chi / sqrt(2 (n+1) K m)  (n = 1: the dashpot; n = 3/2: Tsuji). docs/theory/restitution.md

/// A(z) = z acos(z)/sqrt(1 - z^2), continued through z = 1 by acosh. At peak compression s = exp(-A) (times
/// v0/omega), at the zero of the force on the way back v = -exp(-2A) v0.
double oscillator_decrement(double z);
/// z with A(z) = decrement >= 0.
double damping_of_decrement(double decrement);

/// Damping ratio for restitution e when contact ends at x = 0 (the force pulls before): z = -ln e/sqrt(pi^2 + ln^2
/// e).
double damping_ratio_to_zero_indentation(double e);
/// The same when contact ends at F = 0 (no pull): exp(-2 A(z)) = e.
double damping_ratio_to_zero_force(double e);
/// And when only the approach is damped (Jankowski): exp(-A(z)) = e.
double damping_ratio_on_approach(double e);

/// ---- damping and plasticity together, docs/theory/mixed.md
/// ----------------------------------------------------------
///   G-(a, e) = r G+(a), where G+(a) = log_residue(a), G-(a, e) = e^2 log_residue(-a e), and r = 1 - p is the
///   recovered part of the maximal depth (p, the permanent indentation over it, would lose the digits of r where r
///   is small).
struct MixedDamping {
  double damping = 0;          // a
  double recovered_ratio = 1;  // r
};
/// Restitution e in [0, 1] with a share s in [0, 1] of the lost energy left in the permanent indentation; e = 0
/// needs s > 0.
MixedDamping mixed_damping(double e, double plastic_share);
/// The restitution that (a, r) delivers.
double restitution_of_mixed(MixedDamping mixed);

/// The same relations with derivatives, by the implicit function theorem.
using Slope = Dual<double, 1>;
Slope damping_of_restitution(Slope e);
Slope damping_ratio_to_zero_indentation(Slope e);
Slope damping_ratio_to_zero_force(Slope e);
Slope damping_ratio_on_approach(Slope e);
struct MixedSlopes {
  Slope damping, recovered_ratio;
};
MixedSlopes mixed_damping(Slope e, Slope plastic_share);

}  // namespace percuss::contact
