// The integrator as a component: dense output, roots, limits.
#include <array>
#include <cmath>
#include <limits>

#include "percuss/ode/dop853.h"
#include "percuss/ode/root.h"

namespace percuss::ode {
namespace {

const auto oscillator = [](double, std::span<const double> y, std::span<double> d) {
  d[0] = y[1];
  d[1] = -y[0];
};

TEST(Dop853, EndsExactlyAtTheLimit) {
  Dop853<> solver(2, {1e-10, 1e-10});
  solver.start(oscillator, 0, std::array{1.0, 0.0});
  while (solver.t() < 10) ASSERT_EQ(solver.step(oscillator, 10), StepOutcome::accepted);
  EXPECT_EQ(solver.t(), 10);
  EXPECT_NEAR(solver.y()[0], std::cos(10.0), 1e-9);
}

TEST(Dop853, DenseOutputMeetsBothEndsOfAStepAndTheSolutionBetween) {
  Dop853<> solver(2, {1e-10, 1e-10});
  solver.start(oscillator, 0, std::array{1.0, 0.0});
  for (int i = 0; i < 5; ++i) ASSERT_EQ(solver.step(oscillator, 100), StepOutcome::accepted);
  solver.prepare_dense(oscillator);
  std::array<double, 2> y{};
  solver.interpolate(solver.t(), y);
  EXPECT_NEAR(y[0], solver.y()[0], 1e-15);
  solver.interpolate(solver.t_old(), y);
  EXPECT_EQ(y[0], solver.y_old()[0]);
  for (double s = 0; s <= 1; s += 0.1) {
    const double t = solver.t_old() + s * (solver.t() - solver.t_old());
    solver.interpolate(t, y);
    EXPECT_NEAR(y[0], std::cos(t), 1e-9);
  }
  const double t = solver.t_old() + 0.4 * (solver.t() - solver.t_old());
  solver.step_again_to(oscillator, t, y);
  EXPECT_NEAR(y[0], std::cos(t), 1e-10);
}

TEST(Dop853, ErrorFallsWithTheTolerance) {
  double last = 1;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    Dop853<> solver(2, {tolerance, tolerance});
    solver.start(oscillator, 0, std::array{1.0, 0.0});
    while (solver.t() < 20) ASSERT_EQ(solver.step(oscillator, 20), StepOutcome::accepted);
    const double error = std::hypot(solver.y()[0] - std::cos(20.0), solver.y()[1] + std::sin(20.0));
    EXPECT_LT(error, 100 * tolerance);
    EXPECT_LT(error, last);
    last = error;
  }
}

TEST(Dop853, APoleEndsTheRunInsteadOfHangingIt) {
  const auto blow_up = [](double, std::span<const double> y, std::span<double> d) {
    d[0] = y[0] * y[0];
  };  // infinite at t = 1
  Dop853<> solver(1, {1e-9, 1e-9});
  solver.start(blow_up, 0, std::array{1.0});
  StepOutcome outcome = StepOutcome::accepted;
  for (int i = 0; i < 10'000 && outcome == StepOutcome::accepted; ++i) outcome = solver.step(blow_up, 2);
  EXPECT_NE(outcome, StepOutcome::accepted);
  EXPECT_NEAR(solver.t(), 1, 1e-6);
}

TEST(Dop853, ANanIsAFailureNotAnEndlessLoop) {
  const auto bad = [](double t, std::span<const double>, std::span<double> d) {
    d[0] = t > 0.5 ? std::nan("") : 1;
  };
  Dop853<> solver(1, {1e-9, 1e-9});
  solver.start(bad, 0, std::array{0.0});
  StepOutcome outcome = StepOutcome::accepted;
  for (int i = 0; i < 10'000 && outcome == StepOutcome::accepted; ++i) outcome = solver.step(bad, 1);
  EXPECT_NE(outcome, StepOutcome::accepted);
}

TEST(Dop853, GivesTheSameBitsWithAFixedDimension) {
  Dop853<> free(2, {1e-10, 1e-10});
  Dop853<2> fixed(2, {1e-10, 1e-10});
  free.start(oscillator, 0, std::array{1.0, 0.0});
  fixed.start(oscillator, 0, std::array{1.0, 0.0});
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(free.step(oscillator, 100), StepOutcome::accepted);
    ASSERT_EQ(fixed.step(oscillator, 100), StepOutcome::accepted);
    EXPECT_EQ(free.t(), fixed.t());
    EXPECT_EQ(free.y()[0], fixed.y()[0]);
  }
}

TEST(Roots, AreLocatedToTheLastBitsOnTheFarSide) {
  const auto g = [](double t) { return std::cos(t); };
  const double root = locate_root(g, 1, 2, g(1), g(2));
  EXPECT_NEAR(root, M_PI / 2, 4e-16);
  EXPECT_LE(g(root), 0);
  EXPECT_EQ(locate_root(g, 0, 1, 0.0, 1.0), 0) << "a root at the start is the start";
}

}  // namespace
}  // namespace percuss::ode
