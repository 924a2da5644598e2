// Threads are made for each piece of work and joined at its end: nothing runs, and nothing is kept, in between.
#include "percuss/base/pool.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace percuss {

namespace {

/// Does this thread share the cores with others that work?
thread_local bool shares_cores = false;

class Sharing {
 public:
  explicit Sharing(bool shares) : before_(shares_cores) { shares_cores = before_ || shares; }
  ~Sharing() { shares_cores = before_; }
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

 private:
  bool before_;
};

}  // namespace

unsigned threads_for(unsigned asked) {
  if (shares_cores) return 1;
  return asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

Workers::Workers(unsigned count, std::function<void(const std::stop_token&)> body) : body_(std::move(body)) {
  threads_.reserve(count);
  const auto work = [this] {
    const Sharing sharing(true);
    try {
      body_(stop_.get_token());
    } catch (...) {
      const std::scoped_lock lock(throwing_);
      if (!thrown_) thrown_ = std::current_exception();
      stop_.request_stop();
    }
  };
  try {
    for (unsigned t = 0; t < count; ++t) threads_.emplace_back(work);
  } catch (...) {  // the system has no more threads: those that run must end before this is gone
    stop_.request_stop();
    wait();
    throw;
  }
}

Workers::~Workers() {
  stop_.request_stop();
  wait();
}

void Workers::request_stop() { stop_.request_stop(); }

void Workers::wait() {
  for (std::thread& t : threads_)
    if (t.joinable()) t.join();
}

void Workers::join() {
  wait();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

bool for_each_index(std::size_t count, unsigned threads, const std::function<bool(std::size_t)>& job) {
  const auto at_work = static_cast<unsigned>(std::min<std::size_t>(threads_for(threads), count));
  if (at_work <= 1) {
    for (std::size_t i = 0; i < count; ++i)
      if (!job(i)) return false;
    return true;
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> ended = false;
  const auto work = [&](const std::stop_token& stop) {
    for (std::size_t i = next++; i < count && !ended && !stop.stop_requested(); i = next++)
      if (!job(i)) ended = true;
  };
  Workers others(at_work - 1, work);
  std::stop_source never;
  std::exception_ptr thrown;
  try {
    const Sharing sharing(true);
    work(never.get_token());
  } catch (...) {
    thrown = std::current_exception();
    ended = true;
  }
  others.join();
  if (thrown) std::rethrow_exception(thrown);
  return !ended;
}

void for_each_range(std::size_t count, unsigned threads, const Shares& shares,
                    const std::function<void(std::size_t from, std::size_t to)>& job) {
  const std::size_t parts =
      std::min<std::size_t>(threads_for(threads), count / std::max<std::size_t>(shares.least, 1));
  if (parts <= 1) {
    if (count > 0) job(0, count);
    return;
  }
  const auto bound = [&](std::size_t s) {
    return s == parts ? count : count * s / parts / shares.aligned * shares.aligned;
  };
  for_each_index(parts, static_cast<unsigned>(parts), [&](std::size_t s) {
    job(bound(s), bound(s + 1));
    return true;
  });
}

}  // namespace percuss
