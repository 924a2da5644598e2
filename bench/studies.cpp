// (i) sweeps: impacts into the store, scenes on two threads, the cost of a point beyond its run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "benches.h"
#include "percuss/base/units.h"
#include "percuss/study/sweep/analysis.h"
#include "percuss/study/sweep/sweep.h"

namespace percuss::bench {

namespace {

namespace fs = std::filesystem;

bool met = true;

void line(const std::string& what, double value, double bar, bool at_least, const char* unit,
          const std::string& note) {
  const bool ok = at_least ? value >= bar : value <= bar;
  met = met && ok;
  std::printf("    %-62s %9.4g %s  bar %s %g%s  %s\n", what.c_str(), value, unit, at_least ? ">=" : "<=", bar,
              ok ? "" : "  MISSED", note.c_str());
}

struct Ran {
  double wall_s = 0, in_points_s = 0;
  std::size_t points = 0;
};
Ran run(const fs::path& folder, const std::string& text, unsigned threads) {
  const fs::path file = folder / "study.yaml";
  std::ofstream(file) << text;
  const auto study = study::read_study(file, "");
  if (!study) {
    std::printf("    %s\n", one_line(study.errors().front()).c_str());
    met = false;
    return {};
  }
  study::SweepRequest request;
  request.store = folder / "study.db";
  request.version = "bench";
  request.replace = study::Replace::older_store;
  request.threads = threads;
  const auto begin = std::chrono::steady_clock::now();
  const auto out = study::run_sweep(*study, request);
  Ran ran;
  ran.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ran.points = out ? out->run : 0;
  if (auto store = study::Store::read(request.store)) ran.in_points_s = (*store)->wall_total_s();
  return ran;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

bool studies() {
  std::printf("\n(i) studies\n");
  const fs::path folder = fs::temp_directory_path() / "percuss-bench-studies";
  fs::create_directories(folder);
  const std::string impacts = R"(
impact: {law: flores, mass: 1 kg}
axes: {restitution: {from: 0.05, to: 1}, velocity: {from: 0.1, to: 10, scale: log}, stiffness: {from: 1e7, to: 1e10, scale: log}}
sampling: sobol
points: 1000000
outputs: {got: delivered, peak: peak_force, depth: peak_indentation, lost: lost}
)";
  const Ran million = run(folder, impacts, 2);
  line("a million impacts, stored, on two threads", million.wall_s, 20, false, "s",
       text_of(static_cast<double>(million.points) / million.wall_s, 4) + " points/s");

  const std::string cranks = std::string("scene: '") + PERCUSS_SOURCE + R"(/scenes/slider_crank_clearance.yaml'
set: [solver.duration=12 ms, solver.tolerance=1e-8]
axes: {wrist.clearance: {from: 0.1 mm, to: 0.5 mm, count: 200}}
outputs: {peak: peak_force}
)";
  // a round at a time, so that a slow moment of the machine hits both, and the middle of the rounds
  std::vector<double> ratios, ones, twos;
  for (int round = 0; round < 7; ++round) {
    ones.push_back(run(folder, cranks, 1).wall_s);
    twos.push_back(run(folder, cranks, 2).wall_s);
    ratios.push_back(ones.back() / twos.back());
  }
  line("200 slider-cranks: one thread over two", median(ratios), 1.8, true, "x",
       text_of(median(ones), 3) + " s, " + text_of(median(twos), 3) + " s; medians of seven rounds");

  // the same scenes for a nanosecond: reading, compiling, storing
  std::string idle = cranks;
  idle.replace(idle.find("duration=12 ms"), 14, "duration=1 ns");
  const std::string count = "count: 200";
  idle.replace(idle.find(count), count.size(), "count: 2000");
  std::vector<double> whole_us, inside_us;
  for (int round = 0; round < 5; ++round) {
    const Ran nothing = run(folder, idle, 1);
    whole_us.push_back(1e6 * nothing.wall_s / static_cast<double>(nothing.points));
    inside_us.push_back(1e6 * nothing.in_points_s / static_cast<double>(nothing.points));
  }
  line("a point beyond its run: read, compile, store", median(whole_us), 200, false, "us",
       text_of(median(inside_us), 3) + " us of them reading and compiling");
  fs::remove_all(folder);
  return met;
}

}  // namespace percuss::bench
