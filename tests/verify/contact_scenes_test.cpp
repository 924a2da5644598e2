// Contact inside the engine against independent integrations, closed forms and reference numbers.
#include "free_collision.h"
#include "random_cases.h"
#include "scene_runs.h"

#include <cmath>
#include <numbers>
#include <random>

#include "percuss/contact/restitution.h"
#include "percuss/contact/rows.h"
#include "percuss/impact/impact.h"
#include "percuss/ode/dop853.h"
#include "percuss/ode/root.h"
#include "sample_laws.h"

namespace percuss {
namespace {

/// One bounce of a ball of 1 kg under gravity, in one dimension and on its own: m x'' = m g - F(x, x') from x = 0.
/// With the root X of x as the unknown and dt = X d(tau) nothing is singular at touch.
double bounce_alone(double v0, double stiffness, double gain) {
  const auto rhs = [=](double, std::span<const double> y, std::span<double> d) {
    const double x = y[0] * y[0], f = stiffness * x * std::abs(y[0]) * (1 + gain / v0 * y[1]);
    d[0] = y[1] / 2;
    d[1] = (9.81 - f) * y[0];
  };
  ode::Dop853<> solver(2, {1e-13, 1e-13});
  std::array<double, 2> y{1e-9, v0};
  solver.start(rhs, 0, y);
  for (;;) {
    EXPECT_EQ(solver.step(rhs, 1e9), ode::StepOutcome::accepted);
    if (solver.y()[0] <= 1e-9 && solver.y()[1] < 0) break;
  }
  solver.prepare_dense(rhs);
  const auto root = [&](double t) {
    solver.interpolate(t, y);
    return y[0] - 1e-9;
  };
  root(ode::locate_root(root, solver.t_old(), solver.t(), root(solver.t_old()), root(solver.t())));
  return -y[1] / v0;
}

/// The depth of a contact is continuous through touch and release, so that events on it count the impacts, whether
/// the pair is named or found by its materials.
TEST(BouncingBall, EventsOnItsDepthCountTheImpacts) {
  for (const char* pair : {"between: [ball, ground]", "materials: [steel, steel]"}) {
    const SceneRun run = run_text(
        "materials:\n  steel: {young: 210 GPa, poisson: 0.3}\n"
        "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1, material: steel}, at: [0, 0, 1]}\n"
        "  ground: {shape: {kind: plane, material: steel}}\n"
        "contacts:\n  floor: {" +
        std::string(pair) +
        ", law: flores, restitution: 0.7}\n"
        "events:\n  touching: {when: floor.indentation rises through 0, then: [record]}\n"
        "  parting: {when: floor.indentation falls through 0, then: [record]}\n"
        "solver: {duration: 1.9 s}\n");
    ASSERT_EQ(run.recording.impact_count, 5) << pair;
    ASSERT_EQ(run.recording.events.size(), 10U) << pair;
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(run.recording.events[2 * i].time_s, run.recording.impacts[i].touch_s, 1e-12) << pair;
      EXPECT_NEAR(run.recording.events[2 * i + 1].time_s, run.recording.impacts[i].separation_s, 1e-9) << pair;
    }
  }
}

TEST(BouncingBall, EachOfTenBouncesDeliversWhatOneDimensionSays) {
  const SceneRun run =
      run_scene("bouncing_ball", {"solver.duration=5.3", "solver.tolerance=1e-11", "outputs.account=true"});
  ASSERT_GE(run.recording.impacts.size(), 10U);
  const double gain = 1.6 * (1 - 0.9) / 0.9;
  for (std::size_t i = 0; i < 10; ++i) {
    const recording::Impact& k = run.recording.impacts[i];
    EXPECT_NEAR(*k.delivered, bounce_alone(k.approach_speed_mps, 1.4e8, gain), 1e-6) << i;
    EXPECT_NEAR(*k.delivered, bounce_alone(k.approach_speed_mps, 1.4e8, gain), 1e-9) << i;
    EXPECT_NEAR(k.isolated, 0.893920693, 1e-9);
    EXPECT_LT(*k.delivered - k.isolated, -2.5e-4) << "gravity deepens the contact";
    EXPECT_GT(*k.delivered - k.isolated, -1e-3);
    EXPECT_TRUE(k.has_account());
    EXPECT_LT(std::abs(k.remainder), 1e-9) << "the account of delivered against wanted closes";
    const double parts = k.bias + k.extra_dissipation + k.other_work + k.remainder;
    EXPECT_NEAR(parts, *k.delivered * *k.delivered - 0.81, 1e-14);
  }
  EXPECT_NEAR(run.recording.impacts[0].touch_s, std::sqrt(2 * 0.9 / 9.81), 1e-12);
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(BouncingBall, EnergyBalanceClosesBetterWithTheTolerance) {
  double first = 0, last = 0;
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    last = gap_share(run_scene("bouncing_ball", {set("solver.tolerance", tolerance)}));
    if (tolerance == 1e-6) first = last;
  }
  EXPECT_LT(last, 1e-9);
  EXPECT_LT(last, 1e-3 * first);
}

// ---- every law of the table in the engine, against the isolated collision
// ---------------------------------------------

class EveryLawInTheEngine : public ::testing::TestWithParam<contact::DissipationRow> {};

TEST_P(EveryLawInTheEngine, DeliversWhatTheIsolatedCollisionDelivers) {
  const contact::DissipationRow& row = GetParam();
  const contact::LawRequest request = tests::sample_request(row);
  std::string law = "law: " + std::string(row.key);
  if (request.restitution) law += ", restitution: " + text_of(*request.restitution);
  if (request.stiffness) law += ", stiffness: " + text_of(*request.stiffness);
  if (request.exponent) law += ", exponent: " + text_of(*request.exponent);
  if (!request.elastic.empty()) law += ", elastic: " + request.elastic;
  if (!request.parameters.empty()) {
    law += ", parameters: {";
    for (const auto& [name, value] : request.parameters) law += name + ": " + text_of(value) + ", ";
    law += "}";
  }
  const std::string text =
      "gravity: [0, 0, 0]\nbodies:\n"
      "  a: {mass: 0.069, inertia: 1e-5, shape: {kind: sphere, radius: 0.02}, at: [0, 0, 0], velocity: [0.2, 0, "
      "0]}\n"
      "  b: {mass: 0.138, inertia: 5e-5, shape: {kind: sphere, radius: 0.03}, at: [0.0501, 0, 0], velocity: [-0.1, "
      "0, 0]}\n"
      "contacts: {hit: {between: [a, b], " +
      law +
      "}}\n"
      "solver: {duration: 5 ms, tolerance: 1e-11}\noutputs: {account: true}\n";
  const SceneRun run = run_text(text);
  ASSERT_EQ(run.recording.impacts.size(), 1U) << text;
  const recording::Impact& k = run.recording.impacts[0];
  const Result<contact::LawSpec> spec = contact::specify(request);
  ASSERT_TRUE(spec);
  const double mass = tests::kMass, speed = tests::kSpeed;
  EXPECT_NEAR(k.effective_mass_kg, mass, 1e-14);
  EXPECT_NEAR(k.approach_speed_mps, speed, 1e-14);
  const Result<impact::Outcome> alone =
      impact::collide_integrated({contact::latch(*spec, mass, speed), mass, speed}, 1e-12);
  ASSERT_TRUE(alone);
  ASSERT_TRUE(k.separated());
  EXPECT_NEAR(*k.delivered, alone->restitution, 2e-8);
  EXPECT_NEAR(k.peak_force_N / alone->peak_force_N, 1, 1e-6);
  EXPECT_NEAR(k.peak_indentation_m / alone->peak_indentation_m, 1, 1e-8);
  EXPECT_NEAR((k.separation_s - k.touch_s) / alone->duration_s, 1, 1e-5);
  EXPECT_NEAR(k.lost_J / (mass * speed * speed / 2), 1 - alone->restitution * alone->restitution, 2e-8);
  EXPECT_NEAR(k.impulse_Ns, mass * speed * (1 + *k.delivered), 1e-8);
  EXPECT_TRUE(k.has_account());
  EXPECT_LT(std::abs(k.remainder), 1e-7);
  EXPECT_NEAR(k.energetic.value_or(-1), *k.delivered, 1e-7) << "without load both restitutions are one";
  EXPECT_LT(gap_share(run), 1e-8);
}
INSTANTIATE_TEST_SUITE_P(Table, EveryLawInTheEngine,
                         ::testing::ValuesIn(contact::dissipation_rows().begin(),
                                             contact::dissipation_rows().end()),
                         tests::test_name);

// ---- the moving table
// ------------------------------------------------------------------------------------------------

class MovingTable : public ::testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(MovingTable, FirstImpactsDoNotDependOnTheTolerance) {
  const auto [law, c] = GetParam();
  std::vector<std::string> overrides{"bounce.law=" + std::string(law), "solver.duration=6"};
  const bool elastic = std::string(law) == "hertz";
  overrides.push_back(elastic ? "bounce.restitution=" : set("bounce.restitution", c));
  auto coarse = overrides, fine = overrides;
  coarse.push_back("solver.tolerance=1e-11");
  fine.push_back("solver.tolerance=1e-13");
  const SceneRun a = run_scene("moving_table", coarse), b = run_scene("moving_table", fine);
  const std::size_t common = std::min(a.recording.impacts.size(), b.recording.impacts.size());
  EXPECT_GE(common, c > 0.5 ? 5U : 4U);
  std::size_t parts = 0;
  while (parts < common &&
         std::abs(a.recording.impacts[parts].touch_s / b.recording.impacts[parts].touch_s - 1) < 1e-8 &&
         std::abs(a.recording.impacts[parts].approach_speed_mps / b.recording.impacts[parts].approach_speed_mps -
                  1) < 1e-8)
    ++parts;
  std::printf("[ INFO     ] %s c = %g: %zu of %zu impacts agree to 8 digits\n", law, c, parts, common);
  EXPECT_GE(parts, std::min<std::size_t>(common, 5));
}
INSTANTIATE_TEST_SUITE_P(Laws, MovingTable,
                         ::testing::Values(std::pair{"hertz", 1.0}, std::pair{"hunt-crossley", 0.9},
                                           std::pair{"hunt-crossley", 0.6}, std::pair{"hunt-crossley", 0.3},
                                           std::pair{"lankarani-nikravesh", 0.9},
                                           std::pair{"lankarani-nikravesh", 0.6},
                                           std::pair{"lankarani-nikravesh", 0.3}, std::pair{"flores", 0.9},
                                           std::pair{"flores", 0.6}, std::pair{"flores", 0.3}));

TEST(MovingTable, TheBallComesToRideOnTheTableAndCarriesItsLoad) {
  const SceneRun run = run_scene("moving_table");
  const recording::Impact& last = run.recording.impacts.back();
  EXPECT_FALSE(last.separated()) << "persistent";
  for (const double t : {3.0, 4.0, 5.0}) {
    const double acceleration = -0.1 * 7.5 * 7.5 * std::sin(7.5 * t);
    EXPECT_NEAR(run.samples.at("contacts/bounce", "force", t), 9.81 + acceleration, 0.02) << t;
    EXPECT_NEAR(run.samples.at("bodies/ball", "z", t) - run.samples.at("bodies/table", "z", t), 0.1, 1e-4);
  }
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(MovingTable, TheBallLeavesWhenTheTableFallsFasterThanGravity) {
  // amplitude 0.1, frequency growing: the first time that a = -g is passed is known for z = A sin(w t), A w^2 > g
  const char* const text = R"(
gravity: [0, 0, -9.81]
bodies:
  table: {shape: {kind: plane}, motion: {z: 0.1*sin(12*t)}}
  ball: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1], velocity: [0, 0, 1.2]}
contacts: {ride: {between: [ball, table], law: flores, restitution: 0.1, stiffness: 1.4e10}}
solver: {duration: 0.2 s, tolerance: 1e-10}
)";
  const SceneRun run = run_text(text);
  ASSERT_FALSE(run.recording.impacts.empty());
  const double leaves = std::asin(9.81 / (0.1 * 144)) / 12;
  EXPECT_TRUE(run.recording.impacts[0].separated());
  EXPECT_NEAR(run.recording.impacts[0].separation_s, leaves, 2e-3);
}

// ---- at rest
// ---------------------------------------------------------------------------------------------------------

class AtRest : public ::testing::TestWithParam<std::tuple<double, double>> {};

TEST_P(AtRest, TheWeightIsCarriedAndTheWorkIsBounded) {
  const auto [stiffness, height] = GetParam();
  const SceneRun run =
      run_scene("bouncing_ball", {set("bounce.stiffness", stiffness), "ball.at=[0, 0, " + text_of(height) + "]",
                                  "solver.duration=10", "outputs.every=1"});
  EXPECT_FALSE(run.recording.impacts.back().separated());
  EXPECT_NEAR(run.samples.last("contacts/bounce", "force") / 9.81, 1, 1e-9);
  EXPECT_NEAR(run.samples.last("bodies/ball", "vz"), 0, 1e-9);
  EXPECT_LT(run.recording.counts.evaluations, height > 0.11 ? 60'000 : 20'000);
  EXPECT_LT(gap_share(run), 1e-8);
}
INSTANTIATE_TEST_SUITE_P(StiffnessAndHeight, AtRest,
                         ::testing::Combine(::testing::Values(1.4e8, 1.4e12),
                                            ::testing::Values(0.1, 0.100000001, 0.3)));

// ---- Newton's cradle
// -------------------------------------------------------------------------------------------------

TEST(Cradle, ThreeHertzBalls) {
  const SceneRun run = run_scene("cradle");
  EXPECT_NEAR(run.samples.last("bodies/a", "vx"), -0.0709524, 1e-6);
  EXPECT_NEAR(run.samples.last("bodies/b", "vx"), 0.0764030, 1e-6);
  EXPECT_NEAR(run.samples.last("bodies/c", "vx"), 0.9945493, 1e-6);
  EXPECT_LT(gap_share(run), 1e-9);
}

SceneRun five_balls(const std::string& law, bool reversed) {
  std::string bodies, contacts;
  for (int i = 0; i < 5; ++i) {
    const int k = reversed ? 4 - i : i;
    bodies += "  b" + std::to_string(k) + ": {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [" +
              text_of(0.2 * k) + ", 0, 0]" + (k == 0 ? ", velocity: [1, 0, 0]" : "") + "}\n";
    if (k > 0)
      contacts += "  c" + std::to_string(k) + ": {between: [b" + std::to_string(k - 1) + ", b" + std::to_string(k) +
                  "], " + law + "}\n";
  }
  return run_text("gravity: [0, 0, 0]\nbodies:\n" + bodies + "contacts:\n" + contacts +
                  "solver: {duration: 20 ms, tolerance: 1e-11}\n");
}

TEST(Cradle, FiveHertzBallsInAnyOrderOfTheFile) {
  for (const bool reversed : {false, true}) {
    const SceneRun run = five_balls("law: hertz, stiffness: 1e9", reversed);
    const double expected[] = {-.0710850, -.0302738, -.0144636, .1270450, .9887774};
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(run.samples.last("bodies/b" + std::to_string(i), "vx"), expected[i], 1e-6) << i << reversed;
  }
}

TEST(Cradle, FiveBallsWithLinearSprings) {
  const SceneRun run = five_balls("law: hooke, stiffness: 1e6", false);
  const double expected[] = {-.1322795, -.0753292, -.0310108, .2962178, .9424017};
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(run.samples.last("bodies/b" + std::to_string(i), "vx"), expected[i], 1e-6) << i;
}

// ---- events inside one step
// ------------------------------------------------------------------------------------------

TEST(Touch, AContactThatOpensAndClosesInsideOneStepIsFound) {
  // a free ball passes over another one's top with an overlap of a hundredth of a millimetre: one step would cover
  // it all
  const char* const text = R"(
gravity: [0, 0, 0]
bodies:
  still: {fixed: true, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0]}
  ball: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [-5, 0, 0.19999], velocity: [10, 0, 0]}
contacts: {graze: {between: [ball, still], law: hertz, stiffness: 1e6}}
solver: {duration: 1 s, tolerance: 1e-9}
)";
  const SceneRun run = run_text(text);
  ASSERT_EQ(run.recording.impacts.size(), 1U);
  const double half = std::sqrt(0.04 - 0.19999 * 0.19999);
  EXPECT_NEAR(run.recording.impacts[0].touch_s, (5 - half) / 10, 1e-9);
  EXPECT_NEAR(run.recording.impacts[0].peak_indentation_m, 1e-5, 1e-8);
}

TEST(Touch, AFastTableIsNotSteppedOver) {
  const char* const text = R"(
gravity: [0, 0, 0]
bodies:
  table: {shape: {kind: plane}, motion: {z: 0.01*sin(300*t)}}
  ball: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1099]}
contacts: {hit: {between: [ball, table], law: hertz, stiffness: 1e9}}
solver: {duration: 0.1 s, tolerance: 1e-9}
)";
  const SceneRun run = run_text(text);
  ASSERT_GE(run.recording.impacts.size(), 1U);
  EXPECT_NEAR(run.recording.impacts[0].touch_s, std::asin(0.99) / 300, 1e-9);
}

TEST(Touch, ABallInsideAHollowSphereBouncesOffItsInside) {
  const char* const text = R"(
gravity: [0, 0, 0]
bodies:
  hollow: {fixed: true, shape: {kind: socket, radius: 0.5}}
  ball: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0], velocity: [0.3, 0.4, 0]}
contacts: {wall: {between: [ball, hollow], law: exact, restitution: 0.5, stiffness: 1e8}}
solver: {duration: 1.5 s, tolerance: 1e-11}
)";
  const SceneRun run = run_text(text);
  ASSERT_GE(run.recording.impacts.size(), 1U);
  EXPECT_NEAR(run.recording.impacts[0].touch_s, 0.8, 1e-12);
  EXPECT_NEAR(*run.recording.impacts[0].delivered, 0.5, 1e-9);
  EXPECT_NEAR(run.samples.last("bodies/ball", "vx"), -0.15, 1e-9);
}

TEST(Touch, TheEffectiveMassIsThatOfTheConstrainedSystem) {
  // a rod hinged at one end, struck at the other: m_eff = I_hinge / L^2 = m/3
  const char* const text = R"(
gravity: [0, 0, 0]
bodies:
  rod:
    mass: 3
    shapes: [{kind: rod, length: 1, radius: 0.01, at: [0.5, 0, 0], axis: x}, {kind: sphere, name: tip, radius: 0.05, at: [1, 0, 0], density: 0}]
    at: [0, 0, 0]
    angle: 0
  wall: {fixed: true, shape: {kind: sphere, radius: 0.05}, at: [1, 0, -0.2]}
joints: {hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}}
drivers: {}
contacts: {hit: {between: [rod.tip, wall], law: exact, restitution: 0.7, stiffness: 1e9}}
forces: {push: {body: rod, torque: [0, 1, 0]}}
solver: {duration: 1 s, tolerance: 1e-11}
)";
  const SceneRun run = run_text(text);
  ASSERT_GE(run.recording.impacts.size(), 1U);
  const recording::Impact& k = run.recording.impacts[0];
  // at touch the line of centres has the length 0.1: the turn there, then the lever arm of the normal about the
  // hinge
  const auto apart = [](double turn) { return std::hypot(std::cos(turn) - 1, -std::sin(turn) + 0.2) - 0.1; };
  const double turn = ode::locate_root(apart, 0.0, 0.2, apart(0.0), apart(0.2));
  const Vec3 tip{std::cos(turn), 0, -std::sin(turn)}, normal = unit(tip - Vec3{1, 0, -0.2});
  const double arm = cross(tip, normal).y, inertia = 1 + 3 * 0.01 * 0.01 / 4;
  EXPECT_NEAR(k.effective_mass_kg, inertia / (arm * arm), 1e-9);
  EXPECT_NEAR(*k.delivered, 0.7, 2e-3);
  EXPECT_LT(gap_share(run), 1e-9);
}

// ---- memory
// ----------------------------------------------------------------------------------------------------------

TEST(Memory, APersistentDentIsTouchedWhereItWasLeft) {
  const char* const text = R"(
gravity: [0, 0, -9.81]
bodies:
  ground: {shape: {kind: plane}}
  ball: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.2]}
contacts: {dent: {between: [ball, ground], law: walton-braun, elastic: hooke, restitution: 0.5, stiffness: 1e6, memory: persistent}}
solver: {duration: 0.6 s, tolerance: 1e-11}
)";
  const SceneRun kept = run_text(text), fresh = run_text(text, {"dent.memory=fresh"});
  ASSERT_GE(kept.recording.impacts.size(), 2U);
  ASSERT_GE(fresh.recording.impacts.size(), 2U);
  const recording::Impact& first = kept.recording.impacts[0];
  EXPECT_GT(first.permanent_indentation_m, 0.1 * first.peak_indentation_m);
  const auto height_at_touch = [](const SceneRun& run, std::size_t i) {
    const recording::Impact& k = run.recording.impacts[i];
    return k.peak_indentation_m;
  };
  EXPECT_GT(height_at_touch(kept, 1), first.permanent_indentation_m) << "counted from the fresh surface";
  EXPECT_GT(*kept.recording.impacts[1].delivered, 0.9) << "the second, weaker impact does not yield again";
  EXPECT_NEAR(*fresh.recording.impacts[1].delivered, 0.5, 1e-2);
  EXPECT_LT(gap_share(kept), 1e-9);
  EXPECT_LT(gap_share(fresh), 1e-9);
}

TEST(Memory, APlasticContactLoadsBeyondItsDeepestPointAgainAndAgain) {
  const SceneRun run = run_text(R"(
bodies:
  ground: {shape: {kind: plane}}
  ball: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1]}
contacts: {dent: {between: [ball, ground], law: walton-braun, elastic: hooke, restitution: 0.5, stiffness: 1e5}}
forces: {push: {body: ball, force: [0, 0, -40*t*(1 + sin(60*t))]}}
solver: {duration: 0.5 s}
)");
  EXPECT_EQ(run.recording.end, recording::End::done);
  EXPECT_LT(gap_share(run), 1e-8);
}

TEST(Memory, APersistentDentLosesItsPlasticWorkOnce) {
  const SceneRun run = run_text(R"(
bodies:
  ground: {shape: {kind: plane}}
  ball: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.2]}
contacts: {dent: {between: [ball, ground], law: walton-braun, elastic: hooke, restitution: 0.5, stiffness: 1e6, memory: persistent}}
solver: {duration: 1 s, tolerance: 1e-10}
)");
  double sum = 0;
  for (const recording::Impact& k : run.recording.impacts) sum += k.lost_J;
  EXPECT_NEAR(sum, run.recording.ledger.end.lost_in_contacts_J, 1e-8);
}

/// At rest in its dent the ball vibrates without loss and grazes the edge where the force ends: no stall.
TEST(PlasticScenes, GrazingTheDentDoesNotStall) {
  const SceneRun run = run_scene("moving_table", {"bounce.law=walton-braun", "solver.duration=2.2",
                                                  "solver.most_steps=40000", "outputs.in_contact=false"});
  EXPECT_EQ(run.recording.end, recording::End::done) << run.recording.failure;
  EXPECT_LT(gap_share(run), 1e-8);
}

// ---- the speed that a law is calibrated with

std::string dropped_ball(const std::string& law_speed) {
  return "bodies:\n"
         "  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, inertia: 0.004, at: [0, 0, 0.101], velocity: [0, "
         "0, -2]}\n"
         "  ground: {shape: {kind: plane}}\n"
         "gravity: [0, 0, 0]\n"
         "contacts:\n"
         "  bounce: {between: [ball, ground], law: exact, restitution: 0.6, stiffness: 1e8" +
         law_speed + "}\nsolver: {duration: 5 ms}\n";
}

/// Under gravity: K x^1.5 = m g at x = 21.3 um, which is fallen through at 20.4 mm/s. Slower impacts keep their own
/// speed, down to a hundredth of that.
TEST(LawSpeed, HasAFloorOfAHundredthOfTheSpeedOfRest) {
  const double rest = std::sqrt(2 * 9.81 * std::pow(9.81 / 1e8, 2.0 / 3));
  for (const double speed : {2 * rest, 0.5 * rest, 0.02 * rest, 0.005 * rest, 1e-9}) {
    const SceneRun run = run_text(
        "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1], velocity: [0, 0, " +
        text_of(-speed) +
        "]}\n  ground: {shape: {kind: plane}}\ncontacts:\n"
        "  bounce: {between: [ball, ground], law: exact, restitution: 0.6, stiffness: 1e8}\nsolver: {duration: 5 "
        "ms}\n");
    ASSERT_GE(run.recording.impacts.size(), 1U);
    EXPECT_NEAR(run.recording.impacts[0].law_speed_mps / std::max(speed, 0.01 * rest), 1, 1e-9) << speed;
  }
}

TEST(LawSpeed, IsTheApproachSpeedOrThatOfTheKey) {
  const auto impact = [](const std::string& key) {
    const SceneRun out = run_text(dropped_ball(key));
    EXPECT_EQ(out.recording.impacts.size(), 1U);
    const recording::Impact& i = out.recording.impacts.at(0);
    return std::pair{i.law_speed_mps, i.separation_speed_mps / i.approach_speed_mps};
  };
  const auto plain = impact(""), touch = impact(", law_speed: touch");
  EXPECT_EQ(plain, touch);
  EXPECT_EQ(plain.first, 2);
  EXPECT_NEAR(plain.second, 0.6, 1e-7);
  // calibrated for the speed v the damping is a/v; a collision at v0 = v/2 has half of it
  const auto fixed = impact(", law_speed: 4 m/s");
  EXPECT_EQ(fixed.first, 4);
  EXPECT_NEAR(fixed.second, contact::restitution_of_damping(contact::damping_of_restitution(0.6) / 2), 1e-7);
}

/// A journal falls through its clearance of 0.5 mm under 727.6 N/kg and meets the bearing at 0.853 m/s; the speed
/// of rest is 0.899 m/s. The law is that of the touch, to the last bit, and the restitution that of x'' = load -
/// f(x)(1 + a x'/v0), by a few lines of RK4 that know nothing of the engine.
TEST(LawSpeed, IsTheTouchSpeedInALoadedClearanceJoint) {
  constexpr double load = 727.6, stiffness = 5.56e7;
  const auto joint = [&](const std::string& more) {
    return run_text(
        "planar: true\ngravity: [0, -727.6]\nbodies:\n  arm: {mass: 1, inertia: 1, at: [0, 0], angle: 0}\njoints:\n"
        "  pin: {type: revolute-clearance, between: [ground, arm], at: [0, 0], bearing_radius: 10 mm, clearance: "
        "0.5 mm,"
        " contact: {law: lankarani-nikravesh, restitution: 0.9, stiffness: 5.56e7" +
        more + "}}\nsolver: {duration: 8 ms, tolerance: 1e-11}\n");
  };
  const SceneRun run = joint("");
  const recording::Impact& first = run.recording.impacts.at(0);
  EXPECT_NEAR(first.approach_speed_mps, std::sqrt(2 * load * 0.5e-3), 1e-9);
  EXPECT_LT(first.approach_speed_mps, std::sqrt(2 * load * std::pow(load / stiffness, 2.0 / 3)))
      << "slower than rest";
  EXPECT_EQ(first.law_speed_mps, first.approach_speed_mps);
  EXPECT_EQ(first.law_speed_raised, 0);
  const double gain = 0.75 * (1 - 0.9 * 0.9) / first.approach_speed_mps;
  const tests::FreeCollision free{1, first.approach_speed_mps, 5e-3, true};
  const double wanted = tests::delivered_restitution(free, [&](double x, double rate, double, bool) {
    return std::max(stiffness * std::pow(x, 1.5) * (1 + gain * rate), 0.0) - load;
  });
  ASSERT_TRUE(first.delivered.has_value());
  EXPECT_NEAR(*first.delivered, wanted, 1e-6);
  // the floor of a scene raises it, and the recording says so
  const SceneRun raised = joint(", rest_speed: 0.899 m/s");
  EXPECT_EQ(raised.recording.impacts.at(0).law_speed_mps, 0.899);
  EXPECT_EQ(raised.recording.impacts.at(0).law_speed_raised, 1);
  EXPECT_GT(*raised.recording.impacts.at(0).delivered, *first.delivered + 0.005);
}

/// The count in the recording is that of the records. Laws that do not depend on the speed, fixed speeds and
/// impulsive collisions are never raised.
TEST(LawSpeed, SaysInHowManyImpactsItWasRaised) {
  const std::string base =
      "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.101]}\n  ground: {shape: {kind: "
      "plane}}\ncontacts:\n  bounce: {between: [ball, ground], LAW}\nsolver: {duration: 0.3 s}\n";
  const auto with = [&](const std::string& law) {
    std::string text = base;
    return run_text(text.replace(text.find("LAW"), 3, law)).recording;
  };
  const auto raised_in = [](const recording::Recording& r) {
    std::int64_t count = 0;
    for (const recording::Impact& k : r.impacts) {
      EXPECT_EQ(k.law_speed_raised == 1, k.law_speed_mps > k.approach_speed_mps);
      count += k.law_speed_raised;
    }
    return count;
  };
  const recording::Recording floor = with("law: exact, restitution: 0.6, stiffness: 1e8, rest_speed: 80 mm/s");
  EXPECT_EQ(floor.raised_count, raised_in(floor));
  EXPECT_GT(floor.raised_count, 0);
  EXPECT_LT(floor.raised_count, floor.impact_count);
  for (const char* law :
       {"law: exact, restitution: 0.6, stiffness: 1e8, rest_speed: 0", "law: hertz, stiffness: 1e8, rest_speed: 1",
        "law: walton-braun, restitution: 0.6, stiffness: 1e6, rest_speed: 1",
        "law: tsuji, restitution: 0.6, stiffness: 1e8, rest_speed: 1",
        "law: exact, restitution: 0.6, stiffness: 1e8, law_speed: 1 m/s",
        "response: impulsive, restitution: 0.6, rest_speed: 20 mm/s"}) {
    const recording::Recording r = with(law);
    EXPECT_EQ(r.raised_count, 0) << law;
    EXPECT_GT(r.impact_count, 0) << law;
    for (const recording::Impact& k : r.impacts) EXPECT_EQ(k.law_speed_raised, 0) << law;
  }
}

/// Without a floor every speed above zero is the law's own, however slow: the run ends, with its energy balance.
TEST(LawSpeed, NeedsNoFloor) {
  for (const double speed : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const SceneRun run = run_text(
        "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1], velocity: [0, 0, " +
        text_of(-speed) +
        "]}\n  ground: {shape: {kind: plane}}\ncontacts:\n  bounce: {between: [ball, ground], law: exact, "
        "restitution: 0.6, stiffness: 1e8, rest_speed: 0}\nsolver: {duration: 0.1 s}\n");
    EXPECT_EQ(run.recording.end, recording::End::done) << speed;
    EXPECT_NEAR(run.recording.impacts.at(0).law_speed_mps / speed, 1, 1e-9);
    EXPECT_EQ(run.recording.raised_count, 0);
    EXPECT_LT(gap_share(run), 1e-6) << speed;
  }
}

// ---- lasting contacts

/// Pressed by 10 kN for 0.1 s after a touch at 10 um/s, and let go: it leaves with metres per second, which is no
/// restitution of that approach. Nor is that of a contact which a load holds for seconds.
TEST(LastingContacts, HaveNoRestitution) {
  const SceneRun clamped = run_text(
      "gravity: [0, 0, 0]\nbodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1], "
      "velocity: [0, 0, "
      "-1e-5]}\n  ground: {shape: {kind: plane}}\ncontacts:\n  c: {between: [ball, ground], law: exact, "
      "restitution: 0.6, "
      "stiffness: 1e8}\nforces:\n  push: {body: ball, force: [0, 0, -10000]}\nevents:\n  off: {when: t crosses "
      "0.1, then: "
      "[disable push]}\nsolver: {duration: 0.2 s}\n");
  ASSERT_EQ(clamped.recording.impacts.size(), 1U);
  const recording::Impact& let_go = clamped.recording.impacts[0];
  EXPECT_GT(let_go.separation_speed_mps, 1000 * let_go.approach_speed_mps);
  EXPECT_FALSE(let_go.delivered.has_value());
  EXPECT_FALSE(let_go.energetic.has_value());
  const SceneRun held = run_text(
      "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.101]}\n  ground: {shape: {kind: "
      "plane}}\n"
      "contacts:\n  c: {between: [ball, ground], law: walton-braun, restitution: 0.5, stiffness: 1e6}\n"
      "forces:\n  push: {body: ball, force: [0, 0, '-9*sin(t)']}\nsolver: {duration: 5 s}\n");
  int lasting = 0, short_ones = 0;
  for (const recording::Impact& k : held.recording.impacts) {
    if (!k.separated()) continue;
    const bool lasts =
        k.separation_s - k.touch_s > 3 * std::numbers::pi / 2 * 1e-3 * 1.5;  // sqrt(k/m) = 1000/s, c = 1/2
    (lasts ? lasting : short_ones) += 1;
    EXPECT_EQ(k.energetic.has_value(), !lasts);
    if (lasts) {
      EXPECT_FALSE(k.delivered.has_value());
    }
  }
  EXPECT_GT(lasting, 0);
  EXPECT_GT(short_ones, 0);
}

/// However slowly a law lets go: its isolated collision is an impact.
TEST(LastingContacts, AreNoIsolatedCollisions) {
  int laws = 0;
  for (const contact::DissipationRow& row : contact::dissipation_rows()) {
    if (row.restitution == contact::RestitutionUse::none || row.key == "mixed") continue;
    for (const double c : {0.05, 0.3, 0.9}) {
      const std::string elastic = row.fixed_exponent == 1 ? ", elastic: hooke" : "";
      const auto scene = io::read_scene_text(
          "gravity: [0, 0, 0]\nbodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1], "
          "velocity: [0, "
          "0, -1]}\n  ground: {shape: {kind: plane}}\ncontacts:\n  c: {between: [ball, ground], law: " +
              std::string(row.key) + elastic + ", restitution: " + text_of(c) +
              ", stiffness: 1e7}\nsolver: {duration: 0.2 s, tolerance: 1e-8}\n",
          "scene.yaml", {});
      ASSERT_TRUE(scene);
      const auto compiled = model::compile(*scene);
      if (!compiled) continue;
      const recording::Recording r = dynamics::simulate(compiled->model, compiled->settings);
      ASSERT_EQ(r.impacts.size(), 1U) << row.key << " " << c;
      if (!r.impacts[0].separated()) continue;  // some never let go
      ++laws;
      EXPECT_TRUE(r.impacts[0].delivered.has_value()) << row.key << " " << c;
      EXPECT_TRUE(r.impacts[0].energetic.has_value()) << row.key << " " << c;
    }
  }
  EXPECT_GT(laws, 40);
}

/// The load leaves the band of the contact and comes back between two stages of a step.
TEST(DryContacts, LetGoWhereTheLoadLeavesTheirBand) {
  for (const char* tolerance : {"1e-6", "1e-8", "1e-9", "1e-10", "1e-11"}) {
    const SceneRun run = run_text(
        std::string(
            "bodies:\n  body: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.101]}\n"
            "  ground: {shape: {kind: plane}}\ncontacts:\n  c: {between: [body, ground], law: bistiffness, "
            "elastic: hertz, stiffness: 5.529e+09, restitution: 0.273}\n"
            "forces: {push: {body: body, force: [0, 0, '-64.05*(1-cos(14.9*t))']}}\n"
            "solver: {duration: 0.5 s, tolerance: ") +
        tolerance + "}\n");
    EXPECT_LT(gap_share(run), 1e-5) << tolerance;
  }
}

TEST(DryContacts, SayThatTheContactSpringDoesNotActAtRest) {
  const auto warnings = [](const char* friction) {
    return from_text(
               std::string("bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1]}\n  "
                           "ground: {shape: {kind: plane}}\ncontacts:\n  c: {between: [ball, ground], law: "
                           "bistiffness, restitution: 0.5, stiffness: 1e6, friction: {coefficient: 0.5, law: ") +
               friction + "}}\nsolver: {duration: 1 s}\n")
        .model.warnings;
  };
  ASSERT_EQ(warnings("mindlin, parameters: {ratio: 0.8}").size(), 1U);
  EXPECT_NE(warnings("mindlin, parameters: {ratio: 0.8}")[0].find("does not act"), std::string::npos);
  EXPECT_TRUE(warnings("lugre").empty());
}

/// A ball that overlaps at the start and leaves faster than its law could push it feels no force.
TEST(Contacts, BegunOnTheWayOutDoNotPull) {
  const SceneRun run = run_text(
      "gravity: [0, 0, 0]\nbodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.099], "
      "velocity: "
      "[0, 0, 1]}\n  ground: {shape: {kind: plane}}\ncontacts:\n  c: {between: [ball, ground], law: flores, "
      "restitution: "
      "0.5, stiffness: 1e8, allow_initial_overlap: true}\nsolver: {duration: 0.01}\noutputs: {every: 0.01}\n");
  EXPECT_NEAR(run.samples.last("bodies/ball", "vz"), 1, 1e-12);
  EXPECT_LT(gap_share(run), 1e-9);
}

/// Dry friction in a contact has a band of forces at rest. Under a load that changes slowly the contact holds,
/// moves and holds again, at the corners of a box too, which share the load: the runs end, as under walton-braun,
/// and keep their energy balance.
TEST(RandomDryContacts, EndUnderLoadsThatChangeSlowly) {
  std::mt19937 random(51);
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  double worst = 0;
  int ended = 0;
  const int count = cases(24, 600);
  for (int trial = 0; trial < count; ++trial) {
    const bool box = trial % 3 != 0, hertz = trial % 2 == 0;
    const double amplitude = std::pow(10, number(0.5, 2)), frequency = std::pow(10, number(-1, 1.3));
    const std::string w = text_of(frequency, 4), a = text_of(amplitude, 4);
    const std::string forces[] = {"-" + a + "*sin(" + w + "*t)", "-" + a + "*t", "-" + a + "*(1-cos(" + w + "*t))",
                                  "-" + a + "*(1+sin(" + w + "*t))*t"};
    const std::string friction[] = {"", ", friction: {coefficient: 0.3}"};
    const std::string text =
        "bodies:\n  body: {mass: 1, inertia: [0.01, 0.01, 0.01], shape: " +
        std::string(box ? "{kind: box, size: [0.2, 0.2, 0.2]}" : "{kind: sphere, radius: 0.1}") + ", at: [0, 0, " +
        text_of(0.1 + (trial % 5 == 0 ? 1e-3 : 0)) +
        "]}\n  ground: {shape: {kind: plane}}\ncontacts:\n  c: {between: [body, ground], law: bistiffness, "
        "elastic: " +
        (hertz ? "hertz" : "hooke") +
        ", stiffness: " + text_of(std::pow(10, hertz ? number(6, 10) : number(4, 8)), 4) +
        ", restitution: " + text_of(number(0.1, 0.95), 3) + friction[trial % 2] +
        "}\nforces: {push: {body: body, force: [0, 0, '" + forces[static_cast<std::size_t>(trial % 4)] +
        "']}}\nsolver: {duration: 0.5 s, tolerance: " + (trial % 2 ? "1e-6" : "1e-9") + ", most_steps: 100000}\n";
    const model::Compiled compiled = from_text(text);
    const recording::Recording r = dynamics::simulate(compiled.model, compiled.settings);
    EXPECT_EQ(r.end, recording::End::done) << r.failure << "\n" << text;
    ended += r.end == recording::End::done ? 1 : 0;
    const double error = r.ledger.largest_error_J / r.ledger.exchanged_J;
    EXPECT_LT(error, 1e-4) << text;
    worst = std::max(worst, error);
  }
  report_figure("dry contacts under slow loads: " + std::to_string(ended) + " of " + std::to_string(count) +
                " end, energy error at most " + text_of(worst, 2));
}

}  // namespace
}  // namespace percuss
