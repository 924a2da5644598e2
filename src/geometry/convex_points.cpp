// Gaps and margins, and which points are near.
#include "percuss/geometry/convex_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"

namespace percuss::geometry {

using Kind = ConvexPoint::Kind;

namespace {

constexpr double kSlack = 1e-9;         // of the size: by how much A counts as larger, see the header
constexpr double kTilt = 0.3;           // sine: about what faces may lean to each other and touch along all corners
constexpr double kTiltCosine = 0.9553;  // of asin(kTilt), for turning a cosine by it
constexpr double kLeastCosine = 0.17;   // of normals at an edge, however sharp it is
constexpr double kLeastSine = 1e-3;     // of edges that cross

/// Half of the largest extent along the axes from the first vertex: about the radius, for scales alone.
double size_of(const Convex& c) {
  double most = 0;
  for (const Vec3& v : c.vertices) {
    const Vec3 d = v - c.vertices.front();
    most = std::max({most, std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  }
  return most / 2;
}

/// By how much x lies inside the sides of a face.
double inside_m(const Convex& c, const Convex::Face& f, const Vec3& x) {
  double least = std::numeric_limits<double>::infinity();
  if (c.planar) {
    const Vec3 &p = c.vertex(f.loop[0]), &q = c.vertex(f.loop[1]);
    const Vec3 along = q - p;
    const double length = norm(along);
    return std::min(dot(along, x - p), dot(along, q - x)) / length;
  }
  for (std::size_t k = 0; k < f.loop.size(); ++k) {
    const Vec3& p = c.vertex(f.loop[k]);
    const Vec3 along = c.vertex(f.loop[k + 1 == f.loop.size() ? 0 : k + 1]) - p;
    least = std::min(least, dot(cross(f.normal, along), x - p) / norm(along));
  }
  return least;
}

/// How far the ends of a segment, at distances o0 and o1 from a line, lie on its two sides; below 0: both on one.
double both_sides_m(double o0, double o1) {
  const double least = std::min(std::abs(o0), std::abs(o1));
  return (o0 < 0) != (o1 < 0) ? least : -least;
}

/// Cosine of the largest angle that a contact normal may have with the middle of the normals at an edge: half the
/// angle between them and asin(kTilt). `cosine`: of that half.
double least_cosine(double cosine) {
  const double sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
  return std::max(kLeastCosine, cosine * kTiltCosine - sine * kTilt);
}

void sort_unique(std::vector<int>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Faces and edges at some vertices.
struct Around {
  std::vector<int> vertices, faces, edges;
  void complete(const Convex& c) {
    for (const int v : vertices) {
      faces.insert(faces.end(), c.faces_at[at(v)].begin(), c.faces_at[at(v)].end());
      edges.insert(edges.end(), c.edges_at[at(v)].begin(), c.edges_at[at(v)].end());
    }
    sort_unique(faces);
    sort_unique(edges);
  }
};

}  // namespace

int number_of(const Convex& a, const Convex& b, const ConvexPoint& p) {
  const int vertices_a = static_cast<int>(a.vertices.size()), faces_a = static_cast<int>(a.faces.size());
  const int vertices_b = static_cast<int>(b.vertices.size()), faces_b = static_cast<int>(b.faces.size());
  switch (p.kind) {
    case Kind::corner_of_a: return p.of_a * faces_b + p.of_b;
    case Kind::corner_of_b: return vertices_a * faces_b + p.of_b * faces_a + p.of_a;
    case Kind::edges: break;
  }
  return vertices_a * faces_b + vertices_b * faces_a + p.of_a * static_cast<int>(b.edges.size()) + p.of_b;
}

ConvexPoint point_of(const Convex& a, const Convex& b, int number) {
  const int faces_a = static_cast<int>(a.faces.size()), faces_b = static_cast<int>(b.faces.size());
  if (const int corners = static_cast<int>(a.vertices.size()) * faces_b; number >= corners)
    number -= corners;
  else
    return {Kind::corner_of_a, number / faces_b, number % faces_b};
  if (const int corners = static_cast<int>(b.vertices.size()) * faces_a; number >= corners)
    number -= corners;
  else
    return {Kind::corner_of_b, number % faces_a, number / faces_a};
  const int edges_b = static_cast<int>(b.edges.size());
  return {Kind::edges, number / edges_b, number % edges_b};
}

void add_neighbours(const Convex& a, const Convex& b, const ConvexPoint& p, std::vector<ConvexPoint>& out) {
  const auto faces_beside = [](const Convex& c, int face) {
    std::vector<int> faces;
    if (c.planar)
      for (const int v : c.faces[at(face)].loop)
        faces.insert(faces.end(), c.faces_at[at(v)].begin(), c.faces_at[at(v)].end());
    for (const int e : c.edges_of[at(face)]) faces.insert(faces.end(), {c.edges[at(e)].left, c.edges[at(e)].right});
    sort_unique(faces);
    std::erase(faces, face);
    return faces;
  };
  switch (p.kind) {
    case Kind::corner_of_a:
      for (const int g : faces_beside(b, p.of_b)) out.push_back({Kind::corner_of_a, p.of_a, g});
      if (b.planar)  // the side's ends against the sides at the corner
        for (const int v : b.faces[at(p.of_b)].loop)
          for (const int f : a.faces_at[at(p.of_a)]) out.push_back({Kind::corner_of_b, f, v});
      for (const int e : a.edges_at[at(p.of_a)])
        for (const int g : b.edges_of[at(p.of_b)]) out.push_back({Kind::edges, e, g});
      break;
    case Kind::corner_of_b:
      for (const int f : faces_beside(a, p.of_a)) out.push_back({Kind::corner_of_b, f, p.of_b});
      if (a.planar)
        for (const int v : a.faces[at(p.of_a)].loop)
          for (const int g : b.faces_at[at(p.of_b)]) out.push_back({Kind::corner_of_a, v, g});
      for (const int e : a.edges_of[at(p.of_a)])
        for (const int g : b.edges_at[at(p.of_b)]) out.push_back({Kind::edges, e, g});
      break;
    case Kind::edges: {
      const Convex::Edge &e = a.edges[at(p.of_a)], &g = b.edges[at(p.of_b)];
      for (const int v : {e.from, e.to})
        for (const int face : {g.left, g.right}) out.push_back({Kind::corner_of_a, v, face});
      for (const int v : {g.from, g.to})
        for (const int face : {e.left, e.right}) out.push_back({Kind::corner_of_b, face, v});
      for (const int v : {e.from, e.to})
        for (const int next : a.edges_at[at(v)])
          if (next != p.of_a) out.push_back({Kind::edges, next, p.of_b});
      for (const int v : {g.from, g.to})
        for (const int next : b.edges_at[at(v)])
          if (next != p.of_b) out.push_back({Kind::edges, p.of_a, next});
      break;
    }
  }
}

ConvexPair::ConvexPair(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b)
    : a_(a),
      b_(b),
      ca_(*a.convex),
      cb_(*b.convex),
      Q_(transposed(of_a.R) * of_b.R),
      t_(transposed_times(of_a.R, of_b.p_m - of_a.p_m)),
      size_m_(std::min(size_of(ca_), size_of(cb_))),
      slack_m_(kSlack * size_m_) {}

ConvexPair::Now ConvexPair::corner_over_face(const Convex& of_corner, int corner, const Convex& of_face, int face,
                                             bool is_of_b) const {
  const Convex::Face& f = of_face.faces[at(face)];
  const auto point = [&](int v) {
    const Vec3& x = of_corner.vertex(v);
    return is_of_b ? seen(x) : transposed_times(Q_, x - t_);
  };
  const Vec3 x = point(corner);
  Now now;
  now.gap_m = dot(f.normal, x) - f.offset_m;
  now.margin_m = inside_m(of_face, f, x) + (is_of_b ? slack_m_ : -slack_m_);
  now.normal = is_of_b ? f.normal : -(Q_ * f.normal);
  const Vec3 normal = is_of_b ? transposed_times(Q_, f.normal) : Q_ * f.normal;  // in the axes of the corner
  const Vec3& own = of_corner.vertex(corner);
  for (const int w : of_corner.neighbours[at(corner)]) {
    const Vec3 along = of_corner.vertex(w) - own;
    now.margin_m = std::min(now.margin_m, (dot(normal, along) / norm(along) + kTilt) * size_m_);
  }
  return now;
}

ConvexPair::Line ConvexPair::line_of_a(int edge) const {
  const Convex::Edge& e = ca_.edges[at(edge)];
  Line line{
      ca_.vertex(e.from), ca_.vertex(e.to), {}, ca_.faces[at(e.left)].normal + ca_.faces[at(e.right)].normal, 0};
  line.along = unit(line.to - line.from);
  line.out_length = norm(line.out);
  return line;
}

ConvexPair::Line ConvexPair::line_of_b(int edge) const {
  const Convex::Edge& g = cb_.edges[at(edge)];
  Line line{seen(cb_.vertex(g.from)),
            seen(cb_.vertex(g.to)),
            {},
            Q_ * (cb_.faces[at(g.left)].normal + cb_.faces[at(g.right)].normal),
            0};
  line.along = unit(line.to - line.from);
  line.out_length = norm(line.out);
  return line;
}

ConvexPair::Now ConvexPair::crossing(const Line& e, const Line& g) const {
  const Vec3 c = cross(e.along, g.along), between = g.from - e.from;
  const double sine = norm(c);
  Now now;
  if (!(sine > 0.1 * kLeastSine)) {
    now.margin_m = -size_m_;
    now.gap_m = norm(between);
    return now;
  }
  now.normal = c / sine;
  now.swapped = dot(now.normal, e.out) < 0;
  if (now.swapped) now.normal = -now.normal;
  now.gap_m = dot(now.normal, between);
  const Vec3 beside_e = cross(now.normal, e.along), beside_g = cross(now.normal, g.along);
  const double shift = slack_m_ * dot(beside_e, e.out);
  const Vec3 longer = slack_m_ * e.along;
  const double on_e = both_sides_m(dot(beside_e, between) - shift, dot(beside_e, g.to - e.from) - shift),
               on_g = both_sides_m(dot(beside_g, e.from - longer - g.from), dot(beside_g, e.to + longer - g.from));
  const double cosine_a = dot(now.normal, e.out) / e.out_length - least_cosine(e.out_length / 2),
               cosine_b = -dot(now.normal, g.out) / g.out_length - least_cosine(g.out_length / 2);
  now.margin_m = std::min({on_e, on_g, size_m_ * cosine_a, size_m_ * cosine_b, size_m_ * (sine - kLeastSine)});
  return now;
}

ConvexPair::Now ConvexPair::look(const ConvexPoint& p) const {
  switch (p.kind) {
    case Kind::corner_of_a: return corner_over_face(ca_, p.of_a, cb_, p.of_b, false);
    case Kind::corner_of_b: return corner_over_face(cb_, p.of_b, ca_, p.of_a, true);
    case Kind::edges: break;
  }
  return crossing(line_of_a(p.of_a), line_of_b(p.of_b));
}

Vec3 ConvexPair::place(const ConvexPoint& p) const {
  if (p.kind == Kind::corner_of_a) return ca_.vertex(p.of_a);
  if (p.kind == Kind::corner_of_b) return seen(cb_.vertex(p.of_b));
  const Convex::Edge &e = ca_.edges[at(p.of_a)], &g = cb_.edges[at(p.of_b)];
  const Vec3 &a0 = ca_.vertex(e.from), b0 = seen(cb_.vertex(g.from));
  const Vec3 along = ca_.vertex(e.to) - a0, other = seen(cb_.vertex(g.to)) - b0, c = cross(along, other);
  const double c2 = dot(c, c);
  return c2 > 0 ? a0 + (dot(cross(b0 - a0, other), c) / c2) * along : a0;
}

Feature ConvexPair::feature(const ConvexPoint& p) const {
  if (p.kind != Kind::edges) {
    const bool is_of_b = p.kind == Kind::corner_of_b;
    const Convex& of_face = is_of_b ? ca_ : cb_;
    const Convex::Face& f = of_face.faces[at(is_of_b ? p.of_a : p.of_b)];
    return over_plane(is_of_b ? a_.body : b_.body, of_face.vertex(f.loop[0]), f.normal, is_of_b ? b_.body : a_.body,
                      is_of_b ? cb_.vertex(p.of_b) : ca_.vertex(p.of_a), 0);
  }
  const Convex::Edge &e = ca_.edges[at(p.of_a)], &g = cb_.edges[at(p.of_b)];
  const Vec3 &a0 = ca_.vertex(e.from), &b0 = cb_.vertex(g.from);
  Feature f = point_to_line(a_.body, a0, unit(ca_.vertex(e.to) - a0), 0, b_.body, b0, 0);
  f.measure.kind = Measure::Kind::lines;
  f.measure.direction_b = unit(cb_.vertex(g.to) - b0);
  f.sign = look(p).swapped ? -1 : 1;
  return f;
}

double ConvexPair::apart_m(const Vec3& direction) const {
  double most_a = -std::numeric_limits<double>::infinity(), least_b = -most_a;
  for (const Vec3& v : ca_.vertices) most_a = std::max(most_a, dot(direction, v));
  const Vec3 in_b = transposed_times(Q_, direction);
  for (const Vec3& v : cb_.vertices) least_b = std::min(least_b, dot(in_b, v));
  return least_b + dot(direction, t_) - most_a;
}

/// Gilbert's search for the point of the body of differences B - A that is nearest to the origin: from the point v
/// found so far towards the farthest point w against it, on the segment between them. Along v/|v| the bodies are
/// apart by w . v/|v|.
double ConvexPair::improve(Vec3& direction, double enough_m) const {
  constexpr int kMost = 60;
  Vec3 v, best = direction;
  double most = -std::numeric_limits<double>::infinity();
  Vec3 n = direction;
  for (int k = 0; k < kMost; ++k) {
    double most_a = -std::numeric_limits<double>::infinity(), least_b = -most_a;
    const Vec3 in_b = transposed_times(Q_, n);
    const Vec3 *far_a = nullptr, *far_b = nullptr;
    for (const Vec3& x : ca_.vertices)
      if (const double h = dot(n, x); h > most_a) most_a = h, far_a = &x;
    for (const Vec3& x : cb_.vertices)
      if (const double h = dot(in_b, x); h < least_b) least_b = h, far_b = &x;
    const Vec3 w = seen(*far_b) - *far_a;
    const double apart = dot(n, w);
    if (apart > most) most = apart, best = n;
    if (most >= enough_m) break;
    if (most > -0.01 * size_m_ && (most <= 0 || (k > 0 && most > 0.9 * norm(v)))) break;
    if (k == 0) {
      v = w;
    } else {
      const Vec3 d = w - v;
      const double d2 = dot(d, d);
      if (!(d2 > 0)) break;
      v += std::clamp(-dot(v, d) / d2, 0.0, 1.0) * d;
    }
    const double length = norm(v);
    if (!(length > 1e-9 * size_m_)) break;
    n = v / length;
  }
  direction = best;
  return most;
}

void ConvexPair::near_points(const Vec3& direction, double near_m, std::vector<ConvexPoint>& out) const {
  const Vec3 in_b = transposed_times(Q_, direction);
  const double shift = dot(direction, t_);
  double most_a = -std::numeric_limits<double>::infinity(), least_b = -most_a;
  for (const Vec3& v : ca_.vertices) most_a = std::max(most_a, dot(direction, v));
  for (const Vec3& v : cb_.vertices) least_b = std::min(least_b, dot(in_b, v));
  least_b += shift;
  if (least_b - most_a > near_m) return;
  Around a, b;
  const double wide = near_m + 2 * slack_m_;
  for (std::size_t i = 0; i < ca_.vertices.size(); ++i)
    if (dot(direction, ca_.vertices[i]) >= least_b - wide) a.vertices.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < cb_.vertices.size(); ++i)
    if (dot(in_b, cb_.vertices[i]) + shift <= most_a + wide) b.vertices.push_back(static_cast<int>(i));
  a.complete(ca_);
  b.complete(cb_);
  const auto offer = [&](const ConvexPoint& p) {
    const Now now = look(p);
    if (now.gap_m < near_m && now.margin_m > -near_m) out.push_back(p);
  };
  for (const int v : a.vertices) {
    const Vec3 x = transposed_times(Q_, ca_.vertex(v) - t_);
    for (const int f : b.faces)
      if (dot(cb_.faces[at(f)].normal, x) - cb_.faces[at(f)].offset_m < near_m) offer({Kind::corner_of_a, v, f});
  }
  for (const int v : b.vertices) {
    const Vec3 x = seen(cb_.vertex(v));
    for (const int f : a.faces)
      if (dot(ca_.faces[at(f)].normal, x) - ca_.faces[at(f)].offset_m < near_m) offer({Kind::corner_of_b, f, v});
  }
  std::vector<Line> lines_of_b;
  lines_of_b.reserve(b.edges.size());
  for (const int g : b.edges) lines_of_b.push_back(line_of_b(g));
  for (const int e : a.edges) {
    const Line line = line_of_a(e);
    for (std::size_t k = 0; k < b.edges.size(); ++k) {
      const Now now = crossing(line, lines_of_b[k]);
      if (now.gap_m < near_m && now.margin_m > -near_m) out.push_back({Kind::edges, e, b.edges[k]});
    }
  }
}

}  // namespace percuss::geometry
