// What expressions read of a motion: markers against differences of each other, momentum and energy against
// conservation, reactions against Newton's law.
#include <gtest/gtest.h>

#include <cmath>

#include "scene_runs.h"

namespace percuss {

namespace {

double at_row(const SceneRun& run, std::size_t row, const std::string& column) {
  return run.samples.rows("channels")[row][run.samples.column("channels", column)];
}
Vec3 vector_at(const SceneRun& run, std::size_t row, const std::string& name, const char* x, const char* y,
               const char* z) {
  return {at_row(run, row, name + "." + x), at_row(run, row, name + "." + y), at_row(run, row, name + "." + z)};
}

/// A body that tumbles on a spring, with markers away from its centre of mass.
const std::string kTumbling =
    "bodies:\n"
    "  top: {mass: 2, inertia: [0.1, 0.2, 0.25], centre_of_mass: [0.1, 0, 0.05], at: [0.3, 0, 1], angle: 0.4, "
    "axis: [1, 2, 3], "
    "velocity: [1, 0.5, -0.3], angular_velocity: [3, -2, 4], markers: {tip: [0.3, -0.1, 0.2], tail: [-0.2, 0, "
    "0.1]}}\n"
    "  bob: {mass: 1, particle: true, at: [-1, 0, 0.5], velocity: [0, 1, 0]}\n"
    "springs: {s: {between: [top, bob], stiffness: 20}}\n"
    "solver: {duration: 1, tolerance: 1e-12}\n"
    "outputs:\n  every: 1 ms\n  channels:\n"
    "    p: top.tip.position\n    v: top.tip.velocity\n    a: top.tip.acceleration\n"
    "    q: top.orientation\n    rpy: top.euler_angles\n    tilt: top.tilt\n    alpha: top.angular_acceleration\n"
    "    w: top.angular_velocity\n"
    "    d: distance(top.tip, bob)\n    d_rate: distance_rate(top.tip, bob)\n    phi: \"angle(top.tip, bob, "
    "ground)\"\n"
    "    bob: bob.position\n    e: system.kinetic + system.potential\n    one: top.kinetic + bob.kinetic - "
    "system.kinetic\n"
    "    P: system.momentum\n    L: system.angular_momentum\n    c: system.position\n";

TEST(Measures, VelocitiesAndAccelerationsOfMarkersAreTheirDifferences) {
  const SceneRun run = run_text(kTumbling);
  const double h = 1e-3;
  for (std::size_t k = 1; k + 1 < run.samples.rows("channels").size(); k += 37) {
    const auto p = [&](std::size_t i) { return vector_at(run, i, "p", "x", "y", "z"); };
    const auto v = [&](std::size_t i) { return vector_at(run, i, "v", "vx", "vy", "vz"); };
    const auto w = [&](std::size_t i) { return vector_at(run, i, "w", "wx", "wy", "wz"); };
    // central differences: h^2/6 of the third derivative, of a motion with rates of some 6/s
    EXPECT_LT(norm((p(k + 1) - p(k - 1)) / (2 * h) - v(k)), 2e-5);
    EXPECT_LT(norm((v(k + 1) - v(k - 1)) / (2 * h) - vector_at(run, k, "a", "ax", "ay", "az")), 2e-4);
    EXPECT_LT(norm((w(k + 1) - w(k - 1)) / (2 * h) - vector_at(run, k, "alpha", "alphax", "alphay", "alphaz")),
              2e-4);
    const double d = norm(p(k) - vector_at(run, k, "bob", "x", "y", "z"));
    EXPECT_NEAR(at_row(run, k, "d"), d, 1e-14);
    EXPECT_NEAR((at_row(run, k + 1, "d") - at_row(run, k - 1, "d")) / (2 * h), at_row(run, k, "d_rate"), 2e-5);
    const Vec3 to_tip = p(k) - vector_at(run, k, "bob", "x", "y", "z"),
               to_ground = -vector_at(run, k, "bob", "x", "y", "z");
    EXPECT_NEAR(std::cos(at_row(run, k, "phi")), dot(to_tip, to_ground) / norm(to_tip) / norm(to_ground), 1e-12);
  }
}

TEST(Measures, AnglesOfABodyAreThoseOfItsQuaternion) {
  const SceneRun run = run_text(kTumbling);
  for (std::size_t k = 0; k < run.samples.rows("channels").size(); k += 50) {
    const Quat q{at_row(run, k, "q.qw"), at_row(run, k, "q.qx"), at_row(run, k, "q.qy"), at_row(run, k, "q.qz")};
    const Mat3 R = matrix_of(q);
    const Quat by_angles = rotation_about(kAxisZ, at_row(run, k, "rpy.yaw")) *
                           rotation_about(kAxisY, at_row(run, k, "rpy.pitch")) *
                           rotation_about(kAxisX, at_row(run, k, "rpy.roll"));
    const Mat3 other = matrix_of(by_angles);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(norm(R.row[i] - other.row[i]), 1e-13);
    EXPECT_NEAR(std::cos(at_row(run, k, "tilt")), R.row[2].z, 1e-13);
  }
}

/// Gravity alone changes momentum, by m g t, and its moment about the origin changes the angular momentum; energy
/// is that of the ledger.
TEST(Measures, MomentumAngularMomentumAndEnergyOfAllBodiesObeyTheirLaws) {
  const SceneRun run = run_text(kTumbling);
  const std::size_t last = run.samples.rows("channels").size() - 1;
  const Vec3 P0 = vector_at(run, 0, "P", "momentum_x", "momentum_y", "momentum_z"),
             P1 = vector_at(run, last, "P", "momentum_x", "momentum_y", "momentum_z");
  EXPECT_LT(norm(P1 - P0 - Vec3{0, 0, -3 * 9.81}), 1e-9);
  const Vec3 L0 = vector_at(run, 0, "L", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z"),
             L1 = vector_at(run, last, "L", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z");
  const Vec3 c0 = vector_at(run, 0, "c", "x", "y", "z");
  // the centre of mass falls freely: the moment of gravity, M c x g, has the integral M (c0 t + v0 t^2/2) x g
  const Vec3 expected = cross(3.0 * c0 + 0.5 * P0, Vec3{0, 0, -9.81});
  EXPECT_LT(norm(L1 - L0 - expected), 1e-9);
  const double e0 = at_row(run, 0, "e"), e1 = at_row(run, last, "e");
  EXPECT_NEAR(e1 - e0, -(run.recording.ledger.end.springs_J - run.recording.ledger.start.springs_J), 1e-9);
  for (std::size_t k = 0; k <= last; k += 100) EXPECT_NEAR(at_row(run, k, "one"), 0, 1e-12);
}

TEST(Measures, ReactionsAndPushesAreMassTimesAcceleration) {
  const SceneRun run = run_text(
      "bodies:\n  arm: {mass: 2, shape: {kind: box, size: [0.5, 0.1, 0.2]}, at: [0.25, 0, 0], angle: 0, velocity: "
      "[0, 0, 0]}\n"
      "  end: {mass: 1, inertia: 0.1, at: [0.5, 0, 0], angle: 0}\n"
      "joints:\n  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y}\n"
      "  hold: {type: weld, between: [arm, end], at: [0.5, 0, 0]}\n"
      "solver: {duration: 0.7, tolerance: 1e-11}\n"
      "outputs: {every: 0.1, channels: {h: hinge.reaction, a: arm.acceleration, b: end.acceleration, o: "
      "hold.reaction}}\n");
  for (std::size_t k = 0; k < run.samples.rows("channels").size(); ++k) {
    const Vec3 g{0, 0, -9.81}, a = vector_at(run, k, "a", "ax", "ay", "az"),
                               b = vector_at(run, k, "b", "ax", "ay", "az");
    EXPECT_LT(norm(vector_at(run, k, "o", "fx", "fy", "fz") - 1.0 * (b - g)), 1e-8);
    EXPECT_LT(norm(vector_at(run, k, "h", "fx", "fy", "fz") - 2.0 * (a - g) - 1.0 * (b - g)), 1e-8);
  }
}

/// Two hinges on one axis leave a number of the reactions open; their sum is not.
TEST(Measures, ReactionsOfRedundantJointsAreThoseOfTheTables) {
  const SceneRun run = run_text(
      "bodies:\n  door: {mass: 5, shape: {kind: box, size: [1, 0.1, 2]}, at: [0.5, 0, 0], angle: 0, "
      "angular_velocity: [0, 0, 1]}\n"
      "joints:\n  low: {type: revolute, between: [ground, door], at: [0, 0, -0.8], axis: z}\n"
      "  high: {type: revolute, between: [ground, door], at: [0, 0, 0.8], axis: z}\n"
      "solver: {duration: 0.5, tolerance: 1e-10}\noutputs: {every: 0.1, channels: {r: low.reaction, s: "
      "high.reaction}}\n");
  for (std::size_t k = 0; k < run.samples.rows("channels").size(); ++k)
    for (const auto& [name, joint] : {std::pair{"r", "joints/low"}, std::pair{"s", "joints/high"}})
      for (const char* f : {"fx", "fy", "fz"})
        EXPECT_NEAR(at_row(run, k, std::string(name) + "." + f),
                    run.samples.rows(joint)[k][run.samples.column(joint, f)], 1e-9);
}

/// Events see accelerations: a ball in free fall has lost its weight, on a spring it turns where a = 0.
TEST(Measures, EventsReadAccelerationsAndForcesDoNot) {
  const SceneRun run = run_text(
      "bodies: {b: {mass: 1, particle: true, at: [0, 0, -1]}}\nsprings: {s: {between: [ground, b], rest: 1, "
      "stiffness: 100}}\n"
      "events: {balance: {when: b.az crosses 0, then: [record, stop]}}\nsolver: {duration: 2, tolerance: 1e-11}\n");
  EXPECT_NEAR(run.samples.last("bodies/b", "z"), -1 - 9.81 / 100, 1e-9);
  const Result<scene::Scene> scene = io::read_scene_text(
      "bodies: {b: {mass: 1, particle: true}}\nforces: {f: {body: b, force: [0, 0, b.az]}}\nsolver: {duration: "
      "1}\n",
      "s.yaml");
  const Result<model::Compiled> compiled = model::compile(*scene);
  ASSERT_FALSE(compiled);
  EXPECT_NE(one_line(compiled.errors().front()).find("\"b.az\" follows from the forces"), std::string::npos);
}

/// Of two balls that are pressed together the force is that on the second that the scene names, in any order and
/// with any shapes.
TEST(Measures, PushesAreThoseOnTheSecondBodyThatTheSceneNames) {
  for (const char* other : {"{kind: sphere, radius: 0.5}", "{kind: box, size: [1, 1, 1]}"})
    for (const bool a_first : {true, false}) {
      const SceneRun run = run_text(
          std::string("gravity: [0, 0, 0]\nbodies:\n  a: {mass: 1, shape: {kind: sphere, radius: 0.5}, at: [0, 0, "
                      "0], velocity: "
                      "[1, 0, 0]}\n  b: {mass: 1, inertia: 1, shape: ") +
          other + ", at: [1, 0, 0], angle: 0}\ncontacts: {c: {between: " + (a_first ? "[a, b]" : "[b, a]") +
          ", law: hooke, stiffness: 1e3}}\nsolver: {duration: 10 ms}\noutputs: {every: 5 ms, channels: {f: "
          "c.push}}\n");
      EXPECT_GT(a_first ? run.samples.at("channels", "f.fx", 0.005) : -run.samples.at("channels", "f.fx", 0.005),
                1.0)
          << other << a_first;
    }
}

TEST(Measures, MistakesAreSaid) {
  struct Mistake {
    std::string channel, says;
  };
  for (const Mistake& m : std::vector<Mistake>{
           {"distance(b.tpi, ground)", "no marker or body is called \"b.tpi\"; did you mean \"b.tip\"?"},
           {"distance(b.tip)", "expected two markers"},
           {"b.tip.w", "unknown name \"b.tip.w\""},
           {"b.positoin", "unknown name \"b.positoin\""}}) {
    const Result<scene::Scene> scene = io::read_scene_text(
        "bodies: {b: {mass: 1, inertia: 1, markers: {tip: [1, 0, 0]}}}\noutputs: {channels: {c: \"" + m.channel +
            "\"}}\nsolver: {duration: 1}\n",
        "s.yaml");
    const Result<model::Compiled> compiled = model::compile(*scene);
    ASSERT_FALSE(compiled) << m.channel;
    EXPECT_NE(one_line(compiled.errors().front()).find(m.says), std::string::npos)
        << one_line(compiled.errors().front());
  }
}

}  // namespace

}  // namespace percuss
