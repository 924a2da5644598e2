// The picture as JSON, written here: the core has no library for it.
#include "percuss/model/picture.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "percuss/base/index.h"
#include "percuss/base/units.h"

namespace percuss::model {

namespace {

constexpr double kPointMass = 0.04;  // radius of a body without shape, over the size of the scene

// ---- JSON ----

std::string as_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += std::string("\\u00") + kDigits[c >> 4 & 15] + kDigits[c & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string json(double v) { return std::isfinite(v) ? text_of(v) : "null"; }
std::string json(const Vec3& v) { return "[" + json(v.x) + "," + json(v.y) + "," + json(v.z) + "]"; }

std::string list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i > 0 ? "," : "") + items[i];
  return out + "]";
}

using Member = std::pair<const char*, std::string>;
std::string object(const std::vector<Member>& members) {
  std::string out = "{";
  for (std::size_t i = 0; i < members.size(); ++i)
    out += (i > 0 ? "," : "") + as_text(members[i].first) + ":" + members[i].second;
  return out + "}";
}

// ---- shapes ----

const char* drawn_as(geometry::Surface::Kind kind) {
  using Kind = geometry::Surface::Kind;
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
    case Kind::stop: return "stop";
  }
  return "";
}

/// The corners of a planar polygon, side after side: each side is a face with two corners.
std::vector<std::string> outline(const geometry::Convex& convex, const Vec3& origin_m) {
  std::vector<std::string> points;
  int corner = convex.faces.front().loop.front();
  for (std::size_t k = 0; k < convex.faces.size(); ++k) {
    points.push_back(json(convex.vertex(corner) - origin_m));
    const auto side = std::ranges::find_if(convex.faces, [&](const auto& f) { return f.loop.front() == corner; });
    if (side != convex.faces.end()) corner = side->loop.back();
  }
  return points;
}

/// From the origin of the user's frame, which is what the samples say.
std::string shape(const geometry::Surface& s, const Vec3& origin_m) {
  std::vector<Member> out{
      {"kind", as_text(drawn_as(s.kind))}, {"at", json(s.centre - origin_m)}, {"axis", json(s.axis)}};
  if (s.radius_m > 0) out.emplace_back("radius", json(s.radius_m));
  if (s.length_m > 0) out.emplace_back("length", json(s.length_m));
  if (s.width_m > 0) out.emplace_back("width", json(s.width_m));
  if (s.kind != geometry::Surface::Kind::convex || !s.convex) return object(out);
  if (s.convex->planar && !s.convex->faces.empty()) {
    out.emplace_back("points", list(outline(*s.convex, origin_m)));
    return object(out);
  }
  std::vector<std::string> points, faces;
  for (const Vec3& v : s.convex->vertices) points.push_back(json(v - origin_m));
  for (const geometry::Convex::Face& f : s.convex->faces) {
    std::vector<std::string> corners;
    for (const int c : f.loop) corners.push_back(std::to_string(c));
    faces.push_back(list(corners));
  }
  out.emplace_back("points", list(points));
  if (!faces.empty()) out.emplace_back("faces", list(faces));
  return object(out);
}

}  // namespace

std::string replay_picture(const Model& m) {
  std::vector<std::string> bodies, links;
  std::vector<double> reach_m(m.bodies.size(), 0);  // of its shapes, from the centre of mass
  std::vector<std::vector<std::string>> shapes(m.bodies.size());
  for (const geometry::Surface& s : m.surfaces) {
    if (s.stop) continue;  // has no place
    const std::size_t b = at(s.body);
    shapes[b].push_back(shape(s, m.bodies[b].origin_m));
    reach_m[b] = std::max(reach_m[b], norm(s.centre) + s.reach_m);
  }
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const Body& body = m.bodies[b];
    if (shapes[b].empty() && b > 0)
      shapes[b].push_back(object({{"kind", as_text("sphere")},
                                  {"at", json(-1 * body.origin_m)},
                                  {"radius", json(kPointMass * m.length_m)}}));
    std::vector<Member> one;
    one.emplace_back("name", as_text(body.name));
    one.emplace_back("shapes", list(shapes[b]));
    if (b == 0) one.emplace_back("place", m.planar ? "[0,0,0]" : "[0,0,0,1,0,0,0]");
    bodies.push_back(object(one));
  }
  const auto link = [&](int from, int to, const Vec3& a, const Vec3& b, const char* kind) {
    const int f = std::max(from, 0), t = std::max(to, 0);
    links.push_back(object({{"from", std::to_string(f)},
                            {"to", std::to_string(t)},
                            {"a", json(a - m.bodies[at(f)].origin_m)},
                            {"b", json(b - m.bodies[at(t)].origin_m)},
                            {"kind", as_text(kind)}}));
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
  for (const Joint& j : m.joints)
    if (j.row_count > 0) connect(m.measures[at(m.rows[at(j.first_row)].terms[0].measure)], "rod");
  for (const Spring& s : m.springs) connect(m.measures[at(s.lines[0].measure)], "spring");
  const Vec3 up = m.planar || norm(m.gravity_mps2) == 0 ? Vec3{0, m.planar ? 1.0 : 0.0, m.planar ? 0.0 : 1.0}
                                                        : (-1 / norm(m.gravity_mps2)) * m.gravity_mps2;
  return object({{"planar", m.planar ? "true" : "false"},
                 {"size", json(m.length_m)},
                 {"up", json(up)},
                 {"bodies", list(bodies)},
                 {"links", list(links)}});
}

}  // namespace percuss::model
