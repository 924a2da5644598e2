// The first time at which a function on a step becomes positive, two crossings inside the step not overlooked.
#pragma once

#include <optional>

#include "percuss/ode/root.h"

namespace percuss::dynamics {

struct ValueAndRate {
  double value = 0, rate = 0;
};

/// h(t) has value and rate. At t0 it counts as not positive: an event may have put it at zero there, give or take
/// rounding. Looks at `parts` + 1 places; between two of them a hump shows in the rates. A step is short against
/// what the interpolant resolves, so that a few places are enough.
template <class H>
std::optional<double> first_rise(H&& h, double t0, double t1, int parts) {
  const auto value = [&](double t) { return h(t).value; };
  const auto rate = [&](double t) { return h(t).rate; };
  double a = t0;
  ValueAndRate at_a = h(a);
  for (int k = 1; k <= parts; ++k) {
    const double b = k == parts ? t1 : t0 + (t1 - t0) * k / parts;
    const ValueAndRate at_b = h(b);
    if (at_b.value > 0) {
      double from = a, v_from = at_a.value;
      // leaves zero and comes back: from the bottom, because near zero the sign is rounding
      if (at_a.rate < 0 && at_b.rate > 0) {
        from = ode::locate_root(rate, a, b, at_a.rate, at_b.rate);
        v_from = value(from);
      }
      if (v_from >= 0) return from;
      return ode::locate_root(value, from, b, v_from, at_b.value);
    }
    if (at_a.rate > 0 && at_b.rate < 0) {  // a hump inside
      const double top = ode::locate_root(rate, a, b, at_a.rate, at_b.rate);
      const double v_top = value(top);
      if (v_top > 0) return at_a.value >= 0 ? a : ode::locate_root(value, a, top, at_a.value, v_top);
    }
    a = b;
    at_a = at_b;
  }
  return std::nullopt;
}

/// The same where no rate is known: a change of sign between two places. From zero at t0 it may rise there: an
/// event of something else, at the same time to the last bit, has cut the step before. Unless `leaves_zero`: an
/// event has put it there.
template <class G>
std::optional<double> first_sign_change(G&& g, double t0, double t1, int parts, bool rising, bool falling,
                                        bool leaves_zero = true) {
  double a = t0, g_a = g(a);
  for (int k = 1; k <= parts; ++k) {
    const double b = k == parts ? t1 : t0 + (t1 - t0) * k / parts;
    const double g_b = g(b);
    if (k == 1 && !leaves_zero && g_a == 0 && ((rising && g_b > 0) || (falling && g_b < 0))) return a;
    if ((rising && g_a < 0 && g_b >= 0) || (falling && g_a > 0 && g_b <= 0))
      return ode::locate_root(g, a, b, g_a, g_b);
    a = b;
    g_a = g_b;
  }
  return std::nullopt;
}

}  // namespace percuss::dynamics
