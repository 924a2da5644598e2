// The coefficients of DOP853 satisfy their order conditions, and the measured orders are those claimed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "percuss/ode/dop853.h"

namespace percuss::ode {
namespace {

using namespace dop853;

TEST(Dop853Table, EveryStageIsConsistent) {
  for (int s = 1; s < kDenseStages; ++s) {
    double sum = 0;
    for (int k = 0; k < kRows[s].count; ++k) sum += kRows[s].terms[k].weight;
    EXPECT_NEAR(sum, kNodes[s], 1e-14) << "stage " << s;
  }
}

TEST(Dop853Table, WeightsIntegratePolynomialsToOrderEight) {
  const Row& weights = kRows[12];
  for (int power = 0; power < 8; ++power) {
    double sum = 0;
    for (int k = 0; k < weights.count; ++k)
      sum += weights.terms[k].weight * std::pow(kNodes[weights.terms[k].stage], power);
    EXPECT_NEAR(sum, 1.0 / (power + 1), 1e-13) << "c^" << power;
  }
}

TEST(Dop853Table, ErrorEstimatesVanishOnTheOrdersTheyTrust) {
  const auto moment = [](const auto& terms, int power) {
    double sum = 0;
    for (const Term& term : terms) sum += term.weight * std::pow(kNodes[term.stage], power);
    return sum;
  };
  for (int power = 0; power < 5; ++power) EXPECT_NEAR(moment(kError5, power), 0, 1e-13) << power;
  for (int power = 0; power < 3; ++power) EXPECT_NEAR(moment(kError3, power), 0, 1e-13) << power;
  EXPECT_GT(std::abs(moment(kError5, 5)), 1e-6);
  EXPECT_GT(std::abs(moment(kError3, 3)), 1e-6);
}

/// y' = y cos t, y = exp(sin t), by n equal steps over [0, 2]: the loose tolerance accepts every step, the limit
/// sets its length.
struct Errors {
  double end, dense;
};
Errors errors_with_steps(int n) {
  const auto rhs = [](double t, std::span<const double> y, std::span<double> d) { d[0] = y[0] * std::cos(t); };
  Dop853<> solver(1, {1e6, 1e6});
  double worst = 0;
  solver.start(rhs, 0, std::array{1.0}, 2.0 / n);
  for (int i = 1; i <= n; ++i) {
    EXPECT_EQ(solver.step(rhs, 2.0 * i / n), StepOutcome::accepted);
    solver.prepare_dense(rhs);
    for (double s = 0.1; s < 1; s += 0.2) {
      std::array<double, 1> y{};
      const double t = solver.t_old() + s * (solver.t() - solver.t_old());
      solver.interpolate(t, y);
      worst = std::max(worst, std::abs(y[0] - std::exp(std::sin(t))));
    }
  }
  return {std::abs(solver.y()[0] - std::exp(std::sin(2.0))), worst};
}

TEST(Dop853, ConvergesWithOrderEightAndItsDenseOutputWithOrderSeven) {
  const Errors coarse = errors_with_steps(8), fine = errors_with_steps(16);
  EXPECT_NEAR(std::log2(coarse.end / fine.end), 8, 0.7);
  EXPECT_GT(std::log2(coarse.dense / fine.dense), 7);  // local error of a step: one order above
}

}  // namespace
}  // namespace percuss::ode
