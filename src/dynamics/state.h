// What time changes: the unknowns, and what contacts and angles remember.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "percuss/contact/law.h"
#include "percuss/model/model.h"
#include "percuss/recording/recording.h"

namespace percuss::dynamics {

/// Sums over an episode that are integrated with the motion.
enum Sum { dissipated, impulse, friction_work, other_forces, other_contacts, mass_change, kSums };

/// One spot where two surfaces touch. Set only at located events and accepted steps.
struct ContactState {
  enum class Mode {
    pushing,   // the law acts
    coasting,  // its force has ended, the overlap has not
    holding,   // dry laws: the rate stays zero, the force is what that takes
    resting    // after percussions: the same, as long as the force pushes
  };
  model::ContactPair pair;
  int spot = 0;               // number of the spot between the two surfaces
  geometry::Feature feature;  // as at touch; pairs that follow find it anew
  double base_m = 0;          // overlap with which the spot came into being: the law counts from it
  Mode mode = Mode::pushing;
  contact::Law law, raw_law;  // latched at touch; raw: without the rule against pulling
  bool slipping = false;      // of a contact spring
  bool is_lost = false;       // the spot is no more: it was not released by its motion
  bool loading = true;        // direction of the rate, for laws whose force jumps with it
  double deepest_m = 0;       // memory of plastic laws; set where the motion turns
  double depth_scale_m = 0;   // expected depth, for the step control
  double free_time_s = 0;     // about how long the collision would take by itself
  double plastic_at_touch_J = 0;
  double given_up_J = 0;  // still stored when the force ended: the surfaces relax by themselves
  recording::Impact record;
  long number = -1;  // of the record in the list, once it has been closed
  // of the unknowns, while the list of contacts changes
  Vec3 friction_memory_m;
  std::array<double, kSums> sums{};
};

/// What contacts have done that are over.
struct ContactTotals {
  double lost_J = 0, friction_J = 0;
  long impacts = 0;
};

/// A spot that is not in contact though its surfaces may overlap up to a depth: there is a dent that stays, or the
/// spot came into being with an overlap (a corner slid over an edge) and pushes only from there on.
struct Overlap {
  double depth_m = 0;
  double deepest_m = 0;  // of a dent: the memory of its law
  bool is_dent = false;
};
using Overlaps = std::map<std::array<int, 3>, Overlap>;  // by surfaces and spot

struct State {
  double t_s = 0;
  /// [positions | velocities | friction memories | quadratures of the model | sums of the contacts]
  std::vector<double> y;
  std::vector<ContactState> contacts;  // those in touch
  Overlaps overlaps;
  std::vector<ContactTotals> totals;  // [contact]
  std::vector<char> switched_on;
  // angles count turns from where they were at the last accepted step
  std::vector<double> angle_rad, angle_rate;
  double angle_time_s = 0;
  double projection_J = 0, switching_J = 0;
};

State initial_state(const model::Model& model);

}  // namespace percuss::dynamics
