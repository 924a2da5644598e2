// Outcomes without integration: scaled, plastic, mixed, dry and Thornton's laws, and those equal to a linear
// oscillator.
#include "percuss/impact/closed_form.h"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "percuss/base/units.h"
#include "percuss/contact/restitution.h"
#include "percuss/impact/oscillator.h"
#include "percuss/impact/phase_time.h"
#include "percuss/impact/quadrature.h"

namespace percuss::impact {

using namespace contact;

namespace {

/// Energies from the restitution and the deepest point, common to all.
void complete(const Collision& c, Outcome& out) {
  const double energy = c.energy_J(), e = out.restitution;
  out.returned_energy_J = energy * e * e;
  out.lost_energy_J = energy * (1 - e) * (1 + e);
  out.stored_energy_J = stored_energy_J(c.law, out.peak_indentation_m, out.peak_indentation_m);
  out.plastic_energy_J = plastic_energy_J(c.law, out.peak_indentation_m);
  out.permanent_indentation_m = permanent_indentation_m(c.law, out.peak_indentation_m);
}

/// Loading F = f(x)(1 + a u) and, on unloading, the same along a curve that recovers the part r of the depth.
/// Depth: phi(x_m) = m v0^2 G+(a). The largest force is where d/du [f (1 + a u)] = 0:  u m v0^2 f'(x) = a f(x)^2.
Outcome scaled_and_plastic(const Collision& c, double gain, double recovered, Times times) {
  const double v0 = c.velocity_mps, a = gain * v0, scale = c.mass_kg * v0 * v0;
  Outcome out;
  out.restitution = restitution_of_mixed({a, recovered});
  out.peak_indentation_m = depth_of_energy_m(c.law.elastic, scale * log_residue(a));
  if (!std::isfinite(out.peak_indentation_m)) return out;

  double u = 0;
  if (a > 0) {
    if (const auto* power = std::get_if<Power<>>(&c.law.elastic)) {
      u = speed_ratio_at_max_force(a, power->exponent);
    } else {
      const auto slope = [&](double w) {
        const double x = depth_of_energy_m(c.law.elastic, scale * energy_at_speed_ratio(a, w));
        const double f = elastic_force_N(c.law.elastic, x);
        return w * scale * elastic_slope_Npm(c.law.elastic, x) - a * f * f;
      };
      std::uintmax_t most = 100;
      const auto close = [](double l, double r) { return r - l < 1e-13; };
      u = boost::math::tools::toms748_solve(slope, 0.0, 1 - 1e-9, close, most).first;
    }
  }
  const double at_force =
      u > 0 ? depth_of_energy_m(c.law.elastic, scale * energy_at_speed_ratio(a, u)) : out.peak_indentation_m;
  out.peak_force_N = elastic_force_N(c.law.elastic, at_force) * (1 + a * u);

  complete(c, out);
  if (times == Times::none) return out;
  const PhaseTime time{c, a};
  out.peak_indentation_time_s = time.of_loading(0);
  out.peak_force_time_s = u > 0 ? time.of_loading(u) : out.peak_indentation_time_s;
  out.duration_s =
      out.peak_indentation_time_s + (recovered > 0 ? time.of_unloading(out.restitution, recovered) : 0);
  return out;
}

/// F = f(x)(1 + mu sgn x'): both phases are elastic, (1 + mu) phi(x_m) = m v0^2/2 and e^2 = (1 - mu)/(1 + mu).
Outcome dry(const Collision& c, double loading, double unloading, Times times) {
  Outcome out;
  out.restitution = std::sqrt(unloading / loading);
  out.peak_indentation_m = depth_of_energy_m(c.law.elastic, c.energy_J() / loading);
  if (!std::isfinite(out.peak_indentation_m)) return out;
  out.peak_force_N = elastic_force_N(c.law.elastic, out.peak_indentation_m) * loading;
  complete(c, out);
  if (times == Times::none) return out;
  const PhaseTime time{c, 0};
  out.peak_indentation_time_s = out.peak_force_time_s = time.of_elastic_half(1, loading);
  out.duration_s =
      out.peak_indentation_time_s + (unloading > 0 ? time.of_elastic_half(out.restitution, unloading) : 0);
  return out;
}

/// Hertz to the yield depth, a straight line beyond, Hertz with another stiffness on the way out: energies are
/// elementary. Time: a quadrature to yield, an oscillator about the line's zero to the peak, half of an elastic
/// collision out.
Outcome thornton(const Collision& c, const Thornton<>& t, Times times) {
  const double energy = c.energy_J(), v0 = c.velocity_mps, m = c.mass_kg;
  const double to_yield = elastic_energy_J(c.law.elastic, t.yield_depth_m);
  if (energy <= to_yield) {  // elastic
    Collision elastic = c;
    elastic.law.shape = Scaled<>{};
    return scaled_and_plastic(elastic, 0, 1, times);
  }
  Outcome out;
  const double k = t.plastic_slope_Npm, rest = energy - to_yield;
  // F_y d + k d^2/2 = rest, in the form that does not cancel
  const double d = 2 * rest / (t.yield_force_N + std::sqrt(t.yield_force_N * t.yield_force_N + 2 * k * rest));
  out.peak_indentation_m = t.yield_depth_m + d;
  out.peak_force_N = t.yield_force_N + k * d;
  const double returned = stored_energy_J(c.law, out.peak_indentation_m, out.peak_indentation_m);
  out.restitution = std::sqrt(returned / energy);

  complete(c, out);
  if (times == Times::none) return out;
  // from yield back to touch, s = x_y - x: near the yield speed the integrand is almost singular at s = 0
  const auto slowness = [&](double s) {
    const double gained = -to_yield * std::expm1(2.5 * std::log1p(-s / t.yield_depth_m));
    return 1 / std::sqrt(2 * (rest + gained) / m);
  };
  const double to_yield_s = integrate_from_singular_end(slowness, t.yield_depth_m);
  const double omega = std::sqrt(k / m), speed = std::sqrt(2 * rest / m);
  const double yielding_s = std::atan2(speed, omega * t.yield_force_N / k) / omega;
  const double span = out.peak_indentation_m - permanent_indentation_m(c.law, out.peak_indentation_m);
  out.peak_indentation_time_s = out.peak_force_time_s = to_yield_s + yielding_s;
  out.duration_s = out.peak_indentation_time_s + span / (out.restitution * v0) * elastic_half_time(1.5);
  return out;
}

}  // namespace

double energy_at_speed_ratio(double a, double u) {
  const double s = 1 - u, b = a / (1 + a);
  return (s - s * s * log_residue(-b * s) / (1 + a)) / (1 + a);
}

double speed_ratio_at_max_force(double a, double exponent) {
  // H(u) = u n/(n+1) - a g(u) rises; g' = -u/(1 + a u)
  const double share = exponent / (exponent + 1);
  double u = std::min(a / (2 * share + a), 0.9);
  for (int i = 0; i < 30; ++i) {
    const double h = share * u - a * energy_at_speed_ratio(a, u);
    const double step = h / (share + a * u / (1 + a * u));
    u = std::clamp(u - step, 0.0, 1.0);
    if (std::abs(step) < 1e-8) break;  // the next one would be of the order of its square
  }
  return u;
}

ScaledPeaks scaled_peaks(double stiffness, double exponent, double a, double mass_kg, double velocity_mps) {
  const double scale = (exponent + 1) * mass_kg * velocity_mps * velocity_mps / stiffness;
  const double power = 1 / (exponent + 1);
  const double u = a > 0 ? speed_ratio_at_max_force(a, exponent) : 0;
  const double at_force = scale * (u > 0 ? energy_at_speed_ratio(a, u) : log_residue(a));
  return {std::pow(scale * log_residue(a), power), stiffness * std::pow(at_force, exponent * power) * (1 + a * u)};
}

std::optional<Outcome> collide_closed_form(const Collision& c, Times times) {
  if (const auto* s = std::get_if<Scaled<>>(&c.law.shape)) return scaled_and_plastic(c, s->gain_s_per_m, 1, times);
  if (const auto* p = std::get_if<Plastic<>>(&c.law.shape))
    return scaled_and_plastic(c, p->gain_s_per_m, p->recovered_ratio(), times);
  if (const auto* d = std::get_if<Dry<>>(&c.law.shape))
    return dry(c, d->loading_factor, d->unloading_factor, times);
  if (const auto* t = std::get_if<Thornton<>>(&c.law.shape)) return thornton(c, *t, times);
  if (const auto* a = std::get_if<Added<>>(&c.law.shape)) {
    const auto* power = std::get_if<Power<>>(&c.law.elastic);
    if (!power || a->exponent != (power->exponent - 1) / 2) return std::nullopt;
    Outcome out = collide_as_oscillator(c, *power, *a, times);
    complete(c, out);
    return out;
  }
  return std::nullopt;
}

bool has_closed_form(const Law& law) {
  if (const auto* a = std::get_if<Added<>>(&law.shape)) {
    const auto* power = std::get_if<Power<>>(&law.elastic);
    return power && a->exponent == (power->exponent - 1) / 2;
  }
  return !std::holds_alternative<Ramped<>>(law.shape) && !std::holds_alternative<Custom<>>(law.shape);
}

Result<Outcome> collide(const Collision& c, Times times) {
  const std::optional<Outcome> closed = has_closed_form(c.law) ? collide_closed_form(c, times) : std::nullopt;
  if (!closed) return collide_integrated(c);
  if (!std::isfinite(closed->peak_indentation_m)) return beyond_range(c);
  return *closed;
}

Diagnostic beyond_range(const Collision& c) {
  return {{"velocity"},
          "the indentation would pass " + text_of(depth_limit_m(c.law.elastic) * 1e6, 6) +
              " um, where the elastic law ends"};
}

double TwoBodies::effective_mass_kg() const { return 1 / (1 / mass_i_kg + 1 / mass_j_kg); }

VelocitiesAfter velocities_after(const TwoBodies& b, double restitution) {
  const double impulse = b.effective_mass_kg() * (1 + restitution) * b.approach_mps();
  return {b.velocity_i_mps - impulse / b.mass_i_kg, b.velocity_j_mps + impulse / b.mass_j_kg};
}

}  // namespace percuss::impact
