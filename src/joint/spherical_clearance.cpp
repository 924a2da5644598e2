// Ball in a socket: contact holds all.
#include "percuss/joint/blocks.h"
#include "percuss/joint/clearance.h"

namespace percuss::joint {

void build_spherical_clearance(const Geometry& g, Parts& parts) {
  add_across(position_along(g, g.on_a.x, "x"), parts);
  add_across(position_along(g, g.on_a.y, "y"), parts);
  add_across(position_along(g, g.on_a.z, "z"), parts);
}

Result<ClearanceSurfaces> surfaces_of_spherical(const Geometry& g, const ClearanceSizes& sizes) {
  Result<ClearanceSurfaces> made = round_surfaces(g, sizes);
  if (!made) return made;
  made->bearings[0].kind = geometry::Surface::Kind::socket;
  made->journal.kind = geometry::Surface::Kind::sphere;
  return made;
}

}  // namespace percuss::joint
