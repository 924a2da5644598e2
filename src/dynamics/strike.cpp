// Mobility from responses.
#include "percuss/dynamics/strike.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/percussion/mobility.h"

namespace percuss::dynamics {

namespace {
constexpr double kRounding = 1e-14;  // of the points' own mobilities: what cancels
}  // namespace

Responses responses_to(const Equations& equations, std::span<const Approach> points) {
  Responses out;
  out.velocity.resize(points.size());
  out.multiplier.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    equations.response_to(points[i], out.velocity[i], out.multiplier[i]);
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd& W = out.mobility;
  W.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      W(i, j) = equations.along(points[static_cast<std::size_t>(i)], out.velocity[static_cast<std::size_t>(j)]);
  W = (W + W.transpose().eval()) / 2;
  percussion::drop_rounding(W.diagonal().eval(), kRounding, W);
  return out;
}

bool is_same_spot(const StrikePoint& p, const ContactState& s) {
  return s.spot == p.spot && s.pair.first == p.pair.first && s.pair.second == p.pair.second;
}

percussion::Point spring_of(const model::ContactKind& kind, double mass_kg, double speed_mps) {
  const contact::Law law = contact::latch(kind.spec, mass_kg, speed_mps > 0 ? speed_mps : 1.0);
  percussion::Point out;
  if (const auto* power = std::get_if<contact::Power<>>(&law.elastic); power && power->exponent == 1) {
    out.stiffness_Npm = power->stiffness;
  } else {
    const double depth = contact::depth_of_energy_m(law.elastic, mass_kg * speed_mps * speed_mps / 2);
    if (depth > 0 && std::isfinite(depth)) out.stiffness_Npm = contact::elastic_force_N(law.elastic, depth) / depth;
  }
  if (const auto* dry = std::get_if<contact::Dry<>>(&law.shape))
    out.friction = dry->loading_factor - 1;
  else if (kind.spec.restitution)
    out.friction = percussion::friction_of_restitution(*kind.spec.restitution);
  return out;
}

Strike make_strike(const model::Model& model, const Equations& equations, const std::vector<StrikePoint>& points) {
  Strike out;
  std::vector<Approach> approaches;
  double fastest_mps = 0;
  for (const StrikePoint& p : points) {
    if (!equations.can_move(p.approach)) continue;
    out.points.push_back(p);
    approaches.push_back(p.approach);
    fastest_mps = std::max(fastest_mps, p.approach.rate_mps);
  }
  out.responses = responses_to(equations, approaches);
  out.collision.mobility = out.responses.mobility;
  const auto n = static_cast<Eigen::Index>(out.points.size());
  out.collision.approach_mps.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const StrikePoint& p = out.points[static_cast<std::size_t>(i)];
    out.collision.approach_mps[i] = p.approach.rate_mps;
    out.collision.points.push_back(
        spring_of(model.contact_kinds[at(p.pair.kind)], 1 / out.collision.mobility(i, i), fastest_mps));
  }
  return out;
}

std::vector<StrikePoint> touching_points(const model::Model& model, const Equations& equations,
                                         std::span<const model::ContactPair> pairs, const Overlaps& overlaps) {
  const double near_m = kTouching * model.length_m;
  std::vector<StrikePoint> out;
  std::vector<geometry::Spot> spots;
  for (const model::ContactPair& pair : pairs) {
    equations.find_spots(pair, near_m, spots);
    for (const geometry::Spot& spot : spots) {
      const auto known = overlaps.find({pair.first, pair.second, spot.number});
      const double base = known == overlaps.end() ? 0 : known->second.depth_m;
      if (const Approach a = equations.approach(spot.feature, base); a.depth_m >= -near_m)
        out.push_back({pair, spot.number, spot.feature, base, a});
    }
  }
  return out;
}

}  // namespace percuss::dynamics
