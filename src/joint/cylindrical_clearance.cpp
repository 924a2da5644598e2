// Journal that slides in a bearing: contact holds all that is across the axis.
#include "percuss/joint/blocks.h"
#include "percuss/joint/clearance.h"

namespace percuss::joint {

namespace {
constexpr double kEndlessShaft = 1000;  // of the bearing's length: what slides through it does not leave it
}

void build_cylindrical_clearance(const Geometry& g, Parts& parts) {
  add_across(position_along(g, g.on_a.x, "x"), parts);
  add_across(position_along(g, g.on_a.y, "y"), parts);
  parts.coordinates.push_back(position_along(g, g.on_a.z));
}

Result<ClearanceSurfaces> surfaces_of_cylindrical(const Geometry& g, const ClearanceSizes& sizes) {
  Result<ClearanceSurfaces> made = round_surfaces(g, sizes);
  if (!made) return made;
  if (!sizes.length_m) return Diagnostic{{}, "give the `length` of the bearing"};
  made->bearings[0].kind = geometry::Surface::Kind::hole;
  made->bearings[0].length_m = *sizes.length_m;
  made->journal.kind = geometry::Surface::Kind::cylinder;
  made->journal.length_m = kEndlessShaft * *sizes.length_m;
  return made;
}

}  // namespace percuss::joint
