// Newton and Euler, with multipliers.
#include "percuss/dynamics/equations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "percuss/base/index.h"
#include "percuss/dynamics/strike.h"
#include "percuss/percussion/bounded_forces.h"

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

void Equations::project_rest(double t_s, std::span<double> y) {
  std::vector<std::size_t> resting;
  for (std::size_t i = 0; i < state_.contacts.size() && i < contact_now_.size(); ++i)
    if (state_.contacts[i].mode == Mode::resting && contact_now_[i].force.total_N > 0) resting.push_back(i);
  if (resting.empty()) return;
  const auto n = static_cast<Eigen::Index>(resting.size());
  evaluate_motion(t_s, y);
  std::vector<Approach> points;
  points.reserve(resting.size());
  for (const std::size_t contact : resting) points.push_back(approach(contact));
  const Responses responses = responses_to(*this, points);
  std::vector<double> step(at(model_.velocity_count));
  Eigen::VectorXd depth(n);
  for (Eigen::Index i = 0; i < n; ++i) depth[i] = points[static_cast<std::size_t>(i)].depth_m;
  const Eigen::MatrixXd inverse = percussion::weighted_inverse(responses.mobility, Eigen::VectorXd::Ones(n));
  const auto correction = [&](const Eigen::VectorXd& wrong) -> std::span<const double> {
    const Eigen::VectorXd x = inverse * wrong;
    std::ranges::fill(step, 0.0);
    for (std::size_t k = 0; k < resting.size(); ++k)
      for (std::size_t c = 0; c < step.size(); ++c)
        step[c] += x[static_cast<Eigen::Index>(k)] * responses.velocity[k][c];
    return step;
  };
  model::displace(model_, correction(depth), y);
  evaluate_motion(t_s, y);
  Eigen::VectorXd rate(n);
  for (Eigen::Index i = 0; i < n; ++i) rate[i] = approach(resting[static_cast<std::size_t>(i)]).rate_mps;
  const std::span<const double> by = correction(rate);
  for (std::size_t c = 0; c < by.size(); ++c) y[at(model_.position_count) + c] += by[c];
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
}  // namespace percuss::dynamics
