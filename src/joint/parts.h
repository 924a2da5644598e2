// What a joint is made of: frames on two bodies in, constraints and coordinates out.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "percuss/base/units.h"
#include "percuss/geometry/measure.h"

namespace percuss::joint {

using geometry::Measure;

/// The joint's own axes on one body: origin from the centre of mass, z along the joint's axis; body axes.
struct Frame {
  Vec3 origin, x = kAxisX, y = kAxisY, z = kAxisZ;
};

/// What a row is built from. In a planar scene, y of the frames is the normal of the plane where z lies in it.
struct Geometry {
  int body_a = -1, body_b = -1;
  Frame on_a, on_b;
  bool planar = false;
  double pitch_m = 0;   // of a screw, for one turn
  double length_m = 0;  // of a rod; below 0: as it is at the start
};

/// sum of coefficient * measure = target; without a target, as it is at the start.
struct Constraint {
  std::vector<std::pair<double, Measure>> terms;
  bool as_at_start = false;
  double target = 0;
};

/// What a joint leaves free, with a name: drivers, springs, outputs and events use it.
struct Coordinate {
  std::string_view name;
  Measure measure;
  Dimension dimension;
  bool left_to_contact = false;  // across a clearance: nothing may drive it
};

struct Parts {
  std::vector<Constraint> constraints;
  std::vector<Coordinate> coordinates;
};

/// A measure between the two origins.
Measure measure_of(const Geometry& g, Measure::Kind kind);

}  // namespace percuss::joint
