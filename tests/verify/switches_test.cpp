// Events that switch joints, drivers, contacts and variables: the impulses and energies that this takes, by
// conservation.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "percuss/dynamics/simulation.h"
#include "scene_runs.h"

namespace percuss {

namespace {

Vec3 at_row(const SceneRun& run, std::size_t row, const std::string& name, const char* x, const char* y,
            const char* z) {
  const auto value = [&](const char* c) {
    return run.samples.rows("channels")[row][run.samples.column("channels", name + "." + c)];
  };
  return {value(x), value(y), value(z)};
}

/// Two bodies that fly in space are welded to each other where they are: momentum and angular momentum are kept,
/// they keep their distance and relative orientation from there on, and the energy lost is on the books. Released
/// again, they go on without a jump.
TEST(Switches, AWeldThatEngagesKeepsMomentumAndAngularMomentum) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int k = 0; k < 12; ++k) {
    const auto vec = [&](double scale) {
      return "[" + text_of(scale * u(random)) + ", " + text_of(scale * u(random)) + ", " +
             text_of(scale * u(random)) + "]";
    };
    std::string bodies = "  clock: {mass: 1, particle: true, at: [0, 0, 0], velocity: [1, 0, 0]}\n";
    for (const char* name : {"a", "b"})
      bodies += "  " + std::string(name) + ": {mass: " + text_of(1 + u(random) / 2) +
                ", inertia: [0.2, 0.25, 0.3], at: " + vec(1) + ", rotation: [1, " + text_of(u(random)) + ", " +
                text_of(u(random)) + ", " + text_of(u(random)) + "], velocity: " + vec(2) +
                ", angular_velocity: " + vec(3) + "}\n";
    const char* type = k % 3 == 0 ? "weld" : k % 3 == 1 ? "spherical" : "revolute";
    const SceneRun run = run_text(
        "gravity: [0, 0, 0]\nbodies:\n" + bodies + "joints: {latch: {type: " + type +
        ", between: [a, b], anchors: [[0.1, 0, 0.2], [0, -0.3, 0]], " +
        (std::string(type) == "revolute" ? "axes: [x, y], " : "") +
        "enabled: false}}\nevents:\n  on: {when: clock.x rises through 0.4, then: [record, enable latch]}\n"
        "  off: {when: clock.x rises through 0.8, then: [record, release latch]}\n"
        "solver: {duration: 1, tolerance: 1e-11}\n"
        "outputs: {every: 0.1, channels: {P: system.momentum, L: system.angular_momentum, d: \"distance(a, "
        "b)\"}}\n");
    const std::size_t last = run.samples.rows("channels").size() - 1;
    const Vec3 P0 = at_row(run, 0, "P", "momentum_x", "momentum_y", "momentum_z"),
               L0 = at_row(run, 0, "L", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z");
    for (std::size_t i = 0; i <= last; ++i) {
      EXPECT_LT(norm(at_row(run, i, "P", "momentum_x", "momentum_y", "momentum_z") - P0), 1e-9) << type << i;
      EXPECT_LT(norm(at_row(run, i, "L", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z") - L0),
                1e-9)
          << type << i;
    }
    if (std::string(type) == "weld") {
      EXPECT_NEAR(run.samples.at("channels", "d", 0.5), run.samples.at("channels", "d", 0.7), 1e-9);
    }
    const recording::Energy &start = run.recording.ledger.start, &end = run.recording.ledger.end;
    EXPECT_LT(end.by_switches_J, 0.0);  // an engagement never gives energy
    EXPECT_NEAR(end.kinetic_J - start.kinetic_J, end.by_switches_J, 1e-9 * start.kinetic_J);
    EXPECT_EQ(run.recording.events.size(), 2U);
  }
}

TEST(Switches, AClutchTakesWhatItsImpulseTakes) {
  for (const double ratio : {1.0, -2.0, 0.5}) {
    const SceneRun run = run_scene("clutch", {set("clutch.ratio", ratio)});
    // w1 - ratio w2 = 0 with impulses l on shaft 1 and -ratio l on shaft 2
    const double I1 = 0.5, I2 = 1, w = 20, l = -w / (1 / I1 + ratio * ratio / I2);
    const double w1 = w + l / I1, w2 = -ratio * l / I2;
    EXPECT_NEAR(run.samples.at("channels", "w1", 1.5), w1, 1e-9);
    EXPECT_NEAR(run.samples.at("channels", "w2", 1.5), w2, 1e-9);
    const double lost = I1 * w * w / 2 - I1 * w1 * w1 / 2 - I2 * w2 * w2 / 2;
    const double braked = run.recording.events.size() > 1 ? I1 * w1 * w1 / 2 : 0;
    EXPECT_NEAR(-run.recording.ledger.end.by_switches_J, lost + braked, 1e-9);
  }
}

TEST(Switches, ShippedScenesDoWhatTheirHeadsSay) {
  const SceneRun string = run_scene("cut_string");
  ASSERT_EQ(string.recording.events.size(), 5U);
  EXPECT_NEAR(string.recording.events[3].time_s, 2.6911, 1e-4);
  EXPECT_NEAR(string.samples.last("bodies/bob", "x"), -std::sqrt(2.0), 1e-6);
  const SceneRun latch = run_scene("latch");
  ASSERT_EQ(latch.recording.events.size(), 1U);
  EXPECT_NEAR(latch.recording.ledger.end.by_switches_J, -2.4, 1e-9);
  // x = v/w sin(w t), w^2 = k/(m1 + m2), v = 1.2
  const double w = std::sqrt(50 / 5.0);
  EXPECT_NEAR(latch.samples.at("bodies/second", "x", 1.0), 1.2 / w * std::sin(w * 0.7), 1e-7);
}

/// A pendulum whose hinge is locked stands; unlocked, it falls again. Locking takes all of its energy of motion.
TEST(Switches, ALockHoldsTheCoordinateWhereItIs) {
  const SceneRun run = run_text(
      "planar: true\nbodies: {rod: {mass: 1, shape: {kind: rod, length: 1}, at: [0.5, 0], angle: 0}}\n"
      "joints: {hinge: {type: revolute, between: [ground, rod], at: [0, 0]}}\n"
      "variables: {stops: 0}\nevents:\n"
      "  stop: {when: hinge.angle falls through -0.7, then: [record, lock hinge], once: true}\n"
      "solver: {duration: 2, tolerance: 1e-11}\n");
  EXPECT_NEAR(run.samples.last("joints/hinge", "angle"), -0.7, 1e-9);
  EXPECT_NEAR(run.recording.ledger.end.kinetic_J, 0, 1e-20);
  EXPECT_NEAR(run.recording.ledger.end.by_switches_J, -9.81 * 0.5 * std::sin(0.7), 1e-8);
}

/// A driver engages where its coordinate is, with the impulse that its rate takes.
TEST(Switches, ADriverEngagesWhereItsCoordinateIs) {
  for (const char* drive : {"rate: 3", "value: 3*t"}) {
    const SceneRun run = run_text(
        std::string("planar: true\ngravity: [0, 0]\nbodies: {wheel: {mass: 1, inertia: 2, at: [0, 0], angle: 0, "
                    "angular_velocity: 1}}\n"
                    "joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0]}}\n"
                    "drivers: {motor: {joint: axle, enabled: false, ") +
        drive +
        "}}\nevents:\n  on: {when: axle.angle rises through 1, then: [record, enable motor]}\n"
        "  off: {when: axle.angle rises through 4, then: [record, disable motor]}\nsolver: {duration: 4, "
        "tolerance: "
        "1e-11}\n");
    EXPECT_NEAR(run.samples.last("joints/axle", "angle"), 1 + 3 * 3, 1e-9) << drive;  // 1 s to 1 rad, then 3 rad/s
    EXPECT_NEAR(run.recording.ledger.end.by_switches_J, 2 * (9 - 1) / 2.0, 1e-9) << drive;
  }
}

/// A ball falls through a floor whose contact is off, and stays on one whose contact is on.
TEST(Switches, ContactsActOnlyWhileTheyAreOn) {
  const auto text = [](const std::string& when, const std::string& enabled) {
    return "bodies: {ground: {shape: {kind: plane}}, ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, "
           "0, 1.1]}}\n"
           "contacts: {floor: {between: [ball, ground], law: flores, restitution: 0.5, stiffness: 1e7, enabled: " +
           enabled + "}}\nevents: {e: {when: " + when + ", once: true}}\nsolver: {duration: 1, tolerance: 1e-10}\n";
  };
  const SceneRun off = run_text(text("ball.z falls through 0, then: [record]", "false"));
  EXPECT_NEAR(off.samples.last("bodies/ball", "z"), 1.1 - 9.81 / 2, 1e-9);
  EXPECT_TRUE(off.recording.impacts.empty());
  // switched on while the ball is inside: it is pushed at once, by energy that the switch gives
  const SceneRun inside = run_text(text("ball.z falls through 0.05, then: [record, enable floor]", "false"));
  EXPECT_LT(gap_share(inside), 1e-9);
  // switched off in the middle of an impact: what is stored is lost, and the ball goes on
  const SceneRun lost =
      run_text(text("floor.indentation rises through 0.5 mm, then: [record, disable floor]", "true"));
  ASSERT_EQ(lost.recording.events.size(), 1U);
  EXPECT_LT(gap_share(lost), 2e-9);
  const double z = 0.1 - 0.5e-3, t = lost.recording.events[0].time_s;
  EXPECT_LT(lost.samples.last("bodies/ball", "z"), z - (1 - t) * 4);
}

TEST(Switches, VariablesAreSetFromTheStateBeforeTheEvent) {
  const SceneRun run = run_text(
      "planar: true\ngravity: [0, 0]\nvariables: {f: 1, n: 0}\nbodies: {p: {mass: 1, particle: true, at: [0, 0]}}\n"
      "forces: {push: {body: p, force: [f, 0]}}\nevents: {flip: {when: p.x crosses 0.5, then: [record, set n n + "
      "f, set f "
      "-f]}}\nsolver: {duration: 3, tolerance: 1e-11}\noutputs: {channels: {n: n, f: f}}\n");
  // 1 s to x = 0.5 at v = 1; then -1: up to x = 1 and back through 0.5 at t = 3
  ASSERT_EQ(run.recording.events.size(), 2U);
  EXPECT_NEAR(run.recording.events[0].time_s, 1, 1e-9);
  EXPECT_NEAR(run.recording.events[1].time_s, 3, 1e-9);
  EXPECT_EQ(run.samples.at("channels", "n", 2.4), 1);
  EXPECT_EQ(run.samples.at("channels", "f", 2.4), -1);
}

/// A State with joints that were switched goes on elsewhere to the same bits.
TEST(Switches, StatesAreSavedWithWhatIsSwitched) {
  const model::Compiled c = shipped("clutch");
  dynamics::Simulation whole(c.model, c.settings);
  ASSERT_EQ(whole.advance_to(1.7), dynamics::Progress::going);
  Writer out;
  dynamics::save(whole.state(), out);
  ASSERT_EQ(whole.advance_to(3), dynamics::Progress::done);
  const Bytes bytes = out.take();
  Reader in(bytes);
  dynamics::State state;
  ASSERT_TRUE(dynamics::restore(in, c.model, state));
  dynamics::Simulation rest(c.model, c.settings, state);
  ASSERT_EQ(rest.advance_to(3), dynamics::Progress::done);
  EXPECT_EQ(rest.state().y, whole.state().y);
}

TEST(Switches, EachMistakeIsSaid) {
  struct Mistake {
    std::string then, says;
  };
  for (const Mistake& m : std::vector<Mistake>{
           {"enable hing",
            "no force, spring, joint, driver or contact is called \"hing\"; did you mean \"hinge\"?"},
           {"lock hing", "no joint is called \"hing\""},
           {"set g 2", "no variable is called \"g\""},
           {"set f", "expected set VARIABLE EXPRESSION, found \"set f\""},
           {"set f 2*", "set f: expected a number, a name"},
           {"lock", "expected record, stop, enable"},
           {"lock hold", "has no coordinate that could be locked"}}) {
    const Result<scene::Scene> scene = io::read_scene_text(
        "planar: true\nvariables: {f: 1}\nbodies: {b: {mass: 1, inertia: 1, at: [0, 0], angle: 0}, c: {mass: 1, "
        "inertia: "
        "1, at: [1, 0], angle: 0}}\n"
        "joints: {hinge: {type: revolute, between: [ground, b], at: [0, 0]}, hold: {type: weld, between: [b, c], "
        "at: [1, "
        "0]}}\nevents: {e: {when: t crosses 1, then: [" +
            m.then + "]}}\nsolver: {duration: 1}\n",
        "s.yaml");
    const Result<model::Compiled> compiled = model::compile(*scene);
    ASSERT_FALSE(compiled) << m.then;
    EXPECT_NE(one_line(compiled.errors().front()).find(m.says), std::string::npos)
        << one_line(compiled.errors().front());
  }
}

}  // namespace

}  // namespace percuss
