// The step control at both ends: what sticks costs little, and a looser tolerance costs no more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "random_cases.h"
#include "scene_runs.h"
#include "step_control_scenes.h"

namespace percuss {
namespace {

struct End {
  double x_m = 0, vx_mps = 0;
  std::int64_t evaluations = 0;
};
End end_of(const std::string& scene, double tolerance) {
  const SceneRun run = run_text(scene, {set("solver.tolerance", tolerance)});
  return {run.samples.last("bodies/block", "x"), run.samples.last("bodies/block", "vx"),
          run.recording.counts.evaluations};
}

constexpr const char* kLaws[] = {
    "law: tsuji, restitution: 0.5, stiffness: 1e9", "law: kelvin-voigt, restitution: 0.5, stiffness: 1e6",
    "law: flores, restitution: 0.3, stiffness: 1e8",
    "law: hunt-crossley, elastic: power, exponent: 1, restitution: 0.5, stiffness: 1e6"};

/// At 0.99 of their limit the bristles of LuGre are deflected by a hundredth of slip forwards, and by twice the
/// slip backwards; at rest slip is an error of either sign. The block settles 2e-4 m down the slope. Errors of the
/// way there are some tolerances, and what slip below 1e-7 of the largest speed would have added.
TEST(StickingBlock, RestsOnItsBristlesAtFewEvaluations) {
  for (const char* law : kLaws) {
    const std::string scene = sticking_block(law, "law: lugre");
    const End exact = end_of(scene, 1e-9);
    for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      const End end = end_of(scene, tolerance);
      EXPECT_NEAR(end.x_m, exact.x_m, (30 * tolerance + 1e-5) * exact.x_m) << law << " at " << tolerance;
      EXPECT_LT(std::abs(end.vx_mps), 1e-7) << law << " at " << tolerance;
      EXPECT_LT(end.evaluations, tolerance > 5e-7 ? 6000 : 15000) << law << " at " << tolerance;
    }
  }
}

/// The contact spring has no damping. Where the law of the normal force damps what rings with it, it comes to rest;
/// otherwise the ringing is the solution, and is followed the more closely the tighter the tolerance.
TEST(StickingBlock, HangsOnItsContactSpring) {
  for (const char* law : kLaws) {
    const std::string scene = sticking_block(law, "law: mindlin, parameters: {ratio: 0.8}");
    const bool is_damped = law == kLaws[0] || law == kLaws[1];
    const End exact = end_of(scene, 1e-7);
    std::int64_t tighter = exact.evaluations;
    for (const double tolerance : {1e-6, 1e-5, 1e-4, 1e-3}) {
      const End end = end_of(scene, tolerance);
      EXPECT_NEAR(end.x_m, exact.x_m, (30 * tolerance + 1e-5) * exact.x_m) << law << " at " << tolerance;
      EXPECT_LT(end.evaluations, 1.4 * static_cast<double>(tighter)) << law << " at " << tolerance;
      if (is_damped) {
        EXPECT_LT(end.evaluations, 8000) << law << " at " << tolerance;
      }
      tighter = end.evaluations;
    }
    EXPECT_LT(tighter, 6000) << law;
  }
}

/// v = v_t artanh(0.99), whatever the tolerance: its errors of velocities may be far above v_t, and are not where
/// the block creeps.
TEST(StickingBlock, CreepsAtTheSpeedOfItsLawUnderLooseTolerances) {
  for (const double rise_mps : {1e-10, 1e-8, 1e-6})
    for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-8}) {
      const End end =
          end_of(sticking_block(kLaws[2], "law: coulomb-tanh, parameters: {slip_speed: " + text_of(rise_mps) + "}"),
                 tolerance);
      const double creep_mps = rise_mps * std::atanh(0.99);
      EXPECT_NEAR(end.vx_mps, creep_mps, 1e-2 * creep_mps) << rise_mps << " at " << tolerance;
      EXPECT_LT(end.evaluations, 10000) << rise_mps << " at " << tolerance;
    }
}

/// Ten seconds of a pendulum at the tightest tolerance that rounding leaves, and balls in a row at the loosest.
TEST(StepControl, IsNotHeldBackByRounding) {
  const auto steps = [](double tolerance) {
    return run_scene("pendulum", {set("solver.tolerance", tolerance)}).recording.counts.steps;
  };
  EXPECT_LT(steps(1e-11), 1.5 * static_cast<double>(steps(1e-10)));  // 10^(1/8) = 1.33
  EXPECT_LT(steps(1e-11), 600);
}
TEST(StepControl, FollowsTheToleranceOfAnImpact) {
  std::string bodies, contacts;
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    bodies += "  b" + n + ": {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [" +
              text_of(0.2 * i) + ", 0, 0]" + (i == 0 ? ", velocity: [1, 0, 0]}\n" : "}\n");
    if (i > 0)
      contacts +=
          "  c" + n + ": {between: [b" + std::to_string(i - 1) + ", b" + n + "], law: hertz, stiffness: 1e9}\n";
  }
  const std::string row = "gravity: [0, 0, 0]\nbodies:\n" + bodies + "contacts:\n" + contacts +
                          "solver: {duration: 10 ms}\noutputs: {every: 10 ms}\n";
  const SceneRun loose = run_text(row, {"solver.tolerance=1e-3"}),
                 tight = run_text(row, {"solver.tolerance=1e-11"});
  EXPECT_LT(loose.recording.counts.evaluations, 400);
  EXPECT_LT(2 * loose.recording.counts.evaluations, tight.recording.counts.evaluations);
  const double published[] = {-.0710850, -.0302738, -.0144636, .1270450, .9887774};
  for (int i = 0; i < 5; ++i) {
    const std::string body = "bodies/b" + std::to_string(i);
    EXPECT_NEAR(tight.samples.last(body, "vx"), published[i], 2e-7);
    EXPECT_NEAR(loose.samples.last(body, "vx"), published[i], 1e-2);
  }
}

/// From decade to decade, 1e-11 to 1e-3, a scene takes at most 1.2 times the evaluations that it takes at any
/// tighter tolerance. Between decades (in full) single steps and bounces more or less count: 1.6 times.
TEST(RandomTolerances, CostNoMoreWhereTheyAreLooser) {
  std::mt19937 random(11);
  std::uniform_real_distribution<> within(0, 1);
  double worst[2] = {};
  std::string where[2];
  int runs = 0;
  for (const auto& file : std::filesystem::directory_iterator(PERCUSS_SOURCE "/scenes")) {
    const std::string name = file.path().stem().string();
    const bool is_long = name == "four_bar_clearance" || name == "governor";
    double least[2] = {1e300, 1e300}, tightest[2] = {};
    for (int decade = 11; decade >= 3; --decade)
      for (int k = 0; k < (decade > 3 ? cases(1, 5) : 1); ++k, ++runs) {
        const bool between = k > 0;
        const double tolerance = std::pow(10, -decade + (between ? (k - within(random)) / 4 : 0));
        std::vector<std::string> overrides{set("solver.tolerance", tolerance), "outputs.at=[]"};
        if (is_long && !tries_all_cases())
          overrides.emplace_back(name == "governor" ? "solver.duration=1" : "solver.duration=0.02");
        const auto cost = static_cast<double>(dynamics::simulate(shipped(name, overrides)).counts.evaluations);
        for (const bool of_all : {false, true}) {
          if (between && !of_all) continue;
          EXPECT_LE(cost, (of_all ? 1.6 : 1.2) * least[of_all])
              << name << ": " << tolerance << " costs more than " << tightest[of_all];
          if (cost / least[of_all] > worst[of_all]) {
            worst[of_all] = cost / least[of_all];
            where[of_all] = name + " at " + text_of(tolerance, 3);
          }
          if (cost < least[of_all]) least[of_all] = cost, tightest[of_all] = tolerance;
        }
      }
  }
  report_figure("evaluations of shipped scenes at tolerances 1e-11 to 1e-3, " + std::to_string(runs) +
                " runs: decades at most " + text_of(worst[0], 3) + " times those at a tighter one (" + where[0] +
                "), any " + text_of(worst[1], 3) + " times (" + where[1] + ")");
}

}  // namespace
}  // namespace percuss
