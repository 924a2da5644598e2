// Numbers with units, words, dual numbers, packs.
#include <cstring>

#include "percuss/base/dual.h"
#include "percuss/base/pack.h"
#include "percuss/base/units.h"
#include "percuss/base/words.h"

namespace percuss {
namespace {

TEST(Numbers, AreReadWithUnitsOfTheDimensionWanted) {
  const auto read = [](std::string_view text, Dimension d) { return *read_number(text, d); };
  EXPECT_DOUBLE_EQ(read("20 mm", dimension::length), 0.02);
  EXPECT_DOUBLE_EQ(read("25.4mm", dimension::length), 0.0254);
  EXPECT_DOUBLE_EQ(read("210 GPa", dimension::pressure), 210e9);
  EXPECT_DOUBLE_EQ(read("1 ft", dimension::length), 0.3048);
  EXPECT_DOUBLE_EQ(read("-5.31 ft/s^2", dimension::acceleration), -5.31 * 0.3048);
  EXPECT_DOUBLE_EQ(read("2 lb", dimension::mass), 2 * 0.45359237);
  EXPECT_DOUBLE_EQ(read("3 lbf/in", {0, 1, -2}), 3 * 4.4482216152605 / 0.0254);
  EXPECT_NEAR(read("1 psi", dimension::pressure) / (4.4482216152605 / (0.0254 * 0.0254)), 1, 1e-15);
  EXPECT_DOUBLE_EQ(read("30 mbar", dimension::pressure), 3000);
  EXPECT_DOUBLE_EQ(read("60 mph", dimension::velocity), 26.8224);
  EXPECT_DOUBLE_EQ(read("5000 rpm", {0, 0, -1}), 5000 * 2 * M_PI / 60);
  EXPECT_DOUBLE_EQ(read("30 deg", dimension::number), M_PI / 6);
  EXPECT_DOUBLE_EQ(read("1.4e8 N/m^1.5", dimension::stiffness(1.5)), 1.4e8);
  EXPECT_DOUBLE_EQ(read("2 kN s/m", dimension::damping(0)), 2000);
  EXPECT_DOUBLE_EQ(read("7.85 g/cm^3", dimension::density), 7850);
  EXPECT_DOUBLE_EQ(read(" +1.5 ", dimension::number), 1.5);
  EXPECT_DOUBLE_EQ(read("-3e-2", dimension::length), -0.03);
  EXPECT_DOUBLE_EQ(read("3 \u00b5m", dimension::length), 3e-6);
}

TEST(Numbers, ThatAreNotFiniteNumbersAreRefused) {
  for (const char* text : {"",      " ",     "nan",     "NaN", "inf",  "-inf", "infinity", "1e",    "1e+",
                           "1e999", "1.2.3", "1,5",     "--1", "+-1",  "0x10", "1 2",      "e5",    ".",
                           "1e5x",  "12abc", "1 mm mm", "m",   "1 /m", "1 N/", "1 m^",     "\u00bd"})
    EXPECT_FALSE(read_number(text, dimension::length)) << text;
}

TEST(Numbers, OfAnotherDimensionAreRefusedWithWhatWasExpected) {
  const auto result = read_number("3 kg", dimension::length);
  ASSERT_FALSE(result);
  EXPECT_NE(result.errors().front().text.find("is a mass; expected a length, e.g. 20 mm"), std::string::npos)
      << result.errors().front().text;
  EXPECT_FALSE(read_number("1 N/m", dimension::stiffness(1.5)));
}

TEST(Numbers, PrintSoThatTheyReadBack) {
  for (const double x : {0.1, 1.0 / 3, 1e-300, 123456789.123, -2.5e8}) EXPECT_EQ(*read_number(text_of(x)), x);
}

TEST(Words, TheNearestIsFoundAndANonsenseWordHasNone) {
  const std::string_view words[] = {"hunt-crossley", "flores", "lankarani-nikravesh"};
  EXPECT_EQ(nearest_word("huntcrossley", words), "hunt-crossley");
  EXPECT_EQ(nearest_word("Floers", words), "flores");
  EXPECT_EQ(nearest_word("nikravesh", words), "lankarani-nikravesh");
  EXPECT_EQ(nearest_word("xyzzy", words), "");
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
}

/// Every function of the dual numbers against central differences of its own value, first and second derivative.
template <class F>
void expect_derivatives(const char* name, F&& f, double x) {
  using Second = Dual<Dual<double>>;
  Second y(x);
  y.v.d[0] = 1;
  y.d[0] = Dual<double>(1.0);
  const Second result = f(y);
  const double h = 1e-4 * std::max(1.0, std::abs(x));
  const auto at = [&](double shift) { return value_of(f(Second(x + shift))); };
  const double first = (at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h);
  const double second = (-at(-2 * h) + 16 * at(-h) - 30 * at(0) + 16 * at(h) - at(2 * h)) / (12 * h * h);
  EXPECT_EQ(result.v.v, at(0)) << name;
  EXPECT_NEAR(result.v.d[0], first, 1e-9 * std::max(1.0, std::abs(first))) << name;
  EXPECT_NEAR(result.d[0].d[0], second, 1e-5 * std::max(1.0, std::abs(second))) << name;
}

TEST(DualNumbers, HaveTheDerivativesOfEveryFunction) {
#define EXPECT_DERIVATIVES(name, x) \
  expect_derivatives(               \
      #name, [](auto v) { return name(v); }, x)
  EXPECT_DERIVATIVES(sqrt, 0.7);
  EXPECT_DERIVATIVES(cbrt, 0.7);
  EXPECT_DERIVATIVES(exp, 0.7);
  EXPECT_DERIVATIVES(expm1, 0.7);
  EXPECT_DERIVATIVES(log, 0.7);
  EXPECT_DERIVATIVES(log10, 0.7);
  EXPECT_DERIVATIVES(log1p, 0.7);
  EXPECT_DERIVATIVES(sin, 0.7);
  EXPECT_DERIVATIVES(cos, 0.7);
  EXPECT_DERIVATIVES(tan, 0.7);
  EXPECT_DERIVATIVES(asin, 0.7);
  EXPECT_DERIVATIVES(acos, 0.7);
  EXPECT_DERIVATIVES(atan, 0.7);
  EXPECT_DERIVATIVES(sinh, 0.7);
  EXPECT_DERIVATIVES(cosh, 0.7);
  EXPECT_DERIVATIVES(tanh, 0.7);
  EXPECT_DERIVATIVES(abs, -0.7);
#undef EXPECT_DERIVATIVES
  expect_derivatives(
      "x^x", [](auto v) { return pow(v, v); }, 0.7);
  expect_derivatives(
      "x^2.3", [](auto v) { return pow(v, 2.3); }, 0.7);
  expect_derivatives(
      "(-x)^3", [](auto v) { return pow(v, decltype(v)(3.0)); }, -0.7);
  expect_derivatives(
      "x/(1+x*x)", [](auto v) { return v / (1.0 + v * v); }, 0.7);
  expect_derivatives(
      "x^(7/4)", [](auto v) { return power_of_quarters<7>(v); }, 0.7);
  expect_derivatives(
      "atan2", [](auto v) { return atan2(v * v, 1.0 - v); }, 0.7);
}

TEST(Packs, GiveTheBitsOfTheScalarOperations) {
  const double a[2] = {1.37, -0.0}, b[2] = {-2.5e-3, 4.0};
  const Pack<2> x = Pack<2>::load(a), y = Pack<2>::load(b);
  const auto expect = [&](Pack<2> got, auto&& scalar) {
    for (int i = 0; i < 2; ++i) {
      const double want = scalar(a[i], b[i]), lane = got.lanes[i];
      EXPECT_EQ(std::memcmp(&lane, &want, sizeof want), 0) << lane << " " << want;
    }
  };
  expect(x + y, [](double p, double q) { return p + q; });
  expect(x / y, [](double p, double q) { return p / q; });
  expect(max_of(x, y), [](double p, double q) { return max_of(p, q); });
  expect(min_of(x, y), [](double p, double q) { return min_of(p, q); });
  expect(sqrt(x), [](double p, double) { return std::sqrt(p); });
  expect(abs(x), [](double p, double) { return std::abs(p); });
  expect(pow(abs(x), y), [](double p, double q) { return std::pow(std::abs(p), q); });
  expect(sign_of(y), [](double, double q) { return sign_of(q); });
}

}  // namespace
}  // namespace percuss
