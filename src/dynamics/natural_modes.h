// How a scene vibrates about a place at rest: natural frequencies, damping and shapes.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

/// A solution shape * exp(rate t) of the linearised motion.
struct NaturalMode {
  enum class Kind {
    rigid_body,   // nothing brings it back: rate 0
    oscillation,  // of decreasing or constant amplitude
    decay,        // back without oscillation
    unstable      // the amplitude grows
  };
  Kind kind = Kind::oscillation;
  std::complex<double> rate_radps;          // of two that are conjugate the one that turns forwards
  std::vector<std::complex<double>> shape;  // [velocity unknown] displacements; the largest way of a body is 1
  std::vector<double> energy_share;         // [body] of the kinetic energy

  double natural_frequency_Hz() const;  // |rate|/(2 pi); 0 without oscillation
  double damped_frequency_Hz() const;   // at which it is seen
  double damping_ratio() const;         // -Re rate/|rate|
  double time_constant_s() const;       // in which the amplitude changes by a factor e; infinity if it does not
};
std::string_view name_of(NaturalMode::Kind kind);

struct NaturalModes {
  std::vector<NaturalMode> modes;    // rigid-body motions first, then by the size of the rate
  double acceleration_mps2 = 0;      // the largest at the place; turns times the size of things
  int worst_body = 0;                // that has it
  std::vector<std::string> remarks;  // where the linearised motion is not the whole one
};

/// About a State without velocities: `find_equilibrium`, or `standing_still`. Drivers and prescribed motions are
/// held. Contacts count with the slopes of their normal and friction laws; friction memories follow the motion as
/// springs. Weaknesses: contacts at the edge of touch, dry laws and contact springs under load have another slope
/// on each side (see remarks); sampled controllers hold their outputs, and the own states of continuous ones stand
/// still.
NaturalModes natural_modes(const Model& model, const State& about);

}  // namespace percuss::dynamics
