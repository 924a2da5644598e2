// Bodies: mass, kind, place at the start.
#include <algorithm>
#include <cmath>

#include "percuss/model/compiler.h"
#include "percuss/model/kinematics.h"
#include "percuss/model/mass.h"

namespace percuss::model {

void Compiler::add_bodies() {
  Body ground;
  ground.name = scene::kGround;
  ground.kind = Body::Kind::prescribed;
  model_.bodies.push_back(ground);
  body_sources_.push_back(nullptr);
  BodyStart still;
  still.position_known = still.rotation_known = true;
  starts_.push_back(still);
  for (const scene::Body& source : scene_.bodies) {
    if (source.name == scene::kGround) {
      body_sources_[0] = &source;
      for (const auto& [key, where] : source.places.keys)
        if (key != "shape" && key != "shapes")
          fail(where, "body \"ground\": it cannot move: only shapes can be given");
    } else {
      add_body(source);
    }
  }
}

void Compiler::add_body(const scene::Body& source) {
  Body body;
  body.name = source.name;
  const std::string what = "body " + in_quotes(source.name);
  if (source.motion || source.fixed) {
    body.kind = Body::Kind::prescribed;
    refuse(source.places,
           {"mass", "inertia", "particle", "point_masses", "centre_of_mass", "guess_at", "guess_angle"},
           what + ": its motion is prescribed; it has no ");
    if (source.motion && source.fixed) fail(source.places.of("fixed"), what + ": a fixed body has no motion");
    if (source.velocity_mps || source.angular_velocity_radps)
      fail(source.places.at, what + ": its motion is prescribed; an initial velocity cannot be given");
    if (source.motion) {
      const scene::Motion& m = *source.motion;
      body.motion = {function(m.x, dimension::length, what, true), function(m.y, dimension::length, what, true),
                     function(m.z, dimension::length, what, true),
                     function(m.angle, dimension::number, what, true)};
      body.axis = m.axis.value_or(kAxisZ);
      if (scene_.planar && (!body.motion[2].is_constant || std::abs(body.axis.z) != 1))
        fail(m.places.at, what + ": in a planar scene a body moves in x and y and turns about z");
      body.moves = true;
    }
  } else {
    set_mass(source, body);
    const bool planar = scene_.planar;
    body.kind = source.particle ? (planar ? Body::Kind::planar_particle : Body::Kind::particle)
                                : (planar ? Body::Kind::planar : Body::Kind::spatial);
    body.velocity_count = source.particle ? (planar ? 2 : 3) : (planar ? 3 : 6);
    body.position_count = body.kind == Body::Kind::spatial ? 7 : body.velocity_count;
  }
  model_.bodies.push_back(body);
  body_sources_.push_back(&source);
  set_start(source, body);
}

void Compiler::set_mass(const scene::Body& source, Body& body) {
  const std::string what = "body " + in_quotes(source.name);
  bool shape_is_broken = false;
  std::vector<MassProperties> dense, plain;  // parts with a mass of their own; shapes as a distribution only
  for (const scene::Shape& shape : source.shapes) {
    const auto solid = scene::solid_of(shape, {scene_.planar});
    const scene::ShapeRow* row = scene::find_shape(shape.kind);
    if (!solid && row && row->solid) {
      shape_is_broken = true;
      if (!row->surface)  // others are told of where they become surfaces
        fail(shape.places.at, what + ": shape: a " + std::string(row->key) + " needs: " + std::string(row->needed));
    }
    if (!solid) continue;
    const MassProperties one{solid->volume_m3, solid->centre, solid->inertia};
    const scene::Material* m =
        shape.material.empty() ? nullptr : material(shape.material, shape.places.of("material"), what);
    const std::optional<double> density = shape.density_kgpm3 ? shape.density_kgpm3
                                          : m                 ? m->density_kgpm3
                                                              : std::nullopt;
    if (density && *density > 0) dense.push_back(scaled(one, *density));
    if (!density || *density > 0) plain.push_back(one);
  }
  MassProperties total = joined(dense);
  if (source.mass_kg) {
    const MassProperties& shape = dense.empty() ? joined(plain) : total;
    const double own = *source.mass_kg;
    if (shape.mass_kg > 0) {
      if (!dense.empty() && std::abs(own / total.mass_kg - 1) > 0.01 && source.point_masses.empty())
        warn(source.places.of("mass"), what + ": the mass given, " + text_of(own, 6) +
                                           " kg, is not that of its shapes, " + text_of(total.mass_kg, 6) +
                                           " kg; the given one is used");
      total = scaled(shape, own / shape.mass_kg);
    } else {
      total = {own, source.centre_of_mass_m.value_or(Vec3{}), diagonal(0, 0, 0)};
    }
  }
  std::vector<MassProperties> parts{total};
  for (const scene::PointMass& p : source.point_masses) parts.push_back({p.mass_kg, p.at_m, diagonal(0, 0, 0)});
  total = joined(parts);
  if (source.centre_of_mass_m) total.centre_m = *source.centre_of_mass_m;
  body.mass_kg = total.mass_kg;
  body.origin_m = -total.centre_m;
  if (!(total.mass_kg > 0)) {
    if (!shape_is_broken)
      fail(source.places.at, what + ": it has no mass; give a mass, or a shape with a density, or make it fixed");
    body.mass_kg = 1;
    shape_is_broken = true;  // without mass there is no inertia either: that is told once
  }
  body.per_mass = 1 / body.mass_kg;
  if (source.particle) {
    if (!source.inertia_kgm2.empty()) fail(source.places.of("inertia"), what + ": a particle has no inertia");
    if (source.angular_velocity_radps)
      fail(source.places.of("angular_velocity"), what + ": a particle does not turn");
    return;
  }
  const std::vector<double>& i = source.inertia_kgm2;
  Mat3 inertia = total.inertia_kgm2;
  if (i.size() == 1) inertia = i[0] * Mat3{};
  if (i.size() == 3) inertia = diagonal(i[0], i[1], i[2]);
  if (i.size() == 6) inertia = {{{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}}};
  const Where& place = source.places.of("inertia");
  if (!i.empty() && i.size() != 1 && i.size() != 3 && i.size() != 6) {
    fail(place, what + ": inertia: expected one, three or six numbers, found " + std::to_string(i.size()));
  } else if (i.empty() && !(inertia.row[0].x + inertia.row[1].y + inertia.row[2].z > 0)) {
    if (!shape_is_broken)
      fail(source.places.at, what + ": it has no inertia; give an inertia or a solid shape, or make it a particle");
    inertia = Mat3{};
  } else if (scene_.planar) {
    if (!(inertia.row[2].z > 0)) fail(place, what + ": the inertia about z must be above 0");
  } else if (const std::string why = impossible(inertia); !why.empty()) {
    const bool line = std::ranges::any_of(
        source.shapes, [](const scene::Shape& shape) { return shape.kind == "rod" && !shape.radius_m; });
    fail(place, what + ": no rigid body has this inertia: " + why +
                    (line && i.empty() ? "; a rod without a radius is a line, give its radius" : ""));
    inertia = Mat3{};
  }
  body.inertia_kgm2 = inertia;
  body.inverse_inertia = scene_.planar ? diagonal(0, 0, 1 / inertia.row[2].z) : inverse(inertia);

  double reach = 0;
  for (const scene::Shape& shape : source.shapes)
    if (const scene::ShapeRow* row = scene::find_shape(shape.kind); row && row->solid)
      reach = std::max(reach, row->reach_m(shape, total.centre_m));
  const double half_trace =
      scene_.planar ? inertia.row[2].z : (inertia.row[0].x + inertia.row[1].y + inertia.row[2].z) / 2;
  if (!i.empty() && reach > 0 && half_trace > body.mass_kg * reach * reach * (1 + 1e-9))
    warn(place, what + ": the inertia does not fit the shape: it is too large for a mass of " +
                    text_of(body.mass_kg, 4) + " kg within " + text_of(reach, 4) + " m (it is used as given)");
}

void Compiler::set_start(const scene::Body& source, const Body& body) {
  const std::string what = "body " + in_quotes(source.name);
  BodyStart s;
  s.position_known = source.at_m || (!scene_.errors.empty() && source.places.keys.contains("at")) ||
                     body.kind == Body::Kind::prescribed;  // or a mistake that is told
  s.rotation_known = source.angle_rad || source.rotation || body.kind == Body::Kind::prescribed || source.particle;
  s.has_guess = s.position_known || source.guess_at_m;
  s.origin_m = source.at_m ? *source.at_m : source.guess_at_m.value_or(Vec3{});
  if (source.at_m && source.guess_at_m)
    fail(source.places.of("guess_at"), what + ": `at` and `guess_at` exclude each other");
  if (scene_.planar && s.origin_m.z != 0) fail(source.places.of("at"), what + ": a planar scene lies in z = 0");
  if (source.angle_rad && source.guess_angle_rad)
    fail(source.places.of("guess_angle"), what + ": `angle` and `guess_angle` exclude each other");
  if (source.axis && !source.angle_rad && !source.guess_angle_rad && !source.rotation)
    fail(source.places.of("axis"), what + ": an axis needs an `angle` about it");
  if (source.particle)
    refuse(source.places, {"angle", "guess_angle", "axis", "rotation"},
           what + ": a particle does not turn: it has no ");
  const double angle = source.angle_rad ? *source.angle_rad : source.guess_angle_rad.value_or(0);
  const Vec3 axis = source.axis.value_or(kAxisZ);
  if (source.rotation && (source.angle_rad || source.axis))
    fail(source.places.of("rotation"), what + ": rotation stands instead of angle and axis");
  if (scene_.planar && (source.rotation || std::abs(axis.z) != 1))
    fail(source.places.of(source.rotation ? "rotation" : "axis"),
         what + ": a body of a planar scene turns about z: give `angle`");
  s.turn_rad = axis.z < 0 && scene_.planar ? -angle : angle;
  s.rotation = source.rotation ? *source.rotation : rotation_about(axis, angle);
  s.R = matrix_of(s.rotation);
  s.velocity_mps = source.velocity_mps;
  s.angular_velocity_radps = source.angular_velocity_radps;
  if (scene_.planar && s.velocity_mps && s.velocity_mps->z != 0)
    fail(source.places.of("velocity"), what + ": a planar scene lies in z = 0");
  if (scene_.planar && s.angular_velocity_radps &&
      (s.angular_velocity_radps->x != 0 || s.angular_velocity_radps->y != 0))
    fail(source.places.of("angular_velocity"), what + ": a body of a planar scene turns about z");
  starts_.push_back(s);
  if (body.kind == Body::Kind::prescribed) {
    Body& own = model_.bodies.back();
    own.at_m = s.origin_m;
    own.rotation = s.rotation;
    own.turn_rad = s.turn_rad;
    const geometry::BodyMotion now = prescribed_motion(own, 0);
    BodyStart& start = starts_.back();
    start.origin_m = now.p_m;
    start.R = now.R;
    start.rotation = quat_of(now.R);
    start.turn_rad = now.turn_rad;
  }
}

}  // namespace percuss::model
