// Every joint of the table: what conservation says of two bodies that only it connects.
#include "scene_runs.h"

#include <cmath>

#include "percuss/base/vector.h"
#include "percuss/base/words.h"
#include "percuss/io/yaml.h"
#include "percuss/joint/table.h"
#include "percuss/model/rows.h"

namespace percuss::joint {
void PrintTo(const JointRow& row, std::ostream* out) { *out << row.key; }
}  // namespace percuss::joint

namespace percuss {
namespace {

/// Two free bodies in a general pose, joined; a third one for gears and racks.
std::string floating_pair(const joint::JointRow& row) {
  const std::string key(row.key);
  std::string text =
      "gravity: [0, 0, 0]\nbodies:\n"
      "  a: {mass: 2, inertia: [0.3, 0.4, 0.5, 0.02, -0.03, 0.01], at: [0.1, -0.2, 0.3], rotation: [0.9, 0.1, "
      "-0.3, 0.2], "
      "velocity: [0.3, 0.1, -0.2], angular_velocity: [1, -2, 1.5]}\n"
      "  b: {mass: 1.5, inertia: [0.2, 0.35, 0.3, 0.01, 0.02, -0.02], centre_of_mass: [0.05, 0, -0.02], at: [0.7, "
      "0.4, -0.1], "
      "rotation: [0.8, -0.2, 0.4, 0.1]}\n";
  if (!row.build)
    text += "  c: {mass: 1, inertia: [0.2, 0.3, 0.25], at: [-0.5, -0.4, 0.1], rotation: [0.7, 0.5, 0.1, -0.2]}\n";
  text += "joints:\n";
  const std::string between = "between: [a, b], at: [0.45, 0.2, 0.15]";
  if (!row.build) {
    text += "  one: {type: revolute, " + between + ", axis: [0.3, -0.5, 0.8]}\n";
    text += "  two: {type: " + std::string(row.coupling.angle_and_position ? "prismatic" : "revolute") +
            ", between: [a, c], at: [-0.2, -0.3, 0.2], axis: [0.6, 0.7, 0.1]}\n";
    text += "  j: {type: " + key + ", joints: [one, two], " + std::string(row.coupling.factor) + ": 0.3}\n";
  } else if (!row.has_point && row.axis == joint::Axis::none) {
    text += "  j: {type: " + key + ", between: [a, b], anchors: [[0.1, 0.2, -0.1], [-0.2, 0.05, 0.1]]}\n";
  } else {
    text += "  j: {type: " + key + ", " + between;
    if (row.axis == joint::Axis::one) text += ", axis: [0.3, -0.5, 0.8]";
    if (row.axis == joint::Axis::two) text += ", axis: [0.3, -0.5, 0.8], second_axis: [0.8, 0, -0.3]";
    for (const std::string_view needed : split(row.needs)) text += ", " + std::string(needed) + ": 0.4";
    const auto takes = [own = split(row.keys)](std::string_view k) {
      return std::ranges::find(own, k) != own.end();
    };
    if (!row.ideal.empty())
      text += std::string(", clearance: 0.01, ") +
              (takes("size") ? "size: [0.3, 0.1, 0.15]" : "bearing_radius: 0.1") +
              (takes("length") ? ", length: 0.3" : "") +
              ", contact: {law: flores, restitution: 0.8, stiffness: 1e7, friction: {coefficient: 0.2}}";
    text += "}\n";
  }
  return text + "solver: {duration: 2 s, tolerance: 1e-12}\noutputs: {every: 0.05}\n";
}

class EveryJoint : public ::testing::TestWithParam<joint::JointRow> {};

struct Momentum {
  Vec3 linear, angular;
};
/// Of all bodies, about the origin.
Momentum momentum(const model::Model& model, const std::vector<double>& y) {
  model::Motions motions;
  model::place_bodies(model, 0, y, motions);
  Momentum sum;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const model::Body& b = model.bodies[i];
    const geometry::BodyMotion& m = motions[i];
    const Vec3 p = b.mass_kg * m.v_mps;
    sum.linear += p;
    sum.angular += cross(m.p_m, p) + m.R * (b.inertia_kgm2 * transposed_times(m.R, m.w_radps));
  }
  return sum;
}

TEST_P(EveryJoint, KeepsMomentumAndEnergyOfTwoFreeBodies) {
  const joint::JointRow& row = GetParam();
  const SceneRun run = run_text(floating_pair(row));
  const int rows = static_cast<int>(run.model.rows.size());
  EXPECT_EQ(run.model.velocity_count - rows, row.build ? 12 - row.rows : 18 - 10 - 1);
  EXPECT_TRUE(run.model.redundant_rows().empty());
  const Momentum before = momentum(run.model, run.model.start), after = momentum(run.model, run.recording.y);
  EXPECT_GT(norm(before.linear), 0.1);
  EXPECT_LT(norm(after.linear - before.linear), 1e-9);
  EXPECT_LT(norm(after.angular - before.angular), 1e-9);
  EXPECT_LT(gap_share(run), 1e-9);
  EXPECT_LT(std::abs(run.recording.ledger.end.by_projection_J), 1e-9);
  EXPECT_LT(run.recording.worst_position_residual, 1e-12);
}

TEST_P(EveryJoint, GradientsAndBiasesAreDerivativesOfTheMeasures) {
  const SceneRun run = run_text(floating_pair(GetParam()));
  const model::Model& model = run.model;
  model::Motions motions;
  for (std::size_t m = 0; m < model.measures.size(); ++m) {
    const geometry::Measure& measure = model.measures[m];
    const auto at = [&](double t) {  // bodies moved along their velocities, turned about them: no acceleration
      std::vector<double> y = run.recording.y, step(static_cast<std::size_t>(model.velocity_count));
      for (std::size_t i = 0; i < step.size(); ++i)
        step[i] = t * y[static_cast<std::size_t>(model.position_count) + i];
      model::displace(model, step, y);
      model::place_bodies(model, 0, y, motions);
      return geometry::evaluate(measure, motions[static_cast<std::size_t>(measure.body_a)],
                                motions[static_cast<std::size_t>(measure.body_b)], run.model.start_angle[m]);
    };
    const double h = 1e-5;
    const double rate = (at(h).value - at(-h).value) / (2 * h), bias = (at(h).rate - at(-h).rate) / (2 * h);
    EXPECT_NEAR(at(0).rate, rate, 1e-7) << m;
    // turning at constant body axes rates leaves the world rates constant too: the bias is all there is
    EXPECT_NEAR(at(0).bias, bias, 1e-6) << m;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryJoint,
                         ::testing::ValuesIn(joint::joint_rows().begin(), joint::joint_rows().end()),
                         [](const auto& row) {
                           std::string name(row.param.key);
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

/// The shipped slider-crank with a motor on its base.
SceneRun driven_crank(const std::string& motor) {
  const Result<std::string> text = io::read_text(std::string(PERCUSS_SOURCE) + "/scenes/slider_crank.yaml");
  EXPECT_TRUE(text);
  return run_text(*text + "drivers: {motor: {joint: base, " + motor + "}}\n",
                  {"crank.angular_velocity=", "solver.tolerance=1e-12"});
}

TEST(Joints, ADriverTurnsACrankAndTheEnergyBalanceShowsItsWork) {
  const SceneRun run = driven_crank("value: 10*t + sin(3*t)");
  EXPECT_NEAR(run.samples.last("bodies/crank", "angle"), 100 + std::sin(30.0), 1e-9);
  EXPECT_NE(run.recording.ledger.end.by_drivers_J, 0);
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(Joints, ADriverByRateIntegratesItsRate) {
  const SceneRun run = driven_crank("rate: 10 + 3*cos(3*t)");
  EXPECT_NEAR(run.samples.last("bodies/crank", "angle"), 100 + std::sin(30.0), 1e-8);
  EXPECT_NEAR(run.samples.last("bodies/crank", "w"), 10 + 3 * std::cos(30.0), 1e-9);
  EXPECT_LT(gap_share(run), 1e-8);
}

TEST(Joints, ScrewAndGearAndRackKeepTheirRatiosOverManyTurns) {
  const char* const text = R"(
gravity: [0, 0, 0]
bodies:
  wheel: {mass: 1, inertia: 0.01, at: [0, 0, 0], angle: 0, angular_velocity: [0, 0, 30]}
  pinion: {mass: 1, inertia: 0.002, at: [0.3, 0, 0], angle: 0}
  rack: {mass: 2, inertia: 0.02, at: [0, 1, 0], angle: 0}
  nut: {mass: 0.5, inertia: 0.003, at: [0, 0, 1], angle: 0}
joints:
  axle: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: z}
  shaft: {type: revolute, between: [ground, pinion], at: [0.3, 0, 0], axis: z}
  rail: {type: prismatic, between: [ground, rack], at: [0, 1, 0], axis: x}
  thread: {type: screw, between: [wheel, nut], at: [0, 0, 1], axis: z, pitch: 0.02}
  mesh: {type: gear, joints: [axle, shaft], ratio: -0.5}
  bite: {type: rack, joints: [axle, rail], radius: 0.1}
forces: {brake: {body: rack, force: [0.5, 0, 0]}, hold: {body: nut, torque: [0, 0, -0.05]}}
solver: {duration: 2 s, tolerance: 1e-11}
)";
  const SceneRun run = run_text(text);
  const double turn = run.samples.last("joints/axle", "angle");
  EXPECT_GT(std::abs(turn), 20) << "several turns";
  EXPECT_NEAR(run.samples.last("joints/shaft", "angle"), -2 * turn, 1e-8);
  EXPECT_NEAR(run.samples.last("joints/rail", "position"), 0.1 * turn, 1e-9);
  EXPECT_NEAR(run.samples.last("joints/thread", "position"),
              0.02 / (2 * 3.14159265358979) * run.samples.last("joints/thread", "angle"), 1e-10);
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(Joints, ReactionsOfAPendulumAreWeightAndCentripetalForce) {
  const SceneRun run = run_scene("pendulum");
  for (const auto& row : run.samples.rows("bodies/mass")) {
    const double t = row[0], speed2 = row[4] * row[4] + row[5] * row[5];
    const double pull = speed2 - 9.81 * row[2];  // m (v^2/L + g cos)
    const double fx = run.samples.at("joints/rod", "fx", t), fy = run.samples.at("joints/rod", "fy", t);
    EXPECT_NEAR(std::hypot(fx, fy), std::abs(pull), 1e-7);
  }
}

// ---- springs, forces, events
// ------------------------------------------------------------------------------------------

const char* const kOscillator = R"(
gravity: [0, 0, 0]
bodies: {m: {mass: 2, inertia: 0.1, at: [1.5, 0, 0], angle: 0}}
joints: {rail: {type: prismatic, between: [ground, m], at: [0, 0, 0], axis: x}}
springs: {k: {between: [ground, m], anchors: [[0, 0, 0], [0, 0, 0]], stiffness: 50 N/m, damping: 0.8 N s/m, rest: 1 m}}
solver: {duration: 4 s, tolerance: 1e-12}
)";

/// A four-bar that moves in the plane z = 0, modelled in space: its hinges could be pressed together along z, or
/// twisted against each other, without moving anything. What acts in the plane is determined, and is that of the
/// planar model.
TEST(Redundancy, LeavesOpenWhatActsOutOfThePlane) {
  const auto four_bar = [](bool in_space) {
    std::string text = in_space ? "gravity: [0, -9.81, 0]\n" : "planar: true\ngravity: [0, -9.81]\n";
    const std::string spin = in_space ? "[0, 0, -1]" : "-1";
    const auto body = [&](const std::string& name, const char* at, double length, const std::string& more) {
      const std::string i = text_of(length * length / 12);
      text += "  " + name + ": {mass: 1, inertia: " + (in_space ? "[" + i + ", " + i + ", " + i + "]" : i) +
              ", at: [" + at + (in_space ? ", 0]" : "]") + more + "}\n";
    };
    text += "bodies:\n";
    body("crank", "0, 0.5", 1, ", angular_velocity: " + spin);
    body("link", "1, 1", 2, in_space ? "" : ", angle: 0");
    body("rocker", "2, 0.5", 1, in_space ? "" : ", angle: 0");
    text += "joints:\n";
    for (const auto& [name, between, at] :
         {std::tuple{"a", "ground, crank", "0, 0"}, std::tuple{"b", "crank, link", "0, 1"},
          std::tuple{"c", "link, rocker", "2, 1"}, std::tuple{"d", "ground, rocker", "2, 0"}})
      text += std::string("  ") + name + ": {type: revolute, between: [" + between + "], at: [" + at +
              (in_space ? ", 0], axis: z}\n" : "]}\n");
    return run_text(text + "solver: {duration: 0.5, tolerance: 1e-11}\noutputs: {every: 0.05}\n");
  };
  const SceneRun space = four_bar(true), plane = four_bar(false);
  std::vector<std::string> expected;
  for (const char* joint : {"a", "b", "c", "d"})
    for (const char* number : {".fz", ".tx", ".ty"}) expected.push_back(std::string(joint) + number);
  EXPECT_EQ(space.recording.head.undetermined_reactions, expected);
  EXPECT_TRUE(plane.recording.head.undetermined_reactions.empty());
  for (const char* joint : {"joints/a", "joints/b", "joints/c", "joints/d"})
    for (const char* number : {"fx", "fy"})
      for (double t = 0.05; t < 0.5; t += 0.05)
        EXPECT_NEAR(space.samples.at(joint, number, t), plane.samples.at(joint, number, t), 1e-7)
            << joint << " " << number;
}

TEST(Springs, ADampedOscillatorFollowsItsClosedForm) {
  const SceneRun run = run_text(kOscillator);
  const double g = 0.2, w = std::sqrt(25 - g * g);
  for (const auto& row : run.samples.rows("bodies/m")) {
    const double t = row[0], x = 1 + 0.5 * std::exp(-g * t) * (std::cos(w * t) + g / w * std::sin(w * t));
    EXPECT_NEAR(row[1], x, 1e-10);
  }
  EXPECT_GT(run.recording.ledger.end.damped_J, 1);
  EXPECT_LT(gap_share(run), 1e-11);
}

TEST(Springs, OnACoordinateAndAsABushingTheyActAlike) {
  const std::string text(kOscillator);
  const std::string from =
      "k: {between: [ground, m], anchors: [[0, 0, 0], [0, 0, 0]], stiffness: 50 N/m, damping: 0.8 N s/m, rest: 1 "
      "m}";
  const auto with = [&](const std::string& spring) {
    return std::string(text).replace(text.find(from), from.size(), spring);
  };
  const SceneRun line = run_text(text);
  const SceneRun coordinate =
      run_text(with("k: {joint: rail, stiffness: 50 N/m, damping: 0.8 N s/m, rest: -0.5 m}"));
  const SceneRun bushing =
      run_text(with("k: {type: bushing, between: [ground, m], anchors: [[1, 0, 0], [0, 0, 0]], stiffness: [50, 1, "
                    "1], damping: [0.8, 0, 0], turning_stiffness: 3}"));
  for (const SceneRun* other : {&coordinate, &bushing}) {
    EXPECT_NEAR(other->samples.last("bodies/m", "x"), line.samples.last("bodies/m", "x"), 1e-10);
    EXPECT_LT(gap_share(*other), 1e-11);
  }
}

TEST(Springs, ATorsionalSpringSwingsAWheel) {
  const SceneRun run = run_text(R"(
planar: true
gravity: [0, 0]
bodies: {wheel: {mass: 1, inertia: 0.02, at: [0, 0], angle: 60 deg}}
joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0]}}
springs: {coil: {joint: axle, stiffness: 8 N m, rest: 10 deg}}
solver: {duration: 3 s, tolerance: 1e-12}
)");
  const double w = std::sqrt(8 / 0.02), degree = 3.14159265358979323846 / 180;
  EXPECT_NEAR(run.samples.last("bodies/wheel", "angle"), (10 + 50 * std::cos(w * 3)) * degree, 1e-8);
  EXPECT_LT(gap_share(run), 1e-11);
}

TEST(Forces, MayDependOnTimeAndOnTheState) {
  // x'' = -9 x + cos(2 t) as a force of the state and of time
  const SceneRun run = run_text(R"(
gravity: [0, 0, 0]
constants: {k: 9}
bodies: {m: {particle: true, mass: 1, at: [1, 0, 0]}}
forces: {pull: {body: m, force: [-k*m.x + cos(2*t), 0, 0]}}
solver: {duration: 5 s, tolerance: 1e-12}
)");
  EXPECT_NEAR(run.samples.last("bodies/m", "x"), 0.8 * std::cos(15.0) + 0.2 * std::cos(10.0), 1e-9);
  EXPECT_LT(gap_share(run), 1e-10);
}

TEST(Forces, InBodyAxesTurnWithTheBody) {
  const SceneRun run = run_text(R"(
planar: true
gravity: [0, 0]
bodies: {rocket: {mass: 2, inertia: 0.5, at: [0, 0], angle: 0, angular_velocity: 3}}
forces: {thrust: {body: rocket, force: [4, 0], axes: body}}
solver: {duration: 2 s, tolerance: 1e-12}
)");
  EXPECT_NEAR(run.samples.last("bodies/rocket", "vx"), 2 * std::sin(6.0) / 3, 1e-10);
  EXPECT_NEAR(run.samples.last("bodies/rocket", "vy"), 2 * (1 - std::cos(6.0)) / 3, 1e-10);
}

TEST(Events, AreLocatedRecordedAndSwitchForces) {
  const SceneRun run = run_text(R"(
planar: true
gravity: [0, 0]
bodies: {wheel: {mass: 1, inertia: 0.5, at: [0, 0], angle: 0, angular_velocity: 2}}
joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0]}}
forces:
  brake: {joint: axle, torque: -0.5, enabled: false}
events:
  quarter: {when: axle.angle crosses 90 deg, then: [record, enable brake]}
  still: {when: axle.angle_rate falls through 0, then: stop}
solver: {duration: 100 s, tolerance: 1e-11}
)");
  ASSERT_EQ(run.recording.events.size(), 2U);
  const double quarter = 3.14159265358979323846 / 4;
  EXPECT_NEAR(run.recording.events[0].time_s, quarter, 1e-12);
  EXPECT_NEAR(run.recording.events[1].time_s, quarter + 2, 1e-10);
  EXPECT_EQ(run.recording.end, recording::End::stopped_by_event);
  EXPECT_NEAR(run.recording.ledger.end.by_forces_J, -1, 1e-10);
}

TEST(Events, FireOnceAtEveryCrossingAndNowhereElse) {
  // x = cos(5 t) through 0.3: twice a period, at t = (2 pi k +- acos 0.3)/5
  const SceneRun run = run_text(R"(
gravity: [0, 0, 0]
bodies: {m: {particle: true, mass: 1, at: [1, 0, 0]}}
forces: {pull: {body: m, force: [-25*m.x, 0, 0]}}
events:
  down: {when: m.x falls through 0.3}
  up: {when: m.x rises through 0.3, then: [record]}
  top: {when: m.vx crosses 0}
solver: {duration: 12 s, tolerance: 1e-11}
)");
  std::vector<double> down, up, top;
  for (const recording::EventRecord& e : run.recording.events)
    (e.event == 0 ? down : e.event == 1 ? up : top).push_back(e.time_s);
  const double turn = 2 * 3.14159265358979323846, first = std::acos(0.3);
  ASSERT_EQ(down.size(), 10U);
  ASSERT_EQ(up.size(), 9U);
  ASSERT_EQ(top.size(), 19U);
  for (std::size_t k = 0; k < down.size(); ++k)
    EXPECT_NEAR(down[k], (turn * static_cast<double>(k) + first) / 5, 1e-9);
  for (std::size_t k = 0; k < up.size(); ++k)
    EXPECT_NEAR(up[k], (turn * static_cast<double>(k + 1) - first) / 5, 1e-9);
}

TEST(Events, AtTheSameMomentAllHappen) {
  const SceneRun run = run_text(R"(
gravity: [0, 0, 0]
bodies: {m: {particle: true, mass: 1, at: [0, 0, 0], velocity: [1, 0, 0]}}
forces: {side: {body: m, force: [0, 2*t, 0], enabled: false}}
events:
  first: {when: m.x rises through 0.5}
  second: {when: m.x rises through 0.5, then: [record, enable side]}
  third: {when: t crosses 0.5}
solver: {duration: 1 s}
)");
  EXPECT_EQ(run.recording.events.size(), 3U);
  EXPECT_NEAR(run.samples.last("bodies/m", "vy"), 1 - 0.25, 1e-9);
}

TEST(PrescribedMotion, IsWhereItIsAtTheStart) {
  const SceneRun run = run_text(R"(
planar: true
bodies:
  plate: {motion: {x: 0.1*cos(t), angle: -1*t, axis: -z}}
  arm: {mass: 1, inertia: 0.1, at: [0.6, 0], angle: 0}
joints: {hinge: {type: weld, between: [plate, arm], at: [0.1, 0]}}
solver: {duration: 1 s, tolerance: 1e-10}
)");
  EXPECT_NEAR(run.samples.last("bodies/plate", "angle"), 1, 1e-12);
  EXPECT_NEAR(run.samples.last("bodies/arm", "angle"), 1, 1e-9);
  EXPECT_NEAR(run.samples.last("bodies/arm", "x"), 0.1 * std::cos(1.0) + 0.5 * std::cos(1.0), 1e-9);
  EXPECT_LT(gap_share(run), 1e-8);
}

TEST(PrescribedMotion, OfACarrierFeedsAGear) {
  for (const bool swapped : {false, true}) {
    const SceneRun run = run_text(std::string(R"(
planar: true
gravity: [0, 0]
bodies:
  carrier: {motion: {angle: t*t}}
  sun: {mass: 1, inertia: 0.3, at: [0, 0], angle: 0}
  planet: {mass: 1, inertia: 0.2, at: [0.5, 0], angle: 0}
joints:
  centre: {type: revolute, between: [ground, sun], at: [0, 0]}
  axle: {type: revolute, between: [carrier, planet], at: [0.5, 0]}
)") + "  mesh: {type: gear, joints: " +
                                  (swapped ? "[axle, centre]" : "[centre, axle]") +
                                  ", ratio: -1}\nsolver: {duration: 1 s, tolerance: 1e-10}\n");
    EXPECT_LT(gap_share(run), 1e-9) << swapped;
  }
}

TEST(PrescribedMotion, DoesTheWorkThatTheEnergyBalanceMisses) {
  // a pendulum on a shaken pivot: the shaker's work closes the ledger
  const SceneRun run = run_text(R"(
planar: true
gravity: [0, -9.81]
bodies:
  cart: {motion: {x: 0.2*sin(4*t), y: 0.05*cos(9*t)}}
  bob: {mass: 1, inertia: 0.01, at: [0, -0.7], angle: 20 deg}
joints: {pivot: {type: revolute, between: [cart, bob], anchors: [[0, 0], [0, 0.75]]}}
solver: {duration: 5 s, tolerance: 1e-11}
)",
                                {"bob.at="});
  EXPECT_GT(std::abs(run.recording.ledger.end.by_motions_J), 0.1);
  EXPECT_LT(gap_share(run), 1e-9);
}

}  // namespace
}  // namespace percuss
