// Solids.
#include "percuss/model/mass.h"

#include <Eigen/Eigenvalues>
#include <limits>
#include <numbers>

#include "percuss/base/units.h"
#include "percuss/model/shapes.h"

namespace percuss::model {

namespace {

/// Steiner: m (r.r 1 - r r^T).
Mat3 point_inertia(double mass, const Vec3& r) {
  const double rr = dot(r, r);
  return {{{{mass * (rr - r.x * r.x), -mass * r.x * r.y, -mass * r.x * r.z},
            {-mass * r.y * r.x, mass * (rr - r.y * r.y), -mass * r.y * r.z},
            {-mass * r.z * r.x, -mass * r.z * r.y, mass * (rr - r.z * r.z)}}}};
}

/// Axial moment along the unit vector e, transverse across it.
Mat3 about_axis(double axial, double transverse, const Vec3& e) {
  const auto row = [&](int i) {
    const Vec3 base = i == 0 ? kAxisX : i == 1 ? kAxisY : kAxisZ;
    return transverse * base + (axial - transverse) * e[i] * e;
  };
  return {{row(0), row(1), row(2)}};
}

}  // namespace

std::optional<MassProperties> solid(const scene::Shape& s, bool planar, const std::string& scene_file) {
  MassProperties p;
  p.centre_m = s.at_m;
  if (s.kind == "sphere" && s.radius_m) {
    const double r = *s.radius_m;
    p.mass_kg = 4.0 / 3 * std::numbers::pi * r * r * r;
    p.inertia_kgm2 = (0.4 * p.mass_kg * r * r) * Mat3{};
    return p;
  }
  if (s.kind == "box" && s.size_m && !s.angle_rad) {
    const Vec3 e = *s.size_m;
    p.mass_kg = e.x * e.y * e.z;
    const double k = p.mass_kg / 12;
    p.inertia_kgm2 =
        diagonal(k * (e.y * e.y + e.z * e.z), k * (e.x * e.x + e.z * e.z), k * (e.x * e.x + e.y * e.y));
    return p;
  }
  if (is_convex(s)) {
    const Result<geometry::Convex> convex = convex_of(s, planar, scene_file);
    if (!convex) return std::nullopt;  // reported with the surfaces
    const geometry::Solid solid = geometry::solid_of(*convex);
    const double depth = planar && s.size_m ? s.size_m->z : 1;
    return MassProperties{solid.volume_m3 * depth, solid.centre, depth * solid.inertia};
  }
  if (s.kind == "circle" && s.radius_m) {  // a disc of 1 m, or of its length
    const double r = *s.radius_m, l = s.length_m.value_or(1);
    p.mass_kg = std::numbers::pi * r * r * l;
    p.inertia_kgm2 = about_axis(p.mass_kg * r * r / 2, p.mass_kg * (3 * r * r + l * l) / 12, kAxisZ);
    return p;
  }
  if (s.kind == "capsule" && s.radius_m && s.length_m) {
    // a cylinder and two half balls, whose centres lie 3 r/8 beyond its ends
    const double r = *s.radius_m, l = *s.length_m, pi = std::numbers::pi;
    const double middle = pi * r * r * l, ends = 4.0 / 3 * pi * r * r * r, off = l / 2 + 3 * r / 8;
    p.mass_kg = middle + ends;
    const double axial = middle * r * r / 2 + 0.4 * ends * r * r;
    const double transverse = middle * (3 * r * r + l * l) / 12 + ends * (83.0 / 320 * r * r + off * off);
    p.inertia_kgm2 = about_axis(axial, transverse, s.axis.value_or(kAxisX));
    return p;
  }
  if ((s.kind == "cylinder" || s.kind == "rod") && s.length_m) {
    const double r = s.radius_m.value_or(0), l = *s.length_m;
    const bool slender = s.kind == "rod";
    p.mass_kg = r > 0 ? std::numbers::pi * r * r * l : l;  // a rod without a radius: per length and kg/m
    const double axial = slender && r == 0 ? 0 : p.mass_kg * r * r / 2;
    p.inertia_kgm2 = about_axis(axial, p.mass_kg * (3 * r * r + l * l) / 12, s.axis.value_or(kAxisX));
    return p;
  }
  return std::nullopt;
}

MassProperties joined(const std::vector<MassProperties>& parts) {
  MassProperties whole;
  for (const MassProperties& part : parts) {
    whole.mass_kg += part.mass_kg;
    whole.centre_m += part.mass_kg * part.centre_m;
  }
  if (whole.mass_kg > 0) whole.centre_m = whole.centre_m / whole.mass_kg;
  for (const MassProperties& part : parts)
    whole.inertia_kgm2 =
        whole.inertia_kgm2 + part.inertia_kgm2 + point_inertia(part.mass_kg, part.centre_m - whole.centre_m);
  return whole;
}

MassProperties scaled(MassProperties p, double factor) {
  p.mass_kg *= factor;
  p.inertia_kgm2 = factor * p.inertia_kgm2;
  return p;
}

double reach_m(const scene::Shape& s, const Vec3& from) {
  const double centre = norm(s.at_m - from);
  if (!s.file.empty()) return std::numeric_limits<double>::infinity();  // not worth reading it again
  if (s.kind == "box" && s.size_m) return centre + norm(*s.size_m) / 2;
  if (s.kind == "capsule") return centre + s.length_m.value_or(0) / 2 + s.radius_m.value_or(0);
  if (!s.points_m.empty()) {
    double far = 0;
    for (const Vec3& p : s.points_m) far = std::max(far, norm(s.at_m + p - from));
    return far;
  }
  if (s.kind == "cylinder" || s.kind == "rod")
    return centre + std::hypot(s.length_m.value_or(0) / 2, s.radius_m.value_or(0));
  return centre + s.radius_m.value_or(0);
}

std::string impossible(const Mat3& inertia) {
  Eigen::Matrix3d m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = inertia.row[static_cast<std::size_t>(i)][j];
  const Eigen::Vector3d e = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(e[0] > 0)) return "its principal moments must be above 0; the smallest is " + text_of(e[0], 6);
  if (e[2] > (e[0] + e[1]) * (1 + 1e-9))
    return "the largest principal moment " + text_of(e[2], 6) + " exceeds the sum of the other two, " +
           text_of(e[0], 6) + " and " + text_of(e[1], 6);
  return "";
}

}  // namespace percuss::model
