// Newton and Euler, with multipliers.
#include "percuss/dynamics/equations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "percuss/base/index.h"

namespace percuss::dynamics {

using model::Body;
using Mode = ContactState::Mode;

State initial_state(const model::Model& model) {
  State s;
  s.y = model.start;
  s.totals.resize(model.contacts.size());
  s.switched_on = model.switched_on;
  s.angle_rad = model.start_angle;
  s.angle_rate.assign(model.measures.size(), 0.0);
  return s;
}

Equations::Equations(const model::Model& model, const State& state) : model_(model), state_(state), rows_(model) {
  near_.assign(model.measures.size(), 0.0);
  force_.resize(at(model.velocity_count));
  acceleration_.resize(at(model.velocity_count));
  multiplier_.resize(rows_.count());
  right_.resize(rows_.count());
  scratch_.resize(rows_.count());
  on_prescribed_.resize(model.bodies.size());
  spring_power_.resize(model.springs.size());
  force_power_.resize(model.forces.size());
  for (const Body& b : model.bodies) has_moving_bodies_ = has_moving_bodies_ || b.moves;
  for (const geometry::Measure& m : model.measures)
    has_angles_ = has_angles_ || m.kind == geometry::Measure::Kind::angle;
}

double Equations::near_rad(int m, double t_s) const {
  return state_.angle_rad[at(m)] + state_.angle_rate[at(m)] * (t_s - state_.angle_time_s);
}

void Equations::update_near(double t_s) {
  if (!has_angles_) return;
  for (std::size_t m = 0; m < near_.size(); ++m) near_[m] = near_rad(static_cast<int>(m), t_s);
}

const geometry::MeasureValue Equations::measure(int index) const {
  const geometry::Measure& m = model_.measures[at(index)];
  return (model_.planar ? geometry::evaluate_in_plane : geometry::evaluate)(
      m, motions_[at(m.body_a)], motions_[at(m.body_b)], near_[at(index)]);
}

void Equations::add_wrench(int body, const geometry::Gradient& g, double factor) {
  const Body& b = model_.bodies[at(body)];
  if (b.kind == Body::Kind::prescribed) {
    if (!b.moves) return;
    on_prescribed_[at(body)].linear += factor * g.linear;
    on_prescribed_[at(body)].angular += factor * g.angular;
    return;
  }
  double reduced[6] = {};
  model::reduce(b, motions_[at(body)], g, reduced);
  double* f = &force_[at(b.v_at - model_.position_count)];
  for (int k = 0; k < b.velocity_count; ++k) f[k] += factor * reduced[k];
}

void Equations::evaluate_motion(double t_s, std::span<const double> y) {
  model::place_bodies(model_, t_s, y, motions_);
  update_near(t_s);
}

void Equations::evaluate(double t_s, std::span<const double> y) {
  ++evaluations_;
  evaluate_motion(t_s, y);
  std::ranges::fill(force_, 0.0);
  if (has_moving_bodies_) std::ranges::fill(on_prescribed_, geometry::Gradient{});
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& b = model_.bodies[i];
    if (b.kind == Body::Kind::prescribed) continue;
    double* f = &force_[at(b.v_at - model_.position_count)];
    f[0] = b.mass_kg * model_.gravity_mps2.x;
    f[1] = b.mass_kg * model_.gravity_mps2.y;
    if (b.kind == Body::Kind::spatial || b.kind == Body::Kind::particle) f[2] = b.mass_kg * model_.gravity_mps2.z;
    if (b.kind == Body::Kind::spatial) {  // Euler: torque - w x I w, in body axes
      const double* v = &y[at(b.v_at)];
      const Vec3 w{v[3], v[4], v[5]}, gyro = cross(b.inertia_kgm2 * w, w);
      f[3] = gyro.x, f[4] = gyro.y, f[5] = gyro.z;
    }
  }
  add_springs(t_s);
  add_contacts(y);
  add_forces(t_s);
  rows_.evaluate(t_s, y, motions_, near_);
  rows_.factor();
  if (rows_.near_singular()) ++near_singular_;
  solve();
  hold_contacts();
}

/// (J M^-1 J^T) l = wanted - J M^-1 f,  a = M^-1 (f + J^T l).
void Equations::solve() {
  for (const Body& b : model_.bodies)
    if (b.velocity_count > 0) {
      const std::size_t place = at(b.v_at - model_.position_count);
      model::respond(b, &force_[place], &acceleration_[place]);
    }
  if (rows_.count() == 0) return;
  rows_.times(acceleration_, right_);
  const double rate = model_.solver.baumgarte_radps;
  for (std::size_t i = 0; i < right_.size(); ++i) {
    right_[i] = rows_.wanted()[i] - right_[i];
    if (rate > 0) right_[i] -= rate * (2 * rows_.residual_rate()[i] + rate * rows_.residual()[i]);
  }
  rows_.solve(right_, multiplier_);
  rows_.add_response(multiplier_, acceleration_);
}

double Equations::value_of(const model::Function& f, double t_s) const {
  if (f.is_constant) return f.value;
  double slots[model::Function::kMostChannels + 1];
  slots[0] = t_s;
  const std::size_t count = f.channels.size();
  for (std::size_t i = 0; i < count; ++i) slots[i + 1] = channel(f.channels[i], t_s);
  return f.program.evaluate(std::span<const double>(slots, count + 1));
}

void Equations::add_forces(double t_s) {
  for (std::size_t i = 0; i < model_.forces.size(); ++i) {
    const model::Force& force = model_.forces[i];
    force_power_[i] = 0;
    if (!state_.switched_on[at(force.switch_index)]) continue;
    if (force.measure >= 0) {
      const geometry::Measure& m = model_.measures[at(force.measure)];
      const geometry::MeasureValue v = measure(force.measure);
      const double f = value_of(force.force[0], t_s);
      add_wrench(m.body_a, v.a, f);
      add_wrench(m.body_b, v.b, f);
      force_power_[i] = f * v.rate;
      continue;
    }
    Vec3 f{value_of(force.force[0], t_s), value_of(force.force[1], t_s), value_of(force.force[2], t_s)};
    Vec3 torque{value_of(force.torque[0], t_s), value_of(force.torque[1], t_s), value_of(force.torque[2], t_s)};
    const geometry::BodyMotion& m = motions_[at(force.body)];
    if (force.in_body_axes) {
      f = m.R * f;
      torque = m.R * torque;
    }
    torque += cross(m.R * force.point_m, f);
    add_wrench(force.body, {f, torque}, 1);
    force_power_[i] = dot(f, m.v_mps) + dot(torque, m.w_radps);
  }
}

void Equations::add_springs(double t_s) {
  for (std::size_t i = 0; i < model_.springs.size(); ++i) {
    const model::Spring& spring = model_.springs[i];
    spring_power_[i] = {};
    if (!state_.switched_on[at(spring.switch_index)]) continue;
    for (std::size_t k = 0; k < spring.lines.size(); ++k) {
      const model::Spring::Line& line = spring.lines[k];
      const geometry::Measure& m = model_.measures[at(line.measure)];
      const geometry::MeasureValue v = measure(line.measure);
      const expression::Derivatives rest = k == 0 ? spring.rest.at(t_s) : expression::Derivatives{};
      const double pull = line.stiffness * (v.value - rest.value);
      const double f = -pull - line.damping * v.rate;
      add_wrench(m.body_a, v.a, f);
      add_wrench(m.body_b, v.b, f);
      spring_power_[i].damped_W += line.damping * v.rate * v.rate;
      spring_power_[i].supplied_W -= pull * rest.first;
    }
  }
}

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
    out.force_N += contact_force(i, a).total_N;
    if (i < contact_now_.size()) friction += contact_now_[i].friction_N;
    ++out.touching;
  }
  out.friction_N = norm(friction);
  if (out.touching > 0) return out;
  bool found = false;
  for (const model::ContactPair& pair : model_.contacts[which].pairs) {
    find_spots(pair, std::numeric_limits<double>::infinity(), spots_);
    for (const geometry::Spot& s : spots_)
      if (const Approach a = approach(s.feature); !found || a.depth_m > out.depth_m) {
        out.depth_m = a.depth_m;
        out.rate_mps = a.rate_mps;
        found = true;
      }
  }
  return out;
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
    const double push = state_.contacts[i].mode == Mode::holding ? 0 : now.force.total_N;  // holding: after `solve`
    if (state_.contacts[i].mode == Mode::holding) now.force.total_N = held_N;
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
  if (!law.acts() || s.mode == Mode::coasting) return;
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

namespace {
constexpr double kImmovable = 1e-10;  // mobility over that without joints: the joints hold the contact still
}  // namespace

/// g . u for the gradient g of the gap in the unknowns of its bodies.
double Equations::along(const Approach& a, std::span<const double> u) const {
  double sum = 0;
  for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
    const Body& b = model_.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6] = {};
    model::reduce(b, motions_[at(body)], *g, reduced);
    for (int k = 0; k < b.velocity_count; ++k) sum += reduced[k] * u[at(b.v_at - model_.position_count + k)];
  }
  return sum;
}

double Equations::depth_acceleration(const Approach& a) const { return -(a.gap.bias + along(a, acceleration_)); }

/// Accelerations that a unit force along the gradient g of the gap causes in the constrained system:
/// M^-1 g^T - M^-1 J^T x, (J M^-1 J^T) x = J M^-1 g^T. `multiplier` becomes -x.
void Equations::response_to(const Approach& a, std::vector<double>& response,
                            std::vector<double>& multiplier) const {
  response.assign(force_.size(), 0.0);
  for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
    const Body& b = model_.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6] = {};
    model::reduce(b, motions_[at(body)], *g, reduced);
    model::respond(b, reduced, &response[at(b.v_at - model_.position_count)]);
  }
  multiplier.assign(rows_.count(), 0.0);
  if (rows_.count() == 0) return;
  coupling_.resize(rows_.count());
  rows_.times(response, coupling_);
  rows_.solve(coupling_, multiplier);
  for (double& x : multiplier) x = -x;
  rows_.add_response(multiplier, response);
}

double Equations::effective_mass_kg(const Approach& a) const {
  response_to(a, response_, response_multiplier_);
  const double inverse = along(a, response_);
  double free = 0;  // without the joints
  for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
    const Body& b = model_.bodies[at(body)];
    double reduced[6] = {}, out[6] = {};
    model::reduce(b, motions_[at(body)], *g, reduced);
    model::respond(b, reduced, out);
    for (int k = 0; k < b.velocity_count; ++k) free += reduced[k] * out[k];
  }
  return 1 / (inverse > kImmovable * free ? inverse : free);
}

double Equations::depth_acceleration_by_gravity(const Approach& a) const {
  response_to(a, response_, response_multiplier_);
  double sum = 0;
  for (const Body& b : model_.bodies) {
    if (b.velocity_count == 0) continue;
    const double* r = &response_[at(b.v_at - model_.position_count)];
    const bool spatial = b.kind == Body::Kind::spatial || b.kind == Body::Kind::particle;
    sum -= b.mass_kg * (model_.gravity_mps2.x * r[0] + model_.gravity_mps2.y * r[1] +
                        (spatial ? model_.gravity_mps2.z * r[2] : 0));
  }
  return sum;
}

/// The account of an episode. With m the effective mass now and m_0 that at touch, the depth x and the force F,
///   x'' = -F/m + (what all other forces do),  m_0 (v_1^2 - v_0^2)/2 = integral of m_0 x' x''
///     = -integral of F x' + integral of F x' (1 - m_0/m) + m_0 integral of x' (x'' + F/m).
/// The last is split into other contacts and the rest; a force f changes x'' by -r . f, r the response to a unit
/// force at the spot.
void Equations::write_sums(std::span<double> sums) {
  for (std::size_t i = 0; i < contact_now_.size(); ++i) {
    const ContactNow& now = contact_now_[i];
    const Approach& a = now.approach;
    const double rate = a.rate_mps, force = now.force.total_N, mass = state_.contacts[i].record.mass_kg;
    double* z = &sums[i * kSums];
    z[dissipated] = (force - now.force.elastic_N) * rate;
    z[impulse] = force;
    z[friction_work] = now.friction_W;
    response_to(a, response_, response_multiplier_);
    double mobility = along(a, response_);
    if (!(mobility * mass > kImmovable)) mobility = 1 / mass;
    double by_contacts = 0;
    for (std::size_t k = 0; k < contact_now_.size(); ++k) {
      if (k == i) continue;
      const ContactNow& other = contact_now_[k];
      for (const auto& [body, wrench] :
           {std::pair{other.approach.body_a, &other.on_a}, std::pair{other.approach.body_b, &other.on_b}}) {
        const Body& b = model_.bodies[at(body)];
        if (b.velocity_count == 0) continue;
        double reduced[6] = {};
        model::reduce(b, motions_[at(body)], *wrench, reduced);
        for (int d = 0; d < b.velocity_count; ++d)
          by_contacts -= reduced[d] * response_[at(b.v_at - model_.position_count + d)];
      }
    }
    z[other_contacts] = mass * rate * by_contacts;
    z[other_forces] = mass * rate * (depth_acceleration(a) + force * mobility - by_contacts);
    z[mass_change] = force * rate * (1 - mass * mobility);
  }
}

/// The forces that keep the rates of holding contacts at zero: B F = depth accelerations without them, B the
/// mobility between the contacts. Elimination with the largest pivot; a contact that others hold already gets none.
void Equations::hold_contacts() {
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < state_.contacts.size(); ++i)
    if (state_.contacts[i].mode == Mode::holding) held.push_back(i);
  const std::size_t n = held.size();
  if (n == 0) return;
  std::vector<std::vector<double>> response(n), multiplier(n), b(n, std::vector<double>(n + 1));
  for (std::size_t k = 0; k < n; ++k) response_to(contact_now_[held[k]].approach, response[k], multiplier[k]);
  for (std::size_t i = 0; i < n; ++i) {
    const Approach& a = contact_now_[held[i]].approach;
    for (std::size_t k = 0; k < n; ++k) b[i][k] = along(a, response[k]);
    b[i][n] = depth_acceleration(a);
  }
  std::vector<double> force(n, 0.0);
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t i = c + 1; i < n; ++i)
      if (std::abs(b[i][c]) > std::abs(b[pivot][c])) pivot = i;
    std::swap(b[c], b[pivot]);
    if (!(std::abs(b[c][c]) > 0)) continue;
    for (std::size_t i = c + 1; i < n; ++i) {
      const double factor = b[i][c] / b[c][c];
      for (std::size_t k = c; k <= n; ++k) b[i][k] -= factor * b[c][k];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    double sum = b[i][n];
    for (std::size_t k = i + 1; k < n; ++k) sum -= b[i][k] * force[k];
    force[i] = std::abs(b[i][i]) > 0 ? sum / b[i][i] : 0;
  }
  for (std::size_t k = 0; k < n; ++k) {
    ContactNow& now = contact_now_[held[k]];
    const Approach& a = now.approach;
    now.force.total_N = force[k];
    for (std::size_t i = 0; i < acceleration_.size(); ++i) acceleration_[i] += force[k] * response[k][i];
    for (std::size_t i = 0; i < multiplier_.size(); ++i) multiplier_[i] += force[k] * multiplier[k][i];
    for (const auto& [body, g, total] :
         {std::tuple{a.body_a, &a.gap.a, &now.on_a}, std::tuple{a.body_b, &a.gap.b, &now.on_b}}) {
      total->linear += force[k] * g->linear;
      total->angular += force[k] * g->angular;
      if (model_.bodies[at(body)].moves) add_wrench(body, *g, force[k]);
    }
  }
}

double Equations::spring_force_N(std::size_t index, double t_s) const {
  const model::Spring& spring = model_.springs[index];
  if (!state_.switched_on[at(spring.switch_index)]) return 0;
  const geometry::MeasureValue v = measure(spring.lines[0].measure);
  return -spring.lines[0].stiffness * (v.value - spring.rest.at(t_s).value) - spring.lines[0].damping * v.rate;
}

double Equations::channel(int index, double t_s) const {
  const model::Channel& c = model_.channels[at(index)];
  const std::size_t i = at(c.index);
  switch (c.kind) {
    case model::Channel::Kind::body_position: {
      const geometry::BodyMotion& m = motions_[i];
      return (m.p_m + m.R * model_.bodies[i].origin_m)[c.component];
    }
    case model::Channel::Kind::body_velocity: {
      const geometry::BodyMotion& m = motions_[i];
      return model::point_velocity(m, m.R * model_.bodies[i].origin_m)[c.component];
    }
    case model::Channel::Kind::body_turn: return motions_[i].turn_rad;
    case model::Channel::Kind::body_angular_velocity: return motions_[i].w_radps[c.component];
    case model::Channel::Kind::measure_value: return measure(c.index).value;
    case model::Channel::Kind::measure_rate: return measure(c.index).rate;
    case model::Channel::Kind::spring_force:
      return c.component == 1 ? measure(model_.springs[i].lines[0].measure).value : spring_force_N(i, t_s);
    case model::Channel::Kind::contact_depth: return report(i).depth_m;
    case model::Channel::Kind::contact_rate: return report(i).rate_mps;
    case model::Channel::Kind::contact_force: return report(i).force_N;
    case model::Channel::Kind::contact_friction: return report(i).friction_N;
  }
  return 0;
}

void Equations::slope(double t_s, std::span<const double> y, std::span<double> dydt) {
  evaluate(t_s, y);
  model::position_slopes(model_, t_s, y, dydt);
  std::ranges::copy(acceleration_, dydt.begin() + model_.position_count);
  write_memories(y, dydt);
  if (model_.quadrature_count > 0) write_quadratures(t_s, y, dydt.subspan(quadratures_at()));
  write_sums(dydt.subspan(sums_at(0)));
}

void Equations::write_quadratures(double t_s, std::span<const double> y, std::span<double> z) {
  for (std::size_t i = 0; i < model_.springs.size(); ++i) {
    z[at(model_.springs[i].damped_at)] = spring_power_[i].damped_W;
    z[at(model_.springs[i].supplied_at)] = spring_power_[i].supplied_W;
  }
  for (std::size_t i = 0; i < model_.forces.size(); ++i) z[at(model_.forces[i].supplied_at)] = force_power_[i];
  for (std::size_t i = 0; i < rows_.count(); ++i)
    if (rows_.row(i).driver >= 0)
      z[at(model_.drivers[at(rows_.row(i).driver)].supplied_at)] = multiplier_[i] * rows_.target_rate()[i];
  if (!has_moving_bodies_) return;
  // what prescribes a motion supplies the opposite of the power of the forces on that body
  if (rows_.count() > 0) rows_.times(y.subspan(at(model_.position_count), at(model_.velocity_count)), scratch_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    if (!body.moves) continue;
    const geometry::BodyMotion& m = motions_[b];
    double power = -(dot(on_prescribed_[b].linear, m.v_mps) + dot(on_prescribed_[b].angular, m.w_radps));
    for (std::size_t i = 0; i < rows_.count(); ++i) {
      const auto moved_by = [&](const model::Row::Term& term) {
        const geometry::Measure& m_of_term = model_.measures[at(term.measure)];
        return m_of_term.body_a == static_cast<int>(b) || m_of_term.body_b == static_cast<int>(b);
      };
      const model::Row& row = rows_.row(i);
      if (!std::any_of(row.terms.begin(), row.terms.begin() + row.term_count, moved_by)) continue;
      power += multiplier_[i] * (scratch_[i] - rows_.residual_rate()[i] - rows_.target_rate()[i]);
    }
    z[at(body.supplied_at)] = power;
    z[at(body.ghost_at)] = m.v_mps.x;
    z[at(body.ghost_at + 1)] = m.v_mps.y;
    z[at(body.ghost_at + 2)] = m.v_mps.z;
    z[at(body.ghost_at + 3)] = body.motion[3].at(t_s).first;
  }
}

void Equations::note_residuals(double t_s, std::span<const double> y) {
  evaluate_motion(t_s, y);
  rows_.evaluate(t_s, y, motions_, near_);
  worst_position_ = worst_velocity_ = 0;
  for (const double r : rows_.residual()) worst_position_ = std::max(worst_position_, std::abs(r));
  for (const double r : rows_.residual_rate()) worst_velocity_ = std::max(worst_velocity_, std::abs(r));
}

/// One Newton step each, orthogonal in the metric of the masses, with one factorisation for both: what the first
/// step moves is of the size of a local error, and its square is what the old factors are off by.
void Equations::project(double t_s, std::span<double> y) {
  const auto correction = [&](std::span<const double> wrong) -> std::span<const double> {
    for (std::size_t i = 0; i < right_.size(); ++i) right_[i] = -wrong[i];
    rows_.solve(right_, scratch_);
    std::ranges::fill(acceleration_, 0.0);
    rows_.add_response(scratch_, acceleration_);
    return acceleration_;
  };
  evaluate_motion(t_s, y);
  rows_.evaluate(t_s, y, motions_, near_);
  rows_.factor();
  model::displace(model_, correction(rows_.residual()), y);
  note_residuals(t_s, y);
  const std::span<const double> step = correction(rows_.residual_rate());
  for (std::size_t i = 0; i < step.size(); ++i) y[at(model_.position_count) + i] += step[i];
}

std::vector<double> Equations::all_multipliers(double t_s, std::span<const double> y) {
  std::vector<double> out(model_.rows.size(), 0.0);
  if (rows_.count() == model_.rows.size()) {
    for (std::size_t i = 0; i < rows_.count(); ++i) out[at(rows_.row_index(i))] = multiplier_[i];
    return out;
  }
  if (!all_rows_) all_rows_ = std::make_unique<model::Constraints>(model_, model::Constraints::Rows::all);
  all_rows_->evaluate(t_s, y, motions_, near_);
  all_rows_->factor();
  // J M^-1 (J_i^T l_i) of the independent rows is what all rows together must give
  std::vector<double> response(force_.size(), 0.0), right(all_rows_->count());
  rows_.add_response(multiplier_, response);
  all_rows_->times(response, right);
  all_rows_->solve(right, out);
  return out;
}

recording::Energy Equations::energy(double t_s, std::span<const double> y) {
  evaluate_motion(t_s, y);
  recording::Energy e;
  const std::span<const double> z = y.subspan(quadratures_at());
  e.kinetic_J = model::kinetic_J(model_, y);
  e.potential_J = model::potential_J(model_, motions_);
  for (const model::Spring& s : model_.springs) {
    e.damped_J += z[at(s.damped_at)];
    e.by_springs_J += z[at(s.supplied_at)];
    if (!state_.switched_on[at(s.switch_index)]) continue;
    for (std::size_t k = 0; k < s.lines.size(); ++k) {
      const double x = measure(s.lines[k].measure).value - (k == 0 ? s.rest.at(t_s).value : 0);
      e.springs_J += s.lines[k].stiffness * x * x / 2;
    }
  }
  for (const ContactTotals& t : state_.totals) {
    e.lost_in_contacts_J += t.lost_J;
    e.friction_J += t.friction_J;
  }
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    const ContactState& s = state_.contacts[i];
    const double* sums = &y[sums_at(i)];
    const double depth = approach(i).depth_m, deepest = std::max(depth, s.deepest_m);
    if (s.mode != Mode::coasting) e.contacts_J += contact::stored_energy_J(s.law, depth, deepest);
    e.lost_in_contacts_J +=
        sums[dissipated] + contact::plastic_energy_J(s.law, deepest) - s.plastic_at_touch_J + s.given_up_J;
    e.friction_J += sums[friction_work];
  }
  for (const model::Driver& d : model_.drivers) e.by_drivers_J += z[at(d.supplied_at)];
  for (const model::Force& f : model_.forces) e.by_forces_J += z[at(f.supplied_at)];
  for (const Body& b : model_.bodies)
    if (b.moves) e.by_motions_J += z[at(b.supplied_at)];
  e.by_projection_J = state_.projection_J;
  e.by_switches_J = state_.switching_J;
  return e;
}

}  // namespace percuss::dynamics
