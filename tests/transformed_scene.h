// A scene in other units, turned or mirrored: physics says what becomes of its motion.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "percuss/model/compile.h"

namespace percuss {

/// Numbers of lengths, masses and times are multiplied by these factors, places are turned or mirrored by Q. Body
/// frames are turned with the world: R' = Q R Q^T, so that whatever is fixed in any frame transforms alike.
struct Transform {
  double length = 1, mass = 1, time = 1;
  Mat3 Q{};

  double factor(const Dimension& d) const {
    return std::pow(length, d.m) * std::pow(mass, d.kg) * std::pow(time, d.s);
  }
  double hand() const { return determinant(Q); }  // -1: left is right
  Vec3 place(const Vec3& v) const { return length * (Q * v); }
  Vec3 axial(const Vec3& v) const { return hand() * (Q * v); }
  Mat3 turn(const Mat3& R) const { return Q * R * transposed(Q); }
};

class SceneTransformer {
 public:
  SceneTransformer(scene::Scene scene, const Transform& by) : s_(std::move(scene)), by_(by) {
    const Result<model::Compiled> compiled = model::compile(s_);
    EXPECT_TRUE(compiled);
    if (compiled) plain_ = compiled->model;
  }

  scene::Scene result() {
    s_.gravity_mps2 = f(dimension::acceleration) * (by_.Q * plain_.gravity_mps2);
    EXPECT_TRUE(s_.constants.empty() && s_.events.empty()) << "not transformed";
    for (scene::Material& m : s_.materials) {
      scale(m.young_Pa, dimension::pressure);
      scale(m.density_kgpm3, dimension::density);
    }
    for (scene::Body& b : s_.bodies) body(b);
    for (scene::Joint& j : s_.joints) joint(j);
    for (scene::Driver& d : s_.drivers) driver(d);
    for (scene::Spring& x : s_.springs) spring(x);
    for (scene::Force& x : s_.forces) force(x);
    for (scene::Contact& c : s_.contacts) law(c.law, exponent_of(c.name));
    s_.solver.duration_s *= by_.time;
    for (auto* t : {&s_.solver.step_s, &s_.solver.largest_step_s, &s_.outputs.every_s}) scale(*t, dimension::time);
    for (double& t : s_.outputs.at_s) t *= by_.time;
    s_.outputs.channels.clear();
    return s_;
  }

 private:
  double f(const Dimension& d) const { return by_.factor(d); }
  void scale(std::optional<double>& x, const Dimension& d) const {
    if (x) *x *= f(d);
  }
  void place(std::optional<Vec3>& x) const {
    if (x) x = by_.place(*x);
  }
  void direct(std::optional<Vec3>& x) const {
    if (x) x = by_.Q * *x;
  }
  void place(std::optional<std::pair<Vec3, Vec3>>& x) const {
    if (x) x = {by_.place(x->first), by_.place(x->second)};
  }

  /// A number with a unit, or an expression of t.
  std::string text(const scene::Function& from, double factor) const {
    if (const Result<Quantity> q = read_quantity(from.text)) return text_of(q->si * factor);
    static const std::regex time(R"(\bt\b)");
    return text_of(factor) + "*(" + std::regex_replace(from.text, time, "(t/" + text_of(by_.time) + ")") + ")";
  }
  void scale(scene::Function& x, double factor) const { x.text = text(x, factor); }

  double exponent_of(const std::string& contact) const {
    for (const model::ContactKind& kind : plain_.contact_kinds)
      if (plain_.contacts[static_cast<std::size_t>(kind.contact)].name == contact) return kind.law.spec.exponent;
    ADD_FAILURE() << "no contact " << contact;
    return 0;
  }

  void shape(scene::Shape& x) const {
    for (auto* l : {&x.radius_m, &x.length_m, &x.width_m, &x.corner_radius_m}) scale(*l, dimension::length);
    scale(x.density_kgpm3, dimension::density);
    if (x.size_m) *x.size_m = by_.length * *x.size_m;
    for (Vec3& p : x.points_m) p = by_.place(p);
    if (x.mesh && *x.mesh) {  // the hull of the points
      geometry::Mesh mesh = **x.mesh;
      for (Vec3& p : mesh.vertices) p = by_.place(p);
      if (by_.hand() < 0)
        for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
      x.mesh = std::make_shared<const Result<geometry::Mesh>>(std::move(mesh));
    }
    x.at_m = by_.place(x.at_m);
    const bool turns = x.kind == "box" || x.kind == "polyhedron" || x.kind == "polygon";
    if (turns) {  // a box is its own mirror image; points have been turned already
      const Mat3 own = matrix_of(rotation_about(x.axis.value_or(kAxisZ), x.angle_rad.value_or(0)));
      const Mat3 back = by_.hand() > 0 ? Mat3{} : diagonal(-1, 1, 1);
      const Mat3 R = x.kind == "box" ? by_.Q * own * back : by_.turn(own);
      const Quat q = quat_of(R);
      const Vec3 half{q.x, q.y, q.z};
      const double sine = norm(half);
      x.axis = s_.planar || sine == 0 ? kAxisZ : half / sine;
      x.angle_rad = 2 * std::atan2(s_.planar ? q.z : sine, q.w);
    } else if (x.kind == "plane" || x.kind == "slot") {
      x.axis = by_.Q * x.axis.value_or(s_.planar ? kAxisY : kAxisZ);
    } else if (x.kind == "rod" || x.kind == "capsule" || x.kind == "cylinder") {
      x.axis = by_.Q * x.axis.value_or(kAxisX);
    } else if (!s_.planar) {
      direct(x.axis);
    }
  }

  void body(scene::Body& b) const {
    scale(b.mass_kg, dimension::mass);
    for (double& i : b.inertia_kgm2) i *= f(dimension::inertia);
    EXPECT_LE(b.inertia_kgm2.size(), 1U) << "not transformed";
    for (auto* p : {&b.centre_of_mass_m, &b.at_m, &b.guess_at_m}) place(*p);
    for (scene::Shape& x : b.shapes) shape(x);
    for (scene::PointMass& m : b.point_masses) {
      m.mass_kg *= by_.mass;
      m.at_m = by_.place(m.at_m);
    }
    if (s_.planar) {
      for (auto* angle : {&b.angle_rad, &b.guess_angle_rad})
        if (*angle) **angle *= by_.hand();
    } else if (b.angle_rad || b.rotation) {
      const Quat q = b.rotation ? *b.rotation : rotation_about(unit(b.axis.value_or(kAxisZ)), *b.angle_rad);
      b.rotation = quat_of(by_.turn(matrix_of(unit(q))));
      b.angle_rad.reset();
      b.axis.reset();
    }
    if (b.velocity_mps) b.velocity_mps = f(dimension::velocity) * (by_.Q * *b.velocity_mps);
    if (b.angular_velocity_radps) b.angular_velocity_radps = by_.axial(*b.angular_velocity_radps) / by_.time;
    if (!b.motion) return;
    const std::array<scene::Function, 3> own{b.motion->x, b.motion->y, b.motion->z};
    scene::Function* out[] = {&b.motion->x, &b.motion->y, &b.motion->z};
    for (std::size_t i = 0; i < 3; ++i) {
      std::string sum = "0";
      for (std::size_t k = 0; k < 3; ++k)
        if (const double q = by_.Q.row[i][static_cast<int>(k)]; q != 0) sum += "+" + text(own[k], q * by_.length);
      out[i]->text = std::regex_replace(sum, std::regex(R"(\+-)"), "-");
    }
    scale(b.motion->angle, by_.hand());
    direct(b.motion->axis);
  }

  void joint(scene::Joint& j) const {
    place(j.at_m);
    place(j.anchors_m);
    direct(j.axis);
    direct(j.second_axis);
    if (j.axes) j.axes = {by_.Q * j.axes->first, by_.Q * j.axes->second};
    for (auto* l : {&j.length_m, &j.radius_m, &j.bearing_radius_m, &j.journal_radius_m, &j.clearance_m})
      scale(*l, dimension::length);
    EXPECT_TRUE(!j.pitch_m && !j.joints) << "not transformed";
    if (j.size_m) *j.size_m = by_.length * *j.size_m;
    if (j.contact) law(*j.contact, exponent_of(j.name));
  }

  void driver(scene::Driver& d) const {
    for (const model::Joint& j : plain_.joints) {
      if (j.name != d.joint) continue;
      const Dimension& unit = j.coordinates.front().dimension;
      EXPECT_TRUE(d.coordinate.empty()) << "not transformed";
      const double factor = f(unit) * (unit == dimension::number ? by_.hand() : 1);
      if (d.value) scale(*d.value, factor);
      if (d.rate) scale(*d.rate, factor / by_.time);
    }
  }

  void spring(scene::Spring& x) const {
    EXPECT_TRUE(x.joint.empty() && x.turning_stiffness.empty() && x.turning_damping.empty()) << "not transformed";
    place(x.anchors_m);
    place(x.at_m);
    for (scene::Function& k : x.stiffness) scale(k, f(dimension::stiffness(1)));
    for (scene::Function& c : x.damping) scale(c, f(dimension::damping(0)));
    if (x.rest) scale(*x.rest, by_.length);
  }

  void force(scene::Force& x) const {
    EXPECT_TRUE(x.force.empty() && x.joint.empty() && s_.planar) << "not transformed";
    place(x.at_m);
    for (scene::Function& t : x.torque) scale(t, f(dimension::torque) * by_.hand());
    scale(x.every_s, dimension::time);
  }

  void law(scene::ContactLaw& x, double exponent) const {
    scale(x.rest_speed_mps, dimension::velocity);
    x.law_speed.fixed_mps *= f(dimension::velocity);
    if (x.stiffness) scale(*x.stiffness, f(dimension::stiffness(exponent)));
    if (const contact::DissipationRow* row = contact::find_dissipation(x.law.law))
      for (auto& [name, value] : x.parameters)
        for (const contact::Parameter& p : row->parameters)
          if (p.name == name) scale(value, f(p.dimension));
    if (!x.friction) return;
    const contact::FrictionRow* row =
        x.friction->law.empty() ? &contact::default_friction() : contact::find_friction(x.friction->law);
    ASSERT_NE(row, nullptr);
    for (auto& [name, value] : x.friction->parameters)
      for (const contact::FrictionParameter& p : row->parameters)
        if (p.name == name) scale(value, f(p.dimension));
    for (const contact::FrictionParameter& p : row->parameters) {  // defaults with a unit are physics too
      const auto is_it = [&p](const auto& given) { return given.first == p.name; };
      if (p.otherwise && std::ranges::none_of(x.friction->parameters, is_it))
        x.friction->parameters.emplace_back(p.name, scene::Function{text_of(*p.otherwise * f(p.dimension)), {}});
    }
  }

  scene::Scene s_;
  Transform by_;
  model::Model plain_;
};

inline scene::Scene transformed(const scene::Scene& scene, const Transform& by) {
  return SceneTransformer(scene, by).result();
}

}  // namespace percuss
