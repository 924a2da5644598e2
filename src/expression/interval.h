// Intervals: all values that an expression can have while its variables are anywhere in theirs.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "percuss/base/scalar.h"

namespace percuss {

/// [low, high], rounded outwards: by one last digit after arithmetic (which is correctly rounded), by four after a
/// function of the standard library (which is not). Infinite ends are allowed; an undefined value is all numbers.
/// Weakness: every occurrence of a variable counts as another one (x - x is not 0), so an enclosure can be wide; it
/// is as sharp as its interval is short. Underflow to zero is not widened.
struct Interval {
  double low = 0, high = 0;

  constexpr Interval() = default;
  constexpr Interval(double value) : low(value), high(value) {}  // NOLINT: a number is an interval
  constexpr Interval(double low_, double high_) : low(low_), high(high_) {}
  static constexpr Interval all() { return {-kInfinity, kInfinity}; }

  constexpr bool contains(double x) const { return low <= x && x <= high; }
  constexpr double middle() const { return low == high ? low : 0.5 * low + 0.5 * high; }
  constexpr double width() const { return high - low; }
};

namespace detail {

/// Outwards by `digits` last digits.
inline Interval widened(double low, double high, double digits) {
  if (std::isnan(low) || std::isnan(high)) return Interval::all();
  const double part = digits * kEpsilon;
  if (std::isfinite(low)) low -= part * std::abs(low);
  if (std::isfinite(high)) high += part * std::abs(high);
  return {low, high};
}
inline Interval rounded(double low, double high) { return widened(low, high, 1); }
inline Interval by_function(double low, double high) { return widened(low, high, 4); }

inline double product(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}  // an end at infinity is no value

}  // namespace detail

inline Interval operator-(const Interval& a) { return {-a.high, -a.low}; }
inline Interval operator+(const Interval& a, const Interval& b) {
  return detail::rounded(a.low + b.low, a.high + b.high);
}
inline Interval operator-(const Interval& a, const Interval& b) {
  return detail::rounded(a.low - b.high, a.high - b.low);
}
inline Interval operator*(const Interval& a, const Interval& b) {
  const auto [low, high] = std::minmax({detail::product(a.low, b.low), detail::product(a.low, b.high),
                                        detail::product(a.high, b.low), detail::product(a.high, b.high)});
  return detail::rounded(low, high);
}
inline Interval operator/(const Interval& a, const Interval& b) {
  if (b.low == 0 && b.high > 0) return a * Interval(detail::rounded(1 / b.high, 1 / b.high).low, kInfinity);
  if (b.high == 0 && b.low < 0) return a * Interval(-kInfinity, detail::rounded(1 / b.low, 1 / b.low).high);
  if (b.low <= 0 && b.high >= 0) return Interval::all();
  return a * detail::rounded(1 / b.high, 1 / b.low);
}
inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Certain of all pairs of values.
inline bool operator<(const Interval& a, const Interval& b) { return a.high < b.low; }
inline bool operator>(const Interval& a, const Interval& b) { return a.low > b.high; }
inline bool operator<=(const Interval& a, const Interval& b) { return a.high <= b.low; }
inline bool operator>=(const Interval& a, const Interval& b) { return a.low >= b.high; }
inline bool operator==(const Interval& a, const Interval& b) {
  return a.low == a.high && b.low == b.high && a.low == b.low;
}

inline double value_of(const Interval& x) { return x.middle(); }
inline bool differs_in_slope(const Interval&) { return false; }  // a value without derivatives

inline Interval sqrt(const Interval& x) {
  if (x.high < 0) return Interval::all();
  return detail::rounded(std::sqrt(std::max(x.low, 0.0)), std::sqrt(x.high));
}
inline Interval cbrt(const Interval& x) { return detail::by_function(std::cbrt(x.low), std::cbrt(x.high)); }
inline Interval exp(const Interval& x) { return detail::by_function(std::exp(x.low), std::exp(x.high)); }
inline Interval expm1(const Interval& x) { return detail::by_function(std::expm1(x.low), std::expm1(x.high)); }
inline Interval log(const Interval& x) {
  if (x.high < 0) return Interval::all();
  return detail::by_function(std::log(std::max(x.low, 0.0)), std::log(x.high));
}
inline Interval log10(const Interval& x) {
  if (x.high < 0) return Interval::all();
  return detail::by_function(std::log10(std::max(x.low, 0.0)), std::log10(x.high));
}
inline Interval log1p(const Interval& x) {
  if (x.high < -1) return Interval::all();
  return detail::by_function(std::log1p(std::max(x.low, -1.0)), std::log1p(x.high));
}

namespace detail {
/// Is one of the places first + k period inside, give or take rounding of the places?
inline bool meets(const Interval& x, double first, double period) {
  const double slack = 4 * kEpsilon * (std::max(std::abs(x.low), std::abs(x.high)) + period);
  return std::floor((x.high + slack - first) / period) >= std::ceil((x.low - slack - first) / period);
}
inline bool is_long(const Interval& x) { return !(x.high - x.low < 2 * std::numbers::pi); }

inline Interval wave(const Interval& x, double at_low, double at_high, double top) {
  constexpr double kTurn = 2 * std::numbers::pi;
  if (is_long(x)) return {-1, 1};
  Interval y = by_function(std::min(at_low, at_high), std::max(at_low, at_high));
  if (meets(x, top, kTurn)) y.high = 1;
  if (meets(x, top - std::numbers::pi, kTurn)) y.low = -1;
  return {std::max(y.low, -1.0), std::min(y.high, 1.0)};
}
}  // namespace detail

inline Interval sin(const Interval& x) {
  return detail::wave(x, std::sin(x.low), std::sin(x.high), std::numbers::pi / 2);
}
inline Interval cos(const Interval& x) { return detail::wave(x, std::cos(x.low), std::cos(x.high), 0); }
inline Interval tan(const Interval& x) {
  if (detail::is_long(x) || detail::meets(x, std::numbers::pi / 2, std::numbers::pi)) return Interval::all();
  return detail::by_function(std::tan(x.low), std::tan(x.high));
}
inline Interval asin(const Interval& x) {
  if (x.high < -1 || x.low > 1) return Interval::all();
  return detail::by_function(std::asin(std::max(x.low, -1.0)), std::asin(std::min(x.high, 1.0)));
}
inline Interval acos(const Interval& x) {
  if (x.high < -1 || x.low > 1) return Interval::all();
  return detail::by_function(std::acos(std::min(x.high, 1.0)), std::acos(std::max(x.low, -1.0)));
}
inline Interval atan(const Interval& x) { return detail::by_function(std::atan(x.low), std::atan(x.high)); }
/// Off the cut (y = 0, x < 0) the angle has its extremes at the corners of the box: along an edge it is monotone.
inline Interval atan2(const Interval& y, const Interval& x) {
  if (!(x.low > 0) && y.contains(0)) return {-4, 4};
  const auto [low, high] = std::minmax(
      {std::atan2(y.low, x.low), std::atan2(y.low, x.high), std::atan2(y.high, x.low), std::atan2(y.high, x.high)});
  return detail::by_function(low, high);
}
inline Interval sinh(const Interval& x) { return detail::by_function(std::sinh(x.low), std::sinh(x.high)); }
inline Interval cosh(const Interval& x) {
  const double near = x.contains(0) ? 0 : std::min(std::abs(x.low), std::abs(x.high));
  return detail::by_function(std::cosh(near), std::cosh(std::max(std::abs(x.low), std::abs(x.high))));
}
inline Interval tanh(const Interval& x) {
  const Interval y = detail::by_function(std::tanh(x.low), std::tanh(x.high));
  return {std::max(y.low, -1.0), std::min(y.high, 1.0)};
}

/// x^p; bases below zero have powers with whole exponents only.
inline Interval pow(const Interval& x, double p) {
  if (p == 0) return 1.0;
  if (p < 0) return Interval(1.0) / pow(x, -p);
  if (p == 1) return x;
  if (p != std::floor(p)) {
    if (x.high < 0) return Interval::all();
    return detail::by_function(std::pow(std::max(x.low, 0.0), p), std::pow(x.high, p));
  }
  if (std::fmod(p, 2) == 1 || x.low >= 0) return detail::by_function(std::pow(x.low, p), std::pow(x.high, p));
  const double near = x.contains(0) ? 0 : std::min(std::abs(x.low), std::abs(x.high));
  return detail::by_function(std::pow(near, p), std::pow(std::max(std::abs(x.low), std::abs(x.high)), p));
}
inline Interval pow(const Interval& x, const Interval& p) {
  return p.low == p.high ? pow(x, p.low) : exp(p * log(x));
}
template <int quarters>
Interval power_of_quarters(const Interval& x) {
  return pow(x, quarters / 4.0);
}

}  // namespace percuss
