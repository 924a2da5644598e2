// Coefficients and passes of the filter.
#include "percuss/study/identify/channel_class.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace percuss::study {

namespace {

/// y_i = a0 x_i + a1 x_(i-1) + a2 x_(i-2) + b1 y_(i-1) + b2 y_(i-2), from the state in which y is the first x.
void one_pass(std::vector<double>& values, double w_a) {
  const double d = 1 + std::numbers::sqrt2 * w_a + w_a * w_a;
  const double a0 = w_a * w_a / d, a1 = 2 * a0, a2 = a0;
  const double b1 = -2 * (w_a * w_a - 1) / d, b2 = (-1 + std::numbers::sqrt2 * w_a - w_a * w_a) / d;
  double x1 = values.front(), x2 = x1, y1 = x1, y2 = x1;
  for (double& v : values) {
    const double y = a0 * v + a1 * x1 + a2 * x2 + b1 * y1 + b2 * y2;
    x2 = x1, x1 = v, y2 = y1, y1 = y;
    v = y;
  }
}

}  // namespace

std::vector<double> filtered(const std::vector<double>& values, double sampling_s, double channel_class) {
  if (values.empty()) return values;
  const double w_a = std::tan(std::numbers::pi * channel_class * 2.0775 * sampling_s);
  std::vector<double> out = values;
  one_pass(out, w_a);
  std::ranges::reverse(out);
  one_pass(out, w_a);
  std::ranges::reverse(out);
  return out;
}

/// The impulse response decays as exp(-w_d t/sqrt 2): to 1e-8 after 18.4 sqrt 2/w_d = 2/CFC.
std::size_t filter_reach(double sampling_s, double channel_class) {
  return static_cast<std::size_t>(std::ceil(2 / (channel_class * sampling_s)));
}

}  // namespace percuss::study
