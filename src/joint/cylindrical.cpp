// Cylindrical joint: no offset across the axis, axes parallel.
#include "percuss/joint/blocks.h"

namespace percuss::joint {

void build_cylindrical(const Geometry& g, Parts& parts) {
  add_no_offset(g, g.on_a.x, parts);
  add_no_offset(g, g.on_a.y, parts);
  add_perpendicular(g, g.on_a.x, g.on_b.z, parts);
  add_perpendicular(g, g.on_a.y, g.on_b.z, parts);
  parts.coordinates.push_back(position_along(g, g.on_a.z));
  parts.coordinates.push_back(angle_about_axis(g));
}

}  // namespace percuss::joint
