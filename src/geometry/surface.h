// Surfaces on bodies, ready for contact.
#pragma once

#include <limits>
#include <memory>
#include <string_view>

#include "percuss/geometry/convex.h"
#include "percuss/geometry/measure.h"

namespace percuss::geometry {

/// Where a coordinate of a joint is stopped.
struct Stop {
  Measure coordinate;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

/// All in body axes, from the centre of mass. Holes, sockets and slots have their material outside.
struct Surface {
  enum class Kind { sphere, plane, capsule, cylinder, convex, hole, socket, slot, segment, stop };
  Kind kind = Kind::sphere;
  int body = 0;
  Vec3 centre;         // a point of a plane
  Vec3 axis = kAxisZ;  // of a capsule, cylinder, hole or segment; outer normal of a plane; across a slot
  double radius_m = 0;
  double length_m = 0;  // of a capsule (between the centres of its ends), cylinder, segment, hole (0: without end)
  double width_m = 0;   // of a slot
  bool planar = false;  // of a planar scene
  double corner_radius_m = 0;            // of the rounded corners and edges of a convex body; 0: not known
  std::shared_ptr<const Convex> convex;  // also of a segment: its side
  std::shared_ptr<const Stop> stop;      // of a stop, on both bodies

  /// Of a sphere about the centre that holds all of it; infinity where it has no end.
  double reach_m = std::numeric_limits<double>::infinity();
};

std::string_view name_of(Surface::Kind kind);

/// The convex of a segment: two ends and two sides.
std::shared_ptr<const Convex> segment_side(const Vec3& centre, const Vec3& along, double length_m);

/// A convex moved from its own frame: x -> R x + shift.
Convex moved(Convex convex, const Mat3& R, const Vec3& shift);

}  // namespace percuss::geometry
