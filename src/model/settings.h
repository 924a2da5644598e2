// How to integrate, for how long, and what to sample: everything about a run that is not physics.
#pragma once

#include <vector>

#include "percuss/ode/integrator.h"

namespace percuss::model {

struct Settings {
  const ode::IntegratorRow* integrator = ode::find_integrator("dop853");
  double duration_s = 1;  // no step goes beyond it; infinity: until the caller has enough
  double tolerance = 1e-9;
  double step_s = 0;          // of a fixed-step integrator
  double largest_step_s = 0;  // 0: none
  bool hand_over_when_stiff = true;
  long most_steps = 10'000'000;
  // sampling: nothing of it changes the motion
  double sample_every_s = 0;  // 0: at the times below alone
  std::vector<double> sample_times_s;
  bool sample_in_contact = false;
  bool account = false;  // of each restitution: where delivered and prescribed part
};

}  // namespace percuss::model
