// The pair table: which two shapes can touch, and the gap between them as a measure.
#pragma once

#include <span>
#include <string_view>

#include "percuss/geometry/measure.h"

namespace percuss::geometry {

/// A surface on a body, ready for contact; body axes, from the centre of mass.
struct Surface {
  std::string_view kind;  // sphere, plane
  int body = 0;
  Vec3 centre;          // a point of a plane
  Vec3 normal;          // of a plane, outwards
  double radius_m = 0;  // of a sphere
  bool inside = false;  // a socket: the material is outside of the sphere
};

/// gap = sign * measure + offset; positive: apart. The gradient of the gap is the direction in which a contact
/// force pushes. Radii are those of the surfaces at the contact, concave ones negative, infinity for a plane.
struct Gap {
  Measure measure;
  double sign = 1, offset_m = 0;
  double radius_a_m = 0, radius_b_m = 0;
};

struct PairRow {
  std::string_view first, second, meaning;
  Gap (*make)(const Surface& first, const Surface& second) = nullptr;
};
std::span<const PairRow> pair_rows();

/// The row for two kinds in either order; null if the pair is not in the table. `swapped`: the second comes first.
struct PairFound {
  const PairRow* row = nullptr;
  bool swapped = false;
};
PairFound find_pair(std::string_view kind_a, std::string_view kind_b);

}  // namespace percuss::geometry
