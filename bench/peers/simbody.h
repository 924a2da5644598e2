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
  bool failed = false;
};

/// problem: pendulum, four_bar, squeezer, bouncing_ball; method: merson (Runge-Kutta-Merson, Simbody's usual
/// choice) or cpodes.
PeerRun simbody(const std::string& problem, const std::string& method, double accuracy);

}  // namespace percuss::bench
