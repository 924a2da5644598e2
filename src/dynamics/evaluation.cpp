// Newton and Euler, with multipliers.
#include "percuss/dynamics/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "percuss/base/index.h"
#include "percuss/dynamics/contact_forces.h"
#include "percuss/dynamics/pieces.h"
#include "percuss/dynamics/reading.h"
#include "percuss/dynamics/response.h"
#include "percuss/linear/bounded_forces.h"
#include "percuss/linear/dense.h"

namespace percuss::dynamics {

using model::Body;
using Mode = ContactMode::Mode;

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
      out.motions[i] = model::prescribed_motion(b, {t_s, modes.pieces});
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
    if (spring.has_force) {
      const SpringPull pull = pull_of(model, modes, e, spring);
      const geometry::Measure& m = model.measures[at(spring.lines[0].measure)];
      const geometry::MeasureValue v = measure(model, e, spring.lines[0].measure);
      add_wrench(model, e, m.body_a, v.a, -pull.N);
      add_wrench(model, e, m.body_b, v.b, -pull.N);
      e.springs[i].stored_W = pull.at_rest_N * v.rate;
      e.springs[i].damped_W = (pull.N - pull.at_rest_N) * v.rate;
      continue;
    }
    for (std::size_t k = 0; k < spring.lines.size(); ++k) {
      const model::Spring::Line& line = spring.lines[k];
      const geometry::Measure& m = model.measures[at(line.measure)];
      const geometry::MeasureValue v = measure(model, e, line.measure);
      const expression::Derivatives rest = k == 0 ? spring.rest.at({t_s, modes.pieces}) : expression::Derivatives{};
      const double pull = line.stiffness * (v.value - rest.value);
      const double f = -pull - line.damping * v.rate;
      add_wrench(model, e, m.body_a, v.a, f);
      add_wrench(model, e, m.body_b, v.b, f);
      e.springs[i].damped_W += line.damping * v.rate * v.rate;
      e.springs[i].supplied_W -= pull * rest.first;
    }
  }
}

}  // namespace

void call(const model::Controller& controller, const model::ControllerCall& with) {
  std::string wrong;
  try {
    wrong = controller.call(with);
  } catch (const std::exception& error) {
    wrong = error.what();
  } catch (...) {
    wrong = "an exception that is no std::exception";
  }
  if (!wrong.empty()) throw ControllerError("controller \"" + controller.name + "\": " + wrong);
}

namespace {

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
    const double time_s = c.has_breaks() ? inside(modes.clocks[at(c.clock)], t_s) : t_s;
    if (!workspace.refusals) {
      call(c, {time_s, workspace.reads, states, outputs, rates});
      continue;
    }
    try {
      call(c, {time_s, workspace.reads, states, outputs, rates});
    } catch (const ControllerError& error) {
      *workspace.refusals = error.what();
    }
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
  e.near_singular = !rows.solve(e.rows, right, e.multiplier);
  if (e.near_singular) ++workspace.near_singular;
  rows.add_response(e.rows, e.multiplier, e.acceleration);
}

/// Does friction at a contact that holds grow with its force? That of a contact spring that sticks does not.
bool is_scaled(const ContactMode& c) {
  return c.mode == Mode::holding && c.friction.acts() &&
         !(c.friction.row && c.friction.row->memory == contact::FrictionMemory::contact_spring && !c.slipping);
}

/// Forces beyond their bounds (contacts at rest only push, dry laws have a band) are put there, the worst first.
Eigen::VectorXd forces_with_friction(const Eigen::MatrixXd& mobility, const Eigen::VectorXd& free,
                                     const Eigen::VectorXd& low, const Eigen::VectorXd& high) {
  constexpr double kRank = 1e-10;  // of the largest: redundant contacts share the load
  Eigen::VectorXd force = Eigen::VectorXd::Zero(free.size());
  std::vector<Eigen::Index> active(static_cast<std::size_t>(free.size()));
  std::iota(active.begin(), active.end(), Eigen::Index{0});
  while (!active.empty()) {
    for (const Eigen::Index i : active) force[i] = 0;
    const Eigen::VectorXd left = free - mobility * force;
    const Eigen::VectorXd found = linear::least_squares(linear::picked<Eigen::Dynamic>(mobility, active, active),
                                                        linear::picked<Eigen::Dynamic>(left, active), kRank);
    std::size_t worst = active.size();
    double beyond = 0;
    for (std::size_t k = 0; k < active.size(); ++k) {
      const Eigen::Index i = active[k];
      force[i] = found[static_cast<Eigen::Index>(k)];
      if (const double by = std::max(low[i] - force[i], force[i] - high[i]); by > beyond) worst = k, beyond = by;
    }
    if (worst == active.size()) break;
    force[active[worst]] = std::clamp(force[active[worst]], low[active[worst]], high[active[worst]]);
    active.erase(active.begin() + static_cast<std::ptrdiff_t>(worst));
  }
  return force;
}

/// The forces that keep the rates of held contacts at zero: with the mobility B between them, B F = depth
/// accelerations without them; contacts at rest only push, dry laws give what lies in their band. Redundant ones
/// share the load: one whose force is at its bound leaves the rest to the others, as long as they can take it.
/// Friction at a contact that holds is proportional to the force that holds it: what a unit force does then
/// includes what its friction does, and B is not symmetric.
void hold_contacts(const Model& model, std::span<const double> y, const Modes& modes, Evaluation& e) {
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < modes.contacts.size(); ++i)
    if (modes.contacts[i].is_held()) held.push_back(i);
  const std::size_t n = held.size();
  std::vector<Approach> points;
  points.reserve(n);
  for (const std::size_t contact : held) points.push_back(e.contacts[contact].approach);
  Responses responses = responses_to(model, modes, e, points);
  const auto rows = static_cast<Eigen::Index>(n);
  const auto index = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  Eigen::VectorXd low(rows), high(rows), free(rows);
  std::vector<ContactNow> unit(n);  // the friction of a unit force
  bool with_friction = false;
  for (std::size_t k = 0; k < n; ++k) {
    const ContactMode& c = modes.contacts[held[k]];
    const HeldBand band = held_band_N(c, points[k].depth_m);
    low[index(k)] = band.low;
    high[index(k)] = band.high;
    free[index(k)] = depth_acceleration(model, e, points[k]);
    if (!is_scaled(c)) continue;
    with_friction = true;
    unit[k].approach = points[k];
    unit[k].force.total_N = 1;
    add_friction(model, c, y, e.motions, unit[k]);
    add_response_to(model, modes, e, unit[k], responses.velocity[k], responses.multiplier[k]);
    for (std::size_t i = 0; i < n; ++i)
      responses.mobility(index(i), index(k)) = along(model, e.motions, points[i], responses.velocity[k]);
  }
  const Eigen::VectorXd force =
      with_friction ? forces_with_friction(responses.mobility, free, low, high)
                    : linear::bounded_forces(responses.mobility, -free, low, high, Eigen::VectorXd::Ones(rows));
  for (std::size_t k = 0; k < n; ++k) {
    ContactNow& now = e.contacts[held[k]];
    const Approach& a = now.approach;
    const double f = force[index(k)];
    now.force.total_N = f;
    for (std::size_t i = 0; i < e.acceleration.size(); ++i) e.acceleration[i] += f * responses.velocity[k][i];
    for (std::size_t i = 0; i < e.multiplier.size(); ++i) e.multiplier[i] += f * responses.multiplier[k][i];
    if (is_scaled(modes.contacts[held[k]])) {
      now.slip_mps = unit[k].slip_mps;
      now.friction_N = f * unit[k].friction_N;
      now.friction_W = f * unit[k].friction_W;
    }
    for (const auto& [body, g, own, total] : {std::tuple{a.body_a, &a.gap.a, &unit[k].on_a, &now.on_a},
                                              std::tuple{a.body_b, &a.gap.b, &unit[k].on_b, &now.on_b}}) {
      const geometry::Gradient push{f * (g->linear + own->linear), f * (g->angular + own->angular)};
      total->linear += push.linear;
      total->angular += push.angular;
      if (model.bodies[at(body)].moves) add_wrench(model, e, body, push, 1);
    }
  }
}

}  // namespace

namespace {

/// Quantities of the sites that slide, at places near the state.
void read_sliding(const Model& model, const Modes& modes, const Evaluation& e, Eigen::VectorXd& out) {
  const auto n = static_cast<Eigen::Index>(modes.sliding.size());
  out.resize(n);
  each_function(model, [&](const model::Function& f) {
    if (!f.is_piecewise()) return;
    const bool any = std::ranges::any_of(
        modes.sliding, [&f](int site) { return site >= f.pieces_at && at(site - f.pieces_at) < f.sites.size(); });
    if (!any) return;
    double slots[kMostSlots];
    f.program.evaluate_on(read_slots(model, modes, e, f, slots), f.own(modes.pieces),
                          [&](std::size_t k, const expression::Instruction&, double q) {
                            for (Eigen::Index i = 0; i < n; ++i)
                              if (modes.sliding[static_cast<std::size_t>(i)] == f.pieces_at + static_cast<int>(k))
                                out[i] = q;
                          });
  });
}

/// Filippov's motion along the places where comparisons change: shares x in [-1, 1] of the two pieces of each, such
/// that the rates of their quantities are zero. The accelerations are linear in the shares (to this order), so are
/// the rates: r(x) = r(0) + A x. Rates by central differences along the slope of the whole state.
void evaluate_sliding(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
                      Workspace& workspace, Evaluation& e, OfContacts keep) {
  constexpr double kAside_s = 1.0 / 16384;
  constexpr double kNoEffect = 1e-12;
  Modes trial = modes;
  trial.sliding.clear();
  trial.slides_between.clear();
  const auto n = static_cast<Eigen::Index>(modes.sliding.size());
  std::vector<double> slope(y.size()), aside(y.size());
  Evaluation there;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n), left, right;
  const auto try_shares = [&] {
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto [below, above] = modes.slides_between[static_cast<std::size_t>(i)];
      trial.pieces[at(modes.sliding[static_cast<std::size_t>(i)])] = below + (above - below) * (1 + x[i]) / 2;
    }
    evaluate(model, t_s, y, trial, workspace, e, keep);
  };
  const auto rates = [&] {
    try_shares();
    write_slopes(model, y, trial, e, workspace, slope);
    for (const double side : {-1.0, 1.0}) {
      for (std::size_t k = 0; k < y.size(); ++k) aside[k] = y[k] + side * kAside_s * slope[k];
      place(model, t_s + side * kAside_s, aside, trial, workspace, there);
      read_sliding(model, modes, there, side < 0 ? left : right);
    }
    return Eigen::VectorXd((right - left) / (2 * kAside_s));
  };
  const Eigen::VectorXd free = rates();
  Eigen::MatrixXd A(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    x.setZero();
    x[i] = 1;
    A.col(i) = rates() - free;
  }
  x = linear::least_squares(A, -free, kNoEffect);
  try_shares();
  e.shares.assign(x.data(), x.data() + n);
}

}  // namespace

void evaluate(const Model& model, double t_s, std::span<const double> y, const Modes& modes, Workspace& workspace,
              Evaluation& e, OfContacts keep) {
  if (!modes.sliding.empty()) return evaluate_sliding(model, t_s, y, modes, workspace, e, keep);
  ++workspace.evaluations;
  Profile* const profile = workspace.profile;
  {
    const Timed timed(profile, Profile::place);
    place_and_load(model, t_s, y, modes, workspace, e);
    if (workspace.has_moving_bodies) e.on_prescribed.assign(model.bodies.size(), geometry::Gradient{});
  }
  if (!model.springs.empty()) {
    const Timed timed(profile, Profile::springs);
    add_springs(model, t_s, modes, e);
  }
  bool any_held = false;
  {
    const Timed timed(profile, Profile::contacts);
    any_held = add_contacts(model, y, modes, workspace, e, keep);
  }
  if (!model.forces.empty() || !model.controllers.empty()) {
    const Timed timed(profile, Profile::forces);
    if (!model.controllers.empty()) call_controllers(model, t_s, y, modes, workspace, e);
    add_forces(model, modes, e);
  }
  const model::RowLayout& rows = *modes.rows;
  if (rows.count() > 0) {
    const Timed timed(profile, Profile::rows);
    rows.evaluate(model, moment_of(t_s, modes), y, e.motions, e.near_rad, e.rows);
    rows.factor(e.rows);
  }
  {
    const Timed timed(profile, Profile::solve);
    solve(model, modes, workspace, e);
  }
  if (!any_held) return;
  const Timed timed(profile, Profile::held);
  hold_contacts(model, y, modes, e);
}

const Evaluation& evaluate(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
                           Workspace& workspace) {
  evaluate(model, t_s, y, modes, workspace, workspace.result);
  return workspace.result;
}

void write_slopes(const Model& model, std::span<const double> y, const Modes& modes, const Evaluation& e,
                  Workspace& workspace, std::span<double> dydt) {
  model::position_slopes(model, {e.t_s, modes.pieces}, y, dydt);
  std::ranges::copy(e.acceleration, dydt.begin() + model.position_count);
  if (workspace.has_moving_bodies)
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const Body& body = model.bodies[b];
      if (!body.moves) continue;
      const Vec3& v = e.motions[b].v_mps;
      double* d = &dydt[at(body.followed_at)];
      d[0] = v.x, d[1] = v.y, d[2] = v.z;
      d[3] = body.motion[3].at({e.t_s, modes.pieces}).first;
    }
  if (model.controlled_count > 0)
    std::ranges::copy(e.controller_rates,
                      dydt.begin() + static_cast<std::ptrdiff_t>(model.unknowns()) - model.controlled_count);
  write_memory_slopes(model, y, modes, e, dydt);
}

}  // namespace percuss::dynamics
