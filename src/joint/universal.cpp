// Universal joint: the points coincide, the axis z of A stays perpendicular to the axis x of B.
#include "percuss/joint/blocks.h"

namespace percuss::joint {

/// The two coordinates are the turn of B's axis about A's axis, and the turn of A's axis about B's.
void build_universal(const Geometry& g, Parts& parts) {
  add_coincident(g, parts);
  add_perpendicular(g, g.on_a.z, g.on_b.x, parts);
  parts.coordinates.push_back(angle_about_axis(g, "angle-a"));
  Geometry swapped = g;
  std::swap(swapped.body_a, swapped.body_b);
  swapped.on_a = {g.on_b.origin, g.on_b.z, g.on_b.y, g.on_b.x};
  swapped.on_b = {g.on_a.origin, g.on_a.z, g.on_a.y, g.on_a.x};
  parts.coordinates.push_back(angle_about_axis(swapped, "angle-b"));
}

}  // namespace percuss::joint
