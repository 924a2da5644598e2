// Ranges and loops.
#include "percuss/report/page_parts.h"

#include <algorithm>
#include <cmath>

namespace percuss::report {

bool changes(const std::vector<double>& values) {
  if (values.empty()) return false;
  const auto [low, high] = std::ranges::minmax(values);
  return high - low > std::max(1e-9 * std::max(std::abs(low), std::abs(high)), 1e-12);
}

Loop while_touching(const recording::FilledTable& contact, const char* other, std::size_t most_samples,
                    bool first_touch_alone) {
  const std::vector<double> points = contact.values_of("points"), depth = contact.values_of("indentation"),
                            values = contact.values_of(other);
  Loop out;
  for (std::size_t i = 0; i < points.size() && out.depth_m.size() < most_samples; ++i) {
    const bool in = points[i] > 0;
    if (!in && (out.depth_m.empty() || std::isnan(out.depth_m.back()))) continue;
    if (!in && first_touch_alone) break;
    out.depth_m.push_back(in ? depth[i] : std::nan(""));
    out.other.push_back(in ? values[i] : std::nan(""));
    out.in_touch += in ? 1 : 0;
  }
  return out;
}

}  // namespace percuss::report
