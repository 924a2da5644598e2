// Prismatic joint: no offset across the axis, no relative rotation. In a plane x is the direction across.
#include "percuss/joint/blocks.h"

namespace percuss::joint {

void build_prismatic(const Geometry& g, Parts& parts) {
  add_no_offset(g, g.on_a.x, parts);
  if (g.planar) {
    add_same_angle(g, parts);
  } else {
    add_no_offset(g, g.on_a.y, parts);
    add_perpendicular(g, g.on_a.x, g.on_b.z, parts);
    add_perpendicular(g, g.on_a.y, g.on_b.z, parts);
    add_perpendicular(g, g.on_a.x, g.on_b.y, parts);
  }
  parts.coordinates.push_back(position_along(g, g.on_a.z));
}

}  // namespace percuss::joint
