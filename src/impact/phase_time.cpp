// Quadratures over log-speed.
#include "percuss/impact/phase_time.h"

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "percuss/contact/restitution.h"
#include "percuss/impact/quadrature.h"

namespace percuss::impact {

using namespace contact;

namespace {

/// (1 - exp(-x))/x.
double decay_mean(double x) { return x == 0 ? 1 : -std::expm1(-x) / x; }

/// (exp(x) - 1 - x)/x^2 = 1/2 + x/6 + ...
double growth_residue(double x) {
  if (std::abs(x) < 0.1) {
    double sum = 0, term = 0.5;
    for (int k = 3; k < 14; ++k, term *= x / (k - 1)) sum += term;
    return sum;
  }
  return (std::expm1(x) - x) / (x * x);
}

/// dt = m v0 ds/(force_factor f(x)), energy_factor phi(x) = m v0^2 g(s).
template <class EnergyFromEnd>
double phase_s(const Collision& c, double end, double energy_factor, double force_factor, EnergyFromEnd&& g) {
  const double momentum = c.mass_kg * c.velocity_mps, scale = momentum * c.velocity_mps / energy_factor;
  return integrate_from_singular_end(
      [&](double s) {
        const double x = depth_of_energy_m(c.law.elastic, scale * g(s));
        const double f = elastic_force_N(c.law.elastic, x);
        return f > 0 ? momentum / (force_factor * f) : 0;
      },
      end);
}

}  // namespace

double integrate_from_singular_end(const std::function<double(double)>& integrand, double end) {
  static boost::math::quadrature::tanh_sinh<double> rule(12);
  return rule.integrate(integrand, 0.0, end, 1e-13);
}

double PhaseTime::of_loading(double u) const {
  if (a == 0) {
    if (u == 0) return of_elastic_half(1, 1);
    return phase_s(collision, 1 - u, 1, 1, [](double s) { return s - s * s / 2; });
  }
  const double end = (std::log1p(a) - std::log1p(a * u)) / a;
  return phase_s(collision, end, 1, 1,
                 [this](double s) { return s * decay_mean(a * s) - s * s * growth_residue(-a * s); });
}

double PhaseTime::of_unloading(double e, double recovered) const {
  if (a == 0) {
    if (const auto* power = std::get_if<Power<>>(&collision.law.elastic)) {
      const double energy = collision.energy_J() * e * e / recovered;
      return recovered * depth_of_energy_m(*power, energy) / (e * collision.velocity_mps) *
             elastic_half_time(power->exponent);
    }
    return phase_s(collision, e, recovered, 1, [e](double s) { return s * (e - s / 2); });
  }
  // ln(1 - a e) from G-(a, e) = r G+(a): a sum of two terms of one sign, where 1 - a e itself may have no digits
  // left
  const double q = -a * (e + a * recovered * log_residue(a));
  const double end_factor = std::exp(q);
  return phase_s(collision, -q / a, recovered, 1, [&](double s) {
    const double x = a * s;  // grows to -q: where exp(q) vanishes, exp(q) exp(x) must be formed in one
    if (x < 1) return s * e - end_factor * s * s * growth_residue(x);
    return s * e - (std::exp(q + x) - end_factor * (1 + x)) / (a * a);
  });
}

double PhaseTime::of_elastic_half(double e, double factor) const {
  if (const auto* power = std::get_if<Power<>>(&collision.law.elastic)) {
    const double energy = collision.energy_J() * e * e / factor;
    return depth_of_energy_m(*power, energy) / (e * collision.velocity_mps) * elastic_half_time(power->exponent);
  }
  return phase_s(collision, e, factor, factor, [e](double s) { return s * (e - s / 2); });
}

double elastic_half_time(double exponent) {  // with x^(n+1) = y: B(1/(n+1), 1/2)/(n+1)
  return boost::math::beta(1 / (exponent + 1), 0.5) / (exponent + 1);
}

}  // namespace percuss::impact
