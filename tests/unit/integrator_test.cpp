// Every integrator of the table: order, dense output, events, corrected states.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "percuss/ode/integrator.h"
#include "percuss/ode/newton_matrix.h"
#include "percuss/ode/root.h"

namespace percuss::ode {

void PrintTo(const IntegratorRow& row, std::ostream* out) { *out << row.key; }

namespace {

/// x'' = -x - 0.3 x' + sin(2 t); the power of the drive is kept for each stage.
class Driven final : public System {
 public:
  std::size_t positions() const override { return 1; }
  void slope(double t, std::span<const double> y, std::span<double> d, int which) override {
    ++evaluations;
    d[0] = y[1];
    d[1] = -y[0] - 0.3 * y[1] + std::sin(2 * t);
    const double power = std::sin(2 * t) * y[1];
    if (which == kAtState) at_state = power;
    if (which >= 0) power_at[static_cast<std::size_t>(which)] = power;
  }
  void position_slope(double, std::span<const double> y, std::span<double> d) override { d[0] = y[1]; }
  long evaluations = 0;
  double at_state = 0;
  std::array<double, 16> power_at{};
};

/// Particular solution a cos 2t + b sin 2t, and the decaying one that meets x(0) = 1, x'(0) = 0.
double exact(double t) {
  const double det = 9 + 0.36, a = -0.6 / det, b = -3 / det;
  const double w = std::sqrt(1 - 0.0225), c = 1 - a, s = (-2 * b + 0.15 * c) / w;
  return a * std::cos(2 * t) + b * std::sin(2 * t) +
         std::exp(-0.15 * t) * (c * std::cos(w * t) + s * std::sin(w * t));
}

Weights loose() { return {{1e9, 1e9}}; }
Weights tight(double tolerance) { return {{tolerance, tolerance}}; }

class EveryIntegrator : public ::testing::TestWithParam<IntegratorRow> {};

/// n equal steps over [0, 4]; loose weights accept them all.
struct Errors {
  double end = 0, dense = 0, event = 0;
};
Errors errors_with_steps(const IntegratorRow& row, int n) {
  Driven system;
  const Weights weights = loose();  // every step is accepted
  const double h = 4.0 / n;
  const auto solver = row.make(system, weights, {1e-13, h});
  Errors errors;
  std::array<double, 2> y{1, 0};
  solver->start(0, y, h);
  for (int i = 1; i <= n; ++i) {
    EXPECT_EQ(solver->step(4.0 * i / n), StepOutcome::accepted);
    solver->go_on_from(std::vector<double>(solver->y().begin(), solver->y().end()));
    errors.end = std::max(errors.end, std::abs(solver->y()[0] - exact(solver->t())));
    solver->prepare_dense();
    for (double s = 0.15; s < 1; s += 0.2) {
      const double t = solver->t_old() + s * (solver->t() - solver->t_old());
      solver->interpolate(t, y);
      errors.dense = std::max(errors.dense, std::abs(y[0] - exact(t)));
    }
    if (errors.event == 0 && exact(solver->t_old()) > 0 && exact(solver->t()) <= 0) {  // the event x = 0, located
      const auto g = [&](double t) {
        solver->interpolate(t, y);
        return y[0];
      };
      const double t = locate_root(g, solver->t_old(), solver->t(), g(solver->t_old()), g(solver->t()));
      solver->interpolate(t, y);
      errors.event = std::max(std::abs(y[0] - exact(t)), 1e-16);
    }
  }
  return errors;
}

TEST_P(EveryIntegrator, ConvergesAtTheOrderItsRowClaims) {
  const IntegratorRow& row = GetParam();
  const int n = row.order >= 8 ? 8 : row.order >= 5 ? 16 : 128;
  const Errors coarse = errors_with_steps(row, n), fine = errors_with_steps(row, 2 * n);
  EXPECT_NEAR(std::log2(coarse.end / fine.end), row.order, 0.8) << coarse.end << " " << fine.end;
  EXPECT_GT(std::log2(coarse.dense / fine.dense), row.dense_order - 0.5) << coarse.dense << " " << fine.dense;
  EXPECT_GT(std::log2(coarse.event / fine.event), row.dense_order - 0.5)
      << "the state at a located event has the order of the dense output: " << coarse.event << " " << fine.event;
}

TEST_P(EveryIntegrator, ErrorFallsWithTheTolerance) {
  const IntegratorRow& row = GetParam();
  if (row.fixed_step) return;  // no error control
  double last = 1;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Driven system;
    const Weights weights = tight(tolerance);
    const auto solver = row.make(system, weights, {tolerance, 0});
    std::array<double, 2> y{1, 0};
    solver->start(0, y, 0);
    while (solver->t() < 10) {
      ASSERT_EQ(solver->step(10), StepOutcome::accepted);
      solver->go_on_from(std::vector<double>(solver->y().begin(), solver->y().end()));
    }
    EXPECT_EQ(solver->t(), 10);
    const double error = std::abs(solver->y()[0] - exact(10));
    EXPECT_LT(error, 2000 * tolerance);
    EXPECT_LT(error, last);
    last = error;
  }
}

TEST_P(EveryIntegrator, GoesOnFromACorrectedState) {
  const IntegratorRow& row = GetParam();
  Driven system;
  const Weights weights = tight(1e-9);
  const auto solver = row.make(system, weights, {1e-9, 1e-3});
  std::array<double, 2> y{1, 0};
  solver->start(0, y, 0);
  const auto step_to = [&](double t) {
    while (solver->t() < t) {
      ASSERT_EQ(solver->step(t), StepOutcome::accepted);
      if (solver->t() < t) solver->go_on_from(std::vector<double>(solver->y().begin(), solver->y().end()));
    }
  };
  step_to(1);
  solver->prepare_dense();
  std::array<double, 2> before{}, after{};
  const double t = (solver->t() + solver->t_old()) / 2;
  solver->interpolate(t, before);
  std::ranges::copy(solver->y(), y.begin());
  y[0] += 0.5;
  solver->go_on_from(y);
  solver->interpolate(t, after);
  EXPECT_EQ(before, after) << "the last step's interpolant stays";
  step_to(2);
  // linear: the correction evolves by the homogeneous solution
  const double w = std::sqrt(1 - 0.0225);
  const double moved = 0.5 * std::exp(-0.15) * (std::cos(w) + 0.15 / w * std::sin(w));
  EXPECT_NEAR(solver->y()[0], exact(2) + moved, row.fixed_step ? 1e-6 : 1e-7);
}

TEST_P(EveryIntegrator, StiffOnesTakeLongStepsWhereOthersCannot) {
  class Stiff final : public System {
   public:
    void slope(double t, std::span<const double> y, std::span<double> d, int) override {
      d[0] = -1e6 * (y[0] - std::cos(t));
    }
    void position_slope(double, std::span<const double>, std::span<double>) override {}
  } system;
  const IntegratorRow& row = GetParam();
  if (!row.stiff) return;
  const Weights weights{{1e-8}};
  const auto solver = row.make(system, weights, {1e-8, 0});
  const std::array<double, 1> y{1};
  solver->start(0, y, 0);
  while (solver->t() < 10) {
    ASSERT_EQ(solver->step(10), StepOutcome::accepted);
    solver->go_on_from(std::vector<double>(solver->y().begin(), solver->y().end()));
  }
  EXPECT_NEAR(solver->y()[0], std::cos(10.0), 2e-6);
  EXPECT_LT(solver->accepted() + solver->rejected(), 2000);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryIntegrator,
                         ::testing::ValuesIn(integrator_rows().begin(), integrator_rows().end()),
                         [](const auto& row) { return std::string(row.param.key); });

TEST(NewtonMatrix, IsTheDenseOneWithFewerEvaluations) {
  const std::size_t n = 120, block = 4;  // a chain of blocks, each coupled with its neighbours
  ode::Coupling chain;
  for (std::size_t i = 0; i < n; ++i) chain.block_of.push_back(static_cast<int>(i / block));
  for (int b = 0; b < static_cast<int>(n / block); ++b) {
    chain.reads.push_back({b});
    if (b > 0) chain.reads.back().push_back(b - 1);
    if (b + 1 < static_cast<int>(n / block)) chain.reads.back().push_back(b + 1);
  }
  int calls = 0;
  const auto slope = [&](std::span<const double> y, std::span<double> d) {
    ++calls;
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = -3 * y[i] * y[i];
      const std::size_t b = i / block;
      for (std::size_t j = b > 0 ? (b - 1) * block : 0; j < std::min(n, (b + 2) * block); ++j)
        d[i] += 0.1 * std::sin(y[j] + static_cast<double>(i));
    }
  };
  std::vector<double> y(n), d(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = std::cos(static_cast<double>(i));
  slope(y, d);
  ode::NewtonMatrix sparse, dense;
  sparse.lay_out(n, chain);
  dense.lay_out(n, {});
  ASSERT_TRUE(sparse.is_sparse());
  ASSERT_FALSE(dense.is_sparse());
  const auto by = [](std::size_t) { return 1e-7; };
  calls = 0;
  sparse.difference(y, d, by, slope);
  EXPECT_LE(calls, 3 * static_cast<int>(block)) << "three colours";
  dense.difference(y, d, by, slope);
  for (ode::NewtonMatrix* m : {&sparse, &dense}) m->factor(7.0, {5.0, 3.0});
  const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(n), -1, 1);
  EXPECT_LT((sparse.solve(right) - dense.solve(right)).cwiseAbs().maxCoeff(), 1e-6);
  Eigen::VectorXd a, b, p, q;
  sparse.solve(right, right, a, b);
  dense.solve(right, right, p, q);
  EXPECT_LT((a - p).cwiseAbs().maxCoeff() + (b - q).cwiseAbs().maxCoeff(), 1e-6);
}

}  // namespace
}  // namespace percuss::ode
