// Newton and Euler, with multipliers.
#include "percuss/dynamics/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "percuss/base/index.h"
#include "percuss/dynamics/contact_forces.h"
#include "percuss/dynamics/reading.h"
#include "percuss/dynamics/response.h"
#include "percuss/percussion/bounded_forces.h"

namespace percuss::dynamics {

using model::Body;
using Mode = ContactMode::Mode;

namespace {

constexpr int kMostRounds = 60;     // of friction at contacts that hold
constexpr double kSettled = 1e-15;  // of the force

}  // namespace

Workspace::Workspace(const Model& model) {
  for (const Body& b : model.bodies) has_moving_bodies = has_moving_bodies || b.moves;
  for (std::size_t m = 0; m < model.measures.size(); ++m)
    if (model.measures[m].kind == geometry::Measure::Kind::angle) angles.push_back(static_cast<int>(m));
}

namespace {
/// `put` places a body that has unknowns.
template <class Put>
void place_with(const Model& model, double t_s, const Modes& modes, const Workspace& workspace, Evaluation& out,
                Put&& put) {
  out.t_s = t_s;
  const bool first = out.motions.size() != model.bodies.size();
  out.motions.resize(model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& b = model.bodies[i];
    if (b.kind != Body::Kind::prescribed)
      put(b, out.motions[i]);
    else if (b.moves || first)
      out.motions[i] = model::prescribed_motion(b, t_s);
  }
  if (out.near_rad.size() != model.measures.size()) out.near_rad.assign(model.measures.size(), 0.0);
  for (const int m : workspace.angles)
    out.near_rad[at(m)] = modes.angle_rad[at(m)] + modes.angle_rate[at(m)] * (t_s - modes.angle_time_s);
}
}  // namespace

void place(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
           const Workspace& workspace, Evaluation& out) {
  place_with(model, t_s, modes, workspace, out, [&](const Body& b, geometry::BodyMotion& m) {
    model::place_body(b, &y[at(b.q_at)], &y[at(b.v_at)], m);
  });
}

void add_wrench(const Model& model, Evaluation& e, int body, const geometry::Gradient& g, double factor) {
  const Body& b = model.bodies[at(body)];
  if (b.kind == Body::Kind::prescribed) {
    if (!b.moves) return;
    e.on_prescribed[at(body)].linear += factor * g.linear;
    e.on_prescribed[at(body)].angular += factor * g.angular;
    return;
  }
  double reduced[6] = {};
  model::reduce(b, e.motions[at(body)], g, reduced);
  double* f = &e.force[at(b.v_at - model.position_count)];
  for (int k = 0; k < b.velocity_count; ++k) f[k] += factor * reduced[k];
}

namespace {

/// Gravity, and Euler's w x I w in body axes: what a body feels by itself.
inline void put_own_force(const Model& model, const Body& b, const double* v, double* f) {
  f[0] = b.mass_kg * model.gravity_mps2.x;
  f[1] = b.mass_kg * model.gravity_mps2.y;
  switch (b.kind) {
    case Body::Kind::spatial: {
      f[2] = b.mass_kg * model.gravity_mps2.z;
      const Vec3 w{v[3], v[4], v[5]}, gyro = cross(b.inertia_kgm2 * w, w);
      f[3] = gyro.x, f[4] = gyro.y, f[5] = gyro.z;
      break;
    }
    case Body::Kind::particle: f[2] = b.mass_kg * model.gravity_mps2.z; break;
    case Body::Kind::planar: f[2] = 0; break;
    default: break;
  }
}

/// Places the bodies and begins their forces, in one pass.
void place_and_load(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
                    const Workspace& workspace, Evaluation& e) {
  e.force.resize(at(model.velocity_count));
  place_with(model, t_s, modes, workspace, e, [&](const Body& b, geometry::BodyMotion& m) {
    const double* v = &y[at(b.v_at)];
    model::place_body(b, &y[at(b.q_at)], v, m);
    put_own_force(model, b, v, &e.force[at(b.v_at - model.position_count)]);
  });
}

void add_springs(const Model& model, double t_s, const Modes& modes, Evaluation& e) {
  e.springs.resize(model.springs.size());
  for (std::size_t i = 0; i < model.springs.size(); ++i) {
    const model::Spring& spring = model.springs[i];
    e.springs[i] = {};
    if (!modes.switched_on[at(spring.switch_index)]) continue;
    for (std::size_t k = 0; k < spring.lines.size(); ++k) {
      const model::Spring::Line& line = spring.lines[k];
      const geometry::Measure& m = model.measures[at(line.measure)];
      const geometry::MeasureValue v = measure(model, e, line.measure);
      const expression::Derivatives rest = k == 0 ? spring.rest.at(t_s) : expression::Derivatives{};
      const double pull = line.stiffness * (v.value - rest.value);
      const double f = -pull - line.damping * v.rate;
      add_wrench(model, e, m.body_a, v.a, f);
      add_wrench(model, e, m.body_b, v.b, f);
      e.springs[i].damped_W += line.damping * v.rate * v.rate;
      e.springs[i].supplied_W -= pull * rest.first;
    }
  }
}

/// Outputs of the controllers: those that are sampled hold theirs.
void call_controllers(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
                      Workspace& workspace, Evaluation& e) {
  e.outputs.assign(modes.held_outputs.begin(), modes.held_outputs.end());
  e.controller_rates.assign(at(model.controlled_count), 0.0);
  const std::size_t first_state = model.unknowns() - at(model.controlled_count);
  for (const model::Controller& c : model.controllers) {
    if (c.every_s > 0) continue;
    const std::span<double> outputs = std::span(e.outputs).subspan(at(c.first_output), c.outputs);
    if (!c.call) {
      for (std::size_t i = 0; i < c.outputs; ++i) outputs[i] = value_of(model, modes, e, c.functions[i]);
      continue;
    }
    read_channels(model, modes, e, c.reads, workspace.reads);
    const std::span<const double> states =
        c.start.empty() ? std::span<const double>() : y.subspan(at(c.states_at), c.start.size());
    const std::span<double> rates =
        c.start.empty() ? std::span<double>()
                        : std::span(e.controller_rates).subspan(at(c.states_at) - first_state, c.start.size());
    const std::string wrong = c.call({t_s, workspace.reads, states, outputs, rates});
    if (!wrong.empty()) throw ControllerError("controller \"" + c.name + "\": " + wrong);
  }
}

void add_forces(const Model& model, const Modes& modes, Evaluation& e) {
  e.force_power_W.resize(model.forces.size());
  for (std::size_t i = 0; i < model.forces.size(); ++i) {
    const model::Force& force = model.forces[i];
    e.force_power_W[i] = 0;
    if (!modes.switched_on[at(force.switch_index)]) continue;
    if (force.measure >= 0) {
      const geometry::Measure& m = model.measures[at(force.measure)];
      const geometry::MeasureValue v = measure(model, e, force.measure);
      const double f = value_of(model, modes, e, force.force[0]);
      add_wrench(model, e, m.body_a, v.a, f);
      add_wrench(model, e, m.body_b, v.b, f);
      e.force_power_W[i] = f * v.rate;
      continue;
    }
    const auto vector = [&](const std::array<model::Function, 3>& of) {
      return Vec3{value_of(model, modes, e, of[0]), value_of(model, modes, e, of[1]),
                  value_of(model, modes, e, of[2])};
    };
    Vec3 f = vector(force.force), torque = vector(force.torque);
    const geometry::BodyMotion& m = e.motions[at(force.body)];
    if (force.in_body_axes) {
      f = m.R * f;
      torque = m.R * torque;
    }
    torque += cross(m.R * force.point_m, f);
    add_wrench(model, e, force.body, {f, torque}, 1);
    e.force_power_W[i] = dot(f, m.v_mps) + dot(torque, m.w_radps);
  }
}

/// (J M^-1 J^T) l = wanted - J M^-1 f,  a = M^-1 (f + J^T l).
void solve(const Model& model, const Modes& modes, Workspace& workspace, Evaluation& e) {
  e.acceleration.resize(e.force.size());
  for (const Body& b : model.bodies)
    if (b.velocity_count > 0) {
      const std::size_t place = at(b.v_at - model.position_count);
      model::respond(b, &e.force[place], &e.acceleration[place]);
    }
  const model::RowLayout& rows = *modes.rows;
  e.multiplier.resize(rows.count());
  if (rows.count() == 0) return;
  std::vector<double>& right = workspace.right;
  right.resize(rows.count());
  rows.times(e.rows, e.acceleration, right);
  const double rate = model.baumgarte_radps;
  for (std::size_t i = 0; i < right.size(); ++i) {
    right[i] = e.rows.wanted[i] - right[i];
    if (rate > 0) right[i] -= rate * (2 * e.rows.residual_rate[i] + rate * e.rows.residual[i]);
  }
  rows.solve(e.rows, right, e.multiplier);
  rows.add_response(e.rows, e.multiplier, e.acceleration);
}

/// The forces that keep the rates of held contacts at zero: with the mobility B between them, B F = depth
/// accelerations without them; contacts at rest only push. Redundant ones share the load. Friction at a contact
/// that holds depends on the force that holds it, and changes what that must be: both are found in turn, until they
/// settle.
void hold_contacts(const Model& model, std::span<const double> y, const Modes& modes, Workspace& workspace,
                   Evaluation& e) {
  if (std::ranges::none_of(modes.contacts, &ContactMode::is_held)) return;
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < modes.contacts.size(); ++i)
    if (modes.contacts[i].is_held()) held.push_back(i);
  const std::size_t n = held.size();
  std::vector<Approach> points;
  points.reserve(n);
  for (const std::size_t contact : held) points.push_back(e.contacts[contact].approach);
  const Responses responses = responses_to(model, modes, e, points);
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const auto rows = static_cast<Eigen::Index>(n);
  Eigen::VectorXd low(rows), force = Eigen::VectorXd::Zero(rows);
  const auto index = [](Eigen::Index i) { return static_cast<std::size_t>(i); };
  for (Eigen::Index i = 0; i < rows; ++i) low[i] = modes.contacts[held[index(i)]].mode == Mode::resting ? 0 : -kAny;
  bool with_friction = false;
  for (const std::size_t i : held)
    with_friction = with_friction || (modes.contacts[i].mode == Mode::holding && modes.contacts[i].friction.acts());
  const std::vector<double> applied = with_friction ? e.force : std::vector<double>();
  const std::vector<geometry::Gradient> on_prescribed =
      with_friction ? e.on_prescribed : std::vector<geometry::Gradient>();
  for (int round = 0;; ++round) {
    if (round > 0) {  // once more, with the friction of the forces found
      e.force = applied;
      e.on_prescribed = on_prescribed;
      for (const std::size_t i : held) {
        ContactNow& now = e.contacts[i];
        if (modes.contacts[i].mode != Mode::holding) continue;
        now.on_a = now.on_b = {};
        add_friction(model, modes.contacts[i], y, e.motions, now);
        add_wrench(model, e, now.approach.body_a, now.on_a, 1);
        add_wrench(model, e, now.approach.body_b, now.on_b, 1);
      }
      solve(model, modes, workspace, e);
    }
    Eigen::VectorXd free(rows);
    for (Eigen::Index i = 0; i < rows; ++i) free[i] = depth_acceleration(model, e, points[index(i)]);
    const Eigen::VectorXd before = force;
    force = percussion::bounded_forces(responses.mobility, -free, low, Eigen::VectorXd::Constant(rows, kAny),
                                       Eigen::VectorXd::Ones(rows));
    for (std::size_t k = 0; k < n; ++k) e.contacts[held[k]].force.total_N = force[static_cast<Eigen::Index>(k)];
    const double change = (force - before).cwiseAbs().maxCoeff();
    if (!with_friction || round == kMostRounds || change <= kSettled * force.cwiseAbs().maxCoeff()) break;
  }
  for (std::size_t k = 0; k < n; ++k) {
    ContactNow& now = e.contacts[held[k]];
    const Approach& a = now.approach;
    const double f = force[static_cast<Eigen::Index>(k)];
    for (std::size_t i = 0; i < e.acceleration.size(); ++i) e.acceleration[i] += f * responses.velocity[k][i];
    for (std::size_t i = 0; i < e.multiplier.size(); ++i) e.multiplier[i] += f * responses.multiplier[k][i];
    for (const auto& [body, g, total] :
         {std::tuple{a.body_a, &a.gap.a, &now.on_a}, std::tuple{a.body_b, &a.gap.b, &now.on_b}}) {
      total->linear += f * g->linear;
      total->angular += f * g->angular;
      if (model.bodies[at(body)].moves) add_wrench(model, e, body, *g, f);
    }
  }
}

}  // namespace

void evaluate(const Model& model, double t_s, std::span<const double> y, const Modes& modes, Workspace& workspace,
              Evaluation& e) {
  ++workspace.evaluations;
  place_and_load(model, t_s, y, modes, workspace, e);
  if (workspace.has_moving_bodies) e.on_prescribed.assign(model.bodies.size(), geometry::Gradient{});
  if (!model.springs.empty()) add_springs(model, t_s, modes, e);
  add_contacts(model, y, modes, workspace, e);
  if (!model.controllers.empty()) call_controllers(model, t_s, y, modes, workspace, e);
  if (!model.forces.empty()) add_forces(model, modes, e);
  const model::RowLayout& rows = *modes.rows;
  if (rows.count() > 0) {
    rows.evaluate(model, t_s, y, e.motions, e.near_rad, e.rows);
    rows.factor(e.rows, modes.pivot_floor);
    if (e.rows.near_singular) ++workspace.near_singular;
  }
  solve(model, modes, workspace, e);
  hold_contacts(model, y, modes, workspace, e);
}

const Evaluation& evaluate(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
                           Workspace& workspace) {
  evaluate(model, t_s, y, modes, workspace, workspace.result);
  return workspace.result;
}

void write_slopes(const Model& model, std::span<const double> y, const Modes& modes, const Evaluation& e,
                  Workspace& workspace, std::span<double> dydt) {
  model::position_slopes(model, e.t_s, y, dydt);
  std::ranges::copy(e.acceleration, dydt.begin() + model.position_count);
  if (workspace.has_moving_bodies)
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const Body& body = model.bodies[b];
      if (!body.moves) continue;
      const Vec3& v = e.motions[b].v_mps;
      double* d = &dydt[at(body.followed_at)];
      d[0] = v.x, d[1] = v.y, d[2] = v.z;
      d[3] = body.motion[3].at(e.t_s).first;
    }
  if (model.controlled_count > 0)
    std::ranges::copy(e.controller_rates,
                      dydt.begin() + static_cast<std::ptrdiff_t>(model.unknowns()) - model.controlled_count);
  write_memory_slopes(model, y, modes, e, dydt);
}

}  // namespace percuss::dynamics
