// Shapes as polygons, moved as the samples say.
#include "percuss/report/vtk_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "percuss/base/vector.h"
#include "percuss/report/json.h"

namespace percuss::report {

using recording::FilledTable;
using recording::Recording;

namespace {

constexpr int kAround = 24;
constexpr double kThin = 0.02;  // of the size of things

struct Polygons {
  std::vector<Vec3> points;
  std::vector<std::vector<int>> faces;

  int add(const Vec3& p) {
    points.push_back(p);
    return static_cast<int>(points.size()) - 1;
  }
};

Vec3 vector_of(const Json& j) { return {j.at(0).get<double>(), j.at(1).get<double>(), j.at(2).get<double>()}; }

/// Rings along an axis, with poles at both ends: spheres, capsules, cylinders. (radius, height) from one end on.
void add_rings(const std::vector<std::pair<double, double>>& profile, const Vec3& centre, const Vec3& axis,
               Polygons& out) {
  const Vec3 z = unit(axis), x = perpendicular_to(z), y = cross(z, x);
  std::vector<std::vector<int>> rings;
  for (const auto& [radius, height] : profile) {
    std::vector<int> ring;
    for (int k = 0; k < kAround; ++k) {
      const double a = 2 * std::numbers::pi * k / kAround;
      ring.push_back(out.add(centre + height * z + radius * (std::cos(a) * x + std::sin(a) * y)));
    }
    rings.push_back(std::move(ring));
  }
  for (std::size_t r = 0; r + 1 < rings.size(); ++r)
    for (std::size_t k = 0; k < kAround; ++k) {
      const std::size_t next = (k + 1) % kAround;
      out.faces.push_back({rings[r][k], rings[r][next], rings[r + 1][next], rings[r + 1][k]});
    }
  if (profile.front().first > 0) out.faces.emplace_back(rings.front().rbegin(), rings.front().rend());
  if (profile.back().first > 0) out.faces.push_back(rings.back());
}

void add_shape(const Json& shape, bool planar, double size_m, Polygons& out) {
  const std::string kind = shape.at("kind");
  const Vec3 at = vector_of(shape.at("at")), axis = shape.contains("axis") ? vector_of(shape.at("axis")) : kAxisZ;
  const double r = shape.value("radius", 0.0), l = shape.value("length", 0.0);
  if (kind == "sphere" && planar) {
    std::vector<int> ring;
    for (int k = 0; k < kAround; ++k) {
      const double a = 2 * std::numbers::pi * k / kAround;
      ring.push_back(out.add(at + Vec3{r * std::cos(a), r * std::sin(a), 0}));
    }
    out.faces.push_back(ring);
  } else if (kind == "sphere" || kind == "capsule") {
    std::vector<std::pair<double, double>> profile;
    for (int k = 0; k <= kAround / 2; ++k) {
      const double a = std::numbers::pi * (2.0 * k / kAround - 0.5),
                   shift = kind == "sphere" ? 0 : (a < 0 ? -l / 2 : l / 2);
      profile.emplace_back(r * std::cos(a), r * std::sin(a) + shift);
    }
    add_rings(profile, at, axis, out);
  } else if (kind == "cylinder") {
    add_rings({{r, -l / 2}, {r, l / 2}}, at, axis, out);
  } else if (kind == "hole") {
    const double half = l > 0 ? l / 2 : kThin * size_m;
    add_rings({{r, -half}, {r, half}}, at, axis, out);
    out.faces.resize(out.faces.size() - 2);  // it is open
  } else if (kind == "plane") {
    const Vec3 z = unit(axis);
    const Vec3 x = planar ? Vec3{z.y, -z.x, 0} : perpendicular_to(z), y = planar ? kThin * kAxisZ : cross(z, x);
    std::vector<int> corners;
    for (const auto& [a, b] : {std::pair{-1, -1}, std::pair{1, -1}, std::pair{1, 1}, std::pair{-1, 1}})
      corners.push_back(out.add(at + 2 * size_m * (a * x + b * y)));
    out.faces.push_back(corners);
  } else if (kind == "segment") {
    const Vec3 half = 0.5 * (l > 0 ? l : size_m) * unit(axis), side = 0.1 * kThin * size_m * kAxisZ;
    out.faces.push_back({out.add(at - half - side), out.add(at + half - side), out.add(at + half + side),
                         out.add(at - half + side)});
  } else if (kind == "mesh") {
    const int first = static_cast<int>(out.points.size());
    for (const Json& p : shape.at("points")) out.add(vector_of(p));
    if (shape.contains("faces")) {
      for (const Json& face : shape.at("faces")) {
        std::vector<int> loop;
        for (const Json& corner : face) loop.push_back(first + corner.get<int>());
        out.faces.push_back(std::move(loop));
      }
    } else {
      std::vector<int> outline;
      for (int k = first; k < static_cast<int>(out.points.size()); ++k) outline.push_back(k);
      out.faces.push_back(std::move(outline));
    }
  }
}

struct Body {
  Polygons shape;  // in its own axes
  int item = -1;   // of the table of bodies; -1: it never moves
};

std::string poly_data(std::size_t points, std::size_t verts, std::size_t polys, const std::string& body) {
  return fmt::format(
      "<?xml version=\"1.0\"?><!-- percuss results -->\n<VTKFile type=\"PolyData\" version=\"0.1\" "
      "byte_order=\"LittleEndian\"><PolyData><Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n{}</Piece></PolyData></VTKFile>\n",
      points, verts, polys, body);
}

std::string array(const char* type, const char* name, int components, const std::string& values) {
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">{}</DataArray>\n", type, name,
      components, values);
}

void append(const Vec3& v, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:.9g} {:.9g} {:.9g} ", v.x, v.y, v.z);
}

class Series {
 public:
  explicit Series(const Recording& r)
      : r_(r), motion_(*r.find("bodies")), picture_(Json::parse(r.head.picture)), planar_(picture_.at("planar")) {
    for (const Json& b : picture_.at("bodies")) {
      Body body;
      for (const Json& s : b.at("shapes")) add_shape(s, planar_, picture_.at("size").get<double>(), body.shape);
      body.item = motion_.item(b.at("name").get<std::string>());
      bodies_.push_back(std::move(body));
    }
  }

  std::string bodies_at(std::size_t row) const {
    std::string points, velocities, connectivity, offsets, numbers;
    std::size_t count = 0, faces = 0, corners = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const Body& body = bodies_[b];
      const auto get = [&](const char* column) {
        const int c = motion_.column(column);
        return c < 0 || body.item < 0
                   ? 0.0
                   : motion_.at(row, static_cast<std::size_t>(c), static_cast<std::size_t>(body.item));
      };
      Quat q;
      if (body.item >= 0)
        q = planar_ ? rotation_about(kAxisZ, get("angle")) : Quat{get("qw"), get("qx"), get("qy"), get("qz")};
      const Mat3 R = matrix_of(q);
      const Vec3 place{get("x"), get("y"), get("z")}, v{get("vx"), get("vy"), get("vz")};
      const Vec3 w{get("wx"), get("wy"), planar_ ? get("w") : get("wz")};
      for (const Vec3& p : body.shape.points) {
        const Vec3 r = R * p;
        append(place + r, points);
        append(v + cross(w, r), velocities);
      }
      for (const std::vector<int>& face : body.shape.faces) {
        for (const int corner : face)
          fmt::format_to(std::back_inserter(connectivity), "{} ", count + static_cast<std::size_t>(corner));
        corners += face.size();
        fmt::format_to(std::back_inserter(offsets), "{} ", corners);
        fmt::format_to(std::back_inserter(numbers), "{} ", b);
        ++faces;
      }
      count += body.shape.points.size();
    }
    return poly_data(count, 0, faces,
                     "<Points>" + array("Float64", "Points", 3, points) + "</Points>\n<Polys>" +
                         array("Int64", "connectivity", 1, connectivity) + array("Int64", "offsets", 1, offsets) +
                         "</Polys>\n<PointData>" + array("Float64", "velocity", 3, velocities) +
                         "</PointData>\n<CellData>" + array("Int32", "body", 1, numbers) + "</CellData>\n");
  }

  std::string contacts_at(std::size_t row) const {
    std::string points, forces, depths, connectivity, offsets;
    std::size_t count = 0;
    for (const FilledTable& t : r_.tables) {
      if (!t.table.name.starts_with("contacts/") || t.column("px") < 0) continue;
      const auto get = [&](const char* c) { return t.at(row, static_cast<std::size_t>(t.column(c))); };
      if (!std::isfinite(get("px"))) continue;
      append({get("px"), get("py"), get("pz")}, points);
      append({get("fx"), get("fy"), get("fz")}, forces);
      fmt::format_to(std::back_inserter(depths), "{:.9g} ", get("indentation"));
      fmt::format_to(std::back_inserter(connectivity), "{} ", count++);
      fmt::format_to(std::back_inserter(offsets), "{} ", count);
    }
    return poly_data(count, count, 0,
                     "<Points>" + array("Float64", "Points", 3, points) + "</Points>\n<Verts>" +
                         array("Int64", "connectivity", 1, connectivity) + array("Int64", "offsets", 1, offsets) +
                         "</Verts>\n<PointData>" + array("Float64", "force", 3, forces) +
                         array("Float64", "indentation", 1, depths) + "</PointData>\n");
  }

 private:
  const Recording& r_;
  const FilledTable& motion_;
  Json picture_;
  bool planar_;
  std::vector<Body> bodies_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> vtk_series(const Recording& recording, std::size_t frames) {
  std::vector<std::pair<std::string, std::string>> out;
  const FilledTable *time = recording.find("time"), *bodies_table = recording.find("bodies");
  if (!time || !bodies_table || recording.head.picture.empty()) return out;
  const Series series(recording);
  const std::size_t rows = std::min(time->rows(), bodies_table->rows()), count = std::min(rows, frames);
  std::string bodies, contacts;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t row = count > 1 ? k * (rows - 1) / (count - 1) : 0;
    for (const auto& [name, list, content] : {std::tuple{"bodies", &bodies, series.bodies_at(row)},
                                              std::tuple{"contacts", &contacts, series.contacts_at(row)}}) {
      const std::string file = fmt::format("{}_{:04}.vtp", name, k);
      *list += fmt::format("<DataSet timestep=\"{}\" file=\"{}\"/>\n", time->at(row, 0), file);
      out.emplace_back(file, content);
    }
  }
  for (const auto& [name, list] : {std::pair{"bodies", &bodies}, std::pair{"contacts", &contacts}})
    out.emplace_back(std::string(name) + ".pvd",
                     "<?xml version=\"1.0\"?><!-- percuss results -->\n<VTKFile type=\"Collection\" "
                     "version=\"0.1\"><Collection>\n" +
                         *list + "</Collection></VTKFile>\n");
  return out;
}

}  // namespace percuss::report
