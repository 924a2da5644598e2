// The expression language: meaning, derivatives, limits, errors.
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "percuss/expression/parse.h"

namespace percuss::expression {
namespace {

constexpr std::string_view kNames[] = {"x", "y", "crank.angle"};

double value(std::string_view text, double x = 0, double y = 0) {
  const auto program = parse(text, kNames);
  EXPECT_TRUE(program) << text << ": " << (program ? "" : program.errors().front().text);
  if (!program) return std::nan("");
  const std::array<double, 3> v{x, y, 7};
  return program->evaluate(std::span<const double>(v));
}

TEST(Expressions, FollowTheRulesOfArithmetic) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("7 - 4 - 2"), 1);
  EXPECT_EQ(value("-x + +y", 3, 5), 2);
  EXPECT_EQ(value("(1+2)*3 - -4"), 13);
  EXPECT_EQ(value("1e3 + .5 + 2.e-1"), 1000.7);
  EXPECT_EQ(value("crank.angle + 1"), 8);
  EXPECT_DOUBLE_EQ(value("sin(pi/6) + cos(tau) + ln(e) + 180*deg"), 0.5 + 1 + 1 + M_PI);
}

TEST(Expressions, CompareAndChoose) {
  EXPECT_EQ(value("if(x > 2, 10, 20)", 3), 10);
  EXPECT_EQ(value("if(x > 2 and not y == 1, 10, 20)", 3, 1), 20);
  EXPECT_EQ(value("x < 1 || y >= 2", 3, 2), 1);
  EXPECT_EQ(value("x != 3", 3), 0);
  EXPECT_EQ(value("!x", 0), 1);
  EXPECT_EQ(value("min(3, x, y) + max(1, x)", 2, 5), 4);
  EXPECT_EQ(value("if(x > 0, log(x), -1)", -2), -1) << "the branch not taken may be undefined";
  EXPECT_EQ(value("step(x, 1, 10, 2, 20)", 0.5), 10);
  EXPECT_EQ(value("step(x, 1, 10, 2, 20)", 1.5), 15);
  EXPECT_EQ(value("step(x, 1, 10, 2, 20)", 9), 20);
}

TEST(Expressions, TablesInterpolateAndHoldTheirEnds) {
  EXPECT_DOUBLE_EQ(value("table(x, 0, 1, 2, 5, 3, 5)", 1), 3);
  EXPECT_EQ(value("table(x, 0, 1, 2, 5)", -1), 1);
  EXPECT_EQ(value("table(x, 0, 1, 2, 5)", 7), 5);
  EXPECT_EQ(value("spline(x, 0, 1, 1, 3, 2, 2, 3, 8)", 2), 2);
  EXPECT_DOUBLE_EQ(value("spline(x, 0, 0, 1, 2, 2, 4, 5, 10)", 3.3), 6.6) << "a spline keeps a straight line";
}

TEST(Expressions, ASplineIsTwiceContinuouslyDifferentiable) {
  const auto program = parse("spline(x, 0, 1, 1, 3, 2, 2, 3.5, 8)", kNames);
  ASSERT_TRUE(program);
  const auto at = [&](double x) {
    const std::array<double, 3> v{x, 0, 0};
    return differentiate(*program, v, 0);
  };
  for (const double knot : {1.0, 2.0}) {
    EXPECT_NEAR(at(knot - 1e-9).first, at(knot + 1e-9).first, 1e-6);
    EXPECT_NEAR(at(knot - 1e-9).second, at(knot + 1e-9).second, 1e-6);
  }
  EXPECT_NEAR(at(1e-12).second, 0, 1e-9) << "natural end";
}

TEST(Expressions, HaveExactFirstAndSecondDerivatives) {
  const auto program = parse("0.5 + 0.1*sin(7.5*x)*exp(-x/3) + x^2.5/(1 + x) + if(x > 0.2, x^3, 0)", kNames);
  ASSERT_TRUE(program);
  const double x = 0.37, s = std::sin(7.5 * x), c = std::cos(7.5 * x), d = std::exp(-x / 3), k = 7.5;
  const double p = std::pow(x, 2.5), p1 = 2.5 * std::pow(x, 1.5), p2 = 3.75 * std::pow(x, 0.5), q = 1 + x;
  const std::array<double, 3> v{x, 0, 0};
  const Derivatives got = differentiate(*program, v, 0);
  EXPECT_NEAR(got.value, 0.5 + 0.1 * s * d + p / q + x * x * x, 1e-14);
  EXPECT_NEAR(got.first, 0.1 * d * (k * c - s / 3) + p1 / q - p / (q * q) + 3 * x * x, 1e-13);
  EXPECT_NEAR(
      got.second,
      0.1 * d * (-k * k * s - 2 * k * c / 3 + s / 9) + p2 / q - 2 * p1 / (q * q) + 2 * p / (q * q * q) + 6 * x,
      1e-12);
}

TEST(Expressions, GiveTheSameBitsOnNumbersPacksAndDuals) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-2, 2);
  for (const char* text : {"x*y + x/y - x^3", "sqrt(abs(x)) * exp(y) - log(1 + x*x)", "max(x, y)^1.5 + min(x, y)^2",
                           "step(x, -1, y, 1, 2*y)", "if(x < y, sin(x), cos(y))", "table(x, -1, y0, 1, 3)",
                           "atan2(y, x) + tanh(x) + mod(x, 0.3)", "abs(x)^y"}) {
    std::string source = text;
    if (const auto at = source.find("y0"); at != std::string::npos) source.replace(at, 2, "2");
    const auto program = parse(source, kNames);
    ASSERT_TRUE(program) << source;
    for (int k = 0; k < 200; ++k) {
      const std::array<double, 2> x{any(random), any(random)}, y{any(random), any(random)};
      const std::array<Pack<2>, 3> packed{Pack<2>::load(x.data()), Pack<2>::load(y.data()), Pack<2>(0.0)};
      const Pack<2> lanes = program->evaluate(std::span<const Pack<2>>(packed));
      for (std::size_t i = 0; i < 2; ++i) {
        const std::array<double, 3> plain{x[i], y[i], 0};
        const std::array<Dual<>, 3> duals{Dual<>::variable(x[i]), Dual<>(y[i]), Dual<>(0.0)};
        const double want = program->evaluate(std::span<const double>(plain)),
                     lane = lanes.lanes[static_cast<int>(i)];
        const double dual = program->evaluate(std::span<const Dual<>>(duals)).v;
        EXPECT_EQ(std::memcmp(&lane, &want, sizeof want), 0) << source << " " << lane << " " << want;
        EXPECT_EQ(std::memcmp(&dual, &want, sizeof want), 0) << source << " " << dual << " " << want;
      }
    }
  }
}

TEST(Expressions, BindingAVariableKeepsTheValue) {
  const auto program = parse("x^y * (1 + y)", kNames);
  ASSERT_TRUE(program);
  const Program bound = program->with(1, 1.5);
  EXPECT_FALSE(bound.uses(1));
  EXPECT_LT(bound.size(), program->size());
  const std::array<double, 3> v{0.3, 99, 0};
  EXPECT_DOUBLE_EQ(bound.evaluate(std::span<const double>(v)), std::pow(0.3, 1.5) * 2.5);
}

struct Mistake {
  const char* text;
  int column;
  const char* says;
};

TEST(Expressions, ErrorsCarryTheColumn) {
  for (const Mistake& m : std::initializer_list<Mistake>{{"1 + ", 5, "expected a number"},
                                                         {"2 * foo", 5, "unknown name \"foo\""},
                                                         {"sqt(x)", 1, "did you mean \"sqrt\""},
                                                         {"sin(x, y)", 1, "takes 1 argument, found 2"},
                                                         {"sin x", 5, "expected \"(\" after"},
                                                         {"(1 + 2", 7, "expected \")\""},
                                                         {"1 2", 3, "unexpected"},
                                                         {"1e", 1, "malformed"},
                                                         {"3..5", 1, "malformed"},
                                                         {"x $ y", 3, "unexpected"},
                                                         {"", 1, "empty"},
                                                         {"table(x, 0, 1)", 1, "at least two points"},
                                                         {"table(x, 0, 1, 0, 2)", 20, "must rise"},
                                                         {"table(x, 0, y, 1, 2)", 13, "must be constant"},
                                                         {"1e999", 1, "out of range"}}) {
    const auto program = parse(m.text, kNames);
    ASSERT_FALSE(program) << m.text;
    EXPECT_EQ(program.errors().front().at.column, m.column) << m.text << ": " << program.errors().front().text;
    EXPECT_NE(program.errors().front().text.find(m.says), std::string::npos)
        << m.text << ": " << program.errors().front().text;
  }
}

TEST(Expressions, DepthAndLengthAreLimited) {
  EXPECT_FALSE(parse(std::string(100'000, '('), kNames));
  EXPECT_FALSE(parse(std::string(100'000, '-'), kNames));
  std::string deep, wide = "x";
  for (int i = 0; i < 200; ++i) deep += "x+(";
  EXPECT_FALSE(parse(deep, kNames));
  for (int i = 0; i < 2000; ++i) wide += "+x";
  EXPECT_EQ(value(wide, 1), 2001) << "long is not deep";
  for (int i = 0; i < 5000; ++i) wide += "+x";
  EXPECT_FALSE(parse(wide, kNames));
}

TEST(Expressions, ReservedWordsCannotNameAVariable) {
  for (const char* name : {"sin", "pi", "and", "1x", "", "a b", "x."}) EXPECT_FALSE(is_free_name(name)) << name;
  for (const char* name : {"x", "beta_2", "ball.z"}) EXPECT_TRUE(is_free_name(name)) << name;
}

}  // namespace
}  // namespace percuss::expression
