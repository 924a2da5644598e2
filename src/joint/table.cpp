// One row a joint, and the blocks that rows are built from.
#include "percuss/joint/table.h"

namespace percuss::joint {

namespace {

constexpr JointRow kRows[] = {
    {.key = "weld",
     .title = "weld",
     .fixes = "all relative motion",
     .keys = "between at anchors",
     .rows = 6,
     .planar_rows = 3,
     .fixes_rotation = true,
     .build = build_weld},
    {.key = "revolute",
     .title = "revolute joint, hinge, pin",
     .fixes = "all but the rotation about its axis",
     .keys = "between at anchors axis axes",
     .rows = 5,
     .planar_rows = 2,
     .axis = Axis::one,
     .build = build_revolute},
    {.key = "prismatic",
     .title = "prismatic joint, slider",
     .fixes = "all but the translation along its axis",
     .keys = "between at anchors axis axes",
     .rows = 5,
     .planar_rows = 2,
     .axis = Axis::one,
     .fixes_rotation = true,
     .has_point = false,
     .build = build_prismatic},
    {.key = "cylindrical",
     .title = "cylindrical joint",
     .fixes = "all but translation along and rotation about its axis",
     .keys = "between at anchors axis axes",
     .rows = 4,
     .planar_rows = 0,
     .planar_hint = "prismatic",
     .axis = Axis::one,
     .has_point = false,
     .build = build_cylindrical},
    {.key = "spherical",
     .title = "spherical joint, ball",
     .fixes = "the relative translation",
     .keys = "between at anchors",
     .rows = 3,
     .planar_rows = 0,
     .planar_hint = "revolute",
     .build = build_spherical},
    {.key = "universal",
     .title = "universal joint, Cardan",
     .fixes = "translation and the twist between its two axes",
     .keys = "between at anchors axis second_axis axes",
     .rows = 4,
     .planar_rows = 0,
     .planar_hint = "revolute",
     .axis = Axis::two,
     .build = build_universal},
    {.key = "planar",
     .title = "planar joint",
     .fixes = "translation along its axis and rotation out of the plane normal to it",
     .keys = "between at anchors axis axes",
     .rows = 3,
     .planar_rows = 0,
     .planar_hint = "no joint at all: the scene is planar",
     .axis = Axis::one,
     .has_point = false,
     .build = build_planar},
    {.key = "screw",
     .title = "screw, helical joint",
     .fixes = "all but a rotation about its axis coupled to a translation along it",
     .keys = "between at anchors axis axes pitch",
     .rows = 5,
     .planar_rows = 0,
     .planar_hint = "rack",
     .axis = Axis::one,
     .has_point = false,
     .build = build_screw},
    {.key = "gear",
     .title = "gear",
     .fixes = "coordinate of the first joint = ratio * that of the second + constant",
     .keys = "joints ratio",
     .rows = 1,
     .planar_rows = 1,
     .has_point = false},
    {.key = "rack",
     .title = "rack and pinion",
     .fixes = "position of the second joint = radius * angle of the first + constant",
     .keys = "joints radius",
     .rows = 1,
     .planar_rows = 1,
     .has_point = false},
    {.key = "point-on-line",
     .title = "point on line",
     .fixes = "the point of B lies on the line through the point of A along its axis",
     .keys = "between at anchors axis axes",
     .rows = 2,
     .planar_rows = 1,
     .axis = Axis::one,
     .has_point = false,
     .build = build_point_on_line},
    {.key = "distance",
     .title = "rod, distance joint",
     .fixes = "the distance of two points",
     .keys = "between at anchors length",
     .rows = 1,
     .planar_rows = 1,
     .has_point = false,
     .build = build_distance},
    {.key = "revolute-clearance",
     .title = "journal in a bearing",
     .fixes = "the position along its axis, in space; contact does the rest",
     .keys =
         "between at anchors axis axes length bearing_radius journal_radius clearance material materials contact",
     .rows = 1,
     .planar_rows = 0,
     .axis = Axis::one,
     .build = build_revolute_clearance,
     .ideal = "revolute"},
    {.key = "spherical-clearance",
     .title = "ball in a socket",
     .fixes = "nothing: contact does it",
     .keys = "between at anchors bearing_radius journal_radius clearance material materials contact",
     .rows = 0,
     .planar_rows = 0,
     .planar_hint = "revolute-clearance",
     .build = build_spherical_clearance,
     .ideal = "spherical"},
    {.key = "translational-clearance",
     .title = "slider in a guide",
     .fixes = "nothing: contact does it",
     .keys = "between at anchors axis axes length size clearance material materials contact",
     .rows = 0,
     .planar_rows = 0,
     .axis = Axis::one,
     .fixes_rotation = true,
     .has_point = false,
     .build = build_translational_clearance,
     .ideal = "prismatic"},
    {.key = "cylindrical-clearance",
     .title = "journal that slides in a bearing",
     .fixes = "nothing: contact does it",
     .keys =
         "between at anchors axis axes length bearing_radius journal_radius clearance material materials contact",
     .rows = 0,
     .planar_rows = 0,
     .planar_hint = "translational-clearance",
     .axis = Axis::one,
     .has_point = false,
     .build = build_cylindrical_clearance,
     .ideal = "cylindrical"},
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
