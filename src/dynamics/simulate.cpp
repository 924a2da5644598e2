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

using model::Body;
using Mode = ContactState::Mode;

namespace {

constexpr int kPartsOfUserEvents = 16;
constexpr int kTrialSteps = 20, kStepsBetweenTrials = 500;
constexpr double kCheapUnknowns = 60;
constexpr double kWorthwhile = 4;           // a step of the stiff method over an explicit one
constexpr int kStiffSteps = 30;             // in a row, before the explicit method is given up
constexpr double kBooksOpen = 1e-3;         // of the energy moved: a gap worth a warning
constexpr std::size_t kMostPassing = 2000;  // pairs that limit the step
constexpr long kMostEventsAtOnce = 10'000;

/// FNV-1a over the bits.
std::uint64_t fingerprint(std::span<const double> values) {
  std::uint64_t h = 14695981039346656037ULL;
  for (const double x : values) h = (h ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211ULL;
  return h;
}

int sign_of_value(double g) { return g > 0 ? 1 : g < 0 ? -1 : 0; }
bool is_wanted(model::Event::Direction direction, int new_side) {
  return direction == model::Event::Direction::both ||
         (direction == model::Event::Direction::rising) == (new_side > 0);
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
  for (const model::ContactPair& pair : model.pairs)
    if (model.contact_kinds[at(pair.kind)].features != geometry::Features::fixed) passing_.push_back(pair);
  for (const model::Event& event : model.events)
    needs_forces_.push_back(std::ranges::any_of(event.function.channels, [&](int c) {
      return model.channels[at(c)].kind == model::Channel::Kind::contact_friction;
    }));
  const std::size_t count = model.surfaces.size();
  for (std::size_t i = 0; i < count && !model.kind_of.empty(); ++i)
    for (std::size_t j = 0; j < i && passing_.size() < kMostPassing; ++j)
      if (const int kind = model.kind_of[i * count + j];
          kind >= 0 && model.contact_kinds[at(kind)].features != geometry::Features::fixed)
        passing_.push_back({static_cast<int>(i), static_cast<int>(j), kind});
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

/// Positions are exact to the tolerance times the size of things, or of the indentation where bodies touch (their
/// magnitude depends on the origin and says nothing); velocities to the tolerance times the largest speed.
void Run::set_weights() {
  const double tolerance = model_.solver.tolerance, length = model_.length_m;
  const double g = norm(model_.gravity_mps2);
  speed_scale_mps_ = 1e-3 * std::max(std::sqrt(g * length), length / model_.solver.duration_s);
  equations_.evaluate_motion(state_.t_s, state_.y);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const geometry::BodyMotion& m = equations_.motions()[b];
    speed_scale_mps_ = std::max({speed_scale_mps_, norm(m.v_mps), norm(m.w_radps) * length});
  }
  weights_.absolute.assign(equations_.dimension(), std::numeric_limits<double>::infinity());
  weights_.relative.assign(equations_.dimension(), 0.0);
  std::vector<double> scale(model_.bodies.size(), length);
  for (const ContactState& s : state_.contacts)
    for (const int body : {s.record.body_a, s.record.body_b})
      scale[at(body)] = std::min(scale[at(body)], s.depth_scale_m);
  // the last digit of a position, seen through a stiff contact, is noise that no step can be exact below
  std::vector<double> noise_m(model_.bodies.size(), 0.0), noise_mps(model_.bodies.size(), 0.0);
  for (const ContactState& s : state_.contacts) {
    const int a = s.record.body_a, b = s.record.body_b;
    const double last_digit_m = rounding_m(a, b);
    const double rate = std::sqrt(contact::elastic_slope_Npm(s.law.elastic, s.depth_scale_m) / s.record.mass_kg);
    for (const int body : {a, b}) {
      noise_m[at(body)] = std::max(noise_m[at(body)], last_digit_m);
      noise_mps[at(body)] = std::max(noise_mps[at(body)], last_digit_m * rate);
    }
  }
  weights_.controlled = 0;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    const int linear = body.kind == Body::Kind::planar || body.kind == Body::Kind::planar_particle ? 2 : 3;
    for (int k = 0; k < body.position_count; ++k)
      weights_.absolute[at(body.q_at + k)] = std::max(tolerance * scale[b], noise_m[b]) / (k < linear ? 1 : length);
    for (int k = 0; k < body.velocity_count; ++k)
      weights_.absolute[at(body.v_at + k)] =
          std::max(tolerance * speed_scale_mps_, noise_mps[b]) / (k < linear ? 1 : length);
    weights_.controlled += at(body.position_count + body.velocity_count);
    if (body.moves) {
      const std::size_t z = equations_.quadratures_at() + at(body.ghost_at);
      for (std::size_t k = 0; k < 4; ++k)
        weights_.absolute[z + k] = std::max(tolerance * scale[b], noise_m[b]) / (k < 3 ? 1 : length);
      weights_.controlled += 4;
    }
  }
  for (const model::Driver& d : model_.drivers)
    if (d.by_rate) {
      weights_.absolute[at(d.s_at)] = tolerance;
      ++weights_.controlled;
    }
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    const ContactState& s = state_.contacts[i];
    const contact::FrictionLaw& friction = equations_.kind_of(s.pair).friction;
    if (!friction.remembers()) continue;
    for (std::size_t k = 0; k < 3; ++k)
      weights_.absolute[equations_.memory_at(i) + k] =
          tolerance * contact::memory_scale_m(friction, s.depth_scale_m);
    weights_.controlled += 3;
  }
  weights_.controlled = std::max<std::size_t>(weights_.controlled, 1);
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
      if (!(depth > 0)) continue;
      const std::string& name = model_.contacts[at(equations_.kind_of(pair).contact)].name;
      if (depth > 1e-9 * model_.length_m)
        warn_once("contact \"" + name + "\": the surfaces overlap by " + text_of(depth, 3) + " m at the start");
      begin_episode({0, pair, spot, 0});
    }
  }
  remember_angles();
  out_.ledger.start = equations_.energy(0, state_.y);
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    equations_.evaluate_motion(0, state_.y);
    sides_[i].note(sign_of_value(equations_.value_of(model_.events[i].function, 0)));
  }
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

/// A contact force fades as a power of the depth that is not smooth at zero: a step across the release must be as
/// short as the first one after touch. Steps of four fifths of the way there come close without being rejected.
double Run::before_release() {
  double limit = std::numeric_limits<double>::infinity();
  if (model_.solver.integrator->fixed_step) return limit;
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    const ContactState& s = state_.contacts[i];
    if (s.mode != Mode::pushing) continue;
    equations_.evaluate_motion(state_.t_s, state_.y);
    const Approach a = equations_.approach(i);
    const double left_s = a.rate_mps < 0 ? a.depth_m / -a.rate_mps : 0;
    if (left_s > 2 * smooth_start_s(s)) limit = std::min(limit, state_.t_s + 0.8 * left_s);
  }
  return limit;
}

/// Bodies whose spots come and go must not pass each other between two places at which a step is looked into: no
/// step moves them by more than their bounding spheres are apart and a part of their size.
double Run::before_passing() {
  double limit = std::numeric_limits<double>::infinity();
  bool placed = false;
  for (const model::ContactPair& pair : passing_) {
    if (!placed) equations_.evaluate_motion(state_.t_s, state_.y);
    placed = true;
    const geometry::Surface &f = model_.surfaces[at(pair.first)], &s = model_.surfaces[at(pair.second)];
    const geometry::BodyMotion &m_f = equations_.motions()[at(f.body)], &m_s = equations_.motions()[at(s.body)];
    const Vec3 r_f = m_f.R * f.centre, r_s = m_s.R * s.centre;
    const bool bounded = std::isfinite(f.reach_m) && std::isfinite(s.reach_m);
    const double size = std::min(f.reach_m, s.reach_m);
    const double apart = bounded ? norm(m_f.p_m + r_f - m_s.p_m - r_s) - f.reach_m - s.reach_m : 0;
    const double speed = norm(model::point_velocity(m_f, r_f) - model::point_velocity(m_s, r_s)) +
                         norm(m_f.w_radps) * (std::isfinite(f.reach_m) ? f.reach_m : 0) +
                         norm(m_s.w_radps) * (std::isfinite(s.reach_m) ? s.reach_m : 0);
    // falling bodies gather speed on the way
    const double way = std::max(apart, 0.0) + 0.5 * size, g = norm(model_.gravity_mps2);
    const double time =
        g > 0 ? (std::sqrt(speed * speed + 2 * g * way) - speed) / g : way / std::max(speed, 1e-300);
    limit = std::min(limit, state_.t_s + std::max(time, 1e-9 * model_.solver.duration_s));
  }
  return limit;
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
  if (options_.sink && next_sample_time() <= end) take_samples(end);
  if (!hit) {
    std::ranges::copy(solver_->y(), state_.y.begin());
    state_.t_s = t1;
    project();
    cut_back_memories();
    remember_angles();
    if (!model_.solver.integrator->multistep) solver_->correct(state_.y);
    note_energy(equations_.energy(t1, state_.y));
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
    fail("events follow each other without time passing; contact \"" +
         (state_.contacts.empty() ? std::string() : name_of(state_.contacts.back())) + "\"");
    return false;
  }
  h_guess_s_ = 0;
  if (hit->what != What::user) apply(*hit);
  note_overlaps();
  settle_events(hit);
  restart(h_guess_s_);
  ++out_.counts.events;
  out_.counts.event_evaluations += equations_.evaluations() - after_step;
  return true;
}

void Run::apply(const Hit& hit) {
  const double last_step = std::max(solver_->t() - solver_->t_old(), 0.0);
  if (hit.what == What::touch) {  // and all others at this instant
    for (const Touch& touch : touches_)
      if (touch.t_s <= hit.t_s) begin_episode(touch);
    return;
  }
  ContactState& s = state_.contacts[hit.index];
  switch (hit.what) {
    case What::turn: {
      equations_.evaluate_motion(state_.t_s, state_.y);
      const double depth = equations_.approach(hit.index).depth_m;
      if (s.loading) s.deepest_m = std::max(s.deepest_m, depth);
      s.loading = !s.loading;
      h_guess_s_ = last_step / 4;
      if (std::holds_alternative<contact::Dry<>>(
              s.law.shape)) {  // would it turn back at once? then friction holds it
        equations_.evaluate(state_.t_s, state_.y);
        const double turns = equations_.depth_acceleration(equations_.approach(hit.index));
        if (s.loading ? turns < 0 : turns > 0) s.mode = Mode::holding;
      }
      break;
    }
    case What::sticks: {
      s.slipping = false;
      double* z = &state_.y[equations_.memory_at(hit.index)];
      for (int k = 0; k < 3; ++k) z[k] *= 1 - 1e-9;  // inside of its limit
      h_guess_s_ = last_step / 10;
      break;
    }
    case What::slips: {
      if (s.mode == Mode::pushing) {
        s.slipping = true;
        h_guess_s_ = last_step / 10;
        break;
      }
      equations_.evaluate(state_.t_s, state_.y);
      const double f = contact::elastic_force_N(s.law.elastic, equations_.approach(hit.index).depth_m);
      s.loading = equations_.held_force_N(hit.index) > f;
      s.mode = Mode::pushing;
      h_guess_s_ = last_step / 10;
      break;
    }
    case What::reload: h_guess_s_ = last_step / 4; break;
    case What::force_ends:
      s.record.released = true;
      close_record(hit.index);
      s.given_up_J += stored_in_J(hit.index);
      s.mode = Mode::coasting;
      break;
    case What::force_returns:
      s.record.released = false;
      s.record.delivered.reset();
      s.mode = Mode::pushing;
      s.given_up_J -= stored_in_J(hit.index);
      s.loading = true;
      h_guess_s_ = last_step / 10;
      break;
    case What::release:
      if (s.mode == Mode::pushing) {
        s.record.released = true;
        close_record(hit.index);
      }
      leave(hit.index);
      break;
    case What::lost:
      if (s.mode != Mode::coasting) {
        equations_.evaluate_motion(state_.t_s, state_.y);
        if (contact::has_memory(s.law)) s.deepest_m = std::max(s.deepest_m, equations_.approach(hit.index).depth_m);
        s.record.released = s.is_lost = true;
        close_record(hit.index);
        s.given_up_J += stored_in_J(hit.index);
      }
      leave(hit.index);
      break;
    case What::touch:
    case What::user: break;  // settle_events
  }
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

double Run::event_value(std::size_t index, double t_s) {
  move_to(t_s);
  if (needs_forces_[index]) equations_.evaluate(t_s, unknowns_at(t_s));
  return equations_.value_of(model_.events[index].function, t_s);
}

/// The first crossing of an event in the last step. An event knows the side it is on; after it has happened it is
/// armed again once the function has been seen on its new side, because rounding may leave it a little short of it.
std::optional<Run::Hit> Run::first_user_event(double t0, double t1) {
  std::optional<Hit> first;
  for (std::size_t i = 0; i < model_.events.size(); ++i) {
    const auto g = [&](double t) { return event_value(i, t); };
    EventSide now = sides_[i];
    double a = t0, g_a = g(a);
    for (int k = 1; k <= kPartsOfUserEvents; ++k) {
      const double t = k == kPartsOfUserEvents ? t1 : t0 + (t1 - t0) * k / kPartsOfUserEvents, g_t = g(t);
      const int side = sign_of_value(g_t);
      if (side != 0 && now.armed && side == -now.side && is_wanted(model_.events[i].direction, side)) {
        const double at_s = ode::locate_root(g, a, t, g_a, g_t);
        if (!first || at_s < first->t_s) first = Hit{at_s, What::user, i};
        break;
      }
      now.note(side);
      a = t;
      g_a = g_t;
    }
  }
  return first;
}

/// At a new state: the event that was located happens, and with it every other whose side has changed.
void Run::settle_events(const std::optional<Hit>& hit) {
  for (std::size_t i = 0; i < model_.events.size(); ++i) {
    const int side = sign_of_value(event_value(i, state_.t_s));
    EventSide& own = sides_[i];
    if (hit && hit->what == What::user && hit->index == i) {
      own.side = model_.events[i].direction == model::Event::Direction::rising    ? 1
                 : model_.events[i].direction == model::Event::Direction::falling ? -1
                                                                                  : -own.side;
      own.armed = side == own.side;
      apply_user_event(i);
    } else {
      const bool crossed = own.armed && side == -own.side;
      own.note(side);
      if (crossed && is_wanted(model_.events[i].direction, side)) apply_user_event(i);
    }
  }
}

void Run::apply_user_event(std::size_t index) {
  const model::Event& e = model_.events[index];
  if (e.record) {
    if (out_.events.size() < options_.most_impacts_kept)
      out_.events.push_back({static_cast<int>(index), state_.t_s});
    const double row[] = {state_.t_s, static_cast<double>(index)};
    if (options_.sink) options_.sink->row(event_table_, row);
    sample(state_.t_s, state_.y);
  }
  const double before = equations_.energy(state_.t_s, state_.y).stored_J();
  for (const auto& [which, on] : e.switches) state_.switched_on[at(which)] = on ? 1 : 0;
  needs_restart_ = true;
  state_.switching_J += equations_.energy(state_.t_s, state_.y).stored_J() - before;
  if (e.stop) {
    over_ = true;
    out_.end = recording::End::stopped_by_event;
  }
}

void Run::project() {
  model::normalise(model_, state_.y);
  if (equations_.constraints().count() == 0) return;
  if (model_.solver.baumgarte_radps > 0) {
    equations_.note_residuals(state_.t_s, state_.y);
  } else {
    const double before = equations_.energy(state_.t_s, state_.y).stored_J();
    equations_.project(state_.t_s, state_.y);
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

/// The fastest rate |s| of m s^2 + c s + k = 0 over the contacts in touch, k and c from the slopes of their laws.
double Run::fastest_contact_rate() {
  double fastest = 0;
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    const ContactState& s = state_.contacts[i];
    if (s.mode != Mode::pushing) continue;
    equations_.evaluate_motion(state_.t_s, state_.y);
    const Approach a = equations_.approach(i);
    if (!(a.depth_m > 0)) continue;
    const contact::ForceSlopes f = contact::force_slopes(s.raw_law, {a.depth_m, a.rate_mps, s.deepest_m});
    const double k = std::abs(f.per_depth_Npm) / s.record.mass_kg,
                 c = std::abs(f.per_rate_Nspm) / s.record.mass_kg / 2;
    fastest = std::max(fastest, c * c > k ? c + std::sqrt(c * c - k) : std::sqrt(k));
  }
  return fastest;
}

/// Its equations are solved densely, so that a step costs ever more of the explicit ones in large systems.
double Run::stiff_cost() const {
  const double unknowns = static_cast<double>(equations_.coupled());
  return std::max(1.0, std::pow(unknowns / kCheapUnknowns, 2));
}

/// An explicit method that follows an oscillation takes several steps a period. One that takes steps h |s| > 3
/// again and again follows nothing: stability alone holds it back. Where nothing moves, the slopes it would measure
/// that by are rounding, so the rates of contacts are computed.
///
/// The stiff method is on trial: its steps cost several of the explicit ones, and where they do not become longer
/// accordingly (the motion itself is as fast), the explicit method goes on.
void Run::note_stiffness() {
  if (solver_ != own_) {
    if (++handed_over_.steps != kTrialSteps) return;
    const double step_s = (state_.t_s - handed_over_.t_s) / kTrialSteps;
    if (step_s > kWorthwhile * stiff_cost() * handed_over_.explicit_step_s) return;
    steps_before_next_trial_ = kStepsBetweenTrials;
    restart(handed_over_.explicit_step_s);
    return;
  }
  if (steps_before_next_trial_ > 0 && --steps_before_next_trial_ > 0) return;
  if (model_.solver.integrator->stiff || model_.solver.integrator->fixed_step) return;
  const double h = solver_->t() - solver_->t_old();
  const bool stiff = solver_->stiffness() > 1 || h * fastest_contact_rate() > 3;
  stiff_steps_ = stiff ? stiff_steps_ + 1 : std::max(stiff_steps_ - 1, 0);
  if (stiff_steps_ < kStiffSteps * stiff_cost()) return;
  stiff_steps_ = 0;
  if (!model_.solver.hand_over_when_stiff) {
    warn_once("the motion is stiff for " + std::string(model_.solver.integrator->key) + "; " + stiffest());
    return;
  }
  Sized& sized = integrators();
  if (!sized.stiff)
    sized.stiff = ode::find_integrator("radau5")->make(equations_, weights_, {model_.solver.tolerance, 0});
  ++out_.counts.handed_over;
  handed_over_ = {state_.t_s, h, 0};
  set_weights();
  sized.stiff->start(state_.t_s, state_.y, solver_->next_step());
  solver_ = sized.stiff.get();
}

/// The contact or spring with the fastest rate: sqrt(k/m) or c/m.
std::string Run::stiffest() const {
  std::string name = "nothing in the scene is stiff by itself";
  double fastest = 0;
  for (const ContactState& s : state_.contacts) {
    const double rate = std::sqrt(contact::elastic_slope_Npm(s.law.elastic, s.depth_scale_m) / s.record.mass_kg);
    if (rate > fastest) fastest = rate, name = "contact \"" + name_of(s) + "\" is the stiffest part";
  }
  for (const model::Spring& s : model_.springs)
    for (const model::Spring::Line& line : s.lines) {
      double mass = 1e300;
      const geometry::Measure& m = model_.measures[at(line.measure)];
      for (const int b : {m.body_a, m.body_b})
        if (model_.bodies[at(b)].mass_kg > 0) mass = std::min(mass, model_.bodies[at(b)].mass_kg);
      const double rate = std::max(std::sqrt(line.stiffness / mass), line.damping / mass);
      if (rate > fastest) fastest = rate, name = "spring \"" + s.name + "\" is the stiffest part";
    }
  return name;
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
