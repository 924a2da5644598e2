// Where the time of a run goes, by phase.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace percuss::dynamics {

struct Profile {
  enum Part {
    place,
    springs,
    contacts,
    forces,
    rows,
    solve,
    held,
    stages,
    locate,
    project,
    effects,
    observe,
    output,
    kParts
  };
  static constexpr std::array<std::string_view, kParts> kNames = {"evaluate: places",
                                                                  "evaluate: springs",
                                                                  "evaluate: contacts",
                                                                  "evaluate: forces and controllers",
                                                                  "evaluate: joints",
                                                                  "evaluate: solution",
                                                                  "evaluate: held contacts",
                                                                  "integrate",
                                                                  "locate events",
                                                                  "project",
                                                                  "effects of events",
                                                                  "observers",
                                                                  "output"};
  std::array<double, kParts> seconds{};
  std::array<std::int64_t, kParts> calls{};
};

/// Adds the time of its life to a part; without a profile it does nothing. What parts inside it take is in its time
/// too.
class Timed {
 public:
  using Clock = std::chrono::steady_clock;
  Timed(Profile* profile, Profile::Part part) : profile_(profile), part_(part) {
    if (profile_) begin_ = Clock::now();
  }
  ~Timed() {
    if (!profile_) return;
    profile_->seconds[part_] += std::chrono::duration<double>(Clock::now() - begin_).count();
    ++profile_->calls[part_];
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Profile* profile_;
  Profile::Part part_;
  Clock::time_point begin_;
};

}  // namespace percuss::dynamics
