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

/// How the spring of a point stands for its law.
struct SpringOf {
  collision::Point point;
  bool linearised = false;          // the elastic law is not linear: the secant F/x ...
  double force_N = 0, depth_m = 0;  // ... at this force and indentation
  bool other_dissipation = false;   // the law's dissipation is replaced by dry friction of the same restitution
  bool is_own() const { return !linearised && !other_dissipation; }
};

struct Strike {
  std::vector<StrikePoint> points;
  std::vector<SpringOf> springs;  // [point]
  collision::Collision collision;
  /// What impulses act along: the normals of the points; where friction acts, then their tangents.
  std::vector<Approach> rows;
  Responses responses;  // [row]

  /// The impulses of an outcome, per row.
  std::vector<double> impulses_of(const collision::Outcome& outcome) const;
};

/// Two points of contact on the same surfaces, by the same number.
bool is_same_spot(const StrikePoint& point, const ContactMode& contact);

/// The spring of a point. Of a linear law it has its stiffness, of another one the secant F/x at the greatest depth
/// of an isolated elastic collision at this speed. Dry friction (bistiffness) and a steeper line of unloading
/// (walton-braun) are those of the law; of any other law there is dry friction with the prescribed restitution, or
/// none.
SpringOf spring_of(const contact::LawSpec& spec, double mass_kg, double speed_mps);

/// Friction whose spring a collision takes over: k_t of a ratio to the normal stiffness.
bool is_tangential_spring(const contact::FrictionLaw& friction);

/// Friction acts where its law is that of a tangential spring (mindlin). Points that no impulse can move are left
/// out. Springs of laws that are not linear are taken for the fastest approach of all points: those that rest will
/// be pressed by what arrives.
Strike make_strike(const Model& model, const Modes& modes, const Evaluation& e,
                   const std::vector<StrikePoint>& points);

/// The contact points of these pairs that touch, or nearly: within kTouching of the size of things.
inline constexpr double kTouching = 1e-9;
std::vector<StrikePoint> touching_points(const Model& model, const model::Motions& motions,
                                         std::span<const ContactPair> pairs, const Overlaps& overlaps);

}  // namespace percuss::dynamics
