// One step: integrate, look for events, correct, tell, change, go on.
#include "percuss/dynamics/simulation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "percuss/base/index.h"
#include "percuss/base/scalar.h"
#include "percuss/dynamics/equilibrium.h"
#include "percuss/dynamics/events/branches.h"
#include "percuss/dynamics/events/contact_events.h"
#include "percuss/dynamics/events/effects.h"
#include "percuss/dynamics/events/user_events.h"
#include "percuss/dynamics/pieces.h"
#include "percuss/dynamics/reading.h"
#include "percuss/dynamics/step_control.h"
#include "percuss/dynamics/stepper.h"
#include "percuss/ode/error_norm.h"

namespace percuss::dynamics {

using Mode = ContactMode::Mode;

namespace {

constexpr std::int64_t kMostEventsAtOnce = 10'000;  // steps of no length in a row
constexpr double kSameTime = 1e-13;                 // of the time: what is left of a way is rounding

/// Angles count turns from where they are now.
void remember_angles(const Model& model, Workspace& workspace, State& state) {
  Modes& modes = state.modes;
  if (!workspace.angles.empty()) {
    place(model, state.t_s, state.y, modes, workspace, workspace.result);
    for (const int m : workspace.angles) {
      const geometry::MeasureValue v = measure(model, workspace.result, m);
      modes.angle_rad[percuss::at(m)] = v.value;
      modes.angle_rate[percuss::at(m)] = v.rate;
    }
  }
  modes.angle_time_s = state.t_s;
}

/// Contacts and their normal forces are as stiff after it as before.
bool leaves_contacts(const Located& event) {
  using K = EventKind;
  return event.kind == K::slip || event.kind == K::stick || event.kind == K::force_ends ||
         event.kind == K::force_returns;
}

/// A contact that was held lets go inside a step. Stages beyond, those of the interpolant too, have another force:
/// a load that has come and gone between the ends of a step may be seen by some of them alone.
bool lets_go_within(const std::vector<Located>& located, double t0_s, double t1_s) {
  return std::ranges::any_of(located, [&](const Located& l) {
    return (l.kind == EventKind::slip || l.kind == EventKind::opening) && l.t_s > t0_s && l.t_s < t1_s;
  });
}

StageDetail detail_for(const Watchers& watchers) {
  StageDetail most = StageDetail::none;
  for (const Observer* o : watchers.all) most = std::max(most, o->needs_stages());
  return most;
}

}  // namespace

StepView::StepView(const Model& model_, const Modes& modes_, const Path& path_, ode::Integrator& integrator,
                   std::span<const Evaluation* const> stages, double t1, std::span<const double> y_end_,
                   std::span<const double> y_corrected_, bool was_projected_, Residuals residuals_)
    : model(model_),
      modes(modes_),
      path(path_),
      t0_s(path_.t0()),
      t1_s(t1),
      y_end(y_end_),
      y_corrected(y_corrected_),
      was_projected(was_projected_),
      residuals(residuals_),
      integrator_(integrator),
      stages_(stages) {
  weights_to(t1, weights_);
}

void StepView::weights_to(double t_s, std::vector<double>& out) const {
  out.assign(stages_.size(), 0.0);
  if (stages_.empty()) return;
  if (t_s != path.t1()) integrator_.prepare_dense();
  integrator_.weights_to(t_s, out);
}

class Simulation::Engine {
 public:
  Engine(const Model& model, const Settings& settings, State state, std::vector<Observer*> observers)
      : Engine(model, settings, Equilibrium{std::move(state), "", 0, 0, 0}, std::move(observers)) {}
  Engine(const Model& model, const Settings& settings, const Equilibrium& start, std::vector<Observer*> observers)
      : model_(model),
        settings_(settings),
        watchers_{std::move(observers)},
        state_(start.state),
        workspace_(model),
        broad_phase_(model),
        passing_(model),
        largest_step_s_(largest_step_s(model)),
        path_(model),
        event_reads_(event_reads(model)),
        branchings_(branchings(model)),
        stepper_(model, settings_, state_, workspace_, detail_for(watchers_)) {
    for (const model::Force& force : model.forces)
      for (const auto* set : {&force.force, &force.torque})
        for (const model::Function& f : *set) forces_are_read_ = forces_are_read_ || reads_forces(model, f);
    for (const model::Controller& c : model.controllers) {
      calls_users_ = calls_users_ || c.call;
      forces_are_read_ = forces_are_read_ || reads_forces(model, c.reads);
      for (const model::Function& f : c.functions) forces_are_read_ = forces_are_read_ || reads_forces(model, f);
    }
    if (!start.is_found()) {
      fail(start.failure);
      return;
    }
    const State given = calls_users_ ? state_ : State{};
    try {
      if (state_.has_begun)
        resume();
      else
        begin();
    } catch (const ControllerError& error) {
      state_ = given;
      fail(error.what());
    }
  }

  Progress step(double landing_s, double dense_from_s);

  const Model& model_;
  const Settings settings_;
  const Watchers watchers_;
  State state_;
  Workspace workspace_;
  model::BroadPhase broad_phase_;
  const PassingLimit passing_;
  const double largest_step_s_;  // of users' functions
  Path path_;
  Touches touches_;
  std::vector<Located> located_;  // what happens first in the last step, all at one time
  const std::vector<EventReads> event_reads_;
  const std::vector<Branching> branchings_;
  Stepper stepper_;
  std::vector<double> y_new_, y_end_;
  std::vector<double> pieces_of_step_;
  double step_began_s_ = 0;
  bool forces_are_read_ = false, calls_users_ = false, has_finished_ = false;
  Progress progress_ = Progress::going;
  std::string failure_;
  std::vector<std::string> changes_;

 private:
  Effect effect() {
    const ode::Integrator& method = stepper_.method();
    return {model_,
            settings_,
            broad_phase_,
            workspace_,
            watchers_,
            std::max(method.t() - method.t_old(), 0.0),
            method.next_step(),
            state_};
  }
  StateView view() const { return {model_, state_, stepper_.now()}; }

  void begin();
  void resume();
  void begin_overlapping_contacts(Effect& f);
  bool project_onto_changed_joints();
  double limit_s(double landing_s);
  void locate_events();
  Residuals correct(double t_s, std::span<double> y, bool& was_projected);
  void arrive(double t_s, std::span<const double> y, State& state);
  void rehearse(double t_s, std::span<const double> y);
  void apply(Effect& f, const Located& event);
  bool happen(Effect& f);
  void take_step(double landing_s, double dense_from_s);
  void tell_step(double t_end_s, bool was_projected, const Residuals& residuals, double dense_from_s);
  void set_weights();
  void put_weights(const model::Motions& motions);
  void adapt_weights();
  void restart(double first_step_s, bool keeps_method);
  void go_on(Effect& f);
  void fail(const std::string& why);
  std::string named(const Located& event) const;
};

void Simulation::Engine::fail(const std::string& why) {
  progress_ = Progress::failed;
  failure_ = "at t = " + text_of(state_.t_s, 6) + " s: " + why;
}

void Simulation::Engine::set_weights() {
  place(model_, state_.t_s, state_.y, state_.modes, workspace_, workspace_.result);
  const model::Motions& motions = workspace_.result.motions;
  state_.control.speed_scale_mps = speed_scale_mps(model_, settings_, motions);
  put_weights(motions);
}

void Simulation::Engine::put_weights(const model::Motions& motions) {
  const double speed = state_.control.speed_scale_mps;
  state_.control.weights =
      error_weights(model_, settings_, state_.modes, motions,
                    stepper_.has_pulses() ? speed_scale_of_pulses_mps(model_, settings_, speed) : speed);
}

/// A motion that begins at rest is soon faster than it began: an error that was large there is rounding here. And
/// contacts come to creep, or slide off.
void Simulation::Engine::adapt_weights() {
  constexpr double kFaster = 1.25;
  Control& control = state_.control;
  const model::Motions& motions = stepper_.now().motions;
  const double speed = speed_scale_mps(model_, settings_, motions);
  bool changes = speed > kFaster * control.speed_scale_mps;
  if (changes) control.speed_scale_mps = speed;
  for (std::size_t i = 0; i < state_.modes.contacts.size(); ++i) {
    ContactMode& c = state_.modes.contacts[i];
    const ContactNow& now = stepper_.now().contacts[i];
    const bool creeping = creeps(c, norm(now.slip_mps), settings_.tolerance * control.speed_scale_mps);
    changes = changes || creeping != c.creeps;
    c.creeps = creeping;
    if (c.mode == Mode::resting || !(now.approach.depth_m > kFaster * c.size_m())) continue;
    c.reached_m = now.approach.depth_m;
    changes = true;
  }
  if (changes) put_weights(motions);
}

/// Positions and velocities back onto the joints and onto contacts at rest; friction memories into the surface.
Residuals Simulation::Engine::correct(double t_s, std::span<double> y, bool& was_projected) {
  Residuals residuals;
  model::normalise(model_, y);
  const Modes& modes = state_.modes;
  const bool has_rows = modes.rows->count() > 0;
  const bool rests =
      std::ranges::any_of(modes.contacts, [](const ContactMode& c) { return c.mode == Mode::resting; });
  const bool by_baumgarte = model_.baumgarte_radps > 0;
  was_projected = rests || (has_rows && !by_baumgarte);
  if (has_rows)
    residuals = by_baumgarte ? joint_residuals(model_, t_s, modes, workspace_, y)
                             : project_onto_joints(model_, t_s, modes, workspace_, y);
  if (rests) project_rest(model_, t_s, modes, workspace_, y);
  if (y.size() > model_.unknowns()) {
    place(model_, t_s, y, modes, workspace_, workspace_.result);
    cut_back_memories(model_, modes, workspace_.result.motions, workspace_, y);
  }
  return residuals;
}

/// The state is (t, y) now; the modes are still those of the step that led there.
void Simulation::Engine::arrive(double t_s, std::span<const double> y, State& state) {
  state.t_s = t_s;
  state.y.assign(y.begin(), y.end());
  remember_angles(model_, workspace_, state);
}

/// Those that overlap from the start. A State that has not begun may bring contacts along, loaded as they are at an
/// equilibrium: their laws are latched here as those of others, and their friction keeps its memory.
void Simulation::Engine::begin_overlapping_contacts(Effect& f) {
  std::map<ContactKey, Vec3> memories;
  const std::vector<ContactMode> loaded = std::exchange(state_.modes.contacts, {});
  for (const ContactMode& c : loaded) {
    Vec3 memory;
    if (c.memory_at >= 0)
      memory = {state_.y[percuss::at(c.memory_at)], state_.y[percuss::at(c.memory_at) + 1],
                state_.y[percuss::at(c.memory_at) + 2]};
    memories[c.key()] = memory;
  }
  state_.y.resize(model_.unknowns());
  const std::vector<Touch> touches = overlapping_points(f);
  for (const Touch& touch : touches) {
    const double depth = approach_at(model_, f.placed(), touch.spot.feature).depth_m;
    const std::string& name = model_.contact_of(touch.pair).name;
    if (depth > 1e-9 * model_.length_m &&
        !memories.contains({touch.pair.first, touch.pair.second, touch.spot.number}))
      watchers_.warn(
          {"overlap-at-start", name,
           "contact \"" + name + "\": the surfaces overlap by " + text_of(depth, 3) + " m at the start"});
  }
  begin_contacts(f, touches, memories);
}

void Simulation::Engine::begin() {
  bool was_projected = false;
  correct(state_.t_s, state_.y, was_projected);
  set_weights();
  Effect f{model_, settings_, broad_phase_, workspace_, watchers_, 0, 0, state_};
  remember_angles(model_, workspace_, state_);
  align_controller_samples(model_, state_.t_s, true, state_.modes);
  take_controller_samples(f);  // contacts begin under the forces that act
  settle_branches(f, branchings_, nullptr);
  begin_overlapping_contacts(f);
  {
    const Evaluation& e = f.evaluated();
    for (Observer* o : watchers_.all) o->begin({model_, state_, e});
  }
  begin_collisions(f);
  arm_user_events(f, event_reads_);
  state_.has_begun = true;
  state_.control.integrator = settings_.integrator;
  state_.control.tolerance = settings_.tolerance;
  state_.control.step_s = settings_.step_s;
  f.restarts = true;
  go_on(f);
  step_began_s_ = state_.t_s;
  for (Observer* o : watchers_.all) o->state(view());
}

/// True: something moved.
bool Simulation::Engine::project_onto_changed_joints() {
  State& s = state_;
  if (s.modes.rows->count() == 0 || model_.baumgarte_radps > 0) return false;
  // the same joints leave the same residuals, to the last bit
  if (joint_residuals(model_, s.t_s, s.modes, workspace_, s.y) == s.control.residuals) return false;
  const std::vector<double> before = s.y;
  for (int k = 0; k < 20; ++k)
    if (project_onto_joints(model_, s.t_s, s.modes, workspace_, s.y).position <= 1e-15 * model_.length_m) break;
  const auto largest_change = [&](int first, int count) {
    double most = 0;
    for (int k = first; k < first + count; ++k)
      most = std::max(most, std::abs(s.y[percuss::at(k)] - before[percuss::at(k)]));
    return most;
  };
  for (const model::Body& body : model_.bodies) {
    const double position = largest_change(body.q_at, body.position_count),
                 velocity = largest_change(body.v_at, body.velocity_count);
    if (position > 0 || velocity > 0)
      changes_.push_back("body \"" + body.name + "\" was projected onto the joints: positions by up to " +
                         text_of(position, 3) + ", velocities by up to " + text_of(velocity, 3));
  }
  return s.y != before;
}

/// The same model and settings: nothing is touched. Others: their joints, laws and method hold from here on.
void Simulation::Engine::resume() {
  State& s = state_;
  if (const std::string wrong = mismatch(model_, s); !wrong.empty())
    return fail("the state does not belong to this model: " + wrong);
  std::vector<int> rows(s.modes.rows->rows().begin(), s.modes.rows->rows().end());
  std::ranges::sort(rows);
  s.modes.rows =
      std::make_shared<const model::RowLayout>(model_, std::move(rows), model::RowLayout::Order::for_elimination);
  const std::vector<ContactMode> contacts = s.modes.contacts;
  latch_again(model_, s.modes);
  lay_out_memories(model_, s.modes, s.y);
  align_controller_samples(model_, s.t_s, false, s.modes);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactMode &before = contacts[i], &now = s.modes.contacts[i];
    const std::string name = "contact \"" + model_.contact_of(before.pair).name + "\": ";
    if (!(before.law == now.law)) changes_.push_back(name + "its law was latched again");
    if (!(before.friction == now.friction)) changes_.push_back(name + "its friction is another");
  }
  Control& control = s.control;
  if (control.integrator != settings_.integrator || control.tolerance != settings_.tolerance ||
      control.step_s != settings_.step_s)
    changes_.push_back("the integrator begins anew: " + std::string(settings_.integrator->key) + ", tolerance " +
                       text_of(settings_.tolerance));
  control.integrator = settings_.integrator;
  control.tolerance = settings_.tolerance;
  control.step_s = settings_.step_s;
  project_onto_changed_joints();
  if (settle_again(model_, s.t_s, settings_.duration_s, s.modes))
    changes_.push_back("functions of time are on other pieces, or have other break points");
  if (changes_.empty()) {
    stepper_.restore();
  } else {
    restart(control.method.step_s, false);
  }
  workspace_.evaluations = workspace_.near_singular = 0;
  step_began_s_ = s.t_s;
  for (Observer* o : watchers_.all) o->begin(view());
}

double Simulation::Engine::limit_s(double landing_s) {
  double limit = std::min({settings_.duration_s, landing_s, next_controller_sample_s(model_, state_.modes)});
  if (settings_.largest_step_s > 0) limit = std::min(limit, state_.t_s + settings_.largest_step_s);
  if (largest_step_s_ < kInfinity) limit = std::min(limit, state_.t_s + largest_step_s_);
  if (!state_.modes.clocks.empty()) {
    const double ask_to = std::min(limit, state_.t_s + 1.02 * stepper_.method().next_step());
    limit = std::min(limit, next_break_s(model_, state_.modes, state_.t_s, ask_to, settings_.duration_s));
  }
  limit = std::min(limit, limit_before_separation_s(settings_, state_, stepper_.now()));
  if (!passing_.is_empty())
    limit = std::min(limit, passing_.limit_s(settings_, state_.t_s, stepper_.now().motions));
  return limit;
}

/// The first time at which something happens in the last step, and all that happens then: contacts come before
/// touches, touches before events of the user.
void Simulation::Engine::locate_events() {
  located_.clear();
  const auto offer = [this](const std::optional<Located>& one) {
    if (!one || (!located_.empty() && one->t_s > located_.front().t_s)) return;
    if (!located_.empty() && one->t_s < located_.front().t_s) located_.clear();
    located_.push_back(*one);
  };
  HeldForces held;
  const Modes& modes = state_.modes;
  for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
    const ContactMode& c = modes.contacts[i];
    const double noise = rounding_m(model_, path_.end(), c.feature.measure.body_a, c.feature.measure.body_b);
    offer(first_contact_event({model_, path_, c, i, noise, workspace_, held}));
  }
  find_touches(model_, path_, broad_phase_, workspace_, touches_);
  if (!touches_.all.empty()) offer(Located{std::ranges::min(touches_.all, {}, &Touch::t_s).t_s, EventKind::touch});
  if (!model_.events.empty()) offer(first_user_event(model_, path_, event_reads_, workspace_));
  if (!branchings_.empty()) offer(first_branch(model_, path_, branchings_, workspace_));
}

std::string Simulation::Engine::named(const Located& event) const {
  if (event.kind == EventKind::user)
    return "; event \"" + model_.events[static_cast<std::size_t>(event.which)].name + "\"";
  if (event.kind == EventKind::branch)
    return "; a comparison in " + owner_of(branchings_, event.which) +
           " changes to and fro: make it smooth, e.g. tanh(v/v0) for sign(v)";
  const auto contact = std::ranges::find(state_.modes.contacts, event.which, &ContactMode::id);
  const ContactPair& pair = event.kind == EventKind::touch ? touches_.all.front().pair : contact->pair;
  return "; " + std::string(name_of(event.kind)) + " of contact \"" + model_.contact_of(pair).name + "\"";
}

/// At the state, with what the settings say: the method of the settings, or the one in charge. The step that a
/// method would find for itself takes a look ahead; if a user's function refuses to go there, a short one is tried.
void Simulation::Engine::restart(double first_step_s, bool keeps_method) {
  set_weights();
  if (keeps_method && state_.control.stiff) return stepper_.start_stiff(first_step_s);
  state_.control.stiff = false;
  if (!keeps_method) state_.control.stiff_steps = 0;
  try {
    stepper_.start(first_step_s);
  } catch (const ControllerError&) {
    if (first_step_s > 0) throw;
    constexpr double kShort = 1e-9;
    stepper_.start(std::isfinite(settings_.duration_s) ? kShort * settings_.duration_s : kShort);
  }
}

/// From the state, after all that happened there: the integrator begins anew where forces have jumped.
void Simulation::Engine::go_on(Effect& f) {
  Modes& modes = state_.modes;
  Control& control = state_.control;
  const bool holds = std::ranges::any_of(modes.contacts, &ContactMode::is_held);
  if (holds && forces_are_read_) {
    const Evaluation& e = f.evaluated();
    for (std::size_t i = 0; i < modes.contacts.size(); ++i)
      if (modes.contacts[i].is_held()) {
        modes.contacts[i].held_N = e.contacts[i].force.total_N;
        modes.contacts[i].held_friction_N = e.contacts[i].friction_N;
      }
  }
  const bool restarts = f.restarts || !located_.empty();
  const bool same_contacts = located_.empty() ? !f.restarts : std::ranges::all_of(located_, leaves_contacts);
  if (!restarts) {
    stepper_.go_on(!holds);
    adapt_weights();
  }
  Stiffness stiffness = Stiffness::nothing;
  if (same_contacts && (state_.t_s > step_began_s_ || !restarts)) {
    const ode::Integrator& method = stepper_.method();
    const Evaluation& seen = restarts ? stepper_.begin() : stepper_.now();
    const double length_s = method.t() - method.t_old();
    stiffness = judge_stiffness(
        settings_,
        {length_s, method.next_step(), method.stiffness(),
         control.stiff ? 0 : fastest_contact_rate(modes, seen, settings_.tolerance * control.speed_scale_mps),
         restarts ? kInfinity : length_s * ode::error_norm(control.weights, method.slope())},
        state_.y.size(), control);
  }
  switch (stiffness) {
    case Stiffness::nothing:
      if (restarts) restart(f.first_step_s, same_contacts);
      break;
    case Stiffness::warn:
      watchers_.warn({"stiff", "",
                      "the motion is stiff for " + std::string(settings_.integrator->key) + "; " +
                          stiffest_part(model_, modes)});
      if (restarts) restart(f.first_step_s, same_contacts);
      break;
    case Stiffness::hand_back: restart(control.explicit_step_s, false); break;
    case Stiffness::hand_over:
      ++state_.counts.handed_over;
      control.stiff = true;
      restart(restarts ? f.first_step_s : stepper_.method().next_step(), true);
      break;
  }
  for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
    ContactMode& c = modes.contacts[i];
    if (c.has_indented || c.mode != Mode::pushing) continue;
    const Evaluation& now = stepper_.now();
    const geometry::Measure& m = c.feature.measure;
    c.has_indented = now.contacts[i].approach.depth_m > rounding_m(model_, now.motions, m.body_a, m.body_b);
  }
}

/// Would a user's function refuse what happens now? Asked before anybody is told of the step.
void Simulation::Engine::rehearse(double t_s, std::span<const double> y) {
  if (!calls_users_) return;
  const std::int64_t evaluations = workspace_.evaluations, near_singular = workspace_.near_singular;
  State trial = state_;
  arrive(t_s, y, trial);
  const Watchers nobody;
  Effect f{model_, settings_, broad_phase_, workspace_, nobody, 0, 0, trial};
  happen(f);
  f.evaluated();
  workspace_.evaluations = evaluations;
  workspace_.near_singular = near_singular;
}

void Simulation::Engine::apply(Effect& f, const Located& event) {
  if (event.kind == EventKind::user || event.kind == EventKind::branch) return;  // with all others of their kind
  if (event.kind != EventKind::touch) {
    std::vector<ContactMode>& contacts = f.state.modes.contacts;
    const auto found = std::ranges::find(contacts, event.which, &ContactMode::id);
    if (found == contacts.end()) return;  // something else at this time has ended it
    event.effect(f, static_cast<std::size_t>(found - contacts.begin()));
    const auto changed = std::ranges::find(contacts, event.which, &ContactMode::id);
    if (changed != contacts.end()) changed->changed_s = f.state.t_s;
    return;
  }
  bool strikes = false;
  std::vector<Touch> touches;
  for (const Touch& touch : touches_.all) {
    if (touch.t_s > event.t_s) continue;
    const ContactKey key{touch.pair.first, touch.pair.second, touch.spot.number};
    if (touch.what == Touch::What::waits)
      f.state.modes.overlaps[key] = {touch.base_m, 0, false};
    else if (touch.what == Touch::What::is_forgotten)
      f.state.modes.overlaps.erase(key);
    else if (model_.contact_of(touch.pair).impulsive)
      strikes = true;
    else
      touches.push_back(touch);
  }
  if (touches.empty() && !strikes && f.first_step_s == 0) f.first_step_s = f.next_step_s;  // no force has changed
  begin_contacts(f, touches);
  if (strikes) collide(f);
}

/// All that happens at the state of `f`. True: the run stops there.
bool Simulation::Engine::happen(Effect& f) {
  int user = -1;
  const Located* branch = nullptr;
  for (const Located& event : located_) {
    apply(f, event);
    if (event.kind == EventKind::branch) branch = &event;
    if (event.kind == EventKind::user) user = static_cast<int>(event.which);
  }
  if (!touches_.coming_and_going.empty())
    note_overlaps(model_, f.placed(), touches_.coming_and_going, workspace_, f.state.modes);
  const bool stops = settle_user_events(f, event_reads_, user);
  if (const std::string wrong = take_breaks(f); !wrong.empty()) fail(wrong);
  if (f.restarts || !located_.empty()) settle_branches(f, branchings_, branch);
  take_controller_samples(f);
  return stops;
}

/// Integrate, look for what happens first, correct, tell, change, go on.
void Simulation::Engine::take_step(double landing_s, double dense_from_s) {
  ode::Integrator* method = &stepper_.method();
  const std::int64_t evaluations = workspace_.evaluations;
  const long rejected = method->rejected();
  Profile* const profile = workspace_.profile;
  const bool holds = std::ranges::any_of(state_.modes.contacts, &ContactMode::is_held);
  const ode::Memory before = holds ? method->save() : ode::Memory{};
  ode::StepOutcome outcome = [&] {
    const Timed timed(profile, Profile::stages);
    return stepper_.step(limit_s(landing_s));
  }();
  const std::int64_t after_step = workspace_.evaluations;
  const auto look = [&] {
    const Timed timed(profile, Profile::locate);
    path_.set(*method, state_.modes, stepper_.begin(), state_.y, workspace_);
    locate_events();
  };
  if (outcome == ode::StepOutcome::accepted) look();
  if (outcome == ode::StepOutcome::accepted && holds && lets_go_within(located_, state_.t_s, path_.t1())) {
    outcome = stepper_.step_again(before, located_.front().t_s);
    if (outcome == ode::StepOutcome::accepted) look();
  }
  state_.counts.rejected += method->rejected() - rejected;
  if (outcome != ode::StepOutcome::accepted)
    return fail(outcome == ode::StepOutcome::not_finite
                    ? "a force, driver or motion is no longer a number"
                    : "the step became too small; " + stiffest_part(model_, state_.modes));
  const double t0 = state_.t_s, t_end = located_.empty() ? path_.t1() : located_.front().t_s;
  if (!located_.empty()) {
    Control& control = state_.control;
    if (t_end > control.last_event_s) control.events_at_once = 0;
    control.last_event_s = t_end;
    if (++control.events_at_once > kMostEventsAtOnce)
      return fail("events follow each other without time passing" + named(located_.front()));
  }
  bool was_projected = false;
  Residuals residuals;
  if (t_end > t0) {
    const Timed timed(profile, Profile::project);
    const std::span<const double> there = path_.unknowns(t_end);
    y_new_.assign(there.begin(), there.end());
    model::normalise(model_, y_new_);
    y_end_ = y_new_;
    residuals = correct(t_end, y_new_, was_projected);
  }
  rehearse(t_end, t_end > t0 ? y_new_ : state_.y);
  ++state_.counts.steps;
  step_began_s_ = t0;
  pieces_of_step_ = state_.modes.pieces;
  if (t_end > t0) {
    path_.cut_at(t_end, y_end_);
    tell_step(t_end, was_projected, residuals, dense_from_s);
    arrive(t_end, y_new_, state_);
  }
  Effect f = effect();
  const bool stops = [&] {
    const Timed timed(profile, Profile::effects);
    if (!located_.empty()) watchers_.before_event(state_.modes, state_.t_s);
    return happen(f);
  }();
  {
    const Timed timed(profile, Profile::stages);
    go_on(f);
  }
  state_.counts.evaluations += workspace_.evaluations - evaluations;
  state_.counts.near_singular += std::exchange(workspace_.near_singular, 0);
  if (!located_.empty()) {
    ++state_.counts.events;
    state_.counts.event_evaluations += workspace_.evaluations - after_step;
  }
  {
    const Timed timed(profile, Profile::observe);
    for (Observer* o : watchers_.all) o->state(view());
  }
  if (stops) progress_ = Progress::stopped;
  if (state_.counts.steps > settings_.most_steps && state_.t_s < settings_.duration_s)
    fail("more than " + std::to_string(settings_.most_steps) + " steps");
}

/// What observers have evaluated is not counted, and what a user's function refuses there does not end the run: the
/// motion does not depend on who watches.
void Simulation::Engine::tell_step(double t_end_s, bool was_projected, const Residuals& residuals,
                                   double dense_from_s) {
  const std::int64_t evaluations = workspace_.evaluations, near_singular = workspace_.near_singular;
  std::string refused;
  workspace_.refusals = &refused;
  ode::Integrator& method = stepper_.method();
  if (t_end_s >= dense_from_s) method.prepare_dense();
  std::span<const Evaluation* const> stages;
  if (stepper_.keeps_stages()) {
    method.complete_stages();
    stages = stepper_.stages();
  }
  const StepView step(model_, state_.modes, path_, method, stages, t_end_s, y_end_, y_new_, was_projected,
                      residuals);
  const Timed timed(workspace_.profile, Profile::observe);
  for (Observer* o : watchers_.all) o->step(step);
  workspace_.refusals = nullptr;
  if (!refused.empty()) watchers_.warn({"controller-refused", "", "between two accepted states, " + refused});
  workspace_.evaluations = evaluations;
  workspace_.near_singular = near_singular;
}

/// A step that a controller gives up leaves the State, and the integrator, at the last accepted one.
Progress Simulation::Engine::step(double landing_s, double dense_from_s) {
  if (progress_ != Progress::going) return progress_;
  if (state_.t_s >= settings_.duration_s * (1 - kSameTime)) return progress_ = Progress::done;
  State before;
  if (calls_users_) {
    before = state_;
    before.control.method = stepper_.save();
  }
  try {
    take_step(landing_s, dense_from_s);
  } catch (const ControllerError& error) {
    state_ = before;
    fail(error.what());
    stepper_.restore();
  }
  if (progress_ == Progress::going && state_.t_s >= settings_.duration_s * (1 - kSameTime))
    progress_ = Progress::done;
  return progress_;
}

Simulation::Simulation(const Model& model, const Settings& settings, std::vector<Observer*> observers)
    : engine_(std::make_unique<Engine>(model, settings, starting_state(model, settings), std::move(observers))) {}
Simulation::Simulation(const Model& model, const Settings& settings, const State& state,
                       std::vector<Observer*> observers)
    : engine_(std::make_unique<Engine>(model, settings, state, std::move(observers))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;

Progress Simulation::step() { return engine_->step(kInfinity, kInfinity); }

Progress Simulation::advance_to(double t_s) {
  while (engine_->progress_ == Progress::going && engine_->state_.t_s < t_s) engine_->step(kInfinity, t_s);
  return engine_->progress_;
}

/// What is left of the way may be rounding: then it is there.
Progress Simulation::land_on(double t_s) {
  while (engine_->progress_ == Progress::going && engine_->state_.t_s < t_s - kSameTime * std::abs(t_s))
    engine_->step(t_s, kInfinity);
  return engine_->progress_;
}

double Simulation::time_s() const { return engine_->state_.t_s; }
double Simulation::step_began_s() const { return engine_->step_began_s_; }
const State& Simulation::current() const { return engine_->state_; }
const Evaluation& Simulation::evaluation() const { return engine_->stepper_.now(); }
Progress Simulation::progress() const { return engine_->progress_; }
const std::string& Simulation::failure() const { return engine_->failure_; }
const std::vector<std::string>& Simulation::changes() const { return engine_->changes_; }

State Simulation::state() const {
  State out = engine_->state_;
  if (!out.has_begun) return out;
  out.control.method = engine_->stepper_.save();
  if (out.modes.rows->count() > 0) {
    Workspace workspace(engine_->model_);
    out.control.residuals = joint_residuals(engine_->model_, out.t_s, out.modes, workspace, out.y);
  }
  return out;
}

std::optional<Instant> Simulation::at(double t_s) const {
  const Engine& e = *engine_;
  Instant out;
  out.t_s = t_s;
  if (t_s == e.state_.t_s) {
    out.y = e.state_.y;
  } else {
    if (!(t_s >= e.step_began_s_ && t_s < e.state_.t_s) || !e.stepper_.last_method().has_dense())
      return std::nullopt;
    out.y.resize(e.y_end_.size());
    e.stepper_.last_method().interpolate(t_s, out.y);
    model::normalise(e.model_, out.y);
  }
  model::place_bodies(e.model_, {t_s, t_s == e.state_.t_s ? e.state_.modes.pieces : e.pieces_of_step_}, out.y,
                      out.motions);
  return out;
}

void Simulation::time_phases(Profile* profile) { engine_->workspace_.profile = profile; }

void Simulation::finish() {
  Engine& e = *engine_;
  if (std::exchange(e.has_finished_, true) || !e.state_.has_begun) return;
  for (Observer* o : e.watchers_.all) o->end({e.model_, e.state_, e.stepper_.now()});
}

}  // namespace percuss::dynamics
