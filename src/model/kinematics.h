// Where the bodies are, from the unknowns and the time.
#pragma once

#include <span>
#include <vector>

#include "percuss/model/model.h"

namespace percuss::model {

using Motions = std::vector<geometry::BodyMotion>;

void place_bodies(const Model& model, double t_s, std::span<const double> y, Motions& out);

/// The motion of a prescribed body.
geometry::BodyMotion prescribed_motion(const Body& body, double t_s);

/// Slopes of the position unknowns.
void position_slopes(const Model& model, double t_s, std::span<const double> y, std::span<double> dydt);

/// A displacement in the units of velocities, applied to the positions (quaternions by the exponential).
void displace(const Model& model, std::span<const double> step, std::span<double> y);

/// Quaternions of length 1 again.
void normalise(const Model& model, std::span<double> y);

/// A gradient or wrench in the velocity unknowns of a body: `velocity_count` numbers.
void reduce(const Body& body, const geometry::BodyMotion& motion, const geometry::Gradient& gradient, double* out);

/// M^-1 times such a gradient.
void respond(const Body& body, const double* reduced, double* out);

/// Velocity of the point r (world axes, from the centre of mass).
inline Vec3 point_velocity(const geometry::BodyMotion& m, const Vec3& r) { return m.v_mps + cross(m.w_radps, r); }

/// Kinetic and gravitational potential energy.
double kinetic_J(const Model& model, std::span<const double> y);
double potential_J(const Model& model, const Motions& motions);

}  // namespace percuss::model
