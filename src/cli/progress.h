// A progress bar on a terminal, nothing elsewhere.
#pragma once

#include <chrono>
#include <string>

namespace percuss::cli {

class Progress {
 public:
  /// Up to `total`, in `unit`; `before` was there at the begin.
  Progress(double total, std::string unit, double before = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(double done);

 private:
  using Clock = std::chrono::steady_clock;
  double total_, before_;
  std::string unit_;
  bool on_terminal_, shown_ = false;
  Clock::time_point begin_ = Clock::now(), next_ = begin_ + std::chrono::milliseconds(300);
  int calls_ = 0;
};

}  // namespace percuss::cli
