// Dual numbers: a value with N directional derivatives, exact by the chain rule. Dual<Dual<double>> has second
// ones.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "percuss/base/scalar.h"

namespace percuss {

/// v + sum_i d[i] eps_i with eps_i eps_j = 0. The value is computed by the very operations that a plain T would
/// use, so it has the same bits. Weakness: like every automatic derivative it knows one branch only: at a kink the
/// derivative is that of the branch taken.
template <class T = double, std::size_t N = 1>
struct Dual {
  T v{};
  std::array<T, N> d{};

  constexpr Dual() = default;
  constexpr Dual(double value) : v(value) {}  // NOLINT: a number is a dual number without derivatives
  constexpr Dual(T value, std::array<T, N> derivatives) : v(value), d(derivatives) {}

  /// The i-th independent variable.
  static constexpr Dual variable(T value, std::size_t i = 0) {
    Dual x;
    x.v = value;
    x.d[i] = T(1.0);
    return x;
  }
};

/// f(x) from its value and slope.
template <class T, std::size_t N>
constexpr Dual<T, N> chain(const T& value, const T& slope, const Dual<T, N>& x) {
  Dual<T, N> r;
  r.v = value;
  for (std::size_t i = 0; i < N; ++i) r.d[i] = slope * x.d[i];
  return r;
}

/// f(x, y) from its value and partial slopes.
template <class T, std::size_t N>
constexpr Dual<T, N> chain(const T& value, const T& in_x, const Dual<T, N>& x, const T& in_y, const Dual<T, N>& y) {
  Dual<T, N> r;
  r.v = value;
  for (std::size_t i = 0; i < N; ++i) r.d[i] = in_x * x.d[i] + in_y * y.d[i];
  return r;
}

template <class T, std::size_t N>
constexpr Dual<T, N> operator+(const Dual<T, N>& a, const Dual<T, N>& b) {
  return chain(T(a.v + b.v), T(1.0), a, T(1.0), b);
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator-(const Dual<T, N>& a, const Dual<T, N>& b) {
  return chain(T(a.v - b.v), T(1.0), a, T(-1.0), b);
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator-(const Dual<T, N>& a) {
  return chain(T(-a.v), T(-1.0), a);
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator*(const Dual<T, N>& a, const Dual<T, N>& b) {
  return chain(T(a.v * b.v), b.v, a, a.v, b);
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator/(const Dual<T, N>& a, const Dual<T, N>& b) {
  const T quotient = a.v / b.v;
  return chain(quotient, T(T(1.0) / b.v), a, T(-quotient / b.v), b);
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator+(double a, const Dual<T, N>& b) {
  return Dual<T, N>(a) + b;
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator+(const Dual<T, N>& a, double b) {
  return a + Dual<T, N>(b);
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator-(double a, const Dual<T, N>& b) {
  return Dual<T, N>(a) - b;
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator-(const Dual<T, N>& a, double b) {
  return a - Dual<T, N>(b);
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator*(double a, const Dual<T, N>& b) {
  return chain(T(a * b.v), T(a), b);
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator*(const Dual<T, N>& a, double b) {
  return chain(T(a.v * b), T(b), a);
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator/(double a, const Dual<T, N>& b) {
  return Dual<T, N>(a) / b;
}
template <class T, std::size_t N>
constexpr Dual<T, N> operator/(const Dual<T, N>& a, double b) {
  return chain(T(a.v / b), T(1.0 / b), a);
}

/// Comparisons look at the values.
template <class T, std::size_t N>
constexpr auto operator<(const Dual<T, N>& a, const Dual<T, N>& b) {
  return a.v < b.v;
}
template <class T, std::size_t N>
constexpr auto operator>(const Dual<T, N>& a, const Dual<T, N>& b) {
  return a.v > b.v;
}
template <class T, std::size_t N>
constexpr auto operator<=(const Dual<T, N>& a, const Dual<T, N>& b) {
  return a.v <= b.v;
}
template <class T, std::size_t N>
constexpr auto operator>=(const Dual<T, N>& a, const Dual<T, N>& b) {
  return a.v >= b.v;
}
template <class T, std::size_t N>
constexpr auto operator==(const Dual<T, N>& a, const Dual<T, N>& b) {
  return a.v == b.v;
}

template <class T, std::size_t N>
constexpr Dual<T, N> select(bool condition, const Dual<T, N>& a, const Dual<T, N>& b) {
  return condition ? a : b;
}
template <class T, std::size_t N>
constexpr double value_of(const Dual<T, N>& x) {
  return value_of(x.v);
}

/// The same where the slope may be infinite: what does not vary has no slope, even there.
template <class T, std::size_t N>
constexpr Dual<T, N> chain_singular(const T& value, const T& slope, const Dual<T, N>& x) {
  Dual<T, N> r;
  r.v = value;
  for (std::size_t i = 0; i < N; ++i) r.d[i] = x.d[i] == T(0.0) ? T(0.0) : T(slope * x.d[i]);
  return r;
}

template <class T, std::size_t N>
Dual<T, N> sqrt(const Dual<T, N>& x) {
  using std::sqrt;
  const T root = sqrt(x.v);
  return chain_singular(root, T(0.5 / root), x);
}
template <class T, std::size_t N>
Dual<T, N> cbrt(const Dual<T, N>& x) {
  using std::cbrt;
  const T root = cbrt(x.v);
  return chain_singular(root, T(1.0 / (3.0 * root * root)), x);
}
/// x^(quarters/4): finite slopes at 0 where the power has them, which the product of roots would lose as 0 *
/// infinity.
template <int quarters, class T, std::size_t N>
Dual<T, N> power_of_quarters(const Dual<T, N>& x) {
  const T value = power_of_quarters<quarters>(x.v);
  if constexpr (quarters == 0) {
    return chain(value, T(0.0), x);
  } else if constexpr (quarters < 4) {
    return chain_singular(value, T((quarters / 4.0) / power_of_quarters<4 - quarters>(x.v)), x);
  } else {
    return chain(value, T((quarters / 4.0) * power_of_quarters<quarters - 4>(x.v)), x);
  }
}
template <class T, std::size_t N>
Dual<T, N> exp(const Dual<T, N>& x) {
  using std::exp;
  const T e = exp(x.v);
  return chain(e, e, x);
}
template <class T, std::size_t N>
Dual<T, N> expm1(const Dual<T, N>& x) {
  using std::exp, std::expm1;
  return chain(T(expm1(x.v)), T(exp(x.v)), x);
}
template <class T, std::size_t N>
Dual<T, N> log(const Dual<T, N>& x) {
  using std::log;
  return chain(T(log(x.v)), T(1.0 / x.v), x);
}
template <class T, std::size_t N>
Dual<T, N> log10(const Dual<T, N>& x) {
  using std::log10;
  return chain(T(log10(x.v)), T(0.43429448190325182765 / x.v), x);
}
template <class T, std::size_t N>
Dual<T, N> log1p(const Dual<T, N>& x) {
  using std::log1p;
  return chain(T(log1p(x.v)), T(1.0 / (1.0 + x.v)), x);
}
template <class T, std::size_t N>
Dual<T, N> sin(const Dual<T, N>& x) {
  using std::cos, std::sin;
  return chain(T(sin(x.v)), T(cos(x.v)), x);
}
template <class T, std::size_t N>
Dual<T, N> cos(const Dual<T, N>& x) {
  using std::cos, std::sin;
  return chain(T(cos(x.v)), T(-sin(x.v)), x);
}
template <class T, std::size_t N>
Dual<T, N> tan(const Dual<T, N>& x) {
  using std::tan;
  const T t = tan(x.v);
  return chain(t, T(1.0 + t * t), x);
}
template <class T, std::size_t N>
Dual<T, N> asin(const Dual<T, N>& x) {
  using std::asin, std::sqrt;
  return chain(T(asin(x.v)), T(1.0 / sqrt(1.0 - x.v * x.v)), x);
}
template <class T, std::size_t N>
Dual<T, N> acos(const Dual<T, N>& x) {
  using std::acos, std::sqrt;
  return chain(T(acos(x.v)), T(-1.0 / sqrt(1.0 - x.v * x.v)), x);
}
template <class T, std::size_t N>
Dual<T, N> atan(const Dual<T, N>& x) {
  using std::atan;
  return chain(T(atan(x.v)), T(1.0 / (1.0 + x.v * x.v)), x);
}
template <class T, std::size_t N>
Dual<T, N> atan2(const Dual<T, N>& y, const Dual<T, N>& x) {
  using std::atan2;
  const T r2 = x.v * x.v + y.v * y.v;
  return chain(T(atan2(y.v, x.v)), T(x.v / r2), y, T(-y.v / r2), x);
}
template <class T, std::size_t N>
Dual<T, N> sinh(const Dual<T, N>& x) {
  using std::cosh, std::sinh;
  return chain(T(sinh(x.v)), T(cosh(x.v)), x);
}
template <class T, std::size_t N>
Dual<T, N> cosh(const Dual<T, N>& x) {
  using std::cosh, std::sinh;
  return chain(T(cosh(x.v)), T(sinh(x.v)), x);
}
template <class T, std::size_t N>
Dual<T, N> tanh(const Dual<T, N>& x) {
  using std::tanh;
  const T t = tanh(x.v);
  return chain(t, T(1.0 - t * t), x);
}
template <class T, std::size_t N>
Dual<T, N> abs(const Dual<T, N>& x) {
  using std::abs;
  return chain(T(abs(x.v)), x.v < T(0.0) ? T(-1.0) : T(1.0), x);
}
template <class T, std::size_t N>
Dual<T, N> floor(const Dual<T, N>& x) {
  using std::floor;
  return chain(T(floor(x.v)), T(0.0), x);
}

/// Has a number a derivative that is not zero, at any level?
constexpr bool differs_in_slope(double) { return false; }
template <class T, std::size_t N>
constexpr bool differs_in_slope(const Dual<T, N>& x) {
  for (const T& slope : x.d)
    if (!(slope == T(0.0)) || differs_in_slope(slope)) return true;
  return false;
}

/// x^p with a plain exponent; x^0 has no slope, also at x = 0.
template <class T, std::size_t N>
Dual<T, N> pow(const Dual<T, N>& x, double p) {
  using std::pow;
  return chain(T(pow(x.v, p)), p == 0 ? T(0.0) : T(p * pow(x.v, p - 1)), x);
}
/// x^y; where y does not vary, only the slope in x is formed, so that a negative x is no trouble.
template <class T, std::size_t N>
Dual<T, N> pow(const Dual<T, N>& x, const Dual<T, N>& y) {
  using std::log, std::pow;
  const T value = pow(x.v, y.v);
  const T in_x = y.v == T(0.0) ? T(0.0) : T(y.v * pow(x.v, T(y.v - T(1.0))));
  bool y_varies = false;
  for (const T& slope : y.d) y_varies = y_varies || !(slope == T(0.0)) || differs_in_slope(slope);
  if (!y_varies) return chain(value, in_x, x);
  const T in_y = x.v > T(0.0) ? T(value * log(x.v)) : T(0.0);
  return chain(value, in_x, x, in_y, y);
}

}  // namespace percuss
