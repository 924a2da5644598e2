// One row a shape.
#include "percuss/scene/shape_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "percuss/base/words.h"

namespace percuss::scene {

namespace {

using geometry::Convex;
using geometry::Solid;
using geometry::Surface;

constexpr double kPi = std::numbers::pi;

// ---- surfaces

Surface common(Surface::Kind kind, const Shape& s, const ShapeSetting& setting) {
  Surface out;
  out.kind = kind;
  out.planar = setting.planar;
  out.centre = s.at_m;
  out.radius_m = s.radius_m.value_or(0);
  out.length_m = s.length_m.value_or(0);
  return out;
}

Result<Surface> ball(const Shape& s, const ShapeSetting& setting) {
  Surface out = common(Surface::Kind::sphere, s, setting);
  out.reach_m = out.radius_m;
  return out;
}

Result<Surface> socket(const Shape& s, const ShapeSetting& setting) {
  return common(Surface::Kind::socket, s, setting);
}

Result<Surface> plane(const Shape& s, const ShapeSetting& setting) {
  Surface out = common(Surface::Kind::plane, s, setting);
  out.axis = s.axis.value_or(setting.planar ? kAxisY : kAxisZ);
  return out;
}

Result<Surface> slot(const Shape& s, const ShapeSetting& setting) {
  Surface out = common(Surface::Kind::slot, s, setting);
  out.axis = s.axis.value_or(setting.planar ? kAxisY : kAxisZ);
  out.width_m = *s.width_m;
  return out;
}

Result<Surface> hole(const Shape& s, const ShapeSetting& setting) {
  Surface out = common(Surface::Kind::hole, s, setting);
  out.axis = s.axis.value_or(kAxisZ);
  if (setting.planar && std::abs(out.axis.z) != 1)
    return Diagnostic{s.places.of("axis"), "in a planar scene the axis of a hole is z"};
  return out;
}

Result<Surface> capsule(const Shape& s, const ShapeSetting& setting) {
  Surface out = common(Surface::Kind::capsule, s, setting);
  out.axis = s.axis.value_or(kAxisX);
  out.reach_m = out.length_m / 2 + out.radius_m;
  return out;
}

Result<Surface> cylinder(const Shape& s, const ShapeSetting& setting) {
  Surface out = common(Surface::Kind::cylinder, s, setting);
  out.axis = s.axis.value_or(kAxisX);
  out.reach_m = std::hypot(out.length_m / 2, out.radius_m);
  return out;
}

Result<Surface> segment(const Shape& s, const ShapeSetting& setting) {
  if (s.points_m.size() != 2) return Diagnostic{s.places.of("points"), "a segment needs two points, its ends"};
  Surface out = common(Surface::Kind::segment, s, setting);
  out.length_m = norm(s.points_m[1] - s.points_m[0]);
  if (!(out.length_m > 0)) return Diagnostic{s.places.of("points"), "the ends of a segment coincide"};
  out.axis = (s.points_m[1] - s.points_m[0]) / out.length_m;
  out.centre = s.at_m + (s.points_m[0] + s.points_m[1]) / 2;
  out.convex = geometry::segment_side(out.centre, out.axis, out.length_m);
  out.reach_m = out.length_m / 2;
  return out;
}

// ---- convex bodies, each in its own frame

Result<Convex> box_convex(const Shape& s, const ShapeSetting& setting) {
  return geometry::make_box(*s.size_m, setting.planar);
}

Result<Convex> polygon_convex(const Shape& s, const ShapeSetting&) {
  Result<Convex> made = geometry::polygon_of(s.points_m);
  if (!made) return Diagnostic{s.places.of("points"), made.errors().front().text};
  return made;
}

Result<Convex> polyhedron_convex(const Shape& s, const ShapeSetting&) {
  const bool from_file = !s.file.empty();
  if (!from_file && s.points_m.empty()) return Diagnostic{s.places.at, "a polyhedron needs points or a file"};
  const Where& place = s.places.of(from_file ? "file" : "points");
  if (from_file && !s.points_m.empty()) return Diagnostic{place, "`points` and `file` exclude each other"};
  if (!s.mesh)
    return Diagnostic{place, from_file ? "the file has not been read (load_files does)"
                                       : "the hull of the points has not been made (load_files does)"};
  const auto wrong = [&](const Diagnostic& d) {  // said at the key, with the place in the file
    if (!from_file) return Diagnostic{place, d.text};
    return Diagnostic{place, s.file + (d.at.line > 0 ? ":" + std::to_string(d.at.line) : "") + ": " + d.text};
  };
  if (!*s.mesh) return wrong(s.mesh->errors().front());
  geometry::Mesh mesh = **s.mesh;
  if (from_file)
    for (Vec3& v : mesh.vertices) v = s.scale * v;
  Result<Convex> made = from_file ? geometry::convex_of(mesh, 3e-6) : geometry::convex_of(mesh);
  if (!made) return wrong(made.errors().front());
  return made;
}

using MakeConvex = Result<Convex> (*)(const Shape&, const ShapeSetting&);

Convex in_place(Convex own, const Shape& s) {
  const Vec3 axis = s.axis.value_or(kAxisZ);
  return geometry::moved(std::move(own), matrix_of(rotation_about(axis, s.angle_rad.value_or(0))), s.at_m);
}

template <MakeConvex make>
Result<Surface> convex(const Shape& s, const ShapeSetting& setting) {
  Result<Convex> own = make(s, setting);
  if (!own) return own.errors();
  const Convex placed = in_place(std::move(*own), s);
  Surface out = common(Surface::Kind::convex, s, setting);
  out.corner_radius_m = s.corner_radius_m.value_or(0);
  out.centre = {};
  for (const Vec3& v : placed.vertices) out.centre += v / static_cast<double>(placed.vertices.size());
  out.reach_m = 0;
  for (const Vec3& v : placed.vertices) out.reach_m = std::max(out.reach_m, norm(v - out.centre));
  out.convex = std::make_shared<const Convex>(placed);
  return out;
}

// ---- solids

/// Axial moment along the unit vector e, transverse across it.
Mat3 about_axis(double axial, double transverse, const Vec3& e) {
  const auto row = [&](int i) {
    const Vec3 base = i == 0 ? kAxisX : i == 1 ? kAxisY : kAxisZ;
    return transverse * base + (axial - transverse) * e[i] * e;
  };
  return {{row(0), row(1), row(2)}};
}

std::optional<Solid> solid_ball(const Shape& s, const ShapeSetting&) {
  const double r = *s.radius_m, volume = 4.0 / 3 * kPi * r * r * r;
  return Solid{volume, s.at_m, (0.4 * volume * r * r) * Mat3{}};
}

Solid solid_cylinder(double r, double l, const Vec3& centre, const Vec3& axis) {
  const double volume = kPi * r * r * l;
  return {volume, centre, about_axis(volume * r * r / 2, volume * (3 * r * r + l * l) / 12, axis)};
}

/// A disc of 1 m, or of its length.
std::optional<Solid> solid_circle(const Shape& s, const ShapeSetting&) {
  return solid_cylinder(*s.radius_m, s.length_m.value_or(1), s.at_m, kAxisZ);
}

std::optional<Solid> solid_cylinder_of(const Shape& s, const ShapeSetting&) {
  return solid_cylinder(*s.radius_m, *s.length_m, s.at_m, s.axis.value_or(kAxisX));
}

/// Without a radius: slender, and the density is per length, kg/m.
std::optional<Solid> solid_rod(const Shape& s, const ShapeSetting& setting) {
  if (s.radius_m && *s.radius_m > 0) return solid_cylinder_of(s, setting);
  const double l = *s.length_m;
  return Solid{l, s.at_m, about_axis(0, l * l * l / 12, s.axis.value_or(kAxisX))};
}

/// A cylinder and two half balls, whose centres lie 3 r/8 beyond its ends.
std::optional<Solid> solid_capsule(const Shape& s, const ShapeSetting&) {
  const double r = *s.radius_m, l = *s.length_m;
  const double middle = kPi * r * r * l, ends = 4.0 / 3 * kPi * r * r * r, off = l / 2 + 3 * r / 8;
  const double axial = middle * r * r / 2 + 0.4 * ends * r * r;
  const double transverse = middle * (3 * r * r + l * l) / 12 + ends * (83.0 / 320 * r * r + off * off);
  return Solid{middle + ends, s.at_m, about_axis(axial, transverse, s.axis.value_or(kAxisX))};
}

template <MakeConvex make>
std::optional<Solid> solid_convex(const Shape& s, const ShapeSetting& setting) {
  Result<Convex> own = make(s, setting);
  if (!own) return std::nullopt;
  Solid solid = geometry::solid_of(in_place(std::move(*own), s));
  const double depth = setting.planar && s.size_m ? s.size_m->z : 1;  // of a polygon: its thickness
  return Solid{solid.volume_m3 * depth, solid.centre, depth * solid.inertia};
}

// ---- reach

double ball_reach(const Shape& s, const Vec3& from) { return norm(s.at_m - from) + s.radius_m.value_or(0); }
double long_reach(const Shape& s, const Vec3& from) {
  return norm(s.at_m - from) + std::hypot(s.length_m.value_or(0) / 2, s.radius_m.value_or(0));
}
double capsule_reach(const Shape& s, const Vec3& from) {
  return norm(s.at_m - from) + s.length_m.value_or(0) / 2 + s.radius_m.value_or(0);
}
double box_reach(const Shape& s, const Vec3& from) {
  return norm(s.at_m - from) + norm(s.size_m.value_or(Vec3{})) / 2;
}
double points_reach(const Shape& s, const Vec3& from) {
  if (!s.file.empty()) return std::numeric_limits<double>::infinity();  // not worth reading it again
  double far = 0;
  for (const Vec3& p : s.points_m) far = std::max(far, norm(s.at_m + p - from));
  return far;
}

constexpr ShapeRow kShapeRows[] = {
    {"sphere", "radius", "radius", true, true, "", ball, solid_ball, ball_reach},
    {"circle", "radius length", "radius", true, false, "a sphere or cylinder", ball, solid_circle, ball_reach},
    {"plane", "axis", "", true, true, "", plane, nullptr, nullptr},
    {"box", "size angle axis corner_radius", "size", true, true, "", convex<box_convex>, solid_convex<box_convex>,
     box_reach},
    {"cylinder", "radius length axis", "radius length", false, true, "a circle or box", cylinder, solid_cylinder_of,
     long_reach},
    {"capsule", "radius length axis", "radius length", true, true, "", capsule, solid_capsule, capsule_reach},
    {"polyhedron", "points file scale angle axis corner_radius", "", false, true,
     "a polygon: give the points of its corners", convex<polyhedron_convex>, solid_convex<polyhedron_convex>,
     points_reach, true},
    {"polygon", "points angle axis corner_radius", "points", true, false, "a polyhedron", convex<polygon_convex>,
     solid_convex<polygon_convex>, points_reach},
    {"segment", "points", "points", true, false, "a box or capsule", segment, nullptr, points_reach},
    {"hole", "radius length axis", "radius", true, true, "", hole, nullptr, ball_reach},
    {"socket", "radius", "radius", false, true, "a hole", socket, nullptr, ball_reach},
    {"slot", "width axis", "width", true, true, "", slot, nullptr, ball_reach},
    {"rod", "radius length axis", "length", true, true, "", nullptr, solid_rod, long_reach},
};

bool is_given(const Shape& s, std::string_view key) {
  if (key == "radius") return s.radius_m.has_value();
  if (key == "length") return s.length_m.has_value();
  if (key == "width") return s.width_m.has_value();
  if (key == "size") return s.size_m.has_value();
  return !s.points_m.empty();
}

/// The first of the row's needed keys that is missing.
std::optional<Diagnostic> missing(const Shape& s, const ShapeRow& row) {
  for (const std::string_view key : split(row.needed))
    if (!is_given(s, key))
      return Diagnostic{s.places.at, "a " + s.kind + " needs " + (key == "points" ? "" : "a ") + std::string(key)};
  return std::nullopt;
}

bool fits(const ShapeRow& row, bool planar) { return planar ? row.in_plane : row.in_space; }

}  // namespace

std::span<const ShapeRow> shape_rows() { return kShapeRows; }

const ShapeRow* find_shape(std::string_view key) {
  const auto found = std::ranges::find(kShapeRows, key, &ShapeRow::key);
  return found == std::end(kShapeRows) ? nullptr : found;
}

Result<Surface> surface_of(const Shape& s, const ShapeRow& row, const ShapeSetting& setting) {
  if (!fits(row, setting.planar))
    return Diagnostic{s.places.of("kind"), "a " + s.kind + " is not for " +
                                               (setting.planar ? "planar scenes" : "scenes in space") + "; use " +
                                               std::string(row.instead)};
  if (auto wrong = missing(s, row)) return *wrong;
  return row.surface(s, setting);
}

std::optional<Solid> solid_of(const Shape& s, const ShapeSetting& setting) {
  const ShapeRow* row = find_shape(s.kind);
  if (!row || !row->solid || missing(s, *row)) return std::nullopt;
  return row->solid(s, setting);
}

}  // namespace percuss::scene
