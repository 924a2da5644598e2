// Closed forms in the oscillator's phase, times by quadrature.
#include "percuss/impact/oscillator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "percuss/contact/restitution.h"
#include "percuss/impact/quadrature.h"

namespace percuss::impact {

using namespace contact;

namespace {

/// Unit oscillator s'' + 2 z s' + s = 0, s(0) = 0, s'(0) = 1, for any z >= 0.
struct Oscillator {
  double z;
  double w = std::sqrt(std::abs(1 - z)) * std::sqrt(1 + z);
  bool critical() const { return w < 1e-8; }

  double sine(double tau) const { return critical() ? tau : (z < 1 ? std::sin(w * tau) : std::sinh(w * tau)) / w; }
  double cosine(double tau) const { return critical() ? 1 : z < 1 ? std::cos(w * tau) : std::cosh(w * tau); }
  double position(double tau) const { return std::exp(-z * tau) * sine(tau); }
  double speed(double tau) const { return std::exp(-z * tau) * (cosine(tau) - z * sine(tau)); }

  /// tau at which speed/position = r: w cot(w tau) = r + z.
  double time_of_ratio(double r) const {
    if (critical()) return 1 / (r + z);
    return z < 1 ? std::atan2(w, r + z) / w : std::atanh(w / (r + z)) / w;
  }
};

/// F is proportional to s^q (s + 2 z s'), q = (n-1)/(n+1). dF/dtau = 0 is, with r = s'/s,
///   2 z q r^2 + (1 + q - 4 z^2) r - 2 z = 0;  of its roots the positive one; infinite r is the touch itself.
double ratio_at_max_force(double z, double q) {
  const double b = 1 + q - 4 * z * z;
  if (z == 0) return 0;
  if (q == 0) return b > 0 ? 2 * z / b : std::numeric_limits<double>::infinity();
  const double root = std::sqrt(b * b + 16 * z * z * q);
  return b > 0 ? 4 * z / (b + root) : (root - b) / (4 * z * q);
}

/// And of the pull before separation: the negative root, where r < -1/(2z).
double ratio_at_lowest_force(double z, double q) {
  const double b = 1 + q - 4 * z * z;
  if (q == 0) return b < 0 ? 2 * z / b : -std::numeric_limits<double>::infinity();
  const double root = std::sqrt(b * b + 16 * z * z * q);
  return b > 0 ? -(b + root) / (4 * z * q) : -4 * z / (root - b);
}

/// At an extreme of the force the quadratic above gives 1 + 2 z r = r (1 + q + 2 z q r)/(2 z), the force over the
/// position, and r^2 + 2 z r + 1 = (1 + q) r (1 + 2 z r)/(2 z), without the cancellation of r against 1/(2z) when z
/// is large.
struct Pull {
  double time, force_over_position;
};
Pull pull_at(const Oscillator& motion, double r, double q) {
  const double z = motion.z, ratio = r * (1 + q + 2 * z * q * r) / (2 * z);
  if (z <= 1 || motion.critical()) return {motion.time_of_ratio(r), ratio};
  // artanh(w/(r+z))/w = ln[(r+z+w)/(r+z-w)]/(2w), and (r+z)^2 - w^2 = r^2 + 2 z r + 1
  const double sum = r + z + motion.w, product = (1 + q) * r * ratio / (2 * z);
  return {std::log(sum * sum / product) / (2 * motion.w), ratio};
}

}  // namespace

Outcome collide_as_oscillator(const Collision& c, const Power<>& power, const Added<>& damping, Times times) {
  const double n = power.exponent, m = c.mass_kg, v0 = c.velocity_mps, q = (n - 1) / (n + 1);
  const double omega = std::sqrt(power.stiffness / m), stretch = std::sqrt((n + 1) / 2);
  const Oscillator motion{damping.chi / (2 * stretch * std::sqrt(power.stiffness * m))};
  const double z = motion.z, size = v0 / omega;  // s of the unit oscillator times `size`

  const auto depth = [&](double s) { return std::pow(stretch * size * s, 2 / (n + 1)); };
  const auto slope = [&](double s) { return stretch * std::pow(stretch * size * s, q); };  // s'(x)
  const auto force_at = [&](double tau) {
    const double s = motion.position(tau);
    return m * omega * v0 * (n == 1 ? 1 : slope(s)) * (s + 2 * z * motion.speed(tau));
  };
  const auto lowest_force = [&] {
    const double r = ratio_at_lowest_force(z, q);
    if (std::isinf(r)) return force_at(std::numbers::pi / motion.w);  // at separation
    const Pull pull = pull_at(motion, r, q);
    const double s = motion.position(pull.time);
    return m * omega * v0 * (n == 1 ? 1 : slope(s)) * s * pull.force_over_position;
  };
  // t = integral of d(tau)/(omega s'(x)), over a piece on which s is a function of the distance from its zero
  const auto time = [&](auto&& position, double end) {
    if (n == 1) return end / omega;
    if (times == Times::none) return 0.0;
    return integrate_from_singular_end([&](double tau) { return 1 / (omega * slope(position(tau))); }, end);
  };
  const auto from_touch = [&](double tau) { return time([&](double x) { return motion.position(x); }, tau); };

  Outcome out;
  const double decrement = oscillator_decrement(z);
  const double peak = z == 0 ? std::numbers::pi / 2 : decrement / z;  // tau
  out.peak_indentation_m = depth(std::exp(-decrement));
  out.peak_indentation_time_s = from_touch(peak);

  const double ratio = ratio_at_max_force(z, q);
  const bool at_touch = std::isinf(ratio);
  const double tau_force = at_touch ? 0 : motion.time_of_ratio(ratio);
  out.peak_force_time_s = at_touch ? 0 : from_touch(tau_force);
  out.peak_force_N = force_at(tau_force);

  const double zero_indentation = z < 1 ? std::numbers::pi / motion.w : std::numeric_limits<double>::infinity();
  if (damping.on_approach) {  // back without damping: a quarter of a period
    out.restitution = std::exp(-decrement);
    out.duration_s = out.peak_indentation_time_s +
                     time([&](double sigma) { return out.restitution * std::sin(sigma); }, std::numbers::pi / 2);
  } else if (c.law.release == Release::zero_force) {
    out.restitution = std::exp(-2 * decrement);
    out.duration_s = from_touch(2 * peak);
  } else {
    out.restitution = z < 1 ? std::exp(-z * zero_indentation) : 0;
    if (z > 0) out.lowest_force_N = lowest_force();
    const auto back = [&](double sigma) { return std::exp(-z * (zero_indentation - sigma)) * motion.sine(sigma); };
    const bool creeps = out.restitution < 1e-50;  // back for ever, or for longer than numbers can say
    out.duration_s = creeps ? std::numeric_limits<double>::infinity()
                            : out.peak_indentation_time_s + time(back, zero_indentation - peak);
  }
  return out;
}

}  // namespace percuss::impact
