// Root location on the dense output of a step.
#pragma once

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <utility>

namespace percuss::ode {

/// The zero of g inside [a, b], where g(a) and g(b) differ in sign, to the last bits; of the two neighbours that
/// bracket it, the one on b's side (the event has happened).
template <class G>
double locate_root(G&& g, double a, double b, double g_a, double g_b) {
  if (g_a == 0) return a;
  if (g_b == 0) return b;
  if ((g_a < 0) == (g_b < 0)) return std::abs(g_a) < std::abs(g_b) ? a : b;  // a root at an end, lost to rounding
  std::uintmax_t most = 200;
  const auto close = [](double l, double r) { return r - l <= 4e-16 * (l < 0 ? -l : l) + 1e-300; };
  return boost::math::tools::toms748_solve(g, a, b, g_a, g_b, close, most).second;
}

}  // namespace percuss::ode
