// What the terminal can show.
#pragma once

#include <string>

#include "percuss/report/numbers.h"

namespace percuss::cli {

/// Of stdout: as wide as the terminal, 80 columns where there is none (or as many as COLUMNS says); colours on a
/// terminal unless NO_COLOR is set.
report::Style terminal_style();

/// "error:" and "warning:" in colour, where stderr is a terminal and NO_COLOR is not set.
std::string coloured_messages(const std::string& text);

}  // namespace percuss::cli
