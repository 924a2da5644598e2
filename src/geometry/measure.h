// A measure is a number that two bodies have between them: a distance, an angle, a coordinate. Joints hold measures
// still, drivers move them, springs resist them, events watch them.
#pragma once

#include "percuss/base/vector.h"

namespace percuss::geometry {

/// Where a body is and how it moves. All vectors in world axes.
struct BodyMotion {
  Vec3 p_m;             // centre of mass
  Mat3 R;               // body axes to world axes
  Vec3 v_mps;           // of the centre of mass
  Vec3 w_radps;         // angular velocity
  double turn_rad = 0;  // of a planar body: its angle, not reduced to one turn
  Vec3 a_mps2,
      alpha_radps2;  // of a body whose motion is prescribed; zero for all others, whose accelerations are sought
};

/// Derivative of a measure in the velocity and angular velocity of one body, world axes. Its transpose is the force
/// and torque that a unit of the measure's multiplier exerts on the body.
struct Gradient {
  Vec3 linear, angular;
};

/// rate = a . velocities of A + b . velocities of B;  rate' = a . accelerations of A + b . ... + bias.
struct MeasureValue {
  double value = 0, rate = 0, bias = 0;
  Gradient a, b;
  // of distances and heights, for contact: where the measure ends on B (from its centre of mass, world axes), and
  // how fast its direction b.linear turns
  Vec3 end_b, direction_rate;
};

/// P, Q are points of A and B, D = Q - P; e, f directions of A and B; all given in body axes. A rim is the circle
/// of radius R about Q with the axis f.
struct Measure {
  enum class Kind {
    world_axis,  // e . D, e fixed in the world
    along,       // e . D, e fixed in A
    directions,  // e . f
    distance,    // |D|
    line,        // distance of Q from the line (P, e)
    lines,       // distance of the lines (P, e) and (Q, f), along e x f, with its sign
    rim_height,  // e . D to the lowest point of the rim of B, or its highest (radius below 0)
    rim_point,   // distance of P from the nearest point of the rim of B
    rim_line,  // distance from the line (P, e) of the farthest point of the rim of B, or the nearest (radius below
               // 0)
    angle,     // of f about the axis e of A, from the reference direction g of A; f stays perpendicular to e
    planar_angle  // the same in a plane, from the turns of the bodies
  };
  Kind kind = Kind::distance;
  int body_a = -1, body_b = -1;  // -1: the ground
  Vec3 point_a, point_b;         // from the centres of mass
  Vec3 direction_a, direction_b, reference_a;
  double offset = 0;    // subtracted from the value
  double radius_m = 0;  // of a rim
};

/// The angle is taken from the turn nearest to `near_rad`.
MeasureValue evaluate(const Measure& measure, const BodyMotion& a, const BodyMotion& b, double near_rad = 0);

/// The same for bodies that move in the plane z = 0, with a third of the arithmetic.
MeasureValue evaluate_in_plane(const Measure& measure, const BodyMotion& a, const BodyMotion& b,
                               double near_rad = 0);

inline bool is_angle(const Measure& m) {
  return m.kind == Measure::Kind::angle || m.kind == Measure::Kind::planar_angle;
}

}  // namespace percuss::geometry
