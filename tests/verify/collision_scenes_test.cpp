// Collisions of scenes: against the matrices, against the compliant engine, and inside a run.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include "collision_systems.h"
#include "percuss/io/scene_file.h"
#include "percuss/study/collision_study.h"
#include "random_cases.h"
#include "scene_runs.h"

namespace percuss {
namespace {

study::CollisionStudy must_study(const model::Model& model, double tolerance = 1e-9, bool compliant = true) {
  const Result<study::CollisionStudy> out = study::study_collision(model, {{}, compliant, tolerance});
  if (!out) {
    ADD_FAILURE() << out.errors().front().text;
    return {};
  }
  return *out;
}

model::Model scene_model(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return must_compile(io::read_scene(std::string(PERCUSS_SOURCE) + "/scenes/" + name + ".yaml", overrides)).model;
}

/// The chain of tests/collision_systems.h as a scene: balls of 0.1 m in a line, nothing else.
std::string chain_scene(const std::vector<double>& masses, const std::vector<double>& stiffness, double mu) {
  std::string bodies = "gravity: [0, 0, 0]\nbodies:\n", contacts = "contacts:\n";
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const std::string n = std::to_string(i);
    bodies += "  b" + n + ": {mass: " + text_of(masses[i]) + ", shape: {kind: sphere, radius: 0.1}, at: [" +
              text_of(0.2 * static_cast<double>(i)) + ", 0, 0]" + (i == 0 ? ", velocity: [1, 0, 0]" : "") + "}\n";
    if (i > 0)
      contacts += "  c" + n + ": {between: [b" + std::to_string(i - 1) + ", b" + n +
                  "], response: impulsive, stiffness: " + text_of(stiffness[i - 1]) +
                  ", parameters: {mu: " + text_of(mu) + "}}\n";
  }
  return bodies + contacts + "solver: {duration: 1}\n";
}

TEST(CollisionScene, IsThatOfItsMatrices) {
  const std::vector<double> masses{1, 2.3, 0.4};
  const model::Model model =
      must_compile(io::read_scene_text(chain_scene(masses, {1e8, 3.1e8}, 0.3), "scene.yaml", {})).model;
  const study::CollisionStudy s = must_study(model, 1e-9, false);
  const auto direct = collision::collide(chain(masses, {{1e8, 0.3, 0}, {3.1e8, 0.3, 0}}));
  ASSERT_TRUE(direct);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(s.velocity_after[6 * i], direct->velocity[static_cast<Eigen::Index>(i)], 1e-13);
  // the two bars: joints enter through the responses there, as rows here
  const study::CollisionStudy bars = must_study(scene_model("two_bars"), 1e-9, false);
  const auto rows = collision::collide(two_bars(0.3, 0.4));
  ASSERT_TRUE(rows);
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(bars.velocity_after[k], rows->velocity[static_cast<Eigen::Index>(k)], 1e-12) << k;
}

TEST(CollisionScene, AgreesWithTheCompliantEngineInALine) {
  for (const double mu : {0.0, 0.3}) {
    const model::Model model =
        must_compile(io::read_scene_text(chain_scene({1, 2.3, 0.4, 1}, {1e8, 3.1e8, 2e8}, mu), "scene.yaml", {}))
            .model;
    const study::CollisionStudy s = must_study(model, 1e-12);
    const study::Rival& engine = s.rivals.back();
    EXPECT_EQ(engine.remark, "");
    EXPECT_LT(engine.off_mps, 1e-9) << "mu " << mu;
  }
}

std::string row_of_balls(const std::vector<double>& masses, const std::vector<std::string>& laws) {
  std::string bodies = "gravity: [0, 0, 0]\nbodies:\n", contacts = "contacts:\n";
  for (std::size_t i = 0; i < masses.size(); ++i)
    bodies += "  b" + std::to_string(i) + ": {mass: " + text_of(masses[i]) +
              ", shape: {kind: sphere, radius: 0.1}, at: [" + text_of(0.2 * static_cast<double>(i)) + ", 0, 0]" +
              (i == 0 ? ", velocity: [1, 0, 0]" : "") + "}\n";
  for (std::size_t i = 0; i < laws.size(); ++i)
    contacts += "  c" + std::to_string(i) + ": {between: [b" + std::to_string(i) + ", b" + std::to_string(i + 1) +
                "], " + laws[i] + "}\n";
  return bodies + contacts + "solver: {duration: 1}\n";
}

/// Walton and Braun's law is linear by parts: its lines are taken as they are, and the engine that integrates its
/// force agrees, dents and all.
TEST(RandomCollisionScene, TakesTheLinesOfWaltonAndBraunAsTheyAre) {
  std::mt19937 random(31);
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  double worst = 0;
  const int count = cases(6, 300);
  for (int trial = 0; trial < count; ++trial) {
    const int balls = 2 + trial % 5;
    std::vector<double> masses;
    std::vector<std::string> laws;
    for (int i = 0; i < balls; ++i) masses.push_back(number(0.3, 3));
    for (int i = 0; i + 1 < balls; ++i) {
      const std::string stiffness = text_of(1e8 * number(0.3, 3)), restitution = text_of(number(0.2, 1));
      laws.push_back(
          trial % 3 == 2 && i % 2
              ? "law: bistiffness, elastic: hooke, stiffness: " + stiffness + ", restitution: " + restitution
              : "law: walton-braun, memory: persistent, stiffness: " + stiffness + ", restitution: " + restitution);
    }
    const std::string text = row_of_balls(masses, laws);
    const study::CollisionStudy s =
        must_study(must_compile(io::read_scene_text(text, "scene.yaml", {})).model, 1e-11);
    for (const dynamics::SpringOf& spring : s.strike.springs) EXPECT_TRUE(spring.is_own());
    EXPECT_EQ(s.rivals.back().remark, "") << text;
    EXPECT_LT(s.rivals.back().off_mps, 1e-6) << text;
    worst = std::max(worst, s.rivals.back().off_mps);
  }
  report_figure("rows of balls under walton-braun, " + std::to_string(count) + ": the engine agrees to " +
                text_of(worst, 2) + " m/s");
}

/// Hertz's law is linearised, and the study says so; beside it stands the engine under Hertz's law itself, which
/// agrees with a few lines of RK4.
TEST(CollisionScene, SaysWhatWasLinearisedAndRunsTheScenesOwnLaws) {
  const std::vector<std::string> laws(4, "law: hertz, stiffness: 1e9");
  const std::string text = row_of_balls(std::vector<double>(5, 1.0), laws);
  const study::CollisionStudy s =
      must_study(must_compile(io::read_scene_text(text, "scene.yaml", {})).model, 1e-10);
  const double depth = std::pow(2.5 * 0.25 / 1e9, 0.4);  // m v^2/2 of the reduced mass 1/2
  for (const dynamics::SpringOf& spring : s.strike.springs) {
    EXPECT_TRUE(spring.linearised);
    EXPECT_FALSE(spring.other_dissipation);
    EXPECT_NEAR(spring.depth_m, depth, 1e-12 * depth);
    EXPECT_NEAR(spring.force_N, 1e9 * std::pow(depth, 1.5), 1e-9 * spring.force_N);
    EXPECT_NEAR(spring.point.stiffness_Npm, spring.force_N / depth, 1e-9 * spring.point.stiffness_Npm);
  }
  ASSERT_GE(s.rivals.size(), 2U);
  const study::Rival &same = s.rivals[s.rivals.size() - 2], &own = s.rivals.back();
  EXPECT_EQ(same.name, "compliant engine, same springs");
  EXPECT_EQ(own.name, "compliant engine, the scene's own laws");
  EXPECT_LT(same.off_mps, 1e-6);
  EXPECT_GT(own.off_mps, 0.1);
  std::array<double, 5> x{0, 0, 0, 0, 0}, v{1, 0, 0, 0, 0};
  using Row = std::array<double, 5>;
  const auto slope = [](const Row& at) {
    Row a{};
    for (std::size_t i = 0; i + 1 < 5; ++i) {
      const double indentation = at[i] - at[i + 1], f = indentation > 0 ? 1e9 * std::pow(indentation, 1.5) : 0;
      a[i] -= f, a[i + 1] += f;
    }
    return a;
  };
  const auto along = [](const Row& a, double h, const Row& b) {
    Row out = a;
    for (std::size_t i = 0; i < 5; ++i) out[i] += h * b[i];
    return out;
  };
  const double h = 2e-8;
  for (int step = 0; step < 200'000; ++step) {
    const Row a1 = slope(x), v2 = along(v, h / 2, a1), a2 = slope(along(x, h / 2, v)), v3 = along(v, h / 2, a2),
              a3 = slope(along(x, h / 2, v2)), v4 = along(v, h, a3), a4 = slope(along(x, h, v3));
    for (std::size_t i = 0; i < 5; ++i) {
      x[i] += h / 6 * (v[i] + 2 * v2[i] + 2 * v3[i] + v4[i]);
      v[i] += h / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i]);
    }
  }
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(own.velocity[6 * i], v[i], 1e-6) << i;
  EXPECT_NEAR(v[4], 0.989, 1e-3);
}

/// mu above 1 is the plastic point of its own stiffness k (1 + mu) in compression.
TEST(CollisionScene, TakesAnyMu) {
  for (const double mu : {1.0, 1.5, 40.0}) {
    const std::string law =
        "law: bistiffness, elastic: hooke, stiffness: 1e8, parameters: {mu: " + text_of(mu) + "}";
    const std::string text =
        row_of_balls({1, 2, 1}, {law, "law: bistiffness, elastic: hooke, stiffness: 1e8, restitution: 0.5"});
    const study::CollisionStudy s =
        must_study(must_compile(io::read_scene_text(text, "scene.yaml", {})).model, 1e-10);
    EXPECT_EQ(s.strike.collision.points[0].friction, mu);
    EXPECT_LT(s.rivals.back().off_mps, 1e-6) << mu;
  }
}

/// Where the places change during the collision the compliant engine tends to ours as k^(-1/2), the duration.
TEST(CollisionScene, IsTheLimitOfTheCompliantEngine) {
  struct Case {
    const char* name;
    std::string text;
  };
  const std::string ground = "  ground: {shape: {kind: plane}}\n";
  const std::vector<Case> cases = {
      {"two bars", ""},
      {"block on two corners",
       "planar: true\ngravity: [0, 0]\nbodies:\n  block: {mass: 1, inertia: 0.05, shape: {kind: box, size: [0.6, "
       "0.3]}, "
       "at: [0, 0.15], angle: 0, velocity: [0.2, -1], angular_velocity: 1.1}\n" +
           ground +
           "contacts:\n  floor: {between: [block, ground], response: impulsive, stiffness: 1, restitution: 0.8}\n"
           "solver: {duration: 1}\n"},
      {"ball on two balls",
       "planar: true\ngravity: [0, 0]\nbodies:\n"
       "  a: {mass: 1, shape: {kind: circle, radius: 0.1}, at: [-0.17320508075688773, 0], velocity: [1, 0.2]}\n"
       "  b: {mass: 1, shape: {kind: circle, radius: 0.1}, at: [0, 0.1]}\n"
       "  c: {mass: 1, shape: {kind: circle, radius: 0.1}, at: [0, -0.1]}\n"
       "contacts:\n  ab: {between: [a, b], response: impulsive, restitution: 0.9}\n"
       "  ac: {between: [a, c], response: impulsive, restitution: 0.9}\n"
       "  bc: {between: [b, c], response: impulsive, restitution: 0.9}\nsolver: {duration: 1}\n"}};
  for (const Case& c : cases) {
    const model::Model model = c.text.empty() ? scene_model("two_bars", {"gravity=[0, 0]"})
                                              : must_compile(io::read_scene_text(c.text, "scene.yaml", {})).model;
    const study::CollisionStudy ours = must_study(model, 1e-9, false);
    // decades of k in the scene's own unit, so that the collision takes 1e-4 to 1e-7 of the time to move its size
    const double unit = 1e8 / ours.strike.collision.points[0].stiffness_Npm;
    std::vector<double> size;
    std::vector<Eigen::VectorXd> found;
    for (const double factor : {1.0, 10.0, 100.0, 1000.0}) {
      model::Model stiff = study::with_springs(model, ours.strike, unit * factor);
      for (model::Contact& contact : stiff.contacts) contact.impulsive = true;  // the study makes them forces again
      const study::CollisionStudy s = must_study(stiff, 1e-12);
      EXPECT_EQ(s.rivals.back().remark, "") << c.name;
      found.push_back(s.rivals.back().approach_mps);
      size.push_back((found.back() - ours.outcome.approach_mps).cwiseAbs().maxCoeff());
    }
    const double slope = std::log10(size.back() / size.front()) / 3;
    // one power of k^(-1/2) taken out by the last two decades
    const double r = std::sqrt(10.0);
    const Eigen::VectorXd limit = (r * found[3] - found[2]) / (r - 1);
    const double off = (limit - ours.outcome.approach_mps).cwiseAbs().maxCoeff();
    std::printf("%s: engine minus collision %.2e %.2e %.2e %.2e m/s, slope %.3f; extrapolated %.1e\n", c.name,
                size[0], size[1], size[2], size[3], slope, off);
    // bars that lie flat change their normals only in the second order: the limit is there at once
    if (c.text.empty()) {
      EXPECT_LT(size.front(), 1e-8) << c.name;
    } else {
      EXPECT_NEAR(slope, -0.5, 0.05) << c.name;
    }
    EXPECT_LT(off, 1e-6) << c.name;
  }
}

TEST(CollisionScene, BouncesAccumulateToRest) {
  for (const double e : {0.3, 0.6, 0.9}) {
    const double h = 1, rest = std::sqrt(2 * h / 9.81) * (1 + e) / (1 - e);
    const SceneRun run = run_text(
        "bodies:\n  ball: {mass: 0.7, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 1.1]}\n"
        "  ground: {shape: {kind: plane}}\n"
        "contacts:\n  floor: {between: [ball, ground], response: impulsive, restitution: " +
        text_of(e) + "}\nsolver: {duration: 12}\noutputs: {every: 0.05}\n");
    const recording::Impact& last = run.recording.impacts.back();
    EXPECT_FALSE(last.separated());
    EXPECT_NEAR(last.touch_s, rest, 1e-6) << e;
    for (const recording::Impact& k : run.recording.impacts)
      if (k.delivered) {
        EXPECT_NEAR(*k.delivered, e, 1e-12);
      }
    for (const auto& row : run.samples.rows("bodies/ball"))
      if (row[0] > rest + 0.01) {
        EXPECT_NEAR(row[run.samples.column("bodies/ball", "z")], 0.1, 1e-9);
        EXPECT_NEAR(row[run.samples.column("bodies/ball", "vz")], 0, 1e-12);
      }
    EXPECT_LT(gap_share(run), 1e-12);
    EXPECT_NEAR(run.recording.ledger.end.lost_in_contacts_J, 0.7 * 9.81, 1e-9);
    EXPECT_NEAR(run.samples.last("contacts/floor", "force"), 0.7 * 9.81, 1e-9);
  }
}

TEST(CollisionScene, ARestingBallLiftsOffWhenTheTableFallsFasterThanItCould) {
  // z = A (1 - cos w t): the acceleration A w^2 cos w t falls below -g at cos w t = -g/(A w^2)
  const double A = 0.04, w = 20, lift = std::acos(-9.81 / (A * w * w)) / w;
  const SceneRun run = run_text(
      "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1]}\n"
      "  table: {shape: {kind: plane}, motion: {z: 0.04*(1 - cos(20*t))}}\n"
      "contacts:\n  top: {between: [ball, table], response: impulsive, restitution: 0.5}\n"
      "solver: {duration: 0.25, tolerance: 1e-10}\noutputs: {every: 0.01}\n");
  ASSERT_FALSE(run.recording.impacts.empty());
  EXPECT_NEAR(run.recording.impacts[0].separation_s, lift, 1e-8);
  // and flies from there
  const double z0 = A * (1 - std::cos(w * lift)), v0 = A * w * std::sin(w * lift), t = 0.2 - lift;
  EXPECT_NEAR(run.samples.at("bodies/ball", "z", 0.2), 0.1 + z0 + v0 * t - 9.81 * t * t / 2, 1e-8);
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(CollisionScene, ACradleKeepsItsEnergyAndStartsLikeAChain) {
  const SceneRun run = run_scene("hanging_cradle", {"solver.tolerance=1e-11", "outputs.at=[0.0001]"});
  const std::vector<double> wanted{-.1322795, -.0753292, -.0310108, .2962178, .9424017};
  const char* names[] = {"bodies/a", "bodies/b", "bodies/c", "bodies/d", "bodies/e"};
  for (std::size_t i = 0; i < 5; ++i)  // after 0.1 ms gravity has hardly acted
    EXPECT_NEAR(run.samples.at(names[i], "vx", 1e-4), wanted[i], 1e-6) << i;
  EXPECT_GT(run.recording.impact_count, 20);
  EXPECT_NEAR(run.recording.ledger.end.lost_in_contacts_J, 0, 1e-12);
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(CollisionScene, ABoxTumblesAndComesToRestOnItsCorners) {
  const SceneRun run = run_text(
      "bodies:\n  box: {shape: {kind: box, size: [0.2, 0.3, 0.1], density: 1000}, at: [0, 0, 0.4], angle: 20 deg, "
      "axis: [1, 0.4, 0]}\n  ground: {shape: {kind: plane}}\n"
      "contacts:\n  floor: {between: [box, ground], response: impulsive, restitution: 0.4}\n"
      "solver: {duration: 3}\noutputs: {every: 0.1}\n");
  EXPECT_NEAR(run.samples.last("contacts/floor", "force"), 6 * 9.81, 1e-9);
  EXPECT_EQ(run.samples.last("contacts/floor", "points"), 4);
  EXPECT_LT(run.recording.ledger.end.kinetic_J, 1e-15);
  EXPECT_LT(gap_share(run), 1e-10);
}

TEST(CollisionScene, AStackIsHeldByItsContacts) {
  const SceneRun run = run_text(
      "planar: true\ngravity: [0, -9.81]\nbodies:\n"
      "  low: {mass: 3, inertia: 0.1, shape: {kind: box, size: [0.4, 0.2]}, at: [0, 0.1], angle: 0}\n"
      "  high: {mass: 2, inertia: 0.1, shape: {kind: box, size: [0.2, 0.2]}, at: [0, 0.4], angle: 0}\n"
      "  ground: {shape: {kind: plane}}\n"
      "contacts:\n  floor: {between: [low, ground], response: impulsive, restitution: 0.3}\n"
      "  top: {between: [high, low], response: impulsive, restitution: 0.3}\n"
      "solver: {duration: 2}\noutputs: {every: 0.1}\n");
  EXPECT_NEAR(run.samples.last("contacts/top", "force"), 2 * 9.81, 1e-6);
  EXPECT_NEAR(run.samples.last("contacts/floor", "force"), 5 * 9.81, 1e-6);
  EXPECT_NEAR(run.samples.last("bodies/high", "y"), 0.3, 1e-6);
  EXPECT_LT(gap_share(run), 1e-8);
}

/// Of laws that are not linear the springs are secants at the fastest approach: equal balls have equal springs,
/// those that rest among them, and the chain is that of linear springs.
TEST(CollisionScene, BallsAtRestUnderHertzsLawHaveTheSpringsOfTheCollision) {
  const study::CollisionStudy s = must_study(scene_model("cradle"), 1e-9, false);
  const double wanted[] = {-.1302617, .1502296, .9800321};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(s.velocity_after[6 * i], wanted[i], 1e-7);
}

/// Scenes in which touches follow each other closely: found spots, corners that strike in turn, hops below
/// rounding.
TEST(CollisionScene, CloseTouchesEndInRest) {
  const char* head = "planar: true\ngravity: [0, -9.81]\nbodies:\n";
  const SceneRun on_a_box = run_text(
      std::string(head) +
      "  ball: {mass: 1, shape: {kind: circle, radius: 0.1}, at: [0.01, 0.6]}\n"
      "  ground: {shape: {kind: box, size: [2, 0.2]}}\n"
      "contacts:\n  a: {between: [ball, ground], response: impulsive, restitution: 0.6}\nsolver: {duration: 2}\n");
  EXPECT_NEAR(on_a_box.samples.last("bodies/ball", "y"), 0.2, 1e-9);
  const SceneRun tower =
      run_text(std::string(head) +
               "  low: {mass: 3, inertia: 0.1, shape: {kind: box, size: [0.4, 0.2]}, at: [0, 0.1], angle: 0}\n"
               "  high: {mass: 2, inertia: 0.02, shape: {kind: box, size: [0.2, 0.2]}, at: [0, 0.4], angle: 0}\n"
               "  top: {mass: 2, inertia: 0.02, shape: {kind: box, size: [0.2, 0.2]}, at: [0.03, 0.7], angle: 0}\n"
               "  ground: {shape: {kind: plane}}\n"
               "contacts:\n  a: {between: [low, ground], response: impulsive, restitution: 0.3}\n"
               "  b: {between: [high, low], response: impulsive, restitution: 0.3}\n"
               "  c: {between: [top, high], response: impulsive, restitution: 0.3}\nsolver: {duration: 0.4}\n");
  EXPECT_LT(gap_share(tower), 1e-9);
  EXPECT_NEAR(tower.samples.last("contacts/a", "force"), 7 * 9.81, 1e-6);
  // boxes that fall on each other and hop ever less: without an end to hops this takes 100 000 steps
  const SceneRun heap =
      run_text(std::string(head) +
               "  low: {mass: 3, inertia: 0.1, shape: {kind: box, size: [0.4, 0.2]}, at: [0, 0.1], angle: 0}\n"
               "  high: {mass: 2, inertia: 0.02, shape: {kind: box, size: [0.2, 0.2]}, at: [0, 0.4], angle: 0.1}\n"
               "  top: {mass: 2, inertia: 0.02, shape: {kind: box, size: [0.2, 0.2]}, at: [0.03, 0.8], angle: 0}\n"
               "  ground: {shape: {kind: plane}}\n"
               "contacts:\n  a: {between: [low, ground], response: impulsive, restitution: 0.5}\n"
               "  b: {between: [high, low], response: impulsive, restitution: 0.5}\n"
               "  c: {between: [top, high], response: impulsive, restitution: 0.5}\n"
               "solver: {duration: 0.5, most_steps: 5000}\n");
  EXPECT_EQ(heap.recording.end, recording::End::done) << heap.recording.failure;
  const SceneRun wall = run_text(
      "planar: true\ngravity: [3, -9.81]\nbodies:\n"
      "  b: {mass: 1, inertia: 0.01, shape: {kind: box, size: [0.2, 0.2]}, at: [1.5, 0.1], angle: 0}\n"
      "  ground: {shapes: [{kind: plane, name: f}, {kind: box, name: w, size: [0.2, 2], at: [2.5, 1]}]}\n"
      "contacts:\n  bf: {between: [b, ground.f], response: impulsive, restitution: 0.3}\n"
      "  bw: {between: [b, ground.w], response: impulsive, restitution: 0.3}\nsolver: {duration: 3}\n");
  EXPECT_NEAR(wall.samples.last("bodies/b", "x"), 2.3, 1e-9);
  EXPECT_NEAR(wall.samples.last("contacts/bw", "force"), 3, 1e-9);
}

}  // namespace
}  // namespace percuss
