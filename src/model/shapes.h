// Shapes of the scene as surfaces and solids.
#pragma once

#include "percuss/geometry/surface.h"
#include "percuss/scene/scene.h"

namespace percuss::model {

/// In the body's frame. What is missing or impossible is said at the shape's own keys.
Result<geometry::Surface> surface_of(const scene::Shape& shape, bool planar, const std::string& scene_file);

/// The convex of a box, polyhedron or polygon, in the body's frame. Files are looked for beside the scene.
Result<geometry::Convex> convex_of(const scene::Shape& shape, bool planar, const std::string& scene_file);

bool is_convex(const scene::Shape& shape);

}  // namespace percuss::model
