// Times as the best of many short runs, and ratios between things timed in turn in one process.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <vector>

namespace percuss::bench {

/// The best time of one call, in seconds. Each candidate runs once in every round, so that a slow moment of the
/// machine hits all alike.
inline std::vector<double> best_times_s(const std::vector<std::function<void()>>& candidates,
                                        double seconds = 0.4) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> best(candidates.size(), std::numeric_limits<double>::infinity());
  const auto start = Clock::now();
  int rounds = 0;
  do {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto before = Clock::now();
      candidates[i]();
      benchmark::ClobberMemory();
      best[i] = std::min(best[i], std::chrono::duration<double>(Clock::now() - before).count());
    }
  } while (++rounds < 3 || std::chrono::duration<double>(Clock::now() - start).count() <
                               seconds * static_cast<double>(candidates.size()));
  return best;
}

}  // namespace percuss::bench
