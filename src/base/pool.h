// Work on several threads: the one place where threads are made.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace percuss {

/// How many threads a request for `asked` gets here: 0 means as many as there are cores. Work that already shares
/// the cores with other work gets one: who asks from inside such work runs serially.
unsigned threads_for(unsigned asked);

/// Calls job(0) .. job(count - 1), each once, in any order; every thread takes the next that is left. The caller's
/// thread works too. A job that returns false ends the work: those that run are finished, no other begins. So does
/// one that throws; the first exception comes out here. True: all were done. Results written by index do not depend
/// on the number of threads.
bool for_each_index(std::size_t count, unsigned threads, const std::function<bool(std::size_t)>& job);

/// How 0 .. count - 1 is cut into one range per thread.
struct Shares {
  std::size_t least = 1;    // a shorter range is not worth a thread
  std::size_t aligned = 1;  // ranges begin at its multiples
};
/// Calls job(from, to) for ranges that follow each other without gaps.
void for_each_range(std::size_t count, unsigned threads, const Shares& shares,
                    const std::function<void(std::size_t from, std::size_t to)>& job);

/// Threads that run `body` beside the caller's, until it returns.
class Workers {
 public:
  Workers(unsigned count, std::function<void(const std::stop_token&)> body);
  ~Workers();  // asks them to stop, and waits
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void request_stop();
  /// Waits for all, then throws what one of them threw first.
  void join();

 private:
  void wait();
  std::function<void(const std::stop_token&)> body_;
  std::stop_source stop_;
  std::mutex throwing_;
  std::exception_ptr thrown_;
  std::vector<std::thread> threads_;
};

}  // namespace percuss
