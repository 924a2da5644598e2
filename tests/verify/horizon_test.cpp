// Until when a run is predictable.
#include <cmath>

#include "percuss/recording/facts.h"
#include "scene_runs.h"

namespace percuss {
namespace {

const std::vector<std::string> kLong = {"solver.duration=0.12"};

recording::Recording with_horizon(const std::string& scene, std::vector<std::string> overrides, double tolerance) {
  overrides.push_back("outputs.horizon=true");
  overrides.push_back(set("solver.tolerance", tolerance));
  return run_scene(scene, overrides).recording;
}

recording::Recording without(const std::string& scene, std::vector<std::string> overrides, double tolerance) {
  overrides.push_back(set("solver.tolerance", tolerance));
  return run_scene(scene, overrides).recording;
}

/// Two runs of their own: until the horizon they tell the same impacts, soon after it they tell others.
TEST(Horizon, ImpactsBeforeItAreThoseOfATighterToleranceAndImpactsAfterItAreNot) {
  const double tolerance = 1e-8;
  const recording::Recording run = with_horizon("slider_crank_clearance", kLong, tolerance);
  const recording::Recording tighter = without("slider_crank_clearance", kLong, tolerance / 100);
  ASSERT_TRUE(run.horizon.has_value());
  ASSERT_FALSE(run.horizon->together());
  const double parted_s = run.horizon->parted_s;
  std::size_t before = 0;
  while (run.impacts[before].touch_s < 0.95 * parted_s) {
    const recording::Impact &a = run.impacts[before], &b = tighter.impacts[before];
    EXPECT_NEAR(a.touch_s, b.touch_s, 0.05 * b.touch_s) << before;
    EXPECT_NEAR(a.approach_speed_mps, b.approach_speed_mps, 0.05 * b.approach_speed_mps) << before;
    ++before;
  }
  EXPECT_GT(before, 5U);
  double largest = 0;
  for (std::size_t i = before; i < std::min(run.impacts.size(), tighter.impacts.size()); ++i)
    if (run.impacts[i].touch_s < 2 * parted_s)
      largest = std::max(largest,
                         std::abs(run.impacts[i].approach_speed_mps / tighter.impacts[i].approach_speed_mps - 1));
  EXPECT_GT(largest, 0.2);
}

TEST(Horizon, ComesLaterAtATighterTolerance) {
  double last_s = 0;
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const recording::Recording run = with_horizon("slider_crank_clearance", kLong, tolerance);
    ASSERT_TRUE(run.horizon.has_value());
    const double now_s = run.horizon->together() ? run.time_s : run.horizon->parted_s;
    EXPECT_GT(now_s, 1.2 * last_s) << tolerance;
    last_s = now_s;
  }
}

/// Where nothing is chaotic the difference that it tells is that of the two solutions, measured from outside.
TEST(Horizon, IsTheEndOfARegularMotionAndTheDifferenceIsTheOneOfTwoRuns) {
  const recording::Recording run = with_horizon("bouncing_ball", {}, 1e-7);
  ASSERT_TRUE(run.horizon.has_value());
  EXPECT_TRUE(run.horizon->together());
  const SceneRun a = run_scene("bouncing_ball", {"solver.tolerance=1e-7", "outputs.in_contact=false"}),
                 b = run_scene("bouncing_ball", {"solver.tolerance=1e-9", "outputs.in_contact=false"});
  double largest = 0, low = 1e300, high = -1e300;
  const std::size_t z = a.samples.column("bodies/ball", "z");
  const auto &p = a.samples.rows("bodies/ball"), &q = b.samples.rows("bodies/ball");
  ASSERT_EQ(p.size(), q.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    largest = std::max(largest, std::abs(p[i][z] - q[i][z]));
    low = std::min(low, p[i][z]), high = std::max(high, p[i][z]);
  }
  // samples stand elsewhere than steps, and the staircase leaves out a quarter
  EXPECT_GT(run.horizon->largest_difference, 0.3 * largest / (high - low));
  EXPECT_LT(run.horizon->largest_difference, 3 * largest / (high - low));
}

TEST(Horizon, ChangesNoBitOfTheMotionAndGoesThroughACheckpoint) {
  model::Compiled compiled = shipped("slider_crank_clearance", {"solver.duration=0.04", "solver.tolerance=1e-8"});
  const std::uint64_t alone = dynamics::simulate(compiled).fingerprint;
  compiled.settings.horizon = true;
  const recording::Recording whole = dynamics::simulate(compiled);
  EXPECT_EQ(whole.fingerprint, alone);
  dynamics::Checkpoint kept;
  long steps = 0;
  dynamics::Options options;
  options.wants_checkpoint = [&] { return ++steps == whole.counts.steps / 2; };
  options.keep_checkpoint = [&](const dynamics::Checkpoint& c) { kept = c; };
  dynamics::simulate(compiled, options);
  dynamics::Options again;
  again.resume = &kept;
  const recording::Recording resumed = dynamics::simulate(compiled, again);
  EXPECT_EQ(resumed.fingerprint, alone);
  ASSERT_TRUE(resumed.horizon && whole.horizon);
  EXPECT_EQ(resumed.horizon->parted_s, whole.horizon->parted_s);
  EXPECT_EQ(resumed.horizon->largest_difference, whole.horizon->largest_difference);
}

TEST(Horizon, IsAFactOfTheRecording) {
  recording::Recording run, read;
  run.horizon = recording::Horizon{"tolerance 1e-10", 0.0123, 0.5};
  set_facts(recording::closing_facts(run), read);
  ASSERT_TRUE(read.horizon.has_value());
  EXPECT_EQ(read.horizon->against, "tolerance 1e-10");
  EXPECT_EQ(read.horizon->parted_s, 0.0123);
  EXPECT_EQ(read.horizon->largest_difference, 0.5);
  run.horizon->parted_s = recording::kNone;
  set_facts(recording::closing_facts(run), read);
  EXPECT_TRUE(read.horizon->together());
  run.horizon.reset();
  recording::Recording none;
  set_facts(recording::closing_facts(run), none);
  EXPECT_FALSE(none.horizon.has_value());
}

/// With a fixed step the second solution has a shorter one.
TEST(Horizon, OfAFixedStepIsThatOfAShorterStep) {
  const recording::Recording run = run_scene("pendulum", {"solver.integrator=verlet", "solver.step=1e-3",
                                                          "outputs.horizon=true", "outputs.at=[]"})
                                       .recording;
  ASSERT_TRUE(run.horizon.has_value());
  EXPECT_EQ(run.horizon->against, "step 0.00025 s");
}

}  // namespace
}  // namespace percuss
