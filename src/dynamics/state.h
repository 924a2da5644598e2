// What time changes: the unknowns, and what contacts and angles remember.
#pragma once

#include <vector>

#include "percuss/contact/law.h"
#include "percuss/model/model.h"
#include "percuss/recording/recording.h"

namespace percuss::dynamics {

/// The memory of one contact. Set only at located events and accepted steps.
struct ContactState {
  enum class Mode {
    apart,     // no overlap since the last time the spot was fresh
    pushing,   // the law acts
    coasting,  // its force has ended, the overlap has not
    holding    // dry laws: the rate stays zero, the force is what that takes
  };
  Mode mode = Mode::apart;
  contact::Law law, raw_law;  // latched at touch; raw: without the rule against pulling
  bool loading = true;        // direction of the rate, for laws whose force jumps with it
  double deepest_m = 0;       // memory of plastic laws; set where the motion turns
  double kept_m = 0;          // permanent depth of a persistent spot
  double depth_scale_m = 0;   // expected depth, for the step control
  double plastic_base_J = 0;  // spent on spots that are forgotten
  double given_up_J = 0;      // still stored when the force ended: the surfaces relax by themselves
  recording::Impact record;
  double plastic_at_touch_J = 0;
  double dissipated_at_touch_J = 0, impulse_at_touch_Ns = 0, other_at_touch_J = 0;
  long number = -1;  // of the record in the list, once it has been closed
};

struct State {
  double t_s = 0;
  std::vector<double> y;
  std::vector<ContactState> contacts;
  std::vector<char> switched_on;
  // angles count turns from where they were at the last accepted step
  std::vector<double> angle_rad, angle_rate;
  double angle_time_s = 0;
  double projection_J = 0, switching_J = 0;
};

State initial_state(const model::Model& model);

}  // namespace percuss::dynamics
