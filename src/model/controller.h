// Numbers computed from what a scene measures, by expressions or by a user's function, for forces to use.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "percuss/expression/program.h"

namespace percuss::model {

/// Of the time (slot 0) and of channels (the slots after it).
struct Function {
  static constexpr std::size_t kMostChannels = 63;
  expression::Program program;
  std::vector<int> channels;
  bool is_constant = true;
  double value = 0;  // if constant
  bool of_time_alone() const { return channels.empty(); }
  /// With first and second derivative in time; of functions of time alone.
  expression::Derivatives at(double t_s) const;
};

/// One call of a user's function.
struct ControllerCall {
  double t_s = 0;
  std::span<const double> reads;   // what it measures, in the order of Controller::reads
  std::span<const double> states;  // its own
  std::span<double> outputs;
  /// What becomes of its own states: their rates, or, of a sampled controller, their values until the next sample.
  std::span<double> next;
};

/// A pure function of its call: the engine calls it at trial places, several times at the same time, and from
/// several threads. Returns what went wrong, or nothing; then the run goes back to its last accepted step.
using ControllerFunction = std::function<std::string(const ControllerCall&)>;

/// Sampled (every_s > 0): computed at the multiples of this time, from the state there, and held between.
/// Continuous otherwise: its outputs and the rates of its own states are part of the equations of motion.
struct Controller {
  std::string name;
  double every_s = 0;
  std::vector<Function> functions;  // one per output; or
  ControllerFunction call;          // a user's function
  std::vector<int> reads;           // channels
  std::size_t outputs = 0;
  std::vector<double> start;  // of its own states
  int first_output = 0;       // among the outputs of all controllers
  int states_at = -1;         // in y, of a continuous controller; in Modes::controller_states of a sampled one
};

}  // namespace percuss::model
