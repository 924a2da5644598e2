// Capsules: a segment with a radius.
#include <algorithm>
#include <cmath>

#include "percuss/geometry/pairs.h"

namespace percuss::geometry {

void capsule_plane_spots(const Surface& c, const Surface& s, const BodyMotion&, const BodyMotion&, double,
                         Spots& out) {
  int number = 0;
  for (const double end : {-0.5, 0.5})
    add_over_sides(s, c.body, c.centre + end * c.length_m * c.axis, c.radius_m, number, out);
}

/// Spot 0 is where the axes cross, inside of both; 1 and 2 are the ends of A against B, 3 and 4 the ends of B
/// against A where their nearest point lies inside of A (beyond, the end of A is nearest to B: spot 1 or 2).
/// Parallel capsules touch at the two ends of their common length. The least gap of all is the distance.
void capsule_capsule_spots(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b,
                           double, Spots& out) {
  constexpr double kParallel = 1e-12;              // sine squared, below which the crossing has no place
  const Vec3 q = seen_from(of_a, of_b, b.centre);  // in the axes of A
  const Vec3 f = transposed_times(of_a.R, of_b.R * b.axis), e = a.axis, D = q - a.centre;
  const double half_a = a.length_m / 2, half_b = b.length_m / 2, c = dot(e, f), sine2 = 1 - c * c;
  const double e_D = dot(e, D), f_D = dot(f, D);
  if (sine2 > kParallel) {
    const double x = (e_D - c * f_D) / sine2, y = (c * e_D - f_D) / sine2;
    if (std::abs(x) < half_a && std::abs(y) < half_b) {
      Feature g = point_to_line(a.body, a.centre, a.axis, a.radius_m, b.body, b.centre, b.radius_m);
      g.measure.kind = Measure::Kind::lines;
      g.measure.direction_b = b.axis;
      g.sign = dot(cross(e, f), D) < 0 ? -1 : 1;
      out.push_back({0, g});
    }
  }
  for (int k = 0; k < 2; ++k) {
    const double end = k == 0 ? -1 : 1;
    const double y = std::clamp(dot(f, end * half_a * e - D), -half_b, half_b);  // along B
    const Vec3 on_a = a.centre + end * half_a * a.axis;
    out.push_back(
        {1 + k, std::abs(y) < half_b
                    ? point_to_line(b.body, b.centre, b.axis, b.radius_m, a.body, on_a, a.radius_m)
                    : point_to_point(b.body, b.centre + y * b.axis, b.radius_m, a.body, on_a, a.radius_m)});
    const double x = dot(e, D + end * half_b * f);  // along A
    if (std::abs(x) < half_a)
      out.push_back({3 + k, point_to_line(a.body, a.centre, a.axis, a.radius_m, b.body,
                                          b.centre + end * half_b * b.axis, b.radius_m)});
  }
}

}  // namespace percuss::geometry
