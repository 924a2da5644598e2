// One row a pair.
#include "percuss/geometry/pairs.h"

#include <limits>

namespace percuss::geometry {

namespace {

/// n . (centre - point of the plane) - R, n fixed in the plane's body.
Gap sphere_plane(const Surface& sphere, const Surface& plane) {
  Gap gap;
  gap.measure.kind = Measure::Kind::along;
  gap.measure.body_a = plane.body;
  gap.measure.body_b = sphere.body;
  gap.measure.point_a = plane.centre;
  gap.measure.point_b = sphere.centre;
  gap.measure.direction_a = plane.normal;
  gap.offset_m = -sphere.radius_m;
  gap.radius_a_m = std::numeric_limits<double>::infinity();
  gap.radius_b_m = sphere.radius_m;
  return gap;
}

/// |centre - centre| - R_1 - R_2 outside; R_socket - R_ball - |centre - centre| inside.
Gap sphere_sphere(const Surface& a, const Surface& b) {
  Gap gap;
  gap.measure.kind = Measure::Kind::distance;
  gap.measure.body_a = a.body;
  gap.measure.body_b = b.body;
  gap.measure.point_a = a.centre;
  gap.measure.point_b = b.centre;
  gap.radius_a_m = a.inside ? -a.radius_m : a.radius_m;
  gap.radius_b_m = b.inside ? -b.radius_m : b.radius_m;
  gap.sign = a.inside || b.inside ? -1 : 1;
  gap.offset_m = a.inside   ? a.radius_m - b.radius_m
                 : b.inside ? b.radius_m - a.radius_m
                            : -(a.radius_m + b.radius_m);
  return gap;
}

constexpr PairRow kRows[] = {
    {"sphere", "plane", "a ball on a half-space", sphere_plane},
    {"sphere", "sphere", "two balls, or a ball inside a hollow sphere", sphere_sphere},
};

}  // namespace

std::span<const PairRow> pair_rows() { return kRows; }

PairFound find_pair(std::string_view a, std::string_view b) {
  for (const PairRow& row : kRows) {
    if (row.first == a && row.second == b) return {&row, false};
    if (row.first == b && row.second == a) return {&row, true};
  }
  return {};
}

}  // namespace percuss::geometry
