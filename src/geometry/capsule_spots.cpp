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

/// The nearest points of two segments: of the lines if both lie inside, else the best of ends and lines. Parallel
/// axes leave the place open; the middle of the common length is taken.
void capsule_capsule_spots(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b,
                           double, Spots& out) {
  const Vec3 q = seen_from(of_a, of_b, b.centre);  // in the axes of A
  const Vec3 f = transposed_times(of_a.R, of_b.R * b.axis), e = a.axis, D = q - a.centre;
  const double half_a = a.length_m / 2, half_b = b.length_m / 2, c = dot(e, f), sine2 = 1 - c * c;
  const double e_D = dot(e, D), f_D = dot(f, D);
  if (sine2 > 1e-18) {
    const double x = (e_D - c * f_D) / sine2, y = (c * e_D - f_D) / sine2;
    if (std::abs(x) < half_a && std::abs(y) < half_b) {
      Feature g = point_to_line(a.body, a.centre, a.axis, a.radius_m, b.body, b.centre, b.radius_m);
      g.measure.kind = Measure::Kind::lines;
      g.measure.direction_b = b.axis;
      g.sign = dot(cross(e, f), D) < 0 ? -1 : 1;
      out.push_back({0, g});
      return;
    }
  }
  double best = 1e300;
  Feature nearest;
  const auto offer = [&](double gap, const Feature& feature) {
    if (gap < best) best = gap, nearest = feature;
  };
  for (const double end : {-1.0, 1.0}) {
    {  // an end of B against A
      const Vec3 p = D + end * half_b * f;
      const double x = std::clamp(dot(e, p), -half_a, half_a);
      const Vec3 on_b = b.centre + end * half_b * b.axis;
      offer(norm(p - x * e),
            std::abs(x) < half_a
                ? point_to_line(a.body, a.centre, a.axis, a.radius_m, b.body, on_b, b.radius_m)
                : point_to_point(a.body, a.centre + x * a.axis, a.radius_m, b.body, on_b, b.radius_m));
    }
    {  // an end of A against B
      const Vec3 p = end * half_a * e - D;
      const double y = std::clamp(dot(f, p), -half_b, half_b);
      const Vec3 on_a = a.centre + end * half_a * a.axis;
      offer(norm(p - y * f),
            std::abs(y) < half_b
                ? point_to_line(b.body, b.centre, b.axis, b.radius_m, a.body, on_a, a.radius_m)
                : point_to_point(b.body, b.centre + y * b.axis, b.radius_m, a.body, on_a, a.radius_m));
    }
  }
  if (sine2 <= 1e-18) {  // parallel: is there a common length?
    const double low = std::max(-half_a, e_D - half_b), high = std::min(half_a, e_D + half_b);
    if (low < high) {
      const Vec3 on_b = b.centre + ((low + high) / 2 - e_D) * (c > 0 ? 1.0 : -1.0) * b.axis;
      nearest = point_to_line(a.body, a.centre, a.axis, a.radius_m, b.body, on_b, b.radius_m);
    }
  }
  out.push_back({0, nearest});
}

}  // namespace percuss::geometry
