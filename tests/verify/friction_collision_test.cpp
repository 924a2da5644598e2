// Collisions with friction against direct integration, closed forms of rigid bodies, and conservation.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cstdio>
#include <numbers>
#include <random>

#include "collision_systems.h"

namespace percuss {
namespace {

using collision::Grip;
using collision::Outcome;
using collision::Solved;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Solved collided(const System& s, const std::string& name = "", bool complete = true) {
  const Result<Solved> out = collision::collide(s);
  if (!out) {
    ADD_FAILURE() << name << ": " << out.errors().front().text;
    return {};
  }
  if (complete) {
    EXPECT_EQ(out->outcome.end, Outcome::End::complete) << name;
  }
  return *out;
}

/// What must hold of every collision with friction: its energy balance closes; friction takes energy at each point,
/// and so does each normal spring; impulses are within the cone; nothing approaches; constraints are kept.
void expect_lawful(const System& s, const Solved& p, const std::string& name) {
  const double speed = s.velocity.cwiseAbs().maxCoeff(), energy = p.kinetic_before_J;
  const Outcome& o = p.outcome;
  // sums of some 1e3 terms of the size of the energy, each right to the last digit
  EXPECT_NEAR(p.kinetic_before_J - p.kinetic_after_J, o.lost_J.sum() + o.friction_J.sum(), 1e-11 * energy) << name;
  EXPECT_GE(o.lost_J.minCoeff(), -1e-11 * energy) << name;
  EXPECT_GE(o.friction_J.minCoeff(), -1e-11 * energy) << name;
  EXPECT_GE(o.impulse_Ns.minCoeff(), 0) << name;
  EXPECT_GE((s.normals * p.velocity).minCoeff(), -1e-11 * speed) << name;
  const Index n = o.impulse_Ns.size(), d = o.friction_Ns.size() / n;
  for (Index i = 0; i < n; ++i)
    EXPECT_LE(o.friction_Ns.segment(d * i, d).norm(),
              s.points[at(i)].sliding * o.impulse_Ns[i] + 1e-11 * o.impulse_Ns.maxCoeff())
        << name;
  if (s.constraints.rows() > 0) {
    EXPECT_LT((s.constraints * (p.velocity - s.velocity)).cwiseAbs().maxCoeff(), 1e-11 * speed) << name;
  }
  EXPECT_LT((o.approach_mps + s.normals * p.velocity).cwiseAbs().maxCoeff(), 1e-10 * speed) << name;
  EXPECT_LT((o.slip_mps - s.tangents * p.velocity).cwiseAbs().maxCoeff(), 1e-10 * speed) << name;
}

// ---- direct integration: full coordinates, small steps, no events

/// Half a kick, a drift, half a kick; after each drift the tangential springs are cut to the limit of friction. The
/// error falls with the square of the step. The sign in the force of a dry point is a ramp, as steep as the step
/// bears, so that a held point has the force between its bounds that holds it: the error falls with the step
/// itself.
VectorXd integrated(const System& s, double steps_per_radian) {
  const Index n = s.velocity.size(), p = s.normals.rows(), d = s.tangents.rows() / p;
  MatrixXd inverse = s.mass.inverse();
  if (s.constraints.rows() > 0) {
    const MatrixXd N = s.constraints.fullPivLu().kernel();
    inverse = N * (N.transpose() * s.mass * N).inverse() * N.transpose();
  }
  double fastest = 0;
  for (Index i = 0; i < p; ++i) {
    const Point& point = s.points[at(i)];
    const double k = point.stiffness_Npm * std::max(1 + point.friction, point.steepening);
    fastest += k * s.normals.row(i).dot(inverse * s.normals.row(i).transpose());
    for (Index j = d * i; j < d * (i + 1); ++j)
      fastest += point.stiffness_Npm * point.shear * s.tangents.row(j).dot(inverse * s.tangents.row(j).transpose());
  }
  const double h = 1 / (steps_per_radian * std::sqrt(fastest));
  const double creep = 8 / steps_per_radian * s.velocity.cwiseAbs().maxCoeff();
  VectorXd q = VectorXd::Zero(n), v = s.velocity, deflection = VectorXd::Zero(d * p), deepest = VectorXd::Zero(p);
  std::vector<char> loading(at(p), 0);
  VectorXd force = VectorXd::Zero(n);
  bool pressed = false;
  const auto update = [&] {
    force.setZero();
    pressed = false;
    for (Index i = 0; i < p; ++i) {
      const Point& point = s.points[at(i)];
      const double x = -s.normals.row(i).dot(q) - point.gap_m, rate = -s.normals.row(i).dot(v);
      double f = 0;
      if (point.steepening > 1) {
        if (x > deepest[i]) deepest[i] = x;
        f = point.stiffness_Npm * (deepest[i] - point.steepening * (deepest[i] - x));
      } else {
        const double sign = std::clamp(rate / creep, -1.0, 1.0);
        f = point.stiffness_Npm * std::max(1 + point.friction * sign, 0.0) * x;
      }
      f = std::max(f, 0.0);
      const double k_t = point.stiffness_Npm * point.shear, limit = point.sliding * f / k_t;
      auto spring = deflection.segment(d * i, d);
      if (spring.norm() > limit) spring *= limit > 0 ? limit / spring.norm() : 0;
      force += f * s.normals.row(i).transpose() + k_t * s.tangents.middleRows(d * i, d).transpose() * spring;
      pressed = pressed || f > 0;
    }
  };
  // dry points creep out of their dents: stiffnesses, masses and speeds here are about 1, and collisions end before
  // 40
  for (double t = 0; t < 40; t += h) {
    v += h / 2 * (inverse * force);
    q += h * v;
    deflection -= h * (s.tangents * v);
    update();
    v += h / 2 * (inverse * force);
    if (!pressed && (s.normals * v).minCoeff() > -1e-9) {
      bool open = true;
      for (Index i = 0; i < p; ++i) open = open && (s.normals.row(i) * v >= 0 || s.points[at(i)].gap_m == 0);
      if (open) return v;
    }
  }
  return v;
}

// ---- systems

struct Rub {
  double sliding, shear;
};
void with(System& s, Rub rub) {
  for (Point& p : s.points) p.sliding = rub.sliding, p.shear = rub.shear;
}

/// A uniform rod (1 kg, 1 m) whose lower end strikes the ground; `lean` from the vertical, its centre to the left
/// of the end (x, y, turn).
System rod(double lean, Rub rub, Eigen::Vector3d velocity, double steepening = 1) {
  System s;
  s.mass = Eigen::Vector3d(1, 1, 1.0 / 12).asDiagonal();
  const double x = 0.5 * std::sin(lean), y = -0.5 * std::cos(lean);  // of the end, from the centre
  s.normals = MatrixXd(1, 3), s.tangents = MatrixXd(1, 3);
  s.normals << 0, 1, x;
  s.tangents << 1, 0, -y;
  s.velocity = velocity;
  s.points = {steepening > 1 ? collision::elastoplastic(1, steepening) : Point{1.0, 0.0, 0.0}};
  with(s, rub);
  return s;
}

/// The block of collision_systems.h, with friction at its corners, 0.15 m below the centre.
System rubbing_block(double dry, double spin, Rub rub, double slide) {
  System s = block(dry, spin);
  s.tangents = MatrixXd(2, 3);
  s.tangents << 1, 0, 0.15, 1, 0, 0.15;
  s.velocity[0] = slide;
  with(s, rub);
  return s;
}

/// Balls that strike each other obliquely, in the plane: (x, y, turn) each, one flying into two that touch.
System rubbing_billiard(double dry, double off, Rub rub) {
  const System points = billiard(dry, off);
  System s;
  s.mass = MatrixXd::Zero(9, 9);
  s.normals = s.tangents = MatrixXd::Zero(3, 9);
  s.velocity = VectorXd::Zero(9);
  const Index ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (Index b = 0; b < 3; ++b) {
    s.mass(3 * b, 3 * b) = s.mass(3 * b + 1, 3 * b + 1) = 1;
    s.mass(3 * b + 2, 3 * b + 2) = 0.4;  // of radius 1
    s.velocity.segment(3 * b, 2) = points.velocity.segment(2 * b, 2);
    for (Index i = 0; i < 3; ++i) s.normals.block(i, 3 * b, 1, 2) = points.normals.block(i, 2 * b, 1, 2);
  }
  for (Index i = 0; i < 3; ++i) {
    const Index a = ends[i][0], b = ends[i][1];
    const double nx = s.normals(i, 3 * b), ny = s.normals(i, 3 * b + 1);  // of b, away from a
    const double tx = -ny, ty = nx;
    // b's surface at -n, a's at +n: turns move them by w x r
    s.tangents.block(i, 3 * b, 1, 3) << tx, ty, -1;
    s.tangents.block(i, 3 * a, 1, 3) << -tx, -ty, -1;
  }
  s.points = points.points;
  with(s, rub);
  return s;
}

/// The same with elastoplastic points that unload w times as steeply.
System unloading_steeply(System s, double w) {
  for (Point& p : s.points) {
    const Point before = p;
    p = collision::elastoplastic(before.stiffness_Npm, w, before.gap_m);
    p.sliding = before.sliding, p.shear = before.shear;
  }
  return s;
}

/// Kane and Levinson's double pendulum: two rods of 1 kg and 1 m, whose end strikes the ground; unknowns the rates
/// of both angles from the vertical.
System double_pendulum(double first, double second, double rate_1, double rate_2, Rub rub, double steepening = 1) {
  System s;
  const double c = std::cos(second - first);
  s.mass = MatrixXd(2, 2);
  s.mass << 1.0 / 3 + 1, 0.5 * c, 0.5 * c, 1.0 / 3;
  s.normals = MatrixXd(1, 2), s.tangents = MatrixXd(1, 2);
  s.normals << std::sin(first), std::sin(second);  // the end is at -cos - cos: it rises with the angles
  s.tangents << std::cos(first), std::cos(second);
  s.velocity = Eigen::Vector2d(rate_1, rate_2);
  s.points = {steepening > 1 ? collision::elastoplastic(1, steepening) : Point{1.0, 0.0, 0.0}};
  with(s, rub);
  return s;
}

/// A spinning ball (1 kg, radius 1, solid) on a plane, in space: (v, w).
System ball(Rub rub, Eigen::Vector3d velocity, Eigen::Vector3d spin) {
  System s;
  VectorXd mass(6);
  mass << 1, 1, 1, 0.4, 0.4, 0.4;
  s.mass = mass.asDiagonal();
  s.normals = MatrixXd::Zero(1, 6), s.tangents = MatrixXd::Zero(2, 6);
  s.normals(0, 2) = 1;
  s.tangents(0, 0) = 1, s.tangents(0, 4) = -1;  // v + w x (0, 0, -1)
  s.tangents(1, 1) = 1, s.tangents(1, 3) = 1;
  s.velocity = VectorXd(6);
  s.velocity << velocity, spin;
  s.points = {{1.0, 0.0, 0.0}};
  with(s, rub);
  return s;
}

/// A box that strikes the ground with its four lower corners, not centred: redundant in both directions.
System box(double dry, Rub rub, double spin_x, double spin_z) {
  System s;
  VectorXd mass(6);
  mass << 2, 2, 2, 0.15, 0.4, 0.5;
  s.mass = mass.asDiagonal();
  s.normals = MatrixXd::Zero(4, 6), s.tangents = MatrixXd::Zero(8, 6);
  Index i = 0;
  for (const double x : {-0.6, 0.6})
    for (const double y : {-0.4, 0.4}) {
      const double z = -0.3;
      s.normals.row(i) << 0, 0, 1, y, -x, 0;
      s.tangents.row(2 * i) << 1, 0, 0, 0, z, -y;
      s.tangents.row(2 * i + 1) << 0, 1, 0, -z, 0, x;
      ++i;
    }
  s.velocity = VectorXd(6);
  s.velocity << 0.4, 0.1, -1, spin_x, 0.2, spin_z;
  s.points.assign(4, {1.0, dry, 0.0});
  with(s, rub);
  return s;
}

/// A rod in space, leaning: its slip turns.
System leaning_rod(Rub rub, double steepening, Eigen::Vector3d velocity, Eigen::Vector3d spin) {
  System s;
  VectorXd mass(6);
  mass << 1, 1, 1, 0.08, 0.1, 0.03;
  s.mass = mass.asDiagonal();
  const Eigen::Vector3d r(0.2, 0.1, -0.4);
  s.normals = MatrixXd::Zero(1, 6), s.tangents = MatrixXd::Zero(2, 6);
  s.normals.row(0) << 0, 0, 1, r.y(), -r.x(), 0;
  s.tangents.row(0) << 1, 0, 0, 0, r.z(), -r.y();
  s.tangents.row(1) << 0, 1, 0, -r.z(), 0, r.x();
  s.velocity = VectorXd(6);
  s.velocity << velocity, spin;
  s.points = {collision::elastoplastic(1, steepening)};
  with(s, rub);
  return s;
}

struct FrictionCase {
  const char* name;
  System system;
};
void PrintTo(const FrictionCase& c, std::ostream* os) { *os << c.name; }

class FrictionCollision : public ::testing::TestWithParam<FrictionCase> {};

/// The difference of the integration at two steps tells its own error: of the second order a third of the
/// difference is left, of the first order all of it; and the square of the step where the difference happens to be
/// small.
TEST_P(FrictionCollision, AgreesWithDirectIntegration) {
  const System& s = GetParam().system;
  const Solved p = collided(s, GetParam().name);
  expect_lawful(s, p, GetParam().name);
  const bool dry = std::ranges::any_of(s.points, [](const Point& q) { return q.friction > 0; });
  const double steps = dry ? 24'000 : 1500;
  const VectorXd coarse = integrated(s, steps), fine = integrated(s, 2 * steps);
  const double tolerance = std::max(3 * (fine - coarse).cwiseAbs().maxCoeff(), 1 / (4 * steps * steps));
  EXPECT_LT(tolerance, 1e-3);
  EXPECT_LT((p.velocity - fine).cwiseAbs().maxCoeff(), tolerance)
      << "\n  ours " << p.velocity.transpose() << "\ndirect " << fine.transpose();
  std::printf("%-40s off by %.1e, direct integration uncertain by %.1e; %zu phases\n", GetParam().name,
              (p.velocity - fine).cwiseAbs().maxCoeff(), tolerance, p.outcome.phases.size());
}

INSTANTIATE_TEST_SUITE_P(
    Collision, FrictionCollision,
    ::testing::Values(
        FrictionCase{"rod, slipping", rod(0.5, {0.2, 0.8}, {1.5, -1, 0})},
        FrictionCase{"rod, sticking", rod(0.5, {2.0, 0.8}, {0.1, -1, 0})},
        FrictionCase{"rod, slips and sticks", rod(0.3, {0.5, 0.8}, {0.5, -1, 0.3})},
        FrictionCase{"rod, slip reverses", rod(0.9, {0.3, 0.8}, {0.25, -1, 0})},
        FrictionCase{"rod, jam", rod(0.6, {2.2, 0.8}, {2.0, -1, 0})},
        FrictionCase{"rod, jam without approach", rod(0.6, {2.2, 0.8}, {2.0, -0.001, 0})},
        FrictionCase{"rod, inelastic jam", rod(0.6, {2.2, 0.8}, {2.0, -1, 0}, 4)},
        FrictionCase{"block, flat", rubbing_block(0, 0, {0.3, 0.7}, 0.4)},
        FrictionCase{"block, turning", rubbing_block(0, 1.7, {0.3, 0.7}, -0.4)},
        FrictionCase{"block, dry", rubbing_block(0.2, 1.7, {0.3, 0.7}, -0.4)},
        FrictionCase{"block, plastic", rubbing_block(1, 1.1, {0.4, 0.7}, 0.4)},
        FrictionCase{"billiard", rubbing_billiard(0, 0.2, {0.2, 0.8})},
        FrictionCase{"billiard, dry", rubbing_billiard(0.3, 0.2, {0.2, 0.8})},
        FrictionCase{"billiard, symmetric", rubbing_billiard(0, 0, {0.2, 0.8})},
        FrictionCase{"billiard, elastoplastic", unloading_steeply(rubbing_billiard(0, 0.1, {0.3, 0.6}), 3)},
        FrictionCase{"double pendulum", double_pendulum(0.35, 0.52, -0.1, -0.2, {0.5, 0.8})},
        FrictionCase{"double pendulum, inelastic", double_pendulum(0.35, 0.52, -0.1, -0.2, {0.5, 0.8}, 4)},
        FrictionCase{"ball, slipping", ball({0.2, 0.8}, {1, 0.3, -1}, {0, 0, 2})},
        FrictionCase{"ball, sticking", ball({2, 0.8}, {0.3, 0.3, -1}, {0.5, 0, 2})},
        FrictionCase{"box, turning", box(0, {0.3, 0.8}, 0.3, 0.5)},
        FrictionCase{"box, dry", box(0.2, {0.3, 0.8}, 0.3, 0.5)},
        FrictionCase{"box, flat", box(0, {0.3, 0.8}, 0, 0)},
        FrictionCase{"leaning rod", leaning_rod({0.3, 0.8}, 1, {0.5, 0.2, -1}, {0.3, -0.8, 0})},
        FrictionCase{"leaning rod, inelastic", leaning_rod({0.5, 0.8}, 4, {0.5, -0.4, -1}, {1, 0.8, 0})}));

// ---- rigid limits of one point in the plane

/// Routh's solution with the energetic restitution of Stronge: speeds change in proportion to the normal impulse P;
/// slip ends at |slip| = 0, where the point sticks if friction can hold it and else slips the other way; the
/// expansion ends when it has given e^2 of the work of the compression.
struct Rigid {
  double approach, slip;  // after
};
Rigid routh(const collision::Collision& c, double e) {
  const MatrixXd& W = c.tangents.mobility;
  const double mu = c.points[0].sliding, a = W(0, 0), b = W(0, 1), t = W(1, 1);
  double x = c.approach_mps[0], y = -c.tangents.slip_mps[0], work = 0, back = 0;
  bool expands = false, holds = false;
  double sign = y > 0 ? 1 : y < 0 ? -1 : 0;
  for (int k = 0; k < 100; ++k) {
    if (y == 0) {
      holds = std::abs(b) <= mu * t;
      sign = holds ? 0 : b > 0 ? -1 : 1;  // y' = -(b + sign mu t) goes with the sign
    }
    const double ratio = holds ? -b / t : sign * mu;  // T/N
    const double x_rate = -(a + ratio * b), y_rate = holds ? 0 : -(b + ratio * t);
    double dP = 1e300;
    if (!holds && y != 0 && y * y_rate < 0) dP = -y / y_rate;
    const bool slides_out = dP < 1e300;
    if (!expands && x_rate < 0 && -x / x_rate < dP) {
      dP = -x / x_rate;
      work += x * dP + x_rate * dP * dP / 2;
      x = 0, y += y_rate * dP, expands = true;
      continue;
    }
    if (expands) {
      const double left = e * e * work - back;  // -(x dP + x_rate dP^2/2)
      const double root = std::sqrt(std::max(x * x - 2 * x_rate * left, 0.0)), end = (-x - root) / x_rate;
      if (end <= dP) return {x + x_rate * end, -(y + y_rate * end)};
      back -= x * dP + x_rate * dP * dP / 2;
    } else {
      work += x * dP + x_rate * dP * dP / 2;
    }
    x += x_rate * dP;
    y = slides_out ? 0 : y + y_rate * dP;
  }
  return {std::nan(""), std::nan("")};
}

/// With an ever stiffer tangential spring the outcome tends to Routh's: what the spring stores falls with 1/shear,
/// and the time in which it turns with its root.
TEST(FrictionCollision, StiffTangentialSpringsTendToRouthsSolution) {
  struct Case {
    const char* name;
    double lean, mu;
    Eigen::Vector3d velocity;
    double w;
  };
  const Case cases[] = {
      {"slipping", 0.5, 0.2, {1.5, -1, 0}, 1},         {"slipping, inelastic", 0.5, 0.2, {1.5, -1, 0}, 4},
      {"slips and sticks", 0.4, 1.0, {0.5, -1, 0}, 1}, {"slip reverses", 0.9, 0.15, {-0.2, -1, 0}, 4},
      {"sticking", 0.5, 2.0, {0, -1, 0}, 2},           {"jam", 0.6, 2.2, {2, -1, 0}, 4}};
  for (const Case& c : cases) {
    std::vector<double> off;
    for (const double shear : {1e2, 1e4, 1e6}) {
      System s = rod(c.lean, {c.mu, shear}, c.velocity, c.w);
      if (std::string(c.name) == "sticking") {  // no slip before
        s.velocity[0] = s.tangents(0, 2) * 0.7, s.velocity[2] = -0.7;
      }
      const Solved p = collided(s, c.name);
      expect_lawful(s, p, c.name);
      const Result<collision::Reduced> reduced = collision::reduce(s);
      ASSERT_TRUE(reduced);
      const Rigid rigid = routh(reduced->collision, 1 / std::sqrt(c.w));
      off.push_back(std::max(std::abs(p.outcome.approach_mps[0] - rigid.approach),
                             std::abs(p.outcome.slip_mps[0] - rigid.slip)));
      if (shear > 1e5) std::printf("%s: rigid approach %.6f slip %.6f", c.name, rigid.approach, rigid.slip);
    }
    std::printf("; off by %.1e %.1e %.1e\n", off[0], off[1], off[2]);
    // each factor of 100 in the stiffness takes at least a factor of 5 of the difference
    EXPECT_LT(off[2], 1e-2) << c.name;
    EXPECT_LT(off[2], off[0] / 25 + 1e-9) << c.name;
  }
}

/// A point that cannot slip is a row of the constraints: two routes to one answer.
TEST(FrictionCollision, StickingPointsTendToConstrainedOnes) {
  for (const double w : {1.0, 3.0}) {
    System constrained = rod(0.5, {0, 1}, {0, -1, 0}, w);
    constrained.velocity[0] = constrained.tangents(0, 2) * 0.7, constrained.velocity[2] = -0.7;
    System sticking = constrained;
    constrained.constraints = constrained.tangents;
    constrained.tangents.resize(0, 0);
    const VectorXd limit = collided(constrained).velocity;
    double before = 1;
    for (const double shear : {1e2, 1e4, 1e6}) {
      with(sticking, {5, shear});
      const Solved p = collided(sticking);
      const double off = (p.velocity - limit).cwiseAbs().maxCoeff();
      // the spring keeps an amplitude of 1/root(shear) of the speed at which the point would slip
      EXPECT_LT(off, 3 / std::sqrt(shear)) << shear;
      EXPECT_LT(off, before) << shear;
      before = off;
    }
  }
}

// ---- Kane's paradox

/// Newton's restitution with Whittaker's rule for friction: v+ = -e v-, no slip after if the impulse allows it,
/// else T = mu N against the slip before.
double energy_gain_of_newton_and_whittaker(const System& s, double e, double mu) {
  const MatrixXd inverse = s.mass.inverse();
  MatrixXd J(2, s.velocity.size());
  J << s.normals, s.tangents;
  const MatrixXd W = J * inverse * J.transpose();
  const Eigen::Vector2d before = J * s.velocity;
  const Eigen::Vector2d stop(-(1 + e) * before[0], -before[1]);
  Eigen::Vector2d impulse = W.inverse() * stop;
  if (std::abs(impulse[1]) > mu * impulse[0]) {
    const double direction = before[1] > 0 ? -mu : mu;
    const double normal = stop[0] / (W(0, 0) + direction * W(0, 1));
    impulse = {normal, direction * normal};
  }
  const VectorXd after = s.velocity + inverse * J.transpose() * impulse;
  return (after.dot(s.mass * after) - s.velocity.dot(s.mass * s.velocity)) / s.velocity.dot(s.mass * s.velocity);
}

/// Kane and Levinson (Dynamics: Theory and Applications, 1985, section 5.8): the classical rules give energy to a
/// double pendulum that strikes the ground. Here it only falls, whatever the friction and the stiffnesses.
TEST(FrictionCollision, ADoublePendulumGainsNoEnergyWhereNewtonAndWhittakerGiveIt) {
  double most = 0, highest = -1;
  int paradoxes = 0;
  for (const double mu : {0.1, 0.3, 0.5, 0.7, 1.0})
    for (const double e : {0.5, 0.7, 0.9, 1.0})
      for (const double ratio : {-3.0, -1.5, -1.0, -0.7, -0.4, 0.5, 1.0, 2.0})
        for (const double shear : {0.7, 1.0, 30.0}) {
          const System s = double_pendulum(20 * std::numbers::pi / 180, 30 * std::numbers::pi / 180, -0.1 * ratio,
                                           -0.2, {mu, shear}, 1 / (e * e));
          if (s.normals.row(0).dot(s.velocity) >= 0) continue;
          const double gain = energy_gain_of_newton_and_whittaker(s, e, mu);
          most = std::max(most, gain);
          const Solved p = collided(s);
          expect_lawful(s, p, "double pendulum");
          const double ours = (p.kinetic_after_J - p.kinetic_before_J) / p.kinetic_before_J;
          highest = std::max(highest, ours);
          EXPECT_LE(ours, 1e-12);
          paradoxes += gain > 1e-6;
        }
  std::printf(
      "Newton and Whittaker give up to %.1f %% of the energy, in %d of the collisions; here it grows by at most "
      "%.1e\n",
      100 * most, paradoxes, highest);
  EXPECT_GT(paradoxes, 0);
  // the scene kane_pendulum.yaml
  const System scene = double_pendulum(std::numbers::pi / 9, std::numbers::pi / 6, -0.1, -0.2, {0.7, 0.8});
  EXPECT_NEAR(energy_gain_of_newton_and_whittaker(scene, 0.7, 0.7), 2.1115, 1e-4);
}

// ---- random collisions

class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  MatrixXd matrix(Index rows, Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [this] { return (*this)(-1, 1); });
  }

 private:
  std::mt19937 engine_;
};

/// A body (in the plane or in space) that strikes the ground with points below its centre, within reach of each
/// other's friction; some of the points touch only later.
System random_body(Numbers& random, Index directions, Index points, int kind) {
  const bool plane = directions == 1;
  const Index n = plane ? 3 : 6;
  System s;
  VectorXd mass(n);
  for (Index i = 0; i < n; ++i) mass[i] = i < (plane ? 2 : 3) ? 1 : random(0.1, 0.5);
  s.mass = mass.asDiagonal();
  s.normals = MatrixXd::Zero(points, n), s.tangents = MatrixXd::Zero(directions * points, n);
  s.velocity = random.matrix(n, 1);
  s.velocity[plane ? 1 : 2] -= 0.5;
  for (Index i = 0; i < points; ++i) {
    const double x = random(-1, 1), y = random(-1, 1), z = random(-1, -0.2);
    if (plane) {
      s.normals.row(i) << 0, 1, x;
      s.tangents.row(i) << 1, 0, -z;
    } else {
      s.normals.row(i) << 0, 0, 1, y, -x, 0;
      s.tangents.row(2 * i) << 1, 0, 0, 0, z, -y;
      s.tangents.row(2 * i + 1) << 0, 1, 0, -z, 0, x;
    }
    Point p{random(0.5, 2),
            kind == 1   ? random(0, 1)
            : kind == 3 ? 1.0
                        : 0.0,
            random(0, 1) < 0.2 ? random(0, 0.5) : 0};
    if (kind == 2) p = collision::elastoplastic(p.stiffness_Npm, 1 + 5 * random(0, 1), p.gap_m);
    p.sliding = random(0, 1) < 0.1 ? 0 : std::pow(10, random(-1.5, 0.3)), p.shear = random(0.3, 1.5);
    s.points.push_back(p);
  }
  return s;
}

TEST(FrictionCollision, RandomCollisionsEndGainNoEnergyAndDoNotDependOnTheOrderOfPoints) {
  Numbers random(17);
  int solved = 0;
  std::size_t most_phases = 0;
  double worst_order = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Index d = 1 + trial % 2, points = 1 + trial % (d == 1 ? 3 : 5);
    const System s = random_body(random, d, points, trial / 2 % 4);
    if ((s.normals * s.velocity).minCoeff() >= 0) continue;
    const std::string name = "trial " + std::to_string(trial);
    const Solved p = collided(s, name);
    expect_lawful(s, p, name);
    EXPECT_LE(p.kinetic_after_J, p.kinetic_before_J * (1 + 1e-12)) << name;
    most_phases = std::max(most_phases, p.outcome.phases.size());
    System reversed = s;
    reversed.normals = s.normals.colwise().reverse();
    for (Index i = 0; i < points; ++i)
      reversed.tangents.middleRows(d * i, d) = s.tangents.middleRows(d * (points - 1 - i), d);
    std::ranges::reverse(reversed.points);
    const double order = (collided(reversed, name).velocity - p.velocity).cwiseAbs().maxCoeff();
    worst_order = std::max(worst_order, order);
    EXPECT_LT(order, 1e-9) << name;
    ++solved;
  }
  std::printf("%d collisions, at most %zu phases, order of points matters by %.1e\n", solved, most_phases,
              worst_order);
}

TEST(FrictionCollision, RandomCollisionsAgreeWithDirectIntegration) {
  Numbers random(23);
  double worst = 0;
  int solved = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Index d = 1 + trial % 2, points = 1 + trial % 4;
    const System s = random_body(random, d, points, trial % 4 < 2 ? 0 : 2);
    if ((s.normals * s.velocity).minCoeff() >= 0) continue;
    const VectorXd coarse = integrated(s, 1000), fine = integrated(s, 2000);
    const double tolerance = std::max(3 * (fine - coarse).cwiseAbs().maxCoeff(), 2.5e-7);
    const double off = (collided(s).velocity - fine).cwiseAbs().maxCoeff();
    EXPECT_LT(off, tolerance) << trial;
    EXPECT_LT(tolerance, 1e-3) << trial;
    worst = std::max(worst, off);
    ++solved;
  }
  std::printf("%d random collisions agree to %.1e\n", solved, worst);
}

/// Under a change of units, of the directions along the surface, and with a point in two halves.
TEST(FrictionCollision, IsTheSameHoweverItIsWritten) {
  for (const System& s : {rubbing_block(0.2, 1.7, {0.3, 0.7}, -0.4), rubbing_billiard(0, 0.2, {0.2, 0.8}),
                          box(0, {0.3, 0.8}, 0.3, 0.5), leaning_rod({0.5, 0.8}, 4, {0.5, -0.4, -1}, {1, 0.8, 0})}) {
    const VectorXd velocity = collided(s).velocity;
    const auto difference = [&](const System& other) {
      return (collided(other).velocity - velocity).cwiseAbs().maxCoeff();
    };
    const Index p = s.normals.rows(), d = s.tangents.rows() / p;
    for (const double factor : {1e-6, 3.7, 1e9}) {
      System other = s;
      for (Point& point : other.points) point.stiffness_Npm *= factor;
      EXPECT_LT(difference(other), 1e-11) << factor;
    }
    {
      System other = s;
      for (Index i = 0; i < p; ++i) {
        auto rows = other.tangents.middleRows(d * i, d);
        if (d == 1)
          rows = -rows.eval();
        else
          rows = Eigen::Rotation2Dd(0.3 + static_cast<double>(i)).toRotationMatrix() * rows.eval();
      }
      EXPECT_LT(difference(other), 1e-11) << "turned directions";
    }
    for (Index i = 0; i < p; ++i) {
      System other = s;
      other.normals.conservativeResize(p + 1, Eigen::NoChange);
      other.normals.row(p) = s.normals.row(i);
      other.tangents.conservativeResize(d * (p + 1), Eigen::NoChange);
      other.tangents.bottomRows(d) = s.tangents.middleRows(d * i, d);
      other.points.push_back(s.points[at(i)]);
      other.points.back().stiffness_Npm /= 2;
      other.points[at(i)].stiffness_Npm /= 2;
      EXPECT_LT(difference(other), 1e-11) << "point " << i << " in two halves";
    }
  }
}

/// A rod that slips onto its end: the slip presses it in, the mode grows, and the reversal of slip ends it.
TEST(FrictionCollision, AJamGrowsAndEndsBySlipReversal) {
  const Solved p = collided(rod(0.6, {2.2, 0.8}, {2.0, -0.001, 0}));
  ASSERT_GE(p.outcome.phases.size(), 2U);
  EXPECT_TRUE(p.outcome.phases[0].jams);
  // x'' = kappa^2 x, kappa^2 = -k (W_nn + mu W_nt)
  const double wnn = 1 + 12 * 0.25 * std::sin(0.6) * std::sin(0.6), wnt = 12 * 0.25 * std::sin(0.6) * std::cos(0.6);
  EXPECT_NEAR(p.outcome.phases[0].growth_1ps, std::sqrt(2.2 * wnt - wnn), 1e-12);
  EXPECT_EQ(p.outcome.phases[0].changes[0].what, collision::Change::What::sticks);
  for (const collision::Phase& phase : p.outcome.phases)
    if (phase.grip[0] == Grip::sticking) {
      EXPECT_FALSE(phase.jams);
    }
  EXPECT_GT(p.outcome.peak_force_N[0], 100 * 0.001);  // of an approach of 1 mm/s
}

/// A rolling ball: friction across the surface of a ball needs no normal speed to be exact. With sticking all the
/// time the tangential mode is a vibration of its own, k_t over 2/7 m, and the impulse lasts half a period of the
/// normal one.
TEST(FrictionCollision, AStickingBallVibratesAlongTheSurface) {
  const double shear = 0.8, v = 0.3, w = 0.5;
  const Solved p = collided(ball({50, shear}, {v, 0, -1}, {0, w, 0}));
  // slip v - w, mobility 1 + 1/0.4; y'' = -shear 3.5 y until pi, then |T| reaches mu N only at the very end
  const double rate = std::sqrt(3.5 * shear), slip = (v - w) * std::cos(rate * std::numbers::pi);
  EXPECT_NEAR(p.outcome.slip_mps[0], slip, 2e-3);
  EXPECT_NEAR(p.outcome.approach_mps[0], -1, 1e-12);
  EXPECT_NEAR(p.velocity[0] + 0.4 * p.velocity[4], v + 0.4 * w, 1e-13);  // about the point of contact
}

TEST(FrictionCollision, BadInputIsSaid) {
  const auto error_of = [](const System& s) {
    const Result<Solved> out = collision::collide(s);
    return out ? std::string("accepted") : out.errors().front().text;
  };
  System s = rod(0.5, {0.2, 0.8}, {1.5, -1, 0});
  EXPECT_EQ(error_of(s), "accepted");
  s.points[0].sliding = -0.1;
  EXPECT_EQ(error_of(s), "point 0: coefficient of friction must be 0 or above, found -0.1");
  s.points[0] = {1, 0, 0, 1, 0.3, 0};
  EXPECT_EQ(error_of(s), "point 0: shear (tangential over normal stiffness) must be above 0, found 0");
  s = rod(0.5, {0.2, 0.8}, {1.5, -1, 0});
  s.tangents.resize(0, 0);
  EXPECT_EQ(error_of(s), "point 0: friction needs the rows of its tangents, and there are none");
  s.tangents = MatrixXd::Zero(3, 3);
  EXPECT_EQ(error_of(s), "there are 3 rows of tangents; with 1 points there must be 1 (in the plane) or 2");
  s.tangents = MatrixXd::Zero(1, 2);
  EXPECT_EQ(error_of(s), "the matrix of tangents is 1 x 2; it must have 3 columns");
}

/// Without friction at any point the rows of tangents change no bit.
TEST(FrictionCollision, TangentsWithoutFrictionChangeNothing) {
  System s = rubbing_block(0.2, 1.7, {0, 0.7}, -0.4);
  const Solved with_rows = collided(s);
  s.tangents.resize(0, 0);
  const Solved without = collided(s);
  EXPECT_EQ(with_rows.velocity, without.velocity);
  EXPECT_EQ(with_rows.outcome.friction_Ns.cwiseAbs().maxCoeff(), 0);
}

}  // namespace
}  // namespace percuss
