// What unit forces at contact points do to the constrained system, from one evaluation.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

/// The rate of the gap that velocities u (without the offset of the positions) cause.
double along(const Model& model, const model::Motions& motions, const Approach& a, std::span<const double> u);

/// Second derivative of the depth; and the part of it that gravity causes.
double depth_acceleration(const Model& model, const Evaluation& e, const Approach& a);
double depth_acceleration_by_gravity(const Model& model, const Modes& modes, const Evaluation& e,
                                     const Approach& a);

/// What a unit force along the gap does to it, with the joints and without them.
struct Mobility {
  double constrained = 0, free = 0;  // per kg
  /// Whether a force along the gap moves anything: driven bodies may stand still whatever pushes them.
  bool can_move() const { return constrained > kImmovable * free; }
  static constexpr double kImmovable = 1e-10;  // mobility over that without joints: the joints hold the point
};
Mobility mobility(const Model& model, const Modes& modes, const Evaluation& e, const Approach& a);

/// Effective mass along the contact normal in the constrained system; where the joints leave no mobility (a
/// driven body), that of the bodies alone.
double effective_mass_kg(const Model& model, const Modes& modes, const Evaluation& e, const Approach& a);

/// What unit impulses (or forces) at points do to the constrained system.
struct Responses {
  std::vector<std::vector<double>> velocity;    // [point] changes of the velocities (or accelerations)
  std::vector<std::vector<double>> multiplier;  // [point] impulses (or forces) of the joints' rows
  Eigen::MatrixXd mobility;                     // between the points, per kg
};
Responses responses_to(const Model& model, const Modes& modes, const Evaluation& e,
                       std::span<const Approach> points);

/// Changes of the velocities, and the multipliers of the joints, for a unit force along the gap.
void response_to(const Model& model, const Modes& modes, const Evaluation& e, const Approach& a,
                 std::vector<double>& response, std::vector<double>& multiplier);

/// Adds the same for the wrenches that a contact exerts.
void add_response_to(const Model& model, const Modes& modes, const Evaluation& e, const ContactNow& exerts,
                     std::vector<double>& response, std::vector<double>& multiplier);

}  // namespace percuss::dynamics
