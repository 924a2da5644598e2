// Pieces of expressions, break points between them, enclosures.
#include "percuss/expression/breaks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "percuss/expression/enclosure.h"
#include "percuss/expression/parse.h"
#include "random_cases.h"

namespace percuss::expression {
namespace {

constexpr std::string_view kTime[] = {"t"};

Program of_time(const std::string& text) {
  const auto program = parse(text, kTime);
  EXPECT_TRUE(program) << text;
  return program ? *program : Program();
}

/// All break points up to `end`, and the pieces in between.
struct Course {
  std::vector<double> breaks;
  std::vector<std::vector<double>> pieces;
};
Course course_of(const Program& program, double end) {
  const std::vector<Site> sites = program.sites();
  Course out;
  std::vector<double> pieces(sites.size(), 0.0);
  settle_time_pieces(program, sites, 0, pieces);
  out.pieces.push_back(pieces);
  for (double t = 0; out.breaks.size() < 100'000;) {
    const NextBreak next = next_break(program, sites, pieces, t, end);
    if (!next.at && next.known_to >= end) break;
    t = next.at ? *next.at : next.known_to;
    if (!next.at) continue;
    settle_time_pieces(program, sites, t, pieces);
    out.breaks.push_back(t);
    out.pieces.push_back(pieces);
  }
  return out;
}

struct Case {
  const char* text;
  double end;
  std::vector<double> breaks;
};

TEST(Breaks, AreWhereEachFunctionOfTheExpressionRoomChangesItsPiece) {
  const double pi = std::acos(-1.0);
  for (const Case& c : std::initializer_list<Case>{
           {"if(t < 0.1, 1, 2)", 1, {0.1}},
           {"if(t > 5 and t < 5.1, 40, 0)", 10, {5, 5.1}},
           {"(t >= 0.25) * (t <= 0.5)", 1, {0.25, 0.5}},
           {"t == 0.5", 1, {0.5}},
           {"t != 0.5", 1, {0.5}},
           {"not (t < 0.5) or t > 0.75", 1, {0.5, 0.75}},
           {"step(t, 0.2, 0, 0.3, 7)", 1, {0.2, 0.3}},
           {"step(t, 0.5, 0, 0.5, 7)", 1, {0.5}},
           {"step(1 - t, 0.2, 0, 0.3, 7)", 1, {0.7, 0.8}},
           {"table(t, 0.125, 0, 0.25, 3, 0.5, 1)", 1, {0.125, 0.25, 0.5}},
           {"spline(2*t, 0.25, 0, 0.5, 3, 1, 1)", 1, {0.125, 0.25, 0.5}},
           {"mod(t, 0.25)", 1.1, {0.25, 0.5, 0.75, 1}},
           {"mod(t, 0.5) < 0.125", 1.1, {0.125, 0.5, 0.625, 1}},
           {"floor(4*t)", 1.1, {0.25, 0.5, 0.75, 1}},
           {"sign(t - 0.5)", 1, {0.5}},
           {"abs(sin(t))", 7, {pi, 2 * pi}},
           {"min(t, 0.5)", 1, {0.5}},
           {"max(t, 0.5, 0.75)", 1, {0.5, 0.75}},  // max(t, 0.5) reaches 0.75 later
           {"min(t^2, 0.25)", 1, {0.5}},
           {"sqrt(max(t - 0.5, 0))", 1, {0.5}},
           {"sqrt((t - 0.5)^2)", 1, {0.5}},
           {"abs(t - 0.5)^1.5", 1, {0.5}},
           {"cbrt(t - 0.5)", 1, {0.5}},
           {"hypot(t - 0.5, 0)", 1, {0.5}},
           {"acos(cos(t))", 7, {pi, 2 * pi}},
           {"atan2(sin(t), cos(t))", 7, {pi, 2 * pi}},
           {"if(sin(10*t) > 0.5, 1, 0)", 0.5, {pi / 60, 5 * pi / 60}},
           {"if(if(t < 0.5, t, 1 - t) > 0.25, 1, 0)", 1, {0.25, 0.5, 0.75}},
           {"table(mod(t, 0.5), 0, 0, 0.125, 1, 0.25, 0)", 1.1, {0.125, 0.25, 0.5, 0.625, 0.75, 1}},
           {"exp(-t) > 0.5", 2, {std::log(2.0)}},
           {"(t - 0.5)^3 > 0", 1, {0.5}},
           {"t^2 + sin(t) + exp(t)", 10, {}},
           {"if(1/(1 + t) > 0.5, 1, 0)", 3, {1}}}) {
    const Course got = course_of(of_time(c.text), c.end);
    std::vector<double> breaks = got.breaks;
    // neighbours by rounding are one
    breaks.erase(std::unique(breaks.begin(), breaks.end(), [](double a, double b) { return b - a < 1e-14; }),
                 breaks.end());
    EXPECT_EQ(breaks.size(), c.breaks.size()) << c.text;
    for (std::size_t i = 0; i < std::min(breaks.size(), c.breaks.size()); ++i)
      EXPECT_NEAR(breaks[i], c.breaks[i], 4e-16 * std::max(1.0, c.breaks[i])) << c.text;
  }
}

TEST(Breaks, AreFoundOneByOneInAFunctionOfAMillionPeriods) {
  const Program program = of_time("40 * (mod(t, 0.0001) < 0.00003)");
  const std::vector<Site> sites = program.sites();
  std::vector<double> pieces(sites.size(), 0.0);
  double t = 99.5;
  settle_time_pieces(program, sites, t, pieces);
  for (int k = 0; k < 100; ++k) {
    const NextBreak next = next_break(program, sites, pieces, t, 100);
    ASSERT_TRUE(next.at);
    EXPECT_LT(*next.at - t, 1.01e-4);
    t = *next.at;
    settle_time_pieces(program, sites, t, pieces);
  }
  EXPECT_NEAR(t, 99.505, 1e-10);
}

TEST(Breaks, LeaveOneSidedValuesAndDerivativesOnBothSides) {
  const Program program = of_time("if(t < 0.1, 3*t + t^2, 7 - t)");
  const Course c = course_of(program, 1);
  ASSERT_EQ(c.breaks.size(), 1u);
  EXPECT_EQ(c.breaks[0], 0.1);
  const Derivatives left = differentiate_on(program, 0.1, c.pieces[0]),
                    right = differentiate_on(program, 0.1, c.pieces[1]);
  EXPECT_NEAR(left.value, 0.31, 1e-15);
  EXPECT_NEAR(left.first, 3.2, 1e-15);
  EXPECT_NEAR(left.second, 2, 1e-15);
  EXPECT_NEAR(right.value, 6.9, 1e-15);
  EXPECT_EQ(right.first, -1);
  EXPECT_EQ(right.second, 0);
}

/// Random expressions of t by their grammar.
std::string random_expression(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto sub = [&] { return random_expression(random, depth - 1); };
  if (depth == 0) {
    const char* kLeaves[] = {"t", "t", "0.3", "2", "(1 - t)", "(0.7*t + 0.1)"};
    return kLeaves[pick(6)];
  }
  switch (pick(28)) {
    case 0: return "(" + sub() + " + " + sub() + ")";
    case 1: return "(" + sub() + " - " + sub() + ")";
    case 2: return "(" + sub() + " * " + sub() + ")";
    case 3: return "(" + sub() + " / (1.5 + " + sub() + "^2))";
    case 4: return "sin(3*" + sub() + ")";
    case 5: return "cos(" + sub() + ")";
    case 6: return "exp(-(" + sub() + ")^2)";
    case 7: return "tanh(4*" + sub() + ")";
    case 8: return "abs(" + sub() + ")";
    case 9: return "sign(" + sub() + ")";
    case 10: return "floor(3*" + sub() + ")";
    case 11: return "mod(" + sub() + ", 0.37)";
    case 12: return "min(" + sub() + ", " + sub() + ")";
    case 13: return "max(" + sub() + ", " + sub() + ")";
    case 14: return "if(" + sub() + " < " + sub() + ", " + sub() + ", " + sub() + ")";
    case 15: return "step(" + sub() + ", 0.1, -1, 0.6, 2)";
    case 16: return "table(" + sub() + ", -1, 0, 0, 1, 0.4, -2, 1.1, 3)";
    case 17: return "sqrt(abs(" + sub() + "))";
    case 18: return "atan(" + sub() + ")";
    case 19: return "log(1.2 + " + sub() + "^2)";
    case 20: return "cosh(" + sub() + " / 3)";
    case 21: return "sinh(" + sub() + " / 3)";
    case 22: return "atan2(" + sub() + ", 1.1 + abs(" + sub() + "))";
    case 23: return "hypot(" + sub() + ", " + sub() + ")";
    case 24: return "(" + sub() + ")^3";
    case 25: return "abs(" + sub() + ")^1.3";
    case 26: return "asin(tanh(" + sub() + "))";
    default: return "log1p(abs(" + sub() + ")) * expm1(sin(" + sub() + "))";
  }
}

TEST(RandomEnclosures, ContainEverySampledValueAndSlope) {
  std::mt19937 random(5);
  const int n = cases(2000, 200'000);
  int checked = 0;
  for (int k = 0; k < n; ++k) {
    const Program program = of_time(random_expression(random, 1 + static_cast<int>(random() % 4)));
    const std::vector<Site> sites = program.sites();
    const double a = static_cast<double>(random()) / 4294967296.0 * 2,
                 b = a + std::pow(10, -4.0 * static_cast<double>(random()) / 4294967296.0);
    std::vector<double> pieces(sites.size(), 0.0);
    settle_time_pieces(program, sites, a, pieces);
    Dual<Interval> t(0.0);
    t.v = {a, b};
    t.d[0] = 1.0;
    const Dual<Interval> over = program.evaluate_on(std::span<const Dual<Interval>>(&t, 1), pieces);
    for (int s = 0; s <= 20; ++s) {
      const double x = s == 20 ? b : a + (b - a) * s / 20;
      const Derivatives at = differentiate_on(program, x, pieces);
      if (std::isnan(at.value)) continue;
      ++checked;
      ASSERT_TRUE(over.v.contains(at.value)) << x << " " << over.v.low << " " << at.value << " " << over.v.high;
      if (std::isfinite(at.first)) {
        ASSERT_TRUE(over.d[0].contains(at.first))
            << x << " " << over.d[0].low << " " << at.first << " " << over.d[0].high;
      }
    }
  }
  report_figure("enclosures: " + std::to_string(checked) + " values and slopes in " + std::to_string(n) +
                " expressions");
}

/// Between break points the held pieces give what the expression gives by itself.
TEST(RandomBreaks, BetweenThemPiecesAgreeWithTheExpression) {
  std::mt19937 random(7);
  const int n = cases(1000, 100'000);
  int compared = 0, breaks = 0;
  for (int k = 0; k < n; ++k) {
    const std::string text = random_expression(random, 1 + static_cast<int>(random() % 4));
    const Program program = of_time(text);
    const Course c = course_of(program, 2);
    breaks += static_cast<int>(c.breaks.size());
    for (int s = 0; s < 100; ++s) {
      const double t = 2 * (static_cast<double>(random()) / 4294967296.0);
      const auto after = std::upper_bound(c.breaks.begin(), c.breaks.end(), t);
      const auto piece = static_cast<std::size_t>(after - c.breaks.begin());
      // beside a break point rounding decides what the plain expression says
      if ((after != c.breaks.end() && *after - t < 1e-7) || (piece > 0 && t - c.breaks[piece - 1] < 1e-7)) continue;
      const double plain = differentiate(program, std::span<const double>(&t, 1), 0).value;
      const double held = differentiate_on(program, t, c.pieces[piece]).value;
      if (!std::isfinite(plain)) continue;
      bool is_rounding = false;  // a quantity that rounding alone puts on one side of the end of its piece
      const Interval now(t);
      program.evaluate_on(std::span<const Interval>(&now, 1), c.pieces[piece],
                          [&](std::size_t site, const Instruction& i, const Interval& q) {
                            const PieceEnds ends = ends_of(i, c.pieces[piece][site], program.tables());
                            is_rounding = is_rounding ||
                                          (ends.low < ends.high && (q.contains(ends.low) || q.contains(ends.high)));
                          });
      if (is_rounding) continue;
      ++compared;
      ASSERT_NEAR(held, plain, 1e-12 * std::max(1.0, std::abs(plain))) << text << " at " << t;
    }
  }
  report_figure("breaks: " + std::to_string(compared) + " values agree over " + std::to_string(breaks) +
                " break points");
}

TEST(Enclosures, LetNoShortPulseSlipBetweenTheStagesOfAStep) {
  constexpr double kStages[] = {0, 0.05, 0.08, 0.12, 0.28, 0.33, 0.25, 0.3, 0.65, 0.6, 0.857, 1};
  for (const char* text : {"40*exp(-((t - 5)/0.01)^2)", "sin(t) + 0.01*exp(-((t - 5)/1e-5)^2)",
                           "tanh((t - 5)/1e-4) - tanh((t - 5.001)/1e-4)", "1/(1 + ((t - 5)/1e-3)^2)",
                           "exp(t) * exp(-((t - 7.3)/1e-6)^2)"}) {
    const Program program = of_time(text);
    const std::vector<std::size_t> operations = operations_to_enclose(program);
    ASSERT_FALSE(operations.empty()) << text;
    const double h = step_to_take(program, operations, {}, 4.1, 5, kStages);
    EXPECT_LT(h, 5) << text;
    EXPECT_GT(h, 0) << text;
  }
  for (const char* text : {"3", "2*t + 1", "0.1*sin(7.5*t)", "t^3 - 2*t", "sin(3*t)*cos(5*t)", "if(t < 1, t, 2)"})
    EXPECT_TRUE(operations_to_enclose(of_time(text)).empty()) << text;
  const Program decays = of_time("100*(1 - exp(-t))");
  EXPECT_EQ(step_to_take(decays, operations_to_enclose(decays), {}, 0, 10, kStages), 10);
}

}  // namespace
}  // namespace percuss::expression
