// Model to Recording.
#pragma once

#include <functional>

#include "percuss/model/model.h"
#include "percuss/recording/recording.h"

namespace percuss::dynamics {

struct Options {
  recording::Sink* sink = nullptr;
  /// Called after every step with the time reached; false: end here with what there is.
  std::function<bool(double t_s)> go_on;
  std::size_t most_impacts_kept = 10'000;  // in the Recording; the sink receives all
};

recording::Recording simulate(const model::Model& model, const Options& options = {});

/// The tables that a sink receives for this model.
std::vector<recording::Table> tables_of(const model::Model& model);

}  // namespace percuss::dynamics
