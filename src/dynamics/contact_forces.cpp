// Contacts at one instant: contact points, approach, forces, friction and its memories.
#include "percuss/dynamics/contact_forces.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/response.h"

namespace percuss::dynamics {

using Mode = ContactMode::Mode;

void find_spots(const Model& model, const model::Motions& motions, const ContactPair& pair, double near_m,
                std::vector<geometry::Spot>& out) {
  const geometry::Surface &f = model.surfaces[at(pair.first)], &s = model.surfaces[at(pair.second)];
  out.clear();
  model.kind_of(pair).row->spots(f, s, motions[at(f.body)], motions[at(s.body)], near_m, out);
}

std::optional<geometry::Feature> find_feature(const Model& model, const model::Motions& motions,
                                              const ContactPair& pair, int spot,
                                              std::vector<geometry::Spot>& scratch) {
  find_spots(model, motions, pair, std::numeric_limits<double>::infinity(), scratch);
  for (const geometry::Spot& s : scratch)
    if (s.number == spot) return s.feature;
  return std::nullopt;
}

Approach approach_at(const Model& model, const model::Motions& motions, const geometry::Feature& feature,
                     double base_m) {
  const geometry::Measure& m = feature.measure;
  Approach a;
  a.body_a = m.body_a;
  a.body_b = m.body_b;
  a.back_m = feature.back_m;
  a.gap = geometry::gap_at(feature, motions[at(m.body_a)], motions[at(m.body_b)], model.planar);
  a.depth_m = -a.gap.value - base_m;
  a.rate_mps = -a.gap.rate;
  return a;
}

Approach approach_of(const Model& model, const model::Motions& motions, const ContactMode& c,
                     std::vector<geometry::Spot>& scratch) {
  if (model.kind_of(c.pair).features == geometry::Features::followed)
    if (const auto feature = find_feature(model, motions, c.pair, c.spot, scratch))
      return approach_at(model, motions, *feature, c.base_m);
  return approach_at(model, motions, c.feature, c.base_m);
}

namespace {
contact::Indentation<> indentation(const ContactMode& c, const Approach& a) {
  const bool dry = std::holds_alternative<contact::Dry<>>(c.law.shape);
  return {a.depth_m, dry ? (c.loading ? 1.0 : -1.0) : a.rate_mps, c.deepest_m};
}
}  // namespace

contact::NormalForce<> law_force(const ContactMode& c, const Approach& a) {
  if (c.mode == Mode::coasting || c.mode == Mode::resting) return {};
  return contact::force_parts(c.law.unruled(), indentation(c, a));
}

HeldBand held_band_N(const ContactMode& c, double depth_m) {
  const auto* dry = std::get_if<contact::Dry<>>(&c.law.shape);
  if (c.mode == Mode::resting || !dry) return {};
  const double f = contact::elastic_force_N(c.law.elastic, std::max(depth_m, 0.0));
  return {std::max(dry->unloading_factor, 0.0) * f, dry->loading_factor * f};
}

double raw_force_N(const ContactMode& c, const Approach& a) {
  return contact::force_parts(c.law.unruled(), indentation(c, a)).total_N;
}

bool add_contacts(const Model& model, std::span<const double> y, const Modes& modes, Workspace& workspace,
                  Evaluation& e, OfContacts keep) {
  const std::size_t count = modes.contacts.size();
  const bool keep_all = keep == OfContacts::all;
  e.contacts.resize(keep_all ? count : 0);
  e.powers.resize(keep_all ? 0 : count);
  bool any_held = false;
  for (std::size_t i = 0; i < count; ++i) {
    ContactNow& now = keep_all ? e.contacts[i] : workspace.passing;
    const ContactMode& c = modes.contacts[i];
    now.approach = approach_of(model, e.motions, c, workspace.spots);
    now.force = law_force(c, now.approach);
    now.friction_N = now.slip_mps = {};
    now.friction_W = now.stiffness_Npm = 0;
    const Approach& a = now.approach;
    const bool is_held = c.is_held();
    any_held = any_held || is_held;
    const double push = is_held ? 0 : now.force.total_N;
    if (is_held) {  // what force expressions read; force and friction follow with the solution
      now.force.total_N = c.held_N;
      now.friction_N = c.held_friction_N;
    }
    now.on_a = {push * a.gap.a.linear, push * a.gap.a.angular};
    now.on_b = {push * a.gap.b.linear, push * a.gap.b.angular};
    const bool sticks = c.mode == Mode::holding && !c.slipping && c.friction.row &&
                        c.friction.row->memory == contact::FrictionMemory::contact_spring;
    if (!is_held || sticks) add_friction(model, c, y, e.motions, now);
    add_wrench(model, e, a.body_a, now.on_a, 1);
    add_wrench(model, e, a.body_b, now.on_b, 1);
    if (!keep_all) e.powers[i] = power_of(now);
  }
  return any_held;
}

Vec3 middle_of_overlap(const Approach& a) { return a.gap.end_b + (a.depth_m / 2 - a.back_m) * a.gap.b.linear; }

Vec3 slip_mps(const model::Motions& motions, const Approach& a) {
  const geometry::BodyMotion &m_a = motions[at(a.body_a)], &m_b = motions[at(a.body_b)];
  const Vec3 r_b = middle_of_overlap(a), r_a = (m_b.p_m - m_a.p_m) + r_b, n = a.gap.b.linear;
  const Vec3 v = model::point_velocity(m_b, r_b) - model::point_velocity(m_a, r_a);
  return v - dot(n, v) * n;
}

/// Friction acts in the middle of the overlap, on both bodies at one point: momentum and angular momentum are kept.
void add_friction(const Model&, const ContactMode& c, std::span<const double> y, const model::Motions& motions,
                  ContactNow& now) {
  const contact::FrictionLaw& law = c.friction;
  if (!law.acts() || c.mode == Mode::coasting || c.mode == Mode::resting) return;
  const Approach& a = now.approach;
  const geometry::BodyMotion &m_a = motions[at(a.body_a)], &m_b = motions[at(a.body_b)];
  const Vec3& n = a.gap.b.linear;
  const Vec3 r_b = middle_of_overlap(a), r_a = (m_b.p_m - m_a.p_m) + r_b;
  const Vec3 v = model::point_velocity(m_b, r_b) - model::point_velocity(m_a, r_a);
  now.slip_mps = v - dot(n, v) * n;
  contact::Sliding sliding{now.force.total_N, now.slip_mps, {}, 0, c.slipping, c.still_mps};
  if (law.remembers()) {
    const double* z = &y[at(c.memory_at)];
    sliding.memory_m = {z[0], z[1], z[2]};
    sliding.memory_m -= dot(sliding.memory_m, n) * n;
    if (law.row->memory == contact::FrictionMemory::contact_spring && a.depth_m > 0)
      now.stiffness_Npm = sliding.stiffness_Npm = contact::elastic_slope_Npm(c.law.elastic, a.depth_m);
  }
  const Vec3 force = contact::friction_force_N(law, sliding);
  const Vec3 spin = m_b.w_radps - m_a.w_radps;
  const Vec3 torque = contact::resisting_torque_Nm(law, std::max(now.force.total_N, 0.0), n, spin);
  now.friction_N = force;
  now.friction_W = -dot(force, now.slip_mps) - dot(torque, spin);
  now.on_b.linear += force;
  now.on_b.angular += cross(r_b, force) + torque;
  now.on_a.linear -= force;
  now.on_a.angular -= cross(r_a, force) + torque;
}

double slip_limit_m(const ContactMode& c, const Approach& a) {
  if (!(a.depth_m > 0)) return 0;
  return contact::slip_limit_m(c.friction, law_force(c, a).total_N,
                               contact::elastic_slope_Npm(c.law.elastic, a.depth_m));
}

double rounding_m(const Model& model, const model::Motions& motions, int body_a, int body_b) {
  const double far = std::max({norm(motions[at(body_a)].p_m), norm(motions[at(body_b)].p_m), model.length_m});
  return 16 * std::numeric_limits<double>::epsilon() * far;
}

/// The memory turns with the surfaces: with the normal, and about it with the mean spin of the two bodies.
void write_memory_slopes(const Model& model, std::span<const double> y, const Modes& modes, const Evaluation& e,
                         std::span<double> dydt) {
  if (y.size() == model.unknowns()) return;  // none of them remembers
  for (std::size_t i = 0; i < e.contacts.size(); ++i) {
    const ContactMode& c = modes.contacts[i];
    const contact::FrictionLaw& law = c.friction;
    if (!law.remembers()) continue;
    const ContactNow& now = e.contacts[i];
    const Approach& a = now.approach;
    const std::size_t place = at(c.memory_at);
    const Vec3 n = a.gap.b.linear;
    const Vec3 z{y[place], y[place + 1], y[place + 2]};
    // as the law goes on, without the rule against pulling: smooth where the force ends
    const bool spring = law.row->memory == contact::FrictionMemory::contact_spring;
    const contact::Sliding sliding{spring ? raw_force_N(c, a) : now.force.total_N,
                                   now.slip_mps,
                                   z - dot(z, n) * n,
                                   now.stiffness_Npm,
                                   c.slipping,
                                   c.still_mps};
    contact::SlidingRates rates;
    rates.depth_mps = a.rate_mps;
    rates.scale_m = contact::memory_scale_m(law, c.depth_scale_m);
    if (spring) {
      const auto slope = [&](double depth) {
        return contact::elastic_slope_Npm(c.law.elastic, std::max(depth, 0.0));
      };
      const auto* power = std::get_if<contact::Power<>>(&c.law.elastic);
      const double step = 1e-4 * std::max(a.depth_m, 1e-6 * c.depth_scale_m);
      const double bend = power && a.depth_m > 0 ? (power->exponent - 1) * slope(a.depth_m) / a.depth_m
                                                 : (slope(a.depth_m + step) - slope(a.depth_m - step)) / (2 * step);
      rates.stiffness_Npmps = a.depth_m > 0 ? bend * a.rate_mps : 0;
      const contact::ForceSlopes f = contact::force_slopes(c.law.unruled(), {a.depth_m, a.rate_mps, c.deepest_m});
      rates.normal_Nps = f.per_depth_Npm * a.rate_mps + f.per_rate_Nspm * depth_acceleration(model, e, a);
      const double small = 1e-6 * c.depth_scale_m, f_small = contact::elastic_force_N(c.law.elastic, small);
      if (f_small > 0) rates.start_exponent = slope(small) * small / f_small;
    }
    const geometry::BodyMotion &m_a = e.motions[at(a.body_a)], &m_b = e.motions[at(a.body_b)];
    const Vec3 turn = cross(n, a.gap.direction_rate) + (dot(n, m_a.w_radps + m_b.w_radps) / 2) * n;
    const Vec3 rate = contact::memory_rate_mps(law, sliding, rates) + cross(turn, z);
    dydt[place] = rate.x, dydt[place + 1] = rate.y, dydt[place + 2] = rate.z;
  }
}

}  // namespace percuss::dynamics
