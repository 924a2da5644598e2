// Points of a model that touch, as a collision in contact space.
#pragma once

#include <vector>

#include "percuss/dynamics/equations.h"
#include "percuss/percussion/percussion.h"

namespace percuss::dynamics {

struct StrikePoint {
  model::ContactPair pair;
  int spot = 0;
  geometry::Feature feature;
  double base_m = 0;  // overlap from which it counts
  Approach approach;
};

/// What unit impulses (or forces) at points do to the constrained system.
struct Responses {
  std::vector<std::vector<double>> velocity;    // [point] changes of the velocities (or accelerations)
  std::vector<std::vector<double>> multiplier;  // [point] impulses (or forces) of the joints' rows
  Eigen::MatrixXd mobility;                     // between the points, per kg
};
Responses responses_to(const Equations& equations, std::span<const Approach> points);

struct Strike {
  std::vector<StrikePoint> points;
  percussion::Collision collision;
  Responses responses;
};

/// Two points of contact on the same surfaces, by the same number.
bool is_same_spot(const StrikePoint& point, const ContactState& contact);

/// The spring of a point: stiffness and mu of its bistiffness law. Of a linear law it is its own stiffness, of
/// another one the secant F/x at the greatest depth of an isolated elastic collision at this speed; mu is that of
/// the law, or of the restitution wanted, or 0.
percussion::Point spring_of(const model::ContactKind& kind, double mass_kg, double speed_mps);

/// After `evaluate` of the equations. Points that no impulse can move are left out. Springs of laws that are not
/// linear are taken for the fastest approach of all points: those that rest will be pressed by what arrives.
Strike make_strike(const model::Model& model, const Equations& equations, const std::vector<StrikePoint>& points);

/// The spots of these pairs that touch, or nearly: within kTouching of the size of things.
inline constexpr double kTouching = 1e-9;
std::vector<StrikePoint> touching_points(const model::Model& model, const Equations& equations,
                                         std::span<const model::ContactPair> pairs, const Overlaps& overlaps);

}  // namespace percuss::dynamics
