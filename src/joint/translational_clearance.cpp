// Slider in a guide: a box between two sides, in space between two pairs of them.
#include "percuss/joint/blocks.h"
#include "percuss/joint/clearance.h"

namespace percuss::joint {

namespace {
/// The rotation that takes x, y, z to three axes.
Mat3 from_axes(const Vec3& x, const Vec3& y, const Vec3& z) { return transposed(Mat3{{x, y, z}}); }
}  // namespace

void build_translational_clearance(const Geometry& g, Parts& parts) {
  add_across(position_along(g, g.on_a.x, "x"), parts);
  if (g.planar)
    add_across({"tilt", measure_of(g, Measure::Kind::planar_angle), dimension::number}, parts);
  else
    add_across(position_along(g, g.on_a.y, "y"), parts);
  parts.coordinates.push_back(position_along(g, g.on_a.z));
}

Result<ClearanceSurfaces> surfaces_of_translational(const Geometry& g, const ClearanceSizes& sizes) {
  if (!sizes.size_m || !sizes.clearance_m)
    return Diagnostic{{},
                      "give the `size` of the slider (along its axis, across) and the `clearance` on each side"};
  const Vec3 size = *sizes.size_m;
  if (!(size.x > 0 && size.y > 0 && (g.planar || size.z > 0)))
    return Diagnostic{{"size"}, "size: edges must be above 0"};
  ClearanceSurfaces out;
  geometry::Surface& slider = out.journal;
  slider.kind = geometry::Surface::Kind::convex;
  slider.body = g.body_b;
  slider.centre = g.on_b.origin;
  slider.planar = g.planar;
  slider.convex = std::make_shared<const geometry::Convex>(
      geometry::moved(geometry::make_box(size, g.planar),
                      from_axes(g.on_b.z, g.on_b.x, g.planar ? kAxisZ : g.on_b.y), g.on_b.origin));
  slider.reach_m = norm(g.planar ? Vec3{size.x, size.y, 0} : size) / 2;
  geometry::Surface sides;
  sides.kind = geometry::Surface::Kind::slot;
  sides.body = g.body_a;
  sides.centre = g.on_a.origin;
  sides.planar = g.planar;
  sides.axis = g.on_a.x;
  sides.width_m = size.y + 2 * *sizes.clearance_m;
  out.bearings.push_back(sides);
  if (!g.planar) {
    sides.axis = g.on_a.y;
    sides.width_m = size.z + 2 * *sizes.clearance_m;
    out.bearings.push_back(sides);
  }
  return out;
}

}  // namespace percuss::joint
