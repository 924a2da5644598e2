// Collisions at several points at once, linear by parts (Barjau, Batlle and Font-Llagunes).
//
// The places of the bodies are frozen. Every point is a stiff spring, of one of two kinds that are linear by parts:
//   with dry friction beside it (Batlle 2001): the force is k (1 + mu) x in compression and k (1 - mu) x in
//     expansion, x the indentation;
//   elastoplastic (Walton and Braun 1986; the bi-stiffness of Liu, Zhao and Brogliato): k x in loading; below the
//     deepest indentation x_m the steeper line w k (x - x_p), x_p = x_m (1 - 1/w), in either direction.
// The velocities after the collision follow from a sequence of vibrations, each solved in closed form; the theory
// is in docs/theory/collisions.md.
#pragma once

#include <Eigen/Core>
#include <string_view>
#include <vector>

namespace percuss::collision {

struct Point {
  double stiffness_Npm = 1;  // only the ratios matter for the velocities
  double friction = 0;       // mu; 1 and above: perfectly plastic
  double gap_m = 0;          // before the collision
  double steepening = 1;     // w; above 1 elastoplastic, and mu is 0
  double sliding = 0;        // coefficient of friction along the surface: |T| <= sliding F
  double shear = 1;          // k_t/k: of the tangential spring; acts if `sliding` is above 0
};

/// mu of an energetic coefficient of restitution e_w (for one point also Newton's): e_w^2 = (1 - mu)/(1 + mu).
inline double friction_of_restitution(double e) { return (1 - e * e) / (1 + e * e); }
/// An elastoplastic point that unloads this much more steeply than it loads: e_w^2 = 1/w. Beyond 1e12 the unloading
/// line is a wall: the same as a point of mu = 1 with the same force in compression.
Point elastoplastic(double stiffness_Npm, double steepening, double gap_m = 0);

/// Directions along the surfaces, for friction. With rows T of slip (slip speeds T v) the mobility is that of all
/// rows, [J; T] M^-1 [J; T]^T: the normals first, then the directions of point 0, of point 1, ...
struct Tangents {
  Eigen::Index directions = 0;  // per point: 1 in the plane, 2 (at right angles) in space; 0: no friction
  Eigen::MatrixXd mobility;     // per kg
  Eigen::VectorXd slip_mps;     // before
};

/// In the space of the contact points: x'' = -W F, W = J M^-1 J^T of the constrained system.
struct Collision {
  Eigen::MatrixXd mobility;      // W, per kg; symmetric, positive semidefinite
  Eigen::VectorXd approach_mps;  // x' before, positive: approaching
  std::vector<Point> points;
  Tangents tangents = {};

  bool has_friction() const;  // friction acts at a point
};

enum class Sense : char {
  apart,
  compressing,
  expanding,
  held,
  unloading  // on the steeper line of an elastoplastic point, in either direction
};
std::string_view name_of(Sense sense);

/// What the surfaces do along each other.
enum class Grip : char { none, sticking, slipping };
std::string_view name_of(Grip grip);

/// What ends a phase.
struct Change {
  enum class What : char { touches, separates, turns, slips, yields, starts_to_slip, sticks };
  Eigen::Index point = 0;
  What what = What::touches;
};
std::string_view name_of(Change::What what);

struct Phase {
  double start_s = 0, end_s = 0;
  std::vector<Sense> sense;                        // [point]
  Eigen::VectorXd frequencies_radps;               // of the active points; zeros where points are redundant
  Eigen::VectorXd depth_m, approach_mps, force_N;  // [point] at its start
  std::vector<Change> changes;                     // at its end
  // with friction only; frequencies are then those of the active points and sticking directions
  std::vector<Grip> grip;      // [point]
  Eigen::MatrixXd friction_N;  // [direction, point] along the tangents, at its start
  double growth_1ps = 0;       // the fastest growth of a mode; 0: none grows
  bool jams = false;           // a mode grows without vibrating: slip presses the surfaces together
};

struct Outcome {
  enum class End {
    complete,     // no point presses and none approaches
    accumulated,  // phases became ever shorter: what was left ended plastically, at most `undecided_J`
    endless       // a vibration without an event: nothing separates the points
  };
  End end = End::complete;
  double undecided_J = 0;
  Eigen::VectorXd impulse_Ns, approach_mps, lost_J, peak_indentation_m, peak_force_N, dent_m;  // [point]
  std::vector<Phase> phases;
  // with friction only
  Eigen::VectorXd friction_Ns, slip_mps;  // [point * directions + direction] impulses along the tangents; after
  Eigen::VectorXd friction_J;             // [point] what friction took
};

/// Energies below this part of the initial one that are still on the move after many phases are left undecided.
inline constexpr double kUndecided = 1e-24;

Outcome collide(const Collision& collision);

}  // namespace percuss::collision
