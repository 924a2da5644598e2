// Convex bodies: corners over faces, and edges that cross.
//
// The face (or pair of edges) along which two bodies are farthest apart, or overlap least, decides where they
// touch. Along a face: the corners of the other that lie over it, its own corners that lie over a face of the other
// that is nearly parallel, and edges of the other that cross its outline; these are the corners of the common
// polygon. A corner's gap is its height over the plane, that of crossing edges the distance of their lines: both
// are functions of the places of the bodies whose gradients are the forces, so that the energy balance closes while
// a spot exists.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/geometry/pairs.h"

namespace percuss::geometry {

namespace {

constexpr double kFlush = 1e-9;           // of the size: a corner that stands over an edge counts as over the face
constexpr double kNearlyParallel = 0.95;  // cosine between faces whose corners can touch each other's plane
constexpr double kUpright = 0.5;          // cosine between the normals of crossing edges and of the face

double size_of(const Convex& c) { return norm(c.vertices.front() - c.vertices.back()); }

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
  int face = -1;  // of A, or of B
  int edge_a = -1, edge_b = -1;
  Vec3 normal;  // of a pair of edges: outwards from A, in the axes of A
};

Axis best_face(const Convex& c, const std::vector<Vec3>& others) {
  Axis best;
  for (std::size_t f = 0; f < c.faces.size(); ++f) {
    double least = 1e300;
    for (const Vec3& x : others) least = std::min(least, dot(c.faces[f].normal, x) - c.faces[f].offset_m);
    if (least > best.apart_m) best = {least, static_cast<int>(f), -1, -1, {}};
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
  for (std::size_t i = 0; i < a.edges.size(); ++i) {
    const Convex::Edge& e = a.edges[i];
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
      if (apart > best.apart_m) best = {apart, -1, static_cast<int>(i), static_cast<int>(j), normal};
    }
  }
  return best;
}

Feature crossing(const Surface& a, const Vec3& a0, const Vec3& a1, const Surface& b, const Vec3& b0, const Vec3& b1,
                 bool along_cross) {
  Feature f = point_to_line(a.body, a0, unit(a1 - a0), 0, b.body, b0, 0);
  f.measure.kind = Measure::Kind::lines;
  f.measure.direction_b = unit(b1 - b0);
  f.sign = along_cross ? 1 : -1;
  return f;
}

/// Do the segments cross, seen along the normal of both?
bool cross_inside(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 e = a1 - a0, f = b1 - b0, D = b0 - a0, c = cross(e, f);
  const double c2 = dot(c, c);
  if (!(c2 > 1e-12 * dot(e, e) * dot(f, f))) return false;
  const double x = dot(cross(D, f), c) / c2, y = dot(cross(D, e), c) / c2;
  return x > 0 && x < 1 && y > 0 && y < 1;
}

/// Corners of A over faces of B, corners of B over faces of A, pairs of edges.
struct Numbers {
  int vertices_a, faces_a, vertices_b, faces_b, edges_b;
  Numbers(const Convex& a, const Convex& b)
      : vertices_a(static_cast<int>(a.vertices.size())),
        faces_a(static_cast<int>(a.faces.size())),
        vertices_b(static_cast<int>(b.vertices.size())),
        faces_b(static_cast<int>(b.faces.size())),
        edges_b(static_cast<int>(b.edges.size())) {}
  int corner_of_a(int corner, int face_of_b) const { return corner * faces_b + face_of_b; }
  int corner_of_b(int corner, int face_of_a) const { return vertices_a * faces_b + corner * faces_a + face_of_a; }
  int edges(int of_a, int of_b) const {
    return vertices_a * faces_b + vertices_b * faces_a + of_a * edges_b + of_b;
  }
};

/// The spots along a face of `ref`.
struct Along {
  const Surface &ref, &other;
  const Seen& other_in_ref;
  const std::vector<Vec3>& ref_in_other;
  bool ref_is_a;
  Numbers numbers;
  double near_m, slack_m;

  int corner_number(bool of_ref, int corner, int face) const {
    return of_ref == ref_is_a ? numbers.corner_of_a(corner, face) : numbers.corner_of_b(corner, face);
  }
  int edge_number(int of_ref, int of_other) const {
    return ref_is_a ? numbers.edges(of_ref, of_other) : numbers.edges(of_other, of_ref);
  }

  void find(int face, Spots& out) const {
    const Convex &c = *ref.convex, &o = *other.convex;
    const Convex::Face& f = c.faces[at(face)];
    const auto height = [&](int v) { return dot(f.normal, other_in_ref.vertices[at(v)]) - f.offset_m; };
    for (int v = 0; v < static_cast<int>(o.vertices.size()); ++v)
      if (height(v) < near_m && is_over(c, f, other_in_ref.vertices[at(v)], slack_m))
        out.push_back({corner_number(false, v, face),
                       over_plane(ref.body, c.vertex(f.loop[0]), f.normal, other.body, o.vertex(v), 0)});
    std::size_t facing = 0;
    for (std::size_t g = 1; g < o.faces.size(); ++g)
      if (dot(other_in_ref.normals[g], f.normal) < dot(other_in_ref.normals[facing], f.normal)) facing = g;
    if (dot(other_in_ref.normals[facing], f.normal) < -kNearlyParallel) {
      const Convex::Face& g = o.faces[facing];
      for (const int v : f.loop)
        if (const Vec3& x = ref_in_other[at(v)];
            dot(g.normal, x) - g.offset_m < near_m && is_over(o, g, x, -slack_m))
          out.push_back({corner_number(true, v, static_cast<int>(facing)),
                         over_plane(other.body, o.vertex(g.loop[0]), g.normal, ref.body, c.vertex(v), 0)});
    }
    for (int i = 0; i < static_cast<int>(c.edges.size()); ++i) {
      const Convex::Edge& e = c.edges[at(i)];
      if (e.left != face && e.right != face) continue;
      for (int j = 0; j < static_cast<int>(o.edges.size()); ++j) {
        const Convex::Edge& g = o.edges[at(j)];
        if (std::min(height(g.from), height(g.to)) > near_m) continue;
        const Vec3 &a0 = c.vertex(e.from), &a1 = c.vertex(e.to), &b0 = other_in_ref.vertices[at(g.from)],
                   &b1 = other_in_ref.vertices[at(g.to)];
        if (!cross_inside(a0, a1, b0, b1)) continue;
        const Vec3 n = unit(cross(a1 - a0, b1 - b0));
        const double up = dot(n, f.normal);
        if (std::abs(up) < kUpright) continue;
        out.push_back({edge_number(i, j), crossing(ref, a0, a1, other, o.vertex(g.from), o.vertex(g.to), up > 0)});
      }
    }
  }
};

struct Relation {
  Seen b_in_a, a_in_b;
  Axis axis;
  bool face_of_a = false;
};
Relation relation(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b,
                  double near_m) {
  Relation r;
  r.b_in_a = seen(*b.convex, of_a, of_b);
  r.a_in_b = seen(*a.convex, of_b, of_a);
  const Axis on_a = best_face(*a.convex, r.b_in_a.vertices), on_b = best_face(*b.convex, r.a_in_b.vertices);
  const double slack = kFlush * size_of(*a.convex);
  r.face_of_a = on_a.apart_m >= on_b.apart_m - slack;
  r.axis = r.face_of_a ? on_a : on_b;
  if (r.axis.apart_m > near_m || a.convex->planar) return r;
  const Axis edges = best_edges(*a.convex, *b.convex, r.b_in_a);
  if (!(edges.apart_m > r.axis.apart_m + slack)) return r;
  // crossing edges beside a face that is nearly parallel to their normal are one of its spots
  const Convex::Edge &e = a.convex->edges[at(edges.edge_a)], &g = b.convex->edges[at(edges.edge_b)];
  for (const int f : {e.left, e.right})
    if (dot(a.convex->faces[at(f)].normal, edges.normal) > kNearlyParallel) {
      r.axis = edges;
      r.axis.face = f;
      r.face_of_a = true;
      return r;
    }
  for (const int f : {g.left, g.right})
    if (dot(r.b_in_a.normals[at(f)], edges.normal) < -kNearlyParallel) {
      r.axis = edges;
      r.axis.face = f;
      r.face_of_a = false;
      return r;
    }
  r.axis = edges;
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

void convex_convex_spots(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b,
                         double near_m, Spots& out) {
  if (a.reach_m < 1e300 && b.reach_m < 1e300 &&
      norm(seen_from(of_a, of_b, b.centre) - a.centre) > a.reach_m + b.reach_m + near_m)
    return;
  const Relation r = relation(a, b, of_a, of_b, near_m);
  if (r.axis.apart_m > near_m) return;
  const double slack = kFlush * size_of(*a.convex);
  const Numbers numbers(*a.convex, *b.convex);
  const std::size_t first = out.size();
  if (r.axis.face >= 0 && r.face_of_a)
    Along{a, b, r.b_in_a, r.a_in_b.vertices, true, numbers, near_m, slack}.find(r.axis.face, out);
  else if (r.axis.face >= 0)
    Along{b, a, r.a_in_b, r.b_in_a.vertices, false, numbers, near_m, slack}.find(r.axis.face, out);
  if (r.axis.edge_a < 0) return;
  const int number = numbers.edges(r.axis.edge_a, r.axis.edge_b);
  if (std::any_of(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                  [&](const Spot& spot) { return spot.number == number; }))
    return;
  const Convex::Edge &e = a.convex->edges[at(r.axis.edge_a)], &g = b.convex->edges[at(r.axis.edge_b)];
  const Vec3 &a0 = a.convex->vertex(e.from), &a1 = a.convex->vertex(e.to);
  const bool along =
      dot(cross(a1 - a0, r.b_in_a.vertices[at(g.to)] - r.b_in_a.vertices[at(g.from)]), r.axis.normal) > 0;
  out.push_back({number, crossing(a, a0, a1, b, b.convex->vertex(g.from), b.convex->vertex(g.to), along)});
}

double convex_separation_m(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b) {
  return relation(a, b, of_a, of_b, std::numeric_limits<double>::infinity()).axis.apart_m;
}

double convex_distance_m(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b) {
  const Relation r = relation(a, b, of_a, of_b, 1e300);
  if (r.axis.apart_m <= 0) return r.axis.apart_m;
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
