// One row a joint, and the blocks that rows are built from.
#include "percuss/joint/table.h"

namespace percuss::joint {

namespace {

constexpr JointRow kRows[] = {
    {"weld", "weld", "all relative motion", 6, 3, {}, Axis::none, true, true, build_weld},
    {"revolute",
     "revolute joint, hinge, pin",
     "all but the rotation about its axis",
     5,
     2,
     {},
     Axis::one,
     false,
     true,
     build_revolute},
    {"prismatic",
     "prismatic joint, slider",
     "all but the translation along its axis",
     5,
     2,
     {},
     Axis::one,
     true,
     false,
     build_prismatic},
    {"cylindrical", "cylindrical joint", "all but translation along and rotation about its axis", 4, 0, "prismatic",
     Axis::one, false, false, build_cylindrical},
    {"spherical", "spherical joint, ball", "the relative translation", 3, 0, "revolute", Axis::none, false, true,
     build_spherical},
    {"universal", "universal joint, Cardan", "translation and the twist between its two axes", 4, 0, "revolute",
     Axis::two, false, true, build_universal},
    {"planar", "planar joint", "translation along its axis and rotation out of the plane normal to it", 3, 0,
     "no joint at all: the scene is planar", Axis::one, false, false, build_planar},
    {"screw", "screw, helical joint", "all but a rotation about its axis coupled to a translation along it", 5, 0,
     "rack", Axis::one, false, false, build_screw},
    {"gear",
     "gear",
     "coordinate of the first joint = ratio * that of the second + constant",
     1,
     1,
     {},
     Axis::none,
     false,
     false,
     nullptr},
    {"rack",
     "rack and pinion",
     "position of the second joint = radius * angle of the first + constant",
     1,
     1,
     {},
     Axis::none,
     false,
     false,
     nullptr},
    {"point-on-line",
     "point on line",
     "the point of B lies on the line through the point of A along its axis",
     2,
     1,
     {},
     Axis::one,
     false,
     false,
     build_point_on_line},
    {"distance",
     "rod, distance joint",
     "the distance of two points",
     1,
     1,
     {},
     Axis::none,
     false,
     false,
     build_distance},
    {"revolute-clearance",
     "journal in a bearing",
     "the position along its axis, in space; contact does the rest",
     1,
     0,
     {},
     Axis::one,
     false,
     true,
     build_revolute_clearance,
     "revolute"},
    {"spherical-clearance", "ball in a socket", "nothing: contact does it", 0, 0, "revolute-clearance", Axis::none,
     false, true, build_spherical_clearance, "spherical"},
    {"translational-clearance",
     "slider in a guide",
     "nothing: contact does it",
     0,
     0,
     {},
     Axis::one,
     true,
     false,
     build_translational_clearance,
     "prismatic"},
    {"cylindrical-clearance", "journal that slides in a bearing", "nothing: contact does it", 0, 0,
     "translational-clearance", Axis::one, false, false, build_cylindrical_clearance, "cylindrical"},
};

}  // namespace

std::span<const JointRow> joint_rows() { return kRows; }

const JointRow* find_joint(std::string_view key) {
  for (const JointRow& row : kRows)
    if (row.key == key) return &row;
  return nullptr;
}

Measure measure_of(const Geometry& g, Measure::Kind kind) {
  Measure m;
  m.kind = kind;
  m.body_a = g.body_a;
  m.body_b = g.body_b;
  m.point_a = g.on_a.origin;
  m.point_b = g.on_b.origin;
  return m;
}

namespace {
void hold(Measure m, Parts& parts) { parts.constraints.push_back({{{1.0, m}}}); }
}  // namespace

void add_coincident(const Geometry& g, Parts& parts) {
  for (const Vec3& axis : {kAxisX, kAxisY, kAxisZ}) {
    if (g.planar && axis == kAxisZ) continue;
    Measure m = measure_of(g, Measure::Kind::world_axis);
    m.direction_a = axis;
    hold(m, parts);
  }
}

void add_perpendicular(const Geometry& g, const Vec3& on_a, const Vec3& on_b, Parts& parts) {
  Measure m = measure_of(g, Measure::Kind::directions);
  m.direction_a = on_a;
  m.direction_b = on_b;
  hold(m, parts);
}

void add_no_offset(const Geometry& g, const Vec3& on_a, Parts& parts) {
  Measure m = measure_of(g, Measure::Kind::along);
  m.direction_a = on_a;
  hold(m, parts);
}

void add_same_angle(const Geometry& g, Parts& parts) {
  parts.constraints.push_back({{{1.0, measure_of(g, Measure::Kind::planar_angle)}}, true});
}

Coordinate angle_about_axis(const Geometry& g, std::string_view name) {
  Measure m = measure_of(g, g.planar ? Measure::Kind::planar_angle : Measure::Kind::angle);
  m.direction_a = g.on_a.z;
  m.reference_a = g.on_a.x;
  m.direction_b = g.on_b.x;
  return {name, m, dimension::number};
}

Coordinate position_along(const Geometry& g, const Vec3& on_a, std::string_view name) {
  Measure m = measure_of(g, Measure::Kind::along);
  m.direction_a = on_a;
  return {name, m, dimension::length};
}

}  // namespace percuss::joint
