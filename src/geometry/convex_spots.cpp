// Two convex bodies at one instant: the points where they touch, and their exact distance.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/geometry/convex_points.h"

namespace percuss::geometry {

namespace {

constexpr double kUpright = 0.5;  // cosine between the normal of a point and the direction of overlap
constexpr double kAbout = 0.2;    // of the size of the smaller: points about the nearest
constexpr double kDeep = 0.05;    // of the size: an overlap for which all axes are searched

/// One body as the other sees it.
struct Seen {
  std::vector<Vec3> vertices, normals;
};
Seen seen(const Convex& c, const BodyMotion& viewer, const BodyMotion& owner) {
  Seen s;
  s.vertices.reserve(c.vertices.size());
  for (const Vec3& v : c.vertices) s.vertices.push_back(seen_from(viewer, owner, v));
  for (const Convex::Face& f : c.faces) s.normals.push_back(transposed_times(viewer.R, owner.R * f.normal));
  return s;
}

struct Axis {
  double apart_m = -1e300;
  int face = -1;
  Vec3 normal;  // of a pair of edges: outwards from A, in the axes of A
};

Axis best_face(const Convex& c, const std::vector<Vec3>& others) {
  Axis best;
  for (std::size_t f = 0; f < c.faces.size(); ++f) {
    double least = 1e300;
    for (const Vec3& x : others) least = std::min(least, dot(c.faces[f].normal, x) - c.faces[f].offset_m);
    if (least > best.apart_m) best = {least, static_cast<int>(f), {}};
  }
  return best;
}

/// Pairs of edges whose arcs of normals cross on the sphere of directions: the other faces of the difference body.
Axis best_edges(const Convex& a, const Convex& b, const Seen& b_in_a) {
  struct Arc {
    Vec3 from, to, normal;
  };
  const auto arc = [](const Vec3& from, const Vec3& to) { return Arc{from, to, cross(to, from)}; };
  std::vector<Arc> of_b;  // of the reflected body
  of_b.reserve(b.edges.size());
  for (const Convex::Edge& g : b.edges)
    of_b.push_back(arc(-b_in_a.normals[at(g.left)], -b_in_a.normals[at(g.right)]));
  Axis best;
  for (const Convex::Edge& e : a.edges) {
    const Arc m = arc(a.faces[at(e.left)].normal, a.faces[at(e.right)].normal);
    for (std::size_t j = 0; j < of_b.size(); ++j) {
      const Arc& n = of_b[j];
      const double c1 = dot(n.from, m.normal), c2 = dot(n.to, m.normal);
      if (c1 * c2 >= 0) continue;
      const double a1 = dot(m.from, n.normal), a2 = dot(m.to, n.normal);
      if (a1 * a2 >= 0 || c1 * a2 <= 0) continue;
      const Convex::Edge& g = b.edges[j];
      Vec3 normal =
          unit(cross(a.vertex(e.to) - a.vertex(e.from), b_in_a.vertices[at(g.to)] - b_in_a.vertices[at(g.from)]));
      if (dot(normal, m.from + m.to) < 0) normal = -normal;
      const double apart = dot(normal, b_in_a.vertices[at(g.from)] - a.vertex(e.from));
      if (apart > best.apart_m) best = {apart, -1, normal};
    }
  }
  return best;
}

/// Do the segments cross, seen along the normal of both?
bool cross_inside(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 e = a1 - a0, f = b1 - b0, D = b0 - a0, c = cross(e, f);
  const double c2 = dot(c, c);
  if (!(c2 > 1e-12 * dot(e, e) * dot(f, f))) return false;
  const double x = dot(cross(D, f), c) / c2, y = dot(cross(D, e), c) / c2;
  return x > 0 && x < 1 && y > 0 && y < 1;
}

/// The axis along which two bodies are farthest apart, or overlap least: of all faces of both, and all pairs of
/// edges.
struct Relation {
  Seen b_in_a, a_in_b;
  double apart_m = 0;
  Vec3 normal;  // outwards from A, in its axes
};
Relation relation(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b) {
  Relation r;
  r.b_in_a = seen(*b.convex, of_a, of_b);
  r.a_in_b = seen(*a.convex, of_b, of_a);
  const Axis on_a = best_face(*a.convex, r.b_in_a.vertices), on_b = best_face(*b.convex, r.a_in_b.vertices);
  r.apart_m = std::max(on_a.apart_m, on_b.apart_m);
  r.normal =
      on_a.apart_m >= on_b.apart_m ? a.convex->faces[at(on_a.face)].normal : -r.b_in_a.normals[at(on_b.face)];
  if (a.convex->planar) return r;
  if (const Axis edges = best_edges(*a.convex, *b.convex, r.b_in_a); edges.apart_m > r.apart_m) {
    r.apart_m = edges.apart_m;
    r.normal = edges.normal;
  }
  return r;
}

}  // namespace

void convex_plane_spots(const Surface& c, const Surface& s, const BodyMotion& of_c, const BodyMotion& of_s,
                        double near_m, Spots& out) {
  int number = 0;
  const int sides = s.kind == Surface::Kind::slot ? 2 : 1;
  for (const Vec3& v : c.convex->vertices) {
    const double height = dot(s.axis, seen_from(of_s, of_c, v) - s.centre);
    if (sides == 1 ? height < near_m : s.width_m / 2 - std::abs(height) < near_m)
      add_over_sides(s, c.body, v, 0, number, out);
    else
      number += sides;
  }
}

/// The points that exist and push against the overlap. Of bodies that overlap deeply all axes are searched for it.
/// Who asks for all points, near or not, gets those about the nearest: all others would be the product of the
/// bodies.
void convex_convex_spots(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b,
                         double near_m, Spots& out) {
  const Vec3 between = seen_from(of_a, of_b, b.centre) - a.centre;
  if (a.reach_m < 1e300 && b.reach_m < 1e300 && norm(between) > a.reach_m + b.reach_m + near_m) return;
  const ConvexPair pair(a, b, of_a, of_b);
  Vec3 direction = norm(between) > 0 ? unit(between) : kAxisX;
  const double apart = pair.improve(direction, near_m);
  if (apart > near_m) return;
  if (!std::isfinite(near_m)) near_m = std::max(apart, 0.0) + kAbout * pair.size_m();
  if (apart < -kDeep * pair.size_m()) direction = relation(a, b, of_a, of_b).normal;
  std::vector<ConvexPoint> points;
  pair.near_points(direction, near_m, points);
  for (const ConvexPoint& point : points) {
    const ConvexPair::Now now = pair.look(point);
    if (now.margin_m > 0 && now.gap_m < near_m && dot(now.normal, direction) > kUpright)
      out.push_back({number_of(*a.convex, *b.convex, point), pair.feature(point)});
  }
}

double convex_distance_m(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b) {
  const Relation r = relation(a, b, of_a, of_b);
  if (r.apart_m <= 0) return r.apart_m;
  double best = 1e300;
  for (const Vec3& x : r.b_in_a.vertices) best = std::min(best, nearest_feature(*a.convex, x).distance_m);
  for (const Vec3& x : r.a_in_b.vertices) best = std::min(best, nearest_feature(*b.convex, x).distance_m);
  for (const Convex::Edge& e : a.convex->edges)
    for (const Convex::Edge& g : b.convex->edges) {
      const Vec3 &a0 = a.convex->vertex(e.from), &a1 = a.convex->vertex(e.to), &b0 = r.b_in_a.vertices[at(g.from)],
                 &b1 = r.b_in_a.vertices[at(g.to)];
      if (cross_inside(a0, a1, b0, b1))
        best = std::min(best, std::abs(dot(unit(cross(a1 - a0, b1 - b0)), b0 - a0)));
    }
  return best;
}

}  // namespace percuss::geometry
