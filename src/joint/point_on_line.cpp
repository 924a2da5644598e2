// Point on line: no offset across the axis of A.
#include "percuss/joint/blocks.h"

namespace percuss::joint {

void build_point_on_line(const Geometry& g, Parts& parts) {
  add_no_offset(g, g.on_a.x, parts);
  if (!g.planar) add_no_offset(g, g.on_a.y, parts);
  parts.coordinates.push_back(position_along(g, g.on_a.z));
  if (g.planar) parts.coordinates.push_back(angle_about_axis(g));
}

}  // namespace percuss::joint
