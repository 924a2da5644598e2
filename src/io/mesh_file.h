// Triangles from STL (text and binary) and OBJ files.
#pragma once

#include <filesystem>

#include "percuss/geometry/convex.h"

namespace percuss::io {

using geometry::Mesh;

Result<Mesh> read_mesh(const std::filesystem::path& file);

}  // namespace percuss::io
