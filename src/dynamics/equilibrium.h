// Static equilibrium: where nothing accelerates, with contacts, springs and friction memories loaded.
#pragma once

#include <string>

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

struct Equilibrium {
  State state;                   // has not begun: a Simulation begins with its contacts and their memories
  std::string failure;           // empty: found. Otherwise one line on what did not come to balance
  double acceleration_mps2 = 0;  // the largest that is left of a body; turns times the characteristic length
  double allowed_mps2 = 0;       // what it had to be below
  int iterations = 0;
  bool is_found() const { return failure.empty(); }
};

/// From a State, by a damped Newton iteration along the forces: where they lead slowly, so that bodies fall onto
/// what carries them. Velocities are zero; drivers and prescribed motions stay where they are at the State's time.
/// Friction memories (bristles, contact springs) are deflected by the way and slide at their limit.
///
/// Weaknesses. The equilibrium of friction depends on the way: this is the one of a slow way from the start. An
/// equilibrium that the start stands on exactly is taken, stable or not. Contacts with an impulsive response have
/// no indentation and are refused. Sampled controllers hold the outputs that the State has.
Equilibrium find_equilibrium(const Model& model, const Settings& settings, const State& start);

/// As it stands, without velocities and with the contacts that overlap there.
State standing_still(const Model& model, const Settings& settings, const State& start);

/// Where a run begins: at the start of the model, or at the equilibrium near it if the settings ask for it.
Equilibrium starting_state(const Model& model, const Settings& settings);

}  // namespace percuss::dynamics
