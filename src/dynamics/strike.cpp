// Mobility from responses.
#include "percuss/dynamics/strike.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"

namespace percuss::dynamics {

percussion::Point spring_of(const model::ContactKind& kind, double mass_kg, double approach_mps) {
  const contact::Law law = contact::latch(kind.spec, mass_kg, approach_mps > 0 ? approach_mps : 1.0);
  percussion::Point out;
  if (const auto* power = std::get_if<contact::Power<>>(&law.elastic); power && power->exponent == 1) {
    out.stiffness_Npm = power->stiffness;
  } else {
    const double depth = contact::depth_of_energy_m(law.elastic, mass_kg * approach_mps * approach_mps / 2);
    if (depth > 0 && std::isfinite(depth)) out.stiffness_Npm = contact::elastic_force_N(law.elastic, depth) / depth;
  }
  if (const auto* dry = std::get_if<contact::Dry<>>(&law.shape))
    out.friction = dry->loading_factor - 1;
  else if (kind.spec.restitution)
    out.friction = percussion::friction_of_restitution(*kind.spec.restitution);
  return out;
}

Strike make_strike(const model::Model& model, const Equations& equations, const std::vector<StrikePoint>& points) {
  constexpr double kImmovable = 1e-12;
  Strike out;
  for (const StrikePoint& p : points) {
    std::vector<double> response, multiplier;
    const auto m = equations.mobility(p.approach);
    if (!(m.constrained > kImmovable * m.free)) continue;
    equations.response_to(p.approach, response, multiplier);
    out.points.push_back(p);
    out.response.push_back(std::move(response));
    out.multiplier.push_back(std::move(multiplier));
  }
  const auto n = static_cast<Eigen::Index>(out.points.size());
  Eigen::MatrixXd& W = out.collision.mobility;
  W.resize(n, n);
  out.collision.approach_mps.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const StrikePoint& p = out.points[static_cast<std::size_t>(i)];
    out.collision.approach_mps[i] = p.approach.rate_mps;
    for (Eigen::Index j = 0; j < n; ++j)
      W(i, j) = equations.along(p.approach, out.response[static_cast<std::size_t>(j)]);
  }
  W = (W + W.transpose().eval()) / 2;
  const Eigen::VectorXd diagonal = W.diagonal();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)  // what cancels is zero
      if (std::abs(W(i, j)) <= 1e-14 * std::sqrt(diagonal[i] * diagonal[j])) W(i, j) = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const StrikePoint& p = out.points[static_cast<std::size_t>(i)];
    const double approach = std::max(p.approach.rate_mps, 0.0);
    out.collision.points.push_back(spring_of(model.contact_kinds[at(p.pair.kind)], 1 / W(i, i), approach));
  }
  return out;
}

std::vector<StrikePoint> touching_points(const model::Model& model, const Equations& equations, double near_m) {
  std::vector<model::ContactPair> pairs = model.pairs;
  for (std::size_t i = 0; i < model.surfaces.size() && !model.kind_of.empty(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (const auto pair = model.pair_of_materials(i, j)) pairs.push_back(*pair);
  std::vector<StrikePoint> out;
  std::vector<geometry::Spot> spots;
  for (const model::ContactPair& pair : pairs) {
    equations.find_spots(pair, near_m, spots);
    for (const geometry::Spot& spot : spots)
      if (const Approach a = equations.approach(spot.feature); a.depth_m >= -near_m)
        out.push_back({pair, spot.number, spot.feature, 0, a});
  }
  return out;
}

}  // namespace percuss::dynamics
