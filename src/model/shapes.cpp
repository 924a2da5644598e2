// One case a kind.
#include "percuss/model/shapes.h"

#include <algorithm>
#include <filesystem>

#include "percuss/base/words.h"
#include "percuss/geometry/mesh_file.h"

namespace percuss::model {

namespace {

using Kind = geometry::Surface::Kind;

Diagnostic missing(const scene::Shape& shape, std::string_view key) {
  return {shape.places.at, "a " + shape.kind + " needs a " + std::string(key)};
}

}  // namespace

bool is_convex(const scene::Shape& s) { return s.kind == "box" || s.kind == "polyhedron" || s.kind == "polygon"; }

Result<geometry::Convex> convex_of(const scene::Shape& s, bool planar, const std::string& scene_file) {
  Result<geometry::Convex> made = Diagnostic{};
  if (s.kind == "box") {
    if (!s.size_m) return missing(s, "size");
    made = geometry::make_box(*s.size_m, planar);
  } else if (!s.file.empty()) {
    if (!s.points_m.empty()) return Diagnostic{s.places.of("file"), "`points` and `file` exclude each other"};
    if (planar)
      return Diagnostic{s.places.of("file"), "a planar scene has no polyhedra; give the points of a polygon"};
    Result<geometry::Mesh> mesh =
        geometry::read_mesh((std::filesystem::path(scene_file).parent_path() / s.file).lexically_normal());
    if (!mesh) {
      const Diagnostic& d = mesh.errors().front();
      return Diagnostic{s.places.of("file"),
                        s.file + (d.at.line > 0 ? ":" + std::to_string(d.at.line) : "") + ": " + d.text};
    }
    for (Vec3& v : mesh->vertices) v = s.scale * v;
    made = geometry::convex_of(*mesh, 3e-6);
    if (!made) return Diagnostic{s.places.of("file"), s.file + ": " + made.errors().front().text};
  } else {
    if (s.points_m.empty())
      return Diagnostic{s.places.at, "a " + s.kind + " needs points" + (planar ? "" : " or a file")};
    made = geometry::hull_of(s.points_m, planar);
    if (!made) return Diagnostic{s.places.of("points"), made.errors().front().text};
  }
  const Vec3 axis = s.axis.value_or(kAxisZ);
  return geometry::moved(std::move(*made), matrix_of(rotation_about(axis, s.angle_rad.value_or(0))), s.at_m);
}

Result<geometry::Surface> surface_of(const scene::Shape& s, bool planar, const std::string& scene_file) {
  geometry::Surface out;
  out.planar = planar;
  out.centre = s.at_m;
  out.radius_m = s.radius_m.value_or(0);
  out.length_m = s.length_m.value_or(0);
  const auto wants = [&](bool in_plane, bool in_space, std::string_view instead) -> std::optional<Diagnostic> {
    if (planar ? in_plane : in_space) return std::nullopt;
    return Diagnostic{s.places.of("kind"), "a " + s.kind + " is not for " +
                                               (planar ? "planar scenes" : "scenes in space") + "; use " +
                                               std::string(instead)};
  };
  if (s.kind == "sphere" || s.kind == "circle" || s.kind == "socket") {
    if (!s.radius_m) return missing(s, "radius");
    if (const auto wrong = wants(true, s.kind != "circle", "a sphere or cylinder")) return *wrong;
    if (const auto wrong = wants(s.kind != "socket", true, "a hole")) return *wrong;
    out.kind = s.kind == "socket" ? Kind::socket : Kind::sphere;
    if (out.kind == Kind::sphere) out.reach_m = out.radius_m;
  } else if (s.kind == "plane") {
    out.kind = Kind::plane;
    out.axis = s.axis.value_or(planar ? kAxisY : kAxisZ);
  } else if (s.kind == "slot") {
    if (!s.width_m) return missing(s, "width");
    out.kind = Kind::slot;
    out.axis = s.axis.value_or(planar ? kAxisY : kAxisZ);
    out.width_m = *s.width_m;
  } else if (s.kind == "hole") {
    if (!s.radius_m) return missing(s, "radius");
    out.kind = Kind::hole;
    out.axis = s.axis.value_or(kAxisZ);
    if (planar && std::abs(out.axis.z) != 1)
      return Diagnostic{s.places.of("axis"), "in a planar scene the axis of a hole is z"};
  } else if (s.kind == "capsule" || s.kind == "cylinder") {
    if (!s.radius_m) return missing(s, "radius");
    if (!s.length_m) return missing(s, "length");
    if (const auto wrong = wants(s.kind == "capsule", true, "a circle or box")) return *wrong;
    out.kind = s.kind == "capsule" ? Kind::capsule : Kind::cylinder;
    out.axis = s.axis.value_or(kAxisX);
    out.reach_m =
        s.kind == "capsule" ? out.length_m / 2 + out.radius_m : std::hypot(out.length_m / 2, out.radius_m);
  } else if (s.kind == "segment") {
    if (const auto wrong = wants(true, false, "a box or capsule")) return *wrong;
    if (s.points_m.size() != 2) return Diagnostic{s.places.of("points"), "a segment needs two points, its ends"};
    out.kind = Kind::segment;
    out.length_m = norm(s.points_m[1] - s.points_m[0]);
    if (!(out.length_m > 0)) return Diagnostic{s.places.of("points"), "the ends of a segment coincide"};
    out.axis = (s.points_m[1] - s.points_m[0]) / out.length_m;
    out.centre = s.at_m + (s.points_m[0] + s.points_m[1]) / 2;
    out.convex = geometry::segment_side(out.centre, out.axis, out.length_m);
    out.reach_m = out.length_m / 2;
  } else {
    if (s.kind == "polygon")
      if (const auto wrong = wants(true, false, "a polyhedron")) return *wrong;
    if (s.kind == "polyhedron")
      if (const auto wrong = wants(false, true, "a polygon")) return *wrong;
    Result<geometry::Convex> convex = convex_of(s, planar, scene_file);
    if (!convex) return convex.errors();
    out.kind = Kind::convex;
    out.corner_radius_m = s.corner_radius_m.value_or(0);
    out.centre = {};
    for (const Vec3& v : convex->vertices) out.centre += v / static_cast<double>(convex->vertices.size());
    out.reach_m = 0;
    for (const Vec3& v : convex->vertices) out.reach_m = std::max(out.reach_m, norm(v - out.centre));
    out.convex = std::make_shared<const geometry::Convex>(std::move(*convex));
  }
  return out;
}

}  // namespace percuss::model
