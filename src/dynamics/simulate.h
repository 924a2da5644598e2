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

struct Options {
  recording::Sink* sink = nullptr;
  /// Called after every step with the time reached; false: end here with what there is.
  std::function<bool(double t_s)> go_on;
  std::size_t most_impacts_kept = 10'000;  // in the Recording; the sink receives all
  std::optional<State> from;               // otherwise from the start of the model
  std::vector<Observer*> observers;        // further ones
  Profile* profile = nullptr;              // where the time goes is added up there
};

recording::Recording simulate(const Model& model, const Settings& settings, const Options& options = {});
inline recording::Recording simulate(const model::Compiled& compiled, const Options& options = {}) {
  return simulate(compiled.model, compiled.settings, options);
}

}  // namespace percuss::dynamics
