// (d) scenes: time to a given error, side by side with Simbody where it is there; right-hand sides; long chains.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "benches.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"
#include "timing.h"
#ifdef PERCUSS_HAS_SIMBODY
#include "peers/simbody.h"
#endif

namespace percuss::bench {

namespace {

model::Compiled load(const std::string& name, const std::vector<std::string>& overrides) {
  const auto scene = io::read_scene(std::string(PERCUSS_SOURCE) + "/scenes/" + name + ".yaml", overrides);
  if (!scene) std::fprintf(stderr, "%s\n", one_line(scene.errors().front()).c_str());
  auto model = model::compile(*scene);
  if (!model) std::fprintf(stderr, "%s\n", one_line(model.errors().front()).c_str());
  return std::move(*model);
}

struct Point {
  double error = 1e300, seconds = 1e300;
};

/// The shortest time at which an error of at most this was reached.
double time_to(const std::vector<Point>& points, double error) {
  double best = 1e300;
  for (const Point& p : points)
    if (p.error <= error) best = std::min(best, p.seconds);
  return best;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    most = std::max(most, i < a.size() && std::isfinite(a[i]) ? std::abs(a[i] - b[i]) : 1e300);
  return most;
}

struct Problem {
  std::string name;
  std::vector<double> exact;
  std::vector<double> (*numbers)(const model::Model&, const std::vector<double>& y);
  std::vector<std::string> overrides;
  double end_s = 10;
};

double position(const model::Model& m, const std::vector<double>& y, std::size_t body, int k) {
  return y[static_cast<std::size_t>(m.bodies[body].q_at + k)];
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> list = {
      {"pendulum",
       {-0.27508746257612, -0.96141920509913},
       [](const model::Model& m, const std::vector<double>& y) {
         return std::vector{position(m, y, 1, 0), position(m, y, 1, 1)};
       },
       {"outputs.at=[]"}},
      {"four_bar",
       {0.3284581115, 0.9445185382},
       [](const model::Model& m, const std::vector<double>& y) {
         const double a = position(m, y, 1, 2);
         return std::vector{position(m, y, 1, 0) - 0.5 * std::sin(a), position(m, y, 1, 1) + 0.5 * std::cos(a)};
       },
       {}},
      {"four_bar",  // until 0.5 s, before it has been flat for the first time
       {},
       [](const model::Model& m, const std::vector<double>& y) {
         const double a = position(m, y, 1, 2);
         return std::vector{position(m, y, 1, 0) - 0.5 * std::sin(a), position(m, y, 1, 1) + 0.5 * std::cos(a)};
       },
       {"solver.duration=0.5"},
       0.5},
      {"squeezer",
       {15.81077119629904, -15.75637105984298, 0.04082224013073},
       [](const model::Model& m, const std::vector<double>& y) {
         const double a = position(m, y, 1, 2);
         return std::vector{a, position(m, y, 2, 2) - a, position(m, y, 3, 2)};
       },
       {},
       0.03},
      {"bouncing_ball",
       {},
       [](const model::Model& m, const std::vector<double>& y) { return std::vector{position(m, y, 1, 2)}; },
       {"solver.duration=2", "bounce.law=hunt-crossley-alpha",
        "bounce.restitution=", "bounce.parameters={alpha: 0.025}"},
       2},
  };
  return list;
}

Point ours(const Problem& p, double tolerance, const std::vector<double>& exact) {
  std::vector<std::string> overrides = p.overrides;
  overrides.push_back("solver.tolerance=" + text_of(tolerance));
  const model::Compiled model = load(p.name, overrides);
  recording::Recording last;
  const auto t = best_times_s({[&] { last = dynamics::simulate(model); }}, 0.1);
  return {difference(p.numbers(model.model, last.y), exact), t[0]};
}

bool against_simbody() {
  std::printf("\n(d) time in `simulate` to reach an error; bar 3x faster than Simbody\n");
  std::printf("    %-16s %10s %14s %14s %8s\n", "scene", "error", "percuss", "Simbody", "ratio");
  bool met = true;
  for (const Problem& p : problems()) {
    std::vector<double> exact = p.exact;
    if (exact.empty()) {
      std::vector<std::string> overrides = p.overrides;
      overrides.emplace_back("solver.tolerance=1e-13");
      const model::Compiled model = load(p.name, overrides);
      exact = p.numbers(model.model, dynamics::simulate(model).y);
    }
    std::vector<Point> mine, peer;
    for (double tolerance = 1e-3; tolerance > 5e-13; tolerance /= std::sqrt(10.0))
      mine.push_back(ours(p, tolerance, exact));
#ifdef PERCUSS_HAS_SIMBODY
    std::string why;
    for (double accuracy = 1e-2; accuracy > 5e-12; accuracy /= std::sqrt(10.0)) {
      PeerRun best = simbody(p.name, accuracy, p.end_s);
      if (best.failed) why = "at t = " + text_of(best.reached_s, 4) + " s: " + best.why.substr(0, 150);
      if (best.failed || best.seconds > 2) break;
      for (int k = 0; k < (best.seconds < 0.2 ? 3 : 0); ++k)
        best.seconds = std::min(best.seconds, simbody(p.name, accuracy, p.end_s).seconds);
      if (!best.failed) peer.push_back({difference(best.numbers, exact), best.seconds});
    }
    if (peer.empty()) std::printf("    %s: Simbody fails %s\n", p.name.c_str(), why.c_str());
#endif
    for (const double error : {1e-3, 1e-5, 1e-7, 1e-9}) {
      const double a = time_to(mine, error), b = time_to(peer, error);
      const auto cell = [](double t) {
        return t < 1e200 ? text_of(1e3 * t, 4) + " ms" : std::string("not reached");
      };
      const bool has_ratio = a < 1e200 && b < 1e200;
      if (has_ratio && b / a < 3) met = false;
      std::printf("    %-16s %10.0e %14s %14s %8s%s\n", (p.name + " " + text_of(p.end_s) + " s").c_str(), error,
                  cell(a).c_str(), peer.empty() ? "-" : cell(b).c_str(),
                  has_ratio ? (text_of(b / a, 3) + "x").c_str() : "", has_ratio && b / a < 3 ? "   MISSED" : "");
    }
  }
#ifndef PERCUSS_HAS_SIMBODY
  std::printf("    Simbody was not there at build time\n");
#endif
  return met;
}

/// Time of so many right-hand sides.
double rhs_s(const model::Model& model, const dynamics::State& state, int count) {
  dynamics::Workspace workspace(model);
  std::vector<double> d(state.y.size());
  return best_times_s({[&] {
                        for (int i = 0; i < count; ++i) {
                          const dynamics::Evaluation& e =
                              dynamics::evaluate(model, 0, state.y, state.modes, workspace);
                          dynamics::write_slopes(model, state.y, state.modes, e, workspace, d);
                        }
                      }},
                      0.5)[0];
}

bool ball_and_crank() {
  bool met = true;
  const auto line = [&met](const char* what, double value_s, double bar_s, const std::string& note) {
    const bool good = value_s < bar_s;
    met = met && good;
    std::printf("    %-58s %10.4f ms (bar %g ms)  %s%s\n", what, 1e3 * value_s, 1e3 * bar_s, note.c_str(),
                good ? "" : "   MISSED");
  };
  std::printf("\n(e) scenes by themselves\n");
  {
    const auto run = [](double tolerance) {
      return load("bouncing_ball", {"solver.duration=5.3", "solver.tolerance=" + text_of(tolerance)});
    };
    const model::Compiled fine = run(1e-13), model = run(1e-6);
    const recording::Recording exact = dynamics::simulate(fine);
    recording::Recording last;
    const auto t = best_times_s({[&] { last = dynamics::simulate(model); }}, 1.0);
    double worst = 0;
    for (std::size_t i = 0; i < 10; ++i)
      worst = std::max(worst, std::abs(*last.impacts[i].delivered - *exact.impacts[i].delivered));
    met = met && worst < 1e-6;
    line("ten bounces of the ball", t[0], 1e-3,
         "largest error of a restitution " + text_of(worst, 2) + " (bar 1e-6)");
  }
  {
    const auto run = [](double tolerance) {
      return load("slider_crank", {"solver.tolerance=" + text_of(tolerance)});
    };
    const model::Compiled fine = run(1e-13);
    const recording::Recording exact = dynamics::simulate(fine);
    const auto place = [&](const recording::Recording& r) {
      return std::vector{position(fine.model, r.y, 3, 0), position(fine.model, r.y, 2, 0),
                         position(fine.model, r.y, 2, 1)};
    };
    Point best;
    double violation = 0;
    for (const double tolerance : {1e-7, 3e-8, 1e-8, 3e-9, 1e-9, 1e-10, 1e-11}) {
      const model::Compiled model = run(tolerance);
      recording::Recording last;
      const auto t = best_times_s({[&] { last = dynamics::simulate(model); }}, 0.2);
      const double error = difference(place(last), place(exact));
      if (error > 1e-8) continue;
      best = {error, t[0]};
      violation = last.worst_position_residual;
      break;
    }
    met = met && violation < 1e-11;
    line("slider-crank, 10 s, position error below 1e-8 m", best.seconds, 0.03,
         "error " + text_of(best.error, 2) + " m, joints " + text_of(violation, 2) + " m");
  }
  {
    const model::Compiled squeezer = load("squeezer", {});
    const double t = 1e-3 * rhs_s(squeezer.model, dynamics::initial_state(squeezer.model), 1000);
    line("one right-hand side of Andrews' squeezer", t, 4e-6, "");
  }
  return met;
}

/// The wrist pin 10 um deep in its bearing, as the engine has it after a touch.
double clearance_rhs_s(const model::Model& model) {
  dynamics::State state = dynamics::initial_state(model);
  state.y[static_cast<std::size_t>(model.bodies[3].q_at)] -= 0.51e-3;
  dynamics::Workspace workspace(model);
  dynamics::place(model, 0, state.y, state.modes, workspace, workspace.result);
  dynamics::ContactMode touch;
  touch.pair = model.pairs[0];
  touch.feature = *dynamics::find_feature(model, workspace.result.motions, touch.pair, 0, workspace.spots);
  touch.mass_kg = 0.1;
  touch.law_speed_mps = 1;
  state.modes.contacts.push_back(touch);
  dynamics::latch_again(model, state.modes);
  dynamics::lay_out_memories(model, state.modes, state.y);
  return 1e-3 * rhs_s(model, state, 1000);
}

model::Compiled of_steel(const std::string& bodies, const std::string& law, const std::string& duration) {
  const auto scene = io::read_scene_text(
      "materials:\n  steel: {young: 200 GPa, poisson: 0.3, density: 7800}\nbodies:\n" + bodies +
          "  ground: {shape: {kind: plane, material: steel}}\ncontacts:\n  all: {materials: [steel, steel], " +
          law + "}\nsolver: {duration: " + duration + ", tolerance: 1e-8}\n",
      "steel.yaml");
  auto compiled = model::compile(*scene);
  if (!compiled) std::fprintf(stderr, "%s\n", one_line(compiled.errors().front()).c_str());
  return std::move(*compiled);
}

/// Balls of one material on a grid, far from each other; one of them lies on the floor.
model::Compiled apart(int count) {
  std::string bodies;
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  for (int i = 0; i < count; ++i) {
    const bool low = i == 0;
    bodies += "  b" + std::to_string(i) + ": {shape: {kind: sphere, radius: 0.05, material: steel}, at: [" +
              text_of(i % side) + ", " + text_of(i / side % side) + ", " +
              (low ? std::string("0.05") : text_of(10 + i / (side * side))) + "]}\n";
  }
  const auto scene =
      io::read_scene_text("materials:\n  steel: {young: 200 GPa, poisson: 0.3, density: 7800}\nbodies:\n" + bodies +
                              "  ground: {shape: {kind: plane, material: steel}}\n"
                              "contacts:\n  all: {materials: [steel, steel], law: flores, restitution: 0.5}\n"
                              "solver: {duration: 1 ms, tolerance: 1e-8}\n",
                          "apart.yaml");
  auto model = model::compile(*scene);
  if (!model) std::fprintf(stderr, "%s\n", one_line(model.errors().front()).c_str());
  return std::move(*model);
}

bool contact_in_mechanisms() {
  bool met = true;
  const auto line = [&met](const char* what, double value, double bar, const char* unit, const std::string& note) {
    const bool good = value < bar;
    met = met && good;
    std::printf("    %-62s %9.4f %s (bar %g)  %s%s\n", what, value, unit, bar, note.c_str(),
                good ? "" : "   MISSED");
  };
  std::printf("\n(g) contact in mechanisms\n");
  for (const char* friction : {"0", "0.03"}) {
    const model::Compiled model =
        load("slider_crank_clearance", {"solver.duration=0.1", "solver.tolerance=1e-8",
                                        std::string("wrist.contact.friction.coefficient=") + friction});
    recording::Recording last;
    const auto t = best_times_s({[&] { last = dynamics::simulate(model); }}, 2.0);
    const std::string with = std::string("slider-crank with clearance, 0.1 s, friction ") + friction;
    line(with.c_str(), t[0], 0.15, "s",
         std::to_string(last.impact_count) + " impacts, " + std::to_string(last.counts.evaluations) +
             " right-hand sides, gap " + text_of(last.ledger.largest_error_J / last.ledger.exchanged_J, 2));
    line("  one right-hand side of it, in contact", 1e6 * clearance_rhs_s(model.model), 1, "us", "");
    line("  right-hand sides of an event beyond the step it cuts",
         static_cast<double>(last.counts.event_evaluations) / static_cast<double>(last.counts.events), 10, "",
         std::to_string(last.counts.events) + " events");
  }
  const model::Compiled few = apart(100), many = apart(1000);
  recording::Recording r_few, r_many;
  const auto t =
      best_times_s({[&] { r_few = dynamics::simulate(few); }, [&] { r_many = dynamics::simulate(many); }}, 1.0);
  line("1000 balls apart, one in contact, over 100 of them", t[1] / t[0], 15, "",
       std::to_string(r_few.counts.steps) + " and " + std::to_string(r_many.counts.steps) + " steps, " +
           text_of(1e3 * t[1], 3) + " ms");
  return met;
}

/// n^3 balls in layers, a little apart, that fall onto a plane and each other.
model::Compiled pile(int n) {
  std::string bodies;
  int k = 0;
  for (int l = 0; l < n; ++l)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j, ++k) {
        const double s = 0.0004 * ((7 * k) % 5 - 2);
        bodies += "  b" + std::to_string(k) + ": {shape: {kind: sphere, radius: 0.05, material: steel}, at: [" +
                  text_of(0.1016 * i + s) + ", " + text_of(0.1016 * j - s) + ", " + text_of(0.0505 + 0.1016 * l) +
                  "]}\n";
      }
  return of_steel(bodies, "law: hunt-crossley, restitution: 0.5, stiffness: 1e7", "0.2 s");
}

/// Balls a metre from each other that bounce on a plane, each at its own time; so low that many are in touch at
/// once.
model::Compiled bouncing(int count) {
  std::string bodies;
  const int side = static_cast<int>(std::ceil(std::sqrt(count)));
  for (int i = 0; i < count; ++i)
    bodies += "  b" + std::to_string(i) + ": {shape: {kind: sphere, radius: 0.05, material: steel}, at: [" +
              text_of(i % side) + ", " + text_of(i / side) + ", " + text_of(0.0501 + 2e-6 * ((i * 7919) % 1000)) +
              "]}\n";
  return of_steel(bodies, "law: flores, restitution: 0.8, stiffness: 1e6", "1 s");
}

/// Processor time per accepted step and body. The run ends after so many steps; it is repeated for at least this
/// long, because ten balls take some milliseconds, in which a clock and a cold cache say little.
struct StepCost {
  double seconds = 1e300;
  std::int64_t steps = 0;
};
void cost_of_steps(const model::Compiled& c, std::int64_t most, double at_least_s, StepCost& best) {
  const std::clock_t begin = std::clock();
  std::int64_t all_steps = 0;
  double spent_s = 0;
  do {
    std::int64_t steps = 0;
    dynamics::Options options;
    options.go_on = [&](double) { return ++steps < most; };
    dynamics::simulate(c, options);
    all_steps += steps;
    best.steps = steps;
    spent_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  } while (spent_s < at_least_s);
  best.seconds = std::min(
      best.seconds, spent_s / static_cast<double>(all_steps) / static_cast<double>(c.model.bodies.size() - 1));
}

bool many_bodies() {
  std::printf("\n(h) many bodies: processor time per accepted step and body; bar: grows by at most 1.5\n");
  bool met = true;
  const auto compare = [&](const char* what, const model::Compiled& few, const model::Compiled& many,
                           std::int64_t steps_few, std::int64_t steps_many) {
    StepCost a, b;
    for (int round = 0; round < 3; ++round) {  // in turn: both see the same machine
      cost_of_steps(few, steps_few, 1, a);
      cost_of_steps(many, steps_many, 1, b);
    }
    const double growth = b.seconds / a.seconds;
    met = met && growth <= 1.5;
    std::printf("    %-26s %5zu: %6.2f us (%lld steps), %5zu: %6.2f us (%lld steps), growth %.2f%s\n", what,
                few.model.bodies.size() - 1, 1e6 * a.seconds, static_cast<long long>(a.steps),
                many.model.bodies.size() - 1, 1e6 * b.seconds, static_cast<long long>(b.steps), growth,
                growth <= 1.5 ? "" : "   MISSED");
  };
  compare("a pile of balls", pile(3), pile(8), 400, 400);
  compare("balls that bounce apart", bouncing(10), bouncing(5000), 2000, 1500);
  for (const int n : {2, 3, 4}) {
    const model::Compiled c = pile(n);
    recording::Recording last;
    const std::clock_t begin = std::clock();
    last = dynamics::simulate(c);
    std::printf("    %3d balls of the pile, 0.2 s: %8.1f ms, %lld steps\n", n * n * n,
                1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC,
                static_cast<long long>(last.counts.steps));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  met = met && megabytes < 200;
  std::printf("    most memory of the benchmark so far, 5000 balls among it: %.0f MB (bar 200)%s\n", megabytes,
              megabytes < 200 ? "" : "   MISSED");
  return met;
}

/// N uniform pendulums hanging from each other, spatial, in a horizontal line at the start.
model::Model chain(int n) {
  std::string bodies, joints;
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i);
    bodies +=
        "  b" + k + ": {mass: 1, inertia: [0.01, 0.1, 0.1], at: [" + text_of(i + 0.5) + ", 0, 0], angle: 0}\n";
    joints += "  j" + k + ": {type: revolute, between: [" +
              (i == 0 ? std::string("ground") : "b" + std::to_string(i - 1)) + ", b" + k + "], at: [" +
              std::to_string(i) + ", 0, 0], axis: y}\n";
  }
  const auto scene =
      io::read_scene_text("bodies:\n" + bodies + "joints:\n" + joints + "solver: {duration: 1 s}\n", "chain.yaml");
  auto model = model::compile(*scene);
  if (!model) std::fprintf(stderr, "%s\n", one_line(model.errors().front()).c_str());
  return std::move(model->model);
}

bool chains() {
  std::printf(
      "\n(f) a chain of N pendulums: one right-hand side; bar: the cost per body at N = 1000 is at most 2 times "
      "that at N = 10\n");
  std::vector<double> per_body;
  for (const int n : {10, 100, 1000}) {
    const model::Model model = chain(n);
    const double t = rhs_s(model, dynamics::initial_state(model), 1);
    per_body.push_back(t / n);
    std::printf("    N = %4d %12.2f us %10.3f us a body\n", n, 1e6 * t, 1e6 * t / n);
  }
  const bool met = per_body.back() < 2 * per_body.front();
  if (!met) std::printf("    MISSED\n");
  return met;
}

}  // namespace

bool bodies() { return many_bodies(); }

bool scenes() {
  bool met = ball_and_crank();
  met = contact_in_mechanisms() && met;
  met = many_bodies() && met;
  met = chains() && met;
  met = against_simbody() && met;
  return met;
}

}  // namespace percuss::bench
