// Collisions at many points whose springs unload on a steeper line: closed forms, conservation, direct integration.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "collision_systems.h"
#include "frozen_integration.h"
#include "percuss/collision/rigid_rules.h"
#include "random_cases.h"

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

void expect_consistent(const System& s, const Solved& p, const std::string& name) {
  const double speed = s.velocity.cwiseAbs().maxCoeff(), energy = p.kinetic_before_J;
  EXPECT_NEAR(p.kinetic_before_J - p.kinetic_after_J, p.outcome.lost_J.sum(), 1e-12 * energy) << name;
  EXPECT_GE(p.outcome.lost_J.minCoeff(), -1e-12 * energy) << name;
  EXPECT_GE(p.outcome.impulse_Ns.minCoeff(), 0) << name;
  EXPECT_GE((s.normals * p.velocity).minCoeff(), -1e-12 * speed) << name;
}

/// Loading takes a quarter period of k, unloading one of w k; the ball leaves its dent with the speed v/sqrt(w).
TEST(Elastoplastic, OneBallOnAWallReturnsTheRootOfTheStiffnesses) {
  for (const double w : {1 + 1e-9, 1.5, 4.0, 100.0, 1e8, 1e13, std::numeric_limits<double>::infinity()}) {
    System s;
    s.mass = Eigen::MatrixXd::Constant(1, 1, 0.7);
    s.normals = Eigen::MatrixXd::Ones(1, 1);
    s.velocity = Eigen::VectorXd::Constant(1, -3.0);
    s.points = {collision::elastoplastic(2e7, w)};
    const Solved p = must_collide(s);
    const double e = w > 1e12 ? 0 : 1 / std::sqrt(w), frequency = std::sqrt(2e7 / 0.7), deepest = 3 / frequency;
    EXPECT_NEAR(p.velocity[0], 3 * e, 1e-13) << w;
    EXPECT_NEAR(collision::restitution_of(s.points[0]), e, 1e-15) << w;
    EXPECT_NEAR(p.outcome.lost_J[0], 0.5 * 0.7 * 9 * (1 - e * e), 1e-12) << w;
    EXPECT_NEAR(p.outcome.peak_indentation_m[0], deepest, 1e-14 * deepest) << w;
    EXPECT_NEAR(p.outcome.peak_force_N[0], 2e7 * deepest, 1e-13 * 2e7 * deepest) << w;
    if (e > 0) {
      EXPECT_NEAR(p.outcome.dent_m[0], deepest * (1 - e * e), 1e-14 * deepest) << w;
    }
    EXPECT_NEAR(p.outcome.phases[0].end_s, std::numbers::pi / 2 / frequency, 1e-12 / frequency);
    if (e > 0) {
      EXPECT_NEAR(p.outcome.phases.back().end_s, std::numbers::pi / 2 / frequency * (1 + e), 1e-11 / frequency);
    }
  }
}

/// The law of one point does not tell how it gets there; at several points it does: the force of the bistiffness
/// spring jumps at maximum compression, that of this one does not. As w tends to 1 both are elastic, as it grows
/// both are plastic.
TEST(Elastoplastic, TendsToTheElasticAndThePlasticCollision) {
  for (const int balls : {3, 5, 8}) {
    const Eigen::VectorXd elastic = must_collide(chain(balls, 0)).velocity;
    EXPECT_LT((must_collide(elastoplastic(chain(balls, 0), 1 + 1e-10)).velocity - elastic).cwiseAbs().maxCoeff(),
              1e-8);
    for (const double w : {1e6, 1e13})
      EXPECT_LT((must_collide(elastoplastic(chain(balls, 0), w)).velocity.array() - 1.0 / balls).abs().maxCoeff(),
                2 / std::sqrt(w) + 1e-12)
          << w;
    const double e = 0.7;
    const Eigen::VectorXd steep = must_collide(elastoplastic(chain(balls, 0), 1 / (e * e))).velocity,
                          dry = must_collide(chain(balls, collision::friction_of_restitution(e))).velocity;
    EXPECT_GT((steep - dry).cwiseAbs().maxCoeff(), 1e-3) << "another spring, another answer";
  }
}

struct Case {
  const char* name;
  System system;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

class FrozenElastoplastic : public ::testing::TestWithParam<Case> {};

TEST_P(FrozenElastoplastic, AgreesWithDirectIntegration) {
  const System& s = GetParam().system;
  const Solved p = must_collide(s);
  expect_consistent(s, p, GetParam().name);
  const Eigen::VectorXd wanted = FrozenIntegration(s).run();
  EXPECT_LT((p.velocity - wanted).cwiseAbs().maxCoeff(), 1e-9)
      << GetParam().name << "\n  ours " << p.velocity.transpose() << "\ndirect " << wanted.transpose();
}

TEST_P(FrozenElastoplastic, IsTheSameHoweverItIsWritten) {
  const System& s = GetParam().system;
  const Solved p = must_collide(s);
  const auto n = static_cast<Eigen::Index>(s.points.size());
  const auto difference = [&](const System& other) {
    return (must_collide(other).velocity - p.velocity).cwiseAbs().maxCoeff();
  };
  System reversed = s;
  reversed.normals = s.normals.colwise().reverse();
  std::reverse(reversed.points.begin(), reversed.points.end());
  EXPECT_LT(difference(reversed), 1e-11);
  for (const double factor : {1e-6, 3.7, 1e9}) {
    System other = s;
    for (Point& point : other.points) point.stiffness_Npm *= factor;
    EXPECT_LT(difference(other), 1e-11) << factor;
  }
  for (Eigen::Index i = 0; i < n; ++i) {  // a point in two halves
    System other = s;
    other.normals.conservativeResize(n + 1, Eigen::NoChange);
    other.normals.row(n) = s.normals.row(i);
    other.points.push_back(s.points[static_cast<std::size_t>(i)]);
    other.points.back().stiffness_Npm /= 2;
    other.points[static_cast<std::size_t>(i)].stiffness_Npm /= 2;
    EXPECT_LT(difference(other), 1e-11) << "point " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Collision, FrozenElastoplastic,
    ::testing::Values(
        Case{"three balls", elastoplastic(chain(3, 0), 2)}, Case{"five balls", elastoplastic(chain(5, 0), 1.3)},
        Case{"three unequal balls", elastoplastic(chain({1, 2.3, 0.4}, {{1, 0, 0}, {3.1, 0, 0}}), 4)},
        Case{"four unequal balls",
             elastoplastic(chain({2, 0.7, 1.6, 1.1}, {{1, 0, 0}, {0.3, 0, 0}, {2, 0, 0}}), 2.5)},
        Case{"a light ball between", elastoplastic(chain({3, 0.2, 2}, {{1, 0, 0}, {2, 0, 0}}), 3)},
        Case{"friction beside it",
             partly_elastoplastic(chain({2, 0.7, 1.6, 1.1}, {{1, 0.3, 0}, {0.3, 0.6, 0}, {2, 0.2, 0}}), 2)},
        Case{"ball on two, symmetric", elastoplastic(billiard(0, 0), 2)},
        Case{"ball on two, nearly symmetric", elastoplastic(billiard(0, 1e-6), 2)},
        Case{"ball on two, oblique", elastoplastic(billiard(0, 0.2), 5)},
        Case{"table, flat", elastoplastic(table(0, 0, 0), 2)},
        Case{"table, turning", elastoplastic(table(0, 0.5, 0.7), 3)},
        Case{"block, turning", elastoplastic(block(0, 1.7), 2)},
        Case{"two bars", elastoplastic(two_bars(0, 0.4), 2)},
        Case{"two bars, partly", partly_elastoplastic(two_bars(0.3, 0.4), 2)},
        Case{"two bars, an end at rest", elastoplastic(two_bars(0, -0.8, true), 2)}));

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

/// With one way out for all points, so that nothing is wedged; every third point with friction, the others steeper.
System random_system(Random& random, Eigen::Index unknowns, Eigen::Index points, double steepest) {
  System s;
  const Eigen::MatrixXd root = random.matrix(unknowns, unknowns);
  s.mass = root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(unknowns, unknowns);
  s.normals = random.matrix(points, unknowns);
  s.velocity = random.matrix(unknowns, 1);
  const Eigen::VectorXd out = random.matrix(unknowns, 1);
  for (Eigen::Index i = 0; i < points; ++i) {
    if (s.normals.row(i).dot(out) < 0) s.normals.row(i) = -s.normals.row(i);
    const double k = random(0.5, 2);
    s.points.push_back(i % 3 == 2 ? Point{k, random(0, 1), 0}
                                  : collision::elastoplastic(k, std::pow(steepest, random(0, 1))));
  }
  return s;
}

/// The order of the points is rounding: 1e-8, and in one of a thousand, where two events nearly tie, 1e-5.
TEST(RandomElastoplastic, CollisionsEndAndKeepTheirEnergyBalance) {
  Random random(21);
  int collided = 0, most_phases = 0, parted = 0;
  for (int trial = 0; trial < cases(600, 20000); ++trial) {
    const System s = random_system(random, 2 + trial % 5, 1 + trial % 7, trial % 4 == 0 ? 1e3 : 10);
    if ((s.normals * s.velocity).minCoeff() >= 0) continue;
    ++collided;
    const Solved p = must_collide(s);
    expect_consistent(s, p, "trial " + std::to_string(trial));
    most_phases = std::max(most_phases, static_cast<int>(p.outcome.phases.size()));
    System reversed = s;
    reversed.normals = s.normals.colwise().reverse();
    std::reverse(reversed.points.begin(), reversed.points.end());
    const double apart = (must_collide(reversed).velocity - p.velocity).cwiseAbs().maxCoeff();
    EXPECT_LT(apart, 1e-5) << trial;
    parted += apart > 1e-8;
  }
  EXPECT_LE(parted, 1e-3 * collided);
  report_figure("elastoplastic collisions: " + std::to_string(collided) + " end, at most " +
                std::to_string(most_phases) + " phases");
}

/// Against Runge and Kutta in full coordinates. A collision that hangs on the last digits (two events at one time
/// whose order decides) may part from it: told apart by the collision's own answer to a change of 1e-9.
TEST(RandomElastoplastic, CollisionsAgreeWithDirectIntegration) {
  Random random(22);
  int agree = 0, sensitive = 0, slow = 0;
  double worst = 0;
  for (int trial = 0; trial < cases(12, 400); ++trial) {
    const System s = random_system(random, 2 + trial % 4, 1 + trial % 4, 6);
    if ((s.normals * s.velocity).minCoeff() >= 0) continue;
    const Solved p = must_collide(s);
    const Eigen::VectorXd direct = FrozenIntegration(s).run();
    if (!direct.allFinite()) {
      ++slow;  // it did not come to its end in its number of steps
      continue;
    }
    const double off = (p.velocity - direct).cwiseAbs().maxCoeff();
    System nearby = s;
    for (std::size_t i = 0; i < s.points.size(); ++i)
      nearby.points[i].stiffness_Npm *= 1 + 1e-9 * static_cast<double>(i);
    if (off > 1e-7 && (must_collide(nearby).velocity - p.velocity).cwiseAbs().maxCoeff() > 1e-7) {
      ++sensitive;
      continue;
    }
    ++agree;
    worst = std::max(worst, off);
    EXPECT_LT(off, 1e-7) << trial << "\n  ours " << p.velocity.transpose() << "\ndirect " << direct.transpose();
  }
  EXPECT_LE(sensitive + slow, agree / 10 + 1);
  report_figure("elastoplastic against direct integration: " + std::to_string(agree) + " agree to " +
                std::to_string(worst) + ", " + std::to_string(sensitive) + " sensitive, " + std::to_string(slow) +
                " too long");
}

// ---- extreme numbers

/// Springs and masses from the smallest to the largest numbers there are: an answer or an error, never a search
/// without an end. Answers are finite and lose energy.
TEST(RandomExtremes, OfACollisionEndQuickly) {
  Random random(23);
  const double extremes[] = {
      std::numeric_limits<double>::denorm_min(), 1e-310, 1e-300, 1e-150, 1e-20, 1, 1, 1, 1e20, 1e150, 1e300,
      std::numeric_limits<double>::max()};
  const auto pick = [&] { return extremes[static_cast<std::size_t>(random(0, std::size(extremes)))]; };
  int answers = 0, errors = 0;
  for (int trial = 0; trial < cases(300, 20000); ++trial) {
    const int balls = 2 + trial % 4;
    std::vector<double> masses;
    std::vector<Point> points;
    for (int i = 0; i < balls; ++i) masses.push_back(trial % 3 == 0 ? 1 : pick());
    for (int i = 0; i + 1 < balls; ++i) {
      Point p{pick(), trial % 2 ? 0.0 : random(0, 2), trial % 5 == 0 ? pick() : 0};
      if (trial % 4 == 1) p = collision::elastoplastic(p.stiffness_Npm, 1 + pick());
      points.push_back(p);
    }
    System s = chain(masses, points);
    if (trial % 7 == 0) s.velocity *= pick();
    const Result<Solved> out = collision::collide(s);
    if (!out) {
      ++errors;
      continue;
    }
    ++answers;
    if (out->outcome.end == Outcome::End::complete && std::isfinite(out->kinetic_before_J)) {
      EXPECT_TRUE(out->velocity.allFinite()) << trial;
    }
  }
  report_figure("extreme collisions: " + std::to_string(answers) + " answers, " + std::to_string(errors) +
                " errors");
}

/// Only the ratios of the stiffnesses matter, down to the smallest number there is.
TEST(Elastoplastic, TheUnitOfStiffnessDoesNotMatter) {
  const Eigen::VectorXd wanted = must_collide(chain(4, 0.3)).velocity;
  for (const double k : {std::numeric_limits<double>::denorm_min(), 1e-300, 1e300, 0x1p1023}) {
    System s = chain(4, 0.3);
    for (Point& p : s.points) p.stiffness_Npm = k;
    EXPECT_LT((must_collide(s).velocity - wanted).cwiseAbs().maxCoeff(), 1e-13) << k;
  }
  System s = chain(4, 0.3);
  s.mass *= 0x1p900;
  EXPECT_EQ(must_collide(s).velocity, wanted) << "nor that of mass";
  s = chain(4, 0.3);
  s.velocity *= 0x1p-900;
  EXPECT_EQ(must_collide(s).velocity, wanted * 0x1p-900) << "nor that of speed";
}

TEST(Elastoplastic, BadPointsAreSaid) {
  const auto error_of = [](const Point& point) {
    System s = chain(2, 0);
    s.points = {point};
    const Result<Solved> out = collision::collide(s);
    return out ? std::string("accepted") : out.errors().front().text;
  };
  EXPECT_NE(error_of({1, 0, 0, 0.5}).find("must be 1 or above, found 0.5"), std::string::npos);
  EXPECT_NE(error_of({1, 0, 0, std::nan("")}).find("must be 1 or above"), std::string::npos);
  EXPECT_NE(error_of({1, 0.2, 0, 2}).find("exclude each other"), std::string::npos);
  EXPECT_EQ(error_of({1, 0, 0, 2}), "accepted");
}

}  // namespace
}  // namespace percuss
