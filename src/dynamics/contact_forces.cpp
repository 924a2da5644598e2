// Contacts at one instant: spots, approach, forces, friction and its memories.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "percuss/base/index.h"
#include "percuss/dynamics/equations.h"
#include "percuss/dynamics/strike.h"
#include "percuss/percussion/bounded_forces.h"

namespace percuss::dynamics {

using Mode = ContactState::Mode;

std::size_t Equations::memory_at(std::size_t contact) const {
  std::size_t place = at(model_.position_count + model_.velocity_count);
  for (std::size_t i = 0; i < contact; ++i)
    if (kind_of(state_.contacts[i].pair).friction.remembers()) place += 3;
  return place;
}

void Equations::find_spots(const model::ContactPair& pair, double near_m, std::vector<geometry::Spot>& out) const {
  const geometry::Surface &f = model_.surfaces[at(pair.first)], &s = model_.surfaces[at(pair.second)];
  out.clear();
  kind_of(pair).row->spots(f, s, motions_[at(f.body)], motions_[at(s.body)], near_m, out);
}

std::optional<geometry::Feature> Equations::find_feature(const model::ContactPair& pair, int spot) const {
  find_spots(pair, std::numeric_limits<double>::infinity(), spots_);
  for (const geometry::Spot& s : spots_)
    if (s.number == spot) return s.feature;
  return std::nullopt;
}

Approach Equations::approach(const geometry::Feature& feature, double base_m) const {
  const geometry::Measure& m = feature.measure;
  Approach a;
  a.body_a = m.body_a;
  a.body_b = m.body_b;
  a.back_m = feature.back_m;
  a.gap = geometry::gap_at(feature, motions_[at(m.body_a)], motions_[at(m.body_b)], model_.planar);
  a.depth_m = -a.gap.value - base_m;
  a.rate_mps = -a.gap.rate;
  return a;
}

Approach Equations::approach(std::size_t contact) const {
  const ContactState& s = state_.contacts[contact];
  if (kind_of(s.pair).features == geometry::Features::followed)
    if (const auto feature = find_feature(s.pair, s.spot)) return approach(*feature, s.base_m);
  return approach(s.feature, s.base_m);
}

ContactReport Equations::report(std::size_t which) const {
  ContactReport out;
  Vec3 friction;
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    if (at(kind_of(state_.contacts[i].pair).contact) != which) continue;
    const Approach a = approach(i);
    if (out.touching == 0 || a.depth_m > out.depth_m) out.depth_m = a.depth_m, out.rate_mps = a.rate_mps;
    const double force = contact_force(i, a).total_N;
    out.force_N += force;
    out.push_N += force * a.gap.b.linear;
    out.point_m += force * (motions_[at(a.body_b)].p_m + middle_of_overlap(a));
    if (i < contact_now_.size()) friction += contact_now_[i].friction_N;
    ++out.touching;
  }
  if (out.force_N != 0) out.point_m = out.point_m / out.force_N;
  out.push_N += friction;
  out.friction_N = norm(friction);
  if (out.touching > 0) return out;
  out.depth_m = -std::numeric_limits<double>::infinity();
  for (const model::ContactPair& pair : model_.contacts[which].pairs) note_nearest(pair, out);
  if (model_.contacts[which].by_materials) {
    const std::size_t count = model_.surfaces.size();
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (const auto pair = model_.pair_of_materials(i, j); pair && at(kind_of(*pair).contact) == which)
          note_nearest(*pair, out);
  }
  if (!std::isfinite(out.depth_m)) out.depth_m = 0;  // nothing there that could touch
  return out;
}

/// The least gap of a pair, if it is less than what is known; bodies whose bounding spheres are farther apart are
/// not looked at.
void Equations::note_nearest(const model::ContactPair& pair, ContactReport& out) const {
  const geometry::Surface &f = model_.surfaces[at(pair.first)], &s = model_.surfaces[at(pair.second)];
  const geometry::BodyMotion &m_f = motions_[at(f.body)], &m_s = motions_[at(s.body)];
  if (std::isfinite(out.depth_m) && std::isfinite(f.reach_m) && std::isfinite(s.reach_m) &&
      norm(m_f.p_m + m_f.R * f.centre - m_s.p_m - m_s.R * s.centre) - f.reach_m - s.reach_m > -out.depth_m)
    return;
  find_spots(pair, std::numeric_limits<double>::infinity(), spots_);
  for (const geometry::Spot& spot : spots_)
    if (const Approach a = approach(spot.feature); a.depth_m > out.depth_m)
      out.depth_m = a.depth_m, out.rate_mps = a.rate_mps;
}

namespace {
contact::Indentation<> indentation(const ContactState& s, const Approach& a) {
  const bool dry = std::holds_alternative<contact::Dry<>>(s.law.shape);
  return {a.depth_m, dry ? (s.loading ? 1.0 : -1.0) : a.rate_mps, s.deepest_m};
}
}  // namespace

contact::NormalForce<> Equations::contact_force(std::size_t contact, const Approach& a) const {
  const ContactState& s = state_.contacts[contact];
  if (s.mode == Mode::coasting) return {};
  if (s.mode == Mode::resting) return {contact < contact_now_.size() ? contact_now_[contact].force.total_N : 0, 0};
  contact::NormalForce<> f = contact::force_parts(s.law, indentation(s, a));
  if (s.mode == Mode::holding) f.total_N = contact_now_[contact].force.total_N;
  return f;
}

double Equations::raw_force_N(std::size_t contact, const Approach& a) const {
  const ContactState& s = state_.contacts[contact];
  return contact::force_parts(s.raw_law, indentation(s, a)).total_N;
}

void Equations::add_contacts(std::span<const double> y) {
  contact_now_.resize(state_.contacts.size());
  for (std::size_t i = 0; i < contact_now_.size(); ++i) {
    ContactNow& now = contact_now_[i];
    now.approach = approach(i);
    const double held_N = now.force.total_N;
    now.force = contact_force(i, now.approach);
    now.friction_N = now.slip_mps = {};
    now.friction_W = now.stiffness_Npm = 0;
    const Approach& a = now.approach;
    const bool held = state_.contacts[i].mode == Mode::holding || state_.contacts[i].mode == Mode::resting;
    const double push = held ? 0 : now.force.total_N;  // held: after `solve`
    if (held) now.force.total_N = held_N;
    now.on_a = {push * a.gap.a.linear, push * a.gap.a.angular};
    now.on_b = {push * a.gap.b.linear, push * a.gap.b.angular};
    add_friction(i, y);
    add_wrench(a.body_a, now.on_a, 1);
    add_wrench(a.body_b, now.on_b, 1);
  }
}

/// From the centre of mass of B.
Vec3 Equations::middle_of_overlap(const Approach& a) const {
  return a.gap.end_b + (a.depth_m / 2 - a.back_m) * a.gap.b.linear;
}

Vec3 Equations::slip_mps(const Approach& a) const {
  const geometry::BodyMotion &m_a = motions_[at(a.body_a)], &m_b = motions_[at(a.body_b)];
  const Vec3 r_b = middle_of_overlap(a), r_a = (m_b.p_m - m_a.p_m) + r_b, n = a.gap.b.linear;
  const Vec3 v = model::point_velocity(m_b, r_b) - model::point_velocity(m_a, r_a);
  return v - dot(n, v) * n;
}

/// Friction acts in the middle of the overlap, on both bodies at one point: momentum and angular momentum are kept.
void Equations::add_friction(std::size_t contact, std::span<const double> y) {
  const ContactState& s = state_.contacts[contact];
  const contact::FrictionLaw& law = kind_of(s.pair).friction;
  if (!law.acts() || s.mode == Mode::coasting || s.mode == Mode::resting) return;
  ContactNow& now = contact_now_[contact];
  const Approach& a = now.approach;
  const geometry::BodyMotion &m_a = motions_[at(a.body_a)], &m_b = motions_[at(a.body_b)];
  const Vec3& n = a.gap.b.linear;
  const Vec3 r_b = middle_of_overlap(a), r_a = (m_b.p_m - m_a.p_m) + r_b;
  now.slip_mps = slip_mps(a);
  contact::Sliding sliding{now.force.total_N, now.slip_mps, {}, 0, s.slipping};
  if (law.remembers()) {
    const double* z = &y[memory_at(contact)];
    sliding.memory_m = {z[0], z[1], z[2]};
    sliding.memory_m -= dot(sliding.memory_m, n) * n;
    if (law.row->memory == contact::FrictionMemory::contact_spring && a.depth_m > 0)
      now.stiffness_Npm = sliding.stiffness_Npm = contact::elastic_slope_Npm(s.law.elastic, a.depth_m);
  }
  const Vec3 force = contact::friction_force_N(law, sliding);
  const Vec3 spin = m_b.w_radps - m_a.w_radps;
  const Vec3 torque = contact::resisting_torque_Nm(law, now.force.total_N, n, spin);
  now.friction_N = force;
  now.friction_W = -dot(force, now.slip_mps) - dot(torque, spin);
  now.on_b.linear += force;
  now.on_b.angular += cross(r_b, force) + torque;
  now.on_a.linear -= force;
  now.on_a.angular -= cross(r_a, force) + torque;
}

double Equations::slip_limit_m(std::size_t contact, const Approach& a) const {
  const ContactState& s = state_.contacts[contact];
  if (!(a.depth_m > 0)) return 0;
  return contact::slip_limit_m(kind_of(s.pair).friction, contact_force(contact, a).total_N,
                               contact::elastic_slope_Npm(s.law.elastic, a.depth_m));
}

/// The memory turns with the surfaces: with the normal, and about it with the mean spin of the two bodies.
void Equations::write_memories(std::span<const double> y, std::span<double> dydt) {
  for (std::size_t i = 0; i < contact_now_.size(); ++i) {
    const ContactState& s = state_.contacts[i];
    const contact::FrictionLaw& law = kind_of(s.pair).friction;
    if (!law.remembers()) continue;
    const ContactNow& now = contact_now_[i];
    const Approach& a = now.approach;
    const std::size_t place = memory_at(i);
    const Vec3 n = a.gap.b.linear;
    const Vec3 z{y[place], y[place + 1], y[place + 2]};
    // as the law goes on, without the rule against pulling: smooth where the force ends
    const bool spring = law.row->memory == contact::FrictionMemory::contact_spring;
    const contact::Sliding sliding{spring ? raw_force_N(i, a) : now.force.total_N, now.slip_mps, z - dot(z, n) * n,
                                   now.stiffness_Npm, s.slipping};
    contact::SlidingRates rates;
    rates.depth_mps = a.rate_mps;
    rates.scale_m = contact::memory_scale_m(law, s.depth_scale_m);
    if (spring) {
      const auto slope = [&](double depth) {
        return contact::elastic_slope_Npm(s.law.elastic, std::max(depth, 0.0));
      };
      const auto* power = std::get_if<contact::Power<>>(&s.law.elastic);
      const double step = 1e-4 * std::max(a.depth_m, 1e-6 * s.depth_scale_m);
      const double bend = power && a.depth_m > 0 ? (power->exponent - 1) * slope(a.depth_m) / a.depth_m
                                                 : (slope(a.depth_m + step) - slope(a.depth_m - step)) / (2 * step);
      rates.stiffness_Npmps = a.depth_m > 0 ? bend * a.rate_mps : 0;
      const contact::ForceSlopes f = contact::force_slopes(s.raw_law, {a.depth_m, a.rate_mps, s.deepest_m});
      rates.normal_Nps = f.per_depth_Npm * a.rate_mps + f.per_rate_Nspm * depth_acceleration(a);
      const double small = 1e-6 * s.depth_scale_m, f_small = contact::elastic_force_N(s.law.elastic, small);
      if (f_small > 0) rates.start_exponent = slope(small) * small / f_small;
    }
    const geometry::BodyMotion &m_a = motions_[at(a.body_a)], &m_b = motions_[at(a.body_b)];
    const Vec3 turn = cross(n, a.gap.direction_rate) + (dot(n, m_a.w_radps + m_b.w_radps) / 2) * n;
    const Vec3 rate = contact::memory_rate_mps(law, sliding, rates) + cross(turn, z);
    dydt[place] = rate.x, dydt[place + 1] = rate.y, dydt[place + 2] = rate.z;
  }
}

/// The forces that keep the rates of held contacts at zero: with the mobility B between them, B F = depth
/// accelerations without them; contacts at rest only push. Redundant ones share the load.
void Equations::hold_contacts() {
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < state_.contacts.size(); ++i)
    if (state_.contacts[i].mode == Mode::holding || state_.contacts[i].mode == Mode::resting) held.push_back(i);
  const std::size_t n = held.size();
  if (n == 0) return;
  std::vector<Approach> points;
  points.reserve(n);
  for (const std::size_t contact : held) points.push_back(contact_now_[contact].approach);
  const Responses responses = responses_to(*this, points);
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const auto rows = static_cast<Eigen::Index>(n);
  Eigen::VectorXd free(rows), low(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto k = static_cast<std::size_t>(i);
    free[i] = depth_acceleration(points[k]);
    low[i] = state_.contacts[held[k]].mode == Mode::resting ? 0 : -kAny;
  }
  const Eigen::VectorXd found = percussion::bounded_forces(
      responses.mobility, -free, low, Eigen::VectorXd::Constant(rows, kAny), Eigen::VectorXd::Ones(rows));
  const std::span<const double> force(found.data(), n);
  for (std::size_t k = 0; k < n; ++k) {
    ContactNow& now = contact_now_[held[k]];
    const Approach& a = now.approach;
    now.force.total_N = force[k];
    for (std::size_t i = 0; i < acceleration_.size(); ++i) acceleration_[i] += force[k] * responses.velocity[k][i];
    for (std::size_t i = 0; i < multiplier_.size(); ++i) multiplier_[i] += force[k] * responses.multiplier[k][i];
    for (const auto& [body, g, total] :
         {std::tuple{a.body_a, &a.gap.a, &now.on_a}, std::tuple{a.body_b, &a.gap.b, &now.on_b}}) {
      total->linear += force[k] * g->linear;
      total->angular += force[k] * g->angular;
      if (model_.bodies[at(body)].moves) add_wrench(body, *g, force[k]);
    }
  }
}
}  // namespace percuss::dynamics
