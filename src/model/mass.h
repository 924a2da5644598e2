// Mass, centre and inertia.
#pragma once

#include <string>
#include <vector>

#include "percuss/base/vector.h"

namespace percuss::model {

struct MassProperties {
  double mass_kg = 0;
  Vec3 centre_m;                          // in the body's frame
  Mat3 inertia_kgm2 = diagonal(0, 0, 0);  // about the centre, body axes
};

/// The whole of several parts; inertia moved to the common centre.
MassProperties joined(const std::vector<MassProperties>& parts);

MassProperties scaled(MassProperties p, double factor);

/// Why no rigid body can have this inertia; empty if one can. Principal moments are positive and none exceeds the
/// sum of the other two.
std::string impossible(const Mat3& inertia);

}  // namespace percuss::model
