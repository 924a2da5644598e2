// What time changes: the unknowns, the discrete modes, and what the step control remembers. A plain value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "percuss/base/archive.h"
#include "percuss/contact/law.h"
#include "percuss/model/model.h"
#include "percuss/model/rows.h"
#include "percuss/model/settings.h"

namespace percuss::dynamics {

using model::Model;
using model::Settings;

using ContactKey = std::array<int, 3>;  // two surfaces and the number of a contact point between them

/// One point where two surfaces touch. Set only at accepted steps and located events.
struct ContactMode {
  enum class Mode {
    pushing,   // the law acts
    coasting,  // its force has ended, the overlap has not
    holding,   // dry laws: the rate stays zero, the force is what that takes
    resting    // after impulsive collisions: the same, as long as the force pushes
  };
  std::int64_t id = -1;  // the touch's number in the run: stays with the contact, and orders the impacts
  model::ContactPair pair;
  int spot = 0;               // number of the contact point between the two surfaces
  geometry::Feature feature;  // as at touch; pairs that follow find it anew
  double base_m = 0;          // overlap with which the point came into being: the law counts from it
  Mode mode = Mode::pushing;
  // latched at touch
  double touch_s = 0, approach_mps = 0, law_speed_mps = 0, mass_kg = 0, load_mps2 = 0;
  double depth_scale_m = 0;       // expected depth, for the step control
  bool creeps = false;            // its slip is so slow that friction may be rising: velocities are resolved there
  double still_mps = 0;           // slower than this its bristles do not relax
  double free_time_s = 0;         // about how long the collision would take by itself
  contact::Law law;               // of the model, for this mass and speed
  contact::FrictionLaw friction;  // of the model
  // set by events
  bool slipping = false;      // of a contact spring
  bool loading = true;        // direction of the rate, for laws whose force jumps with it
  bool has_indented = false;  // it has been deeper than rounding
  double deepest_m = 0;       // memory of plastic laws; set where the motion turns
  double reached_m = 0;       // deeper than expected, for the step control
  double changed_s = 0;       // when an event last changed it
  // of a contact that holds or rests, at the last accepted state
  double held_N = 0;
  Vec3 held_friction_N;
  int memory_at = -1;  // in y: the memory of its friction

  int body_a(const Model& m) const { return m.surfaces[static_cast<std::size_t>(pair.first)].body; }
  int body_b(const Model& m) const { return m.surfaces[static_cast<std::size_t>(pair.second)].body; }
  ContactKey key() const { return {pair.first, pair.second, spot}; }
  double size_m() const { return std::max(depth_scale_m, reached_m); }
  bool is_held() const { return mode == Mode::holding || mode == Mode::resting; }
};

/// A contact point that is not in contact though its surfaces may overlap up to a depth: there is a dent that
/// stays, or the point came into being with an overlap (a corner slid over an edge) and pushes only from there on.
struct Overlap {
  double depth_m = 0;
  double deepest_m = 0;  // of a dent: the memory of its law
  bool is_dent = false;
  bool operator==(const Overlap&) const = default;
};
using Overlaps = std::map<ContactKey, Overlap>;

/// On which side of zero an event's function is.
struct EventSide {
  int side = 0;  // the last that was seen
  bool armed = false;
  bool is_over = false;  // of one that happens once
  void note(int now) {
    if (now == 0 || (!armed && side != 0 && now != side)) return;
    side = now;
    armed = true;
  }
  bool operator==(const EventSide&) const = default;
};

/// The break points in time of one function: it has been on its pieces since one of them, and stays on them until
/// the next, which is known as far as it was looked for.
struct BreakClock {
  double since_s = 0, next_s = 0, known_to_s = 0;
  bool operator==(const BreakClock&) const = default;
};

/// The whole discrete part of a State: with the time and the unknowns it decides which forces act.
struct Modes {
  /// Those in touch, in the order of their keys: bodies are read in about the order in which they stand in memory.
  std::vector<ContactMode> contacts;
  std::int64_t touches = 0;  // so far: the id of the next
  Overlaps overlaps;
  std::vector<char> switched_on;                 // [switch]
  std::shared_ptr<const model::RowLayout> rows;  // the constraint rows in force
  std::vector<double> row_shift;  // [row] where joints are switched: what each holds, beside its target
  std::vector<double> variables;
  // angles count turns from where they were at the last accepted step
  std::vector<double> angle_rad, angle_rate;  // [measure]
  double angle_time_s = 0;
  std::vector<EventSide> sides;  // [event of the user]
  // of sampled controllers: outputs held since the last sample, own states, samples taken
  std::vector<double> held_outputs, controller_states;
  std::vector<std::int64_t> samples;  // [controller]
  // of functions that are smooth on pieces only
  std::vector<double> pieces;      // [site], in the order of the functions
  std::vector<BreakClock> clocks;  // [clock of the model]
  std::vector<double> changed_s;   // [site] when the motion last changed its piece
  // sites along whose ends the motion slides, and the pieces below and above
  std::vector<int> sliding;
  std::vector<std::array<double, 2>> slides_between;
};

inline model::Moment moment_of(double t_s, const Modes& modes) { return {t_s, modes.pieces, modes.row_shift}; }

inline bool is_on(const Modes& modes, int switch_index) {
  return switch_index < 0 || modes.switched_on[static_cast<std::size_t>(switch_index)] != 0;
}

inline bool is_sliding(const Modes& modes, std::size_t site) {
  for (const int s : modes.sliding)
    if (static_cast<std::size_t>(s) == site) return true;
  return false;
}

/// How far off the joints are.
struct Residuals {
  double position = 0, velocity = 0;
  bool operator==(const Residuals&) const = default;
};

/// What the step control carries from step to step.
struct Control {
  const ode::IntegratorRow* integrator = nullptr;  // the memory is that of its method, under these settings
  double tolerance = 0, step_s = 0;
  ode::Memory method;    // of the integrator in charge
  bool stiff = false;    // radau5 is in charge, on trial
  ode::Weights weights;  // of the last restart
  double speed_scale_mps = 0;
  int stiff_steps = 0, steps_before_next_trial = 0, pause_steps = 0;
  int trial_steps = 0;
  double explicit_step_s = 0;
  std::int64_t events_at_once = 0;  // since time last passed
  double last_event_s = -1;
  Residuals residuals;  // of the joints, as a copy was made: under another Model they are others
};

struct Counts {
  std::int64_t steps = 0, rejected = 0, evaluations = 0, near_singular = 0, handed_over = 0;
  std::int64_t events = 0,
               event_evaluations = 0;  // located; what they took beyond the stages of the steps they cut
};

/// Always that of an accepted step or event, with all that the next step needs: gone on with by another Simulation,
/// on another thread, it gives the same bits.
struct State {
  double t_s = 0;
  std::vector<double> y;  // the layout is that of model::Body, friction memories in the order of the contacts
  Modes modes;
  Control control;
  Counts counts;
  bool has_begun = false;  // false: at the start of a run, where contacts and events are still to be found
};

/// Where the model says.
State initial_state(const Model& model);

/// Positions and velocities as in `y`, the unknowns of another run of a model of the same topology; the time begins
/// at 0 again. Whole turns are taken off, so that drivers given as functions of time find their angles where they
/// were at the start. Contacts begin anew: what they remembered (the speed of touch, a dent) is not part of y.
State state_from(const Model& model, std::span<const double> y);

/// All of it as bytes, and back. Laws are not among them: they are those of the model, latched for the mass and the
/// speed that are. False: the bytes are not those of a State of this model.
void save(const State& state, Writer& out);
bool restore(Reader& in, const Model& model, State& out);

/// Why a State cannot be gone on with under this model; nothing: it can. A model of the same topology has the same
/// bodies, surfaces, events, switches, measures and controllers; values may be others.
std::string mismatch(const Model& model, const State& state);

/// Places of the memories in y, and its size, after the list of contacts has changed.
void lay_out_memories(const Model& model, Modes& modes, std::vector<double>& y);

/// Laws and friction of the contacts from the model: for a State that goes on under a changed Model.
void latch_again(const Model& model, Modes& modes);

}  // namespace percuss::dynamics
