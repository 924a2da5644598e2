// Parts that several pages share: what of a table is worth a plot.
#pragma once

#include <cstddef>
#include <vector>

#include "percuss/recording/table.h"

namespace percuss::report {

/// Does it change by more than rounding?
bool changes(const std::vector<double>& values);

/// Columns of a contact's table over its indentation while it touches; nan stands between one touch and the next.
struct Loop {
  std::vector<double> depth_m, other;
  std::size_t in_touch = 0;  // samples
};
Loop while_touching(const recording::FilledTable& contact, const char* other, std::size_t most_samples,
                    bool first_touch_alone = false);

}  // namespace percuss::report
