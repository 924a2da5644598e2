// What joints with clearance have in common: coordinates that are left to contact, and a journal in a bearing.
#include "percuss/joint/clearance.h"

#include "percuss/joint/blocks.h"

namespace percuss::joint {

void add_across(Coordinate c, Parts& parts) {
  c.left_to_contact = true;
  parts.coordinates.push_back(c);
}

Result<ClearanceSurfaces> round_surfaces(const Geometry& g, const ClearanceSizes& sizes) {
  const auto &bearing_radius = sizes.bearing_radius_m, &journal_radius = sizes.journal_radius_m;
  const int given = (bearing_radius ? 1 : 0) + (journal_radius ? 1 : 0) + (sizes.clearance_m ? 1 : 0);
  if (given != 2) return Diagnostic{{}, "give two of `bearing_radius`, `journal_radius` and `clearance`"};
  const double clearance = sizes.clearance_m ? *sizes.clearance_m : *bearing_radius - *journal_radius;
  geometry::Surface bearing, journal;
  bearing.radius_m = bearing_radius ? *bearing_radius : *journal_radius + clearance;
  journal.radius_m = journal_radius ? *journal_radius : *bearing_radius - clearance;
  if (sizes.clearance_m && bearing_radius && clearance >= *bearing_radius)
    return Diagnostic{{"clearance"},
                      "the clearance, " + text_of(clearance, 6) + " m, leaves no journal in a bearing of radius " +
                          text_of(bearing.radius_m, 6) + " m"};
  if (!(journal.radius_m > 0) || !(bearing.radius_m > journal.radius_m))
    return Diagnostic{{},
                      "the journal of radius " + text_of(journal.radius_m, 6) +
                          " m does not fit into the bearing of radius " + text_of(bearing.radius_m, 6) + " m"};
  bearing.body = g.body_a;
  journal.body = g.body_b;
  bearing.centre = g.on_a.origin;
  journal.centre = g.on_b.origin;
  bearing.axis = g.on_a.z;
  journal.axis = g.on_b.z;
  bearing.planar = journal.planar = g.planar;
  journal.reach_m = std::hypot(journal.radius_m, sizes.length_m.value_or(0) / 2);
  return ClearanceSurfaces{std::move(journal), {std::move(bearing)}};
}

}  // namespace percuss::joint
