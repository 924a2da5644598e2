// Mass, centre and inertia of shapes.
#pragma once

#include <optional>

#include "percuss/base/vector.h"
#include "percuss/scene/scene.h"

namespace percuss::model {

struct MassProperties {
  double mass_kg = 0;
  Vec3 centre_m;                          // in the body's frame
  Mat3 inertia_kgm2 = diagonal(0, 0, 0);  // about the centre, body axes
};

/// Of a solid shape of density 1 kg/m^3; nothing if the shape has no volume (a plane) or lacks a size.
std::optional<MassProperties> solid(const scene::Shape& shape, bool planar, const std::string& scene_file);

/// The whole of several parts; inertia moved to the common centre.
MassProperties joined(const std::vector<MassProperties>& parts);

MassProperties scaled(MassProperties p, double factor);

/// The distance of the farthest point of a shape from a point.
double reach_m(const scene::Shape& shape, const Vec3& from);

/// Why no rigid body can have this inertia; empty if one can. Principal moments are positive and none exceeds the
/// sum of the other two.
std::string impossible(const Mat3& inertia);

}  // namespace percuss::model
