// Stiffness and damping from differences of the engine's own evaluation.
#include "percuss/dynamics/linearisation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/projection.h"
#include "percuss/linear/dense.h"
#include "percuss/linear/spectrum.h"

namespace percuss::dynamics {

using model::Body;

namespace {

Eigen::Index eigen_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

std::size_t velocity_at(const Model& model, const Body& b) { return at(b.v_at - model.position_count); }

std::span<const double> column(const Eigen::MatrixXd& m, Eigen::Index j) {
  return {m.col(j).data(), static_cast<std::size_t>(m.rows())};
}

Vec3 linear_of(const Body& b, const double* u) {
  return {u[0], u[1], b.velocity_count % 3 == 0 && b.kind != Body::Kind::planar ? u[2] : 0};
}

Vec3 turn_of(const Body& b, const double* u) {
  if (b.kind == Body::Kind::spatial) return {u[3], u[4], u[5]};
  return {0, 0, b.kind == Body::Kind::planar ? u[2] : 0};
}

bool is_stuck(const ContactMode& c, std::span<const double> y, const Approach& a) {
  constexpr double kInside = 1 - 1e-9;
  const double* z = &y[at(c.memory_at)];
  return !c.slipping && norm(Vec3{z[0], z[1], z[2]}) < kInside * memory_limit_m(c, a);
}

/// Bristles that do not yield, however slow or fast.
Modes without_yielding(Modes modes) {
  constexpr double kNever_mps = 1e30;
  for (ContactMode& c : modes.contacts) c.still_mps = kNever_mps;
  return modes;
}

}  // namespace

Model held_at(const Model& model, double t_s, const Modes& modes) {
  Model held = model;
  const auto hold = [&](model::Function& f, bool is_rate) {
    const double value = is_rate ? 0 : f.at({t_s, modes.pieces}).value;
    f = {};
    f.value = value;
  };
  for (model::Driver& d : held.drivers) hold(d.function, d.by_rate);
  for (Body& b : held.bodies)
    for (model::Function& f : b.motion) hold(f, false);
  held.baumgarte_radps = 0;
  return held;
}

std::vector<double> mass_times(const Model& model, std::span<const double> u) {
  std::vector<double> out(u.size());
  for (const Body& b : model.bodies) {
    if (b.velocity_count == 0) continue;
    const std::size_t place = velocity_at(model, b);
    for (int k = 0; k < b.velocity_count; ++k) out[place + at(k)] = b.mass_kg * u[place + at(k)];
    if (b.kind == Body::Kind::planar) out[place + 2] = b.inertia_kgm2.row[2].z * u[place + 2];
    if (b.kind == Body::Kind::spatial) {
      const Vec3 l = b.inertia_kgm2 * turn_of(b, &u[place]);
      out[place + 3] = l.x, out[place + 4] = l.y, out[place + 5] = l.z;
    }
  }
  return out;
}

Eigen::MatrixXd free_directions(const Model& model, const Modes& modes, const Evaluation& e) {
  const model::RowLayout& rows = *modes.rows;
  const Eigen::Index n = model.velocity_count;
  Eigen::MatrixXd free = Eigen::MatrixXd::Identity(n, n);
  if (rows.count() > 0) {
    Eigen::MatrixXd j = Eigen::MatrixXd::Zero(eigen_index(rows.count()), n);
    for (std::size_t i = 0; i < rows.count(); ++i) {
      for (const auto& slot : rows.slots(i))
        for (int k = 0; k < slot.size; ++k) j(eigen_index(i), slot.v_at + k) = e.rows.jacobian[at(slot.at + k)];
      if (const double size = j.row(eigen_index(i)).norm(); size > 0) j.row(eigen_index(i)) /= size;
    }
    free = linear::null_space(j);
  }
  // Gram and Schmidt in the metric of the masses, twice: then it is orthonormal to rounding
  for (int pass = 0; pass < 2; ++pass)
    for (Eigen::Index c = 0; c < free.cols(); ++c) {
      for (Eigen::Index b = 0; b < c; ++b) {
        const std::vector<double> m = mass_times(model, column(free, b));
        free.col(c) -= Eigen::Map<const Eigen::VectorXd>(m.data(), n).dot(free.col(c)) * free.col(b);
      }
      const std::vector<double> m = mass_times(model, column(free, c));
      free.col(c) /= std::sqrt(Eigen::Map<const Eigen::VectorXd>(m.data(), n).dot(free.col(c)));
    }
  return free;
}

double way_m(const Model& model, std::span<const double> u) {
  double most = 0;
  for (const Body& b : model.bodies) {
    if (b.velocity_count == 0) continue;
    const double* own = &u[velocity_at(model, b)];
    most = std::max({most, norm(linear_of(b, own)), model.length_m * norm(turn_of(b, own))});
  }
  return most;
}

/// Of bristles z' = v - s0 |v| z/level: level/s0.
double memory_limit_m(const ContactMode& c, const Approach& a) {
  if (c.friction.row->memory == contact::FrictionMemory::contact_spring) return slip_limit_m(c, a);
  const contact::Bristles b = c.friction.row->bristles(c.friction, 0);
  return b.s0 > 0 ? b.level / b.s0 : 0;
}

/// Of a contact spring the rate is x' = v - x k'/k where the contact grows, and x' = v where it shrinks. The first
/// keeps its force k x from the normal motion.
std::vector<double> memory_shift(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
                                 std::span<const double> u, Memories memories, Workspace& workspace) {
  std::vector<double> shift(y.size() - model.unknowns());
  if (shift.empty()) return shift;
  const Modes sticking = without_yielding(modes);
  std::vector<double> moving(y.begin(), y.end()), slope(y.size());
  for (const double sign : {1.0, -1.0}) {
    if (sign < 0 && memories == Memories::as_they_move) break;
    for (std::size_t k = 0; k < u.size(); ++k) moving[at(model.position_count) + k] = sign * u[k];
    const Evaluation& e = evaluate(model, t_s, moving, sticking, workspace);
    write_slopes(model, moving, sticking, e, workspace, slope);
    for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
      const ContactMode& c = modes.contacts[i];
      const Approach& a = e.contacts[i].approach;
      if (c.memory_at < 0 || !is_stuck(c, y, a) || (sign < 0 && !(a.rate_mps > 0))) continue;
      for (std::size_t k = 0; k < 3; ++k)
        shift[at(c.memory_at) - model.unknowns() + k] = sign * slope[at(c.memory_at) + k];
    }
  }
  return shift;
}

std::vector<double> displaced(const Model& held, double t_s, std::span<const double> y, const Modes& modes,
                              std::span<const double> u, std::span<const double> shift, double factor,
                              Workspace& workspace) {
  constexpr int kMostProjections = 20;
  constexpr double kClosed = 1e-15;  // of the size of things
  std::vector<double> out(y.begin(), y.end()), step(u.begin(), u.end());
  for (double& s : step) s *= factor;
  std::fill_n(out.begin() + held.position_count, held.velocity_count, 0.0);
  model::displace(held, step, out);
  if (modes.rows->count() > 0)
    for (int k = 0; k < kMostProjections; ++k)
      if (project_onto_joints(held, t_s, modes, workspace, out).position <= kClosed * held.length_m) break;
  std::fill_n(out.begin() + held.position_count, held.velocity_count, 0.0);
  for (std::size_t k = 0; k < shift.size(); ++k) out[held.unknowns() + k] += factor * shift[k];
  return out;
}

namespace {

/// Everything that the differences of one linearisation read.
struct About {
  const Model& held;
  double t_s;
  std::span<const double> y;
  const Modes& modes;
  Workspace& workspace;
  Evaluation here;  // at y

  Eigen::VectorXd accelerations_at(std::span<const double> place) const {
    const Evaluation& e = evaluate(held, t_s, place, modes, workspace);
    return Eigen::Map<const Eigen::VectorXd>(e.acceleration.data(), held.velocity_count);
  }
};

/// N^T M a.
Eigen::VectorXd reduced(const Model& model, const Eigen::MatrixXd& basis, const Eigen::VectorXd& acceleration) {
  const std::vector<double> m =
      mass_times(model, {acceleration.data(), static_cast<std::size_t>(acceleration.size())});
  return basis.transpose() * Eigen::Map<const Eigen::VectorXd>(m.data(), acceleration.size());
}

/// df/dx of values at -2 ... 2 steps.
template <class ValueAt>
Eigen::VectorXd difference(int order, double step, ValueAt&& value_at) {
  const Eigen::VectorXd near = (value_at(step) - value_at(-step)) / (2 * step);
  if (order == 2) return near;
  const Eigen::VectorXd far = (value_at(2 * step) - value_at(-2 * step)) / (4 * step);
  return (4 * near - far) / 3;
}

constexpr double kShareOfWay = 1e-3;    // of the size of things: a turn of 1e-3 rad
constexpr double kShareOfDepth = 1e-2;  // of the indentation: a power of it is smooth over this

double far_m(const Model& model, const model::Motions& motions) {
  double far = model.length_m;
  for (const geometry::BodyMotion& m : motions) far = std::max(far, norm(m.p_m));
  return far;
}

/// The largest acceleration that the forces on one body would cause by themselves, in coordinates with M = 1.
double applied_mps2(const Model& model, const Evaluation& e) {
  double most = 0;
  for (const Body& b : model.bodies) {
    if (b.velocity_count == 0) continue;
    most = std::max(most, std::sqrt(b.mass_kg) * norm(model.gravity_mps2));
    for (int k = 0; k < b.velocity_count; ++k)
      most = std::max(most, std::abs(e.force[velocity_at(model, b) + at(k)]) / std::sqrt(b.mass_kg));
  }
  for (const ContactNow& c : e.contacts)
    for (const int body : {c.approach.body_a, c.approach.body_b})
      if (const Body& b = model.bodies[at(body)]; b.velocity_count > 0)
        most = std::max(most, norm(c.on_b.linear) / std::sqrt(b.mass_kg));
  return most;
}

/// The step of a direction: a share of the size of things, as long as no indentation changes by more than a share
/// of itself, measured where the step leads: a body that rolls changes it in second order only. An indentation that
/// is rounding sets no limit.
double step_along(const About& about, std::span<const double> u, std::span<const double> shift) {
  constexpr int kMostTries = 12;
  constexpr double kAboveRounding = 1e3;
  double h = kShareOfWay * about.held.length_m / std::max(way_m(about.held, u), std::numeric_limits<double>::min());
  for (int attempt = 0; attempt < kMostTries && !about.here.contacts.empty(); ++attempt) {
    const std::vector<double> there =
        displaced(about.held, about.t_s, about.y, about.modes, u, shift, h, about.workspace);
    place(about.held, about.t_s, there, about.modes, about.workspace, about.workspace.result);
    double worst = 0;
    for (std::size_t i = 0; i < about.modes.contacts.size(); ++i) {
      const ContactMode& c = about.modes.contacts[i];
      const double depth = about.here.contacts[i].approach.depth_m;
      const double least =
          kAboveRounding * rounding_m(about.held, about.here.motions, c.body_a(about.held), c.body_b(about.held));
      const double change =
          approach_of(about.held, about.workspace.result.motions, c, about.workspace.spots).depth_m - depth;
      worst = std::max(worst, std::abs(change) / (kShareOfDepth * std::max(depth, least)));
    }
    if (worst <= 1.1) break;
    h /= worst;
  }
  return h;
}

/// As stiffness, for velocities: below the speed over which regularised friction rises and the one that laws are
/// latched with.
double speed_along(const About& about, std::span<const double> u) {
  constexpr double kShareOfSpeed = 1e-2;
  double h = kShareOfWay * about.held.length_m / std::max(way_m(about.held, u), std::numeric_limits<double>::min());
  std::vector<double> moving(about.y.begin(), about.y.end());
  std::ranges::copy(u, moving.begin() + about.held.position_count);
  place(about.held, about.t_s, moving, about.modes, about.workspace, about.workspace.result);
  const model::Motions& motions = about.workspace.result.motions;
  for (const ContactMode& c : about.modes.contacts) {
    const Approach a = approach_of(about.held, motions, c, about.workspace.spots);
    const auto limit = [&](double allowed_mps, double speed_mps) {
      if (allowed_mps > 0 && speed_mps > 0) h = std::min(h, kShareOfSpeed * allowed_mps / speed_mps);
    };
    limit(c.law_speed_mps, std::abs(a.rate_mps));
    const bool is_regularised = c.friction.row && c.friction.row->memory == contact::FrictionMemory::none;
    constexpr double kSlowSlip_mps =
        1e-4;  // the constants of bristles change over Stribeck's speed, 1e-3 m/s and more
    if (c.memory_at >= 0) limit(kSlowSlip_mps, norm(slip_mps(motions, a)));
    if (is_regularised) limit(contact::rise_speed_mps(c.friction), norm(slip_mps(motions, a)));
    if (c.friction.rolling_m > 0 || c.friction.spinning_m > 0) {
      constexpr double kRise_mps = 1e-3;
      const Vec3 spin = motions[at(a.body_b)].w_radps - motions[at(a.body_a)].w_radps;
      limit(kRise_mps, norm(spin) * std::max(c.friction.radius_m, 1e-12));
    }
  }
  return h;
}

Eigen::MatrixXd stiffness_along(const About& about, const Eigen::MatrixXd& basis, int order,
                                Eigen::VectorXd& steps) {
  const Eigen::Index n = basis.cols();
  Eigen::MatrixXd k(n, n);
  steps.resize(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const std::span<const double> u = column(basis, j);
    const std::vector<double> shift =
        memory_shift(about.held, about.t_s, about.y, about.modes, u, Memories::as_if_pressed, about.workspace);
    steps[j] = step_along(about, u, shift);
    k.col(j) = -difference(order, steps[j], [&](double h) {
      return reduced(about.held, basis,
                     about.accelerations_at(
                         displaced(about.held, about.t_s, about.y, about.modes, u, shift, h, about.workspace)));
    });
  }
  return k;
}

Eigen::MatrixXd damping_along(const About& about, const Eigen::MatrixXd& basis, int order,
                              Eigen::VectorXd& speeds) {
  const Eigen::Index n = basis.cols();
  Eigen::MatrixXd c(n, n);
  speeds.resize(n);
  std::vector<double> moving(about.y.begin(), about.y.end());
  for (Eigen::Index j = 0; j < n; ++j) {
    const std::span<const double> u = column(basis, j);
    speeds[j] = speed_along(about, u);
    c.col(j) = -difference(order, speeds[j], [&](double h) {
      for (std::size_t k = 0; k < u.size(); ++k) moving[at(about.held.position_count) + k] = h * u[k];
      return reduced(about.held, basis, about.accelerations_at(moving));
    });
  }
  return c;
}

}  // namespace

Linearisation linearise(const Model& held, double t_s, std::span<const double> y, const Modes& given,
                        WithDamping with_damping, int order, Workspace& workspace) {
  constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
  const Modes modes = without_yielding(given);
  About about{held, t_s, y, modes, workspace, evaluate(held, t_s, y, modes, workspace)};
  Linearisation out;
  for (std::size_t i = 0; i < held.bodies.size(); ++i) {
    const Body& b = held.bodies[i];
    if (b.velocity_count == 0) continue;
    const double* a = &about.here.acceleration[velocity_at(held, b)];
    const double size = std::max(norm(linear_of(b, a)), held.length_m * norm(turn_of(b, a)));
    if (size > out.acceleration_mps2 || !std::isfinite(size)) {
      out.acceleration_mps2 = size;
      out.worst_body = static_cast<int>(i);
    }
  }
  out.basis = free_directions(held, modes, about.here);
  const Eigen::Index n = out.basis.cols();
  if (n == 0) return out;
  Eigen::VectorXd steps;
  const auto symmetric = [](const Eigen::MatrixXd& k) { return Eigen::MatrixXd((k + k.transpose()) / 2); };
  const Eigen::MatrixXd first = symmetric(stiffness_along(about, out.basis, 2, steps));
  if (first.allFinite()) out.basis = (out.basis * linear::Spectrum(first).vectors).eval();
  out.stiffness = stiffness_along(about, out.basis, order, steps);
  out.residual = reduced(held, out.basis,
                         Eigen::Map<const Eigen::VectorXd>(about.here.acceleration.data(), held.velocity_count));
  const double stiffest = out.stiffness.allFinite() ? out.stiffness.diagonal().cwiseAbs().maxCoeff() : 0;
  // positions are rounded, and the stiffest part turns that into accelerations
  const double speed = norm(held.gravity_mps2) + out.acceleration_mps2;
  out.noise_mps2 = kRounding * (stiffest * far_m(held, about.here.motions) + speed);
  out.noise.resize(n);
  for (Eigen::Index j = 0; j < n; ++j)
    out.noise[j] = out.noise_mps2 / (steps[j] * way_m(held, column(out.basis, j)));
  if (out.stiffness.allFinite()) {  // what the second pass still finds between its directions is turned out of them
    const Eigen::MatrixXd turn = linear::Spectrum(symmetric(out.stiffness)).vectors;
    out.basis = (out.basis * turn).eval();
    out.stiffness = (turn.transpose() * out.stiffness * turn).eval();
    out.residual = (turn.transpose() * out.residual).eval();
    out.noise = (turn.cwiseAbs2().transpose() * out.noise).eval();
  }
  if (with_damping == WithDamping::no) return out;
  Eigen::VectorXd speeds;
  out.damping = damping_along(about, out.basis, order, speeds);
  // the place does not change from one difference to the next: only forces are rounded
  double fastest = 0;
  for (Eigen::Index j = 0; j < n; ++j) fastest = std::max(fastest, out.damping.col(j).norm() * speeds[j]);
  out.damping_noise = (kRounding * (applied_mps2(held, about.here) + fastest)) / speeds.array();
  return out;
}

}  // namespace percuss::dynamics
