// Collisions with friction in scenes: against the matrices, against the compliant engine, and inside a run.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "collision_systems.h"
#include "percuss/io/scene_file.h"
#include "percuss/study/collision_study.h"
#include "scene_runs.h"

namespace percuss {
namespace {

study::CollisionStudy study_of(const model::Model& model, double tolerance = 1e-9, bool compliant = true) {
  const Result<study::CollisionStudy> out = study::study_collision(model, {{}, compliant, tolerance});
  if (!out) {
    ADD_FAILURE() << out.errors().front().text;
    return {};
  }
  return *out;
}
model::Model model_of(const std::string& text) {
  return must_compile(io::read_scene_text(text, "scene.yaml", {})).model;
}

/// Two routes to one collision: absolute coordinates with joints, and two angles.
TEST(FrictionScene, KanesPendulumIsThatOfItsMatricesAndLosesEnergy) {
  const model::Model model =
      must_compile(io::read_scene(std::string(PERCUSS_SOURCE) + "/scenes/kane_pendulum.yaml", {})).model;
  const study::CollisionStudy s = study_of(model, 1e-9, false);
  const double a = 20 * std::numbers::pi / 180, b = 30 * std::numbers::pi / 180, c = std::cos(b - a);
  System m;
  m.mass = Eigen::MatrixXd(2, 2);
  m.mass << 4.0 / 3, 0.5 * c, 0.5 * c, 1.0 / 3;
  // the end is a disc of 1 mm: its lowest point turns with the lower rod
  const double r = 1e-3;
  m.normals = Eigen::MatrixXd(1, 2), m.tangents = Eigen::MatrixXd(1, 2);
  m.normals << std::sin(a), std::sin(b);
  m.tangents << std::cos(a), std::cos(b) + r;
  m.velocity = Eigen::Vector2d(-0.1, -0.2);
  m.points = {{1e9, collision::friction_of_restitution(0.7), 0, 1, 0.7, 0.8}};
  const auto direct = collision::collide(m);
  ASSERT_TRUE(direct);
  EXPECT_NEAR(s.velocity_after[2], direct->velocity[0], 1e-12);
  EXPECT_NEAR(s.velocity_after[5], direct->velocity[1], 1e-12);
  EXPECT_NEAR(s.kinetic_after_J, direct->kinetic_after_J, 1e-14);
  EXPECT_LT(s.kinetic_after_J, s.kinetic_before_J);
  EXPECT_GT(s.outcome.friction_J[0], 0);
  for (const study::Rival& rival : s.rivals) EXPECT_EQ(rival.remark, "without friction") << rival.name;
}

const char* const kGround = "  ground: {shape: {kind: plane}}\n";

/// The engine's own contacts with a tangential spring (mindlin) tend to the collision with the duration, k^(-1/2).
TEST(FrictionScene, IsTheLimitOfTheCompliantEngine) {
  const std::string friction = "friction: {law: mindlin, coefficient: 0.3, parameters: {ratio: 0.8}}}\n";
  const std::string law =
      "response: impulsive, law: walton-braun, elastic: hooke, stiffness: 1e8, restitution: 0.8, ";
  struct Case {
    const char* name;
    std::string text;
  };
  const Case cases[] = {
      {"rod in the plane",
       "planar: true\ngravity: [0, 0]\nbodies:\n  rod: {mass: 1, inertia: 0.08, shapes: [{kind: circle, name: end, "
       "radius: 1 mm, at: [0.3, -0.4], density: 0}], at: [0, 0.401], angle: 0, velocity: [0.6, -1], "
       "angular_velocity: "
       "0.5}\n" +
           std::string(kGround) + "contacts:\n  floor: {between: [rod.end, ground], " + law + friction},
      {"spinning ball",
       "gravity: [0, 0, 0]\nbodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1], "
       "velocity: "
       "[0.5, 0.2, -1], angular_velocity: [8, -3, 2]}\n" +
           std::string(kGround) + "contacts:\n  floor: {between: [ball, ground], " + law + friction}};
  for (const Case& c : cases) {
    const model::Model model = model_of(c.text + "solver: {duration: 1}\n");
    const study::CollisionStudy ours = study_of(model, 1e-9, false);
    EXPECT_GT(ours.outcome.friction_J[0], 0) << c.name;
    std::vector<double> off;
    for (const double factor : {1.0, 100.0, 10'000.0}) {
      model::Model stiff = study::with_springs(model, ours.strike, factor);
      for (model::Contact& contact : stiff.contacts) contact.impulsive = true;  // the study makes them forces again
      const study::CollisionStudy s = study_of(stiff, 1e-11);
      double most = 0;
      for (std::size_t i = 0; i < s.velocity_after.size(); ++i)
        most = std::max(most, std::abs(s.rivals.back().velocity[i] - ours.velocity_after[i]));
      off.push_back(most);
    }
    std::printf("%s: engine minus collision %.2e %.2e %.2e\n", c.name, off[0], off[1], off[2]);
    EXPECT_LT(off[2], 1e-3) << c.name;
    EXPECT_NEAR(std::log10(off[2] / off[0]) / 4, -0.5, 0.1) << c.name;
  }
}

/// A ball with backspin bounces: the energy balance of the run closes, friction takes its part, and about the point
/// of contact the angular momentum is kept at each strike.
TEST(FrictionScene, ABallWithSpinBouncesAndTheEnergyBalanceCloses) {
  const SceneRun run = run_text(
      "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.5], velocity: [1, 0, 0], "
      "angular_velocity: [0, -40, 0]}\n" +
      std::string(kGround) +
      "contacts:\n  floor: {between: [ball, ground], response: impulsive, restitution: 0.9, friction: {law: "
      "mindlin, "
      "coefficient: 0.4, parameters: {ratio: 0.8}}}\nsolver: {duration: 1}\noutputs: {every: 0.01}\n");
  ASSERT_GE(run.recording.impacts.size(), 2U);
  EXPECT_LT(gap_share(run), 1e-10);
  EXPECT_GT(run.recording.ledger.end.friction_J, 0.1);
  double friction = 0;
  for (const recording::Impact& k : run.recording.impacts) friction += k.friction_J;
  EXPECT_NEAR(friction, run.recording.ledger.end.friction_J, 1e-12);
  // m v_x R - 0.4 m R^2 w_y: forces at the point below the centre do not change it
  const double before = 1 * 0.1 + 0.4 * 0.01 * 40 * -1;
  const double after =
      run.samples.last("bodies/ball", "vx") * 0.1 + 0.4 * 0.01 * run.samples.last("bodies/ball", "wy");
  EXPECT_NEAR(after, before, 1e-10);
  EXPECT_LT(run.samples.last("bodies/ball", "vx"), 0.5);  // the backspin holds it
}

TEST(FrictionScene, MistakesAreSaidAndRestIsWarned) {
  const auto text = [](const std::string& friction) {
    return "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.5]}\n" +
           std::string(kGround) +
           "contacts:\n  floor:\n    between: [ball, ground]\n    response: impulsive\n    restitution: 0.5\n    "
           "friction: " +
           friction + "\nsolver: {duration: 1}\n";
  };
  const auto error_of = [&](const std::string& friction) {
    const Result<scene::Scene> scene = io::read_scene_text(text(friction), "scene.yaml", {});
    if (!scene) return scene.errors().front().text;
    const Result<model::Compiled> out = model::compile(*scene);
    return out ? std::string("accepted") : out.errors().front().text;
  };
  EXPECT_NE(error_of("{coefficient: 0.3}").find("tangential spring; expected law: mindlin"), std::string::npos);
  EXPECT_NE(error_of("{law: lugre, coefficient: 0.3}").find("expected law: mindlin"), std::string::npos);
  EXPECT_NE(error_of("{law: mindlin, coefficient: 0.3, parameters: {ratio: 0.8}, rolling: 0.1}").find("resistance"),
            std::string::npos);
  EXPECT_NE(error_of("{law: mindlin, coefficient: 0.3}").find("ratio"), std::string::npos);
  EXPECT_EQ(error_of("{law: mindlin, coefficient: 0.3, parameters: {ratio: 0.8}}"), "accepted");
  const model::Model model = model_of(text("{law: mindlin, coefficient: 0.3, parameters: {ratio: 0.8}}"));
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_NE(model.warnings[0].find("a contact at rest slides freely"), std::string::npos);
}

}  // namespace
}  // namespace percuss
