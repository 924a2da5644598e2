// Round ticks and axis ranges.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/report/figure.h"

namespace percuss::report {

Ticks round_ticks(double from, double to, int about, bool widen) {
  if (const double size = std::max(std::abs(from), std::abs(to)); !(to - from > 1e-12 * size)) {  // one value
    const double margin = size == 0 ? 1 : 0.1 * size;
    from -= margin;
    to += margin;
  }
  const double rough = (to - from) / std::max(about, 1);
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  const double ratio = rough / decade;
  const double step = decade * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
  Ticks ticks{{}, from, to, std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)))};
  if (widen) {
    ticks.from = std::floor(from / step + 1e-9) * step;
    ticks.to = std::ceil(to / step - 1e-9) * step;
  }
  for (double k = std::ceil(ticks.from / step - 1e-9); k * step <= ticks.to + 1e-9 * step; ++k)
    ticks.at.push_back(k * step);
  return ticks;
}

Ticks log_ticks(double from, double to) {
  if (!(to > from)) from /= 2, to *= 2;
  Ticks ticks{{}, from, to, 0, true};
  const double decades = std::log10(to / from), slack = 1e-9;
  for (int power = static_cast<int>(std::floor(std::log10(from))); std::pow(10.0, power) <= to; ++power)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double at = digit * std::pow(10.0, power);
      const bool wanted = decades > 4 ? digit == 1 && (decades < 9 || power % 2 == 0) : decades < 2.5 || digit == 1;
      if (wanted && at >= from * (1 - slack) && at <= to * (1 + slack)) ticks.at.push_back(at);
    }
  return ticks;
}

double Ticks::share(double value) const {
  return log ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
}

std::string Ticks::label(double value) const {
  if (log || std::abs(value) >= 1e6 || decimals > 6) return fmt::format("{:.3g}", value == 0 ? 0.0 : value);
  return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, decimals);
}

Frame frame_of(const Figure& figure, int about_x, int about_y) {
  const auto range = [&](const Axis& axis, auto member) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Curve& curve : figure.curves)
      for (const double v : curve.*member)
        if (std::isfinite(v)) {
          low = std::min(low, v);
          high = std::max(high, v);
        }
    if (!(low <= high)) low = 0, high = 1;
    return std::pair{axis.from.value_or(low), axis.to.value_or(high)};
  };
  const auto [x0, x1] = range(figure.x, &Curve::x);
  const auto [y0, y1] = range(figure.y, &Curve::y);
  const auto ticks = [](const Axis& axis, double low, double high, int about) {
    return axis.log && low > 0 ? log_ticks(low, high) : round_ticks(low, high, about, !axis.from || !axis.to);
  };
  return {ticks(figure.x, x0, x1, about_x), ticks(figure.y, y0, y1, about_y)};
}

}  // namespace percuss::report
