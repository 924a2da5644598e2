// Model to Recording.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "percuss/dynamics/observers/samples.h"
#include "percuss/dynamics/simulation.h"
#include "percuss/model/compile.h"
#include "percuss/recording/recording.h"

namespace percuss::dynamics {

/// A run as it stands: its State and what its observers have gathered.
struct Checkpoint {
  Bytes state, observers;
};

struct Options {
  recording::Sink* sink = nullptr;  // receives the samples as they come
  bool keep_samples = false;        // in the Recording
  /// Called after every step with the time reached; false: end here with what there is.
  std::function<bool(double t_s)> go_on;
  std::size_t most_impacts_kept = 10'000;  // in the Recording; the sink receives all
  std::optional<State> from;               // otherwise from the start of the model
  std::vector<Observer*> observers;        // further ones
  Profile* profile = nullptr;              // where the time goes is added up there
  /// Asked after every step: is a checkpoint due? One is kept then, and where the run is interrupted.
  std::function<bool()> wants_checkpoint;
  std::function<void(const Checkpoint&)> keep_checkpoint;
  const Checkpoint* resume = nullptr;  // goes on from there; the sink has the rows up to it
};

/// To the end. A checkpoint that does not fit is a failure before the first step.
recording::Recording simulate(const Model& model, const Settings& settings, const Options& options = {});
inline recording::Recording simulate(const model::Compiled& compiled, const Options& options = {}) {
  return simulate(compiled.model, compiled.settings, options);
}

}  // namespace percuss::dynamics
