// Limits of joints, springs with a force of their own, ropes, restitution that depends on the speed: against closed
// forms and against integrations of their own.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "scene_runs.h"

namespace percuss {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// No element creates energy or loses count of it: 1e-9 of what is exchanged, at a tolerance of 1e-10, and for each
/// impact as much again.
void expect_closed_energy(const SceneRun& run) {
  EXPECT_LT(gap_share(run), 1e-9 * static_cast<double>(1 + run.recording.impacts.size()));
}

// ---- limits

/// A slider between two stops, without other forces: it leaves each with the share e of its speed, after the time
/// of the way between them and of the impacts.
TEST(Limits, ASliderGoesBetweenItsStopsWithThePrescribedRestitution) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> u(0, 1);
  for (int k = 0; k < 12; ++k) {
    const double e = 0.3 + 0.69 * u(random), v = 0.2 + 3 * u(random), m = 0.1 + 5 * u(random);
    const double lower = -0.1 - u(random), upper = 0.1 + u(random);
    const bool planar = k % 2 == 0;
    const double angle = 6 * u(random);
    const Vec3 along = planar ? Vec3{std::cos(angle), std::sin(angle), 0}
                              : unit(Vec3{std::cos(angle), std::sin(angle), 2 * u(random) - 1});
    const auto list = [&](const Vec3& x) {
      return "[" + text_of(x.x) + ", " + text_of(x.y) + (planar ? "]" : ", " + text_of(x.z) + "]");
    };
    const char* type = k % 3 == 0 && !planar ? "cylindrical" : "prismatic";
    const SceneRun run =
        run_text(std::string(planar ? "planar: true\ngravity: [0, 0]\n" : "gravity: [0, 0, 0]\n") +
                 "bodies: {s: {mass: " + text_of(m) + ", inertia: 0.1, at: " + (planar ? "[0, 0]" : "[0, 0, 0]") +
                 ", angle: 0, velocity: " + list(v * along) + "}}\njoints: {guide: {type: " + type +
                 ", between: [ground, s], at: " + (planar ? "[0, 0]" : "[0, 0, 0]") + ", axis: " + list(along) +
                 ", limits: {coordinate: " + (std::string(type) == "cylindrical" ? "position" : "\"\"") +
                 ", lower: " + text_of(lower) + ", upper: " + text_of(upper) +
                 ", law: hunt-crossley, calibration: exact, restitution: " + text_of(e) +
                 ", stiffness: 1e9}}}\nsolver: {duration: 2, tolerance: 1e-10}\n");
    ASSERT_GE(run.recording.impacts.size(), 1U);
    double speed = v, t = upper / v;
    for (const recording::Impact& impact : run.recording.impacts) {
      EXPECT_NEAR(impact.approach_speed_mps, speed, 1e-8 * v);
      EXPECT_NEAR(impact.touch_s, t, 1e-8);
      if (!std::isfinite(impact.separation_speed_mps) || impact.separation_s > 1.99) break;
      EXPECT_NEAR(impact.separation_speed_mps, e * speed, 1e-7 * v) << "e = " << e;
      speed *= e;
      t = impact.separation_s + (upper - lower) / speed;
    }
    expect_closed_energy(run);
  }
}

/// A rod that swings against a stop: Newton's law in its angle, energy m g h before and the part e^2 of it after.
TEST(Limits, OfAnAngleActInRadiansAlikeInPlaneAndSpace) {
  const std::string limits =
      "limits: {lower: -60 deg, law: flores, calibration: exact, restitution: 0.6, stiffness: 1e8}";
  const SceneRun plane = run_text(
      "planar: true\nbodies: {arm: {mass: 2, shape: {kind: rod, length: 0.5}, at: [0.25, 0], angle: 0}}\n"
      "joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0], " +
      limits + "}}\nsolver: {duration: 0.5, tolerance: 1e-10}\n");
  const SceneRun space = run_text(
      "gravity: [0, -9.81, 0]\nbodies: {arm: {mass: 2, inertia: [0.1, 0.1, 0.0416666666666666667], at: [0.25, 0, "
      "0], angle: "
      "0}}\n"
      "joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: z, " +
      limits + "}}\nsolver: {duration: 0.5, tolerance: 1e-10}\n");
  // I w^2/2 = m g (L/2) sin 60 deg, I = m L^2/3
  const double w = std::sqrt(3 * 9.81 / 0.5 * std::sin(kPi / 3));
  for (const SceneRun* run : {&plane, &space}) {
    ASSERT_GE(run->recording.impacts.size(), 1U);
    const recording::Impact& first = run->recording.impacts[0];
    EXPECT_NEAR(first.approach_speed_mps, w, 1e-8);
    EXPECT_NEAR(first.energetic.value_or(0), 0.6, 1e-3);  // gravity acts during the impact
    EXPECT_NEAR(first.peak_indentation_m, 0, 0.02);
    expect_closed_energy(*run);
  }
  EXPECT_NEAR(plane.recording.impacts[0].separation_speed_mps, space.recording.impacts[0].separation_speed_mps,
              1e-7);
}

TEST(Limits, EachMistakeIsSaid) {
  struct Mistake {
    std::string joint, says;
  };
  for (const Mistake& m : std::vector<Mistake>{
           {"type: revolute, limits: {lower: 1, upper: 0, law: flores, restitution: 0.5, stiffness: 1}",
            "`lower` must be below `upper`"},
           {"type: revolute, limits: {law: flores, restitution: 0.5, stiffness: 1}",
            "give `lower`, `upper` or both"},
           {"type: revolute, limits: {lower: 1 m, law: flores, restitution: 0.5, stiffness: 1}",
            "lower: \"1 m\" is a length; expected a pure number"},
           {"type: weld, limits: {lower: 0, law: flores, restitution: 0.5, stiffness: 1}", "has no coordinate"},
           {"type: revolute, limits: {lower: 0, law: flores, restitution: 0.5}", "stiffness: missing"},
           {"type: revolute, limits: {lower: 10 deg, law: flores, restitution: 0.5, stiffness: 1}",
            "joint \"h\": limits: it begins 0.175 rad beyond a limit"},
           {"type: revolute, limits: {lower: -1, law: flores, restitution: 0.5, stiffness: 1, friction: "
            "{coefficient: 1}}",
            "a stop has no friction"}}) {
    const Result<scene::Scene> scene = io::read_scene_text(
        "planar: true\nbodies: {b: {mass: 1, inertia: 1, at: [0, 0], angle: 0}}\njoints: {h: {between: [ground, "
        "b], at: [0, 0], " +
            m.joint + "}}\nsolver: {duration: 1}\n",
        "s.yaml");
    ASSERT_TRUE(scene);
    const Result<model::Compiled> compiled = model::compile(*scene);
    ASSERT_FALSE(compiled) << m.joint;
    std::string all;
    for (const Diagnostic& d : compiled.errors()) all += one_line(d) + "\n";
    EXPECT_NE(all.find(m.says), std::string::npos) << m.joint << "\n" << all;
  }
}

// ---- springs

std::string on_a_line(const std::string& spring, double x, double v, double duration, double m = 2) {
  return "planar: true\ngravity: [0, 0]\nbodies: {p: {mass: " + text_of(m) + ", particle: true, at: [" +
         text_of(x) + ", 0], velocity: [" + text_of(v) + ", 0]}}\nsprings: {s: {between: [ground, p], " + spring +
         "}}\nsolver: {duration: " + text_of(duration) +
         ", tolerance: 1e-11}\noutputs: {every: " + text_of(duration / 50) + "}\n";
}

/// m x'' = -F(x, x') by steps of Runge and Kutta of fourth order, written here.
double place_by_own_integration(const std::function<double(double, double)>& pull_N, double x, double v, double m,
                                double duration_s, int steps) {
  const double h = duration_s / steps;
  const auto a = [&](double q, double u) { return -pull_N(q, u) / m; };
  for (int k = 0; k < steps; ++k) {
    const double k1 = v, l1 = a(x, v), k2 = v + h / 2 * l1, l2 = a(x + h / 2 * k1, v + h / 2 * l1);
    const double k3 = v + h / 2 * l2, l3 = a(x + h / 2 * k2, v + h / 2 * l2), k4 = v + h * l3,
                 l4 = a(x + h * k3, v + h * l3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return x;
}

TEST(SpringForces, RandomPolynomialsOfLengthAndRateMoveAsTheirOwnIntegrationSays) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(0, 1);
  for (int k = 0; k < 20; ++k) {
    const double a = 20 * u(random), b = 200 * u(random), c = 2 * u(random), d = 3 * u(random),
                 rest = 2 + u(random);
    const double x = rest + 0.5 * (u(random) - 0.5), v = u(random);
    const SceneRun run =
        run_text(on_a_line("rest: " + text_of(rest) + ", force: \"" + text_of(a) + "*stretch + " + text_of(b) +
                               "*stretch^3 + " + text_of(c) + "*rate + " + text_of(d) + "*length^2*rate\"",
                           x, v, 2));
    const auto pull = [&](double q, double w) {
      const double s = q - rest;
      return a * s + b * s * s * s + c * w + d * q * q * w;
    };
    // 20000 steps of h = 1e-4 with rates below 40/s: (h w)^4 w t/120 is below 1e-10
    EXPECT_NEAR(run.samples.last("bodies/p", "x"), place_by_own_integration(pull, x, v, 2, 2, 20000), 1e-8);
    expect_closed_energy(run);
    // stored energy is the integral of the force at rest, counted from the start
    const double s0 = x - rest, s1 = run.samples.last("bodies/p", "x") - rest;
    const auto U = [&](double s) { return a * s * s / 2 + b * s * s * s * s / 4; };
    EXPECT_NEAR(run.recording.ledger.end.springs_J, U(s1) - U(s0), 1e-8 * (1 + U(s0) + U(s1)));
  }
}

TEST(SpringForces, AStiffnessAndADampingAreASpecialCase) {
  const SceneRun linear = run_text(on_a_line("rest: 1, stiffness: 50, damping: 2", 1.3, 0.2, 3));
  const SceneRun written = run_text(on_a_line("rest: 1, force: 50*stretch + 2*rate", 1.3, 0.2, 3));
  for (std::size_t i = 0; i < linear.samples.rows("bodies/p").size(); ++i)
    EXPECT_NEAR(linear.samples.rows("bodies/p")[i][1], written.samples.rows("bodies/p")[i][1], 1e-9);
  EXPECT_NEAR(linear.recording.ledger.end.damped_J, written.recording.ledger.end.damped_J, 1e-9);
}

/// Against a one-sided spring a mass is for half a period, pi sqrt(m/k), and comes back with its speed.
TEST(SpringForces, OneSidedOnesLetGoAtTheirRestLength) {
  for (const char* acts : {"compression", "tension"}) {
    const bool pulls = acts[0] == 't';
    const double k = 300, m = 2, v = pulls ? 0.7 : -0.7;
    // from rest length: free before, half a period inside, free after
    const double inside_s = kPi * std::sqrt(m / k), free_s = 0.2 / std::abs(v), end_s = 2 * free_s + inside_s;
    const SceneRun run =
        run_text(on_a_line(std::string("rest: 1, stiffness: 300, acts: ") + acts, pulls ? 0.8 : 1.2, v, end_s, m));
    EXPECT_NEAR(run.samples.last("bodies/p", "x"), pulls ? 0.8 : 1.2, 1e-9);
    EXPECT_NEAR(run.samples.last("bodies/p", "vx"), -v, 1e-9);
    expect_closed_energy(run);
  }
}

/// A mass falls into a rope: m g (h + s) = k s^2/2 at its lowest point; a rope never pushes, whatever its damping.
TEST(Ropes, StretchAsEnergyAsksAndNeverPush) {
  const double m = 3, k = 2000, L = 0.7, g = 9.81;
  const double s = (m * g + std::sqrt(m * m * g * g + 2 * k * m * g * (L - 0.01))) / k;
  const auto text = [&](double damping) {
    return "bodies: {p: {mass: 3, particle: true, at: [0, 0, -0.01]}}\nsprings: {r: {type: rope, between: [ground, "
           "p], "
           "rest: "
           "0.7, stiffness: 2000, damping: " +
           text_of(damping) +
           "}}\nevents: {low: {when: p.vz rises through 0, then: [record, stop]}}\nsolver: {duration: 3, "
           "tolerance: "
           "1e-11}\noutputs: {every: 1 ms}\n";
  };
  const SceneRun free = run_text(text(0));
  EXPECT_NEAR(free.samples.last("bodies/p", "z"), -(L + s), 1e-8);
  expect_closed_energy(free);
  std::string damped = text(60);
  damped.erase(damped.find(", stop"), 6);
  const SceneRun run = run_text(damped);
  double largest_push = 0;
  for (const auto& row : run.samples.rows("springs/r")) largest_push = std::max(largest_push, row[2]);
  EXPECT_LE(largest_push, 0.0);
  expect_closed_energy(run);
}

TEST(SpringForces, EachMistakeIsSaid) {
  struct Mistake {
    std::string spring, says;
  };
  for (const Mistake& m : std::vector<Mistake>{
           {"force: 2*stretch, stiffness: 3", "`force` is instead of stiffness and damping; it has no stiffness"},
           {"force: 2*strech", "unknown name \"strech\""},
           {"force: p.ax", "\"p.ax\" is a force; a spring's may depend on places and velocities"},
           {"type: rope", "a rope needs the key \"stiffness\""},
           {"type: rope, stiffness: 3, acts: tension", "a rope has no acts"},
           {"acts: sideways, stiffness: 3", "unknown word \"sideways\""}}) {
    const Result<scene::Scene> scene = io::read_scene_text(on_a_line(m.spring, 1, 0, 1), "s.yaml");
    const Result<model::Compiled> compiled = model::compile(*scene);
    ASSERT_FALSE(compiled) << m.spring;
    std::string all;
    for (const Diagnostic& d : compiled.errors()) all += one_line(d) + "\n";
    EXPECT_NE(all.find(m.says), std::string::npos) << m.spring << "\n" << all;
  }
}

// ---- restitution of the speed

/// Two walls and no other force: every impact has the restitution that its own approach speed prescribes.
TEST(RestitutionOfSpeed, IsThatOfEachApproach) {
  struct Of {
    std::string text;
    std::function<double(double)> value;
  };
  for (const Of& of : std::vector<Of>{
           {"\"min(1, 0.6*v^-0.2)\"", [](double v) { return std::min(1.0, 0.6 * std::pow(v, -0.2)); }},
           {"\"table(v, 0.094, 0.917, 0.5, 0.757)\"",
            [](double v) { return 0.917 + (0.757 - 0.917) * (std::clamp(v, 0.094, 0.5) - 0.094) / (0.5 - 0.094); }},
           {"e0 + (1 - e0)*exp(-v)", [](double v) { return 0.4 + 0.6 * std::exp(-v); }}})
    for (const char* law : {"flores", "hunt-crossley", "tsuji"}) {
      const SceneRun run = run_text(
          "gravity: [0, 0, 0]\nconstants: {e0: 0.4}\nbodies:\n  ground: {shapes: [{kind: plane, name: low, axis: "
          "x, at: [-1, 0, 0]}, {kind: "
          "plane, name: high, axis: -x, at: [1, 0, 0]}]}\n"
          "  ball: {mass: 0.5, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0], velocity: [3, 0, 0]}\n"
          "contacts: {wall: {between: [ball, ground], law: " +
          std::string(law) + ", calibration: exact, stiffness: 1e8, restitution: " + of.text +
          "}}\nsolver: {duration: 6, tolerance: 1e-10}\n");
      ASSERT_GE(run.recording.impacts.size(), 3U);
      for (const recording::Impact& i : run.recording.impacts) {
        if (!std::isfinite(i.separation_speed_mps)) continue;
        EXPECT_NEAR(*i.prescribed, of.value(i.approach_speed_mps), 1e-12) << of.text;
        EXPECT_NEAR(i.separation_speed_mps / i.approach_speed_mps, of.value(i.approach_speed_mps), 1e-7)
            << of.text << " " << law;
      }
      expect_closed_energy(run);
    }
}

TEST(RestitutionOfSpeed, BeyondItsRangeIsAnErrorThatSaysWhere) {
  const auto errors = [](const std::string& restitution) {
    const Result<scene::Scene> scene = io::read_scene_text(
        "bodies: {ground: {shape: {kind: plane}}, b: {mass: 1, shape: {kind: sphere, radius: 1}, at: [0, 0, 2]}}\n"
        "contacts: {c: {between: [b, ground], law: flores, stiffness: 1, restitution: " +
            restitution + "}}\nsolver: {duration: 1}\n",
        "s.yaml");
    const Result<model::Compiled> compiled = model::compile(*scene);
    std::string all;
    if (!compiled)
      for (const Diagnostic& d : compiled.errors()) all += one_line(d) + "\n";
    return all;
  };
  EXPECT_NE(errors("0.5*v^-0.25").find("outside 0..1; bound it"), std::string::npos) << errors("0.5*v^-0.25");
  EXPECT_NE(errors("1 - v").find("outside 0..1"), std::string::npos);
  EXPECT_NE(errors("0.5*w").find("is not a number; or give an expression of the approach speed v"),
            std::string::npos)
      << errors("0.5*w");
  EXPECT_NE(errors("v*").find("expected a number, a name"), std::string::npos) << errors("v*");
  EXPECT_EQ(errors("1/(1 + v)"), "");
}

// ---- touching

/// Balls of random radii on a random slope, dropped from anywhere, and a ball on a ball: they touch, to the last
/// digits.
TEST(Touching, PutsABodyAgainstWhatItIsToTouch) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> u(0, 1);
  for (int k = 0; k < 20; ++k) {
    const double r = 0.05 + 0.2 * u(random), q = 0.05 + 0.2 * u(random), slope = 0.8 * u(random);
    const Vec3 n{std::sin(slope), 0, std::cos(slope)};
    const double x = u(random) - 0.5, y = u(random) - 0.5, z = k % 2 ? 3 * u(random) + 1 : -0.2;
    const model::Compiled c = from_text(
        "bodies:\n  ground: {shape: {kind: plane, axis: [" + text_of(n.x) + ", 0, " + text_of(n.z) +
        "]}}\n  low: {mass: 1, shape: {kind: sphere, radius: " + text_of(r) + "}, at: [" + text_of(x) + ", " +
        text_of(y) + ", " + text_of(z) + "], touching: ground}\n  high: {mass: 1, shape: {kind: sphere, radius: " +
        text_of(q) + "}, at: [" + text_of(x + 0.5 * q) + ", " + text_of(y) +
        ", 5], touching: low}\n"
        "contacts:\n  a: {between: [low, ground], law: flores, restitution: 0.5, stiffness: 1e8}\n"
        "  b: {between: [high, low], law: flores, restitution: 0.5, stiffness: 1e8}\nsolver: {duration: 1}\n");
    ASSERT_EQ(c.model.bodies.size(), 3U);
    const Vec3 low{c.model.start[0], c.model.start[1], c.model.start[2]},
        high{c.model.start[7], c.model.start[8], c.model.start[9]};
    EXPECT_NEAR(dot(n, low), r, 1e-12);
    EXPECT_EQ(low.x, x);  // straight down, or up
    EXPECT_NEAR(norm(high - low), r + q, 1e-11);
    EXPECT_GT(high.z, low.z);
  }
}

TEST(Touching, EachMistakeIsSaid) {
  struct Mistake {
    std::string body, says;
  };
  for (const Mistake& m : std::vector<Mistake>{
           {"at: [0, 0, 1], touching: floor", "no body is called \"floor\""},
           {"at: [0, 0, 1], touching: wall", "no contact says that it can touch \"wall\""},
           {"at: [0, 0, 1], touching: ground, towards: [1, 0, 0]", "on its way it does not meet \"ground\""},
           {"at: [0, 0, 1], towards: x", "`towards` goes with `touching`"}}) {
    const Result<scene::Scene> scene = io::read_scene_text(
        "bodies: {ground: {shape: {kind: plane}}, wall: {fixed: true, at: [3, 0, 0], shape: {kind: sphere, radius: "
        "1}}, b: "
        "{mass: 1, shape: {kind: sphere, radius: 0.1}, " +
            m.body +
            "}}\ncontacts: {c: {between: [b, ground], law: flores, restitution: 0.5, stiffness: 1}}\nsolver: "
            "{duration: "
            "1}\n",
        "s.yaml");
    const Result<model::Compiled> compiled = model::compile(*scene);
    ASSERT_FALSE(compiled) << m.body;
    EXPECT_NE(one_line(compiled.errors().front()).find(m.says), std::string::npos)
        << one_line(compiled.errors().front());
  }
}

}  // namespace

}  // namespace percuss
