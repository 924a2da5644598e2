// The joint table: what a joint holds still and what it leaves free. Reading, help, reference pages and tests
// iterate it.
#pragma once

#include <span>
#include <string>
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

enum class Axis { none, one, two };  // directions a joint needs; the second stands on body B

struct JointRow {
  std::string_view key, title, fixes;
  std::string_view keys;           // of a scene, beside type
  int rows = 0, planar_rows = 0;   // constraints in space and in the plane
  std::string_view planar_hint{};  // not for a planar scene: what to use there instead
  Axis axis = Axis::none;
  bool fixes_rotation = false;                       // bodies keep the relative rotation they have at the start
  bool has_point = true;                             // is there a point where the bodies meet?
  void (*build)(const Geometry&, Parts&) = nullptr;  // null: the joint couples coordinates of two others
  std::string_view ideal{};                          // of a joint with clearance: the joint that it is without
};
std::span<const JointRow> joint_rows();
const JointRow* find_joint(std::string_view key);

// ---- building blocks of the rows ----
Measure measure_of(const Geometry& g, Measure::Kind kind);
/// P = Q: three rows, two in a plane.
void add_coincident(const Geometry& g, Parts& parts);
/// direction of A perpendicular to direction of B.
void add_perpendicular(const Geometry& g, const Vec3& on_a, const Vec3& on_b, Parts& parts);
/// e . D = 0 for a direction e of A.
void add_no_offset(const Geometry& g, const Vec3& on_a, Parts& parts);
/// The relative angle stays as it is at the start (planar).
void add_same_angle(const Geometry& g, Parts& parts);
Coordinate angle_about_axis(const Geometry& g, std::string_view name = "angle");
Coordinate position_along(const Geometry& g, const Vec3& on_a, std::string_view name = "position");

// one file each
void build_weld(const Geometry&, Parts&);
void build_revolute(const Geometry&, Parts&);
void build_prismatic(const Geometry&, Parts&);
void build_cylindrical(const Geometry&, Parts&);
void build_spherical(const Geometry&, Parts&);
void build_universal(const Geometry&, Parts&);
void build_planar(const Geometry&, Parts&);
void build_screw(const Geometry&, Parts&);
void build_point_on_line(const Geometry&, Parts&);
void build_distance(const Geometry&, Parts&);
void build_revolute_clearance(const Geometry&, Parts&);
void build_spherical_clearance(const Geometry&, Parts&);
void build_translational_clearance(const Geometry&, Parts&);
void build_cylindrical_clearance(const Geometry&, Parts&);

}  // namespace percuss::joint
