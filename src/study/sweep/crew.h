// Threads that compute points, and the queue their results come by.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "percuss/base/pool.h"
#include "percuss/study/sweep/workers.h"

namespace percuss::study {

/// Deals points out, chunk by chunk, to whoever asks.
class Dealer {
 public:
  explicit Dealer(const Work& work) : work_(work) {}
  /// Empty: there are no more.
  std::vector<std::size_t> next();
  void stop() { next_ = work_.points.size(); }

 private:
  const Work& work_;
  std::atomic<std::size_t> next_ = 0;
};

class Crew {
 public:
  /// `next` gives a thread its points; none: it goes home.
  Crew(const Work& work, const std::function<std::vector<std::size_t>()>& next);
  enum class Got { results, nothing, all_over };
  /// The next results, if any come in this time.
  Got wait_for(std::chrono::microseconds time, std::vector<PointResult>& results);
  /// Ends the work, or, when it is over, sees whether all went well: throws what a thread threw.
  void stop();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<PointResult>> done_;
  unsigned running_;
  Workers workers_;  // last: the others outlive it
};

}  // namespace percuss::study
