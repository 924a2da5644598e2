// The table of shapes: what each kind is called, which keys it takes, its surface and its solid.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "percuss/geometry/surface.h"
#include "percuss/scene/scene.h"

namespace percuss::scene {

/// What a shape must know of its scene.
struct ShapeSetting {
  bool planar = false;
};

struct ShapeRow {
  std::string_view key;
  std::string_view keys;    // beside kind, name, material, density, at
  std::string_view needed;  // of these
  bool in_plane = true, in_space = true;
  std::string_view instead{};  // in the other kind of scene
  /// In the body's frame; null: it is for mass alone. The keys it needs are there.
  Result<geometry::Surface> (*surface)(const Shape&, const ShapeSetting&) = nullptr;
  /// Null: it has no volume. Nothing: it has none that can be computed (which is said with its surface).
  std::optional<geometry::Solid> (*solid)(const Shape&, const ShapeSetting&) = nullptr;
  /// The distance of its farthest point from a point; null: it has no end.
  double (*reach_m)(const Shape&, const Vec3& from) = nullptr;
  bool has_triangles = false;  // from a file or the hull of points in space: io::load_files gives them
};
std::span<const ShapeRow> shape_rows();
const ShapeRow* find_shape(std::string_view key);

/// The surface, or what is missing or impossible, said at the shape's own keys.
Result<geometry::Surface> surface_of(const Shape& shape, const ShapeRow& row, const ShapeSetting& setting);
/// The solid of density 1, if the shape has one.
std::optional<geometry::Solid> solid_of(const Shape& shape, const ShapeSetting& setting);

}  // namespace percuss::scene
