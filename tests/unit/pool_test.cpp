// The pool of threads; run under TSan, too.
#include "percuss/base/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

namespace percuss {
namespace {

constexpr unsigned kThreads = 4;

TEST(Pool, DoesEveryIndexOnce) {
  for (const unsigned threads : {0U, 1U, 2U, kThreads, 50U})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
      std::vector<int> times(count, 0);
      EXPECT_TRUE(for_each_index(count, threads, [&](std::size_t i) { return ++times[i] == 1; }));
      EXPECT_EQ(std::accumulate(times.begin(), times.end(), std::size_t{0}), count) << threads;
      EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; })) << threads;
    }
}

TEST(Pool, GivesTheNumbersOfOneThread) {
  const auto made = [](unsigned threads) {
    std::vector<double> out(5000);
    for_each_index(out.size(), threads, [&](std::size_t i) {
      out[i] = 1 / (1 + static_cast<double>(i));
      return true;
    });
    return out;
  };
  EXPECT_EQ(made(1), made(kThreads));
}

TEST(Pool, OneThreadIsTheCallersAndKeepsTheOrder) {
  std::vector<std::size_t> order;
  const std::thread::id here = std::this_thread::get_id();
  for_each_index(20, 1, [&](std::size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    order.push_back(i);
    return true;
  });
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(order.size(), 20U);
}

TEST(Pool, ReallyRunsAtOnce) {
  std::atomic<unsigned> arrived = 0;
  EXPECT_TRUE(for_each_index(kThreads, kThreads, [&](std::size_t) {
    ++arrived;
    for (int i = 0; i < 20000 && arrived < kThreads; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return arrived == kThreads;  // each waits for all others
  }));
}

TEST(Pool, EndsWhenAJobSaysSo) {
  for (const unsigned threads : {1U, kThreads}) {
    std::atomic<int> done = 0;
    EXPECT_FALSE(for_each_index(100'000, threads, [&](std::size_t) { return ++done < 10; }));
    EXPECT_GE(done, 10);
    EXPECT_LT(done, 10 + 2 * static_cast<int>(kThreads));
  }
}

TEST(Pool, HandsTheExceptionToTheCallerAndBeginsNoOtherJob) {
  for (const unsigned threads : {1U, kThreads}) {
    std::atomic<int> done = 0;
    try {
      for_each_index(1'000'000, threads, [&](std::size_t i) {
        ++done;
        if (i == 37) throw std::runtime_error("job 37");
        return true;
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(std::string(e.what()), "job 37");
    }
    EXPECT_LT(done, 1'000'000);
  }
  EXPECT_TRUE(for_each_index(10, kThreads, [](std::size_t) { return true; })) << "and goes on working";
}

TEST(Pool, EveryJobMayThrow) {
  EXPECT_THROW(for_each_index(100, kThreads, [](std::size_t) -> bool { throw std::logic_error("all"); }),
               std::logic_error);
}

TEST(Pool, AJobThatAsksAgainRunsSerially) {
  EXPECT_TRUE(for_each_index(kThreads, kThreads, [](std::size_t) {
    const std::thread::id here = std::this_thread::get_id();
    EXPECT_EQ(threads_for(0), 1U);
    EXPECT_EQ(threads_for(8), 1U);
    return for_each_index(50, 8, [&](std::size_t) { return std::this_thread::get_id() == here; });
  }));
  EXPECT_EQ(threads_for(8), 8U) << "outside again";
  EXPECT_GE(threads_for(0), 1U);
}

TEST(Pool, ASingleJobMayUseAllThreads) {
  for_each_index(1, kThreads, [](std::size_t) {
    EXPECT_EQ(threads_for(8), 8U);
    return true;
  });
}

TEST(Pool, NestedExceptionsComeOut) {
  EXPECT_THROW(for_each_index(8, kThreads,
                              [](std::size_t) {
                                return for_each_index(8, kThreads, [](std::size_t i) -> bool {
                                  if (i == 3) throw std::runtime_error("inside");
                                  return true;
                                });
                              }),
               std::runtime_error);
}

TEST(Pool, RangesCoverAllWithoutOverlapAndBeginWhereTheyShould) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{7}, std::size_t{1000}, std::size_t{1003}})
    for (const unsigned threads : {0U, 1U, 3U, kThreads, 64U}) {
      std::vector<int> times(count, 0);
      std::mutex adding;
      std::set<std::size_t> begins;
      for_each_range(count, threads, {100, 8}, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) ++times[i];
        const std::scoped_lock lock(adding);
        begins.insert(from);
      });
      EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; })) << count << " on " << threads;
      EXPECT_LE(begins.size(), std::max<std::size_t>(1, count / 100)) << "ranges worth a thread";
      for (const std::size_t b : begins) EXPECT_EQ(b % 8, 0U);
    }
}

TEST(Workers, RunBesideTheCallerUntilTold) {
  std::atomic<int> running = 0;
  {
    Workers workers(kThreads, [&](const std::stop_token& stop) {
      ++running;
      while (!stop.stop_requested()) std::this_thread::yield();
      --running;
    });
    for (int i = 0; i < 20000 && running < static_cast<int>(kThreads); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(running, static_cast<int>(kThreads));
    workers.request_stop();
    workers.join();
    EXPECT_EQ(running, 0);
  }
}

TEST(Workers, StopEachOtherWhenOneThrows) {
  std::atomic<bool> first = true;
  Workers workers(kThreads, [&](const std::stop_token& stop) {
    if (first.exchange(false)) throw std::runtime_error("one");
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  EXPECT_THROW(workers.join(), std::runtime_error);
}

}  // namespace
}  // namespace percuss
