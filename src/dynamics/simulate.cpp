// The loop over steps and events.
#include "percuss/dynamics/simulate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/crossing.h"
#include "percuss/dynamics/run.h"

namespace percuss::dynamics {

using Mode = ContactState::Mode;

namespace {

constexpr double kBooksOpen = 1e-3;         // of the energy moved: a gap worth a warning
constexpr std::size_t kMostPassing = 2000;  // pairs that limit the step
constexpr long kMostEventsAtOnce = 10'000;

/// FNV-1a over the bits.
std::uint64_t fingerprint(std::span<const double> values) {
  std::uint64_t h = 14695981039346656037ULL;
  for (const double x : values) h = (h ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211ULL;
  return h;
}

}  // namespace

recording::Recording simulate(const model::Model& model, const Options& options) {
  return Run(model, options).simulate();
}

Run::Run(const model::Model& model, const Options& options)
    : model_(model),
      options_(options),
      state_(initial_state(model)),
      equations_(model, state_),
      broad_phase_(model),
      scratch_y_(model.unknowns()),
      sides_(model.events.size()) {
  for (const model::ContactPair& pair : model.all_pairs(kMostPassing))
    if (model.contact_kinds[at(pair.kind)].features != geometry::Features::fixed) passing_.push_back(pair);
  for (const model::Event& event : model.events)
    needs_forces_.push_back(std::ranges::any_of(event.function.channels, [&](int c) {
      return model.channels[at(c)].kind == model::Channel::Kind::contact_friction;
    }));
}

Run::Sized& Run::integrators() {
  const std::size_t unknowns = equations_.dimension(), memories = equations_.quadratures_at();
  for (Sized& s : sized_)
    if (s.unknowns == unknowns && s.memories == memories) return s;
  Sized& made = sized_.emplace_back();
  made.unknowns = unknowns;
  made.memories = memories;
  made.own = model_.solver.integrator->make(equations_, weights_, {model_.solver.tolerance, model_.solver.step_s});
  return made;
}

void Run::restart(double h_guess_s) {
  set_weights();
  solver_ = own_ = integrators().own.get();
  stiff_steps_ = 0;
  solver_->start(state_.t_s, state_.y, h_guess_s);
  needs_restart_ = false;
}

recording::Recording Run::simulate() {
  if (options_.sink) {
    const std::vector<recording::Table> tables = tables_of(model_);
    event_table_ = tables.size() - 1;
    impact_table_ = tables.size() - 2;
    options_.sink->define(tables);
  }
  project();
  state_.projection_J = 0;  // to the last digits of the start, before the books open
  out_.ledger.start = out_.ledger.end = equations_.energy(0, state_.y);
  set_weights();
  equations_.evaluate_motion(0, state_.y);
  const std::vector<model::ContactPair> near = broad_phase_.near(equations_.motions(), equations_.motions(), 0);
  for (const model::ContactPair& pair : near) {  // those that overlap from the start
    equations_.evaluate_motion(0, state_.y);
    std::vector<geometry::Spot> spots;
    equations_.find_spots(pair, 1e-9 * model_.length_m, spots);
    for (const geometry::Spot& spot : spots) {
      equations_.evaluate_motion(0, state_.y);
      const double depth = equations_.approach(spot.feature).depth_m;
      if (!(depth > 0) || model_.contacts[at(equations_.kind_of(pair).contact)].percussion) continue;
      const std::string& name = model_.contacts[at(equations_.kind_of(pair).contact)].name;
      if (depth > 1e-9 * model_.length_m)
        warn_once("contact \"" + name + "\": the surfaces overlap by " + text_of(depth, 3) + " m at the start");
      begin_episode({0, pair, spot, 0});
    }
  }
  remember_angles();
  out_.ledger.start = equations_.energy(0, state_.y);
  begin_percussions();
  arm_events();
  sample(0, state_.y);
  next_sample_ = 1;
  restart(h_guess_s_);
  const double last_moment_s = model_.solver.duration_s * (1 - 1e-13);  // what is left is rounding
  while (!over_ && state_.t_s < last_moment_s) {
    if (!advance()) break;
    if (options_.go_on && !options_.go_on(state_.t_s)) {
      out_.end = recording::End::interrupted;
      break;
    }
    if (steps_taken() > model_.solver.most_steps && state_.t_s < model_.solver.duration_s) {
      fail("more than " + std::to_string(model_.solver.most_steps) + " steps");
      break;
    }
  }
  finish();
  return std::move(out_);
}

/// One step, or the part of it up to the first event.
bool Run::advance() {
  double limit = model_.solver.duration_s;
  if (model_.solver.largest_step_s > 0) limit = std::min(limit, state_.t_s + model_.solver.largest_step_s);
  limit = std::min({limit, before_release(), before_passing()});
  const ode::StepOutcome outcome = solver_->step(limit);
  if (outcome != ode::StepOutcome::accepted) {
    fail(outcome == ode::StepOutcome::not_finite ? "a force, driver or motion is no longer a number"
                                                 : "the step became too small; " + stiffest());
    return false;
  }
  dense_ready_ = false;
  pressing_.clear();
  const long after_step = equations_.evaluations();
  const double t0 = state_.t_s, t1 = solver_->t();
  std::optional<Hit> hit;
  for (std::size_t i = 0; i < state_.contacts.size(); ++i)
    if (const auto one = first_contact_event(i, t0, t1); one && (!hit || one->t_s < hit->t_s)) hit = one;
  find_touches(t0, t1);
  for (std::size_t i = 0; i < touches_.size(); ++i)
    if (!hit || touches_[i].t_s < hit->t_s) hit = Hit{touches_[i].t_s, What::touch, i};
  if (const auto one = first_user_event(t0, t1); one && (!hit || one->t_s < hit->t_s)) hit = one;

  const double end = hit ? hit->t_s : t1;
  for (std::size_t i = 0; i < state_.contacts.size(); ++i)
    if (end > t0) note_passage(i, t0, end);
  plan_inner_samples(end);
  if (options_.sink && next_sample_time() <= end) take_samples(end);
  if (!hit) {
    std::ranges::copy(solver_->y(), state_.y.begin());
    state_.t_s = t1;
    project();
    cut_back_memories();
    remember_angles();
    if (!model_.solver.integrator->multistep) solver_->correct(state_.y);
    note_energy(equations_.energy(t1, state_.y));
    sample_in_contact(false);
    settle_events({});
    note_overlaps();
    if (needs_restart_)
      restart(0);
    else
      note_stiffness();
    return true;
  }
  if (end > t0) {
    interpolate(end);
    state_.y = scratch_y_;
    state_.t_s = end;
    project();
    cut_back_memories();
    remember_angles();
  }
  if (end - last_event_s_ > 0) events_at_once_ = 0;
  last_event_s_ = end;
  if (++events_at_once_ > kMostEventsAtOnce) {
    fail("events follow each other without time passing" + named(*hit));
    return false;
  }
  h_guess_s_ = 0;
  sample_in_contact(hit->what == What::touch);
  if (hit->what != What::user) apply(*hit);
  note_overlaps();
  settle_events(hit);
  restart(h_guess_s_);
  ++out_.counts.events;
  out_.counts.event_evaluations += equations_.evaluations() - after_step;
  return true;
}

std::string Run::named(const Hit& hit) const {
  if (hit.what == What::user) return "; event \"" + model_.events[hit.index].name + "\"";
  const model::ContactPair& pair =
      hit.what == What::touch ? touches_[hit.index].pair : state_.contacts[hit.index].pair;
  return "; contact \"" + model_.contacts[at(equations_.kind_of(pair).contact)].name + "\"";
}

/// Bodies where they are at t: the state itself, or inside the last step.
void Run::move_to(double t_s) {
  if (t_s == state_.t_s) {
    equations_.evaluate_motion(t_s, state_.y);
  } else if (t_s == solver_->t()) {
    equations_.evaluate_motion(t_s, solver_->y());
  } else {
    interpolate(t_s);
    equations_.evaluate_motion(t_s, scratch_y_);
  }
}

/// The unknowns where `move_to` has been.
std::span<const double> Run::unknowns_at(double t_s) const {
  if (t_s == state_.t_s) return state_.y;
  if (t_s == solver_->t()) return solver_->y();
  return scratch_y_;
}

/// The unknowns inside the last step. Most steps are never looked into: the dense output is made when one is.
void Run::interpolate(double t_s) {
  if (!dense_ready_) solver_->prepare_dense();
  dense_ready_ = true;
  solver_->interpolate(t_s, scratch_y_);
}

void Run::project() {
  model::normalise(model_, state_.y);
  const bool rests =
      std::ranges::any_of(state_.contacts, [](const ContactState& s) { return s.mode == Mode::resting; });
  if (equations_.constraints().count() == 0 && !rests) return;
  if (model_.solver.baumgarte_radps > 0) {
    equations_.note_residuals(state_.t_s, state_.y);
  } else {
    const double before = equations_.energy(state_.t_s, state_.y).stored_J();
    if (equations_.constraints().count() > 0) equations_.project(state_.t_s, state_.y);
    if (rests) equations_.project_rest(state_.t_s, state_.y);
    state_.projection_J += equations_.energy(state_.t_s, state_.y).stored_J() - before;
  }
  out_.worst_position_residual = std::max(out_.worst_position_residual, equations_.position_residual());
  out_.worst_velocity_residual = std::max(out_.worst_velocity_residual, equations_.velocity_residual());
}

void Run::remember_angles() {
  equations_.evaluate_motion(state_.t_s, state_.y);
  for (std::size_t m = 0; m < model_.measures.size(); ++m) {
    if (model_.measures[m].kind != geometry::Measure::Kind::angle) continue;
    const geometry::MeasureValue v = equations_.measure(static_cast<int>(m));
    state_.angle_rad[m] = v.value;
    state_.angle_rate[m] = v.rate;
  }
  state_.angle_time_s = state_.t_s;
}

void Run::fail(std::string why) {
  out_.end = recording::End::failed;
  out_.failure = "at t = " + text_of(state_.t_s, 6) + " s: " + std::move(why);
}

long Run::steps_taken() const {
  long steps = 0;
  for (const Sized& s : sized_) steps += s.own->accepted() + (s.stiff ? s.stiff->accepted() : 0);
  return steps;
}

void Run::finish() {
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    if (state_.contacts[i].mode == Mode::resting) {
      gather_contacts();
      close_rest(state_.contacts[i], false);
      continue;
    }
    if (state_.contacts[i].mode != Mode::coasting) close_record(i);
    stream(state_.contacts[i].record);
  }
  out_.time_s = state_.t_s;
  const recording::Energy last = equations_.energy(state_.t_s, state_.y);
  note_energy(last);
  out_.ledger.end = last;
  if (out_.ledger.largest_gap_J > kBooksOpen * out_.ledger.moved_J && out_.ledger.moved_J > 0)
    warn_once("the energy books are open by " + text_of(100 * out_.ledger.largest_gap_J / out_.ledger.moved_J, 2) +
              " % of the energy moved: the " +
              (model_.solver.integrator->fixed_step ? "step is too long" : "tolerance is too loose") +
              " for this motion");
  out_.counts.steps = steps_taken();
  for (const Sized& s : sized_) out_.counts.rejected += s.own->rejected() + (s.stiff ? s.stiff->rejected() : 0);
  out_.counts.evaluations = equations_.evaluations();
  out_.counts.near_singular = equations_.near_singular();
  out_.y = state_.y;
  out_.fingerprint = fingerprint(state_.y);
}
}  // namespace percuss::dynamics
