// A ball with every shape: the feature of the shape that is nearest to its centre.
#include <algorithm>
#include <cmath>

#include "percuss/geometry/pairs.h"

namespace percuss::geometry {

namespace {

Feature on_capsule(const Surface& ball, const Surface& s, const Vec3& x) {
  const double along = dot(x - s.centre, s.axis), half = s.length_m / 2;
  if (std::abs(along) < half)
    return point_to_line(s.body, s.centre, s.axis, s.radius_m, ball.body, ball.centre, ball.radius_m);
  return point_to_point(s.body, s.centre + (along < 0 ? -half : half) * s.axis, s.radius_m, ball.body, ball.centre,
                        ball.radius_m);
}

/// Side, end or rim; from inside the one that is nearest.
Feature on_cylinder(const Surface& ball, const Surface& s, const Vec3& x) {
  const double along = dot(x - s.centre, s.axis), half = s.length_m / 2, way = along < 0 ? -1 : 1;
  const double off = norm(x - s.centre - along * s.axis);
  const double out_of_end = std::abs(along) - half, out_of_side = off - s.radius_m;
  if (out_of_end > 0 && out_of_side > 0) {
    Feature f;
    f.measure.kind = Measure::Kind::rim_point;
    f.measure.body_a = ball.body;
    f.measure.body_b = s.body;
    f.measure.point_a = ball.centre;
    f.measure.point_b = s.centre + way * half * s.axis;
    f.measure.direction_b = s.axis;
    f.measure.radius_m = s.radius_m;
    f.offset_m = -ball.radius_m;
    return f;
  }
  if (out_of_end > out_of_side)
    return over_plane(s.body, s.centre + way * half * s.axis, way * s.axis, ball.body, ball.centre, ball.radius_m);
  return point_to_line(s.body, s.centre, s.axis, s.radius_m, ball.body, ball.centre, ball.radius_m);
}

Feature on_convex(const Surface& ball, const Surface& s, const Vec3& x) {
  const Convex& c = *s.convex;
  const Nearest near = nearest_feature(c, x);
  const auto index = static_cast<std::size_t>(near.index);
  if (near.feature == Nearest::Feature::face)
    return over_plane(s.body, c.vertex(c.faces[index].loop[0]), c.faces[index].normal, ball.body, ball.centre,
                      ball.radius_m);
  if (near.feature == Nearest::Feature::vertex)
    return point_to_point(s.body, c.vertices[index], 0, ball.body, ball.centre, ball.radius_m);
  const Vec3 from = c.vertex(c.edges[index].from);
  return point_to_line(s.body, from, unit(c.vertex(c.edges[index].to) - from), 0, ball.body, ball.centre,
                       ball.radius_m);
}

}  // namespace

void sphere_spots(const Surface& ball, const Surface& s, const BodyMotion& of_ball, const BodyMotion& of_s, double,
                  Spots& out) {
  const Vec3 x = seen_from(of_s, of_ball, ball.centre);
  int number = 0;
  switch (s.kind) {
    case Surface::Kind::plane:
    case Surface::Kind::slot: add_over_sides(s, ball.body, ball.centre, ball.radius_m, number, out); break;
    case Surface::Kind::sphere:
      out.push_back({0, point_to_point(s.body, s.centre, s.radius_m, ball.body, ball.centre, ball.radius_m)});
      break;
    case Surface::Kind::socket: {
      Feature f = point_to_point(s.body, s.centre, 0, ball.body, ball.centre, ball.radius_m);
      f.sign = -1;
      f.offset_m = s.radius_m - ball.radius_m;
      out.push_back({0, f});
      break;
    }
    case Surface::Kind::hole: {
      if (s.length_m > 0 && !s.planar && std::abs(dot(x - s.centre, s.axis)) > s.length_m / 2) break;
      Feature f = s.planar ? point_to_point(s.body, s.centre, 0, ball.body, ball.centre, ball.radius_m)
                           : point_to_line(s.body, s.centre, s.axis, 0, ball.body, ball.centre, ball.radius_m);
      f.sign = -1;
      f.offset_m = s.radius_m - ball.radius_m;
      out.push_back({0, f});
      break;
    }
    case Surface::Kind::capsule:
    case Surface::Kind::segment: out.push_back({0, on_capsule(ball, s, x)}); break;
    case Surface::Kind::cylinder: out.push_back({0, on_cylinder(ball, s, x)}); break;
    case Surface::Kind::convex: out.push_back({0, on_convex(ball, s, x)}); break;
    case Surface::Kind::stop: break;  // touches no ball
  }
}

}  // namespace percuss::geometry
