// Revolute joint: the points coincide and the axes stay parallel.
#include "percuss/joint/blocks.h"

namespace percuss::joint {

void build_revolute(const Geometry& g, Parts& parts) {
  add_coincident(g, parts);
  if (!g.planar) {
    add_perpendicular(g, g.on_a.x, g.on_b.z, parts);
    add_perpendicular(g, g.on_a.y, g.on_b.z, parts);
  }
  parts.coordinates.push_back(angle_about_axis(g));
}

}  // namespace percuss::joint
