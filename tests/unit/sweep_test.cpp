// Samplers, axes, outputs and sections of studies.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "percuss/study/sweep/analysis.h"
#include "percuss/study/sweep/bifurcation.h"
#include "percuss/study/sweep/design.h"
#include "percuss/study/sweep/outputs.h"
#include "percuss/study/sweep/random.h"

namespace percuss::study {
namespace {

using Block = std::array<std::uint32_t, 4>;

/// Known answers of the Random123 distribution.
TEST(Philox, GivesThePublishedBlocks) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t all = 0xffffffff;
  EXPECT_EQ(philox({all, all, all, all}, {all, all}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

Axis sampled(Axis::Kind kind, double a, double b, double c = 0) {
  Axis axis;
  axis.name = "x";
  axis.kind = kind;
  if (kind == Axis::Kind::normal || kind == Axis::Kind::log_normal)
    axis.mean = a, axis.deviation = b;
  else
    axis.low = a, axis.high = b, axis.mode = c;
  return axis;
}

struct Distribution {
  const char* name;
  Axis axis;
  double mean, variance;
};
std::vector<Distribution> distributions() {
  const double l = std::log(100.0);  // 1 .. 100
  const double log_mean = 99 / l;
  return {
      {"uniform", sampled(Axis::Kind::uniform, -1, 3), 1, 16.0 / 12},
      {"log-uniform", sampled(Axis::Kind::log_uniform, 1, 100), log_mean, 9999 / (2 * l) - log_mean * log_mean},
      {"normal", sampled(Axis::Kind::normal, 5, 2), 5, 4},
      {"lognormal", sampled(Axis::Kind::log_normal, 10, 3), 10, 9},
      {"triangular", sampled(Axis::Kind::triangular, 0, 3, 1), 4.0 / 3, (9 + 1 - 3) / 18.0},
  };
}

class Samplers : public ::testing::TestWithParam<Sampling> {};

/// The mean of n independent samples lies within 5 sigma/sqrt(n) of the mean, but for one case in two million; the
/// other designs spread better and stay within it all the more. The variance: by the fourth moment, at most 20
/// sigma^4 for these distributions.
TEST_P(Samplers, HaveTheMomentsOfTheirDistributions) {
  constexpr std::size_t n = 1 << 14;
  for (const Distribution& d : distributions()) {
    const Design design({d.axis, d.axis}, GetParam(), n, 7);
    for (const std::size_t column : {0U, 1U}) {
      double sum = 0, squares = 0;
      for (std::size_t p = 0; p < n; ++p) {  // of a Saltelli design: the matrix A
        const double x = std::get<double>(design.at(p)[column]);
        sum += x;
        squares += (x - d.mean) * (x - d.mean);
      }
      const auto count = static_cast<double>(n);
      EXPECT_NEAR(sum / count, d.mean, 5 * std::sqrt(d.variance / count)) << d.name;
      EXPECT_NEAR(squares / count / d.variance, 1, 5 * std::sqrt(20 / count)) << d.name;
    }
  }
}

TEST_P(Samplers, DependOnSeedAndPointAlone) {
  const Axis axis = sampled(Axis::Kind::uniform, 0, 1);
  const Design a({axis, axis}, GetParam(), 1000, 3), b({axis, axis}, GetParam(), 1000, 3),
      c({axis, axis}, GetParam(), 1000, 4);
  EXPECT_EQ(a.at(77), b.at(77));
  EXPECT_NE(a.at(77), c.at(77));
  EXPECT_EQ(a.at(999), b.at(999));
  if (GetParam() == Sampling::random || GetParam() == Sampling::sobol) {
    const Design longer({axis, axis}, GetParam(), 5000, 3);  // a longer study begins with the same points
    EXPECT_EQ(a.at(77), longer.at(77));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Samplers,
                         ::testing::Values(Sampling::random, Sampling::latin_hypercube, Sampling::sobol,
                                           Sampling::saltelli),
                         [](const auto& which) {
                           std::string name(name_of(which.param));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// One point in each of n slices, on every axis: the definition.
template <class Columns>
void expect_one_a_slice(const Columns& column, std::size_t n) {
  std::vector<int> seen(n, 0);
  for (std::size_t p = 0; p < n; ++p) ++seen[static_cast<std::size_t>(column(p) * static_cast<double>(n))];
  EXPECT_EQ(std::ranges::count(seen, 1), static_cast<long>(n));
}
TEST(Samplers, LatinHypercubesAndSobolNetsHaveOnePointASlice) {
  const Axis axis = sampled(Axis::Kind::uniform, 0, 1);
  const Design cube({axis, axis, axis}, Sampling::latin_hypercube, 1000, 5);
  const Design net({axis, axis, axis}, Sampling::sobol, 1024, 5);
  for (std::size_t j = 0; j < 3; ++j) {
    expect_one_a_slice([&](std::size_t p) { return std::get<double>(cube.at(p)[j]); }, 1000);
    expect_one_a_slice([&](std::size_t p) { return std::get<double>(net.at(p)[j]); }, 1024);
  }
}

TEST(Design, CrossesGridAndSamplesAndCountsCellByCell) {
  Axis list, words;
  list.name = "a";
  list.numbers = {1, 2, 3};
  words.name = "b";
  words.kind = Axis::Kind::words;
  words.words = {"u", "v"};
  const Design design({list, sampled(Axis::Kind::uniform, 0, 1), words}, Sampling::random, 10, 1);
  ASSERT_EQ(design.size(), 60U);
  EXPECT_EQ(std::get<double>(design.at(25)[0]), 2);
  EXPECT_EQ(std::get<std::string>(design.at(25)[2]), "u");
  EXPECT_EQ(std::get<std::string>(design.at(35)[2]), "v");
  EXPECT_EQ(design.at(25)[1], design.at(55)[1]) << "the same samples in every cell";
}

TEST(Outputs, AreExpressionsOfAxesImpactsAndEachOther) {
  OutputContext context;
  context.axes = {"restitution", ""};
  context.isolated_impact = true;
  const auto outputs = read_outputs(
      {{"miss", {"delivered - restitution", {}}}, {"twice", {"2*miss + 1e3*peak_force", {}}}}, context);
  ASSERT_TRUE(outputs);
  impact::Outcome outcome;
  outcome.restitution = 0.5;
  outcome.peak_force_N = 0.25;
  const double axes[] = {0.75, std::nan("")};
  EXPECT_EQ(evaluate(*outputs, {axes, &outcome}), (std::vector{-0.25, 249.5}));
  EXPECT_FALSE(needs_times(*outputs));
  const auto wrong =
      read_outputs({{"x", {"delivred", {}}}, {"e", {"lost", {}}}, {"y", {"delivered[1]", {}}}}, context);
  ASSERT_FALSE(wrong);
  ASSERT_EQ(wrong.errors().size(), 3U);
  EXPECT_NE(wrong.errors()[0].text.find("delivered"), std::string::npos) << wrong.errors()[0].text;
}

TEST(Sections, RepeatAfterTheirPeriod) {
  std::vector<std::vector<double>> section;
  for (int k = 0; k < 32; ++k) section.push_back({std::sin(2 * std::numbers::pi * k / 4.0) + 2, 1});
  EXPECT_EQ(period_of(section), 4);
  for (auto& s : section) s[0] = 1;
  EXPECT_EQ(period_of(section), 1);
  for (int k = 0; k < 32; ++k) section[static_cast<std::size_t>(k)][0] = std::sin(k);
  EXPECT_EQ(period_of(section), 0);
}

TEST(Indices, AreNotFoundFromHalfAStudy) {
  SweepData d;
  d.size = 200;
  d.axes = {{"x", {}, {}, true, ""}};
  d.outputs = {{"y", {}, {}, false, ""}};
  for (std::size_t i = 0; i < 100; ++i) {
    d.points.push_back(i);
    d.axes[0].values.push_back(static_cast<double>(i));
    d.outputs[0].values.push_back(static_cast<double>(i % 7));
  }
  EXPECT_TRUE(sobol_indices(d)[0].empty());
}

/// y = x1 + 2 x2 + 3 x1 x2 on {-1, 1}^2: variances 1, 4 and 9.
TEST(Indices, OfAGridAreThoseOfItsAnalysisOfVariance) {
  SweepData d;
  d.size = 4;
  d.axes = {{"x1", {}, {}, false, ""}, {"x2", {}, {}, false, ""}};
  d.outputs = {{"y", {}, {}, false, ""}};
  for (const double a : {-1.0, 1.0})
    for (const double b : {-1.0, 1.0}) {
      d.points.push_back(d.points.size());
      d.axes[0].values.push_back(a);
      d.axes[1].values.push_back(b);
      d.outputs[0].values.push_back(a + 2 * b + 3 * a * b);
    }
  const auto indices = sobol_indices(d)[0];
  ASSERT_EQ(indices.size(), 2U);
  EXPECT_NEAR(indices[0].first, 1.0 / 14, 1e-14);
  EXPECT_NEAR(indices[0].total, 10.0 / 14, 1e-14);
  EXPECT_NEAR(indices[1].first, 4.0 / 14, 1e-14);
  EXPECT_NEAR(indices[1].total, 13.0 / 14, 1e-14);
}

}  // namespace
}  // namespace percuss::study
