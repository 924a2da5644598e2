// Collisions at many points against closed forms, conservation, and direct integration.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

#include "collision_systems.h"
#include "frozen_integration.h"
#include "percuss/collision/first_crossing.h"
#include "percuss/collision/rigid_rules.h"
#include "percuss/linear/bounded_forces.h"

namespace percuss {
namespace {

using collision::Outcome;
using collision::Sense;
using collision::Solved;

Solved must_collide(const System& s) {
  const Result<Solved> out = collision::collide(s);
  if (!out) {
    ADD_FAILURE() << out.errors().front().text;
    return {};
  }
  EXPECT_EQ(out->outcome.end, Outcome::End::complete);
  return *out;
}

/// What must hold of every collision: the constraints are kept, nothing approaches, each point loses energy and all
/// together what is missing, impulses push.
void expect_consistent(const System& s, const Solved& p, const std::string& name) {
  const double speed = s.velocity.cwiseAbs().maxCoeff(), energy = p.kinetic_before_J;
  EXPECT_NEAR(p.kinetic_before_J - p.kinetic_after_J, p.outcome.lost_J.sum(), 1e-12 * energy) << name;
  EXPECT_GE(p.outcome.lost_J.minCoeff(), -1e-12 * energy) << name;
  EXPECT_GE(p.outcome.impulse_Ns.minCoeff(), 0) << name;
  EXPECT_GE((s.normals * p.velocity).minCoeff(), -1e-12 * speed) << name;
  if (s.constraints.rows() > 0) {
    EXPECT_LT((s.constraints * (p.velocity - s.velocity)).cwiseAbs().maxCoeff(), 1e-12 * speed) << name;
  }
  EXPECT_LT((p.outcome.approach_mps + s.normals * p.velocity).cwiseAbs().maxCoeff(), 1e-11 * speed) << name;
}

void expect_velocities(const System& s, const std::vector<double>& wanted, double digits) {
  const Solved p = must_collide(s);
  ASSERT_EQ(p.velocity.size(), static_cast<Eigen::Index>(wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(p.velocity[static_cast<Eigen::Index>(i)], wanted[i], digits) << i;
  expect_consistent(s, p, "chain");
}

TEST(Collision, ChainsOfEqualBallsAgreeWithIndependentNumbers) {
  constexpr double half = 0.6e-7;
  expect_velocities(chain(3, 0), {-.1302617, .1502296, .9800321}, half);
  expect_velocities(chain(5, 0), {-.1322795, -.0753292, -.0310108, .2962178, .9424017}, half);
  expect_velocities(chain(3, 0.2), {-.0780877, .2603718, .8177159}, half);
  expect_velocities(chain(3, 0.5), {.0022295, .3548707, .6428998}, half);
  expect_velocities(chain(5, 0.2), {-.0898268, -.0379222, .0603763, .3888196, .6785531}, half);
}

TEST(Collision, OneBallOnAWallReturnsTheRootOfTheStiffnesses) {
  for (int i = 0; i <= 20; ++i) {
    const double mu = i / 20.0;
    System s;
    s.mass = Eigen::MatrixXd::Constant(1, 1, 0.7);
    s.normals = Eigen::MatrixXd::Ones(1, 1);
    s.velocity = Eigen::VectorXd::Constant(1, -3.0);
    s.points = {{2e7, mu, 0}};
    const Solved p = must_collide(s);
    EXPECT_NEAR(p.velocity[0], 3 * std::sqrt((1 - mu) / (1 + mu)), 1e-14) << mu;
    EXPECT_NEAR(collision::friction_of_restitution(p.velocity[0] / 3), mu, 1e-13);
    // a half period of each spring
    const double w = std::sqrt(2e7 / 0.7);
    EXPECT_NEAR(p.outcome.phases[0].end_s, std::numbers::pi / 2 / (w * std::sqrt(1 + mu)), 1e-12 / w);
  }
}

TEST(Collision, LongChainsKeepMomentumAndLoseWhatFrictionTakes) {
  for (const int balls : {2, 7, 20, 50})
    for (const double mu : {0.0, 0.1, 0.4, 0.9, 1.0, 3.0}) {
      const System s = chain(balls, mu);
      const Solved p = must_collide(s);
      EXPECT_NEAR(p.velocity.sum(), 1, 1e-13) << balls << " " << mu;
      expect_consistent(s, p, std::to_string(balls) + " balls, mu " + std::to_string(mu));
      if (mu >= 1) {  // plastic: all go on together
        for (const double v : p.velocity) EXPECT_NEAR(v, 1.0 / balls, 1e-12) << balls;
      }
    }
}

struct Case {
  const char* name;
  System system;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

class FrozenCollision : public ::testing::TestWithParam<Case> {};

TEST_P(FrozenCollision, AgreesWithDirectIntegration) {
  const System& s = GetParam().system;
  const Solved p = must_collide(s);
  expect_consistent(s, p, GetParam().name);
  FrozenIntegration direct(s);
  const Eigen::VectorXd wanted = direct.run();
  EXPECT_LT((p.velocity - wanted).cwiseAbs().maxCoeff(), 1e-9)
      << GetParam().name << "\n  ours " << p.velocity.transpose() << "\ndirect " << wanted.transpose();
}

/// Whatever the order of the points, the unit of stiffness, and the division of a point into two.
TEST_P(FrozenCollision, IsTheSameHoweverItIsWritten) {
  const System& s = GetParam().system;
  const Solved p = must_collide(s);
  const auto n = static_cast<Eigen::Index>(s.points.size());
  const auto difference = [&](const System& other) {
    return (must_collide(other).velocity - p.velocity).cwiseAbs().maxCoeff();
  };
  std::vector<Eigen::Index> order(s.points.size());
  std::iota(order.begin(), order.end(), 0);
  while (std::next_permutation(order.begin(), order.end())) {
    System other = s;
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Index from = order[static_cast<std::size_t>(i)];
      other.normals.row(i) = s.normals.row(from);
      other.points[static_cast<std::size_t>(i)] = s.points[static_cast<std::size_t>(from)];
    }
    EXPECT_LT(difference(other), 1e-12);
  }
  for (const double factor : {1e-6, 3.7, 1e9}) {
    System other = s;
    for (Point& point : other.points) point.stiffness_Npm *= factor;
    EXPECT_LT(difference(other), 1e-12) << factor;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    System other = s;
    other.normals.conservativeResize(n + 1, Eigen::NoChange);
    other.normals.row(n) = s.normals.row(i);
    other.points.push_back(s.points[static_cast<std::size_t>(i)]);
    other.points.back().stiffness_Npm /= 2;
    other.points[static_cast<std::size_t>(i)].stiffness_Npm /= 2;
    EXPECT_LT(difference(other), 1e-12) << "point " << i << " in two halves";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Collision, FrozenCollision,
    ::testing::Values(
        Case{"three unequal balls", chain({1, 2.3, 0.4}, {{1, 0.1, 0}, {3.1, 0.3, 0}})},
        Case{"four unequal balls", chain({2, 0.7, 1.6, 1.1}, {{1, 0, 0}, {0.3, 0.6, 0}, {2, 0.2, 0}})},
        Case{"three balls, elastic", chain({1, 2.3, 0.4}, {{1, 0, 0}, {3.1, 0, 0}})},
        Case{"ball on two, symmetric", billiard(0, 0)}, Case{"ball on two, friction", billiard(0.3, 0)},
        Case{"ball on two, nearly symmetric", billiard(0.3, 1e-6)},
        Case{"ball on two, oblique", billiard(0.2, 0.2)}, Case{"ball on two, plastic", billiard(1, 0.1)},
        Case{"table, flat", table(0, 0, 0)}, Case{"table, flat, friction", table(0.4, 0, 0)},
        Case{"table, turning", table(0.3, 0.5, 0.7)}, Case{"table, plastic", table(1, 0.5, 0.2)},
        Case{"block, flat", block(0.2, 0)}, Case{"block, turning", block(0.2, 1.7)},
        Case{"block, plastic", block(1, 1.1)}, Case{"two bars, elastic", two_bars(0, 0.4)},
        Case{"two bars, mu 0.3", two_bars(0.3, 0.4)}, Case{"two bars, plastic", two_bars(1, 0.4)},
        Case{"two bars, flat", two_bars(0.3, 0)}, Case{"two bars, an end at rest", two_bars(0.3, -0.8, true)},
        Case{"two bars, an end at rest, elastic", two_bars(0, -0.8, true)},
        Case{"two bars, an end at rest, plastic", two_bars(1, -0.8, true)}));

// ---- the pieces

TEST(FirstCrossing, FindsTheFirstOfTwoZerosHoweverCloseTheyLie) {
  // 1 + d - cos-like dips: f = a0 + cos(t) with a0 = 1 - d falls through zero twice around pi for d > 0
  for (const double d : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12}) {
    collision::Sinusoids f;
    f.w = Eigen::VectorXd::Ones(1);
    f.c0 = Eigen::VectorXd::Constant(1, 1 - d);
    f.c1 = Eigen::VectorXd::Zero(1);
    f.a = f.b = Eigen::MatrixXd::Zero(1, 1);
    f.a(0, 0) = 1;
    const auto found = collision::first_crossing(f);
    ASSERT_TRUE(found) << d;
    const double wanted = std::acos(-(1 - d));
    EXPECT_NEAR(found->t, wanted, 1e-15 / std::sqrt(d) + 1e-14) << d;
    // wherever the dip lies in the intervals of the search
    for (int k = 0; k < 40 && d < 0.5; ++k) {
      collision::Sinusoids later = f;
      const double shift = 0.3 * k;               // f(t - shift)
      if (1 - d + std::cos(shift) < 0) continue;  // begins in the dip
      later.a(0, 0) = std::cos(shift);
      later.b = Eigen::MatrixXd::Constant(1, 1, std::sin(shift));
      const auto dip = collision::first_crossing(later);
      ASSERT_TRUE(dip) << d << ", " << shift;
      const double first = wanted + shift, period = 2 * std::numbers::pi;
      const double turn = std::floor((wanted + 2 * std::sqrt(2 * d) + shift) / period);
      EXPECT_NEAR(dip->t, first - period * turn, 1e-14 / std::sqrt(d) + 1e-13) << d << ", " << shift;
    }
    f.c0[0] = 1 + d;  // it stays above
    f.c1[0] = -1e-3;  // until the drift takes it down much later
    const auto later = collision::first_crossing(f);
    ASSERT_TRUE(later);
    EXPECT_GT(later->t, 2.5);
    EXPECT_NEAR(f.at(later->t)[0], 0, 1e-13);
  }
}

TEST(FirstCrossing, AgreesWithAFineSearchOnRandomSums) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::Index modes = 1 + trial % 5, rows = 1 + trial % 4;
    collision::Sinusoids f;
    f.w.resize(modes);
    for (double& w : f.w) w = std::exp(2 * number(random));
    f.c0.resize(rows), f.c1.resize(rows), f.a.resize(rows, modes), f.b.resize(rows, modes);
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index j = 0; j < modes; ++j) f.a(i, j) = number(random), f.b(i, j) = number(random);
      f.c1[i] = 0.05 * number(random);
      f.c0[i] = -f.a.row(i).sum() + 0.3 * std::abs(number(random));  // positive at the start
    }
    const double h = 2e-4;
    double first = -1;
    for (double t = 0; t < 20 && first < 0; t += h)
      if (f.at(t + h).minCoeff() < 0) first = t;
    const auto found = collision::first_crossing(f);
    if (first < 0) {
      EXPECT_TRUE(!found || found->t > 19.9) << trial;
      continue;
    }
    ASSERT_TRUE(found) << trial;
    EXPECT_LE(found->t, first + h + 1e-12) << trial;
    // before the fine search by a graze between its places, at most
    if (found->t < first - 1e-9) {
      EXPECT_LT(f.at(found->t + 1e-6).minCoeff(), 1e-9) << trial;
    }
    EXPECT_NEAR(f.at(found->t)[found->rows[0]], 0, 1e-12) << trial;
  }
}

/// A light ball between two heavy ones that move together: it is pressed in on one side while the other side would
/// let go; friction holds a point for a while.
TEST(Collision, PointsStickWhileTheirForceIsInsideTheBand) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(0, 1);
  int sticks = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const System s = chain(
        {0.2 + 3 * number(random), 0.2 + 3 * number(random), 0.2 + 3 * number(random)},
        {{0.1 + number(random), 0.9 * number(random), 0}, {0.1 + 9 * number(random), 0.9 * number(random), 0}});
    const Solved p = must_collide(s);
    expect_consistent(s, p, "trial " + std::to_string(trial));
    for (const collision::Phase& phase : p.outcome.phases) {
      EXPECT_GT(phase.end_s, phase.start_s) << "a phase of no length: senses would alternate";
      for (std::size_t i = 0; i < s.points.size(); ++i) {
        if (phase.sense[i] != Sense::held) continue;
        ++sticks;
        const auto k = static_cast<Eigen::Index>(i);
        const double spring = s.points[i].stiffness_Npm * phase.depth_m[k], mu = s.points[i].friction;
        EXPECT_NEAR(phase.approach_mps[k], 0, 1e-13);
        EXPECT_GE(phase.force_N[k], (1 - mu) * spring * (1 - 1e-12));
        EXPECT_LE(phase.force_N[k], (1 + mu) * spring * (1 + 1e-12));
      }
    }
  }
  std::printf("held points in 400 chains: %d\n", sticks);
  EXPECT_GT(sticks, 0);
}

/// Uniform numbers from a seed.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [this] { return (*this)(-1, 1); });
  }

 private:
  std::mt19937 engine_;
};

/// With one way out for all points, so that nothing is wedged; frictionless points.
System random_system(Random& random, Eigen::Index unknowns, Eigen::Index points) {
  System s;
  const Eigen::MatrixXd root = random.matrix(unknowns, unknowns);
  s.mass = root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(unknowns, unknowns);
  s.normals = random.matrix(points, unknowns);
  s.velocity = random.matrix(unknowns, 1);
  const Eigen::VectorXd out = random.matrix(unknowns, 1);
  for (Eigen::Index i = 0; i < points; ++i) {
    if (s.normals.row(i).dot(out) < 0) s.normals.row(i) = -s.normals.row(i);
    s.points.push_back({random(0.5, 2), 0.0, 0.0});
  }
  return s;
}

/// Random systems of a few unknowns and points, redundant ones too, friction from none to plastic.
TEST(Collision, RandomCollisionsEndAndKeepTheirEnergyBalance) {
  Random random(11);
  for (int trial = 0; trial < 600; ++trial) {
    System s = random_system(random, 2 + trial % 5, 1 + trial % 7);
    for (Point& point : s.points) point.friction = trial % 3 == 0 ? 0.0 : trial % 3 == 1 ? random(0, 1) : 1.0;
    if ((s.normals * s.velocity).minCoeff() >= 0) continue;
    const Solved p_out = must_collide(s);
    expect_consistent(s, p_out, "trial " + std::to_string(trial));
    System reversed = s;
    reversed.normals = s.normals.colwise().reverse();
    std::reverse(reversed.points.begin(), reversed.points.end());
    EXPECT_LT((must_collide(reversed).velocity - p_out.velocity).cwiseAbs().maxCoeff(), 1e-9) << trial;
  }
}

/// A dent that is left slowly is a small difference of depths: its rounding is no touch.
TEST(Collision, PlasticPointsLeaveTheirDentsAndComeToAnEnd) {
  Random random(3);
  std::size_t most_phases = 0;
  for (int trial = 0; trial < 8000; ++trial) {
    System s = random_system(random, 2 + trial % 6, 2 + trial % 9);
    for (std::size_t i = 0; i < s.points.size(); ++i)
      s.points[i].friction = trial % 2 || i % 2 ? 1.0 : random(0, 1);
    if ((s.normals * s.velocity).minCoeff() >= 0) continue;
    const Solved out = must_collide(s);
    EXPECT_EQ(out.outcome.end, collision::Outcome::End::complete) << trial;
    most_phases = std::max(most_phases, out.outcome.phases.size());
  }
  EXPECT_LT(most_phases, 5000U);
}

/// Points that hardly know of each other: what reaches the far ones is near the rounding of what moves.
TEST(Collision, FeeblyCoupledPointsComeToAnEnd) {
  Random random(9);
  for (int trial = 0; trial < 3000; ++trial) {
    System s = random_system(random, 6, 6);
    s.mass = Eigen::VectorXd(random.matrix(6, 1).array() + 1.5).asDiagonal();
    const double feeble = std::pow(10, random(-9, -2));
    for (Eigen::Index i = 0; i < 6; ++i)
      for (Eigen::Index j = 0; j < 6; ++j)
        s.normals(i, j) = i == j ? 1 : std::abs(i - j) == 1 ? feeble * s.normals(i, j) : 0;
    s.velocity = -Eigen::VectorXd::Unit(6, trial % 6);
    for (std::size_t i = 0; i < s.points.size(); ++i) {
      s.points[i].friction = random(0, 1);
      if (trial % 6 != static_cast<int>(i)) s.velocity[static_cast<Eigen::Index>(i)] = 0;
    }
    const Solved out = must_collide(s);
    EXPECT_EQ(out.outcome.end, collision::Outcome::End::complete) << trial;
    EXPECT_LT(out.outcome.phases.size(), 1000U) << trial;
  }
}

/// Forces between bounds whatever the stiffnesses that weigh their shares: the conditions of the minimum hold.
TEST(BoundedForces, MeetTheirConditions) {
  Random random(5);
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Index n = 1 + trial % 6, m = 1 + trial % 5;
    const Eigen::MatrixXd J = random.matrix(n, m), W = J * J.transpose();
    const Eigen::VectorXd c = J * random.matrix(m, 1), low = Eigen::VectorXd::Zero(n),
                          high = Eigen::VectorXd::Constant(n, std::numeric_limits<double>::infinity()),
                          k = Eigen::VectorXd::NullaryExpr(n, [&] { return std::pow(10, random(-4, 4)); });
    const Eigen::VectorXd F = linear::bounded_forces(W, c, low, high, k), a = W * F + c;
    const double size = c.cwiseAbs().maxCoeff();
    // without a way out the problem has no bounded answer: W F = -c has to be possible with F >= 0
    if (F.cwiseAbs().maxCoeff() > 1e6 * size) continue;
    EXPECT_GE(F.minCoeff(), 0);
    EXPECT_GE(a.minCoeff(), -1e-9 * size) << trial;
    EXPECT_NEAR(a.dot(F), 0, 1e-9 * size * size) << trial;
  }
}

TEST(Collision, RigidRulesAreWhatTheySay) {
  const Result<collision::Reduced> reduced = collision::reduce(chain(3, 0));
  ASSERT_TRUE(reduced);
  const collision::Collision& c = reduced->collision;
  // the first ball, then the second: the last one takes all (the order of a cradle)
  const auto sequence = collision::newton_in_sequence(c, {0, 1});
  EXPECT_NEAR((reduced->response * sequence.impulse_Ns + chain(3, 0).velocity)[2], 1, 1e-12);
  // Moreau's rule sends the two resting balls off together
  const Eigen::VectorXd moreau = chain(3, 0).velocity + reduced->response * collision::newton_at_once(c).impulse_Ns;
  EXPECT_NEAR(moreau[0], -1.0 / 3, 1e-12);
  EXPECT_NEAR(moreau[1], 2.0 / 3, 1e-12);
  EXPECT_NEAR(moreau[2], 2.0 / 3, 1e-12);
  const auto poisson = collision::poisson(c);
  EXPECT_NEAR((chain(3, 0).velocity + reduced->response * poisson.impulse_Ns).sum(), 1, 1e-12);
  EXPECT_LE(poisson.approach_mps.maxCoeff(), 1e-12);
}

TEST(Collision, BadInputIsSaid) {
  const auto error_of = [](const System& s) {
    const Result<Solved> out = collision::collide(s);
    return out ? std::string("accepted") : out.errors().front().text;
  };
  System s = chain(3, 0);
  s.mass(1, 1) = 0;
  EXPECT_NE(error_of(s).find("singular"), std::string::npos) << error_of(s);
  s = chain(3, 0);
  s.velocity = -s.velocity;
  EXPECT_NE(error_of(s).find("no point approaches"), std::string::npos) << error_of(s);
  s = chain(3, 0);
  s.points[1].stiffness_Npm = -1;
  EXPECT_NE(error_of(s).find("point 1: stiffness must be above 0, found -1"), std::string::npos) << error_of(s);
  s = chain(3, 0);
  s.points[0].friction = -0.1;
  EXPECT_NE(error_of(s).find("friction must be 0 or above"), std::string::npos) << error_of(s);
  s = chain(3, 0);
  s.velocity.resize(4);
  s.velocity << 1, 0, 0, 0;
  EXPECT_NE(error_of(s).find("the mass matrix is 3 x 3; with 4 velocities"), std::string::npos) << error_of(s);
  s = chain(3, 0);
  s.points.pop_back();
  EXPECT_NE(error_of(s).find("there are 1 points and 2 rows"), std::string::npos) << error_of(s);
  s = two_bars(0.3, 0.4);
  s.velocity[1] += 0.1;
  EXPECT_NE(error_of(s).find("violate constraint 1"), std::string::npos) << error_of(s);
  s = chain(3, 0);
  s.mass(0, 1) = 0.5;
  EXPECT_NE(error_of(s).find("not symmetric"), std::string::npos) << error_of(s);
  // a mass that constraints make unnecessary may be missing
  s = two_bars(0.3, 0.4);
  s.mass(0, 0) = s.mass(3, 3) = 0;
  s.constraints.conservativeResize(3, Eigen::NoChange);
  s.constraints.row(2) << 1, 0, 0, 0, 0, 0;
  EXPECT_EQ(error_of(s), "accepted");
}

}  // namespace
}  // namespace percuss
