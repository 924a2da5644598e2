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

bool is_tangential_spring(const contact::FrictionLaw& friction) {
  return friction.row && friction.row->memory == contact::FrictionMemory::contact_spring;
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

namespace {

/// Motion across the normal as a gap has it: its rate is the part of the slip of B against A along t. Friction acts
/// in the middle of the overlap, on both bodies at one point.
Approach along_surface(const model::Motions& motions, const Approach& a, const Vec3& t) {
  const Vec3 r_b = middle_of_overlap(a), r_a = (motions[at(a.body_b)].p_m - motions[at(a.body_a)].p_m) + r_b;
  Approach out = a;
  out.gap.a = {-t, -cross(r_a, t)};
  out.gap.b = {t, cross(r_b, t)};
  out.rate_mps = dot(t, slip_mps(motions, a));
  return out;
}

/// Directions across the normal n: in the plane one, in space two at right angles.
std::vector<Vec3> tangents_of(const Vec3& n, bool planar) {
  if (planar) return {{-n.y, n.x, 0}};
  const Vec3 other = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 across = cross(n, other), first = across / norm(across);
  return {first, cross(n, first)};
}

}  // namespace

std::vector<double> Strike::impulses_of(const collision::Outcome& outcome) const {
  std::vector<double> out(outcome.impulse_Ns.begin(), outcome.impulse_Ns.end());
  if (rows.size() > out.size()) out.insert(out.end(), outcome.friction_Ns.begin(), outcome.friction_Ns.end());
  return out;
}

Strike make_strike(const Model& model, const Modes& modes, const Evaluation& e,
                   const std::vector<StrikePoint>& points) {
  Strike out;
  std::vector<Approach>& rows = out.rows;
  double fastest_mps = 0;
  for (const StrikePoint& p : points) {
    if (!mobility(model, modes, e, p.approach).can_move()) continue;
    out.points.push_back(p);
    rows.push_back(p.approach);
    fastest_mps = std::max(fastest_mps, p.approach.rate_mps);
  }
  const auto friction_of = [&](const StrikePoint& p) { return model.law_of(p.pair).friction; };
  const bool has_friction = std::ranges::any_of(out.points, [&](const StrikePoint& p) {
    return is_tangential_spring(friction_of(p)) && friction_of(p).coefficient > 0;
  });
  if (has_friction)
    for (const StrikePoint& p : out.points)
      for (const Vec3& t : tangents_of(p.approach.gap.b.linear, model.planar))
        rows.push_back(along_surface(e.motions, p.approach, t));
  out.responses = responses_to(model, modes, e, rows);
  const auto n = static_cast<Eigen::Index>(out.points.size());
  out.collision.mobility = out.responses.mobility.topLeftCorner(n, n);
  out.collision.approach_mps.resize(n);
  if (has_friction) {
    collision::Tangents& tangents = out.collision.tangents;
    tangents.directions = model.planar ? 1 : 2;
    tangents.mobility = out.responses.mobility;
    tangents.slip_mps.resize(n * tangents.directions);
    for (Eigen::Index i = 0; i < tangents.slip_mps.size(); ++i)
      tangents.slip_mps[i] = rows[static_cast<std::size_t>(n + i)].rate_mps;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const StrikePoint& p = out.points[static_cast<std::size_t>(i)];
    out.collision.approach_mps[i] = p.approach.rate_mps;
    out.springs.push_back(spring_of(model.law_of(p.pair).spec, 1 / out.collision.mobility(i, i), fastest_mps));
    collision::Point& point = out.springs.back().point;
    if (const contact::FrictionLaw& friction = friction_of(p); is_tangential_spring(friction)) {
      point.sliding = friction.coefficient;
      point.shear = friction.parameter[0];
    }
    out.collision.points.push_back(point);
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
