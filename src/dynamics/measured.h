// What is read of markers, of all bodies together, and of what follows from the forces.
#pragma once

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

/// The channels that `channel` of reading.h leaves to this room.
double measured(const Model& model, const Modes& modes, const Evaluation& e, const model::Channel& channel);

/// The bodies it depends on; nothing where that may be all of them.
std::optional<std::vector<int>> bodies_measured(const Model& model, const model::Channel& channel);

/// Does it need the accelerations?
bool needs_forces(model::Channel::Kind kind);

}  // namespace percuss::dynamics
