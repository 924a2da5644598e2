// Surfaces, rods, springs and skeletons in the frames of their bodies.
#include "percuss/report/picture.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "percuss/base/index.h"

namespace percuss::report {

using Json = nlohmann::ordered_json;
using Kind = geometry::Surface::Kind;

namespace {

constexpr double kPointMass = 0.04;  // radius of a body without shape, over the size of things

Json vector(const Vec3& v) { return {v.x, v.y, v.z}; }

const char* drawn_as(Kind kind) {
  switch (kind) {
    case Kind::sphere: return "sphere";
    case Kind::plane: return "plane";
    case Kind::capsule: return "capsule";
    case Kind::cylinder: return "cylinder";
    case Kind::convex: return "mesh";
    case Kind::hole:
    case Kind::socket: return "hole";
    case Kind::slot: return "slot";
    case Kind::segment: return "segment";
  }
  return "";
}

/// From the origin of the user's frame, which is what the samples say.
Json shape(const geometry::Surface& s, const Vec3& origin_m) {
  Json out{{"kind", drawn_as(s.kind)}, {"at", vector(s.centre - origin_m)}, {"axis", vector(s.axis)}};
  if (s.radius_m > 0) out["radius"] = s.radius_m;
  if (s.length_m > 0) out["length"] = s.length_m;
  if (s.width_m > 0) out["width"] = s.width_m;
  if (s.kind == Kind::convex && s.convex) {
    Json points = Json::array(), faces = Json::array();
    if (s.convex->planar && !s.convex->edges.empty()) {
      int corner = s.convex->edges.front().from;  // the outline, edge after edge
      for (std::size_t k = 0; k < s.convex->edges.size(); ++k) {
        points.push_back(vector(s.convex->vertex(corner) - origin_m));
        for (const geometry::Convex::Edge& e : s.convex->edges)
          if (e.from == corner) {
            corner = e.to;
            break;
          }
      }
    } else {
      for (const Vec3& v : s.convex->vertices) points.push_back(vector(v - origin_m));
      for (const geometry::Convex::Face& f : s.convex->faces) faces.push_back(f.loop);
    }
    out["points"] = points;
    if (!faces.empty()) out["faces"] = faces;
  }
  return out;
}

}  // namespace

std::string replay_picture(const model::Model& m) {
  Json bodies = Json::array(), links = Json::array();
  std::vector<double> reach_m(m.bodies.size(), 0);  // of its shapes, from the centre of mass
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const model::Body& body = m.bodies[b];
    Json shapes = Json::array();
    for (const geometry::Surface& s : m.surfaces)
      if (at(s.body) == b)
        shapes.push_back(shape(s, body.origin_m)), reach_m[b] = std::max(reach_m[b], norm(s.centre) + s.reach_m);
    if (shapes.empty() && b > 0)
      shapes.push_back(
          {{"kind", "sphere"}, {"at", vector(-1 * body.origin_m)}, {"radius", kPointMass * m.length_m}});
    Json one{{"name", body.name}, {"shapes", shapes}};
    if (b == 0) one["place"] = m.planar ? Json{0, 0, 0} : Json{0, 0, 0, 1, 0, 0, 0};
    bodies.push_back(std::move(one));
  }
  const auto link = [&](int from, int to, const Vec3& a, const Vec3& b, const char* kind) {
    const int f = std::max(from, 0), t = std::max(to, 0);
    links.push_back({{"from", f},
                     {"to", t},
                     {"a", vector(a - m.bodies[at(f)].origin_m)},
                     {"b", vector(b - m.bodies[at(t)].origin_m)},
                     {"kind", kind}});
  };
  // what holds a body outside its shapes is seen by a line from the centre of mass
  const auto skeleton = [&](int body, const Vec3& point) {
    if (body > 0 && norm(point) > 1.01 * reach_m[at(body)] + 1e-9 * m.length_m)
      link(body, body, {}, point, "skeleton");
  };
  const auto connect = [&](const geometry::Measure& measure, const char* kind) {
    if (measure.kind == geometry::Measure::Kind::distance)
      link(measure.body_a, measure.body_b, measure.point_a, measure.point_b, kind);
    skeleton(measure.body_a, measure.point_a);
    skeleton(measure.body_b, measure.point_b);
  };
  for (const model::Joint& j : m.joints)
    if (j.row_count > 0) connect(m.measures[at(m.rows[at(j.first_row)].terms[0].measure)], "rod");
  for (const model::Spring& s : m.springs) connect(m.measures[at(s.lines[0].measure)], "spring");
  const Vec3 up = m.planar || norm(m.gravity_mps2) == 0 ? Vec3{0, m.planar ? 1.0 : 0.0, m.planar ? 0.0 : 1.0}
                                                        : (-1 / norm(m.gravity_mps2)) * m.gravity_mps2;
  return Json{{"planar", m.planar}, {"size", m.length_m}, {"up", vector(up)}, {"bodies", bodies}, {"links", links}}
      .dump();
}

}  // namespace percuss::report
