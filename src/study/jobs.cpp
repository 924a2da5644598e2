// Threads.
#include "percuss/study/jobs.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace percuss::study {

bool do_jobs(std::size_t count, unsigned threads, const Progress& progress,
             const std::function<void(std::size_t number, const std::function<bool()>& go_on)>& job) {
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> ended = false;
  std::mutex asking;
  const std::function<bool()> go_on = [&] {
    if (ended || !progress) return !ended;
    // jobs ask at every step: whoever finds another asking takes the last answer
    if (const std::unique_lock lock(asking, std::try_to_lock); lock && !progress(done, count)) ended = true;
    return !ended;
  };
  std::exception_ptr thrown;  // the first, for who called
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count && !ended; i = next++) {
        job(i, go_on);
        ++done;
        go_on();
      }
    } catch (...) {
      const std::scoped_lock lock(asking);
      if (!thrown) thrown = std::current_exception();
      ended = true;
    }
  };
  {
    const std::size_t cores = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(cores, count); ++t) others.emplace_back(work);
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
  return !ended;
}

}  // namespace percuss::study
