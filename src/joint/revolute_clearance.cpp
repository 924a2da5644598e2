// Journal in a bearing: contact holds what is across the axis; in space a row holds the position along it.
#include "percuss/joint/blocks.h"
#include "percuss/joint/clearance.h"

namespace percuss::joint {

void build_revolute_clearance(const Geometry& g, Parts& parts) {
  add_across(position_along(g, g.on_a.x, "x"), parts);
  add_across(position_along(g, g.on_a.y, "y"), parts);
  if (g.planar)
    parts.coordinates.push_back(angle_about_axis(g));
  else
    add_no_offset(g, g.on_a.z, parts);
}

/// The journal is as long as the bearing and touches at its two ends; it does not leave it, so that the hole has no
/// end.
Result<ClearanceSurfaces> surfaces_of_revolute(const Geometry& g, const ClearanceSizes& sizes) {
  Result<ClearanceSurfaces> made = round_surfaces(g, sizes);
  if (!made) return made;
  if (!g.planar && !sizes.length_m) return Diagnostic{{}, "give the `length` of the bearing"};
  made->bearings[0].kind = geometry::Surface::Kind::hole;
  made->journal.kind = g.planar ? geometry::Surface::Kind::sphere : geometry::Surface::Kind::cylinder;
  (g.planar ? made->bearings[0] : made->journal).length_m = sizes.length_m.value_or(0);
  return made;
}

}  // namespace percuss::joint
