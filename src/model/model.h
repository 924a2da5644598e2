// A Model: flat, checked, constant. Everything the engine needs, and nothing that time changes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/contact/episode.h"
#include "percuss/contact/friction.h"
#include "percuss/geometry/pairs.h"
#include "percuss/model/controller.h"

namespace percuss::joint {
struct JointRow;
}

namespace percuss::model {

/// The layout of the unknowns y is [positions | velocities | followed motions | states of controllers | friction
/// memories of the contacts in touch]. The motion of a prescribed body is known; it is integrated along (followed)
/// so that the step control sees it.
struct Body {
  enum class Kind { spatial, planar, particle, planar_particle, prescribed };
  // what every evaluation reads stands together, in front
  Kind kind = Kind::spatial;
  int q_at = -1, v_at = -1;  // in y; positions are p, then quaternion or turn
  int position_count = 0, velocity_count = 0;
  bool moves = false;  // by a prescribed motion
  double mass_kg = 0, per_mass = 0;
  Mat3 inertia_kgm2{}, inverse_inertia{};  // about the centre of mass, body axes
  Vec3 origin_m;                           // of the user's frame, from the centre of mass, body axes
  std::string name;
  // prescribed bodies: the centre of mass stands in the origin
  Vec3 at_m;
  Quat rotation;
  double turn_rad = 0;
  Vec3 axis = kAxisZ;
  std::vector<Function> motion;  // x, y, z, angle of one that moves
  int followed_at = -1;          // in y: x, y, z and the angle of a prescribed motion
};

/// sum of coefficient * measure - target = 0; the target of a driver's row is a function of time.
struct Row {
  struct Term {
    int measure = -1;
    double coefficient = 0;
  };
  std::vector<Term> terms;
  double target = 0;
  int driver = -1, joint = -1;
  bool assembly_only = false;  // holds at the start alone
  bool redundant = false;      // follows from the other rows at every place
  int switch_index = -1;       // of its joint or driver, or of a lock
  std::string name;
};

struct Coordinate {
  std::string name;
  int measure = -1;
  Dimension dimension;
  bool left_to_contact = false;  // across a clearance
};

struct Joint {
  std::string name;
  const joint::JointRow* row = nullptr;
  int body_a = -1, body_b = -1;
  int first_row = 0, row_count = 0;
  Vec3 anchor_b_m;  // where the reaction on B is taken, body axes from the centre of mass
  std::vector<Coordinate> coordinates;
  int contact = -1;  // of a clearance joint
  int switch_index = -1;
  /// By its name; without one, the first that is not left to a contact (or the first, if all are). Null: there is
  /// none.
  const Coordinate* coordinate(std::string_view name) const;
};

struct Driver {
  std::string name;
  int joint = -1, measure = -1, row = -1;
  Function function;
  bool by_rate = false;
  int s_at = -1;  // position unknown that integrates a given rate
  int switch_index = -1;
};

struct Spring {
  struct Line {
    int measure = -1;
    double stiffness = 0, damping = 0;
  };
  std::string name;
  std::vector<Line> lines;
  Function rest;  // of the first line; the others rest at 0
  bool rest_is_given = false;
  /// Instead of stiffness and damping: what pulls the ends together, of its own length, rate and stretch, of the
  /// time and of other channels.
  Function force;
  bool has_force = false;
  int rate_slot = -1;  // of its own rate in `force`; -1: it does not read it
  int switch_index = -1;
};

struct Force {
  std::string name;
  int body = -1;
  int measure = -1;  // or on a joint coordinate, with force[0]
  Vec3 point_m;      // from the centre of mass, body axes
  std::array<Function, 3> force, torque;
  bool in_body_axes = false;
  int switch_index = -1;
};

/// Two surfaces that can touch, in the order of their row, and what holds there.
struct ContactPair {
  int first = -1, second = -1;  // surfaces
  int kind = -1;
};

/// What two surfaces of given sizes do where they touch.
struct PairLaw {
  contact::LawSpec spec;
  contact::FrictionLaw friction;
  double radius_m = 0;  // effective
};

/// What all pairs of a contact have in common that are of the same shapes and materials.
struct ContactKind {
  int contact = -1;
  const geometry::PairRow* row = nullptr;
  geometry::Features features = geometry::Features::fixed;  // those of the row; fixed where a hole has no end
  PairLaw law;                                              // of surfaces with the radii and the length below
  geometry::Radii radii;                                    //
  double line_length_m = 0;
  contact::LawRequest request;             // makes the law of other radii
  double young_Pa = 0, density_kgpm3 = 0;  // of the slower material, for the limits of validity
};

/// Contacts by materials: surfaces of the same shape and material are of one class, and a table of classes says
/// what holds between them. Memory is linear in the number of surfaces.
struct MaterialContacts {
  std::vector<int> class_of;  // [surface]; -1: it touches nothing by its material
  int classes = 0;
  std::vector<int> kind_of;                        // [class * classes + class]; -1: they do not touch
  std::vector<std::pair<int, int>> joined_bodies;  // sorted: joints keep them apart
  std::vector<std::pair<int, int>> named;          // sorted surfaces that have a contact by name
  bool empty() const { return classes == 0; }
};

/// Of the contact that the limits of a joint make: hinge_stop.
inline constexpr std::string_view kStopSuffix = "_stop";

/// An entry of the scene's contact table, or the contact of a clearance joint.
struct Contact {
  std::string name;
  bool persistent = false, allow_initial_overlap = false;
  bool impulsive = false;          // collisions take no time, rest is a constraint; else the law's force acts
  contact::LawSpeed law_speed{};   // never `effective`: a latched law is located with
  double rest_speed_mps = -1;      // below 0: from the load at touch
  int joint = -1;                  // of a clearance joint
  std::vector<ContactPair> pairs;  // those given by name; pairs of materials are found where they come near
  bool by_materials = false;
  int second_body = -1;   // of those that the scene names; -1: by materials
  int switch_index = -1;  // its own, or that of the joint whose limits or clearance it is
};

/// A number that can be read off the state: for expressions, events and outputs.
struct Channel {
  enum class Kind {
    // clang-format off
    body_position, body_orientation, body_velocity, body_turn, body_angular_velocity,
    measure_value, measure_rate, spring_length, spring_rate, spring_stretch, spring_force,
    contact_indentation, contact_rate, contact_force, contact_friction, contact_points,
    controller_output, variable,
    body_acceleration, body_angular_acceleration, body_tilt, body_euler, body_momentum, body_angular_momentum,
    body_kinetic, body_potential, marker_position, marker_velocity, marker_acceleration,
    marker_distance, marker_distance_rate, marker_angle, joint_reaction, coupling_force, driver_force, contact_push,
    system_position, system_momentum, system_angular_momentum, system_kinetic, system_potential,
    // clang-format on
  };
  std::string name;
  Kind kind = Kind::body_position;
  int index = 0, component = 0;
  Dimension dimension;
  std::string unit;
};

/// A point of a body that expressions read.
struct Marker {
  std::string name;  // BODY.MARKER
  int body = -1;
  Vec3 point_m;  // from the centre of mass, body axes
};

/// Whose distance (the first two), or angle at the second, is read.
using MarkerSet = std::array<int, 3>;

struct Event {
  enum class Direction { both, rising, falling };
  std::string name;
  Function function;  // crosses zero
  Direction direction = Direction::both;
  bool record = false, stop = false;
  bool once = false;
  std::vector<std::pair<int, bool>> switches;
  std::vector<std::pair<int, Function>> sets;  // variables, from the state before any of them is set
};

struct OutputChannel {
  std::string name, unit;  // the unit is known where the expression is a single quantity
  Function function;
};

struct Provenance {
  std::string source, text, title;
  std::vector<std::string> overrides;
  std::vector<std::string> inputs;  // files that the scene names: checksum and name
};

struct Model {
  Provenance provenance;
  bool planar = false;
  Vec3 gravity_mps2;
  double length_m = 1;       // the size of things, for tolerances
  std::vector<Body> bodies;  // 0 is the ground
  std::vector<geometry::Measure> measures;
  std::vector<Row> rows;
  std::vector<Joint> joints;
  std::vector<Driver> drivers;
  std::vector<Spring> springs;
  std::vector<Force> forces;
  std::vector<geometry::Surface> surfaces;
  std::vector<Contact> contacts;
  std::vector<ContactKind> contact_kinds;
  std::vector<ContactPair> pairs;  // all that are given by name
  MaterialContacts by_materials;
  std::vector<Marker> markers;
  std::vector<MarkerSet> marker_sets;
  std::vector<Channel> channels;
  std::vector<Event> events;
  std::vector<std::string> switches;
  std::vector<char> switched_on;  // at the start
  bool rows_switch = false;       // joints or drivers are off at the start, or switched by events
  std::vector<std::string> variables;
  std::vector<double> variable_start;
  std::vector<OutputChannel> outputs;
  std::vector<Controller> controllers;
  int controller_outputs = 0;  // of all of them
  int sampled_states = 0;      // own states of sampled controllers
  double baumgarte_radps = 0;  // joints are held by Baumgarte's terms with this rate; 0: by projection
  int position_count = 0, velocity_count = 0, followed_count = 0, controlled_count = 0;
  std::vector<double> start;                        // y at t = 0
  std::size_t pieces = 0;                           // of all functions that are smooth on pieces only
  int clocks = 0;                                   // functions and controllers that have break points in time
  std::vector<double> start_angle;                  // of every measure that is an angle: its turn at the start
  std::vector<std::string> undetermined_reactions;  // numbers that redundant rows leave open: JOINT.fx
  std::vector<std::string> warnings;

  /// Without the memories of contacts.
  std::size_t unknowns() const {
    return static_cast<std::size_t>(position_count + velocity_count + followed_count + controlled_count);
  }
  std::vector<std::string> redundant_rows() const;
  /// Two surfaces that touch because of their materials, in the order of their row.
  std::optional<ContactPair> pair_of_materials(std::size_t a, std::size_t b) const;
  const ContactKind& kind_of(const ContactPair& pair) const {
    return contact_kinds[static_cast<std::size_t>(pair.kind)];
  }
  const Contact& contact_of(const ContactPair& pair) const {
    return contacts[static_cast<std::size_t>(kind_of(pair).contact)];
  }
  /// The law of a pair, for its own radii.
  PairLaw law_of(const ContactPair& pair) const;
};

/// Every function that the equations of motion read. (Those of sampled controllers are computed at single instants,
/// those of events and outputs are read off the motion.)
template <class AnyModel, class Each>
void each_function(AnyModel& model, Each&& each) {
  for (auto& driver : model.drivers) each(driver.function);
  for (auto& body : model.bodies)
    for (auto& f : body.motion) each(f);
  for (auto& spring : model.springs) {
    each(spring.rest);
    each(spring.force);
  }
  for (auto& force : model.forces)
    for (auto* set : {&force.force, &force.torque})
      for (auto& f : *set) each(f);
  for (auto& controller : model.controllers)
    if (!(controller.every_s > 0))
      for (auto& f : controller.functions) each(f);
}

}  // namespace percuss::model
