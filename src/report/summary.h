// The summary of a run: what a person trusts, on a screen.
#pragma once

#include <string>

#include "percuss/model/compile.h"
#include "percuss/recording/recording.h"

namespace percuss::report {

/// What the model is: bodies, joints, degrees of freedom, redundant rows.
std::string describe(const model::Model& model);

/// What ran, impacts (long lists folded), ledger with the gap, warnings.
std::string summary_text(const model::Compiled& compiled, const recording::Recording& recording, double wall_s);
std::string summary_json(const model::Compiled& compiled, const recording::Recording& recording, double wall_s);

}  // namespace percuss::report
