// Joints with clearance in mechanisms.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "percuss/contact/elastic.h"
#include "percuss/ode/root.h"
#include "scene_runs.h"

namespace percuss {
namespace {

constexpr double kOmega = 5000 * 2 * std::numbers::pi / 60;

/// The rod hanging freely from the crank pin: (I + m c^2) phi'' = m c (a_x sin phi - (a_y + g) cos phi), a that of
/// the pin; Runge and Kutta in small steps. The slider stands still: at the start it is at its dead point.
double free_rod_angle(double t_s) {
  const double r = 0.05, length = 0.12, c = 0.06, mass = 0.21, inertia = 2.5e-4 + mass * c * c;
  const auto acceleration = [&](double t, double phi) {
    const double ax = -r * kOmega * kOmega * std::cos(kOmega * t), ay = -r * kOmega * kOmega * std::sin(kOmega * t);
    return mass * c * (ax * std::sin(phi) - (ay + 9.81) * std::cos(phi)) / inertia;
  };
  const int n = 20'000;
  const double h = t_s / n;
  double phi = 0, w = -r * kOmega / length;
  for (int i = 0; i < n; ++i) {
    const double t = i * h;
    const double k1 = w, l1 = acceleration(t, phi);
    const double k2 = w + h / 2 * l1, l2 = acceleration(t + h / 2, phi + h / 2 * k1);
    const double k3 = w + h / 2 * l2, l3 = acceleration(t + h / 2, phi + h / 2 * k2);
    const double k4 = w + h * l3, l4 = acceleration(t + h, phi + h * k3);
    phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return phi;
}

TEST(SliderCrankClearance, FliesFreelyUntilItsFirstImpact) {
  const double first =
      run_scene("slider_crank_clearance", {"solver.tolerance=1e-11"}).recording.impacts.at(0).touch_s;
  const SceneRun run =
      run_scene("slider_crank_clearance", {"solver.tolerance=1e-11", "outputs.every=" + text_of(first / 4)});
  for (const double part : {0.25, 0.5, 0.75, 1.0}) {
    const double t = part * first;
    EXPECT_NEAR(run.samples.at("bodies/rod", "angle", t), free_rod_angle(t), 1e-9) << part;
    EXPECT_NEAR(run.samples.at("bodies/slider", "x", t), 0.17, 1e-9) << part;
    EXPECT_EQ(run.samples.at("joints/wrist", "mode", 0.5 * first), 0) << "free flight";
  }
}

TEST(SliderCrankClearance, EnergyBalanceClosesAndDepthsAreThoseOfTheSpeedsAndLoads) {
  const SceneRun run = run_scene("slider_crank_clearance", {"solver.tolerance=1e-10"});
  EXPECT_LT(gap_share(run), 1e-8);
  EXPECT_GT(run.recording.impact_count, 10);
  double v = 0, load = 0, mass = 0, deepest = 0, lost = 0;
  for (const recording::Impact& k : run.recording.impacts) {
    v = std::max(v, k.approach_speed_mps);
    load = std::max(load, k.load_mps2);
    mass = std::max(mass, k.effective_mass_kg);
    deepest = std::max(deepest, k.peak_indentation_m);
    lost += k.lost_J;
  }
  // all energy of the greatest speed and the work of the greatest load in the spring: K x^2.5/2.5 = m v^2/2 + m a x
  const contact::Elastic<>& elastic = run.model.contact_kinds[0].law.spec.elastic;
  const auto excess = [&](double x) {
    return contact::elastic_energy_J(elastic, x) - mass * (v * v / 2 + load * x);
  };
  const double bound = ode::locate_root(excess, 1e-9, 1e-2, excess(1e-9), excess(1e-2));
  EXPECT_LT(deepest, 1.2 * bound);
  EXPECT_GT(deepest, 0.3 * bound);
  // what the joint says of itself
  EXPECT_EQ(run.samples.last("joints/wrist", "impacts"), static_cast<double>(run.recording.impact_count));
  EXPECT_NEAR(run.samples.last("joints/wrist", "lost"), lost + run.recording.ledger.end.friction_J, 1e-6);
  EXPECT_NEAR(run.samples.last("joints/wrist", "eccentricity"),
              std::hypot(run.samples.last("joints/wrist", "x"), run.samples.last("joints/wrist", "y")), 1e-15);
  bool impact = false, following = false;
  for (const auto& row : run.samples.rows("joints/wrist")) {
    const double mode = row[run.samples.column("joints/wrist", "mode")];
    const double eccentricity = row[run.samples.column("joints/wrist", "eccentricity")];
    EXPECT_EQ(mode == 0, eccentricity < 0.5e-3) << row[0];
    impact = impact || mode == 1;
    following = following || mode == 2;
  }
  EXPECT_TRUE(impact);
  EXPECT_TRUE(following);
}

TEST(SliderCrankClearance, ConvergesUntilChaosPartsTheRuns) {
  const auto impacts = [](const char* tolerance) {
    return run_scene("slider_crank_clearance", {std::string("solver.tolerance=") + tolerance}).recording.impacts;
  };
  const auto fine = impacts("1e-12"), coarse = impacts("1e-9"), medium = impacts("1e-10");
  const auto agree = [&](const std::vector<recording::Impact>& other, double digits) {
    std::size_t n = 0;
    while (n < fine.size() && n < other.size() && std::abs(other[n].touch_s - fine[n].touch_s) < digits &&
           std::abs(other[n].approach_speed_mps - fine[n].approach_speed_mps) < digits * 1e4)
      ++n;
    return n;
  };
  std::printf("impacts alike to 1e-8 s: tolerance 1e-9 %zu, 1e-10 %zu, of %zu\n", agree(coarse, 1e-8),
              agree(medium, 1e-8), fine.size());
  EXPECT_GE(agree(coarse, 1e-8), 3U);
  EXPECT_GE(agree(medium, 1e-8), agree(coarse, 1e-8));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LT(std::abs(medium[i].touch_s - fine[i].touch_s), std::abs(coarse[i].touch_s - fine[i].touch_s) + 1e-13)
        << i;
}

TEST(SliderCrankClearance, TendsToTheIdealJointAsTheClearanceCloses) {
  // slowly turned, so that the journal follows its bearing: the slider is off by the clearance, no more
  std::vector<double> off;
  for (const double clearance : {0.4e-3, 0.2e-3, 0.1e-3, 0.05e-3}) {
    const SceneRun run =
        run_scene("slider_crank_clearance",
                  {"wrist.clearance=" + text_of(clearance), "motor.rate=60 rpm", "solver.duration=0.5",
                   "wrist.contact.restitution=0.2", "outputs.every=0.02", "solver.tolerance=1e-7"});
    double most = 0;
    for (const auto& row : run.samples.rows("bodies/slider")) {
      const double a = 2 * std::numbers::pi * row[0],
                   ideal = 0.05 * std::cos(a) + std::sqrt(0.0144 - std::pow(0.05 * std::sin(a), 2));
      most = std::max(most, std::abs(row[run.samples.column("bodies/slider", "x")] - ideal));
    }
    EXPECT_LT(most, 1.05 * clearance);
    off.push_back(most);
  }
  for (std::size_t i = 1; i < off.size(); ++i) {
    const double rate = std::log2(off[i - 1] / off[i]);
    std::printf("clearance halved: the slider's deviation falls by 2^%.3f to %.3g m\n", rate, off[i]);
    EXPECT_NEAR(rate, 1, 0.15);
  }
}

// ---- the slider in its guide (Flores, Leine and Glocker 2010)

/// The mechanism of scenes/slider_crank_guide.yaml with rigid, frictionless corners, in the three angles, stepped
/// as Moreau and Jean do: positions by the mean of the velocities, impulses at corners that would penetrate, with
/// Newton's restitution 0.4 on velocities. An independent route to the limit of great stiffness. The mass matrix is
/// taken in the middle of the step, which keeps the energy of free flight to the square of the step, or, as some
/// public implementations do, at its end, which feeds energy in proportion to the step.
struct RigidGuide {
  enum class Mass { at_the_middle, at_the_end };
  Eigen::Vector3d q{0, 0, 0}, v{150, -75, 0};
  double t_s = 0;

  static constexpr double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, c = 0.001, m1 = 0.038, m2 = 0.038,
                          m3 = 0.076, g = 9.81, coupling = (m2 / 2 + m3) * l1 * l2;
  static Eigen::Matrix3d mass(const Eigen::Vector3d& q) {
    Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
    m(0, 0) = 7.4e-5 + (m1 / 4 + m2 + m3) * l1 * l1;
    m(1, 1) = 5.9e-4 + (m2 / 4 + m3) * l2 * l2;
    m(0, 1) = m(1, 0) = coupling * std::cos(q[1] - q[0]);
    m(2, 2) = 2.7e-6;
    return m;
  }
  static Eigen::Vector3d force(const Eigen::Vector3d& q, const Eigen::Vector3d& v) {
    const double k = coupling * std::sin(q[0] - q[1]);
    return {-k * v[1] * v[1] - (m1 / 2 + m2 + m3) * g * l1 * std::cos(q[0]),
            k * v[0] * v[0] - (m2 / 2 + m3) * g * l2 * std::cos(q[1]), 0};
  }
  double energy_J() const {
    return v.dot(mass(q) * v) / 2 +
           g * ((m1 / 2 + m2 + m3) * l1 * std::sin(q[0]) + (m2 / 2 + m3) * l2 * std::sin(q[1]));
  }
  /// Gap of corner i and its gradient.
  static std::pair<double, Eigen::Vector3d> corner(int i, const Eigen::Vector3d& q) {
    const double up = i < 2 ? -1 : 1, along = i % 2 == 0 ? -a : a;
    return {b + c + up * (l1 * std::sin(q[0]) + l2 * std::sin(q[1]) + along * std::sin(q[2])) - b * std::cos(q[2]),
            {up * l1 * std::cos(q[0]), up * l2 * std::cos(q[1]), up * along * std::cos(q[2]) + b * std::sin(q[2])}};
  }
  void step(double h, Mass where) {
    Eigen::Vector3d free = v, end = q;
    Eigen::Matrix3d m;
    for (int k = 0; k < 50; ++k) {  // the implicit step without contact
      const Eigen::Vector3d before = free, middle = q + h / 4 * (v + free);
      end = q + h / 2 * (v + free);
      m = mass(where == Mass::at_the_middle ? middle : end);
      free = v + h * m.inverse() *
                     (where == Mass::at_the_middle ? force(middle, (v + free) / 2)
                                                   : Eigen::Vector3d((force(q, v) + force(end, free)) / 2));
      if ((free - before).norm() < 1e-12) break;
    }
    Eigen::Vector3d after = free;
    // corners whose gap would close: impulses by projected relaxation, w = v+ + 0.4 v- >= 0 where it pushes
    std::array<double, 4> impulse{};
    std::vector<int> touching;
    for (int i = 0; i < 4; ++i)
      if (corner(i, q + h / 2 * v).first <= 0) touching.push_back(i);
    const Eigen::Matrix3d inverse = m.inverse();
    for (int sweep = 0; sweep < 2000 && !touching.empty(); ++sweep) {
      double change = 0;
      for (const int i : touching) {
        const Eigen::Vector3d n = corner(i, end).second;
        const double old = impulse[static_cast<std::size_t>(i)];
        const double next = std::max(0.0, old - n.dot(after + 0.4 * v) / n.dot(inverse * n));
        after += (next - old) * inverse * n;
        change = std::max(change, std::abs(next - old));
        impulse[static_cast<std::size_t>(i)] = next;
      }
      if (change < 1e-14) break;
    }
    q += h / 2 * (v + after);
    v = after;
    t_s += h;
  }
  double turns() const { return q[0] / (2 * std::numbers::pi); }
  static RigidGuide at_the_end(double h, Mass where) {
    RigidGuide run;
    while (run.t_s < 0.2 - h / 2) run.step(h, where);
    return run;
  }
};

TEST(SliderCrankGuide, TendsToTheRigidLimitOfMoreauAndJean) {
  const RigidGuide rigid = RigidGuide::at_the_end(2e-6, RigidGuide::Mass::at_the_middle);
  const RigidGuide coarser = RigidGuide::at_the_end(1e-5, RigidGuide::Mass::at_the_middle);
  EXPECT_NEAR(rigid.turns(), coarser.turns(), 1e-3);
  const SceneRun run =
      run_scene("slider_crank_guide", {"guide.contact.stiffness=1e10", "guide.contact.friction.coefficient=0"});
  const double turns = run.samples.last("bodies/crank", "angle") / (2 * std::numbers::pi);
  const double w = run.samples.last("bodies/crank", "w");
  std::printf("guide without friction: %.4f revolutions, %.2f rad/s; rigid corners %.4f, %.2f\n", turns, w,
              rigid.turns(), rigid.v[0]);
  EXPECT_NEAR(turns, rigid.turns(), 0.005);
  EXPECT_NEAR(w, rigid.v[0], 0.03 * w);
}

/// Why the published 3.0497 and 3.0543 revolutions cannot be reached: they need energy that is not there. A scheme
/// that takes the mass matrix at the end of its steps of 0.1 ms gains 18 % and lands beside them.
TEST(SliderCrankGuide, ThePublishedFiguresNeedEnergyThatLongStepsFeedIn) {
  const RigidGuide start, fed = RigidGuide::at_the_end(1e-4, RigidGuide::Mass::at_the_end),
                          kept = RigidGuide::at_the_end(1e-4, RigidGuide::Mass::at_the_middle);
  std::printf(
      "steps of 0.1 ms, mass at their end: %.4f J become %.4f J, %.4f revolutions; in their middle: %.4f J, "
      "%.4f revolutions\n",
      start.energy_J(), fed.energy_J(), fed.turns(), kept.energy_J(), kept.turns());
  EXPECT_GT(fed.energy_J(), 1.1 * start.energy_J());
  EXPECT_NEAR(fed.turns(), 3.05, 0.05);
  EXPECT_LT(kept.energy_J(), start.energy_J());
  EXPECT_NEAR(kept.turns(), 2.89, 0.01);
}

TEST(SliderCrankGuide, LosesEnergyAndHardlyDependsOnTheStiffness) {
  // without clearance and losses: I(a) w^2/2 + V(a) = const with the usual reduction
  const auto inertia = [](double a) {
    const double l1 = 0.153, l2 = 0.306, m1 = 0.038, m2 = 0.038, m3 = 0.076, s = -l1 / l2 * std::sin(a),
                 c = std::sqrt(1 - s * s), k = -l1 * std::cos(a) / (l2 * c);
    return 7.4e-5 + (0.25 * m1 + m2 + m3) * l1 * l1 +
           2 * (0.5 * m2 + m3) * l1 * l2 * (c * std::cos(a) + s * std::sin(a)) * k +
           (5.9e-4 + (0.25 * m2 + m3) * l2 * l2) * k * k;
  };
  const auto potential = [](double a) {
    return 9.81 * (0.019 * 0.153 * std::sin(a) + 0.038 * (0.153 - 0.0765) * std::sin(a));
  };
  const double energy = inertia(0) * 150 * 150 / 2;
  EXPECT_NEAR(energy, 7.49554875, 1e-8);
  double ideal = 0;
  const int n = 20'000;
  const double h = 0.2 / n;
  const auto rate = [&](double a) { return std::sqrt(2 * (energy - potential(a)) / inertia(a)); };
  for (int i = 0; i < n; ++i) {
    const double k1 = rate(ideal), k2 = rate(ideal + h / 2 * k1), k3 = rate(ideal + h / 2 * k2),
                 k4 = rate(ideal + h * k3);
    ideal += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  EXPECT_NEAR(ideal / (2 * std::numbers::pi), 2.92757, 1e-5);
  // the paper's end, 122.8 rad/s at 3.0497 revolutions, needs more energy than there is
  EXPECT_GT(inertia(2 * std::numbers::pi * 0.0497) * 122.8 * 122.8 / 2, 1.1 * energy);
  std::vector<double> turns;
  for (const char* stiffness : {"1e8", "1e9", "1e10"}) {
    const SceneRun run = run_scene("slider_crank_guide", {std::string("guide.contact.stiffness=") + stiffness});
    const double angle = run.samples.last("bodies/crank", "angle");
    EXPECT_LT(angle, ideal);
    EXPECT_GT(angle, 0.97 * ideal);
    EXPECT_LT(gap_share(run), 1e-7);
    const double a = std::fmod(angle, 2 * std::numbers::pi), w = run.samples.last("bodies/crank", "w");
    // the crank goes as fast as the energy that is left says
    const double left = energy - run.recording.ledger.end.lost_J();
    EXPECT_NEAR(w, std::sqrt(2 * (left - potential(a)) / inertia(a)), 0.02 * w);
    turns.push_back(angle / (2 * std::numbers::pi));
  }
  EXPECT_NEAR(turns[0], turns[2], 0.01);
  std::printf("crank: %.4f %.4f %.4f revolutions with K = 1e8, 1e9, 1e10; without clearance 2.9276\n", turns[0],
              turns[1], turns[2]);
}

TEST(FourBarClearance, RunsTenSecondsWithThreeLoosePins) {
  const SceneRun run = run_scene("four_bar_clearance", {"solver.tolerance=1e-6"});
  EXPECT_EQ(run.recording.time_s, 10);
  EXPECT_LT(gap_share(run), 1e-6);
  for (const char* pin : {"joints/crank_pin", "joints/rocker_pin", "joints/rocker_shaft"}) {
    EXPECT_GE(run.samples.last(pin, "impacts"), 1);
    for (const auto& row : run.samples.rows(pin)) EXPECT_LT(row[run.samples.column(pin, "eccentricity")], 0.102e-3);
  }
}

// ---- certificates

double largest_remainder(const SceneRun& run) {
  double most = 0;
  for (const recording::Impact& k : run.recording.impacts) {
    if (!k.delivered) continue;
    EXPECT_TRUE(k.has_account());
    const double wanted = k.prescribed.value_or(k.isolated);
    const double parts =
        k.bias + k.extra_dissipation + k.other_work + k.other_contacts + k.mass_change + k.remainder;
    EXPECT_NEAR(*k.delivered * *k.delivered - wanted * wanted, parts, 1e-12);
    most = std::max(most, std::abs(k.remainder));
  }
  return most;
}

TEST(Certificate, ClosesForTheBallAndTheTable) {
  EXPECT_LT(largest_remainder(run_scene("bouncing_ball", {"solver.tolerance=1e-12", "outputs.account=true"})),
            1e-9);
  EXPECT_LT(largest_remainder(run_scene("moving_table",
                                        {"solver.tolerance=1e-12", "solver.duration=1.3", "outputs.account=true"})),
            1e-9);
}

TEST(Certificate, ClosesForAPendulumThatStrikesAWall) {
  // the effective mass changes as it swings through the contact, gravity and the pin act on it
  const SceneRun run = run_text(
      "bodies:\n  bob: {mass: 2, inertia: 0.03, shapes: [{kind: sphere, radius: 0.05, at: [0.1, 0, -0.2], density: "
      "0}], "
      "angle: 50 deg, axis: -y}\n  ground: {shape: {kind: plane, axis: [1, 0, 0.3], at: [-0.1, 0, 0]}}\n"
      "joints:\n  pin: {type: revolute, between: [ground, bob], anchors: [[0, 0, 0], [0, 0, 0.4]], axes: [y, y]}\n"
      "contacts:\n  strike: {between: [bob, ground], law: flores, restitution: 0.7, stiffness: 1e6}\n"
      "solver: {duration: 1 s, tolerance: 1e-12}\noutputs: {account: true}\n");
  ASSERT_GE(run.recording.impacts.size(), 1U);
  const recording::Impact& k = run.recording.impacts[0];
  ASSERT_TRUE(k.delivered);
  EXPECT_NE(k.mass_change, 0);
  EXPECT_NE(k.other_work, 0);
  EXPECT_LT(largest_remainder(run), 1e-9);
}

TEST(Certificate, ClosesForAStrikeOnTwoContacts) {
  const SceneRun run = run_text(
      "planar: true\ngravity: [0, 0]\nbodies:\n"
      "  bar: {mass: 1, inertia: 0.02, shapes: [{kind: circle, name: left, radius: 0.02, at: [-0.2, 0], density: "
      "0}, {kind: "
      "circle, name: right, radius: 0.02, at: [0.2, 0], density: 0}], at: [0, 0.021], velocity: [0.1, -1], angle: "
      "0.001, "
      "angular_velocity: 0.3}\n"
      "  ground: {shape: {kind: plane}}\n"
      "contacts:\n"
      "  one: {between: [bar.left, ground], law: flores, restitution: 0.6, stiffness: 1e6, friction: {coefficient: "
      "0.2}}\n"
      "  two: {between: [bar.right, ground], law: flores, restitution: 0.6, stiffness: 1e6}\n"
      "solver: {duration: 0.05 s, tolerance: 1e-12}\noutputs: {account: true}\n");
  ASSERT_EQ(run.recording.impacts.size(), 2U);
  EXPECT_NE(run.recording.impacts[0].other_contacts, 0);
  EXPECT_LT(largest_remainder(run), 1e-9);
}

// ---- bodies that tumble

/// A journal meets its bearing along their whole length: the two ends together have the stiffness K, so that the
/// peak indentation is v sqrt(m/K), and each end carries half of v sqrt(m K).
TEST(BearingInSpace, SharesItsStiffnessBetweenItsEnds) {
  for (const char* type : {"cylindrical-clearance", "revolute-clearance"}) {
    const SceneRun run = run_text(
        std::string("gravity: [0, 0, 0]\nbodies:\n  shaft: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0], "
                    "velocity: [0.3, 0, 0]}\njoints:\n  bearing: {type: ") +
        type +
        ", between: [ground, shaft], at: [0, 0, 0], axis: z, bearing_radius: 10 mm, clearance: 0.1 mm, length: 50 "
        "mm, "
        "contact: {law: hooke, stiffness: 1e7}}\nsolver: {duration: 2 ms, tolerance: 1e-10}\n");
    ASSERT_EQ(run.recording.impacts.size(), 2U) << type;
    for (const recording::Impact& i : run.recording.impacts) {
      EXPECT_NEAR(i.peak_indentation_m, 0.3 * std::sqrt(2 / 1e7), 1e-10) << type;
      EXPECT_NEAR(i.peak_force_N, 0.3 * std::sqrt(2 * 1e7) / 2, 1e-3) << type;
    }
  }
}

TEST(Polyhedra, CollideWithMomentumKeptAndEnergyBalanceClosesd) {
  const SceneRun run = run_text(
      "gravity: [0, 0, 0]\nmaterials:\n  stone: {density: 2600}\nbodies:\n"
      "  a: {shape: {kind: box, size: [0.3, 0.2, 0.1], material: stone}, at: [0, 0, 0], rotation: [0.9, 0.1, -0.2, "
      "0.3], "
      "angular_velocity: [0.5, 2, -1]}\n"
      "  b: {shape: {kind: polyhedron, points: [[0.1, 0, 0], [-0.1, 0.02, 0], [0, 0.12, 0.01], [0.02, -0.1, 0], "
      "[0, 0, 0.13], "
      "[0.01, 0, -0.09]], material: stone}, at: [0.5, 0.05, 0.02], velocity: [-2, 0, 0.1], angular_velocity: [3, "
      "1, 2]}\n"
      "contacts:\n  c: {between: [a, b], law: hertz, stiffness: 1e8, friction: {coefficient: 0.3}}\n"
      "solver: {duration: 0.4 s, tolerance: 1e-11}\noutputs: {every: 0.1}\n");
  EXPECT_GE(run.recording.impact_count, 1);
  EXPECT_LT(gap_share(run), 1e-9);
  const auto momentum = [&](const std::vector<double>& y) {
    Vec3 sum;
    for (std::size_t b = 1; b < 3; ++b) {
      const double* v = &y[static_cast<std::size_t>(run.model.bodies[b].v_at)];
      sum += run.model.bodies[b].mass_kg * Vec3{v[0], v[1], v[2]};
    }
    return sum;
  };
  EXPECT_LT(norm(momentum(run.recording.y) - momentum(run.model.start)), 1e-11);
}

TEST(ContactsByMaterial, BallsInABoxKeepTheirEnergyBalance) {
  std::string bodies;
  for (int i = 0; i < 27; ++i)
    bodies += "  b" + std::to_string(i) + ": {shape: {kind: sphere, radius: 0.05, material: glass}, at: [" +
              text_of(0.15 * (i % 3) + 0.01 * (i / 9)) + ", " + text_of(0.15 * (i / 3 % 3)) + ", " +
              text_of(0.1 + 0.15 * (i / 9)) + "], velocity: [" + text_of(0.3 - 0.1 * (i % 7)) + ", " +
              text_of(0.05 * (i % 5)) + ", 0]}\n";
  const SceneRun run = run_text(
      "materials:\n  glass: {young: 60 GPa, poisson: 0.25, density: 2500, restitution: 0.9, friction: 0.1}\n"
      "  wood: {young: 10 GPa, poisson: 0.3, restitution: 0.5, friction: 0.4}\nbodies:\n" +
      bodies +
      "  ground: {shapes: [{kind: plane, name: floor, material: wood}, {kind: plane, name: west, axis: x, at: "
      "[-0.2, 0, 0], "
      "material: wood}, {kind: plane, name: east, axis: -x, at: [0.6, 0, 0], material: wood}]}\n"
      "contacts:\n  clicks: {materials: [glass, glass], law: flores}\n  walls: {materials: [glass, wood], law: "
      "flores}\n"
      "solver: {duration: 0.3 s, tolerance: 1e-9}\noutputs: {every: 0.1}\n");
  EXPECT_GT(run.recording.impact_count, 30);
  EXPECT_LT(gap_share(run), 1e-7);
  // c^2 is the mean of the squares with the compliances as weights; the coefficient the geometric mean
  const double s_g = (1 - 0.0625) / 60e9, s_w = (1 - 0.09) / 10e9;
  for (const model::ContactKind& kind : run.model.contact_kinds) {
    const bool wall = run.model.contacts[static_cast<std::size_t>(kind.contact)].name == "walls";
    EXPECT_NEAR(*kind.law.spec.restitution, wall ? std::sqrt((s_g * 0.81 + s_w * 0.25) / (s_g + s_w)) : 0.9, 1e-12);
    EXPECT_NEAR(kind.law.friction.coefficient, wall ? 0.2 : 0.1, 1e-12);
  }
}

// ---- shapes where they are awkward

TEST(AwkwardShapes, KeepTheirEnergyBalance) {
  const auto contact = [](const std::string& between, const std::string& more) {
    return "contacts:\n  c: {between: [" + between + "], law: flores, restitution: 0.5, stiffness: 1e7" + more +
           "}\n";
  };
  const std::string bar =
      "  a: {mass: 1, shape: {kind: box, size: [0.6, 0.1, 0.1]}, at: [0, 0, 0.6], angle: 45 deg, axis: x, ";
  struct Case {
    const char* name;
    std::string text;
    double most;  // of the height of body a at the end
  };
  for (const Case& c : {
           Case{"parallel capsules",
                "gravity: [0, 0, 0]\nbodies:\n  a: {mass: 1, shape: {kind: capsule, radius: 0.05, length: 0.3}, "
                "at: [0, 0, 0]}\n"
                "  b: {mass: 1, shape: {kind: capsule, radius: 0.05, length: 0.3}, at: [0.01, 0, 0.12], velocity: "
                "[0, 0, -1]}\n" +
                    contact("a, b", ""),
                0},
           Case{"upright can on a slope",
                "bodies:\n  a: {mass: 1, shape: {kind: cylinder, radius: 0.05, length: 0.2, axis: [0.5, 0, "
                "0.866025403784]}, at: "
                "[0.06, 0, 0.10392304845]}\n  ground: {shape: {kind: plane, axis: [0.5, 0, 0.866025403784]}}\n" +
                    contact("a, ground", ", friction: {law: lugre, coefficient: 0.8}"),
                0.2},
           Case{"crossed bars",
                "bodies:\n" + bar +
                    "angular_velocity: [0, 0, 5]}\n  ground: {shape: {kind: box, size: [0.1, 0.6, 0.1]}}\n" +
                    contact("a, ground", ""),
                0.4},
           Case{"bars askew",
                "bodies:\n" + bar +
                    "angular_velocity: [0, 0, 3]}\n  ground: {shape: {kind: box, size: [0.1, 0.6, 0.1], angle: 20 "
                    "deg, "
                    "axis: y}}\n" +
                    contact("a, ground", ""),
                0.6},
       }) {
    const SceneRun run = run_text(c.text + "solver: {duration: 0.5 s, tolerance: 1e-9}\noutputs: {every: 0.1}\n");
    EXPECT_GE(run.recording.impact_count, 1) << c.name;
    EXPECT_LT(gap_share(run), 1e-7) << c.name;
    EXPECT_LT(run.samples.last("bodies/a", "z"), c.most) << c.name;
    EXPECT_LT(run.recording.counts.evaluations, 100'000) << c.name;
  }
}

TEST(AwkwardShapes, OverlapsAtTheStartReturnWhatTheLawReturns) {
  const SceneRun run = run_text(
      "gravity: [0, 0, 0]\nbodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.099]}\n"
      "  ground: {shape: {kind: plane}}\ncontacts:\n  floor: {between: [ball, ground], law: walton-braun, "
      "restitution: 0.5, "
      "stiffness: 1e6, allow_initial_overlap: true}\nsolver: {duration: 0.2 s, tolerance: 1e-10}\n");
  const recording::Ledger& l = run.recording.ledger;
  EXPECT_NEAR(l.end.kinetic_J, l.start.contacts_J, 1e-9 * l.start.contacts_J) << "what was stored, and no more";
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(AwkwardFriction, NoneForBristlesWithoutACoefficientAndOneAnswerForContactSprings) {
  const SceneRun free = run_text(
      "bodies:\n  box: {mass: 1, shape: {kind: box, size: [0.1, 0.1, 0.1]}, at: [0, 0, 0.05], velocity: [1, 0, "
      "0]}\n"
      "  ground: {shape: {kind: plane}}\ncontacts:\n  floor: {between: [box, ground], law: flores, restitution: "
      "0.5, stiffness: "
      "1e7, friction: {law: lugre, coefficient: 0}}\nsolver: {duration: 0.2 s}\noutputs: {every: 0.1}\n");
  EXPECT_NEAR(free.samples.last("bodies/box", "vx"), 1, 1e-12);
  std::vector<double> vy;
  for (const char* tolerance : {"1e-8", "1e-10", "1e-12"}) {
    const SceneRun run = run_text(std::string("gravity: [0, 0, 0]\nbodies:\n  ball: {mass: 1, shape: {kind: "
                                              "sphere, radius: 0.1}, at: [0, 0, 0.11], velocity: "
                                              "[-0.12, 0.02, -1], angular_velocity: [11.1, 0.8, -4.3]}\n  ground: "
                                              "{shape: {kind: plane}}\ncontacts:\n  floor: "
                                              "{between: [ball, ground], law: hertz, stiffness: 1e8, friction: "
                                              "{law: mindlin, coefficient: 0.3, parameters: "
                                              "{ratio: 0.8}}}\nsolver: {duration: 0.05 s, tolerance: ") +
                                  tolerance + "}\noutputs: {every: 0.01}\n");
    vy.push_back(run.samples.last("bodies/ball", "vy"));
  }
  EXPECT_NEAR(vy[0], vy[2], 1e-7);
  EXPECT_NEAR(vy[1], vy[2], 1e-9);
}

}  // namespace
}  // namespace percuss
