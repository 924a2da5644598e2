// Back onto the constraints: what integration leaves of the joints' errors is taken away.
#pragma once

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

/// Positions and velocities onto the joints, one Newton step each in the metric of the masses. What is returned:
/// positions after the correction, velocities before it.
Residuals project_onto_joints(const Model& model, double t_s, const Modes& modes, Workspace& workspace,
                              std::span<double> y);
/// How far off the joints are, where Baumgarte's terms hold them.
Residuals joint_residuals(const Model& model, double t_s, const Modes& modes, Workspace& workspace,
                          std::span<const double> y);
/// Contacts at rest that press, back to where they rest and without a rate.
void project_rest(const Model& model, double t_s, const Modes& modes, Workspace& workspace, std::span<double> y);
/// The deflection of a contact spring does not exceed its limit; memories lie in the surface.
void cut_back_memories(const Model& model, const Modes& modes, const model::Motions& motions, Workspace& workspace,
                       std::span<double> y);

}  // namespace percuss::dynamics
