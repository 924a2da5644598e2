// What events do to the State.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "percuss/dynamics/events/touches.h"
#include "percuss/dynamics/observer.h"

namespace percuss::dynamics {

/// The observers of a run, told in their order.
struct Watchers {
  std::vector<Observer*> all;
  void before_event(const Modes& modes, double t_s) const {
    for (Observer* o : all) o->before_event(modes, t_s);
  }
  void event(const EventView& view) const {
    for (Observer* o : all) o->event(view);
  }
  void warn(const Warning& warning) const {
    for (Observer* o : all) o->warn(warning);
  }
  void jump(double stored_J, Observer::Cause cause) const {
    for (Observer* o : all) o->jump(stored_J, cause);
  }
};

/// What an effect reads, and what it changes.
struct Effect {
  const Model& model;
  const Settings& settings;
  model::BroadPhase& broad_phase;
  Workspace& workspace;
  const Watchers& watchers;
  double last_step_s = 0;  // the step that led here
  double next_step_s = 0;  // what the integrator would try next
  State& state;
  double first_step_s = 0;  // to be tried next; 0: to be found
  bool restarts = false;    // forces have jumped: the integrator begins anew

  /// Everything, or places and velocities only, at the state as it is now.
  const Evaluation& evaluated() const { return evaluate(model, state.t_s, state.y, state.modes, workspace); }
  const model::Motions& placed() const {
    place(model, state.t_s, state.y, state.modes, workspace, workspace.result);
    return workspace.result.motions;
  }
  double stored_J() const;
};

/// Near touch and separation the force is as smooth as t^n and its second integral as t^(n+2): with n = 3/2 a step
/// is exact if it is no longer than this share of the time that the indentation takes.
double smooth_share(const Settings& settings);

// ---- contact.cpp
/// All at one time: what they begin with does not depend on their order.
void begin_contacts(Effect& effect, std::span<const Touch> touches);
/// Some of them with the friction memory that they bring along.
void begin_contacts(Effect& effect, std::span<const Touch> touches, const std::map<ContactKey, Vec3>& memories);
/// The points that overlap at the State; those of impulsive contacts apart.
std::vector<Touch> overlapping_points(const Effect& effect);
/// The surfaces are apart again: the point is fresh, unless its dent stays.
void leave_contact(Effect& effect, std::size_t contact);

void compress_most(Effect& effect, std::size_t contact);
void end_force(Effect& effect, std::size_t contact);
void return_force(Effect& effect, std::size_t contact);
void load_again(Effect& effect, std::size_t contact);
void begin_slip(Effect& effect, std::size_t contact);
void begin_stick(Effect& effect, std::size_t contact);
void separate(Effect& effect, std::size_t contact);
void lose(Effect& effect, std::size_t contact);
/// The contact is switched off: every point of it ends, what it stored is booked.
void drop_contact(Effect& effect, int contact);

// ---- collision.cpp
/// Points that overlap at the start push only from there on; those that touch strike or rest.
void begin_collisions(Effect& effect);
/// The collision of all that touches here and now.
void collide(Effect& effect);
void open_rest(Effect& effect, std::size_t contact);

// ---- break_effects.cpp
/// Functions of time whose break points have come go on on their next pieces; rates that jump strike the joints.
/// What cannot be, in words: a position that jumps.
std::string take_breaks(Effect& effect);

/// Contacts after velocities have jumped at the state.
void velocities_have_jumped(Effect& effect);

// ---- switch_effects.cpp
/// Switches are set: joints and drivers let go or engage where their bodies are, with the impulse that it takes;
/// contacts end or wait for a gap; variables get their values.
void take_switches(Effect& effect, const model::Event& event);

// ---- user events and controllers
/// At a new state: the event that was located happens, and with it every other whose side has changed. True: a
/// stop.
bool settle_user_events(Effect& effect, const std::vector<struct EventReads>& reads, int located);
void arm_user_events(Effect& effect, const std::vector<struct EventReads>& reads);
/// Sampled controllers whose time has come compute their outputs.
void take_controller_samples(Effect& effect);
/// Their next samples are at multiples of their periods, at the time of the state or after it. `now`: a run begins,
/// and its first samples are taken at once.
void align_controller_samples(const Model& model, double t_s, bool now, Modes& modes);
/// The next time at which one does.
double next_controller_sample_s(const Model& model, const Modes& modes);

}  // namespace percuss::dynamics
