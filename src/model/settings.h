// How to integrate, for how long, and what to sample: everything about a run that is not physics.
#pragma once

#include <vector>

#include "percuss/ode/integrator.h"
#include "percuss/scene/schema.h"

namespace percuss::model {

struct Settings {
  const ode::IntegratorRow* integrator = ode::find_integrator(scene::default_word("solver.integrator"));
  double duration_s = 1;  // no step goes beyond it; infinity: until the caller has enough
  double tolerance = scene::default_number("solver.tolerance");
  double step_s = 0;          // of a fixed-step integrator
  double largest_step_s = 0;  // 0: none
  bool hand_over_when_stiff = scene::default_word("solver.when_stiff") == "hand-over";
  long most_steps = static_cast<long>(scene::default_number("solver.most_steps"));
  bool starts_at_equilibrium = scene::default_flag("start.equilibrium");  // the static one near the start
  // sampling: nothing of it changes the motion
  double sample_every_s = 0;  // 0: at the times below alone
  std::vector<double> sample_times_s;
  bool sample_in_contact = false;
  bool account = false;  // of each restitution: where delivered and prescribed part
  bool horizon = false;  // until when a solution at a tighter tolerance stays with this one
};

}  // namespace percuss::model
