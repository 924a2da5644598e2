// Points of a model that touch, as a collision in contact space.
#pragma once

#include <vector>

#include "percuss/collision/collide.h"
#include "percuss/dynamics/response.h"

namespace percuss::dynamics {

struct StrikePoint {
  ContactPair pair;
  int spot = 0;
  geometry::Feature feature;
  double base_m = 0;  // overlap from which it counts
  Approach approach;
};

struct Strike {
  std::vector<StrikePoint> points;
  collision::Collision collision;
  Responses responses;
};

/// Two points of contact on the same surfaces, by the same number.
bool is_same_spot(const StrikePoint& point, const ContactMode& contact);

/// The spring of a point: stiffness and mu of its bistiffness law. Of a linear law it is its own stiffness, of
/// another one the secant F/x at the greatest depth of an isolated elastic collision at this speed; mu is that of
/// the law, or of the prescribed restitution, or 0.
collision::Point spring_of(const contact::LawSpec& spec, double mass_kg, double speed_mps);

/// Points that no impulse can move are left out. Springs of laws that are not linear are taken for the fastest
/// approach of all points: those that rest will be pressed by what arrives.
Strike make_strike(const Model& model, const Modes& modes, const Evaluation& e,
                   const std::vector<StrikePoint>& points);

/// The contact points of these pairs that touch, or nearly: within kTouching of the size of things.
inline constexpr double kTouching = 1e-9;
std::vector<StrikePoint> touching_points(const Model& model, const model::Motions& motions,
                                         std::span<const ContactPair> pairs, const Overlaps& overlaps);

}  // namespace percuss::dynamics
