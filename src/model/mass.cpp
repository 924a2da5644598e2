// Parts of a body put together.
#include "percuss/model/mass.h"

#include "percuss/base/units.h"
#include "percuss/linear/spectrum.h"

namespace percuss::model {

namespace {

/// Steiner: m (r.r 1 - r r^T).
Mat3 point_inertia(double mass, const Vec3& r) {
  const double rr = dot(r, r);
  return {{{{mass * (rr - r.x * r.x), -mass * r.x * r.y, -mass * r.x * r.z},
            {-mass * r.y * r.x, mass * (rr - r.y * r.y), -mass * r.y * r.z},
            {-mass * r.z * r.x, -mass * r.z * r.y, mass * (rr - r.z * r.z)}}}};
}

}  // namespace

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

std::string impossible(const Mat3& inertia) {
  Eigen::Matrix3d m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = inertia.row[static_cast<std::size_t>(i)][j];
  const Eigen::Vector3d e = linear::eigenvalues(m);
  if (!(e[0] > 0)) return "its principal moments must be above 0; the smallest is " + text_of(e[0], 6);
  if (e[2] > (e[0] + e[1]) * (1 + 1e-9))
    return "the largest principal moment " + text_of(e[2], 6) + " exceeds the sum of the other two, " +
           text_of(e[0], 6) + " and " + text_of(e[1], 6);
  return "";
}

}  // namespace percuss::model
