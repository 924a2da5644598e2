// The isolated collision once more, by a few lines of RK4 that know nothing of the library: m x'' = -F.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

namespace percuss::tests {

/// F(x, x', x_m): x_m the deepest point, which on the way in is x itself. `in` tells the phase where x' is 0.
using ForceOfPaper = std::function<double(double x, double rate, double deepest, bool in)>;

struct FreeCollision {
  double mass_kg, velocity_mps;
  double duration_s;  // about: sets the step
  bool may_pull;      // contact ends at x = 0; otherwise where the force does
};

/// v+/v-. Both ends of a phase are met by halving the step, so that jumps there cost no order.
inline double delivered_restitution(const FreeCollision& c, const ForceOfPaper& force_N) {
  struct State {
    double x, v;
  };
  double deepest = 0;
  bool in = true;
  const auto slope = [&](const State& s) -> State {
    const double x = std::max(s.x, 0.0), m = in ? x : std::max(deepest, x);
    return {s.v, -force_N(x, s.v, m, in) / c.mass_kg};
  };
  const auto stepped = [&](const State& s, double h) -> State {
    const State a = slope(s), b = slope({s.x + h / 2 * a.x, s.v + h / 2 * a.v}),
                d = slope({s.x + h / 2 * b.x, s.v + h / 2 * b.v}), e = slope({s.x + h * d.x, s.v + h * d.v});
    return {s.x + h / 6 * (a.x + 2 * b.x + 2 * d.x + e.x), s.v + h / 6 * (a.v + 2 * b.v + 2 * d.v + e.v)};
  };
  const auto is_over = [&](const State& s) {
    if (in) return s.v <= 0;
    return c.may_pull ? s.x <= 0 : s.x <= 0 || force_N(s.x, s.v, deepest, false) <= 0;
  };
  const double h = c.duration_s / 20000;
  State s{0, c.velocity_mps};
  for (int phase = 0; phase < 2; ++phase) {
    for (long steps = 0; steps < 400000; ++steps) {
      const State next = stepped(s, h);
      if (!is_over(next)) {
        s = next;
        continue;
      }
      for (double part = h / 2; part > h * 1e-9; part /= 2)
        if (const State middle = stepped(s, part); !is_over(middle)) s = middle;
      break;
    }
    if (in) deepest = s.x, s.v = 0, in = false;
  }
  return -s.v / c.velocity_mps;
}

}  // namespace percuss::tests
