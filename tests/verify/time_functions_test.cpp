// Functions of time that are short, or not smooth; comparisons on the motion; what jumps and what drives it.
#include <algorithm>
#include <cmath>
#include <random>

#include "percuss/expression/parse.h"
#include "percuss/model/attach.h"
#include "random_cases.h"
#include "same_bits.h"
#include "scene_runs.h"

namespace percuss {
namespace {

using dynamics::Progress;
using dynamics::Simulation;

constexpr const char* kBox =
    "planar: true\nbodies:\n  ground: {shape: {kind: plane, axis: y}}\n"
    "  box: {mass: 2, shape: {kind: sphere, radius: 0.1}, inertia: 0.01, at: [0, 0.1]}\n"
    "contacts:\n  floor: {between: [box, ground], law: flores, restitution: 0.5, stiffness: 1e6, exponent: 1}\n"
    "solver: {duration: 10 s}\n";
constexpr const char* kFree =
    "gravity: [0, 0, 0]\nbodies:\n  p: {mass: 2, inertia: 1, at: [0, 0, 0]}\nsolver: {duration: 10 s}\n";
constexpr const char* kSlide =
    "gravity: [0, 0, 0]\nbodies:\n  cart: {mass: 2, inertia: 1, at: [0, 0, 0], angle: 0}\n"
    "joints:\n  slide: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}\n"
    "solver: {duration: 10 s}\n";

/// The last velocity of the only body.
Vec3 end_velocity(const SceneRun& run, const std::string& body) {
  const std::string table = "bodies/" + body;
  return {run.samples.last(table, "vx"), run.samples.last(table, "vy"),
          run.model.planar ? 0 : run.samples.last(table, "vz")};
}

TEST(TimeFunctions, APulseOnARestingBodyIsNotSkipped) {
  const SceneRun run =
      run_text(std::string(kBox) + "forces:\n  push: {body: box, force: [\"if(t > 5 and t < 5.1, 40, 0)\", 0]}\n");
  EXPECT_NEAR(end_velocity(run, "box").x, 40 * 0.1 / 2, 1e-8);
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(TimeFunctions, ATableIsNotSkipped) {
  const SceneRun run = run_text(std::string(kBox) +
                                "forces:\n  push: {body: box, force: [\"table(t, 5, 0, 5.05, 40, 5.1, 0)\", 0]}\n");
  EXPECT_NEAR(end_velocity(run, "box").x, 40 * 0.05 / 2, 1e-8);
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(TimeFunctions, APulsedDriverIsNotSkipped) {
  const SceneRun run =
      run_text(std::string(kSlide) + "drivers:\n  motor: {joint: slide, rate: \"if(t > 5 and t < 5.1, 3, 0)\"}\n");
  EXPECT_NEAR(run.samples.last("bodies/cart", "x"), 0.3, 1e-12);
  EXPECT_NEAR(end_velocity(run, "cart").x, 0, 1e-12);
  EXPECT_LT(run.recording.ledger.largest_error_J, 1e-12);
  EXPECT_NEAR(run.recording.ledger.end.by_drivers_J, 0, 1e-12) << "9 J in, and out again";
  EXPECT_GT(run.recording.ledger.exchanged_J, 9);
}

TEST(TimeFunctions, SmoothShortPulsesAreNotSkipped) {
  for (const char* pulse : {"40*exp(-((t - 5)/0.001)^2)", "40*exp(-((t - 7.3)/1e-5)^2)"}) {
    const SceneRun run =
        run_text(std::string(kFree) + "forces:\n  push: {body: p, force: [\"" + pulse + "\", 0, 0]}\n",
                 {"solver.tolerance=1e-12"});
    const double width = std::string(pulse).find("0.001") != std::string::npos ? 1e-3 : 1e-5;
    const double expected = 40 * width * std::sqrt(std::acos(-1.0)) / 2;
    EXPECT_NEAR(end_velocity(run, "p").x / expected, 1, 1e-9) << pulse;
  }
}

TEST(TimeFunctions, AMovingTableThatStartsSuddenlyStrikesWhatItHolds) {
  // a slider in a guide of a table that starts at 2 m/s: the joint across the motion takes it along, freely along
  // it
  const SceneRun run = run_text(
      "planar: true\ngravity: [0, 0]\nbodies:\n  table: {at: [0, 0], motion: {x: \"max(0, 2*(t - 1))\"}}\n"
      "  slider: {mass: 3, inertia: 1, at: [0, 0], angle: 0}\n"
      "joints:\n  guide: {type: prismatic, between: [table, slider], at: [0, 0], axis: y}\n"
      "solver: {duration: 2 s}\n");
  EXPECT_NEAR(end_velocity(run, "slider").x, 2, 1e-12);
  EXPECT_NEAR(run.recording.ledger.end.by_motions_J, 6, 1e-11) << "m v^2/2: the impulse m v at the mean rate v/2";
  EXPECT_LT(run.recording.ledger.largest_error_J, 1e-11);
}

TEST(TimeFunctions, ContactsSeeATableThatStartsSuddenly) {
  const SceneRun run = run_text(
      "planar: true\nbodies:\n  table: {at: [0, 0], motion: {y: \"0.5*max(0, t - 1)\"}, shape: {kind: plane, axis: "
      "y}}\n"
      "  ball: {mass: 1, inertia: 0.01, at: [0, 0.1], shape: {kind: sphere, radius: 0.1}}\n"
      "contacts:\n  floor: {between: [ball, table], response: impulsive, restitution: 0.8}\n"
      "solver: {duration: 1.01 s}\n");
  EXPECT_NEAR(end_velocity(run, "ball").y, 0.9 - 9.80665 * 0.01, 2e-4) << "(1 + e) times the table's speed";
  EXPECT_LT(gap_share(run), 1e-9);
}

TEST(TimeFunctions, APositionThatJumpsIsRefused) {
  const auto errors_of = [](const std::string& text) {
    const Result<scene::Scene> scene = io::read_scene_text(text, "scene.yaml", {});
    if (!scene) return std::string("reading failed");
    const Result<model::Compiled> compiled = model::compile(*scene);
    return compiled ? std::string() : one_line(compiled.errors().front());
  };
  const std::string driver =
      errors_of(std::string(kSlide) + "drivers:\n  motor: {joint: slide, value: \"if(t > 5, 0.1, 0)\"}\n");
  EXPECT_NE(driver.find("scene.yaml:8:"), std::string::npos) << driver;
  EXPECT_NE(driver.find("position jumps from 0 to 0.1 at t = 5"), std::string::npos) << driver;
  const std::string motion = errors_of(
      "planar: true\nbodies:\n  table: {at: [0, 0], motion: {x: \"floor(t)\"}}\n  p: {mass: 1, inertia: 1}\n"
      "solver: {duration: 3 s}\n");
  EXPECT_NE(motion.find("scene.yaml:3:"), std::string::npos) << motion;
  EXPECT_EQ(errors_of(std::string(kSlide) + "drivers:\n  motor: {joint: slide, value: \"abs(t - 5) - 5\"}\n"), "");
}

TEST(TimeFunctions, AStateGoesOnAcrossBreakPointsToTheSameBits) {
  const model::Compiled c =
      from_text(std::string(kSlide) +
                "springs:\n  pull: {joint: slide, stiffness: 30, rest: \"0.1*(mod(t, 2) < 1)\"}\n"
                "forces:\n  push: {body: cart, force: [\"20*(mod(t, 0.7) < 0.01) - 3*sign(cart.vx) + max(0, "
                "-50*cart.x)\", 0, 0]}\n");
  Simulation whole(c.model, c.settings);
  while (whole.step() == Progress::going) {
  }
  EXPECT_EQ(whole.failure(), "");
  for (const double t : {0.1, 1.4, 2.0, 2.805, 5.6, 9.1}) {
    Simulation half(c.model, c.settings);
    half.advance_to(t);
    Writer out;
    dynamics::save(half.state(), out);
    const Bytes bytes = out.take();
    Reader in(bytes);
    dynamics::State state;
    ASSERT_TRUE(dynamics::restore(in, c.model, state));
    Simulation rest(c.model, c.settings, state);
    EXPECT_TRUE(rest.changes().empty()) << (rest.changes().empty() ? "" : rest.changes().front());
    while (rest.step() == Progress::going) {
    }
    EXPECT_EQ(difference(whole.state(), rest.state()), "") << t;
  }
}

TEST(TimeFunctions, ComparisonsOnTheMotionAreEvents) {
  // a ball on a one-sided spring of its own making: half a period of the spring, then the fall
  const SceneRun run = run_text(
      "bodies:\n  ball: {mass: 1, inertia: 1, at: [0, 0, 1]}\n"
      "forces:\n  floor: {body: ball, force: [0, 0, \"if(ball.z < 0, -1e4*ball.z, 0)\"]}\n"
      "gravity: [0, 0, -10]\nsolver: {duration: 3 s, tolerance: 1e-10}\n");
  EXPECT_LT(gap_share(run), 1e-8);
  const double w = 100, g = 10, v = std::sqrt(20.0), fall = v / g;
  // z'' = -g - w^2 z from z = 0 with -v: contact for 2 (pi - atan(v w/g))/w, or pi + 2 atan(g/(w v)) over w
  const double contact = (std::acos(-1.0) + 2 * std::atan(g / (w * v))) / w;
  const double period = 2 * fall + contact;
  double t = std::fmod(3 - fall - contact, period);  // since it left the floor
  EXPECT_NEAR(run.samples.last("bodies/ball", "z"), v * t - g * t * t / 2, 1e-6);
}

TEST(TimeFunctions, SignOfAVelocityIsDryFriction) {
  // 10 N against 3 N of friction for 1 s, then coasting to rest, and rest under 2 N
  const SceneRun run = run_text(
      std::string(kSlide) +
      "forces:\n  push: {body: cart, force: [\"if(t < 1, 10, if(t < 8, 2, 0)) - 3*sign(cart.vx)\", 0, 0]}\n");
  // 3.5 m/s after 1 s and 1.75 m; then -0.5 m/s^2: rest after 7 s more (t = 8); under no force rest stays
  EXPECT_NEAR(end_velocity(run, "cart").x, 0, 1e-9);
  EXPECT_NEAR(run.samples.last("bodies/cart", "x"), 1.75 + 3.5 * 3.5 / (2 * 0.5), 1e-7);
  const SceneRun held = run_text(
      std::string(kSlide) +
      "forces:\n  push: {body: cart, force: [\"if(t < 1, 0, if(t < 5, 2, 5)) - 3*sign(cart.vx)\", 0, 0]}\n");
  EXPECT_NEAR(end_velocity(held, "cart").x, (5 - 3) / 2.0 * 5, 1e-7) << "2 N are held, 5 N are not";
}

TEST(TimeFunctions, ABangBangControllerSlidesOrSaysSo) {
  // x'' = -sign(v + x): reaches the line v = -x and slides along it
  const SceneRun run = run_text(
      std::string(kSlide) + "forces:\n  push: {body: cart, force: [\"-2*sign(cart.vx + cart.x)\", 0, 0]}\n",
      {"cart.velocity=[0.3, 0, 0]"});
  const double x = run.samples.last("bodies/cart", "x"), v = end_velocity(run, "cart").x;
  EXPECT_NEAR(v + x, 0, 1e-8);
  EXPECT_LT(std::abs(x), 1e-3);
  EXPECT_LT(gap_share(run), 1e-7);
}

TEST(TimeFunctions, AUsersFunctionDeclaresItsBreakPoints) {
  for (const bool as_list : {true, false}) {
    model::Compiled c = from_text(kSlide);
    model::Controller pulse;
    pulse.name = "pulse";
    pulse.outputs = 1;
    if (as_list)
      pulse.breaks_s = {5, 5.1};
    else
      pulse.next_break = [](double t) { return t < 5 ? 5 : t < 5.1 ? 5.1 : kInfinity; };
    pulse.call = [](const model::ControllerCall& k) {
      k.outputs[0] = k.t_s > 5 && k.t_s < 5.1 ? 40 : 0;
      return std::string();
    };
    ASSERT_FALSE(model::attach(c.model, pulse, {}, {.joint = "slide"}));
    Simulation sim(c.model, c.settings);
    while (sim.step() == Progress::going) {
    }
    EXPECT_NEAR(sim.current().y[static_cast<std::size_t>(c.model.bodies[1].v_at)], 2, 1e-12);
  }
  model::Compiled c = from_text(kSlide);
  model::Controller pulse;
  pulse.name = "pulse";
  pulse.outputs = 1;
  pulse.largest_step_s = 0.01;
  pulse.call = [](const model::ControllerCall& k) {
    k.outputs[0] = 40 * std::exp(-std::pow((k.t_s - 5) / 0.05, 2));
    return std::string();
  };
  ASSERT_FALSE(model::attach(c.model, pulse, {}, {.joint = "slide"}));
  Simulation sim(c.model, c.settings);
  while (sim.step() == Progress::going) {
  }
  EXPECT_NEAR(sim.current().y[static_cast<std::size_t>(c.model.bodies[1].v_at)],
              20 * 0.05 * std::sqrt(std::acos(-1.0)), 1e-8);
}

/// A stage of a long step stands on the first pulse, and the second shortens the step.
TEST(SmoothPulses, OfTwoFunctionsAreBothSeen) {
  const SceneRun run = run_text(
      "gravity: [0, 0, 0]\nbodies:\n  p: {mass: 2, inertia: 1, at: [0, 0, 0]}\nforces:\n  push:\n    body: p\n"
      "    force: [\"table(t, 67, 0, 67.004, 20, 67.01, 0)\", \"7*exp(-((t - "
      "25.820874627679586)/0.23569766038783244)^2)\", "
      "\"18*exp(-((t - 42.470228187739849)/0.010592227305664654)^2)\"]\nsolver: {duration: 100 s, tolerance: "
      "1e-9}\n");
  const Vec3 v = end_velocity(run, "p");
  const double root_pi = std::sqrt(std::acos(-1.0));
  EXPECT_NEAR(v.x, 20 * 0.01 / 2 / 2, 1e-9);
  EXPECT_NEAR(v.y, 7 * 0.23569766038783244 * root_pi / 2, 1e-8);
  EXPECT_NEAR(v.z, 18 * 0.010592227305664654 * root_pi / 2, 1e-9);
}

// ---- random pulses

double uniform(std::mt19937& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
}

struct Train {
  std::string text;
  long double integral = 0;
  double width_s = 1;    // the shortest part
  bool is_flat = false;  // steps between constants: only their ends matter, and those are doubles
};

/// The first double at which a comparison of t has changed, near a place where it does.
double flip(const std::string& text, double near) {
  constexpr std::string_view kTime[] = {"t"};
  const auto program = expression::parse(text, kTime);
  const auto value = [&](double t) { return differentiate(*program, std::span<const double>(&t, 1), 0).value; };
  double a = near * (1 - 1e-12), b = near * (1 + 1e-12);
  if (value(a) == value(b)) return near;
  for (double before = value(a); std::nextafter(a, b) < b;) {
    const double t = std::clamp(0.5 * a + 0.5 * b, std::nextafter(a, b), std::nextafter(b, a));
    (value(t) == before ? a : b) = t;
  }
  return b;
}

Train random_train(std::mt19937& random, double end) {
  const auto number = [](double x) { return text_of(x, 17); };
  Train out;
  const double width = std::pow(10, uniform(random, -6, 0)), height = uniform(random, 1, 50);
  out.width_s = width / 7;
  switch (random() % 5) {
    case 0: {  // rectangles
      out.text = "0";
      out.is_flat = true;
      for (int k = 0; k < 5; ++k) {
        const double a = uniform(random, 0, end - 1), b = a + width * uniform(random, 0.5, 1);
        out.text += " + " + number(height) + "*(t >= " + number(a) + " and t < " + number(b) + ")";
        out.integral += static_cast<long double>(height) * (static_cast<long double>(b) - a);
      }
      break;
    }
    case 1: {  // a table
      const double a = uniform(random, 0, end - 1), b = a + width / 3, c = b + width / 2, d = c + width / 7;
      out.text = "table(t, " + number(a) + ", 0, " + number(b) + ", " + number(height) + ", " + number(c) + ", " +
                 number(height / 2) + ", " + number(d) + ", 0)";
      const long double h = height;
      out.integral = h * (static_cast<long double>(b) - a) / 2 + 0.75L * h * (static_cast<long double>(c) - b) +
                     h / 4 * (static_cast<long double>(d) - c);
      break;
    }
    case 2: {  // a triangle of min and max
      const double a = uniform(random, 0, end - 1);
      out.text = number(height) + "*max(0, min((t - " + number(a) + ")/" + number(width) + ", (" +
                 number(a + 2 * width) + " - t)/" + number(width) + "))";
      const long double whole = (static_cast<long double>(a + 2 * width) - a);
      out.integral = height * whole / (2 * static_cast<long double>(width)) * whole / 2;
      break;
    }
    case 3: {  // periodic
      out.is_flat = true;
      const double period = std::max(2 * width, end / 1000) * uniform(random, 1, 2);
      const std::string pulse = "mod(t, " + number(period) + ") < " + number(width);
      out.text = number(height) + "*(" + pulse + ")";
      for (int k = 0; k * period < end; ++k) {
        const double a = k == 0 ? 0 : flip(pulse, k * period), b = flip(pulse, k * period + width);
        if (a >= end) break;
        out.integral += static_cast<long double>(height) * (std::min<long double>(b, end) - a);
      }
      break;
    }
    default: {  // smooth
      const double c = uniform(random, 10, end - 10);
      out.text = number(height) + "*exp(-((t - " + number(c) + ")/" + number(width) + ")^2)";
      out.integral = static_cast<long double>(height) * width * std::sqrt(std::acos(-1.0L));
      break;
    }
  }
  return out;
}

/// To 1e-9 and the last digit of t over their width; in one of a hundred that vary within some microseconds late in
/// a run, to 1e-5. None is missed.
TEST(RandomPulses, GiveTheirImpulse) {
  std::mt19937 random(11);
  constexpr double kEnd = 100;
  const int n = cases(30, 3000);
  double worst = 0, worst_varying = 0, worst_energy = 0;
  int beyond = 0;
  for (int k = 0; k < n; ++k) {
    const Train trains[] = {random_train(random, kEnd), random_train(random, kEnd), random_train(random, kEnd)};
    const SceneRun run = run_text(
        "gravity: [0, 0, 0]\nbodies:\n  p: {mass: 2, inertia: 1, at: [0, 0, 0]}\nforces:\n  push:\n    body: p\n"
        "    force: [\"" +
        trains[0].text + "\", \"" + trains[1].text + "\", \"" + trains[2].text +
        "\"]\nsolver: {duration: 100 s, tolerance: 1e-12}\n");
    const Vec3 v = end_velocity(run, "p");
    for (int i = 0; i < 3; ++i) {
      const double share = std::abs(2 * v[i] / static_cast<double>(trains[i].integral) - 1);
      // a time is a double: a function that varies within its pulse is read half a last digit of t beside each
      // stage
      const double bar = 1e-9 + (trains[i].is_flat ? 0 : std::nextafter(kEnd, 2 * kEnd) - kEnd) / trains[i].width_s;
      double& most = trains[i].is_flat ? worst : worst_varying;
      most = std::max(most, share);
      EXPECT_LT(share, trains[i].is_flat ? bar : 1e-5) << k << " " << i << ": " << trains[i].text;
      beyond += share > bar;
    }
    worst_energy = std::max(worst_energy, gap_share(run));
    EXPECT_LT(gap_share(run), 1e-8) << k;
  }
  EXPECT_LE(beyond, 0.01 * 3 * n);
  report_figure("pulses: " + std::to_string(3 * n) + " trains, impulse of steps off by at most " +
                text_of(worst, 3) + " of it, of others by at most " + text_of(worst_varying, 3) + ", " +
                std::to_string(beyond) +
                " of them beyond 1e-9 + the last digit of t over the width; energy error at most " +
                text_of(worst_energy, 3) + " of the energy exchanged");
}

}  // namespace
}  // namespace percuss
