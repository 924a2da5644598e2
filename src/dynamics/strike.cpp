// Mobility from responses.
#include "percuss/dynamics/strike.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/linear/mobility.h"

namespace percuss::dynamics {

bool is_same_spot(const StrikePoint& p, const ContactMode& c) {
  return c.spot == p.spot && c.pair.first == p.pair.first && c.pair.second == p.pair.second;
}

SpringOf spring_of(const contact::LawSpec& spec, double mass_kg, double speed_mps) {
  const contact::Law law = contact::latch(spec, mass_kg, speed_mps > 0 ? speed_mps : 1.0);
  SpringOf out;
  double& stiffness = out.point.stiffness_Npm;
  const auto* power = std::get_if<contact::Power<>>(&law.elastic);
  if (power && power->exponent == 1) {
    stiffness = power->stiffness;
  } else {
    out.linearised = true;
    const double depth = contact::depth_of_energy_m(law.elastic, mass_kg * speed_mps * speed_mps / 2);
    if (depth > 0 && std::isfinite(depth)) {
      out.depth_m = depth;
      out.force_N = contact::elastic_force_N(law.elastic, depth);
      stiffness = out.force_N / depth;
    }
  }
  const auto* dry = std::get_if<contact::Dry<>>(&law.shape);
  const auto* plastic = std::get_if<contact::Plastic<>>(&law.shape);
  if (dry) {
    out.point.friction = dry->loading_factor - 1;
  } else if (plastic && plastic->gain_s_per_m == 0) {
    out.point = collision::elastoplastic(stiffness, std::max(plastic->stretch, 1.0));
  } else {
    if (const auto restitution = contact::restitution_at(spec, speed_mps))
      out.point.friction = collision::friction_of_restitution(*restitution);
    const auto* scaled = std::get_if<contact::Scaled<>>(&law.shape);
    out.other_dissipation = !(scaled && scaled->gain_s_per_m == 0);
  }
  return out;
}

Strike make_strike(const Model& model, const Modes& modes, const Evaluation& e,
                   const std::vector<StrikePoint>& points) {
  Strike out;
  std::vector<Approach> approaches;
  double fastest_mps = 0;
  for (const StrikePoint& p : points) {
    if (!mobility(model, modes, e, p.approach).can_move()) continue;
    out.points.push_back(p);
    approaches.push_back(p.approach);
    fastest_mps = std::max(fastest_mps, p.approach.rate_mps);
  }
  out.responses = responses_to(model, modes, e, approaches);
  out.collision.mobility = out.responses.mobility;
  const auto n = static_cast<Eigen::Index>(out.points.size());
  out.collision.approach_mps.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const StrikePoint& p = out.points[static_cast<std::size_t>(i)];
    out.collision.approach_mps[i] = p.approach.rate_mps;
    out.springs.push_back(spring_of(model.law_of(p.pair).spec, 1 / out.collision.mobility(i, i), fastest_mps));
    out.collision.points.push_back(out.springs.back().point);
  }
  return out;
}

std::vector<StrikePoint> touching_points(const Model& model, const model::Motions& motions,
                                         std::span<const ContactPair> pairs, const Overlaps& overlaps) {
  const double near_m = kTouching * model.length_m;
  std::vector<StrikePoint> out;
  std::vector<geometry::Spot> spots;
  for (const ContactPair& pair : pairs) {
    find_spots(model, motions, pair, near_m, spots);
    for (const geometry::Spot& spot : spots) {
      const auto known = overlaps.find({pair.first, pair.second, spot.number});
      const double base = known == overlaps.end() ? 0 : known->second.depth_m;
      if (const Approach a = approach_at(model, motions, spot.feature, base); a.depth_m >= -near_m)
        out.push_back({pair, spot.number, spot.feature, base, a});
    }
  }
  return out;
}

}  // namespace percuss::dynamics
