// The hull of points in space, by Qhull.
#pragma once

#include "percuss/geometry/convex.h"

namespace percuss::io {

using geometry::Convex;
using geometry::Mesh;

Result<Mesh> triangulated_hull(const std::vector<Vec3>& points);
Result<Convex> hull_of(const std::vector<Vec3>& points);

}  // namespace percuss::io
