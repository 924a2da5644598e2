// Progress of jobs.
#include "percuss/study/jobs.h"

#include <atomic>
#include <mutex>

#include "percuss/base/pool.h"

namespace percuss::study {

bool do_jobs(std::size_t count, unsigned threads, const Progress& progress,
             const std::function<void(std::size_t number, const std::function<bool()>& go_on)>& job) {
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> ended = false;
  std::mutex asking;
  const std::function<bool()> go_on = [&] {
    if (ended || !progress) return !ended;
    // jobs ask at every step: whoever finds another asking takes the last answer
    if (const std::unique_lock lock(asking, std::try_to_lock); lock && !progress(done, count)) ended = true;
    return !ended;
  };
  return for_each_index(count, threads, [&](std::size_t i) {
    job(i, go_on);
    ++done;
    return go_on();
  });
}

}  // namespace percuss::study
