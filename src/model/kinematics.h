// Where the bodies are, from the unknowns and the time.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "percuss/model/model.h"

namespace percuss::model {

using Motions = std::vector<geometry::BodyMotion>;

void place_bodies(const Model& model, const Moment& moment, std::span<const double> y, Motions& out);

/// One body that has unknowns, from its own: positions q and velocities v.
void place_body(const Body& body, const double* q, const double* v, geometry::BodyMotion& out);

/// The motion of a prescribed body.
geometry::BodyMotion prescribed_motion(const Body& body, const Moment& moment);

/// Slopes of the position unknowns.
void position_slopes(const Model& model, const Moment& moment, std::span<const double> y, std::span<double> dydt);

/// A displacement in the units of velocities, applied to the positions (quaternions by the exponential).
void displace(const Model& model, std::span<const double> step, std::span<double> y);

/// Has a position jumped, more than by rounding?
inline bool jumps(double before, double after, double length_m) {
  constexpr double kNoJump = 1e-9;  // of the size of things, and of the numbers
  return !(std::abs(after - before) <= kNoJump * std::max({length_m, std::abs(before), std::abs(after)}));
}

/// Quaternions of length 1 again.
void normalise(const Model& model, std::span<double> y);

/// A gradient or wrench in the velocity unknowns of a body: `velocity_count` numbers.
inline void reduce(const Body& body, const geometry::BodyMotion& motion, const geometry::Gradient& g, double* out) {
  switch (body.kind) {
    case Body::Kind::spatial: {
      const Vec3 w = transposed_times(motion.R, g.angular);
      out[0] = g.linear.x, out[1] = g.linear.y, out[2] = g.linear.z;
      out[3] = w.x, out[4] = w.y, out[5] = w.z;
      break;
    }
    case Body::Kind::planar: out[0] = g.linear.x, out[1] = g.linear.y, out[2] = g.angular.z; break;
    case Body::Kind::particle: out[0] = g.linear.x, out[1] = g.linear.y, out[2] = g.linear.z; break;
    case Body::Kind::planar_particle: out[0] = g.linear.x, out[1] = g.linear.y; break;
    case Body::Kind::prescribed: break;
  }
}

/// M^-1 times such a gradient.
inline void respond(const Body& b, const double* j, double* out) {
  switch (b.kind) {
    case Body::Kind::spatial: {
      for (int k = 0; k < 3; ++k) out[k] = b.per_mass * j[k];
      const Vec3 w = b.inverse_inertia * Vec3{j[3], j[4], j[5]};
      out[3] = w.x, out[4] = w.y, out[5] = w.z;
      break;
    }
    case Body::Kind::planar:
      out[0] = b.per_mass * j[0], out[1] = b.per_mass * j[1], out[2] = b.inverse_inertia.row[2].z * j[2];
      break;
    default:
      for (int k = 0; k < b.velocity_count; ++k) out[k] = b.per_mass * j[k];
  }
}

/// The length of a line contact of two surfaces; 0 where the row is none.
double line_length_m(const geometry::PairRow& row, const geometry::Surface& first, const geometry::Surface& second);

/// Velocity of the point r (world axes, from the centre of mass).
inline Vec3 point_velocity(const geometry::BodyMotion& m, const Vec3& r) { return m.v_mps + cross(m.w_radps, r); }

/// Kinetic and gravitational potential energy.
double kinetic_J(const Model& model, std::span<const double> y);
double potential_J(const Model& model, const Motions& motions);

}  // namespace percuss::model
