// How long a step may be, how exact it must be, and which method takes it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/run.h"

namespace percuss::dynamics {

using model::Body;
using Mode = ContactState::Mode;

namespace {
constexpr int kTrialSteps = 20, kStepsBetweenTrials = 500;
constexpr double kCheapUnknowns = 60;
constexpr double kWorthwhile = 4;  // a step of the stiff method over an explicit one
constexpr int kStiffSteps = 30;    // in a row, before the explicit method is given up
}  // namespace

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
    if (s.mode == Mode::resting) continue;
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
    if (s.mode == Mode::resting) continue;
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
}  // namespace percuss::dynamics
