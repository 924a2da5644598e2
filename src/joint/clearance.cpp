// Joints with clearance: what an ideal joint holds is left to contact; here stand the rows that remain and the
// coordinates of the journal (or slider) in the bearing (or guide).
#include "percuss/joint/table.h"

namespace percuss::joint {

namespace {
void add_across(Coordinate c, Parts& parts) {
  c.left_to_contact = true;
  parts.coordinates.push_back(c);
}
}  // namespace

void build_revolute_clearance(const Geometry& g, Parts& parts) {
  add_across(position_along(g, g.on_a.x, "x"), parts);
  add_across(position_along(g, g.on_a.y, "y"), parts);
  if (g.planar)
    parts.coordinates.push_back(angle_about_axis(g));
  else
    add_no_offset(g, g.on_a.z, parts);
}

void build_cylindrical_clearance(const Geometry& g, Parts& parts) {
  add_across(position_along(g, g.on_a.x, "x"), parts);
  add_across(position_along(g, g.on_a.y, "y"), parts);
  parts.coordinates.push_back(position_along(g, g.on_a.z));
}

void build_spherical_clearance(const Geometry& g, Parts& parts) {
  add_across(position_along(g, g.on_a.x, "x"), parts);
  add_across(position_along(g, g.on_a.y, "y"), parts);
  add_across(position_along(g, g.on_a.z, "z"), parts);
}

void build_translational_clearance(const Geometry& g, Parts& parts) {
  add_across(position_along(g, g.on_a.x, "x"), parts);
  if (g.planar)
    add_across({"tilt", measure_of(g, Measure::Kind::planar_angle), dimension::number}, parts);
  else
    add_across(position_along(g, g.on_a.y, "y"), parts);
  parts.coordinates.push_back(position_along(g, g.on_a.z));
}

}  // namespace percuss::joint
