// A scene: what the user said, with the place of everything. YAML is one way to fill it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/base/vector.h"
#include "percuss/contact/episode.h"
#include "percuss/contact/user_law.h"
#include "percuss/geometry/convex.h"
#include "percuss/scene/constants.h"
#include "percuss/scene/schema.h"

namespace percuss::scene {

/// Where something stands, and where each of its keys does.
struct Places {
  Where at;
  std::map<std::string, Where, std::less<>> keys;
  const Where& of(std::string_view key) const {
    const auto found = keys.find(key);
    return found == keys.end() ? at : found->second;
  }
};

/// A number with a unit, or an expression of the time and of what the scene measures, in SI units.
struct Function {
  std::string text = "0";
  Where at;
};

struct Material {
  std::string name;
  Places places;
  std::optional<double> young_Pa, poisson, density_kgpm3;
  std::optional<double> restitution, friction;  // of two parts of this material; contacts combine them
};

struct Shape {
  std::string kind;  // a word of the schema
  std::string name, material;
  Places places;
  std::optional<double> radius_m, length_m, width_m, corner_radius_m, density_kgpm3;
  std::optional<Vec3> size_m;                            // edges of a box
  std::vector<Vec3> points_m;                            // of a polyhedron or polygon; two of a segment
  std::string file;                                      // of a mesh
  double scale = default_number("bodies.shapes.scale");  // of the file's numbers, to metres
  /// Of the file, or the hull of the points in space: from io::load_files.
  std::shared_ptr<const Result<geometry::Mesh>> mesh;
  Vec3 at_m;                        // centre, in the body's frame
  std::optional<Vec3> axis;         // of a cylinder or rod; normal of a plane
  std::optional<double> angle_rad;  // of a box or polyhedron in the body's frame, about `axis`
};

struct PointMass {
  double mass_kg = 0;
  Vec3 at_m;
};

/// Displacement from where the body is put, and a turn about a fixed axis: functions of time.
struct Motion {
  Places places;
  Function x, y, z, angle;
  std::optional<Vec3> axis;
};

struct Body {
  std::string name;
  Places places;
  std::optional<double> mass_kg;
  std::vector<double> inertia_kgm2;  // one, three (principal) or six (xx yy zz xy xz yz) numbers
  bool particle = false, fixed = false;
  std::optional<Vec3> centre_of_mass_m;  // in the body's frame
  std::vector<Shape> shapes;
  std::vector<PointMass> point_masses;
  std::vector<std::pair<std::string, Vec3>> markers;  // points in the body's frame
  std::string touching;                               // what it is put against
  std::optional<Vec3> towards;                        // on this way
  std::optional<Vec3> at_m, guess_at_m;               // of the origin of the body's frame
  std::optional<double> angle_rad, guess_angle_rad;   // about z, or about `axis`
  std::optional<Vec3> axis;
  std::optional<Quat> rotation;
  std::optional<Vec3> velocity_mps;  // of the origin of the body's frame
  std::optional<Vec3> angular_velocity_radps;
  std::optional<Motion> motion;
};

struct Driver {
  std::string name, joint, coordinate;
  Places places;
  std::optional<Function> value, rate;
  bool enabled = default_flag("drivers.enabled");
};

struct Spring {
  std::string name, type;  // of the spring table; empty: what it says decides
  Places places;
  std::optional<std::pair<std::string, std::string>> between;
  std::optional<std::pair<Vec3, Vec3>> anchors_m;
  std::optional<std::pair<Vec3, Vec3>> at_m;  // ends in the world, at the start
  std::string joint, coordinate;
  std::vector<Function> stiffness, damping;  // numbers whose unit depends on what the spring acts on
  std::vector<double> turning_stiffness, turning_damping;
  std::optional<Function> rest;   // free length or angle
  std::string acts;               // both, tension, compression
  std::optional<Function> force;  // instead of stiffness and damping
  bool enabled = default_flag("springs.enabled");
};

struct Force {
  std::string name, body;
  Places places;
  std::string joint, coordinate;  // instead of a body
  std::optional<Vec3> at_m;       // point of the body, in its frame; its origin otherwise
  std::vector<Function> force, torque;
  bool in_body_axes = false;
  std::optional<double> every_s;  // computed at multiples of this time and held between
  bool enabled = default_flag("forces.enabled");
};

struct Friction {
  std::string law;  // a key of the friction table; empty: the default one
  Places places;
  std::optional<double> coefficient, static_coefficient;
  std::optional<double> rolling, spinning;  // resistance, of the normal force times the effective radius
  std::vector<std::pair<std::string, Function>> parameters;
};

/// What holds where two shapes touch.
struct ContactLaw {
  contact::LawRequest law;            // parameters and pairing are completed by compile
  std::optional<Function> stiffness;  // in a unit that the exponent decides
  std::vector<std::pair<std::string, Function>> parameters;
  std::string law_file;
  std::optional<Result<contact::UserLaw>> own_law;  // of that file: from io::load_files
  bool persistent = false, allow_initial_overlap = false;
  bool impulsive = false;  // the response is an impulse, not a force
  contact::LawSpeed law_speed;
  std::optional<double> rest_speed_mps;
  std::optional<Friction> friction;
};

struct Contact {
  std::string name;
  Places places;
  std::optional<std::pair<std::string, std::string>> between, materials;
  ContactLaw law;
  bool enabled = default_flag("contacts.enabled");
};

/// Stops of a joint's coordinate.
struct Limits {
  Places places;
  std::string coordinate;
  std::optional<Function> lower, upper;
  ContactLaw law;
};

struct Joint {
  std::string name, type;
  Places places;
  std::pair<std::string, std::string> between;
  std::optional<Vec3> at_m;                        // in the world, at the start
  std::optional<std::pair<Vec3, Vec3>> anchors_m;  // in the frames of the bodies
  std::optional<Vec3> axis, second_axis;           // in the world, at the start
  std::optional<std::pair<Vec3, Vec3>> axes;       // in the frames of the bodies
  std::optional<double> pitch_m, length_m, ratio, radius_m;
  // of a clearance joint: A has the bearing, B the journal
  std::optional<double> bearing_radius_m, journal_radius_m, clearance_m;
  std::optional<Vec3> size_m;  // of the slider
  std::string material;
  std::optional<std::pair<std::string, std::string>> materials;
  std::optional<ContactLaw> contact;
  std::optional<Limits> limits;
  bool enabled = default_flag("joints.enabled");
  std::optional<std::pair<std::string, std::string>> joints;  // of a gear or rack
};

struct Event {
  std::string name, when;
  Places places;
  std::vector<std::string> then;  // see the words of model/functions.cpp
  bool once = default_flag("events.once");
};

struct Start {
  Places places;
  bool equilibrium = default_flag("start.equilibrium");
};

struct Solver {
  Places places;
  double duration_s = 0;
  std::string integrator{default_word("solver.integrator")}, stabilization{default_word("solver.stabilization")},
      when_stiff{default_word("solver.when_stiff")};
  double tolerance = default_number("solver.tolerance");
  std::optional<double> step_s, largest_step_s, baumgarte_radps;
  std::optional<double> most_steps;
};

struct Outputs {
  Places places;
  std::optional<double> every_s;
  bool in_contact = false, account = false, horizon = false;
  std::vector<double> at_s;
  std::vector<std::pair<std::string, Function>> channels;
};

struct Scene {
  std::vector<Diagnostic> errors;  // of the reader: compile reports them with its own
  std::string source;              // the file
  std::string text;                // as read, with what it includes, for the record
  std::vector<std::string> overrides;
  std::vector<std::string> inputs;  // files that it names: checksum and name, from io::load_files
  std::string title, description;
  Places places;
  bool planar = false;
  std::optional<Vec3> gravity_mps2;
  Constants constants;
  std::vector<std::pair<std::string, Function>> variables;  // numbers that events set
  std::vector<Material> materials;
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Driver> drivers;
  std::vector<Spring> springs;
  std::vector<Force> forces;
  std::vector<Contact> contacts;
  std::vector<Event> events;
  Start start;
  Solver solver;
  Outputs outputs;
};

inline constexpr std::string_view kGround = "ground";

}  // namespace percuss::scene
