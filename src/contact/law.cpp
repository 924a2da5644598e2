// One contact at a time: force, slopes, energy, permanent depth.
#include "percuss/contact/law.h"

#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace percuss::contact {

NormalForce<> force_parts(const Law& law, const Indentation<>& x) { return force(law, x); }

double force_N(const Law& law, const Indentation<>& x) { return force_parts(law, x).total_N; }

ForceSlopes force_slopes(const Law& law, const Indentation<>& x) {
  using D = Dual<double, 2>;
  const D f =
      force(law, Indentation<D>{D::variable(x.depth_m, 0), D::variable(x.rate_mps, 1), D(x.deepest_m)}).total_N;
  return {f.v, f.d[0], f.d[1]};
}

namespace {

/// The depth of the elastic curve that corresponds to a point on the unloading curve of a plastic law.
double equivalent_depth_m(const Plastic<>& shape, double depth_m, double deepest_m) {
  if (depth_m >= deepest_m) return depth_m;
  return std::max(deepest_m - (deepest_m - depth_m) * shape.stretch, 0.0);
}

struct ThorntonPeak {
  double force_N, span_m;  // at the deepest point; depth recovered from it
};
ThorntonPeak thornton_peak(const Thornton<>& t, const Elastic<>& elastic, double deepest_m) {
  const double peak = deepest_m <= t.yield_depth_m
                          ? elastic_force_N(elastic, deepest_m)
                          : t.yield_force_N + t.plastic_slope_Npm * (deepest_m - t.yield_depth_m);
  return {peak, t.force_to_length * peak / std::sqrt(t.force_to_area * (2 * peak + t.yield_force_N))};
}

/// Unloading of F_m y^(3/2) over the span gives back (2/5) F_m span y^(5/2).
double stored_J(const Thornton<>& t, const Elastic<>& elastic, double depth_m, double deepest_m) {
  const double deepest = std::max(depth_m, deepest_m);
  if (deepest <= t.yield_depth_m) return elastic_energy_J(elastic, depth_m);
  const ThorntonPeak peak = thornton_peak(t, elastic, deepest);
  const double y = std::max(1 - (deepest - depth_m) / peak.span_m, 0.0);
  return 0.4 * peak.force_N * peak.span_m * y * power_of_quarters<6>(y);
}
double stored_J(const Plastic<>& shape, const Elastic<>& elastic, double depth_m, double deepest_m) {
  return shape.recovered_ratio() * elastic_energy_J(elastic, equivalent_depth_m(shape, depth_m, deepest_m));
}
double stored_J(const Custom<>& shape, const Elastic<>&, double depth_m, double) {
  const auto at_rest = [&shape](double depth) {
    const std::array<double, 2> slots{depth, 0.0};
    return shape.force->evaluate(std::span<const double>(slots));
  };
  if (depth_m <= 0) return 0;
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(at_rest, 0.0, depth_m, 12, 1e-12);
}
template <class ViscousOrDry>
double stored_J(const ViscousOrDry&, const Elastic<>& elastic, double depth_m, double) {
  return elastic_energy_J(elastic, depth_m);
}

}  // namespace

double stored_energy_J(const Law& law, double depth_m, double deepest_m) {
  if (depth_m <= 0) return 0;
  return std::visit([&](const auto& shape) { return stored_J(shape, law.elastic, depth_m, deepest_m); }, law.shape);
}

double plastic_energy_J(const Law& law, double deepest_m) {
  if (const auto* plastic = std::get_if<Plastic<>>(&law.shape))
    return (1 - plastic->recovered_ratio()) * elastic_energy_J(law.elastic, deepest_m);
  if (const auto* t = std::get_if<Thornton<>>(&law.shape); t && deepest_m > t->yield_depth_m) {
    const double beyond = deepest_m - t->yield_depth_m;
    const double work = elastic_energy_J(law.elastic, t->yield_depth_m) + t->yield_force_N * beyond +
                        t->plastic_slope_Npm * beyond * beyond / 2;
    return work - stored_J(*t, law.elastic, deepest_m, deepest_m);
  }
  return 0;
}

double permanent_indentation_m(const Law& law, double deepest_m) {
  if (const auto* plastic = std::get_if<Plastic<>>(&law.shape)) return deepest_m * (1 - plastic->recovered_ratio());
  if (const auto* t = std::get_if<Thornton<>>(&law.shape)) {
    if (deepest_m <= t->yield_depth_m) return 0;
    return deepest_m - thornton_peak(*t, law.elastic, deepest_m).span_m;
  }
  return 0;
}

bool has_memory(const Law& law) {
  return std::holds_alternative<Plastic<>>(law.shape) || std::holds_alternative<Thornton<>>(law.shape);
}

}  // namespace percuss::contact
