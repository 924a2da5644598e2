// The blocks that joints are built from; for the files of this room alone.
#pragma once

#include "percuss/joint/parts.h"

namespace percuss::joint {

/// P = Q: three rows, two in a plane.
void add_coincident(const Geometry& g, Parts& parts);
/// direction of A perpendicular to direction of B.
void add_perpendicular(const Geometry& g, const Vec3& on_a, const Vec3& on_b, Parts& parts);
/// e . D = 0 for a direction e of A.
void add_no_offset(const Geometry& g, const Vec3& on_a, Parts& parts);
/// The relative angle stays as it is at the start (planar).
void add_same_angle(const Geometry& g, Parts& parts);
Coordinate angle_about_axis(const Geometry& g, std::string_view name = "angle");
Coordinate position_along(const Geometry& g, const Vec3& on_a, std::string_view name = "position");

/// A joint that others are made of.
void build_cylindrical(const Geometry& g, Parts& parts);

}  // namespace percuss::joint
