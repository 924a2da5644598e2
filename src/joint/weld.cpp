// Weld: the points coincide and the frames stay parallel.
#include "percuss/joint/blocks.h"

namespace percuss::joint {

void build_weld(const Geometry& g, Parts& parts) {
  add_coincident(g, parts);
  if (g.planar) return add_same_angle(g, parts);
  add_perpendicular(g, g.on_a.x, g.on_b.y, parts);
  add_perpendicular(g, g.on_a.x, g.on_b.z, parts);
  add_perpendicular(g, g.on_a.y, g.on_b.z, parts);
}

}  // namespace percuss::joint
