// A Model: flat, checked, constant. Everything the engine needs, and nothing that time changes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/contact/friction.h"
#include "percuss/contact/specification.h"
#include "percuss/expression/program.h"
#include "percuss/geometry/pairs.h"
#include "percuss/joint/table.h"
#include "percuss/ode/integrator.h"

namespace percuss::model {

/// Of the time (slot 0) and of channels (the slots after it).
struct Function {
  static constexpr std::size_t kMostChannels = 63;
  expression::Program program;
  std::vector<int> channels;
  bool is_constant = true;
  double value = 0;  // if constant
  bool of_time_alone() const { return channels.empty(); }
  /// With first and second derivative in time; of functions of time alone.
  expression::Derivatives at(double t_s) const;
};

/// The layout of the unknowns y is [positions | velocities | quadratures].
struct Body {
  enum class Kind { spatial, planar, particle, planar_particle, prescribed };
  std::string name;
  Kind kind = Kind::spatial;
  double mass_kg = 0, per_mass = 0;
  Mat3 inertia_kgm2{}, inverse_inertia{};  // about the centre of mass, body axes
  Vec3 origin_m;                           // of the user's frame, from the centre of mass, body axes
  int q_at = -1, v_at = -1;                // in y; positions are p, then quaternion or turn
  int position_count = 0, velocity_count = 0;
  // prescribed bodies: the centre of mass stands in the origin
  Vec3 at_m;
  Quat rotation;
  double turn_rad = 0;
  Vec3 axis = kAxisZ;
  std::array<Function, 4> motion;  // x, y, z, angle
  bool moves = false;
  int ghost_at = -1;     // quadratures that follow a prescribed motion, for the step control
  int supplied_at = -1;  // quadrature: work done by what prescribes it
};

/// sum of coefficient * measure - target = 0; the target of a driver's row is a function of time.
struct Row {
  struct Term {
    int measure = -1;
    double coefficient = 0;
  };
  std::array<Term, 2> terms;
  int term_count = 1;
  double target = 0;
  int driver = -1, joint = -1;
  bool assembly_only = false;  // holds at the start alone
  bool redundant = false;      // follows from the other rows at every place
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
};

struct Driver {
  std::string name;
  int joint = -1, measure = -1, row = -1;
  Function function;
  bool by_rate = false;
  int s_at = -1;  // position unknown that integrates a given rate
  int supplied_at = -1;
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
  int switch_index = -1;
  int damped_at = -1, supplied_at = -1;
};

struct Force {
  std::string name;
  int body = -1;
  int measure = -1;  // or on a joint coordinate, with force[0]
  Vec3 point_m;      // from the centre of mass, body axes
  std::array<Function, 3> force, torque;
  bool in_body_axes = false;
  int switch_index = -1;
  int supplied_at = -1;
};

/// Two surfaces that can touch, in the order of their row, and what holds there.
struct ContactPair {
  int first = -1, second = -1;  // surfaces
  int kind = -1;
};

/// What all pairs of a contact have in common that are of the same shapes, radii and materials.
struct ContactKind {
  int contact = -1;
  const geometry::PairRow* row = nullptr;
  geometry::Features features = geometry::Features::fixed;  // those of the row; fixed where a hole has no end
  contact::LawSpec spec;
  contact::FrictionLaw friction;
  double radius_m = 0;                     // effective
  double young_Pa = 0, density_kgpm3 = 0;  // of the slower material, for the limits of validity
};

/// An entry of the scene's contact table, or the contact of a clearance joint.
struct Contact {
  std::string name;
  bool persistent = false, allow_initial_overlap = false;
  bool percussion = false;         // collisions take no time, rest is a constraint; else the law's force acts
  double rest_speed_mps = -1;      // below 0: from the load at touch
  int joint = -1;                  // of a clearance joint
  std::vector<ContactPair> pairs;  // those given by name; pairs of materials are found where they come near
  bool by_materials = false;
};

/// A number that can be read off the state: for expressions, events and outputs.
struct Channel {
  enum class Kind {
    // clang-format off
    body_position, body_velocity, body_turn, body_angular_velocity,
    measure_value, measure_rate, spring_force, contact_depth, contact_rate, contact_force, contact_friction,
    // clang-format on
  };
  std::string name;
  Kind kind = Kind::body_position;
  int index = 0, component = 0;
  Dimension dimension;
};

struct Event {
  enum class Direction { both, rising, falling };
  std::string name;
  Function function;  // crosses zero
  Direction direction = Direction::both;
  bool record = false, stop = false;
  std::vector<std::pair<int, bool>> switches;
};

struct OutputChannel {
  std::string name;
  Function function;
};

struct Solver {
  const ode::IntegratorRow* integrator = nullptr;
  double duration_s = 1, tolerance = 1e-9, step_s = 0, largest_step_s = 0;
  double baumgarte_radps = 0;  // 0: projection
  bool hand_over_when_stiff = true;
  long most_steps = 10'000'000;
};

struct Provenance {
  std::string source, text, title;
  std::vector<std::string> overrides;
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
  std::vector<int> kind_of;        // [surface * surfaces + surface]: of pairs of materials; empty if there are none
  std::vector<Channel> channels;
  std::vector<Event> events;
  std::vector<std::string> switches;
  std::vector<char> switched_on;  // at the start
  Solver solver;
  std::vector<double> sample_times_s;
  double sample_every_s = 0;
  bool sample_in_contact = false;
  std::vector<OutputChannel> outputs;
  int position_count = 0, velocity_count = 0, quadrature_count = 0;
  std::vector<double> start;        // y at t = 0
  std::vector<double> start_angle;  // of every measure that is an angle: its turn at the start
  std::vector<std::string> warnings;

  std::size_t unknowns() const {
    return static_cast<std::size_t>(position_count + velocity_count + quadrature_count);
  }
  std::vector<std::string> redundant_rows() const;
  /// Two surfaces that touch because of their materials, in the order of their row.
  std::optional<ContactPair> pair_of_materials(std::size_t a, std::size_t b) const;
  /// All that can touch, by name or by their materials; at most so many.
  std::vector<ContactPair> all_pairs(std::size_t most = std::numeric_limits<std::size_t>::max()) const;
};

}  // namespace percuss::model
