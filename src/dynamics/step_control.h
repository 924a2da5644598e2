// How long a step may be, how exact it must be, and which method takes it.
#pragma once

#include <string>
#include <vector>

#include "percuss/dynamics/evaluation.h"
#include "percuss/ode/integrator.h"

namespace percuss::dynamics {

/// The largest speed in the scene, and the errors allowed: positions to the tolerance times the size of the scene,
/// or of the indentation where bodies touch (their magnitude depends on the origin and says nothing); velocities to
/// the tolerance times the largest speed.
double speed_scale_mps(const Model& model, const Settings& settings, const model::Motions& motions);
/// Short pulses change velocities by little, and what they change counts by itself: where functions hide them,
/// errors are those of a motion near rest, as far as rounding allows.
double speed_scale_of_pulses_mps(const Model& model, const Settings& settings, double speed_mps);
/// Regularised friction rises over a speed that may be far below those errors: then slip at rest would be nothing
/// but errors, of either sign, each with the force of sliding. Of bodies whose contacts creep, velocities are
/// resolved to a part of it.
double slip_error_mps(const ContactMode& contact, double speed_error_mps);
/// Of slip within a few errors of zero. One that creeps goes on to do so until it is well beyond.
bool creeps(const ContactMode& contact, double slip_mps, double speed_error_mps);
ode::Weights error_weights(const Model& model, const Settings& settings, const Modes& modes,
                           const model::Motions& motions, double speed_scale_mps);

/// A contact force fades as a power of the depth that is not smooth at zero: a step across the separation must be
/// as short as the first one after touch. Steps of four fifths of the way there come close without being rejected.
double limit_before_separation_s(const Settings& settings, const State& state, const Evaluation& now);

/// Bodies whose contact points come and go must not pass each other between two places at which a step is looked
/// into: no step moves them by more than their bounding spheres are apart and a part of their size.
class PassingLimit {
 public:
  explicit PassingLimit(const Model& model);
  double limit_s(const Settings& settings, double t_s, const model::Motions& motions) const;
  bool is_empty() const { return named_.empty() && bounded_.empty(); }

 private:
  double time_s(const geometry::Surface& f, const geometry::Surface& s, const model::Motions& motions) const;
  const Model& model_;
  std::vector<ContactPair> named_;
  std::vector<int> bounded_, unbounded_;  // surfaces of such pairs by materials
};

/// An explicit method that follows an oscillation takes several steps a period. One that takes steps h |s| > 3
/// again and again follows nothing: stability alone holds it back. Where nothing moves, the slopes it would measure
/// that by are rounding, so the rates of contacts are computed: the fastest rate |s| of m s^2 + c s + k = 0 over
/// the contacts in touch, k and c from the slopes of their laws; or F/(m v) of their friction, v not below the
/// error that is allowed of slip: where that is larger than the speed over which the force rises, slip at rest is
/// an error, and its slope says nothing.
double fastest_contact_rate(const Modes& modes, const Evaluation& now, double speed_error_mps);

/// What to do about stiffness after a step.
///
/// The stiff method is on trial: its steps cost several of the explicit ones. Where they have not become longer
/// accordingly by the end of the trial (the motion itself is as fast), the explicit method goes on, for a pause
/// that becomes longer from trial to trial. Steps that change nothing by more than a few of the errors allowed end
/// the pause: what could have been as fast has come to rest.
enum class Stiffness { nothing, hand_over, hand_back, warn };
struct StepTaken {
  double length_s = 0, next_s = 0;
  double stiffness = 0;     // as the method sees it
  double contact_rate = 0;  // fastest_contact_rate; of an explicit method
  double change = 0;        // |h y'| at its end, in errors allowed
};
Stiffness judge_stiffness(const Settings& settings, const StepTaken& step, std::size_t unknowns, Control& control);

/// The contact or spring with the fastest rate: sqrt(k/m) or c/m.
std::string stiffest_part(const Model& model, const Modes& modes);

/// Which bodies' accelerations depend on which bodies: those that joints, springs, contacts or forces connect.
ode::Coupling coupling_of(const Model& model, const Modes& modes, std::size_t unknowns);

}  // namespace percuss::dynamics
