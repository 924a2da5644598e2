// (h) collisions at many points: on matrices, along chains, against the compliant engine.
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "benches.h"
#include "percuss/collision/system.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/broad_phase.h"
#include "percuss/model/compile.h"
#include "percuss/study/collision_study.h"
#include "timing.h"

namespace percuss::bench {

namespace {

using collision::System;

/// Ten unknowns, four points, the last of them at rest; mass and normals at random, the same every time.
System four_points() {
  std::mt19937 random(5);
  const auto number = [&random] { return static_cast<double>(random() >> 8) / (1 << 23) - 1; };
  System s;
  Eigen::MatrixXd root(10, 10);
  for (double& x : root.reshaped()) x = number();
  s.mass = root * root.transpose() + Eigen::MatrixXd::Identity(10, 10);
  s.normals.resize(4, 10);
  for (double& x : s.normals.reshaped()) x = number();
  s.velocity.resize(10);
  for (double& x : s.velocity) x = number();
  for (int i = 0; i < 4; ++i)
    if (s.normals.row(i).dot(s.velocity) > 0) s.normals.row(i) = -s.normals.row(i);
  s.points = {{1, 0.3, 0}, {2, 0.3, 0}, {0.5, 0.1, 0}, {1, 0.6, 0}};
  return s;
}

System chain(int balls, double mu) {
  System s;
  s.mass = Eigen::MatrixXd::Identity(balls, balls);
  s.normals = Eigen::MatrixXd::Zero(balls - 1, balls);
  for (int i = 0; i + 1 < balls; ++i) s.normals(i, i) = -1, s.normals(i, i + 1) = 1;
  s.velocity = Eigen::VectorXd::Unit(balls, 0);
  s.points.assign(static_cast<std::size_t>(balls - 1), {1, mu, 0});
  return s;
}

}  // namespace

bool collisions() {
  bool met = true;
  const auto line = [&met](const std::string& what, double value, double bar, bool at_least, const char* unit,
                           const std::string& note) {
    const bool good = at_least ? value >= bar : value < bar;
    met = met && good;
    std::printf("    %-62s %9.4g %s (bar %g)  %s%s\n", what.c_str(), value, unit, bar, note.c_str(),
                good ? "" : "   MISSED");
  };
  std::printf("\n(h) collisions at many points\n");
  {
    const System s = four_points();
    std::size_t phases = 0;
    const int n = 20;
    const auto t = best_times_s({[&] {
                                  for (int i = 0; i < n; ++i) phases = collision::collide(s)->outcome.phases.size();
                                }},
                                1.0);
    line("one collision, 4 points, 10 degrees of freedom", 1e6 * t[0] / n, 60, false, "us",
         std::to_string(phases) + " phases");
  }
  double before = 0;
  for (const int balls : {25, 50, 100}) {
    const System s = chain(balls, 0.2);
    std::size_t phases = 0;
    const auto t = best_times_s({[&] { phases = collision::collide(s)->outcome.phases.size(); }}, 0.5);
    const std::string growth = before > 0 ? ", N^" + text_of(std::log2(t[0] / before), 3) : "";
    before = t[0];
    if (balls < 100)
      std::printf("    %-62s %9.4g s  %zu phases%s\n",
                  ("a chain of " + std::to_string(balls) + " balls, mu = 0.2").c_str(), t[0], phases,
                  growth.c_str());
    else
      line("a chain of 100 balls, mu = 0.2", t[0], 2, false, "s", std::to_string(phases) + " phases" + growth);
  }
  for (const char* name : {"two_bars", "hanging_cradle"}) {
    const auto scene = io::read_scene(std::string(PERCUSS_SOURCE) + "/scenes/" + name + ".yaml", {});
    const auto compiled = model::compile(*scene);
    const model::Model& model = compiled->model;
    const dynamics::State state = dynamics::initial_state(model);
    dynamics::Workspace workspace(model);
    model::BroadPhase broad_phase(model);
    collision::Outcome outcome;
    dynamics::Strike strike;
    const auto ours = [&] {  // from the places and velocities of the bodies
      const dynamics::Evaluation& e = dynamics::evaluate(model, 0, state.y, state.modes, workspace);
      strike = dynamics::make_strike(
          model, state.modes, e,
          dynamics::touching_points(model, e.motions, broad_phase.near(e.motions, e.motions, 0), {}));
      outcome = collision::collide(strike.collision);
    };
    ours();
    const model::Model soft = study::with_springs(model, strike);
    model::Settings settings;
    settings.duration_s = 1.2 * outcome.phases.back().end_s;
    recording::Recording run;
    const auto t = best_times_s({ours, [&] { run = dynamics::simulate(soft, settings); }}, 0.5);
    line(std::string(name) + ": the compliant engine at 1e-9 over ours", t[1] / t[0], 30, true, "x",
         text_of(1e6 * t[1], 4) + " us, " + std::to_string(run.counts.evaluations) + " right-hand sides; " +
             text_of(1e6 * t[0], 3) + " us");
  }
  return met;
}

}  // namespace percuss::bench
