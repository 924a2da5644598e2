// Mechanisms without contact against closed forms, reductions and published numbers.
#include "scene_runs.h"

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <cmath>

#include "percuss/dynamics/simulation.h"
#include "percuss/ode/dop853.h"
#include "random_cases.h"
#include "step_control_scenes.h"

namespace percuss {
namespace {

// ---- A01: sin(theta/2) = k sn(w t + K, k) from the horizontal, k = sin(45 deg)
// --------------------------------------

struct Place {
  double x, y;
};
Place pendulum_at(double t_s) {
  const double k = std::sqrt(0.5), w = std::sqrt(9.81);
  const double sn = boost::math::jacobi_sn(k, w * t_s + boost::math::ellint_1(k));
  const double half = std::asin(k * sn);  // theta counts from hanging; it starts at 90 degrees on the left
  return {-std::sin(2 * half), -std::cos(2 * half)};
}

TEST(Pendulum, FollowsTheEllipticFunctions) {
  const SceneRun run = run_scene("pendulum");
  for (const auto& [t, x, y] :
       {std::tuple{1.0, 0.98629175113188, -0.16501085312554}, std::tuple{5.0, -0.94230543504376, -0.334754338414},
        std::tuple{10.0, -0.27508746257612, -0.96141920509913}}) {
    EXPECT_NEAR(run.samples.at("bodies/mass", "x", t), x, 1e-10);
    EXPECT_NEAR(run.samples.at("bodies/mass", "y", t), y, 1e-10);
    EXPECT_NEAR(pendulum_at(t).x, x, 1e-12);
  }
  for (const auto& row : run.samples.rows("bodies/mass")) {
    EXPECT_NEAR(row[1], pendulum_at(row[0]).x, 1e-10);
    EXPECT_NEAR(row[2], pendulum_at(row[0]).y, 1e-10);
  }
  EXPECT_LT(gap_share(run), 1e-12);
}

TEST(Pendulum, IsStillRightAfterAThousandSeconds) {
  const SceneRun run = run_scene("pendulum", {"solver.duration=1000", "outputs.every=100", "outputs.at=[]"});
  EXPECT_NEAR(run.samples.last("bodies/mass", "x"), pendulum_at(1000).x, 1e-7);
  EXPECT_NEAR(run.samples.last("bodies/mass", "y"), pendulum_at(1000).y, 1e-7);
  EXPECT_LT(run.recording.worst_position_residual, 1e-11);
}

TEST(Pendulum, BaumgarteHoldsTheRodWithoutProjection) {
  const SceneRun run = run_scene("pendulum", {"solver.stabilization=baumgarte"});
  EXPECT_NEAR(run.samples.last("bodies/mass", "x"), pendulum_at(10).x, 1e-8);
  EXPECT_EQ(run.recording.ledger.end.by_projection_J, 0);
  EXPECT_NEAR(std::hypot(run.samples.last("bodies/mass", "x"), run.samples.last("bodies/mass", "y")), 1, 1e-10);
}

// ---- A02: I q'' = G sin q, one degree of freedom
// ---------------------------------------------------------------------

struct OneDegree {
  double q, rate;
};
OneDegree four_bar_reduction(double speed, double t_end, int N = 2) {
  const double inertia = (N + 1) / 3.0 + N, gravity = 9.81 * ((N + 1) / 2.0 + N);
  const auto rhs = [&](double, std::span<const double> y, std::span<double> d) {
    d[0] = y[1];
    d[1] = gravity / inertia * std::sin(y[0]);
  };
  ode::Dop853<> solver(2, {1e-14, 1e-14});
  solver.start(rhs, 0, std::array{0.0, speed});
  while (solver.t() < t_end) EXPECT_EQ(solver.step(rhs, t_end), ode::StepOutcome::accepted);
  return {solver.y()[0], solver.y()[1]};
}

TEST(FourBar, TheReductionGivesTheReferenceNumbers) {
  const OneDegree end = four_bar_reduction(1, 10);
  EXPECT_NEAR(std::sin(end.q), 0.3284581115, 1e-9);
  EXPECT_NEAR(std::cos(end.q), 0.9445185382, 1e-9);
}

/// tolerance, initial speed
class FourBar : public ::testing::TestWithParam<std::pair<double, double>> {};

TEST_P(FourBar, PassesItsFlatPositionWithoutLockingOrLeavingItsBranch) {
  const auto [tolerance, speed] = GetParam();
  const SceneRun run =
      run_scene("four_bar", {set("solver.tolerance", tolerance), set("bodies.crank0.angular_velocity", -speed)});
  const OneDegree end = four_bar_reduction(speed, 10);
  EXPECT_NEAR(run.samples.last("channels", "top_x"), std::sin(end.q), 1e-7);
  EXPECT_NEAR(run.samples.last("channels", "top_y"), std::cos(end.q), 1e-7);
  EXPECT_NEAR(-run.samples.last("bodies/crank0", "w"), end.rate, 1e-6);
  EXPECT_NEAR(run.samples.last("bodies/link1", "angle"), 0, 1e-7) << "the links stay level";
  if (tolerance <= 1e-12) {
    EXPECT_LT(gap_share(run), 1e-9);
  }
}
INSTANTIATE_TEST_SUITE_P(TolerancesAndSpeeds, FourBar,
                         ::testing::Values(std::pair{1e-9, 1.0}, std::pair{1e-10, 1.0}, std::pair{1e-11, 1.0},
                                           std::pair{1e-12, 1.0}, std::pair{1e-10, 0.9}, std::pair{1e-10, 0.95},
                                           std::pair{1e-10, 1.03}, std::pair{1e-10, 1.07}, std::pair{1e-10, 1.1},
                                           std::pair{1e-12, 0.9}, std::pair{1e-12, 0.97}, std::pair{1e-12, 1.1},
                                           std::pair{1e-9, 0.93}, std::pair{1e-9, 1.1}, std::pair{1e-11, 1.05}));

struct EndOfRow {
  double error_m = 0;
  dynamics::Counts counts;
};
EndOfRow run_row_of_four_bars(int n, double tolerance) {
  const model::Compiled c = must_compile(io::read_scene_text(row_of_four_bars(n, tolerance), "row.yaml"));
  dynamics::Simulation sim(c.model, c.settings);
  while (sim.step() == dynamics::Progress::going) {
  }
  EXPECT_EQ(sim.progress(), dynamics::Progress::done) << n << " at " << tolerance << ": " << sim.failure();
  const dynamics::State& end = sim.current();
  const double* q = &end.y[static_cast<std::size_t>(c.model.bodies[1].q_at)];
  const OneDegree exact = four_bar_reduction(1, 10, n);
  return {
      std::hypot(q[0] - 0.5 * std::sin(q[2]) - std::sin(exact.q), q[1] + 0.5 * std::cos(q[2]) - std::cos(exact.q)),
      end.counts};
}

TEST(RowOfFourBars, TheReductionGivesTheReferenceNumbers) {
  const OneDegree end = four_bar_reduction(1, 10, 40);
  EXPECT_NEAR(std::sin(end.q), 0.1805122266838, 1e-11);
  EXPECT_NEAR(std::cos(end.q), 0.9835727405829, 1e-11);
}

/// The error grows from step to step; 30 times the tolerance holds from 1e-6 on, and 2e-8 is what rounding leaves
/// of the eight flat positions.
TEST(RowOfFourBars, PassesItsFlatPositionsAtAnyLengthAndTolerance) {
  for (const int n : {2, 3, 5, 10, 20, 40})
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12})
      EXPECT_LE(run_row_of_four_bars(n, tolerance).error_m, 30 * tolerance + 2e-8) << n << " at " << tolerance;
  EXPECT_LE(run_row_of_four_bars(200, 1e-9).error_m, 30 * 1e-9 + 2e-8);
}

TEST(RandomRowsOfFourBars, PassTheirFlatPositions) {
  double worst = 0;
  int runs = 0;
  for (int n = 2; n <= 200; n += n < 20 ? cases(5, 1) : cases(90, 15))
    for (double tolerance = 1e-6; tolerance > 0.5e-12; tolerance /= cases(1000, 10), ++runs) {
      const double error = run_row_of_four_bars(n, tolerance).error_m, bar = 30 * tolerance + 2e-8;
      EXPECT_LE(error, bar) << n << " at " << tolerance;
      worst = std::max(worst, error / bar);
    }
  report_figure("rows of 2 to 200 four-bars, tolerances 1e-6 to 1e-12, " + std::to_string(runs) +
                " runs: largest error over 30 x tolerance + 2e-8: " + text_of(worst, 3));
}

/// A position counts as singular where something is: not in a row that passes in large steps, nor where a light
/// body holds a heavy one and pivots are small everywhere.
TEST(RowOfFourBars, SaysWhereItIsSingular) {
  EXPECT_GT(run_row_of_four_bars(2, 1e-12).counts.near_singular, 0);
  EXPECT_EQ(run_row_of_four_bars(2, 1e-6).counts.near_singular, 0);
}

/// Two bars, the first ever lighter: a pendulum, in the limit. Of the same length, angles and rates are those of
/// a double pendulum with a light first bar, here against the same one by radau5 at a tighter tolerance.
TEST(LightRod, HoldsAHeavyOneExactly) {
  for (const double light : {1e-4, 1e-6, 1.5e-7, 1e-7}) {
    const auto end = [light](double tolerance, const char* method) {
      const model::Compiled c = must_compile(io::read_scene_text(
          "planar: true\nbodies:\n  light: {mass: " + text_of(light) + ", inertia: " + text_of(light / 12) +
              ", at: [0.5, 0], angle: 0}\n  heavy: {mass: 1, inertia: 1, at: [1.5, 0], angle: 0}\njoints:\n"
              "  p: {type: revolute, between: [ground, light], at: [0, 0]}\n"
              "  q: {type: revolute, between: [light, heavy], at: [1, 0]}\ngravity: [0, -9.81]\n"
              "solver: {duration: 0.5, tolerance: " +
              text_of(tolerance) + ", integrator: " + method + "}\n",
          "light.yaml"));
      dynamics::Simulation sim(c.model, c.settings);
      while (sim.step() == dynamics::Progress::going) {
      }
      EXPECT_EQ(sim.progress(), dynamics::Progress::done) << sim.failure();
      EXPECT_EQ(sim.current().counts.near_singular, 0) << light;
      return sim.current().y;
    };
    const auto loose = end(1e-9, "dop853"), tight = end(1e-11, "dop853");
    for (int k = 3; k < 6; ++k)
      EXPECT_NEAR(loose[static_cast<std::size_t>(k)], tight[static_cast<std::size_t>(k)], 1e-7) << light;
  }
}

// ---- A03: published numbers
// -------------------------------------------------------------------------------------------

TEST(Squeezer, ReachesThePublishedEnd) {
  const SceneRun run = run_scene("squeezer");
  for (const auto& [name, value] :
       {std::pair{"beta", 15.81077119629904}, std::pair{"theta", -15.75637105984298},
        std::pair{"gamma", 0.04082224013073}, std::pair{"phi", -0.5347301163226948},
        std::pair{"delta", 0.5244099658805304}, std::pair{"omega", 0.5347301163226948},
        std::pair{"epsilon", 1.048080741042263}, std::pair{"beta_rate", 1139.920302151208},
        std::pair{"theta_rate", -1424.379294994111}})
    EXPECT_NEAR(run.samples.at("channels", name, 0.03) / value, 1, 1e-7) << name;
  EXPECT_LT(gap_share(run), 1e-9);
}

// ---- A05: symmetric reduction
// ----------------------------------------------------------------------------------------

TEST(Governor, RisesAsTheReductionSays) {
  const SceneRun run = run_scene("governor");
  EXPECT_NEAR(run.samples.at("channels", "s", 1), 0.501420922, 1e-6);
  EXPECT_NEAR(run.samples.at("channels", "s", 5), 0.535563104, 1e-6);
  EXPECT_NEAR(run.samples.at("channels", "s", 10), 0.619622917, 1e-6);
  EXPECT_NEAR(run.samples.at("channels", "omega", 10), 5.54820362, 1e-6);
}

TEST(Governor, EnergyBalanceClosesBetterWithTheTolerance) {
  double last = 1;
  for (const char* tolerance : {"1e-6", "1e-7", "1e-8", "1e-10"}) {
    const SceneRun run =
        run_scene("governor", {"solver.tolerance=" + std::string(tolerance), "solver.duration=2", "outputs.at=[]"});
    EXPECT_LT(gap_share(run), last) << tolerance;
    last = gap_share(run);
  }
  EXPECT_LT(last, 1e-9);
}

// ---- the same mechanism in the plane and in space
// ---------------------------------------------------------------------

const char* const kCrankInThePlane = R"(
planar: true
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.001, at: [0.05, 0], angle: 0, angular_velocity: 10}
  rod: {mass: 2, inertia: 0.02, at: [0.25, 0], angle: 0}
  slider: {mass: 1.5, inertia: 0.003, at: [0.4, 0], angle: 0}
joints:
  base: {type: revolute, between: [ground, crank], at: [0, 0]}
  pin: {type: revolute, between: [crank, rod], at: [0.1, 0]}
  wrist: {type: revolute, between: [rod, slider], at: [0.4, 0]}
  guide: {type: prismatic, between: [ground, slider], at: [0.4, 0], axis: x}
solver: {duration: 1 s, tolerance: 1e-12}
)";
const char* const kCrankInSpace = R"(
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1, inertia: 0.001, at: [0.05, 0, 0], angle: 0, angular_velocity: [0, 0, 10]}
  rod: {mass: 2, inertia: 0.02, at: [0.25, 0, 0], angle: 0}
  slider: {mass: 1.5, inertia: 0.003, at: [0.4, 0, 0], angle: 0}
joints:
  base: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}
  pin: {type: revolute, between: [crank, rod], at: [0.1, 0, 0], axis: z}
  wrist: {type: revolute, between: [rod, slider], at: [0.4, 0, 0], axis: z}
  guide: {type: prismatic, between: [ground, slider], at: [0.4, 0, 0], axis: x}
solver: {duration: 1 s, tolerance: 1e-12}
)";

TEST(PlaneAndSpace, TheSameMechanismMovesAndReactsAlike) {
  const SceneRun flat = run_text(kCrankInThePlane), space = run_text(kCrankInSpace);
  EXPECT_EQ(space.model.redundant_rows().size(), 3U) << "of 20 rows on 18 velocities, one motion is left";
  ASSERT_EQ(flat.samples.rows("joints/pin").size(), space.samples.rows("joints/pin").size());
  for (const char* body : {"bodies/crank", "bodies/rod", "bodies/slider"})
    for (const char* name : {"x", "y", "vx", "vy"})
      for (const double t : {0.2, 0.5, 1.0})
        EXPECT_NEAR(flat.samples.at(body, name, t), space.samples.at(body, name, t), 1e-9) << body << " " << name;
  for (const char* joint : {"joints/base", "joints/pin", "joints/wrist"})
    for (const char* name : {"fx", "fy", "angle"})
      for (const double t : {0.0, 0.2, 0.5, 1.0})
        EXPECT_NEAR(flat.samples.at(joint, name, t), space.samples.at(joint, name, t), 1e-6)
            << joint << " " << name;
  for (const double t : {0.2, 0.5, 1.0})
    EXPECT_NEAR(flat.samples.at("joints/guide", "fy", t), space.samples.at("joints/guide", "fy", t), 1e-6);
  EXPECT_LT(gap_share(space), 1e-10);
}

TEST(PlaneAndSpace, AnOverconstrainedLoopRunsAndNamesItsRedundantRows) {
  const SceneRun run = run_text(kCrankInSpace);
  for (const std::string& row : run.model.redundant_rows()) EXPECT_NE(row.find('['), std::string::npos);
  EXPECT_EQ(run.model.velocity_count - static_cast<int>(run.model.rows.size() - run.model.redundant_rows().size()),
            1);
}

}  // namespace
}  // namespace percuss
