// Joints, drivers, springs, forces.
#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/joint/parts.h"
#include "percuss/joint/table.h"
#include "percuss/model/attach.h"
#include "percuss/model/channel_table.h"
#include "percuss/model/compiler.h"
#include "percuss/scene/spring_table.h"

namespace percuss::model {

namespace {

/// The least rotation that takes the unit vector a to b, applied to x.
Vec3 carried(const Vec3& a, const Vec3& b, const Vec3& x) {
  const Vec3 v = cross(a, b);
  const double c = dot(a, b);
  if (c < -1 + 1e-12) return x;  // half a turn, about x itself
  return x + cross(v, x) + cross(v, cross(v, x)) / (1 + c);
}

}  // namespace

bool Compiler::resolve_points(const std::optional<Vec3>& world, const std::optional<std::pair<Vec3, Vec3>>& anchors,
                              int a, int b, const scene::Places& places, const std::string& what, Vec3& on_a,
                              Vec3& on_b) {
  if (world && anchors) {
    fail(places.of("anchors"), what + ": `at` and `anchors` exclude each other");
    return false;
  }
  if (anchors) {
    on_a = anchors->first + model_.bodies[at(a)].origin_m;
    on_b = anchors->second + model_.bodies[at(b)].origin_m;
    return true;
  }
  if (!world) {
    fail(places.at, what + ": give `at` (in the world) or `anchors` (in the frames of the bodies)");
    return false;
  }
  for (const auto& [body, out] : {std::pair{a, &on_a}, std::pair{b, &on_b}}) {
    const BodyStart& s = starts_[at(body)];
    const bool free_to_turn =
        !s.rotation_known && body_sources_[at(body)] && body_sources_[at(body)]->guess_angle_rad;
    if (!s.position_known || free_to_turn) {
      fail(places.of("at"), what + ": the place of body " + in_quotes(model_.bodies[at(body)].name) +
                                " is not given, so `at` in the world says nothing about it; give `anchors`");
      return false;
    }
    *out = transposed_times(s.R, *world - s.origin_m) + model_.bodies[at(body)].origin_m;
  }
  return true;
}

bool Compiler::resolve_frames(const scene::Joint& source, const joint::JointRow& row, joint::Geometry& g,
                              const std::string& what) {
  const scene::Places& places = source.places;
  if (!resolve_points(source.at_m, source.anchors_m, g.body_a, g.body_b, places, what, g.on_a.origin,
                      g.on_b.origin))
    return false;
  const Mat3& R_a = starts_[at(g.body_a)].R;
  const Mat3& R_b = starts_[at(g.body_b)].R;
  const bool slides = row.axis_in_plane;
  const bool has_axis = row.axis != joint::Axis::none;
  if (has_axis && source.axes) {
    if (source.axis) fail(places.of("axis"), what + ": `axis` and `axes` exclude each other");
    g.on_a.z = source.axes->first;
    g.on_b.z = source.axes->second;
  } else if (has_axis && source.axis) {
    g.on_a.z = transposed_times(R_a, *source.axis);
    g.on_b.z =
        transposed_times(R_b, row.axis == joint::Axis::two ? source.second_axis.value_or(kAxisX) : *source.axis);
  } else if (has_axis && !(scene_.planar && !slides)) {
    fail(places.at, what + ": give `axis` (in the world) or `axes` (in the frames of the bodies)");
    return false;
  }
  if (row.axis == joint::Axis::two && !source.axes && !source.second_axis) {
    fail(places.at, what + ": it needs a `second_axis`, on B");
    return false;
  }
  if (scene_.planar) {
    if (slides && std::abs(g.on_a.z.z) > 1e-12) fail(places.at, what + ": its axis must lie in the plane");
    if (!slides && row.axis == joint::Axis::one && std::abs(std::abs(g.on_a.z.z) - 1) > 1e-12)
      fail(places.at, what + ": in a planar scene it turns about z");
    for (joint::Frame* f : {&g.on_a, &g.on_b}) {
      f->y = slides ? kAxisZ : kAxisY;
      f->x = slides ? cross(f->y, f->z) : kAxisX;
      if (!slides) f->z = kAxisZ;
    }
    return true;
  }
  if (row.axis == joint::Axis::two) {
    const Vec3 second = g.on_b.z;  // x of B; both angles count from the start
    const Vec3 first_world = R_a * g.on_a.z, second_world = R_b * second;
    if (std::abs(dot(first_world, second_world)) > 1e-9 && starts_[at(g.body_b)].rotation_known) {
      fail(places.at, what + ": its two axes must be perpendicular");
      return false;
    }
    const Vec3 across = second_world - dot(first_world, second_world) * first_world;
    g.on_a.x = norm(across) > 1e-6 ? transposed_times(R_a, unit(across)) : perpendicular_to(g.on_a.z);
    g.on_a.y = cross(g.on_a.z, g.on_a.x);
    const Vec3 back = first_world - dot(first_world, second_world) * second_world;
    g.on_b.x = second;
    g.on_b.z = norm(back) > 1e-6 ? transposed_times(R_b, unit(back)) : perpendicular_to(second);
    g.on_b.y = cross(g.on_b.z, g.on_b.x);
    return true;
  }
  g.on_a.x = row.axis == joint::Axis::none ? kAxisX : perpendicular_to(g.on_a.z);
  g.on_a.y = cross(g.on_a.z, g.on_a.x);
  const bool both_known = starts_[at(g.body_a)].rotation_known && starts_[at(g.body_b)].rotation_known;
  if (row.fixes_rotation && !source.axes && (both_known || source.axis)) {
    for (const auto& [from, to] :
         {std::pair{&g.on_a.x, &g.on_b.x}, std::pair{&g.on_a.y, &g.on_b.y}, std::pair{&g.on_a.z, &g.on_b.z}})
      *to = transposed_times(R_b, R_a * *from);
  } else {
    g.on_b.x = carried(g.on_a.z, g.on_b.z, g.on_a.x);
    g.on_b.y = cross(g.on_b.z, g.on_b.x);
  }
  return true;
}

void Compiler::add_row(Row row) { model_.rows.push_back(std::move(row)); }

void Compiler::add_joints() {
  for (const scene::Joint& source : scene_.joints) add_joint(source);
}

namespace {

/// The numbers of a joint by their keys.
struct NumberKey {
  std::string_view key;
  std::optional<double> scene::Joint::*number;
};
constexpr NumberKey kNumbers[] = {{"pitch", &scene::Joint::pitch_m},
                                  {"length", &scene::Joint::length_m},
                                  {"ratio", &scene::Joint::ratio},
                                  {"radius", &scene::Joint::radius_m}};

std::optional<double> number_of(const scene::Joint& source, std::string_view key) {
  const auto* known = std::ranges::find(kNumbers, key, &NumberKey::key);
  return known == std::end(kNumbers) ? std::nullopt : source.*known->number;
}

}  // namespace

void Compiler::check_needs(const scene::Joint& source, const joint::JointRow& row, const std::string& what) {
  for (const std::string_view key : split(row.needs))
    if (!number_of(source, key))
      fail(source.places.at, what + ": a " + source.type + " needs the key " + in_quotes(key));
}

void Compiler::add_joint(const scene::Joint& source) {
  const std::string what = "joint " + in_quotes(source.name);
  Joint joint;
  joint.name = source.name;
  joint.row = joint::find_joint(source.type);
  joint.first_row = static_cast<int>(model_.rows.size());
  if (!joint.row) return;  // reported by the reader
  joint.switch_index = add_switch(source.name, source.enabled);
  if (scene_.planar && !joint.row->planar_hint.empty())
    return fail(source.places.of("type"), what + ": " + source.type + " is not for planar scenes; use " +
                                              std::string(joint.row->planar_hint));
  if (!joint.row->build) return add_coupling(source, std::move(joint));
  if (source.between.first.empty()) {
    if (!source.places.keys.contains("between")) fail(source.places.at, what + ": the key \"between\" is missing");
    return;
  }
  joint.body_a = body_index(source.between.first, source.places.of("between"), what);
  joint.body_b = body_index(source.between.second, source.places.of("between"), what);
  if (joint.body_a < 0 || joint.body_b < 0) return;
  if (joint.body_a == joint.body_b)
    return fail(source.places.of("between"),
                what + ": it joins " + in_quotes(source.between.first) + " with itself");
  if (model_.bodies[at(joint.body_a)].velocity_count + model_.bodies[at(joint.body_b)].velocity_count == 0)
    return fail(source.places.of("between"), what + ": neither of its bodies can move");
  joint::Geometry g;
  g.body_a = joint.body_a;
  g.body_b = joint.body_b;
  g.planar = scene_.planar;
  g.length_m = source.length_m.value_or(-1);
  g.pitch_m = source.pitch_m.value_or(0);
  check_needs(source, *joint.row, what);
  if (!resolve_frames(source, *joint.row, g, what)) return;
  for (const int body : {joint.body_a, joint.body_b}) {
    const Body& b = model_.bodies[at(body)];
    const bool turns = joint.row->axis != joint::Axis::none || joint.row->fixes_rotation;
    const joint::Particles particles = joint.row->particles;
    const bool fine = (particles == joint::Particles::as_second_body && body == joint.body_b) ||
                      (particles == joint::Particles::in_the_plane && scene_.planar);
    if ((b.kind == Body::Kind::particle || b.kind == Body::Kind::planar_particle) && turns && !fine)
      fail(source.places.of("between"), what + ": body " + in_quotes(b.name) +
                                            " is a particle and has no directions; use " +
                                            (scene_.planar ? "revolute" : "spherical") + " or distance");
  }
  joint.anchor_b_m = g.on_b.origin;
  if (joint.row->has_point) point_joints_.push_back({g.body_a, g.body_b, g.on_a.origin, g.on_b.origin});
  joint::Parts parts;
  joint.row->build(g, parts);
  const bool placed = starts_[at(g.body_a)].position_known && starts_[at(g.body_b)].position_known;
  const bool turned = starts_[at(g.body_a)].rotation_known && starts_[at(g.body_b)].rotation_known;
  for (std::size_t i = 0; i < parts.constraints.size(); ++i) {
    const joint::Constraint& c = parts.constraints[i];
    Row row;
    for (const auto& [coefficient, of] : c.terms) row.terms.push_back({add_measure(of), coefficient});
    row.target = c.target;
    row.joint = static_cast<int>(model_.joints.size());
    row.switch_index = joint.switch_index;
    row.name = source.name + "[" + std::to_string(i + 1) + "]";
    if (c.as_at_start) {
      // a relative angle is kept if both are known; otherwise the frames are made parallel
      const bool angle = geometry::is_angle(c.terms[0].second);
      const bool before = angle ? turned : placed;
      row.target = 0;
      if (c.terms.size() > 1 || before)
        start_targets_.emplace_back(static_cast<int>(model_.rows.size()), before && c.terms.size() == 1);
      else if (!angle)
        fail(source.places.at, what + ": give its length; the places of its bodies are not known");
    }
    add_row(std::move(row));
  }
  for (const joint::Coordinate& c : parts.coordinates)
    joint.coordinates.push_back({std::string(c.name), add_measure(c.measure), c.dimension, c.left_to_contact});
  joint.row_count = static_cast<int>(model_.rows.size()) - joint.first_row;
  if (!joint.row->ideal.empty()) add_clearance(source, g, joint);
  if (source.limits) add_limits(source, joint);
  model_.joints.push_back(std::move(joint));
}

/// Stops are surfaces without extent on both bodies, and their contact is one as any other: with any law, located
/// touches, impacts on record.
void Compiler::add_limits(const scene::Joint& source, const Joint& joint) {
  const scene::Limits& limits = *source.limits;
  const std::string what = "joint " + in_quotes(source.name) + ": limits";
  const Coordinate* c = joint.coordinate(limits.coordinate);
  if (!c) {
    std::vector<std::string_view> names;
    for (const Coordinate& known : joint.coordinates) names.push_back(known.name);
    return fail(
        limits.places.of("coordinate"),
        what + ": a " + std::string(joint.row->key) + " joint has no coordinate" +
            (names.empty() ? "" : " " + in_quotes(limits.coordinate) + "; it has " + percuss::joined(names)));
  }
  if (!limits.lower && !limits.upper) return fail(limits.places.at, what + ": give `lower`, `upper` or both");
  if (limits.law.friction)
    fail(limits.law.friction->places.at, what + ": a stop has no friction; use a spring's damping");
  auto stop = std::make_shared<geometry::Stop>();
  stop->coordinate = model_.measures[at(c->measure)];
  if (limits.lower) stop->lower = constant(*limits.lower, c->dimension, what + ": lower").value_or(stop->lower);
  if (limits.upper) stop->upper = constant(*limits.upper, c->dimension, what + ": upper").value_or(stop->upper);
  if (!(stop->lower < stop->upper)) return fail(limits.places.at, what + ": `lower` must be below `upper`");
  constexpr double kHalfTurn = 3.14159265358979;
  if (stop->coordinate.kind == geometry::Measure::Kind::angle &&
      ((limits.lower && stop->lower < -kHalfTurn) || (limits.upper && stop->upper > kHalfTurn)))
    return fail(limits.places.at, what + ": in space an angle is limited within -180 to 180 deg");
  geometry::Surface on_b;
  on_b.kind = geometry::Surface::Kind::stop;
  on_b.planar = scene_.planar;
  geometry::Surface on_a = on_b;
  on_a.body = joint.body_a;
  on_b.body = joint.body_b;
  on_a.stop = on_b.stop = std::move(stop);
  const int contact = add_contact_rule(source.name + std::string(kStopSuffix), limits.law);
  model_.contacts.back().switch_index = joint.switch_index;
  const int first = add_surface(on_a, {}), second = add_surface(on_b, {});
  std::vector<ContactPair> pairs;
  if (!add_pair(contact, first, second, limits.law, limits.places, what, pairs)) return;
  model_.contacts[at(contact)].pairs = pairs;
  model_.pairs.insert(model_.pairs.end(), pairs.begin(), pairs.end());
}

/// leading - factor * other = constant, of the first coordinates of two joints.
void Compiler::add_coupling(const scene::Joint& source, Joint joint) {
  const std::string what = "joint " + in_quotes(source.name);
  const joint::Coupling& coupling = joint.row->coupling;
  if (source.limits)
    return fail(source.limits->places.at, what + ": a " + source.type + " has no limits; one of its joints may");
  if (!source.joints)
    return fail(source.places.at, what + ": the key \"joints\" is missing: the two joints it couples");
  const std::optional<double> factor = number_of(source, coupling.factor);
  if (!factor)
    return fail(source.places.at, what + ": a " + source.type + " needs the key " + in_quotes(coupling.factor));
  const int first = joint_index(source.joints->first, source.places.of("joints"), what);
  const int second = joint_index(source.joints->second, source.places.of("joints"), what);
  if (first < 0 || second < 0) return;
  if (first == second) return fail(source.places.of("joints"), what + ": it couples a joint with itself");
  const Joint& one = model_.joints[at(first)];
  const Joint& two = model_.joints[at(second)];
  if (one.coordinates.empty() || two.coordinates.empty())
    return fail(source.places.of("joints"), what + ": both joints must have a coordinate");
  const Coordinate &a = one.coordinates[0], &b = two.coordinates[0];
  const bool fits = coupling.angle_and_position
                        ? a.dimension == dimension::number && b.dimension == dimension::length
                        : a.dimension == b.dimension;
  if (!fits)
    return fail(source.places.of("joints"),
                what + ": a " + source.type + " couples " + std::string(coupling.of_what));
  const Coordinate &leading = coupling.second_leads ? b : a, &other = coupling.second_leads ? a : b;
  Row row;
  row.terms = {Row::Term{leading.measure, 1.0}, Row::Term{other.measure, -*factor}};
  row.joint = static_cast<int>(model_.joints.size());
  row.switch_index = joint.switch_index;
  row.name = source.name;
  start_targets_.emplace_back(static_cast<int>(model_.rows.size()), false);
  add_row(std::move(row));
  joint.row_count = 1;
  joint.body_a = one.body_b;
  joint.body_b = two.body_b;
  model_.joints.push_back(std::move(joint));
}

/// Across a clearance the contact alone decides: a driver would push the journal through its bearing.
void Compiler::refuse_to_drive_clearance(const scene::Driver& source, int measure, const std::string& what) {
  for (const Joint& joint : model_.joints) {
    if (joint.name != source.joint) continue;
    std::vector<std::string_view> drivable;
    for (const Coordinate& c : joint.coordinates)
      if (!c.left_to_contact) drivable.push_back(c.name);
    for (const Coordinate& c : joint.coordinates)
      if (c.measure == measure && c.left_to_contact)
        fail(source.places.of("coordinate"), what + ": the clearance leaves " + in_quotes(c.name) + " of joint " +
                                                 in_quotes(joint.name) + " to the contact" +
                                                 (drivable.empty() ? std::string("; nothing of it can be driven")
                                                                   : "; drive " + percuss::joined(drivable)));
  }
}

void Compiler::add_drivers() {
  for (const scene::Driver& source : scene_.drivers) {
    const std::string what = "driver " + in_quotes(source.name);
    Driver driver;
    driver.name = source.name;
    Dimension dimension{};
    driver.measure = coordinate_measure(source.joint, source.coordinate, source.places, what, &dimension);
    refuse_to_drive_clearance(source, driver.measure, what);
    if (source.value.has_value() == source.rate.has_value()) {
      fail(source.places.at, what + ": give either `value` or `rate`");
      continue;
    }
    driver.by_rate = source.rate.has_value();
    if (driver.by_rate) dimension.s -= 1;
    driver.function = function(driver.by_rate ? *source.rate : *source.value, dimension, what, true);
    if (driver.measure < 0) continue;
    Row row;
    row.terms = {{driver.measure, 1.0}};
    row.driver = static_cast<int>(model_.drivers.size());
    row.name = source.name;
    row.switch_index = driver.switch_index = add_switch(source.name, source.enabled);
    driver.row = static_cast<int>(model_.rows.size());
    if (driver.by_rate) start_targets_.emplace_back(driver.row, false);
    add_row(std::move(row));
    model_.drivers.push_back(std::move(driver));
  }
}

void Compiler::add_springs() {
  for (const scene::Spring& source : scene_.springs) {
    const std::string what = "spring " + in_quotes(source.name);
    Spring spring;
    spring.name = source.name;
    const auto numbers = [&](const std::vector<scene::Function>& texts, const Dimension& dimension, const char* key,
                             std::size_t count) {
      std::vector<double> out;
      for (const scene::Function& text : texts)
        if (const auto value = constant(text, dimension, what + ": " + key)) {
          if (*value < 0) fail(text.at, what + ": " + key + " must not be negative");
          out.push_back(*value);
        }
      if (out.empty()) out.assign(count, 0.0);
      if (out.size() == 1 && count == 3) out.assign(3, out[0]);
      if (out.size() != count) {
        fail(source.places.of(key),
             what + ": " + key + ": expected " + (count == 1 ? "one number" : "three numbers"));
        out.assign(count, 0.0);
      }
      return out;
    };
    const scene::SpringRow* row =
        source.type.empty() ? &scene::default_spring(!source.joint.empty()) : scene::find_spring(source.type);
    if (!row) continue;  // reported by the reader
    for (const std::string_view key : split(row->foreign))
      refuse(source.places, {key}, what + ": " + std::string(row->has_no));
    if (row->acts == scene::SpringRow::Acts::on_coordinate) {
      Dimension dimension{};
      const int measure = coordinate_measure(source.joint, source.coordinate, source.places, what, &dimension);
      const bool turning = dimension == dimension::number;
      const auto k =
          numbers(source.stiffness, turning ? dimension::torque : dimension::stiffness(1), "stiffness", 1);
      const auto c =
          numbers(source.damping, turning ? dimension::angular_damping : dimension::damping(0), "damping", 1);
      spring.lines.push_back({measure, k[0], c[0]});
      if (source.rest) spring.rest = function(*source.rest, dimension, what, true);
      if (measure < 0) continue;
    } else {
      if (!source.between) {
        if (!source.places.keys.contains("between"))
          fail(source.places.at, what + ": the key \"between\" is missing");
        continue;
      }
      const int a = body_index(source.between->first, source.places.of("between"), what);
      const int b = body_index(source.between->second, source.places.of("between"), what);
      if (a < 0 || b < 0) continue;
      if (a == b) {
        fail(source.places.of("between"), what + ": it joins a body with itself");
        continue;
      }
      joint::Geometry g;
      g.body_a = a;
      g.body_b = b;
      const Vec3 none{};
      const auto anchors =
          source.anchors_m || source.at_m ? source.anchors_m : std::optional(std::pair{none, none});
      if (source.at_m) {
        Vec3 ignored;
        if (!resolve_points(source.at_m->first, anchors, a, b, source.places, what, g.on_a.origin, ignored) ||
            !resolve_points(source.at_m->second, anchors, a, b, source.places, what, ignored, g.on_b.origin))
          continue;
      } else if (!resolve_points(std::nullopt, anchors, a, b, source.places, what, g.on_a.origin, g.on_b.origin)) {
        continue;
      }
      if (row->acts == scene::SpringRow::Acts::on_line) {
        const auto k = numbers(source.stiffness, dimension::stiffness(1), "stiffness", 1);
        const auto c = numbers(source.damping, dimension::damping(0), "damping", 1);
        spring.lines.push_back({add_measure(joint::measure_of(g, geometry::Measure::Kind::distance)), k[0], c[0]});
        if (source.rest) spring.rest = function(*source.rest, dimension::length, what, true);
      } else {  // a bushing: displacements along the axes of A, sines of the small turns about them
        const auto k = numbers(source.stiffness, dimension::stiffness(1), "stiffness", 3);
        const auto c = numbers(source.damping, dimension::damping(0), "damping", 3);
        const auto three = [](const std::vector<double>& v) {
          return v.empty() ? std::vector<double>(3, 0.0) : v.size() == 1 ? std::vector<double>(3, v[0]) : v;
        };
        const auto tk = three(source.turning_stiffness), tc = three(source.turning_damping);
        if (tk.size() != 3 || tc.size() != 3) {
          fail(source.places.at, what + ": expected one or three turning stiffnesses and dampings");
          continue;
        }
        const Vec3 axes[] = {kAxisX, kAxisY, kAxisZ};
        for (std::size_t i = 0; i < (scene_.planar ? 2U : 3U); ++i) {
          geometry::Measure m = joint::measure_of(g, geometry::Measure::Kind::along);
          m.direction_a = axes[i];
          spring.lines.push_back({add_measure(m), k[i], c[i]});
        }
        for (std::size_t i = scene_.planar ? 2 : 0; i < 3; ++i) {  // e_j(A) . e_k(B) = -sin of the turn about e_i
          geometry::Measure m = joint::measure_of(g, geometry::Measure::Kind::directions);
          m.direction_a = axes[(i + 1) % 3];
          m.direction_b = axes[(i + 2) % 3];
          spring.lines.push_back({add_measure(m), tk[i], tc[i]});
        }
        spring.rest_is_given = true;  // all lines rest at zero
      }
    }
    spring.rest_is_given = spring.rest_is_given || source.rest.has_value();
    set_spring_force(source, row->only_pulls, what, spring);
    spring.switch_index = add_switch(source.name, source.enabled);
    model_.springs.push_back(std::move(spring));
  }
}

/// A force that is an expression, or acts in one direction only. In its text `length`, `rate` and `stretch` are the
/// spring's own. What acts in one direction has no force of the other sign either: a damper does not hold a rope.
void Compiler::set_spring_force(const scene::Spring& source, bool only_pulls, const std::string& what,
                                Spring& spring) {
  if (source.force)
    refuse(source.places, {"stiffness", "damping"},
           what + ": `force` is instead of stiffness and damping; it has no ");
  const std::string acts = only_pulls ? "tension" : source.acts;
  if (!source.force && acts == "both") return;
  if (only_pulls && !source.places.keys.contains("stiffness"))
    return fail(source.places.at, what + ": a rope needs the key \"stiffness\"");
  if (spring.lines.empty()) return;
  Spring::Line& line = spring.lines.front();
  std::string text =
      source.force ? source.force->text : text_of(line.stiffness) + "*stretch + " + text_of(line.damping) + "*rate";
  if (acts == "tension") text = "if(stretch > 0, max(" + text + ", 0), 0)";
  if (acts == "compression") text = "if(stretch < 0, min(" + text + ", 0), 0)";
  line.stiffness = line.damping = 0;
  constexpr std::string_view kOwn[] = {"length", "rate", "stretch"};
  const std::string own_rate = spring.name + ".rate";
  text = scene::with_names_replaced(text, [&](std::string_view name) {
    return std::ranges::find(kOwn, name) == std::end(kOwn) ? std::string{} : spring.name + "." + std::string(name);
  });
  spring.has_force = true;
  spring.force = expression_of(text, source.force ? source.force->at : source.places.at, what + ": force", false);
  for (std::size_t i = 0; i < spring.force.channels.size(); ++i) {
    const Channel& channel = model_.channels[at(spring.force.channels[i])];
    if (channel.name == own_rate) spring.rate_slot = static_cast<int>(i) + 1;
    if (channel.kind == Channel::Kind::contact_force || channel.kind == Channel::Kind::contact_friction ||
        channel.kind == Channel::Kind::contact_push || channel.kind == Channel::Kind::spring_force ||
        follows_from_forces(channel.kind))
      fail(source.force ? source.force->at : source.places.at,
           what + ": force: " + in_quotes(channel.name) +
               " is a force; a spring's may depend on places and velocities");
  }
}

void Compiler::refuse_results(const Function& f, const Where& place, const std::string& what) {
  for (const int i : f.channels)
    if (const Channel& channel = model_.channels[at(i)]; follows_from_forces(channel.kind))
      return fail(place,
                  what + ": " + in_quotes(channel.name) +
                      " follows from the forces and is not known while they are computed; use it in events and "
                      "outputs, or in a force with `every`");
}

/// The components of a force are computed at the multiples of a time only: outputs of a controller, which it then
/// reads.
void Compiler::hold_between_samples(Force& force, double every_s) {
  Controller controller;
  controller.name = force.name;
  controller.every_s = every_s;
  controller.first_output = model_.controller_outputs;
  for (std::array<Function, 3>* set : {&force.force, &force.torque})
    for (Function& f : *set) {
      if (f.is_constant) continue;
      const int output = model_.controller_outputs++;
      controller.functions.push_back(std::move(f));
      f = output_of_controller(model_, output);
    }
  controller.outputs = controller.functions.size();
  if (controller.outputs > 0) model_.controllers.push_back(std::move(controller));
}

void Compiler::add_forces() {
  for (const scene::Force& source : scene_.forces) {
    const std::string what = "force " + in_quotes(source.name);
    Force force;
    force.name = source.name;
    force.in_body_axes = source.in_body_axes;
    if (source.body.empty() == source.joint.empty()) {
      fail(source.places.at, what + ": give either `body` or `joint`");
      continue;
    }
    if (!source.joint.empty()) {
      refuse(source.places, {"at", "axes"}, what + ": a force on a joint's coordinate has no ");
      Dimension dimension{};
      force.measure = coordinate_measure(source.joint, source.coordinate, source.places, what, &dimension);
      const auto& text = source.force.empty() ? source.torque : source.force;
      if (text.size() != 1 || (!source.force.empty() && !source.torque.empty()))
        fail(source.places.at, what + ": one force or torque acts on a coordinate");
      else
        force.force[0] =
            function(text[0], dimension == dimension::number ? dimension::torque : dimension::force, what, false);
      if (force.measure < 0) continue;
    } else {
      refuse(source.places, {"coordinate"}, what + ": a force on a body has no ");
      force.body = body_index(source.body, source.places.of("body"), what);
      const auto fill = [&](const std::vector<scene::Function>& texts, const Dimension& dimension, const char* key,
                            std::array<Function, 3>& out) {
        const std::size_t expected = scene_.planar ? (key[0] == 'f' ? 2 : 1) : 3;
        if (!texts.empty() && texts.size() != expected)
          return fail(source.places.of(key), what + ": " + key + ": expected " + std::to_string(expected) +
                                                 (expected == 1 ? " component" : " components"));
        for (std::size_t i = 0; i < texts.size(); ++i)
          out[expected == 1 ? 2 : i] = function(texts[i], dimension, what, false);
      };
      fill(source.force, dimension::force, "force", force.force);
      fill(source.torque, dimension::torque, "torque", force.torque);
      if (source.force.empty() && source.torque.empty())
        fail(source.places.at, what + ": give a force or a torque");
      if (force.body < 0) continue;
      const Body& b = model_.bodies[at(force.body)];
      if (b.kind == Body::Kind::prescribed)
        fail(source.places.of("body"), what + ": body " + in_quotes(b.name) + " cannot be moved by a force");
      if (b.kind == Body::Kind::particle || b.kind == Body::Kind::planar_particle)
        refuse(source.places, {"torque", "at", "axes"}, what + ": on a particle a force has no ");
      force.point_m = source.at_m.value_or(Vec3{}) + b.origin_m;
    }
    if (!source.every_s)
      for (const std::array<Function, 3>* set : {&force.force, &force.torque})
        for (const Function& f : *set) refuse_results(f, source.places.at, what);
    force.switch_index = add_switch(source.name, source.enabled);
    if (source.every_s) hold_between_samples(force, *source.every_s);
    model_.forces.push_back(std::move(force));
  }
}

}  // namespace percuss::model
