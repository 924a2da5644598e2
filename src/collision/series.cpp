// Bernstein coefficients of power series.
#include "percuss/collision/series.h"

#include <cmath>
#include <vector>

namespace percuss::collision {

using Eigen::Index;

double value_at(const Series& c, double t) {
  double sum = 0;
  for (Index k = c.size(); k-- > 0;) sum = sum * t + c[k];
  return sum;
}

Series product(const Series& a, const Series& b) {
  Series out = Series::Zero(a.size());
  for (Index i = 0; i < a.size(); ++i)
    if (a[i] != 0) out.tail(a.size() - i) += a[i] * b.head(a.size() - i);
  return out;
}

double integral_to(const Series& c, double t) {
  double sum = 0;
  for (Index k = c.size(); k-- > 0;) sum = (sum + c[k] / static_cast<double>(k + 1)) * t;
  return sum;
}

namespace {

constexpr int kMostHalvings = 60;

/// sum_i c_i t^i on [0, end] has the Bernstein coefficients b_j = sum_{i <= j} C(j, i)/C(n, i) c_i end^i.
Series bernstein_of(const Series& c, double end) {
  const Index n = c.size() - 1;
  Series scaled(n + 1), out = Series::Zero(n + 1);
  double power = 1, binomial = 1;  // C(n, i)
  for (Index i = 0; i <= n; ++i) {
    scaled[i] = c[i] * power / binomial;
    power *= end;
    binomial *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  for (Index j = 0; j <= n; ++j) {
    double choose = 1;  // C(j, i)
    for (Index i = 0; i <= j; ++i) {
      out[j] += choose * scaled[i];
      choose *= static_cast<double>(j - i) / static_cast<double>(i + 1);
    }
  }
  return out;
}

struct Search {
  const Series& power;
  double floor;

  std::optional<double> in(const Series& b, double low, double high, int halvings) const {
    int changes = 0;
    bool negative = false;
    for (const double c : b)
      if (negative ? c > floor : c < -floor) negative = !negative, ++changes;
    if (changes == 0) return std::nullopt;
    if (changes == 1 && negative && b[b.size() - 1] < -floor) return between(low, high);
    if (halvings == kMostHalvings) return high;
    // de Casteljau: the coefficients of both halves
    const Index n = b.size() - 1;
    Series left(n + 1), right = b;
    for (Index k = 0; k <= n; ++k) {
      left[k] = right[0];
      for (Index j = 0; j < n - k; ++j) right[j] = (right[j] + right[j + 1]) / 2;
    }
    const double middle = (low + high) / 2;
    if (const std::optional<double> first = in(left, low, middle, halvings + 1)) return first;
    return in(right, middle, high, halvings + 1);
  }

  /// Below the floor at `high`, one fall: bisection, with the chord where that is better. Within the floor the
  /// slope tells a fall from a start at zero.
  double between(double low, double high) const {
    double at_low = std::max(value_at(power, low), 0.0), at_high = value_at(power, high);
    for (int k = 0; k < 200; ++k) {
      double t = k % 3 == 2 ? (low + high) / 2 : low + (high - low) * at_low / (at_low - at_high);
      if (!(t > low && t < high)) t = (low + high) / 2;
      if (!(t > low && t < high)) break;
      const double value = value_at(power, t);
      if (value < 0 && (value < -floor || slope_at(t) < 0))
        high = t, at_high = value;
      else
        low = t, at_low = std::max(value, 0.0);
    }
    return high;
  }

  double slope_at(double t) const {
    double sum = 0;
    for (Index k = power.size(); k-- > 1;) sum = sum * t + static_cast<double>(k) * power[k];
    return sum;
  }
};

}  // namespace

std::optional<double> first_fall(const Series& c, double end, double floor) {
  return Search{c, floor}.in(bernstein_of(c, end), 0, end, 0);
}

}  // namespace percuss::collision
