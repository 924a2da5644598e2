// All of a Recording but its tables as names and texts, which is how files hold it, and back.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "percuss/recording/recording.h"

namespace percuss::recording {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// What a file says from the start, and what it says once the run is over.
Facts opening_facts(const Head& head);
Facts closing_facts(const Recording& recording);

/// Names that are not known are left alone: a newer program may have written them. A run whose file lacks an end
/// was killed.
void set_facts(const Facts& facts, Recording& recording);

}  // namespace percuss::recording
