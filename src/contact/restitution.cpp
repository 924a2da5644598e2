// Roots of the restitution relations, each in the variable in which it keeps its digits.
#include "percuss/contact/restitution.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "percuss/base/scalar.h"

namespace percuss::contact {

namespace {

constexpr double kLastStep = 1e-8;  // Newton's error after a step is of the order of its square

/// d/dx of log_residue, from its value: (1/(1+x) - 2 R)/x = -1/3 + x/2 - 3x^2/5 + ...
double log_residue_slope(double x, double residue) {
  if (std::abs(x) < 0.05) {
    double sum = 0;
    for (int k = 14; k >= 1; --k) sum = k / (k + 2.0) - x * sum;
    return -sum;
  }
  return (1 / (1 + x) - 2 * residue) / x;
}
double log_residue_slope(double x) { return log_residue_slope(x, log_residue(x)); }

/// Second derivative, from the first; near 0 two terms will do for what it is used for.
double log_residue_bend(double x, double slope) {
  return std::abs(x) < 0.05 ? 0.5 - 1.2 * x : (-1 / ((1 + x) * (1 + x)) - 3 * slope) / x;
}

/// Root in a bracket with a sign change; used where Newton has no safe start.
template <class F>
double bracketed_root(F&& f, double low, double high) {
  const double f_low = f(low), f_high = f(high);
  if (f_low == 0) return low;
  if (f_high == 0) return high;
  if ((f_low < 0) == (f_high < 0))
    return std::abs(f_low) < std::abs(f_high) ? low : high;  // at an end, lost to rounding
  std::uintmax_t most = 200;
  const auto close = [](double a, double b) {
    return std::abs(b - a) <= 2 * kEpsilon * std::min(std::abs(a), std::abs(b));
  };
  const auto [a, b] = boost::math::tools::toms748_solve(f, low, high, f_low, f_high, close, most);
  return a + (b - a) / 2;
}

}  // namespace

double log_residue(double x) {
  if (std::abs(x) < 0.05) {  // series: twelve terms leave 0.05^12/14 < 2e-17
    constexpr double kInverse[] = {1.0 / 2, -1.0 / 3, 1.0 / 4,  -1.0 / 5,  1.0 / 6,  -1.0 / 7,
                                   1.0 / 8, -1.0 / 9, 1.0 / 10, -1.0 / 11, 1.0 / 12, -1.0 / 13};
    double sum = 0;
    for (int k = 11; k >= 0; --k) sum = kInverse[k] + x * sum;
    return sum;
  }
  return (1 - std::log1p(x) / x) / x;
}

/// Small a: the root of log_residue(a) = e^2 log_residue(-a e), which is (1) divided by a^2, so that nothing
/// cancels. Large a: with q = ln(1 - a e), (1) reads exp(q) - q = (1 + a) - ln(1 + a); the left side falls and is
/// convex for q < 0.
double restitution_of_damping(double a) {
  if (a == 0) return 1;
  if (a < 0.5) {
    const double target = log_residue(a);
    double e = 1 / (1 + a * (2.0 / 3 - 2.0 / 135 * a * a));  // starts within 1e-3
    for (int i = 0; i < 8; ++i) {
      const double r = log_residue(-a * e);
      const double f = e * e * r - target;
      const double slope = e / (1 - a * e);  // d/de of e^2 r(-a e) = -e/a - log1p(-a e)/a^2
      const double step = f / slope;
      e -= step;
      if (std::abs(step) <= kLastStep * e) break;
    }
    return e;
  }
  const double level = 1 + a - std::log1p(a);
  // e near 1/(1 + 2a/3) for moderate a, 1/a (q -> -level) for large a
  double q = a < 4 ? std::log1p(-a / (1 + 2 * a / 3 + 0.03 * a * a)) : -level;
  for (int i = 0; i < 60; ++i) {
    const double exp_q = std::exp(q);
    const double step = (exp_q - q - level) / (exp_q - 1);
    q -= step;
    if (std::abs(step) <= kLastStep * std::abs(q)) break;
  }
  return -std::expm1(q) / a;
}

/// Above 1/3: Halley's iteration on log_residue(a) - e^2 log_residue(-a e) from Carvalho and Martins' formula (good
/// to 1 %). Below: 1 - a e vanishes exponentially, so the unknown is its logarithm q: g(q) = a (1+e) - log1p(a) +
/// q, a = -expm1(q)/e.
double damping_of_restitution(double e) {
  if (e >= 1) return 0;
  if (e > 1.0 / 3) {
    double a = 1.5 * (1 - e) * (11 - e) / (1 + 9 * e);
    for (int i = 0; i < 8; ++i) {
      const double in = log_residue(a), out = log_residue(-a * e);
      const double f = in - e * e * out;
      const double slope_in = log_residue_slope(a, in), slope_out = log_residue_slope(-a * e, out);
      const double slope = slope_in + e * e * e * slope_out;
      const double bend = log_residue_bend(a, slope_in) - e * e * e * e * log_residue_bend(-a * e, slope_out);
      const double step = 2 * f * slope / (2 * slope * slope - f * bend);
      a -= step;
      if (std::abs(step) <= 1e-5 * a) break;  // the error is now of the order of the step's cube
    }
    return a;
  }
  double q = std::log1p(1 / e) - 1 - 1 / e;
  for (int i = 0; i < 20; ++i) {
    const double exp_minus_1 = std::expm1(q), a = -exp_minus_1 / e, da = -(1 + exp_minus_1) / e;
    const double step = (a * (1 + e) - std::log1p(a) + q) / (da * (1 + e) - da / (1 + a) + 1);
    q -= step;
    if (std::abs(step) <= kLastStep * std::abs(q)) break;
  }
  return -std::expm1(q) / e;
}

/// From (1): ln(1 - a e) = ln(1 + a) - a (1 + e); for small a e the direct form is the better one.
double log_end_factor(double a, double e) { return a * e < 0.5 ? std::log1p(-a * e) : std::log1p(a) - a * (1 + e); }

double oscillator_decrement(double z) {
  if (z > 1e8) return std::log(z) + std::numbers::ln2;  // acosh(z) z/sqrt(z^2 - 1) up to 1/z^2
  const double w2 = (1 - z) * (1 + z);
  if (std::abs(w2) < 1e-4) {  // acos(z)/sqrt(1 - z^2) = 1 + y/3 + 2y^2/15 + 2y^3/35 + ..., y = 1 - z
    const double y = 1 - z;
    return z * (1 + y * (1.0 / 3 + y * (2.0 / 15 + y * (2.0 / 35 + y * 8.0 / 315))));
  }
  return w2 > 0 ? z * std::acos(z) / std::sqrt(w2) : z * std::acosh(z) / std::sqrt(-w2);
}

double damping_of_decrement(double decrement) {
  if (decrement == 0) return 0;
  if (!(decrement < 700)) return std::numeric_limits<double>::infinity();  // exp(decrement) is no number any more
  // A >= z between 0 and 1, and A <= ln(2z) + 1 above: these bracket the root
  const double low = std::min(decrement / 2, 1.0), high = std::max(1.0, std::exp(decrement));
  return bracketed_root([decrement](double z) { return oscillator_decrement(z) - decrement; }, low, high);
}

double damping_ratio_to_zero_indentation(double e) {
  if (e <= 0) return 1;
  const double l = std::log(e);
  return -l / std::hypot(std::numbers::pi, l);
}
double damping_ratio_to_zero_force(double e) { return damping_of_decrement(-std::log(e) / 2); }
double damping_ratio_on_approach(double e) { return damping_of_decrement(-std::log(e)); }

/// One unknown a in [0, 1/e): the recovered part r = G-(a, e)/G+(a) and the plastic share s ask for
/// (1 - r) G+(a) = s (1 - e^2)/2. The left side falls from (1 - e^2)/2 at a = 0 to 0 at the a of the purely viscous
/// law. For e = 0 the unloading vanishes, r = 0 and G+(a) = s/2.
MixedDamping mixed_damping(double e, double share) {
  if (e >= 1) return {0, 1};
  const double plastic = share * (1 - e * e) / 2;  // energy over m v0^2
  if (share == 1) return {0, e * e};
  if (share == 0) return {damping_of_restitution(e), 1};
  if (e == 0) {
    double high = 1;
    while (log_residue(high) > plastic) high *= 2;
    return {bracketed_root([plastic](double a) { return log_residue(a) - plastic; }, 0, high), 0};
  }
  const double viscous = damping_of_restitution(e), end = log_end_factor(viscous, e);
  if (e > 1.0 / 3) {
    const auto returned = [e](double a) { return e * e * log_residue(-a * e); };
    const double a = bracketed_root([&](double x) { return log_residue(x) - plastic - returned(x); }, 0, viscous);
    return {a, returned(a) / log_residue(a)};
  }
  // for small e the unknown is again q = ln(1 - a e), with G- = -e/a - q/a^2
  const auto damping = [e](double q) { return -std::expm1(q) / e; };
  const auto returned = [&](double q) {
    const double a = damping(q);
    return a * e < 0.05 ? e * e * log_residue(-a * e) : -(e + q / a) / a;
  };
  const double q =
      bracketed_root([&](double x) { return log_residue(damping(x)) - plastic - returned(x); }, end, 0);
  return {damping(q), returned(q) / log_residue(damping(q))};
}

double restitution_of_mixed(MixedDamping mixed) {
  const double a = mixed.damping, r = mixed.recovered_ratio;
  if (r <= 0) return 0;
  const double viscous = restitution_of_damping(a), target = r * log_residue(a);
  if (r >= 1) return viscous;
  if (a == 0) return std::sqrt(r);
  if (a < 0.5) return bracketed_root([&](double e) { return e * e * log_residue(-a * e) - target; }, 0, viscous);
  if (const double small = std::sqrt(2 * target); a * small < 0.05) {  // a e small: Newton, e^2 R(-a e) = target
    double e = small;
    for (int i = 0; i < 8; ++i) e -= (e * e * log_residue(-a * e) - target) * (1 - a * e) / e;
    return e;
  }
  const auto imbalance = [&](double q) { return std::expm1(q) - q - a * a * target; };
  return -std::expm1(bracketed_root(imbalance, log_end_factor(a, viscous), 0)) / a;
}

namespace {

/// y(x) with f(x, y) = 0 has the slope -f_x/f_y.
Slope implicit(double y, double f_x, double f_y, const Slope& x) { return chain(y, -f_x / f_y, x); }

/// dA/dz = (A/z + ... ): from A = z B, B = acos(z)/sqrt(1-z^2), B' = (z B - 1)/(1 - z^2).
double oscillator_decrement_slope(double z) {
  const double w2 = (1 - z) * (1 + z);
  const double y = 1 - z;
  const double b = z == 0 ? std::numbers::pi / 2 : oscillator_decrement(z) / z;
  const double b_slope = std::abs(w2) < 1e-4 ? -(1.0 / 3 + y * (4.0 / 15 + y * 6.0 / 35)) : (z * b - 1) / w2;
  return b + z * b_slope;
}

}  // namespace

Slope damping_of_restitution(Slope e) {
  const double a = damping_of_restitution(e.v);
  // (1) divided by a^2; its limit at e = 1 is a = 3/2 (1 - e)
  const double r = log_residue(-a * e.v), dr = log_residue_slope(-a * e.v);
  const double in_e = -(2 * e.v * r - a * e.v * e.v * dr);
  const double in_a = log_residue_slope(a) + e.v * e.v * e.v * dr;
  if (!std::isfinite(in_e) || !std::isfinite(in_a)) return chain(a, -1 / (e.v * e.v), e);  // a e = 1 to all digits
  return implicit(a, in_e, in_a, e);
}
Slope damping_ratio_to_zero_indentation(Slope e) {
  const double l = std::log(e.v), r = std::hypot(std::numbers::pi, l);
  return chain(damping_ratio_to_zero_indentation(e.v), -std::numbers::pi * std::numbers::pi / (r * r * r * e.v), e);
}
Slope damping_ratio_to_zero_force(Slope e) {
  const double z = damping_ratio_to_zero_force(e.v);
  return chain(z, -1 / (2 * e.v * oscillator_decrement_slope(z)), e);
}
Slope damping_ratio_on_approach(Slope e) {
  const double z = damping_ratio_on_approach(e.v);
  return chain(z, -1 / (e.v * oscillator_decrement_slope(z)), e);
}

/// f(a; e, s) = G+(a) - s (1 - e^2)/2 - e^2 R(-a e) = 0 and r = 1 - s (1 - e^2)/(2 G+(a)).
MixedSlopes mixed_damping(Slope e, Slope share) {
  const MixedDamping root = mixed_damping(e.v, share.v);
  const double a = root.damping, plastic = share.v * (1 - e.v * e.v) / 2;
  const double r = log_residue(-a * e.v), dr = log_residue_slope(-a * e.v), g = log_residue(a),
               dg = log_residue_slope(a);
  const double in_a = dg + e.v * e.v * e.v * dr;
  const double in_e = share.v * e.v - 2 * e.v * r + a * e.v * e.v * dr;
  const double in_s = -(1 - e.v * e.v) / 2;
  const Slope damping = chain(a, -in_e / in_a, e, -in_s / in_a, share);
  Slope ratio = chain(root.recovered_ratio, share.v * e.v / g, e, in_s / g, share);
  ratio.d[0] += plastic * dg / (g * g) * damping.d[0];
  return {damping, ratio};
}

}  // namespace percuss::contact
