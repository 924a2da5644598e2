// Joints with clearance: what an ideal joint holds is left to contact; here stand the rows that remain and the
// coordinates of the journal (or slider) in the bearing (or guide).
#include "percuss/joint/table.h"

namespace percuss::joint {

void build_revolute_clearance(const Geometry& g, Parts& parts) {
  parts.coordinates.push_back(position_along(g, g.on_a.x, "x"));
  parts.coordinates.push_back(position_along(g, g.on_a.y, "y"));
  if (g.planar)
    parts.coordinates.push_back(angle_about_axis(g));
  else
    add_no_offset(g, g.on_a.z, parts);
}

void build_cylindrical_clearance(const Geometry& g, Parts& parts) {
  parts.coordinates.push_back(position_along(g, g.on_a.x, "x"));
  parts.coordinates.push_back(position_along(g, g.on_a.y, "y"));
  parts.coordinates.push_back(position_along(g, g.on_a.z));
}

void build_spherical_clearance(const Geometry& g, Parts& parts) {
  parts.coordinates.push_back(position_along(g, g.on_a.x, "x"));
  parts.coordinates.push_back(position_along(g, g.on_a.y, "y"));
  parts.coordinates.push_back(position_along(g, g.on_a.z, "z"));
}

void build_translational_clearance(const Geometry& g, Parts& parts) {
  parts.coordinates.push_back(position_along(g, g.on_a.x, "x"));
  if (g.planar)
    parts.coordinates.push_back({"tilt", measure_of(g, Measure::Kind::planar_angle), dimension::number});
  else
    parts.coordinates.push_back(position_along(g, g.on_a.y, "y"));
  parts.coordinates.push_back(position_along(g, g.on_a.z));
}

}  // namespace percuss::joint
