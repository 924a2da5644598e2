// The summary of a run: what a person trusts, on a screen.
#pragma once

#include <optional>
#include <string>

#include "percuss/recording/recording.h"
#include "percuss/report/numbers.h"

namespace percuss::report {

/// What ran, impacts (long lists folded), energy balance with its error. Without the time that it took, the summary
/// of a file is that of the run.
std::string summary_text(const recording::Recording& recording, std::optional<double> wall_s = {},
                         const Style& style = {});
/// JOINT.fx, JOINT.fy as: JOINT (fx fy).
std::string undetermined_text(const std::vector<std::string>& reactions);
/// The predictability horizon in a sentence; the recording has one.
std::string horizon_text(const recording::Recording& recording);
std::string summary_json(const recording::Recording& recording, std::optional<double> wall_s = {});

}  // namespace percuss::report
