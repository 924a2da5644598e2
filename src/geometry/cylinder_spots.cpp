// Cylinders by their rims.
#include <cmath>

#include "percuss/geometry/pairs.h"

namespace percuss::geometry {

/// The lowest and the highest point of each rim. A lying cylinder touches with the lowest of both; a standing one
/// with lowest and highest of one rim, which together are smooth in its tilt: f(h - R s) + f(h + R s) is even in s.
void cylinder_plane_spots(const Surface& c, const Surface& s, const BodyMotion&, const BodyMotion&, double,
                          Spots& out) {
  int number = 0;
  for (const double end : {-0.5, 0.5})
    for (const double radius : {c.radius_m, -c.radius_m}) {
      const std::size_t first = out.size();
      add_over_sides(s, c.body, c.centre + end * c.length_m * c.axis, 0, number, out);
      for (std::size_t k = first; k < out.size(); ++k) {
        out[k].feature.measure.kind = Measure::Kind::rim_height;
        out[k].feature.measure.direction_b = c.axis;
        out[k].feature.measure.radius_m = radius;
      }
    }
}

/// Where the common length ends at an end of the journal, that rim is nearest to the bore with its farthest point
/// from the bore's axis; where it ends at a mouth of the bore, the mouth's rim is nearest to the journal.
void cylinder_hole_spots(const Surface& journal, const Surface& hole, const BodyMotion& of_journal,
                         const BodyMotion& of_hole, double, Spots& out) {
  const Vec3 middle = seen_from(of_hole, of_journal, journal.centre) - hole.centre;
  const Vec3 along = transposed_times(of_hole.R, of_journal.R * journal.axis);
  const double slack = 1e-9 * hole.radius_m;
  for (int k = 0; k < 2; ++k) {
    const double end = k == 0 ? -0.5 : 0.5;
    const double at_bore = dot(middle + end * journal.length_m * along, hole.axis);
    if (hole.length_m > 0 && std::abs(at_bore) > hole.length_m / 2 + slack) continue;
    Feature f;
    f.measure.kind = Measure::Kind::rim_line;
    f.measure.body_a = hole.body;
    f.measure.body_b = journal.body;
    f.measure.point_a = hole.centre;
    f.measure.direction_a = hole.axis;
    f.measure.point_b = journal.centre + end * journal.length_m * journal.axis;
    f.measure.direction_b = journal.axis;
    f.measure.radius_m = journal.radius_m;
    f.sign = -1;
    f.offset_m = hole.radius_m;
    out.push_back({k, f});
  }
  if (!(hole.length_m > 0)) return;
  for (int k = 0; k < 2; ++k) {
    const double end = k == 0 ? -0.5 : 0.5;
    const double at_journal = dot(end * hole.length_m * hole.axis - middle, along);
    if (std::abs(at_journal) > journal.length_m / 2 - slack) continue;
    Feature f;
    f.measure.kind = Measure::Kind::rim_line;
    f.measure.body_a = journal.body;
    f.measure.body_b = hole.body;
    f.measure.point_a = journal.centre;
    f.measure.direction_a = journal.axis;
    f.measure.point_b = hole.centre + end * hole.length_m * hole.axis;
    f.measure.direction_b = hole.axis;
    f.measure.radius_m = -hole.radius_m;
    f.offset_m = -journal.radius_m;
    out.push_back({2 + k, f});
  }
}

}  // namespace percuss::geometry
