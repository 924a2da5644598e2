// Contacts at rest after impulsive collisions: whether they still press.
#pragma once

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

inline constexpr double kNoAcceleration = 1e-9;  // of gravity and the accelerations in play

/// The force of a contact at rest; where it has ended, minus the force that would be needed to hold it. One that
/// others hold presses by nothing, but it does not open.
double pressing_N(const Model& model, const Modes& modes, const Evaluation& e, std::size_t contact);

/// Of a contact that a dry law holds: below zero the force that is left to the edge of its band, above zero what
/// would be needed beyond the edge where it is; and what rounding leaves uncertain of it.
struct Beyond {
  double force_N = 0, noise_N = 0;
};
Beyond beyond_band(const Model& model, const Modes& modes, const Evaluation& e, std::size_t contact);

}  // namespace percuss::dynamics
