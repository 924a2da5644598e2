// What is known of a run beside its tables: names and texts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "percuss/recording/recording.h"

namespace percuss::recording {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Of a run that is over: how it ended, its fingerprint, its energy balance, its warnings and the model's.
Facts closing_facts(const Recording& recording, const std::vector<std::string>& model_warnings);
/// "complete" or "partial".
std::string status_of(const Recording& recording);

}  // namespace percuss::recording
