// Newton and Euler, with multipliers.
#include "percuss/dynamics/equations.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"

namespace percuss::dynamics {

using model::Body;
using Mode = ContactState::Mode;

State initial_state(const model::Model& model) {
  State s;
  s.y = model.start;
  s.contacts.resize(model.contacts.size());
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
  contact_now_.resize(model.contacts.size());
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
  return geometry::evaluate(m, motions_[at(m.body_a)], motions_[at(m.body_b)], near_[at(index)]);
}

void Equations::add_wrench(int body, const geometry::Gradient& g, double factor) {
  const Body& b = model_.bodies[at(body)];
  if (b.kind == Body::Kind::prescribed) {
    if (!b.moves) return;
    on_prescribed_[at(body)].linear += factor * g.linear;
    on_prescribed_[at(body)].angular += factor * g.angular;
    return;
  }
  double reduced[6];
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
  add_contacts();
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

Approach Equations::approach(std::size_t contact) const {
  const model::Contact& c = model_.contacts[contact];
  Approach a;
  a.gap = measure(c.measure);
  a.depth_m = -(c.sign * a.gap.value + c.offset_m);
  a.rate_mps = -c.sign * a.gap.rate;
  return a;
}

namespace {
contact::Indentation<> indentation(const ContactState& s, const Approach& a) {
  const bool dry = std::holds_alternative<contact::Dry<>>(s.law.shape);
  return {a.depth_m, dry ? (s.loading ? 1.0 : -1.0) : a.rate_mps, s.deepest_m};
}
}  // namespace

contact::NormalForce<> Equations::contact_force(std::size_t contact, const Approach& a) const {
  const ContactState& s = state_.contacts[contact];
  if (s.mode == Mode::apart) return {};
  if (s.mode == Mode::coasting) return {};
  contact::NormalForce<> f = contact::force_parts(s.law, indentation(s, a));
  if (s.mode == Mode::holding) f.total_N = contact_now_[contact].force.total_N;
  return f;
}

double Equations::raw_force_N(std::size_t contact, const Approach& a) const {
  const ContactState& s = state_.contacts[contact];
  return contact::force_parts(s.raw_law, indentation(s, a)).total_N;
}

void Equations::add_contacts() {
  for (std::size_t i = 0; i < model_.contacts.size(); ++i) {
    ContactPower& now = contact_now_[i];
    now = {};
    if (state_.contacts[i].mode == Mode::apart) continue;
    now.approach = approach(i);
    now.force =
        contact_force(i, now.approach);  // of a holding one the elastic part; the rest follows from the motion
    const model::Contact& c = model_.contacts[i];
    const geometry::Measure& m = model_.measures[at(c.measure)];
    add_wrench(m.body_a, now.approach.gap.a, c.sign * now.force.total_N);
    add_wrench(m.body_b, now.approach.gap.b, c.sign * now.force.total_N);
  }
}

namespace {
constexpr double kImmovable = 1e-10;  // mobility over that without joints: the joints hold the contact still

/// g . u for the gradient g of a measure in the unknowns of its bodies.
double along(const model::Model& model, const model::Motions& motions, const geometry::Measure& m,
             const geometry::MeasureValue& v, std::span<const double> u) {
  double sum = 0;
  for (const auto& [body, g] : {std::pair{m.body_a, &v.a}, std::pair{m.body_b, &v.b}}) {
    const Body& b = model.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6];
    model::reduce(b, motions[at(body)], *g, reduced);
    for (int k = 0; k < b.velocity_count; ++k) sum += reduced[k] * u[at(b.v_at - model.position_count + k)];
  }
  return sum;
}
}  // namespace

double Equations::depth_acceleration(const Approach& a, std::size_t contact) const {
  const model::Contact& c = model_.contacts[contact];
  return -c.sign * (a.gap.bias + along(model_, motions_, model_.measures[at(c.measure)], a.gap, acceleration_));
}

/// Accelerations that a unit force along the gradient g of the measure causes in the constrained system:
/// M^-1 g^T - M^-1 J^T x, (J M^-1 J^T) x = J M^-1 g^T. `multiplier` becomes -x.
std::vector<double> Equations::response_to(std::size_t contact, const Approach& a,
                                           std::vector<double>& multiplier) const {
  const geometry::Measure& m = model_.measures[at(model_.contacts[contact].measure)];
  std::vector<double> response(force_.size(), 0.0);
  for (const auto& [body, g] : {std::pair{m.body_a, &a.gap.a}, std::pair{m.body_b, &a.gap.b}}) {
    const Body& b = model_.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6];
    model::reduce(b, motions_[at(body)], *g, reduced);
    model::respond(b, reduced, &response[at(b.v_at - model_.position_count)]);
  }
  multiplier.assign(rows_.count(), 0.0);
  if (rows_.count() == 0) return response;
  std::vector<double> coupling(rows_.count());
  rows_.times(response, coupling);
  rows_.solve(coupling, multiplier);
  for (double& x : multiplier) x = -x;
  rows_.add_response(multiplier, response);
  return response;
}

double Equations::effective_mass_kg(std::size_t contact, const Approach& a) const {
  std::vector<double> multiplier;
  const std::vector<double> response = response_to(contact, a, multiplier);
  const geometry::Measure& m = model_.measures[at(model_.contacts[contact].measure)];
  const double inverse = along(model_, motions_, m, a.gap, response);
  double free = 0;  // without the joints
  for (const auto& [body, g] : {std::pair{m.body_a, &a.gap.a}, std::pair{m.body_b, &a.gap.b}}) {
    const Body& b = model_.bodies[at(body)];
    double reduced[6], out[6];
    model::reduce(b, motions_[at(body)], *g, reduced);
    model::respond(b, reduced, out);
    for (int k = 0; k < b.velocity_count; ++k) free += reduced[k] * out[k];
  }
  return 1 / (inverse > kImmovable * free ? inverse : free);
}

/// The forces that keep the rates of holding contacts at zero: B F = depth accelerations without them, B the
/// mobility between the contacts. Elimination with the largest pivot; a contact that others hold already gets none.
void Equations::hold_contacts() {
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < model_.contacts.size(); ++i)
    if (state_.contacts[i].mode == Mode::holding) held.push_back(i);
  const std::size_t n = held.size();
  if (n == 0) return;
  std::vector<std::vector<double>> response(n), multiplier(n), b(n, std::vector<double>(n + 1));
  for (std::size_t k = 0; k < n; ++k)
    response[k] = response_to(held[k], contact_now_[held[k]].approach, multiplier[k]);
  for (std::size_t i = 0; i < n; ++i) {
    const Approach& a = contact_now_[held[i]].approach;
    const model::Contact& c = model_.contacts[held[i]];
    for (std::size_t k = 0; k < n; ++k)
      b[i][k] = along(model_, motions_, model_.measures[at(c.measure)], a.gap, response[k]) * c.sign *
                model_.contacts[held[k]].sign;
    b[i][n] = depth_acceleration(a, held[i]);
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
    const model::Contact& c = model_.contacts[held[k]];
    const geometry::Measure& m = model_.measures[at(c.measure)];
    contact_now_[held[k]].force.total_N = force[k];
    for (std::size_t i = 0; i < acceleration_.size(); ++i) acceleration_[i] += c.sign * force[k] * response[k][i];
    for (std::size_t i = 0; i < multiplier_.size(); ++i) multiplier_[i] += c.sign * force[k] * multiplier[k][i];
    for (const auto& [body, g] : {std::pair{m.body_a, &contact_now_[held[k]].approach.gap.a},
                                  std::pair{m.body_b, &contact_now_[held[k]].approach.gap.b}})
      if (model_.bodies[at(body)].moves) add_wrench(body, *g, c.sign * force[k]);
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
    case model::Channel::Kind::contact_depth: return approach(i).depth_m;
    case model::Channel::Kind::contact_rate: return approach(i).rate_mps;
    case model::Channel::Kind::contact_force: return contact_force(i, approach(i)).total_N;
  }
  return 0;
}

void Equations::slope(double t_s, std::span<const double> y, std::span<double> dydt) {
  evaluate(t_s, y);
  model::position_slopes(model_, t_s, y, dydt);
  std::ranges::copy(acceleration_, dydt.begin() + model_.position_count);
  if (model_.quadrature_count > 0)
    write_quadratures(t_s, y, dydt.subspan(at(model_.position_count + model_.velocity_count)));
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
  for (std::size_t i = 0; i < model_.contacts.size(); ++i) {
    const model::Contact& c = model_.contacts[i];
    const ContactPower& now = contact_now_[i];
    const double rate = now.approach.rate_mps;
    z[at(c.dissipated_at)] = (now.force.total_N - now.force.elastic_N) * rate;
    z[at(c.impulse_at)] = now.force.total_N;
    z[at(c.other_work_at)] = 0;
    if (state_.contacts[i].mode != Mode::apart)
      z[at(c.other_work_at)] =
          rate * (state_.contacts[i].record.mass_kg * depth_acceleration(now.approach, i) + now.force.total_N);
  }
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
  const std::span<const double> z = y.subspan(at(model_.position_count + model_.velocity_count));
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
  for (std::size_t i = 0; i < model_.contacts.size(); ++i) {
    const ContactState& s = state_.contacts[i];
    e.lost_in_contacts_J += z[at(model_.contacts[i].dissipated_at)] + s.plastic_base_J + s.given_up_J;
    if (s.mode == Mode::apart) continue;
    const double depth = approach(i).depth_m, deepest = std::max(depth, s.deepest_m);
    if (s.mode != Mode::coasting) e.contacts_J += contact::stored_energy_J(s.law, depth, deepest);
    e.lost_in_contacts_J += contact::plastic_energy_J(s.law, deepest);
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
