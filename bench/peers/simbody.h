// The benchmark problems in Simbody's own interface.
#pragma once

#include <string>
#include <vector>

namespace percuss::bench {

/// A run at one accuracy setting: what it computed (the numbers the error is taken of) and the time of integration
/// alone, without building the system.
struct PeerRun {
  std::vector<double> numbers;
  double seconds = 0;
  double reached_s = 0;  // simulated
  bool failed = false;
  std::string why;  // it failed
};

/// problem: pendulum, four_bar, squeezer, bouncing_ball, with Runge-Kutta-Merson, Simbody's usual choice.
PeerRun simbody(const std::string& problem, double accuracy, double end_s);

}  // namespace percuss::bench
