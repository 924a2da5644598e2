// Numbers computed from what a scene measures, by expressions or by a user's function, for forces to use.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "percuss/expression/breaks.h"

namespace percuss::model {

/// A time, and the pieces that the functions of a model are on there: at a break point they say which side is
/// meant. Without pieces it is the right side.
struct Moment {
  double t_s = 0;
  expression::Pieces pieces{};        // of all functions of the model
  std::span<const double> shifts{};   // [row] of joints and drivers that were engaged where their bodies were then
  Moment(double t_s_) : t_s(t_s_) {}  // NOLINT: a time is a moment
  Moment(double t_s_, expression::Pieces pieces_, std::span<const double> shifts_ = {})
      : t_s(t_s_), pieces(pieces_), shifts(shifts_) {}
};

/// Of the time (slot 0) and of channels (the slots after it).
struct Function {
  static constexpr std::size_t kMostChannels = 63;
  expression::Program program;
  std::vector<int> channels;
  bool is_constant = true;
  double value = 0;  // if constant
  // of one that is smooth on pieces only
  std::vector<expression::Site> sites;
  int pieces_at = -1;  // of its sites, among the pieces of all functions
  int clock = -1;      // its number among those that have break points in time
  bool of_time_alone() const { return channels.empty(); }
  bool is_piecewise() const { return pieces_at >= 0; }
  bool has_breaks() const;          // break points in time
  bool has_state_switches() const;  // pieces that the motion decides
  expression::Pieces own(expression::Pieces all) const {
    return all.subspan(static_cast<std::size_t>(pieces_at), sites.size());
  }
  /// With first and second derivative in time; of functions of time alone.
  expression::Derivatives at(const Moment& moment) const {
    return is_constant ? expression::Derivatives{value, 0, 0} : differentiated(moment);
  }

 private:
  expression::Derivatives differentiated(const Moment& moment) const;
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
  // of a continuous controller whose function is not smooth in time: no step crosses a break point, and the time
  // that the function is called with lies inside the open interval between two of them
  std::vector<double> breaks_s;                      // rising; or
  std::function<double(double after_s)> next_break;  // the first one after a time; infinity: there is none
  double largest_step_s = 0;                         // 0: as large as the motion allows
  int clock = -1;                                    // as of a Function
  bool has_breaks() const { return !breaks_s.empty() || next_break; }
  int first_output = 0;  // among the outputs of all controllers
  int states_at = -1;    // in y, of a continuous controller; in Modes::controller_states of a sampled one
};

}  // namespace percuss::model
