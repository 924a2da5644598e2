// Hulls, meshes, nearest features.
#include "percuss/geometry/convex.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "percuss/base/index.h"
#include "percuss/base/units.h"

namespace percuss::geometry {

namespace {

constexpr double kFlat = 1e-9;  // of the size: what is closer than this to a plane lies in it

double size_of(const std::vector<Vec3>& points) {
  Vec3 low = points.front(), high = low;
  for (const Vec3& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return norm(high - low);
}

Diagnostic wrong(std::string text) { return {{}, std::move(text)}; }

/// Points that coincide become one.
Mesh welded(const Mesh& mesh, double size, double weld) {
  Mesh out;
  std::vector<int> place(mesh.vertices.size());
  std::map<std::array<long long, 3>, int> known;
  const double cell = std::max(size * weld, std::numeric_limits<double>::min());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3& p = mesh.vertices[i];
    const std::array<long long, 3> key{std::llround(p.x / cell), std::llround(p.y / cell),
                                       std::llround(p.z / cell)};
    const auto [found, fresh] = known.emplace(key, static_cast<int>(out.vertices.size()));
    if (fresh) out.vertices.push_back(p);
    place[i] = found->second;
  }
  for (const auto& t : mesh.triangles) out.triangles.push_back({place[at(t[0])], place[at(t[1])], place[at(t[2])]});
  return out;
}

void add_edges(Convex& c) {
  std::map<std::pair<int, int>, int> face_of;  // directed edge
  for (std::size_t f = 0; f < c.faces.size(); ++f) {
    const std::vector<int>& loop = c.faces[f].loop;
    for (std::size_t k = 0; k < loop.size(); ++k)
      face_of[{loop[k], loop[(k + 1) % loop.size()]}] = static_cast<int>(f);
  }
  for (const auto& [ends, left] : face_of)
    if (const auto other = face_of.find({ends.second, ends.first});
        other != face_of.end() && ends.first < ends.second)
      c.edges.push_back({ends.first, ends.second, left, other->second});
}

/// Normals and offsets from the loops (Newell: robust for any polygon).
void set_planes(Convex& c) {
  for (Convex::Face& f : c.faces) {
    Vec3 n, middle;
    for (std::size_t k = 0; k < f.loop.size(); ++k) {
      const Vec3& p = c.vertex(f.loop[k]);
      n += cross(p - c.vertex(f.loop[0]), c.vertex(f.loop[(k + 1) % f.loop.size()]) - c.vertex(f.loop[0]));
      middle += p / static_cast<double>(f.loop.size());
    }
    f.normal = unit(n);
    f.offset_m = dot(f.normal, middle);
  }
}

Convex polygon(const std::vector<Vec3>& loop) {
  Convex c;
  c.planar = true;
  c.vertices = loop;
  const int count = static_cast<int>(loop.size());
  for (int k = 0; k < count; ++k) {
    const int next = (k + 1) % count;
    const Vec3 along = unit(c.vertex(next) - c.vertex(k)), normal{along.y, -along.x, 0};
    c.faces.push_back({normal, dot(normal, c.vertex(k)), {k, next}});
  }
  connect(c);
  return c;
}

Result<Convex> planar_hull(std::vector<Vec3> points) {  // Andrew's monotone chain
  std::ranges::sort(points, [](const Vec3& a, const Vec3& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  const double size = size_of(points);
  std::vector<Vec3> loop;
  const auto turn = [](const Vec3& o, const Vec3& a, const Vec3& b) { return cross(a - o, b - o).z; };
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t first = loop.size();
    for (const Vec3& p : points) {
      while (loop.size() >= first + 2 && turn(loop[loop.size() - 2], loop.back(), p) <= kFlat * size * size)
        loop.pop_back();
      loop.push_back({p.x, p.y, 0});
    }
    loop.pop_back();
    std::ranges::reverse(points);
  }
  if (loop.size() < 3) return wrong("the points lie on a line; a polygon has an area");
  return polygon(loop);
}

}  // namespace

void connect(Convex& c) {
  const std::size_t count = c.vertices.size();
  c.neighbours.assign(count, {});
  c.edges_at.assign(count, {});
  c.faces_at.assign(count, {});
  c.edges_of.assign(c.faces.size(), {});
  for (std::size_t f = 0; f < c.faces.size(); ++f) {
    const std::vector<int>& loop = c.faces[f].loop;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      c.faces_at[at(loop[k])].push_back(static_cast<int>(f));
      const int next = loop[(k + 1) % loop.size()];  // each edge has its two directions in two loops
      if (loop.size() > 2 || k == 0) c.neighbours[at(loop[k])].push_back(next);
      if (c.planar && k == 0) c.neighbours[at(next)].push_back(loop[k]);
    }
  }
  for (std::size_t e = 0; e < c.edges.size(); ++e) {
    const int edge = static_cast<int>(e);
    for (const int v : {c.edges[e].from, c.edges[e].to}) c.edges_at[at(v)].push_back(edge);
    for (const int f : {c.edges[e].left, c.edges[e].right}) c.edges_of[at(f)].push_back(edge);
  }
}

Convex make_box(const Vec3& size_m, bool planar) {
  const Vec3 h = size_m / 2;
  if (planar) return polygon({{-h.x, -h.y, 0}, {h.x, -h.y, 0}, {h.x, h.y, 0}, {-h.x, h.y, 0}});
  Convex c;
  for (int k = 0; k < 8; ++k) c.vertices.push_back({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
  for (const std::array<int, 4>& loop : {std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}, std::array{0, 1, 5, 4},
                                         std::array{2, 6, 7, 3}, std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}})
    c.faces.push_back({{}, 0, {loop.begin(), loop.end()}});
  set_planes(c);
  add_edges(c);
  connect(c);
  return c;
}

Result<Convex> polygon_of(const std::vector<Vec3>& points) {
  if (points.size() < 3) return wrong("a polygon has at least 3 points");
  return planar_hull(points);
}

Result<Convex> convex_of(const Mesh& raw, double flat) {
  if (raw.triangles.size() < 4) return wrong("the mesh has fewer than 4 triangles");
  const double size = size_of(raw.vertices);
  const Mesh mesh = welded(raw, size, 0.1 * flat);
  std::map<std::pair<int, int>, int> uses;  // of directed edges
  double volume = 0;
  for (const auto& t : mesh.triangles) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    for (std::size_t k = 0; k < 3; ++k) ++uses[{t[k], t[(k + 1) % 3]}];
    const Vec3 o = mesh.vertices[at(mesh.triangles[0][0])];
    volume += dot(mesh.vertices[at(t[0])] - o, cross(mesh.vertices[at(t[1])] - o, mesh.vertices[at(t[2])] - o)) / 6;
  }
  for (const auto& [ends, count] : uses) {
    const auto back = uses.find({ends.second, ends.first});
    const Vec3& p = mesh.vertices[at(ends.first)];
    if (count != 1 || back == uses.end())
      return wrong("the mesh is not closed: the edge at (" + text_of(p.x, 4) + ", " + text_of(p.y, 4) + ", " +
                   text_of(p.z, 4) + ") has a triangle on one side only, or triangles that look different ways");
  }
  if (std::abs(volume) < kFlat * size * size * size) return wrong("the mesh has no volume");
  if (volume < 0) return wrong("the mesh is inside out: its triangles look inwards");

  Convex c;
  c.vertices = mesh.vertices;
  std::vector<std::set<std::pair<int, int>>> outline;  // of each group of triangles in one plane
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[at(t[0])], b = mesh.vertices[at(t[1])], d = mesh.vertices[at(t[2])];
    const Vec3 n = cross(b - a, d - a);
    if (!(norm(n) > 1e-14 * size * size)) continue;  // a sliver says nothing about a plane
    std::size_t f = 0;
    const auto lies_in = [&](const Convex::Face& face) {
      return dot(face.normal, n) > 0 && std::ranges::all_of(std::array{a, b, d}, [&](const Vec3& p) {
               return std::abs(dot(face.normal, p) - face.offset_m) < flat * size;
             });
    };
    while (f < c.faces.size() && !lies_in(c.faces[f])) ++f;
    if (f == c.faces.size()) {
      c.faces.push_back({unit(n), dot(unit(n), a), {}});
      outline.emplace_back();
    }
  }
  for (const auto& t : mesh.triangles) {  // with all planes known, each triangle goes to its own; slivers too
    std::size_t best = 0;
    double off_best = 1e300;
    const Vec3 n =
        cross(mesh.vertices[at(t[1])] - mesh.vertices[at(t[0])], mesh.vertices[at(t[2])] - mesh.vertices[at(t[0])]);
    for (std::size_t f = 0; f < c.faces.size(); ++f) {
      double off = dot(c.faces[f].normal, n) < 0 ? 1e200 : 0;
      for (const int v : t)
        off = std::max(off, std::abs(dot(c.faces[f].normal, c.vertex(v)) - c.faces[f].offset_m));
      if (off < off_best) off_best = off, best = f;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = t[k], to = t[(k + 1) % 3];
      if (outline[best].erase({to, from}) == 0) outline[best].emplace(from, to);
    }
  }
  for (const Convex::Face& f : c.faces)
    for (const Vec3& p : c.vertices)
      if (const double out = dot(f.normal, p) - f.offset_m; out > std::max(1e-7, 10 * flat) * size)
        return wrong("the mesh is not convex: the point (" + text_of(p.x, 4) + ", " + text_of(p.y, 4) + ", " +
                     text_of(p.z, 4) + ") stands " + text_of(out, 3) + " m out of the plane of a face");
  for (std::size_t f = 0; f < c.faces.size(); ++f) {
    const std::map<int, int> next(outline[f].begin(), outline[f].end());
    if (next.empty() || next.size() != outline[f].size()) return wrong("a face of the mesh has no single outline");
    const int first = next.begin()->first;
    int v = first;
    do {
      c.faces[f].loop.push_back(v);
      const auto step = next.find(v);
      if (step == next.end() || c.faces[f].loop.size() > next.size())
        return wrong("a face of the mesh has no single outline");
      v = step->second;
    } while (v != first);
  }
  set_planes(c);
  add_edges(c);
  // vertices inside of a face are on no outline
  std::vector<int> place(c.vertices.size(), -1);
  std::vector<Vec3> used;
  for (Convex::Face& f : c.faces)
    for (int& v : f.loop) {
      if (place[at(v)] < 0) {
        place[at(v)] = static_cast<int>(used.size());
        used.push_back(c.vertex(v));
      }
      v = place[at(v)];
    }
  for (Convex::Edge& e : c.edges) e.from = place[at(e.from)], e.to = place[at(e.to)];
  c.vertices = std::move(used);
  connect(c);
  return c;
}

/// Tetrahedra from the first vertex to fans over the faces; for each, the integral of x x^T is
/// V/20 (sum of p p^T + s s^T), s the sum of its four corners.
Solid solid_of(const Convex& c) {
  Solid out;
  Mat3 second = diagonal(0, 0, 0);
  const auto add = [&](double volume, const std::array<Vec3, 4>& corners) {
    Vec3 sum;
    for (const Vec3& p : corners) sum += p;
    out.volume_m3 += volume;
    out.centre += volume * sum / 4;
    const auto outer = [&](const Vec3& p) { second = second + (volume / 20) * Mat3{{p.x * p, p.y * p, p.z * p}}; };
    for (const Vec3& p : corners) outer(p);
    outer(sum);
  };
  if (c.planar) {  // a prism of height 1: area, centroid, and integral of r^2
    const Vec3 o = c.vertices[0];
    double polar = 0;
    for (std::size_t k = 1; k + 1 < c.vertices.size(); ++k) {
      const Vec3 a = c.vertices[k] - o, b = c.vertices[k + 1] - o;
      const double area = cross(a, b).z / 2;
      out.volume_m3 += area;
      out.centre += area * (a + b) / 3;
      polar += area / 6 * (dot(a, a) + dot(b, b) + dot(a, b));
    }
    out.centre = out.centre / out.volume_m3;
    const double about = polar - out.volume_m3 * dot(out.centre, out.centre);
    out.centre += o;
    out.inertia = diagonal(about, about, about);
    return out;
  }
  const Vec3 o = c.vertices[0];
  for (const Convex::Face& f : c.faces)
    for (std::size_t k = 1; k + 1 < f.loop.size(); ++k) {
      const Vec3 p = c.vertex(f.loop[0]) - o, q = c.vertex(f.loop[k]) - o, r = c.vertex(f.loop[k + 1]) - o;
      add(dot(p, cross(q, r)) / 6, {Vec3{}, p, q, r});
    }
  out.centre = out.centre / out.volume_m3;
  const Vec3& m = out.centre;
  second = second + (-out.volume_m3) * Mat3{{m.x * m, m.y * m, m.z * m}};
  const double trace = second.row[0].x + second.row[1].y + second.row[2].z;
  out.inertia = diagonal(trace, trace, trace) + (-1.0) * second;
  out.centre += o;
  return out;
}

bool is_over(const Convex& c, const Convex::Face& face, const Vec3& x, double slack_m) {
  if (c.planar) {  // a side: between its two ends
    const Vec3& p = c.vertex(face.loop[0]);
    const Vec3 along = c.vertex(face.loop[1]) - p;
    const double s = dot(along, x - p), length = norm(along);
    return s >= -slack_m * length && s <= length * (length + slack_m);
  }
  for (std::size_t k = 0; k < face.loop.size(); ++k) {
    const Vec3& p = c.vertex(face.loop[k]);
    const Vec3 outwards = cross(c.vertex(face.loop[(k + 1) % face.loop.size()]) - p, face.normal);
    if (dot(outwards, x - p) > slack_m * norm(outwards)) return false;
  }
  return true;
}

Nearest nearest_feature(const Convex& c, const Vec3& x) {
  Nearest best{Nearest::Feature::face, 0, -1e300};
  for (std::size_t f = 0; f < c.faces.size(); ++f)
    if (const double h = dot(c.faces[f].normal, x) - c.faces[f].offset_m; h > best.distance_m)
      best = {Nearest::Feature::face, static_cast<int>(f), h};
  if (best.distance_m <= 0) return best;
  for (std::size_t f = 0; f < c.faces.size(); ++f)
    if (const double h = dot(c.faces[f].normal, x) - c.faces[f].offset_m; h > 0 && is_over(c, c.faces[f], x, 0))
      return {Nearest::Feature::face, static_cast<int>(f), h};
  best.distance_m = 1e300;
  for (std::size_t v = 0; v < c.vertices.size(); ++v)
    if (const double h = norm(x - c.vertices[v]); h < best.distance_m)
      best = {Nearest::Feature::vertex, static_cast<int>(v), h};
  for (std::size_t e = 0; e < c.edges.size(); ++e) {
    const Vec3& p = c.vertex(c.edges[e].from);
    const Vec3 along = c.vertex(c.edges[e].to) - p;
    const double s = dot(along, x - p) / dot(along, along);
    if (s <= 0 || s >= 1) continue;
    if (const double h = norm(x - p - s * along); h < best.distance_m)
      best = {Nearest::Feature::edge, static_cast<int>(e), h};
  }
  return best;
}

}  // namespace percuss::geometry
