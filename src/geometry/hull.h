// The hull of points in space, by Qhull.
#pragma once

#include "percuss/geometry/convex.h"

namespace percuss::geometry {

Result<Mesh> triangulated_hull(const std::vector<Vec3>& points);

}  // namespace percuss::geometry
