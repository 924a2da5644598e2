// One row a pair.
#include "percuss/geometry/pairs.h"

#include <algorithm>
#include <cmath>

namespace percuss::geometry {

namespace {

constexpr double kFlat = std::numeric_limits<double>::infinity();

/// Of one surface as another sees it. A corner has its own radius.
double radius_of(const Surface& s) {
  switch (s.kind) {
    case Surface::Kind::sphere:
    case Surface::Kind::capsule:
    case Surface::Kind::cylinder: return s.radius_m;
    case Surface::Kind::hole:
    case Surface::Kind::socket: return -s.radius_m;
    case Surface::Kind::convex: return s.corner_radius_m;
    case Surface::Kind::plane:
    case Surface::Kind::slot:
    case Surface::Kind::segment: return kFlat;
    case Surface::Kind::stop: return 0;
  }
  return kFlat;
}
Radii own_radii(const Surface& a, const Surface& b) { return {radius_of(a), radius_of(b)}; }
/// A ball rests on the faces of a convex body, mostly.
Radii ball_and_face(const Surface& ball, const Surface&) { return {ball.radius_m, kFlat}; }
/// A corner of one on a face of the other; the sharper, if both have a radius.
Radii corner_and_face(const Surface& a, const Surface& b) {
  const double r_a = a.corner_radius_m, r_b = b.corner_radius_m;
  return {r_a > 0 && r_b > 0 ? std::min(r_a, r_b) : std::max(r_a, r_b), kFlat};
}

using K = Surface::Kind;
/// The gap to the lower limit is q - lower, that to the upper one upper - q. Of an angle the gap is in radians:
/// what the law calls metres is then the way at an arm of 1 m, and its force a torque.
void stop_spots(const Surface& first, const Surface&, const BodyMotion&, const BodyMotion&, double, Spots& out) {
  const Stop& stop = *first.stop;
  if (std::isfinite(stop.lower)) out.push_back({0, {stop.coordinate, 1, -stop.lower, 0}});
  if (std::isfinite(stop.upper)) out.push_back({1, {stop.coordinate, -1, stop.upper, 0}});
}
Radii no_radii(const Surface&, const Surface&) { return {}; }

constexpr PairRow kRows[] = {
    {K::sphere, K::plane, "a ball on a half-space", Features::fixed, false, 1, sphere_spots, own_radii},
    {K::sphere, K::sphere, "two balls", Features::fixed, false, 1, sphere_spots, own_radii},
    {K::sphere, K::socket, "a ball inside of a hollow sphere", Features::fixed, false, 1, sphere_spots, own_radii},
    {K::sphere, K::capsule, "a ball on a capsule", Features::followed, false, 1, sphere_spots, own_radii},
    {K::sphere, K::segment, "a ball (circle) on either side of a segment", Features::followed, false, 1,
     sphere_spots, own_radii},
    {K::sphere, K::cylinder, "a ball on a cylinder: side, end or rim", Features::followed, false, 1, sphere_spots,
     own_radii},
    {K::sphere, K::convex, "a ball on a box or polyhedron: face, edge or corner", Features::followed, false, 1,
     sphere_spots, ball_and_face},
    {K::sphere, K::hole, "a ball (a journal, in a plane) in a cylindrical hole", Features::followed, true, 1,
     sphere_spots, own_radii},
    {K::sphere, K::slot, "a ball between two parallel planes", Features::fixed, false, 1, sphere_spots, own_radii},
    {K::capsule, K::plane, "a capsule on a half-space: its two ends", Features::fixed, false, 1,
     capsule_plane_spots, own_radii},
    {K::capsule, K::slot, "a capsule between two parallel planes", Features::fixed, false, 1, capsule_plane_spots,
     own_radii},
    {K::capsule, K::capsule, "two capsules: where their axes cross, and their ends", Features::followed, false, 1,
     capsule_capsule_spots, own_radii},
    {K::cylinder, K::plane, "a cylinder on a half-space: lowest and highest point of each rim", Features::fixed,
     true, 0.5, cylinder_plane_spots, own_radii},
    {K::cylinder, K::slot, "a cylinder between two parallel planes", Features::fixed, true, 0.5,
     cylinder_plane_spots, own_radii},
    {K::cylinder, K::hole, "a journal in a bearing: at the ends of the common length", Features::followed, true,
     0.5, cylinder_hole_spots, own_radii, true},
    {K::convex, K::plane, "a box or polyhedron on a half-space: its corners", Features::fixed, false, 1,
     convex_plane_spots, corner_and_face},
    {K::convex, K::slot, "a box or polyhedron between two parallel planes: its corners", Features::fixed, false, 1,
     convex_plane_spots, corner_and_face},
    {K::convex, K::convex, "two boxes or polyhedra: corners over faces, and crossing edges", Features::kept, false,
     1, convex_convex_spots, corner_and_face},
    {K::stop, K::stop, "the limits of a joint", Features::fixed, false, 1, stop_spots, no_radii},
    {K::convex, K::segment, "a polygon on a segment", Features::kept, false, 1, convex_convex_spots,
     corner_and_face},
};

}  // namespace

std::span<const PairRow> pair_rows() { return kRows; }

PairFound find_pair(Surface::Kind a, Surface::Kind b) {
  for (const PairRow& row : kRows) {
    if (row.first == a && row.second == b) return {&row, false};
    if (row.first == b && row.second == a) return {&row, true};
  }
  return {};
}

std::string_view name_of(Surface::Kind kind) {
  switch (kind) {
    case K::sphere: return "sphere";
    case K::plane: return "plane";
    case K::capsule: return "capsule";
    case K::cylinder: return "cylinder";
    case K::convex: return "box or polyhedron";
    case K::hole: return "hole";
    case K::socket: return "socket";
    case K::slot: return "slot";
    case K::segment: return "segment";
    case K::stop: return "stop";
  }
  return "";
}

MeasureValue gap_at(const Feature& feature, const BodyMotion& a, const BodyMotion& b, bool planar) {
  MeasureValue v = planar ? evaluate_in_plane(feature.measure, a, b) : evaluate(feature.measure, a, b);
  v.value = feature.sign * v.value + feature.offset_m;
  if (feature.sign < 0) {
    v.rate = -v.rate;
    v.bias = -v.bias;
    for (Vec3* part : {&v.a.linear, &v.a.angular, &v.b.linear, &v.b.angular, &v.direction_rate}) *part = -*part;
  }
  return v;
}

std::optional<Closest> closest_spot(const PairRow& row, const Surface& first, const Surface& second,
                                    const BodyMotion& motion_1, const BodyMotion& motion_2, double near_m) {
  Spots spots;
  row.spots(first, second, motion_1, motion_2, near_m, spots);
  std::optional<Closest> best;
  for (const Spot& s : spots) {
    const bool straight = s.feature.measure.body_a == first.body;
    const double gap = gap_at(s.feature, straight ? motion_1 : motion_2, straight ? motion_2 : motion_1).value;
    if (!best || gap < best->gap_m) best = Closest{gap, s};
  }
  return best;
}

Feature over_plane(int plane_body, const Vec3& point, const Vec3& normal, int body, const Vec3& q,
                   double radius_m) {
  Feature f;
  f.measure.kind = Measure::Kind::along;
  f.measure.body_a = plane_body;
  f.measure.body_b = body;
  f.measure.point_a = point;
  f.measure.point_b = q;
  f.measure.direction_a = normal;
  f.offset_m = -radius_m;
  f.back_m = radius_m;
  return f;
}

Feature point_to_point(int body_a, const Vec3& p, double radius_a_m, int body_b, const Vec3& q, double radius_b_m) {
  Feature f;
  f.measure.kind = Measure::Kind::distance;
  f.measure.body_a = body_a;
  f.measure.body_b = body_b;
  f.measure.point_a = p;
  f.measure.point_b = q;
  f.offset_m = -(radius_a_m + radius_b_m);
  f.back_m = radius_b_m;
  return f;
}

Feature point_to_line(int line_body, const Vec3& p, const Vec3& along, double line_radius_m, int body,
                      const Vec3& q, double radius_m) {
  Feature f = point_to_point(line_body, p, line_radius_m, body, q, radius_m);
  f.measure.kind = Measure::Kind::line;
  f.measure.direction_a = along;
  return f;
}

void add_over_sides(const Surface& s, int body, const Vec3& q, double radius_m, int& number, Spots& out) {
  if (s.kind == K::plane) {
    out.push_back({number++, over_plane(s.body, s.centre, s.axis, body, q, radius_m)});
    return;
  }
  for (const double side : {1.0, -1.0}) {
    const Vec3 inwards = -side * s.axis;
    out.push_back({number++, over_plane(s.body, s.centre - (s.width_m / 2) * inwards, inwards, body, q, radius_m)});
  }
}

std::shared_ptr<const Convex> segment_side(const Vec3& centre, const Vec3& along, double length_m) {
  Convex c;
  c.planar = true;
  c.vertices = {centre - (length_m / 2) * along, centre + (length_m / 2) * along};
  const Vec3 left{-along.y, along.x, 0};
  c.faces.push_back({left, dot(left, centre), {0, 1}});
  c.faces.push_back({-left, -dot(left, centre), {1, 0}});
  connect(c);
  return std::make_shared<const Convex>(std::move(c));
}

Convex moved(Convex c, const Mat3& R, const Vec3& shift) {
  for (Vec3& v : c.vertices) v = R * v + shift;
  for (Convex::Face& f : c.faces) {
    f.normal = R * f.normal;
    f.offset_m += dot(f.normal, shift);
  }
  return c;
}

}  // namespace percuss::geometry
