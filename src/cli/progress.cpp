// The progress bar: done, rate, time left.
#include "percuss/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace percuss::cli {

Progress::Progress(double total, std::string unit, double before)
    : total_(total), before_(before), unit_(std::move(unit)), on_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(double done) {
  if (!on_terminal_ || ++calls_ % 16 != 0) return;  // the clock costs more than a small step
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double wall = std::chrono::duration<double>(now - begin_).count(), rate = (done - before_) / wall;
  const double share = std::clamp(done / total_, 0.0, 1.0);
  std::string bar(static_cast<std::size_t>(share * 30), '#');
  bar.resize(30, '.');
  const double left = rate > 0 ? (total_ - done) / rate : 0;
  std::fputs(fmt::format("\r[{}] {:5.1f} %  {:.4g} of {:.4g} {}  {:.3g} {}/s  {:.0f} s left\x1b[K", bar,
                         100 * share, done, total_, unit_, rate, unit_, left)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

}  // namespace percuss::cli
