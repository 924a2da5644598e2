// Static equilibrium against closed forms.
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/energy.h"
#include "percuss/dynamics/equilibrium.h"
#include "scene_runs.h"

namespace percuss {
namespace {

using dynamics::Equilibrium;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

struct Found {
  model::Compiled compiled;
  Equilibrium equilibrium;
  dynamics::Evaluation at_rest;

  explicit Found(const std::string& text) : compiled(from_text(text)) {
    equilibrium =
        dynamics::find_equilibrium(compiled.model, compiled.settings, dynamics::initial_state(compiled.model));
    if (!equilibrium.is_found()) return;
    dynamics::Workspace workspace(compiled.model);
    at_rest = dynamics::evaluate(compiled.model, 0, equilibrium.state.y, equilibrium.state.modes, workspace);
  }
  Vec3 place(std::size_t body) const { return at_rest.motions[body].p_m; }
};

constexpr char kBall[] = R"(
bodies:
  ground: {shape: {kind: plane, axis: z}}
  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0.3, 0, 0.5]}
contacts:
  touch: {between: [ball, ground], law: flores, restitution: 0.8, stiffness: 1e8}
solver: {duration: 0.01 s}
)";

TEST(Equilibrium, BallSinksIntoAPlaneByTheIndentationOfHertzAndStaysWhereItMayRoll) {
  const Found f(kBall);
  ASSERT_EQ(f.equilibrium.failure, "");
  const double d = std::pow(9.81 / 1e8, 2.0 / 3);
  // the place is a double near 0.1, and the contact adds a few roundings
  EXPECT_NEAR(0.1 - f.place(1).z, d, 8 * kEpsilon * 0.1);
  EXPECT_EQ(f.place(1).x, 0.3);
  EXPECT_EQ(f.place(1).y, 0);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(f.equilibrium.state.y[at(f.compiled.model.position_count) + k], 0);
}

std::string block(const std::string& friction, double slope_rad) {
  return "gravity: [" + text_of(9.81 * std::sin(slope_rad)) + ", 0, " + text_of(-9.81 * std::cos(slope_rad)) + R"(]
bodies:
  ground: {shape: {kind: plane, axis: z}}
  block: {mass: 2, inertia: [0.01, 0.02, 0.03], shape: {kind: box, size: [0.4, 0.3, 0.2]}, at: [0, 0, 0.11]}
contacts:
  feet: {between: [block, ground], law: flores, restitution: 0.5, elastic: hertz, stiffness: 1e8, friction: )" +
         friction + R"(}
start: {equilibrium: true}
solver: {duration: 0.1 s}
)";
}

class HoldingFriction : public ::testing::TestWithParam<const char*> {};

TEST_P(HoldingFriction, CarriesABlockOnASlopeByItsDeflectedMemory) {
  const double slope = 0.5;
  const Found f(block("{" + std::string(GetParam()) + ", coefficient: 0.7}", slope));
  ASSERT_EQ(f.equilibrium.failure, "");
  ASSERT_EQ(f.at_rest.contacts.size(), 4U);
  Vec3 friction;
  double normal = 0;
  for (const dynamics::ContactNow& c : f.at_rest.contacts) {
    friction += f.at_rest.contacts.front().approach.body_b == 1 ? c.friction_N : -c.friction_N;
    normal += c.force.total_N;
  }
  const double weight = 2 * 9.81, allowed = 2 * f.equilibrium.allowed_mps2;
  EXPECT_NEAR(friction.x, -weight * std::sin(slope), allowed);
  EXPECT_NEAR(friction.y, 0, allowed);
  EXPECT_NEAR(normal, weight * std::cos(slope), allowed);
}

TEST_P(HoldingFriction, BeginsTheRunLoadedSoThatNothingMoves) {
  const SceneRun run = run_text(block("{" + std::string(GetParam()) + ", coefficient: 0.7}", 0.5));
  // what is left is the residual of the equilibrium, for as long as the run lasts
  const Found f(block("{" + std::string(GetParam()) + ", coefficient: 0.7}", 0.5));
  const double fastest = f.equilibrium.allowed_mps2 * 0.1;
  EXPECT_LT(run.recording.ledger.end.kinetic_J, 2 * fastest * fastest);
  EXPECT_TRUE(run.recording.warnings.empty()) << run.recording.warnings.front();
}

INSTANTIATE_TEST_SUITE_P(Laws, HoldingFriction,
                         ::testing::Values("law: lugre", "law: dahl", "law: mindlin, parameters: {ratio: 0.8}"));

TEST(Equilibrium, AChainOfRodsHangsAsItsClosedForm) {
  // n equal rods between two supports: rod i (from 1) has tan(angle) = w (n + 1 - 2 i)/(2 H), w the weight of a
  // rod; the horizontal force H follows from sum cos(angle) = span/length
  const int n = 6;
  const double length = 0.5, span = 2.0, fold = std::acos(span / (n * length));
  std::string text = "planar: true\nbodies:\n";
  std::string joints = "joints:\n";
  double x = 0, y = 0;
  for (int i = 0; i < n; ++i) {
    const double angle = i < n / 2 ? -fold : fold;
    text += "  rod" + std::to_string(i) + ": {mass: 1, inertia: " + text_of(length * length / 12) + ", at: [" +
            text_of(x + length / 2 * std::cos(angle)) + ", " + text_of(y + length / 2 * std::sin(angle)) +
            "], angle: " + text_of(angle) + "}\n";
    joints += "  pin" + std::to_string(i) + ": {type: revolute, between: [" +
              (i == 0 ? std::string("ground") : "rod" + std::to_string(i - 1)) + ", rod" + std::to_string(i) +
              "], at: [" + text_of(x) + ", " + text_of(y) + "]}\n";
    x += length * std::cos(angle), y += length * std::sin(angle);
  }
  joints += "  end: {type: revolute, between: [rod" + std::to_string(n - 1) + ", ground], at: [" + text_of(span) +
            ", 0]}\n";
  const Found f(text + joints + "solver: {duration: 1}\n");
  ASSERT_EQ(f.equilibrium.failure, "");
  const auto slope = [&](int i, double h) { return std::atan((n + 1 - 2 * (i + 1)) / (2 * h)); };
  double low = 1e-3, high = 1e3;  // H over the weight of a rod
  for (int k = 0; k < 200; ++k) {
    const double h = (low + high) / 2;
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += std::cos(slope(i, h));
    (sum < span / length ? low : high) = h;
  }
  x = y = 0;
  for (int i = 0; i < n; ++i) {
    const double angle = -slope(i, low);
    // the least stiffness over the mass is about g/(n length): accelerations below the allowed one are this far off
    const double allowed = f.equilibrium.allowed_mps2 / (9.81 / (n * length)) + 1e-13;
    EXPECT_NEAR(f.place(at(i) + 1).x, x + length / 2 * std::cos(angle), allowed);
    EXPECT_NEAR(f.place(at(i) + 1).y, y + length / 2 * std::sin(angle), allowed);
    x += length * std::cos(angle), y += length * std::sin(angle);
  }
}

TEST(Equilibrium, APendulumFromAboveFallsToWhereItHangs) {
  const double angle = 2.5;  // from the vertical
  const Found f("bodies:\n  rod: {mass: 1, inertia: [0.01, 0.02, 0.03], at: [" + text_of(std::sin(angle)) +
                ", 0, " + text_of(-std::cos(angle)) +
                "]}\njoints:\n  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}\n"
                "solver: {duration: 1}\n");
  ASSERT_EQ(f.equilibrium.failure, "");
  EXPECT_NEAR(f.place(1).x, 0, 2 * f.equilibrium.allowed_mps2 / 9.81);
  EXPECT_NEAR(f.place(1).z, -1, 1e-14);
}

TEST(Equilibrium, RedundantJointsCarryAParallelogramToItsLowestPlace) {
  // in space the four parallel hinges have three rows more than they need
  const Found f(R"(
bodies:
  left: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 0]}
  right: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 2, 0]}
  coupler: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [1, 1, 0]}
joints:
  a: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: x}
  b: {type: revolute, between: [ground, right], at: [0, 2, 0], axis: x}
  c: {type: revolute, between: [left, coupler], at: [0, 0, -1], axis: x}
  d: {type: revolute, between: [right, coupler], at: [0, 2, -1], axis: x}
solver: {duration: 1}
)");
  ASSERT_EQ(f.equilibrium.failure, "");
  EXPECT_EQ(f.compiled.model.redundant_rows().size(), 3U);
  EXPECT_NEAR(f.place(3).y, 1, 1e-7);
}

TEST(Equilibrium, SaysWhatDoesNotComeToBalance) {
  EXPECT_NE(Found("bodies:\n  stone: {mass: 1, particle: true}\nsolver: {duration: 1}\n")
                .equilibrium.failure.find("body \"stone\" still accelerates at 9.81 m/s^2"),
            std::string::npos);
  const std::string steep = Found(block("{law: lugre, coefficient: 0.3}", 0.5)).equilibrium.failure;
  EXPECT_NE(steep.find("body \"block\" still accelerates at "), std::string::npos) << steep;
  const std::string creeping = Found(block("{coefficient: 0.7}", 0.5)).equilibrium.failure;
  EXPECT_NE(creeping.find("\"coulomb-tanh\" of contact \"feet\" holds nothing at rest"), std::string::npos)
      << creeping;
}

TEST(Equilibrium, RefusesContactsWithoutIndentation) {
  std::string text = kBall;
  text.replace(text.find("stiffness: 1e8"), 14, "response: impulsive, stiffness: 1e8");
  EXPECT_NE(Found(text).equilibrium.failure.find("contact \"touch\" has an impulsive response"), std::string::npos);
}

TEST(Equilibrium, ThatCannotBeFoundFailsTheRunInOneLine) {
  model::Compiled free =
      from_text("bodies:\n  stone: {mass: 1, particle: true}\nstart: {equilibrium: true}\nsolver: {duration: 1}\n");
  const recording::Recording run = dynamics::simulate(free);
  EXPECT_EQ(run.end, recording::End::failed);
  EXPECT_EQ(run.failure.find("no static equilibrium: body \"stone\""), 0U) << run.failure;
  dynamics::Simulation simulation(free.model, free.settings);
  EXPECT_EQ(simulation.step(), dynamics::Progress::failed);
}

}  // namespace
}  // namespace percuss
