// Energies of the elastic laws and their inverses.
#include "percuss/contact/elastic.h"

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/lambert_w.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>

namespace percuss::contact {

namespace {

/// phi of F = K x^n: K x^(n+1)/(n+1).
double energy_J(const Power<>& law, double x) { return elastic_force_N(law, x) * x / (law.exponent + 1); }

/// phi = L * integral of p dx = L s p^2/2 [ln(B'/p) - 1/2]: from dx/dp = s [ln(B'/p) - 1].
double energy_J(const LogLine<>& law, double x) {
  if (x <= 0) return 0;
  const double p = elastic_force_N(law, x) / law.length_m;
  return law.length_m * law.compliance * p * p / 2 * (std::log(law.load_scale_Npm / p) - 0.5);
}

/// With x = y^2 the integrand 2 C y^4/sqrt(2 (dR + y^2)) is analytic, with poles at y = +-i sqrt(dR): Gauss on
/// pieces that keep away from them.
double energy_J(const Conformal<>& law, double x) {
  if (x <= 0) return 0;
  const auto integrand = [&law](double y) {
    const double y2 = y * y;
    return 2 * law.stiffness_Npm * y2 * y2 / std::sqrt(2 * (law.clearance_m + y2));
  };
  const double end = std::sqrt(x), piece = std::max(2 * std::sqrt(law.clearance_m), 1e-9 * end);
  double sum = 0;
  for (double from = 0, width = piece; from < end; from += width, width *= 2)
    sum += boost::math::quadrature::gauss<double, 30>::integrate(integrand, from, std::min(from + width, end));
  return sum;
}

}  // namespace

/// Near z = 0 boost's function is not defined below the smallest normal number; there W = ln(-z) - ln(-ln(-z)) to
/// all digits that matter for a force of 1e-300 N.
double lambert_w_minus1(double z) {
  if (z > -1e-300) return z == 0 ? -std::numeric_limits<double>::infinity() : -700;
  if (z <= -1 / std::numbers::e) return -1;
  return boost::math::lambert_wm1(z);
}

double elastic_force_N(const Elastic<>& elastic, double depth_m) {
  return with_kernel(elastic, [depth_m](const auto& f) { return f.force(depth_m); });
}

double elastic_slope_Npm(const Elastic<>& elastic, double depth_m) {
  return with_kernel(elastic, [depth_m](const auto& f) { return f.force(Dual<>::variable(depth_m)).d[0]; });
}

double elastic_energy_J(const Elastic<>& elastic, double depth_m) {
  return std::visit([depth_m](const auto& law) { return energy_J(law, depth_m); }, elastic);
}

double depth_limit_m(const Elastic<>& elastic) {
  const auto* line = std::get_if<LogLine<>>(&elastic);
  return line ? line->compliance * line->load_scale_Npm / std::numbers::e : std::numeric_limits<double>::infinity();
}

double depth_of_energy_m(const Elastic<>& elastic, double energy) {
  if (energy <= 0) return 0;
  if (const auto* power = std::get_if<Power<>>(&elastic))
    return std::pow((power->exponent + 1) * energy / power->stiffness, 1 / (power->exponent + 1));
  const double limit = depth_limit_m(elastic);
  if (std::isfinite(limit) && energy > elastic_energy_J(elastic, limit))
    return std::numeric_limits<double>::infinity();
  // both line laws lie between x^1 and x^2 in force: walk to a bracket in powers of 4
  double high = std::isfinite(limit) ? limit : 1;
  while (elastic_energy_J(elastic, high) < energy) high *= 4;
  double low = high / 4;
  while (elastic_energy_J(elastic, low) > energy) {
    high = low;
    low /= 4;
  }
  std::uintmax_t most = 200;
  const auto surplus = [&](double x) { return elastic_energy_J(elastic, x) - energy; };
  const auto close = [](double a, double b) { return b - a <= 4e-16 * a; };
  const auto [a, b] = boost::math::tools::toms748_solve(surplus, low, high, close, most);
  return a + (b - a) / 2;
}

}  // namespace percuss::contact
