// The two sides of a clearance: bearing and journal, or guide and slider, as surfaces that touch.
#pragma once

#include <optional>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/geometry/surface.h"
#include "percuss/joint/parts.h"

namespace percuss::joint {

/// As a user gives them; the field names are the keys of a scene.
struct ClearanceSizes {
  std::optional<double> bearing_radius_m, journal_radius_m, clearance_m, length_m;
  std::optional<Vec3> size_m;  // of a slider: along its axis, across (and across)
};

/// The journal stands on B, the bearings on A; each bearing touches the journal.
struct ClearanceSurfaces {
  geometry::Surface journal;
  std::vector<geometry::Surface> bearings;
};

// ---- for the files of this room. A diagnostic's `at.source` is the key it is about, empty for several.

/// Two of bearing radius, journal radius and clearance, with kinds, radii, bodies and places still to be completed.
Result<ClearanceSurfaces> round_surfaces(const Geometry& g, const ClearanceSizes& sizes);
void add_across(Coordinate c, Parts& parts);

}  // namespace percuss::joint
