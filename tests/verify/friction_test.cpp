// Friction: the rows by themselves, then bodies that stick, slide, roll, rock and spin.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "percuss/contact/friction.h"
#include "scene_runs.h"

namespace percuss {
namespace {

constexpr double kG = 9.81;

// ---- the table

contact::FrictionLaw law_of(const contact::FrictionRow& row) {
  contact::FrictionLaw law{&row, 0.3, row.uses_static ? 0.5 : 0.3, 0, 0, 0, {}};
  for (std::size_t k = 0; k < row.parameters.size(); ++k)
    law.parameter[k] = row.parameters[k].otherwise.value_or(0.8);
  return law;
}

class EveryFriction : public ::testing::TestWithParam<contact::FrictionRow> {};

TEST_P(EveryFriction, OpposesSlidingAndScalesWithTheLoad) {
  const contact::FrictionLaw law = law_of(GetParam());
  for (const double speed : {1e-7, 1e-4, 1e-3, 0.02, 1.0, 30.0}) {
    contact::Sliding now{100, speed * Vec3{0.6, -0.8, 0}, {}, 1e6, true};
    if (law.remembers()) {  // the deflection of steady sliding
      const double level =
          speed < 1e-12 ? 0.5 : 0.3 + (law.static_coefficient - 0.3) * std::exp(-std::pow(speed / 0.01, 2));
      const double deflection = GetParam().key == "mindlin" ? 0.3 * 100 / (0.8 * 1e6) : level / law.parameter[0];
      now.memory_m = deflection * Vec3{0.6, -0.8, 0};
    }
    const Vec3 force = contact::friction_force_N(law, now);
    EXPECT_LE(dot(force, now.slip_mps), 0) << speed;
    EXPECT_NEAR(cross(force, now.slip_mps).z, 0, 1e-12 * norm(force) * speed) << "along the slip";
    EXPECT_LE(norm(force), 0.5 * 100 * (1 + 1e-3)) << "never above the coefficient of rest";
    if (speed > 0.5) {
      EXPECT_NEAR(norm(force), 0.3 * 100, GetParam().key == "threlfall" ? 1.5 : 0.05) << "sliding";
    }
    contact::Sliding twice = now;
    twice.normal_N *= 2;
    const Vec3 more = contact::friction_force_N(law, twice);
    EXPECT_NEAR(norm(more), 2 * norm(force), 1e-9 * norm(force));
  }
  EXPECT_EQ(norm(contact::friction_force_N(law, {0, {1, 0, 0}, {1e-6, 0, 0}, 1e6, false})), 0)
      << "no load, no friction";
}
/// The step control resolves velocities to a part of it.
TEST_P(EveryFriction, WithoutMemoryRisesOverItsFirstParameter) {
  const contact::FrictionLaw law = law_of(GetParam());
  if (law.remembers()) return;
  EXPECT_TRUE(GetParam().parameters.front().dimension == dimension::velocity);
  const double v = contact::rise_speed_mps(law), full_N = GetParam().force_N(law, 100, 1e3 * v);
  EXPECT_LT(GetParam().force_N(law, 100, 0.02 * v), 0.25 * full_N);
}
TEST_P(EveryFriction, SaysWhereItComesFrom) {
  const contact::FrictionRow& row = GetParam();
  EXPECT_FALSE(row.title.empty());
  EXPECT_FALSE(row.source.empty());
  EXPECT_FALSE(row.formula.empty());
  EXPECT_EQ(row.force_N == nullptr, row.memory != contact::FrictionMemory::none);
}
INSTANTIATE_TEST_SUITE_P(Table, EveryFriction,
                         ::testing::ValuesIn(contact::friction_rows().begin(), contact::friction_rows().end()),
                         [](const auto& p) {
                           std::string name(p.param.key);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(FrictionRows, HaveTheValuesOfTheirFormulas) {
  const auto at = [](const char* key, double v) {
    return contact::find_friction(key)->force_N(law_of(*contact::find_friction(key)), 1, v);
  };
  EXPECT_NEAR(at("coulomb-clamp", 5e-4), 0.15, 1e-15);
  EXPECT_NEAR(at("coulomb-tanh", 1e-3), 0.3 * std::tanh(1), 1e-15);
  EXPECT_NEAR(at("coulomb-atan", 1e-3), 0.15, 1e-15);
  EXPECT_NEAR(at("coulomb-root", 1e-3), 0.3 / std::sqrt(2), 1e-15);
  EXPECT_NEAR(at("threlfall", 1e-3), 0.3 * (1 - std::exp(-3)), 1e-15);
  EXPECT_NEAR(at("bengisu-akay", 1e-3), 0.5, 1e-15);
  EXPECT_NEAR(at("bengisu-akay", 5e-4), 0.375, 1e-15);
  EXPECT_EQ(at("ambrosio", 1e-4), 0);
  EXPECT_NEAR(at("ambrosio", 5.5e-4), 0.15, 1e-15);
  EXPECT_NEAR(at("stribeck", 0.01), 0.3 + 0.2 * std::exp(-1), 1e-7);
  EXPECT_NEAR(at("andersson", 0.02), 0.3 + 0.2 * std::exp(-2), 1e-12);
  double peak = 0, where = 0;  // Brown and McPhee with mu = 0.3, mu_s = 0.5: peak .4998 at 1.005 v_t
  for (double x = 0.9; x < 1.1; x += 1e-5)
    if (at("brown-mcphee", x * 1e-3) > peak) peak = at("brown-mcphee", x * 1e-3), where = x;
  EXPECT_NEAR(peak, 0.4998, 1e-4);
  EXPECT_NEAR(where, 1.005, 2e-3);
}

/// Bristles relax as the law says but at speeds at which slip is an error of integration.
TEST(Bristles, RelaxAboveTheSpeedAtWhichTheyStandStill) {
  contact::FrictionLaw law = law_of(*contact::find_friction("dahl"));
  const double s0 = law.parameter[0], limit_m = 0.3 / s0;
  contact::Sliding now{100, {}, {0.99 * limit_m, 0, 0}, 0, false, 1e-6};
  const auto rate = [&](double slip_mps) {
    now.slip_mps = {slip_mps, 0, 0};
    return contact::memory_rate_mps(law, now, {}).x / slip_mps;
  };
  for (const double slip : {1e-5, 1e-2, -1e-5, -1e-2}) EXPECT_NEAR(rate(slip), slip > 0 ? 0.01 : 1.99, 1e-12);
  for (const double slip : {1e-9, -1e-9}) EXPECT_NEAR(rate(slip), 1, 2e-6);
  now.still_mps = 0;
  for (const double slip : {1e-9, -1e-9}) EXPECT_NEAR(rate(slip), slip > 0 ? 0.01 : 1.99, 1e-12);
}

/// The corners of a box reach their limits in pairs at one time, to the last bit. The box does not turn.
TEST(ContactSpring, PairsThatReachTheirLimitAtOneTimeSlipTogether) {
  for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    const SceneRun run = run_text(
        "gravity: [4.351, 0, -8.792]\nbodies:\n  ground: {shape: {kind: plane}}\n"
        "  block: {mass: 1, shape: {kind: box, size: [0.2, 0.2, 0.1]}, at: [0, 0, 0.05]}\n"
        "contacts:\n  floor: {between: [block, ground], law: tsuji, restitution: 0.5, stiffness: 1e9, friction: "
        "{coefficient: 0.5, law: mindlin, parameters: {ratio: 0.8}}}\nsolver: {duration: 0.05, tolerance: " +
        text_of(tolerance) + "}\noutputs: {every: 0.05}\n");
    EXPECT_NEAR(run.samples.last("bodies/block", "qz"), 0, 1e-12) << tolerance;
    EXPECT_NEAR(run.samples.last("bodies/block", "y"), 0, 1e-12) << tolerance;
  }
}

// ---- on a slope

std::string slope(double degrees, const std::string& friction) {
  const double a = degrees * std::numbers::pi / 180;
  return "gravity: [" + text_of(kG * std::sin(a)) + ", 0, " + text_of(-kG * std::cos(a)) +
         "]\nbodies:\n  block: {mass: 2, shape: {kind: box, size: [0.2, 0.2, 0.1]}, at: [0, 0, 0.05]}\n"
         "  ground: {shape: {kind: plane}}\n"
         "contacts:\n  floor: {between: [block, ground], law: flores, restitution: 0.3, stiffness: 1e8, "
         "rest_speed: 20 mm/s, friction: " +
         friction + "}\nsolver: {duration: 1 s, tolerance: 1e-10}\noutputs: {every: 0.1}\n";
}

TEST(Slope, LawsThatHoldDoNotCreep) {
  for (const char* law : {"lugre", "mindlin"}) {
    const std::string parameters = std::string(law) == "mindlin" ? ", parameters: {ratio: 0.8}" : "";
    const SceneRun run = run_text(slope(30, std::string("{law: ") + law + ", coefficient: 0.7" + parameters + "}"));
    const double moved = run.samples.at("bodies/block", "x", 1.0) - run.samples.at("bodies/block", "x", 0.8);
    EXPECT_LT(std::abs(moved), std::string(law) == "mindlin" ? 1e-6 : 1e-13) << law;
    EXPECT_LT(gap_share(run), 1e-9) << law;
  }
  const SceneRun creeping = run_text(slope(30, "{law: coulomb-tanh, coefficient: 0.7}"));
  // v_t atanh(tan 30/0.7), as the formula says
  EXPECT_NEAR(creeping.samples.last("bodies/block", "vx"), 1e-3 * std::atanh(std::tan(std::numbers::pi / 6) / 0.7),
              1e-9);
}

TEST(Slope, AboveTheAngleOfFrictionItSlides) {
  const double a = 30 * std::numbers::pi / 180, wanted = kG * (std::sin(a) - 0.3 * std::cos(a));
  for (const char* law : {"coulomb-tanh", "coulomb-clamp", "lugre", "dahl", "mindlin", "brown-mcphee"}) {
    const std::string parameters = std::string(law) == "mindlin" ? ", parameters: {ratio: 0.8}" : "";
    const SceneRun run = run_text(slope(30, std::string("{law: ") + law + ", coefficient: 0.3" + parameters + "}"));
    const double gained = run.samples.at("bodies/block", "vx", 1.0) - run.samples.at("bodies/block", "vx", 0.6);
    EXPECT_NEAR(gained / 0.4, wanted, 2e-6 * wanted) << law;
    const recording::Ledger& l = run.recording.ledger;
    EXPECT_LT(gap_share(run), 1e-9) << law;
    EXPECT_GT(l.end.friction_J, 1) << law;
  }
}

// ---- rolling and spinning

TEST(SlidingSphere, RollsFromTheTimeOfTheTextbook) {
  // v = v0 - mu g t until t = 2 v0/(7 mu g), then 5 v0/7; the sphere stands on its static depth from the start
  const double mu = 0.2, v0 = 1, depth = std::pow(kG / 1e10, 2.0 / 3);
  const SceneRun run =
      run_text("bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, " + text_of(0.1 - depth) +
               "], velocity: [1, 0, 0]}\n  ground: {shape: {kind: plane}}\n"
               "contacts:\n  floor: {between: [ball, ground], law: flores, restitution: 0.5, stiffness: 1e10, "
               "allow_initial_overlap: true, friction: {coefficient: 0.2, parameters: {slip_speed: 1e-6}}}\n"
               "solver: {duration: 0.3 s, tolerance: 1e-10}\noutputs: {every: 0.05}\n");
  const double rolls_s = 2 * v0 / (7 * mu * kG);
  EXPECT_NEAR(run.samples.at("bodies/ball", "vx", 0.1), v0 - mu * kG * 0.1, 1e-8);
  ASSERT_LT(rolls_s, 0.15);
  EXPECT_NEAR(run.samples.at("bodies/ball", "vx", 0.15), 5 * v0 / 7, 1e-5);
  EXPECT_NEAR(run.samples.at("bodies/ball", "vx", 0.3), 5 * v0 / 7, 1e-5);
  const recording::Ledger& l = run.recording.ledger;
  EXPECT_NEAR(l.end.friction_J, 0.5 * v0 * v0 * 2 / 7, 2e-5) << "two sevenths of the energy";
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(RollingResistance, StopsTheBallAndTheSpin) {
  const SceneRun run = run_text(
      "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1], velocity: [1, 0, 0], "
      "angular_velocity: [0, 10, 8]}\n  ground: {shape: {kind: plane}}\n"
      "contacts:\n  floor: {between: [ball, ground], law: flores, restitution: 0.3, stiffness: 1e9, "
      "friction: {coefficient: 0.5, rolling: 0.02, spinning: 0.03}}\n"
      "solver: {duration: 1 s, tolerance: 1e-9}\noutputs: {every: 0.1}\n");
  // a = mu_r g/(1 + 2/5), alpha = mu_s g R m/I
  const double v_5 = run.samples.at("bodies/ball", "vx", 0.5), v_8 = run.samples.at("bodies/ball", "vx", 0.8);
  EXPECT_NEAR((v_5 - v_8) / 0.3, 0.02 * kG / 1.4, 1e-4 * 0.02 * kG);
  const double w_3 = run.samples.at("bodies/ball", "wz", 0.2), w_6 = run.samples.at("bodies/ball", "wz", 0.6);
  EXPECT_NEAR((w_3 - w_6) / 0.4, 0.03 * kG * 0.1 / (0.4 * 0.01), 1e-4 * 73);
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(SpinningTop, LosesWhatFrictionTook) {
  const SceneRun run = run_text(
      "bodies:\n  top: {mass: 0.5, inertia: [4e-4, 4e-4, 6e-4], shape: {kind: sphere, radius: 5 mm, at: [0, 0, -40 "
      "mm], "
      "density: 0}, at: [0, 0, 44.9 mm], angle: 8 deg, axis: x, angular_velocity: [0, -20, 150]}\n"
      "  ground: {shape: {kind: plane}}\n"
      "contacts:\n  tip: {between: [top, ground], law: flores, restitution: 0.5, stiffness: 1e8, "
      "allow_initial_overlap: "
      "true, friction: {coefficient: 0.2}}\n"
      "solver: {duration: 1 s, tolerance: 1e-11}\noutputs: {every: 0.05}\n");
  const recording::Ledger& l = run.recording.ledger;
  const double lost = l.start.stored_J() - l.end.stored_J();
  EXPECT_GT(l.end.friction_J, 1e-3);
  EXPECT_NEAR(lost, l.end.friction_J + l.end.lost_in_contacts_J, 1e-9 * l.exchanged_J);
  EXPECT_GT(run.samples.last("bodies/top", "z"), 0.03) << "it stands";
}

// ---- blocks

struct Rock {
  double before, after;
};
/// Angular velocities about the corners at the upright position, from energies beside it.
Rock rock(double stiffness) {
  const double b = 0.1, h = 0.3, tilt = 0.1, mass = 10;
  const double x = -b * std::cos(tilt) + h * std::sin(tilt), y = b * std::sin(tilt) + h * std::cos(tilt);
  const SceneRun run = run_text(
      "planar: true\nbodies:\n  block: {mass: 10, shape: {kind: box, size: [0.2, 0.6]}, at: [" + text_of(x) + ", " +
      text_of(y) + "], angle: " + text_of(-tilt) +
      "}\n  ground: {shape: {kind: plane}}\n"
      "contacts:\n  floor: {between: [block, ground], law: flores, calibration: exact, restitution: 0.02, "
      "exponent: 1.5, "
      "stiffness: " +
      text_of(stiffness) +
      ", friction: {law: lugre, coefficient: 0.9, parameters: {bristle_stiffness: "
      "1e6, bristle_damping: 300}}}\nsolver: {duration: 0.6 s, tolerance: 1e-9}\noutputs: {every: 1 ms}\n");
  EXPECT_LT(gap_share(run), 1e-9);
  const double R = std::hypot(b, h), inertia = mass * (4 * b * b + 4 * h * h) / 12 + mass * R * R;
  const auto upright = [&](double angle, double w) {
    const double alpha = std::atan(b / h);
    const double fall = mass * kG * R * (std::cos(alpha - std::abs(angle)) - std::cos(alpha));
    return std::sqrt(w * w + 2 * fall / inertia);
  };
  Rock out{0, 0};
  const std::size_t angle = run.samples.column("bodies/block", "angle"),
                    w = run.samples.column("bodies/block", "w");
  for (const auto& row : run.samples.rows("bodies/block")) {
    if (row[angle] < -0.002 && out.after == 0) out.before = upright(row[angle], row[w]);
    if (row[angle] > 0.004 && out.after == 0) out.after = upright(row[angle], row[w]);
  }
  return out;
}

TEST(RockingBlock, TendsToHousnersRatioAsTheContactHardens) {
  const double wanted = 1 - 1.5 * std::pow(std::sin(std::atan(1.0 / 3)), 2);
  double last = 1;  // the slow touches of the other corner are overdamped: it need not fall from one to the next
  for (const double stiffness : {1e8, 1e9, 1e10, 1e11}) {
    const Rock r = rock(stiffness);
    const double off = std::abs(r.after / r.before / wanted - 1);
    EXPECT_LT(off, 0.01) << stiffness;
    last = off;
  }
  EXPECT_LT(last, 3e-4);
}

TEST(DroppedBox, SettlesWithItsWeightOnItsCorners) {
  const SceneRun run = run_text(
      "bodies:\n  box: {mass: 2, shape: {kind: box, size: [0.2, 0.3, 0.1]}, at: [0, 0, 0.3], angle: 20 deg, axis: "
      "[1, 0.4, "
      "0.2]}\n  ground: {shape: {kind: plane}}\n"
      "contacts:\n  floor: {between: [box, ground], law: flores, restitution: 0.3, stiffness: 1e8, friction: {law: "
      "lugre, "
      "coefficient: 0.5}}\nsolver: {duration: 3 s, tolerance: 1e-9}\noutputs: {every: 0.1}\n");
  EXPECT_NEAR(run.samples.last("contacts/floor", "force") / (2 * kG), 1, 1e-9);
  EXPECT_EQ(run.samples.last("contacts/floor", "points"), 4);
  EXPECT_LT(run.recording.ledger.end.kinetic_J, 1e-20);
  EXPECT_LT(gap_share(run), 1e-9);
  EXPECT_LT(run.recording.counts.evaluations, 60000) << "without crawling";
}

TEST(StackedBoxes, StandFlushAndCrossed) {
  const auto stack = [](double turn_deg) {
    return "bodies:\n  low: {mass: 2, shape: {kind: box, size: [0.3, 0.1, 0.1]}, at: [0, 0, 0.05]}\n"
           "  high: {mass: 1, shape: {kind: box, size: [0.3, 0.1, 0.1]}, at: [0, 0, 0.1500001], angle: " +
           text_of(turn_deg) +
           " deg}\n  ground: {shape: {kind: plane}}\n"
           "contacts:\n  floor: {between: [low, ground], law: flores, restitution: 0.3, stiffness: 1e8, "
           "rest_speed: 20 mm/s, friction: {law: "
           "lugre, coefficient: 0.5}}\n  between_them: {between: [low, high], law: flores, restitution: 0.3, "
           "rest_speed: 20 mm/s, stiffness: "
           "1e8, friction: {law: lugre, coefficient: 0.5}}\nsolver: {duration: 0.5 s, tolerance: 1e-9}\noutputs: "
           "{every: "
           "0.1}\n";
  };
  for (const double turn : {0.0, 90.0, 30.0}) {
    const SceneRun run = run_text(stack(turn));
    EXPECT_NEAR(run.samples.last("contacts/between_them", "force") / kG, 1, 1e-6) << turn;
    EXPECT_NEAR(run.samples.last("contacts/floor", "force") / (3 * kG), 1, 1e-6) << turn;
    EXPECT_GE(run.samples.last("contacts/between_them", "points"), 4) << turn;
    EXPECT_LT(gap_share(run), 1e-7) << turn;
  }
}

// ---- oblique impact

struct Oblique {
  double out;                      // velocity of the contact point along x afterwards, over the normal one
  double impulse_ratio;            // tangential over normal
  double momentum, spin;           // what is not kept, relative
  double least_force, most_force;  // along x, on the ball at rest
};
constexpr double kR = 0.02;
/// A ball meets an equal one at rest; slowly, so that the line of centres hardly turns while they touch.
Oblique oblique(double tangent, const std::string& friction, double v, double tolerance) {
  const double gap = 1e-4 * v, density = 7800;
  const SceneRun run = run_text(
      "gravity: [0, 0, 0]\nmaterials:\n  steel: {young: 207 GPa, poisson: 0.3, density: 7800}\nbodies:\n"
      "  a: {shape: {kind: sphere, radius: 0.02, material: steel}, at: [0, 0, 0], velocity: [0, 0, 0]}\n"
      "  b: {shape: {kind: sphere, radius: 0.02, material: steel}, at: [0, 0, " +
      text_of(2 * kR + gap) + "], velocity: [" + text_of(tangent * v) + ", 0, " + text_of(-v) +
      "]}\n"
      "contacts:\n  c: {between: [a, b], law: hertz, friction: " +
      friction +
      "}\n"
      "solver: {duration: 1 ms, tolerance: " +
      text_of(tolerance) + "}\noutputs: {every: 2 us}\n");
  EXPECT_EQ(run.recording.impact_count, 1);
  const double mass = 4.0 / 3 * std::numbers::pi * kR * kR * kR * density, inertia = 0.4 * mass * kR * kR;
  const auto vec = [&](const char* body, const char* x, const char* y, const char* z) {
    const std::string table = std::string("bodies/") + body;
    return Vec3{run.samples.last(table, x), run.samples.last(table, y), run.samples.last(table, z)};
  };
  const Vec3 va = vec("a", "vx", "vy", "vz"), vb = vec("b", "vx", "vy", "vz"), wa = vec("a", "wx", "wy", "wz"),
             wb = vec("b", "wx", "wy", "wz"), pa = vec("a", "x", "y", "z"), pb = vec("b", "x", "y", "z");
  Oblique o{};
  const Vec3 before = mass * v * Vec3{tangent, 0, -1};
  o.momentum = norm(mass * (va + vb) - before) / norm(before);
  const Vec3 spin_before = cross(Vec3{0, 0, 2 * kR + gap}, before);
  o.spin = norm(mass * (cross(pa, va) + cross(pb, vb)) + inertia * (wa + wb) - spin_before) / (mass * kR * v);
  o.out = ((vb - cross(wb, kR * kAxisZ)) - (va + cross(wa, kR * kAxisZ))).x / v;
  o.impulse_ratio = va.x / std::abs(va.z);
  double last = 0;
  for (const auto& row : run.samples.rows("bodies/a")) {
    const double force = mass * (row[run.samples.column("bodies/a", "vx")] - last) / 2e-6;
    last = row[run.samples.column("bodies/a", "vx")];
    o.least_force = std::min(o.least_force, force);
    o.most_force = std::max(o.most_force, force);
  }
  return o;
}

TEST(ObliqueImpact, KeepsMomentumAndAngularMomentum) {
  for (const char* friction :
       {"{coefficient: 0.2}", "{law: lugre, coefficient: 0.2}", "{law: mindlin, coefficient: 0.2}"})
    for (const double tangent : {0.05, 0.4, 2.0}) {
      const Oblique o = oblique(tangent, friction, 1.0, 1e-11);
      EXPECT_LT(o.momentum, 1e-12) << friction << tangent;
      EXPECT_LT(o.spin, 1e-12) << friction << tangent;
    }
}

/// The same collision in the plane of the contact: x'' = -x^1.5, the tangential velocity v' = -(7/2) T, T the force
/// of the contact spring in small steps (its increments k v dt, scaled down as the area shrinks, cut at mu F). Unit
/// mass, stiffness and normal speed.
double stepwise(double psi, double mu, double ratio) {
  const int n = 400'000;
  const double h = 3.3 / n;
  double x = 0, rate = 1, v = psi * mu / ratio, force = 0;
  for (int i = 0; i < n; ++i) {
    const double k = ratio * 1.5 * std::sqrt(x);
    rate -= h * x * std::sqrt(x);
    const double next = x + h * rate;
    if (next <= 0) break;
    const double k_next = ratio * 1.5 * std::sqrt(next), most = mu * next * std::sqrt(next);
    force += k_next * h * v;
    if (k_next < k) force *= k_next / k;
    force = std::clamp(force, -most, most);
    v -= 3.5 * h * force;
    x = next;
  }
  return v * ratio / mu;
}

/// Maw, Barber and Fawcett 1976: with psi = 2 (1 - nu) v_t/(mu (2 - nu) v_n) and chi = (1 - nu)(1 + 5/2)/(2 - nu),
/// the contact of solid spheres sticks from the start below psi = 1 (and the force turns round while it does),
/// slips first and sticks then above, and slips throughout above about 4 chi - 1, where the contact point leaves
/// with psi - 4 chi.
TEST(ObliqueImpact, HasTheThreeRegimesOfMawBarberAndFawcett) {
  const double nu = 0.3, mu = 0.2, ratio = 2 * (1 - nu) / (2 - nu), chi = (1 - nu) * 3.5 / (2 - nu);
  for (const double psi : {0.2, 0.5, 0.9, 1.2, 2.0, 3.0, 3.5, 4.5, 5.3, 6.8, 12.0}) {
    const Oblique o = oblique(psi * mu / ratio, "{law: mindlin, coefficient: 0.2}", 1e-3, 1e-10);
    const double out = o.out * ratio / mu;
    EXPECT_NEAR(out, stepwise(psi, mu, ratio), 2e-3) << psi;
    if (psi < 1) {
      EXPECT_LT(o.least_force, -0.1 * o.most_force) << "reversal at psi = " << psi;
    } else if (psi < 4 * chi - 1) {
      if (psi > 1.5) {
        EXPECT_LT(out, 0) << "the contact point comes back at psi = " << psi;
      }
      EXPECT_GT(out, psi - 4 * chi) << "it sticks for a while at psi = " << psi;
    }
    if (psi > 4 * chi - 0.7) {
      EXPECT_NEAR(o.impulse_ratio, mu, 2e-5 * psi) << "gross slip at psi = " << psi;
      EXPECT_NEAR(out, psi - 4 * chi, 2e-4 * psi) << psi;
    }
  }
}

/// A ball stuck on a plane by bristles, pulled by F, under a load that grows from N0 to N1. The bristles hold
/// U = F z/2 with z = F/(N s0). As N grows at constant F the ball goes back by z0 - z1: friction does the work
/// F (z0 - z1) against F, the bristles give up half of it, and the law creates the other half. So friction's loss
/// falls by F (z0 - z1)/2 = F^2/(2 s0) (1/N0 - 1/N1): that is where it goes, and the energy balance closes.
TEST(Bristles, GainEnergyWhereTheLoadGrows) {
  const double s0 = 1e4, pull = 0.01, n0 = 9.81, n1 = 3 * 9.81;
  const SceneRun run = run_text(
      "bodies:\n  ground: {shape: {kind: plane}}\n"
      "  b: {mass: 1, particle: true, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1]}\n"
      "contacts:\n  c: {between: [b, ground], law: hunt-crossley, stiffness: 1e7, restitution: 0.1,\n"
      "      friction: {law: lugre, coefficient: 0.5, parameters: {bristle_stiffness: 1e4, bristle_damping: "
      "100}}}\n"
      "forces:\n  pull: {body: b, force: ['0.005*(1 + tanh(3*(t - 2)))', 0, 0]}\n"
      "  load: {body: b, force: [0, 0, '-9.81*(1 + tanh(3*(t - 7)))']}\n"
      "solver: {duration: 10 s, tolerance: 1e-10, integrator: radau5}\noutputs: {every: 0.5 s}\n");
  const double before = run.samples.at("ledger", "friction", 4.5), after = run.samples.last("ledger", "friction");
  const double falls = pull * pull / (2 * s0) * (1 / n0 - 1 / n1);
  EXPECT_NEAR((before - after) / falls, 1, 0.03);
  EXPECT_NEAR(run.samples.last("ledger", "bristles") / (pull * pull / (2 * s0 * n1)), 1, 0.03);
  EXPECT_LT(gap_share(run), 1e-8);
}

}  // namespace
}  // namespace percuss
