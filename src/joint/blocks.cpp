// The blocks that joints are built from.
#include "percuss/joint/blocks.h"

namespace percuss::joint {

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
