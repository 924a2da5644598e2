// Weights, limits, stiffness.
#include "percuss/dynamics/step_control.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "percuss/base/index.h"
#include "percuss/base/scalar.h"
#include "percuss/dynamics/events/effects.h"
#include "percuss/dynamics/reading.h"

namespace percuss::dynamics {

using model::Body;
using Mode = ContactMode::Mode;

namespace {
constexpr int kTrialSteps = 20, kFirstPause = 50, kLongestPause = 500;  // steps
constexpr double kCheapUnknowns = 60;
constexpr double kWorthwhile = 4;     // a step of the stiff method over an explicit one
constexpr double kAside = 3;          // a body that turns gives way along a surface more easily than across it
constexpr int kStiffSteps = 10;       // in a row, before the explicit method is given up
constexpr double kNothingMoves = 10;  // errors allowed; an explicit method at the limit of its stability makes some
}  // namespace

namespace {
double least_speed_mps(const Model& model, const Settings& settings) {
  const double length = model.length_m, g = norm(model.gravity_mps2);
  return 1e-3 * std::max(std::sqrt(g * length), length / settings.duration_s);
}
}  // namespace

double speed_scale_of_pulses_mps(const Model& model, const Settings& settings, double speed_mps) {
  constexpr double kLastDigits = 32 * std::numeric_limits<double>::epsilon();
  return std::max(least_speed_mps(model, settings), kLastDigits / settings.tolerance * speed_mps);
}

double speed_scale_mps(const Model& model, const Settings& settings, const model::Motions& motions) {
  const double length = model.length_m;
  double scale = least_speed_mps(model, settings);
  for (const geometry::BodyMotion& m : motions) scale = std::max({scale, norm(m.v_mps), norm(m.w_radps) * length});
  return scale;
}

double slip_error_mps(const ContactMode& c, double speed_error_mps) {
  constexpr double kResolved = 0.1;
  return c.creeps ? std::min(speed_error_mps, kResolved * contact::rise_speed_mps(c.friction)) : speed_error_mps;
}

bool creeps(const ContactMode& c, double slip_mps, double speed_error_mps) {
  constexpr double kNear = 3, kBeyond = 10;
  if (!c.friction.row || c.friction.remembers() || c.mode != Mode::pushing) return false;
  return slip_mps < (c.creeps ? kBeyond : kNear) * speed_error_mps;
}

ode::Weights error_weights(const Model& model, const Settings& settings, const Modes& modes,
                           const model::Motions& motions, double speed) {
  const double tolerance = settings.tolerance, length = model.length_m;
  std::size_t unknowns = model.unknowns();
  for (const ContactMode& c : modes.contacts)
    if (c.memory_at >= 0) unknowns += 3;
  ode::Weights out;
  out.absolute.assign(unknowns, tolerance);
  // the last digit of a position, seen through a stiff contact, is noise that no step can be exact below
  std::vector<double> scale(model.bodies.size(), length), noise_m(model.bodies.size(), 0.0),
      noise_mps(model.bodies.size(), 0.0), speed_error_mps(model.bodies.size(), tolerance * speed);
  for (const ContactMode& c : modes.contacts) {
    const int a = c.body_a(model), b = c.body_b(model);
    for (const int body : {a, b}) scale[at(body)] = std::min(scale[at(body)], c.size_m());
    if (c.mode == Mode::resting) continue;
    if (c.creeps)
      for (const int body : {a, b}) speed_error_mps[at(body)] = slip_error_mps(c, speed_error_mps[at(body)]);
    const double last_digit_m = rounding_m(model, motions, a, b);
    const double rate = std::sqrt(contact::elastic_slope_Npm(c.law.elastic, c.size_m()) / c.mass_kg);
    for (const int body : {a, b}) {
      noise_m[at(body)] = std::max(noise_m[at(body)], last_digit_m);
      noise_mps[at(body)] = std::max(noise_mps[at(body)], last_digit_m * rate);
    }
  }
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const int linear = body.kind == Body::Kind::planar || body.kind == Body::Kind::planar_particle ? 2 : 3;
    for (int k = 0; k < body.position_count; ++k)
      out.absolute[at(body.q_at + k)] = std::max(tolerance * scale[b], noise_m[b]) / (k < linear ? 1 : length);
    for (int k = 0; k < body.velocity_count; ++k)
      out.absolute[at(body.v_at + k)] = std::max(speed_error_mps[b], noise_mps[b]) / (k < linear ? 1 : length);
    if (body.moves)
      for (int k = 0; k < 4; ++k)
        out.absolute[at(body.followed_at + k)] = std::max(tolerance * scale[b], noise_m[b]) / (k < 3 ? 1 : length);
  }
  for (const model::Controller& c : model.controllers)  // its states have the size that they begin with, at least 1
    if (!(c.every_s > 0))
      for (std::size_t k = 0; k < c.start.size(); ++k)
        out.absolute[at(c.states_at) + k] = tolerance * std::max(std::abs(c.start[k]), 1.0);
  for (const ContactMode& c : modes.contacts)
    if (c.memory_at >= 0)
      for (std::size_t k = 0; k < 3; ++k)
        out.absolute[at(c.memory_at) + k] = tolerance * contact::memory_scale_m(c.friction, c.size_m());
  return out;
}

namespace {
/// How long a contact takes to become as deep as it is expected to be, or has been: at the speed whose energy it
/// holds there.
double time_scale_s(const ContactMode& c) {
  if (c.reached_m <= c.depth_scale_m) return c.free_time_s / 3;
  return c.reached_m * std::sqrt(c.mass_kg / (2 * contact::elastic_energy_J(c.law.elastic, c.reached_m)));
}
}  // namespace

double limit_before_separation_s(const Settings& settings, const State& state, const Evaluation& now) {
  double limit = kInfinity;
  if (settings.integrator->fixed_step || state.modes.contacts.empty()) return limit;
  const double share = smooth_share(settings);
  for (std::size_t i = 0; i < state.modes.contacts.size(); ++i) {
    const ContactMode& c = state.modes.contacts[i];
    const Approach& a = now.contacts[i].approach;
    if (c.mode != Mode::pushing || !(a.rate_mps < 0)) continue;
    const double left_s = a.depth_m / -a.rate_mps;
    if (left_s > 2 * (time_scale_s(c) * share)) limit = std::min(limit, state.t_s + 0.8 * left_s);
  }
  return limit;
}

PassingLimit::PassingLimit(const Model& model) : model_(model) {
  const auto comes_and_goes = [&](int kind) {
    return kind >= 0 && model.contact_kinds[at(kind)].features != geometry::Features::fixed;
  };
  for (const ContactPair& pair : model.pairs)
    if (comes_and_goes(pair.kind)) named_.push_back(pair);
  const model::MaterialContacts& m = model.by_materials;
  for (std::size_t i = 0; i < m.class_of.size(); ++i) {
    if (m.class_of[i] < 0) continue;
    const auto row = m.kind_of.begin() + static_cast<std::ptrdiff_t>(m.class_of[i]) * m.classes;
    if (std::any_of(row, row + m.classes, comes_and_goes))
      (std::isfinite(model.surfaces[i].reach_m) ? bounded_ : unbounded_).push_back(static_cast<int>(i));
  }
}

double PassingLimit::time_s(const geometry::Surface& f, const geometry::Surface& s,
                            const model::Motions& motions) const {
  const geometry::BodyMotion &m_f = motions[at(f.body)], &m_s = motions[at(s.body)];
  const Vec3 r_f = m_f.R * f.centre, r_s = m_s.R * s.centre;
  const bool bounded = std::isfinite(f.reach_m) && std::isfinite(s.reach_m);
  const double size = std::min(f.reach_m, s.reach_m);
  const double apart = bounded ? norm(m_f.p_m + r_f - m_s.p_m - r_s) - f.reach_m - s.reach_m : 0;
  const double speed = norm(model::point_velocity(m_f, r_f) - model::point_velocity(m_s, r_s)) +
                       norm(m_f.w_radps) * (std::isfinite(f.reach_m) ? f.reach_m : 0) +
                       norm(m_s.w_radps) * (std::isfinite(s.reach_m) ? s.reach_m : 0);
  // falling bodies gather speed on the way
  const double way = std::max(apart, 0.0) + 0.5 * size, g = norm(model_.gravity_mps2);
  return g > 0 ? (std::sqrt(speed * speed + 2 * g * way) - speed) / g : way / std::max(speed, 1e-300);
}

/// Pairs by materials: sorted along the axis on which they are spread most, a surface is compared with those that
/// it could reach within the limit found so far, at twice the largest speed of all. The least time of all pairs is
/// found, without looking at all of them.
double PassingLimit::limit_s(const Settings& settings, double t_s, const model::Motions& motions) const {
  double least = kInfinity;
  for (const ContactPair& pair : named_)
    least = std::min(least, time_s(model_.surfaces[at(pair.first)], model_.surfaces[at(pair.second)], motions));
  const auto look_at = [&](int i, int j) {
    const auto pair = model_.pair_of_materials(at(std::max(i, j)), at(std::min(i, j)));
    if (pair && model_.kind_of(*pair).features != geometry::Features::fixed)
      least = std::min(least, time_s(model_.surfaces[at(pair->first)], model_.surfaces[at(pair->second)], motions));
  };
  for (const int u : unbounded_)
    for (const int b : bounded_) look_at(u, b);
  if (!bounded_.empty()) {
    struct Extent {
      double low, high;
      int surface;
    };
    std::vector<Vec3> centres;
    centres.reserve(bounded_.size());
    double fastest = 0;
    Vec3 low{kInfinity, kInfinity, kInfinity}, high = -low;
    for (const int i : bounded_) {
      const geometry::Surface& s = model_.surfaces[at(i)];
      const geometry::BodyMotion& m = motions[at(s.body)];
      const Vec3 r = m.R * s.centre, p = m.p_m + r;
      centres.push_back(p);
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
      fastest = std::max(fastest, norm(model::point_velocity(m, r)) + norm(m.w_radps) * s.reach_m);
    }
    const Vec3 spread = high - low;
    const int axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2;
    std::vector<Extent> extents;
    extents.reserve(bounded_.size());
    for (std::size_t k = 0; k < bounded_.size(); ++k) {
      const double reach = model_.surfaces[at(bounded_[k])].reach_m;
      extents.push_back({centres[k][axis] - reach, centres[k][axis] + reach, bounded_[k]});
    }
    std::ranges::sort(extents, [](const Extent& a, const Extent& b) {
      return a.low < b.low || (a.low == b.low && a.surface < b.surface);
    });
    const double g = norm(model_.gravity_mps2);
    for (std::size_t i = 0; i + 1 < extents.size(); ++i) look_at(extents[i].surface, extents[i + 1].surface);
    for (std::size_t i = 0; i < extents.size(); ++i)
      for (std::size_t k = i + 2; k < extents.size(); ++k) {
        const double reach = 2 * fastest * least + g * least * least / 2;
        if (extents[k].low - extents[i].high > reach) break;
        look_at(extents[i].surface, extents[k].surface);
      }
  }
  const double shortest = std::isfinite(settings.duration_s) ? 1e-9 * settings.duration_s : 0;
  return least < kInfinity ? t_s + std::max(least, shortest) : kInfinity;
}

double fastest_contact_rate(const Modes& modes, const Evaluation& now, double speed_error_mps) {
  double fastest = 0;
  for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
    const ContactMode& c = modes.contacts[i];
    const Approach& a = now.contacts[i].approach;
    if (c.mode != Mode::pushing || !(a.depth_m > 0)) continue;
    const contact::ForceSlopes f = contact::force_slopes(c.law.unruled(), {a.depth_m, a.rate_mps, c.deepest_m});
    const double k = std::abs(f.per_depth_Npm) / c.mass_kg, d = std::abs(f.per_rate_Nspm) / c.mass_kg / 2;
    fastest = std::max(fastest, d * d > k ? d + std::sqrt(d * d - k) : std::sqrt(k));
    const contact::FrictionLaw& friction = c.friction;
    if (!friction.row || friction.remembers()) continue;
    const double slip = std::max(norm(now.contacts[i].slip_mps), slip_error_mps(c, speed_error_mps));
    if (slip > 0)
      fastest = std::max(fastest, kAside * friction.row->force_N(friction, now.contacts[i].force.total_N, slip) /
                                      (c.mass_kg * slip));
  }
  return fastest;
}

namespace {
/// A dense Jacobian costs ever more of the explicit steps in large systems.
double stiff_cost(std::size_t unknowns) {
  return std::max(1.0, std::pow(static_cast<double>(unknowns) / kCheapUnknowns, 2));
}
}  // namespace

Stiffness judge_stiffness(const Settings& settings, const StepTaken& step, std::size_t unknowns, Control& control) {
  const double cost = stiff_cost(unknowns);
  if (control.stiff) {
    if (++control.trial_steps != kTrialSteps) return Stiffness::nothing;
    if (step.next_s > kWorthwhile * cost * control.explicit_step_s) {
      control.pause_steps = 0;
      return Stiffness::nothing;
    }
    control.pause_steps = std::clamp(2 * control.pause_steps, kFirstPause, kLongestPause);
    control.steps_before_next_trial = control.pause_steps;
    return Stiffness::hand_back;
  }
  if (step.change < kNothingMoves) control.steps_before_next_trial = 0;
  if (control.steps_before_next_trial > 0 && --control.steps_before_next_trial > 0) return Stiffness::nothing;
  if (settings.integrator->stiff || settings.integrator->fixed_step) return Stiffness::nothing;
  const bool stiff = step.stiffness > 1 || step.length_s * step.contact_rate > 3;
  control.stiff_steps = stiff ? control.stiff_steps + 1 : std::max(control.stiff_steps - 1, 0);
  if (control.stiff_steps < kStiffSteps * cost) return Stiffness::nothing;
  control.stiff_steps = 0;
  if (!settings.hand_over_when_stiff) return Stiffness::warn;
  control.explicit_step_s = step.length_s;
  control.trial_steps = 0;
  return Stiffness::hand_over;
}

std::string stiffest_part(const Model& model, const Modes& modes) {
  std::string name = "nothing in the scene is stiff by itself";
  double fastest = 0;
  for (const ContactMode& c : modes.contacts) {
    if (c.mode == Mode::resting) continue;
    const double rate = std::sqrt(contact::elastic_slope_Npm(c.law.elastic, c.depth_scale_m) / c.mass_kg);
    if (rate > fastest)
      fastest = rate, name = "contact \"" + model.contact_of(c.pair).name + "\" is the stiffest part";
  }
  for (const model::Spring& s : model.springs)
    for (const model::Spring::Line& line : s.lines) {
      double mass = 1e300;
      const geometry::Measure& m = model.measures[at(line.measure)];
      for (const int b : {m.body_a, m.body_b})
        if (model.bodies[at(b)].mass_kg > 0) mass = std::min(mass, model.bodies[at(b)].mass_kg);
      const double rate = std::max(std::sqrt(line.stiffness / mass), line.damping / mass);
      if (rate > fastest) fastest = rate, name = "spring \"" + s.name + "\" is the stiffest part";
    }
  return name;
}

/// Bodies that rows connect share their multipliers: they are one block. So are all bodies at contacts that are
/// held, whose forces are found together. Blocks read those that a contact, a spring or a force connects them with.
ode::Coupling coupling_of(const Model& model, const Modes& modes, std::size_t unknowns) {
  ode::Coupling dense;
  std::vector<int> root(model.bodies.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int b) {
    while (root[at(b)] != b) b = root[at(b)] = root[at(root[at(b)])];
    return b;
  };
  const auto has_unknowns = [&](int b) { return model.bodies[at(b)].velocity_count > 0; };
  const auto unite = [&](int a, int b) {
    if (has_unknowns(a) && has_unknowns(b)) root[at(find(a))] = find(b);
  };
  const auto bodies_of = [&](int measure) {
    const geometry::Measure& m = model.measures[at(measure)];
    return std::pair{m.body_a, m.body_b};
  };
  for (const int r : modes.rows->rows()) {
    const model::Row& row = model.rows[at(r)];
    int first = -1;
    for (const model::Row::Term& term : row.terms) {
      const auto [a, b] = bodies_of(term.measure);
      for (const int body : {a, b}) {
        if (!has_unknowns(body)) continue;
        if (first >= 0) unite(first, body);
        first = body;
      }
    }
  }
  int held = -1;
  for (const ContactMode& c : modes.contacts)
    if (c.is_held())
      for (const int body : {c.body_a(model), c.body_b(model)})
        if (has_unknowns(body)) {
          if (held >= 0) unite(held, body);
          held = body;
        }
  for (const model::Controller& c : model.controllers)
    if (!(c.every_s > 0)) return dense;  // may read anything; outputs that are held read nothing
  ode::Coupling out;
  std::vector<int> block(model.bodies.size(), -1);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    if (!has_unknowns(static_cast<int>(b))) continue;
    const int r = find(static_cast<int>(b));
    if (block[at(r)] < 0) {
      block[at(r)] = static_cast<int>(out.reads.size());
      out.reads.push_back({block[at(r)]});
    }
    block[b] = block[at(r)];
  }
  const int rest = static_cast<int>(out.reads.size());  // what depends on the time alone
  out.reads.push_back({rest});
  const auto link = [&](int a, int b) {
    if (block[at(a)] < 0 || block[at(b)] < 0 || block[at(a)] == block[at(b)]) return;
    out.reads[at(block[at(a)])].push_back(block[at(b)]);
    out.reads[at(block[at(b)])].push_back(block[at(a)]);
  };
  for (const ContactMode& c : modes.contacts) link(c.body_a(model), c.body_b(model));
  for (const model::Spring& s : model.springs)
    for (const model::Spring::Line& line : s.lines) {
      const auto [a, b] = bodies_of(line.measure);
      link(a, b);
    }
  for (const model::Spring& s : model.springs) {
    if (!s.has_force) continue;
    const auto reads = bodies_read(model, s.force);
    if (!reads) return dense;
    const auto [a, b] = bodies_of(s.lines[0].measure);
    for (const int other : *reads) link(a, other), link(b, other);
  }
  for (const model::Force& force : model.forces) {
    std::vector<int> on{force.body};
    if (force.measure >= 0) on = {bodies_of(force.measure).first, bodies_of(force.measure).second};
    for (const auto* set : {&force.force, &force.torque})
      for (const model::Function& f : *set) {
        const auto reads = bodies_read(model, f);
        if (!reads) return dense;
        for (const int a : on)
          for (const int b : *reads) link(a, b);
      }
    if (on.size() == 2) link(on[0], on[1]);
  }
  const std::vector<std::vector<int>> direct = out.reads;
  for (const ContactMode& c : modes.contacts) {  // the slope of a contact spring's memory reads accelerations
    const int a = block[at(c.body_a(model))], b = block[at(c.body_b(model))];
    if (c.memory_at < 0 || a < 0 || b < 0) continue;
    out.reads[at(b)].insert(out.reads[at(b)].end(), direct[at(a)].begin(), direct[at(a)].end());
  }
  out.block_of.assign(unknowns, rest);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    for (int k = 0; k < body.position_count; ++k) out.block_of[at(body.q_at + k)] = block[b];
    for (int k = 0; k < body.velocity_count; ++k) out.block_of[at(body.v_at + k)] = block[b];
  }
  for (const model::Driver& d : model.drivers) {
    const auto [a, b] = bodies_of(d.measure);
    if (d.by_rate) out.block_of[at(d.s_at)] = block[at(has_unknowns(b) ? b : a)];
  }
  for (const ContactMode& c : modes.contacts)
    if (c.memory_at >= 0) {
      const int body = has_unknowns(c.body_b(model)) ? c.body_b(model) : c.body_a(model);
      for (int k = 0; k < 3; ++k) out.block_of[at(c.memory_at + k)] = block[at(body)];
    }
  for (int& b : out.block_of)
    if (b < 0) b = rest;
  for (std::vector<int>& reads : out.reads) {
    std::ranges::sort(reads);
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  }
  return out;
}

}  // namespace percuss::dynamics
