// Scenes at both ends of the step control, for tests and benchmarks.
#pragma once

#include <cmath>
#include <string>

#include "percuss/base/units.h"

namespace percuss {

/// N four-bars in a row: the tops of N + 1 upright cranks of 1 m are joined by N links, and move at 1 m/s. All N
/// singular values vanish together in the flat position.
inline std::string row_of_four_bars(int n, double tolerance) {
  std::string bodies, joints;
  const auto pin = [&joints](const std::string& a, const std::string& b, int x, int y) {
    joints += "  " + a + "_" + b + ": {type: revolute, between: [" + a + ", " + b + "], at: [" + std::to_string(x) +
              ", " + std::to_string(y) + "]}\n";
  };
  for (int i = 0; i <= n; ++i) {
    const std::string crank = "crank" + std::to_string(i), link = "link" + std::to_string(i);
    bodies += "  " + crank + ": {mass: 1, shape: {kind: rod, length: 1, axis: y}, at: [" + std::to_string(i) +
              ", 0.5], angle: 0, angular_velocity: -1}\n";
    pin("ground", crank, i, 0);
    if (i > 0) pin("link" + std::to_string(i - 1), crank, i, 1);
    if (i == n) break;
    bodies += "  " + link + ": {mass: 1, shape: {kind: rod, length: 1, axis: x}, at: [" + std::to_string(i) +
              ".5, 1], angle: 0}\n";
    pin(crank, link, i, 1);
  }
  return "planar: true\ngravity: [0, -9.81]\nbodies:\n" + bodies + "joints:\n" + joints +
         "solver: {duration: 10 s, tolerance: " + text_of(tolerance) + "}\n";
}

/// A block on a slope for 10 s, pulled with 0.99 of what friction holds.
inline std::string sticking_block(const std::string& law, const std::string& friction) {
  constexpr double kG = 9.81, kCoefficient = 0.5;
  const double angle = std::atan(0.99 * kCoefficient);
  return "gravity: [" + text_of(kG * std::sin(angle)) + ", 0, " + text_of(-kG * std::cos(angle)) +
         "]\nbodies:\n  ground: {shape: {kind: plane}}\n"
         "  block: {mass: 1, shape: {kind: box, size: [0.2, 0.2, 0.1]}, at: [0, 0, 0.05]}\n"
         "contacts:\n  floor: {between: [block, ground], " +
         law + ", friction: {coefficient: " + text_of(kCoefficient) + ", " + friction +
         "}}\nsolver: {duration: 10 s}\noutputs: {every: 1}\n";
}

}  // namespace percuss
