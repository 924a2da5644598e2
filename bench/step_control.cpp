// (j) singular positions of long linkages, and what sticks: the cost of an evaluation and of a run.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "benches.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/dynamics/simulation.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"
#include "step_control_scenes.h"
#include "timing.h"

namespace percuss::bench {

namespace {

model::Compiled compiled(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return std::move(*model::compile(*io::read_scene_text(text, "bench.yaml", overrides)));
}

/// Seconds per evaluation with the cranks at this angle from upright.
double evaluation_s(const model::Compiled& c, double angle) {
  dynamics::State state = dynamics::Simulation(c.model, c.settings).state();
  for (std::size_t b = 1; b < c.model.bodies.size(); ++b) {
    double* q = &state.y[static_cast<std::size_t>(c.model.bodies[b].q_at)];
    const bool is_crank = c.model.bodies[b].name.front() == 'c';
    const double base = is_crank ? q[0] : q[0] - 0.5, length = is_crank ? 0.5 : 1.0;
    q[0] = base + length * std::sin(angle) + (is_crank ? 0 : 0.5);
    q[1] = length * std::cos(angle);
    if (is_crank) q[2] = -angle;
  }
  dynamics::Workspace workspace(c.model);
  return best_times_s({[&] { dynamics::evaluate(c.model, 0, state.y, state.modes, workspace); }}, 0.1)[0];
}

bool flat_positions() {
  std::printf(
      "\n(j) rows of four-bars: time of an evaluation; bars: near the flat position 3x of elsewhere, n^1.2\n");
  std::printf("    %6s %12s %12s %8s %14s %10s\n", "N", "upright", "nearly flat", "ratio", "10 s at 1e-10",
              "steps");
  bool met = true;
  double first_s = 0;
  constexpr double kFlat = 1.5707963267948966;
  for (const int n : {2, 20, 40, 200}) {
    const model::Compiled c = compiled(row_of_four_bars(n, 1e-10));
    const double elsewhere = evaluation_s(c, 0.3),
                 near = std::max(evaluation_s(c, kFlat - 1e-4), evaluation_s(c, kFlat - 1e-6));
    recording::Recording run;
    const double run_s = best_times_s({[&] { run = dynamics::simulate(c); }}, 0.01)[0];
    if (n == 2) first_s = near / n;
    const double exponent = 1 + std::log(near / n / first_s) / std::log(n / 2.0);
    const bool good = near <= 3 * elsewhere && run.end == recording::End::done && (n == 2 || exponent <= 1.2);
    met = met && good;
    std::printf("    %6d %9.2f us %9.2f us %7.2fx %11.1f ms %10lld%s\n", n, 1e6 * elsewhere, 1e6 * near,
                near / elsewhere, 1e3 * run_s, static_cast<long long>(run.counts.steps), good ? "" : "   MISSED");
  }
  return met;
}

bool sticking() {
  struct Law {
    const char *name, *words;
  };
  constexpr Law kLaws[] = {{"kelvin-voigt", "law: kelvin-voigt, restitution: 0.5, stiffness: 1e6"},
                           {"tsuji", "law: tsuji, restitution: 0.5, stiffness: 1e9"},
                           {"flores", "law: flores, restitution: 0.3, stiffness: 1e8"}};
  struct Friction {
    const char *name, *words;
    double bar_s;
  };
  constexpr Friction kFrictions[] = {{"mindlin", "law: mindlin, parameters: {ratio: 0.8}", 4e-3},
                                     {"lugre", "law: lugre", 10e-3},
                                     {"coulomb-tanh", "law: coulomb-tanh, parameters: {slip_speed: 1e-8}", 10e-3}};
  std::printf(
      "\n    a block that sticks for 10 s; bars at 1e-6: mindlin 4 ms, lugre 10 ms (with flores the spring of\n"
      "    mindlin rings undamped: no bar)\n");
  std::printf("    %-14s %-14s %10s %10s %10s\n", "friction", "law", "1e-3", "1e-6", "1e-9");
  bool met = true;
  for (const Friction& f : kFrictions)
    for (const Law& law : kLaws) {
      double t[3] = {};
      const double tolerances[] = {1e-3, 1e-6, 1e-9};
      for (int k = 0; k < 3; ++k) {
        const model::Compiled c =
            compiled(sticking_block(law.words, f.words), {"solver.tolerance=" + text_of(tolerances[k])});
        t[k] = best_times_s({[&] { dynamics::simulate(c); }}, 0.05)[0];
      }
      const bool rings = f.bar_s == kFrictions[0].bar_s && std::string(law.name) == "flores";
      const bool good = rings || t[1] <= f.bar_s;
      met = met && good;
      std::printf("    %-14s %-14s %7.2f ms %7.2f ms %7.2f ms%s\n", f.name, law.name, 1e3 * t[0], 1e3 * t[1],
                  1e3 * t[2], good ? "" : "   MISSED");
    }
  return met;
}

}  // namespace

bool step_control() {
  const bool flat = flat_positions();
  return sticking() && flat;
}

}  // namespace percuss::bench
