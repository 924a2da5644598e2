// Points on threads; one queue brings the results to the thread that writes.
#include "percuss/study/sweep/workers.h"

#include <algorithm>
#include <cstdlib>

#include "percuss/study/sweep/crew.h"

namespace percuss::study {

Crew::Crew(const Work& work, const std::function<std::vector<std::size_t>()>& next)
    : running_(work.threads), workers_(work.threads, [this, &work, next](const std::stop_token& stop) {
        struct Leaving {  // however it ends
          Crew& crew;
          ~Leaving() {
            const std::scoped_lock lock(crew.mutex_);
            --crew.running_;
            crew.changed_.notify_one();
          }
        } leaving{*this};
        PointRunner runner = work.make_runner();
        for (std::vector<std::size_t> points = next(); !points.empty() && !stop.stop_requested(); points = next()) {
          std::vector<PointResult> results;
          results.reserve(points.size());
          for (const std::size_t p : points) {
            results.push_back(runner.run(p));
            if (stop.stop_requested()) break;
          }
          const std::scoped_lock lock(mutex_);
          done_.push_back(std::move(results));
          changed_.notify_one();
        }
      }) {}

void Crew::stop() {
  workers_.request_stop();
  workers_.join();
}

Crew::Got Crew::wait_for(std::chrono::microseconds time, std::vector<PointResult>& results) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [this] { return !done_.empty() || running_ == 0; });
  if (!done_.empty()) {
    results = std::move(done_.front());
    done_.pop_front();
    return Got::results;
  }
  return running_ == 0 ? Got::all_over : Got::nothing;
}

std::vector<std::size_t> Dealer::next() {
  const std::size_t from = next_.fetch_add(work_.chunk);
  if (from >= work_.points.size()) return {};
  const std::size_t to = std::min(from + work_.chunk, work_.points.size());
  return {work_.points.begin() + static_cast<std::ptrdiff_t>(from),
          work_.points.begin() + static_cast<std::ptrdiff_t>(to)};
}

void work_on_threads(const Work& work) {
  Dealer dealer(work);
  Crew crew(work, [&dealer] { return dealer.next(); });
  for (;;) {
    std::vector<PointResult> results;
    const Crew::Got got = crew.wait_for(std::chrono::milliseconds(100), results);
    if (got == Crew::Got::all_over) return crew.stop();
    if (got == Crew::Got::results && !work.keep(std::move(results))) return;
    if (!work.go_on()) return;
  }
}

}  // namespace percuss::study

namespace percuss::study::ranks {

bool launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "PMI_SIZE"})
    if (std::getenv(name)) return true;
  return false;
}

int launched_size() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* size = std::getenv(name)) return std::max(1, std::atoi(size));
  return 1;
}

}  // namespace percuss::study::ranks
