// The isolated collision of two bodies through one law: what it returns, and how it went.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/contact/law.h"

namespace percuss::impact {

using contact::Law;

/// Free motion m x'' = -F(x, x') from x = 0, x' = v0; m is the effective mass m_i m_j/(m_i + m_j).
struct Collision {
  Law law;
  double mass_kg = 0;
  double velocity_mps = 0;
  double energy_J() const { return mass_kg * velocity_mps * velocity_mps / 2; }
};

enum class Method {
  closed_form,  // restitution, depth and force in closed form or by a scalar root; durations by quadrature
  integrated    // dop853, peak and release located on the dense output
};

/// Times count from first touch. A contact that never ends (overdamped, pulling) has an infinite duration.
struct Outcome {
  Method method = Method::closed_form;
  double restitution = 0;
  double peak_indentation_m = 0, peak_indentation_time_s = 0;
  double peak_force_N = 0, peak_force_time_s = 0;
  double lowest_force_N = 0;  // below zero: the law pulled
  double duration_s = 0;
  double stored_energy_J = 0;    // recoverable, at the deepest point
  double returned_energy_J = 0;  // kinetic, at the end
  double lost_energy_J = 0;
  double plastic_energy_J = 0;  // of the lost energy: left in the permanent indentation
  double permanent_indentation_m = 0;
  long evaluations = 0;  // right-hand sides, of an integrated one
};

struct Sample {
  double time_s, depth_m, rate_mps, force_N;
  double kinetic_J, stored_J, lost_J;  // lost: integrated on its own, so that the three check each other
};

/// Whether the outcome of this law has a closed form.
bool has_closed_form(const Law& law);

/// Durations are quadratures, and cost almost all of the time of a closed form: who needs only the restitution
/// leaves them out.
enum class Times { all, none };

/// The best route for the law. Errors: the law cannot stop the body, or its range ends before.
Result<Outcome> collide(const Collision& collision, Times times = Times::all);

/// The same by integration, for any law. The restitution is right to about `tolerance`.
Result<Outcome> collide_integrated(const Collision& collision, double tolerance = 1e-12);

/// The error of a collision that would leave the range of its elastic law.
Diagnostic beyond_range(const Collision& collision);

/// The course of the collision at `count` times: as many before the deepest point as after it.
Result<std::vector<Sample>> history(const Collision& collision, int count = 401);

// ---- two bodies
// ----------------------------------------------------------------------------------------------------------

/// Body i follows body j: they meet if v_i > v_j. A fixed body has an infinite mass.
struct TwoBodies {
  double mass_i_kg, mass_j_kg;
  double velocity_i_mps, velocity_j_mps;
  double effective_mass_kg() const;
  double approach_mps() const { return velocity_i_mps - velocity_j_mps; }
};
struct VelocitiesAfter {
  double velocity_i_mps, velocity_j_mps;
};
/// Newton's impact law with the delivered restitution; momentum is kept.
VelocitiesAfter velocities_after(const TwoBodies& bodies, double restitution);

}  // namespace percuss::impact
