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

/// The mobility between the points comes from the responses of the constrained system to unit impulses.
struct Strike {
  std::vector<StrikePoint> points;
  percussion::Collision collision;
  std::vector<std::vector<double>> response;    // [point] changes of the velocities per unit impulse
  std::vector<std::vector<double>> multiplier;  // [point] impulses of the joints' rows per unit impulse
};

/// The spring of a point: stiffness and mu of its bistiffness law. Of a linear law it is its own stiffness, of
/// another one the secant F/x at the greatest depth of an isolated elastic collision; mu is that of the law, or of
/// the restitution wanted, or 0.
percussion::Point spring_of(const model::ContactKind& kind, double mass_kg, double approach_mps);

/// After `evaluate` of the equations. Points that no impulse can move are left out.
Strike make_strike(const model::Model& model, const Equations& equations, const std::vector<StrikePoint>& points);

/// All spots with a gap of at most `near_m`, whatever their contact's response.
std::vector<StrikePoint> touching_points(const model::Model& model, const Equations& equations, double near_m);

}  // namespace percuss::dynamics
