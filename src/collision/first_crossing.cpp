// Intervals in which no zero can be.
//
// Values and three derivatives at both ends of an interval of length h give a polynomial p of degree 7 with
//   f(s) - p(s) = f^(8)(somewhere) s^4 (h - s)^4/8!.
// In Bernstein form of degree 8, where s^4 (h - s)^4 = h^8 B_4/70, f is therefore nowhere below the polynomial
// whose middle coefficient is less by M h^8/(70 8!), M the sum of the amplitudes times w^8. If none of its
// coefficients is negative, f is not; if they change their sign once, f has one zero. Otherwise the interval is
// halved.
#include "percuss/collision/first_crossing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "percuss/base/scalar.h"

namespace percuss::collision {

using Eigen::Index;

namespace {

constexpr double kFirstStep = 0.8, kLongestStep = 4, kShortestStep = 1e-10;  // over the highest frequency
constexpr long kMostSteps = 200'000;

template <int most>
class Rows {
 public:
  /// Values and three derivatives of all rows.
  using Jet = Eigen::Matrix<double, Eigen::Dynamic, 4, 0, twice(most), 4>;

  Rows(const SinusoidsOf<most>& f, const VectorOf<twice(most)>& from)
      : f_(f), modes_(f.w.size()), waves_(2 * modes_, 4), both_(f.rows(), 2 * modes_) {
    both_.leftCols(modes_) = f.a;
    both_.rightCols(modes_) = f.b;
    const VectorOf<most> w8 = f.w.array().square().square().square().matrix();
    const typename SinusoidsOf<most>::Block size = (f.a.array().square() + f.b.array().square()).sqrt().matrix();
    amplitude_ = from.cwiseMax(f.c0.cwiseAbs() + size.rowwise().sum());
    rest_ = size * w8 / (70.0 * 40320);
  }

  void evaluate(double t, Jet& out) {
    for (Index j = 0; j < modes_; ++j) {
      const double w = f_.w[j], c = std::cos(w * t), s = std::sin(w * t);
      waves_(j, 0) = c;
      waves_(j, 1) = -w * s;
      waves_(j, 2) = -w * w * c;
      waves_(j, 3) = w * w * w * s;
      waves_(modes_ + j, 0) = s;
      waves_(modes_ + j, 1) = w * c;
      waves_(modes_ + j, 2) = -w * w * s;
      waves_(modes_ + j, 3) = -w * w * w * c;
    }
    out.noalias() = both_ * waves_;
    out.col(0) += f_.c0 + t * f_.c1;
    out.col(1) += f_.c1;
  }

  struct ValueAndRate {
    double value = 0, rate = 0;
  };
  ValueAndRate at(Index row, double t) const {
    ValueAndRate out{f_.c0[row] + t * f_.c1[row], f_.c1[row]};
    for (Index j = 0; j < modes_; ++j) {
      const double w = f_.w[j], c = std::cos(w * t), s = std::sin(w * t), a = f_.a(row, j), b = f_.b(row, j);
      out.value += a * c + b * s;
      out.rate += w * (b * c - a * s);
    }
    return out;
  }
  double floor(Index row, double t) const {
    return relative_floor(modes_) * (amplitude_[row] + std::abs(f_.c1[row]) * t);
  }

  enum class Sign { stays, falls_once, unclear };
  Sign judge(Index i, const Jet& left, const Jet& right, double h, double floor) const {
    // degree 7 from the ends, then one degree more
    const double l1 = h * left(i, 1) / 7, l2 = h * h * left(i, 2) / 42, l3 = h * h * h * left(i, 3) / 210;
    const double r1 = h * right(i, 1) / 7, r2 = h * h * right(i, 2) / 42, r3 = h * h * h * right(i, 3) / 210;
    const double l = left(i, 0), r = right(i, 0);
    const std::array<double, 8> b = {
        l, l + l1, l + 2 * l1 + l2, l + 3 * l1 + 3 * l2 + l3, r - 3 * r1 + 3 * r2 - r3, r - 2 * r1 + r2, r - r1, r};
    const double h4 = h * h * h * h, rest = rest_[i] * h4 * h4;
    int changes = 0;
    bool negative = false;
    for (std::size_t k = 0; k <= 8; ++k) {
      const double part = static_cast<double>(k) / 8;
      double c = k == 0 ? b[0] : k == 8 ? b[7] : part * b[k - 1] + (1 - part) * b[k];
      if (k == 4) c -= rest;
      if (negative ? c > floor : c < -floor) negative = !negative, ++changes;
    }
    return changes == 0 ? Sign::stays : changes == 1 && r < -floor ? Sign::falls_once : Sign::unclear;
  }

  /// The zero of a row that is not below 0 at `low` and is at `high`: Newton's method inside a shrinking bracket.
  double locate(Index row, double low, double high, double at_low, double at_high) const {
    const double floor = this->floor(row, high);
    double t =
        low + (high - low) * std::clamp(at_low / (at_low - at_high), 0.01, 0.99);  // the chord, to begin with
    for (int k = 0; k < 100; ++k) {
      const auto [v, rate] = at(row, t);
      const double step = -v / rate;
      const bool falls = rate < 0 && (v == 0 || std::abs(step) <= kEpsilon * std::abs(t));
      if (falls) return t;
      // a row that begins at zero, give or take rounding, and rises first: that zero is behind
      (v < -floor || (v < 0 && rate < 0) ? high : low) = t;
      const double next = t + step;
      t = next > low && next < high ? next : (low + high) / 2;
      if (!(t > low && t < high)) return t;  // neighbours
    }
    return t;
  }

 private:
  const SinusoidsOf<most>& f_;
  Index modes_;
  Jet waves_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, twice(most), twice(most)> both_;
  VectorOf<twice(most)> amplitude_, rest_;
};

template <int most>
std::optional<Crossing> first_of_lines(const SinusoidsOf<most>& f) {
  Crossing out{kInfinity, {}, 0};
  for (Index i = 0; i < f.rows(); ++i)
    if (f.c1[i] < 0) out.t = std::min(out.t, std::max(f.c0[i], 0.0) / -f.c1[i]);
  if (out.t == kInfinity) return std::nullopt;
  for (Index i = 0; i < f.rows(); ++i)
    if (f.c1[i] < 0 && f.c0[i] + f.c1[i] * out.t <= relative_floor(0) * std::abs(f.c0[i])) out.rows.push_back(i);
  return out;
}

}  // namespace

template <int most>
std::optional<Crossing> first_crossing(const SinusoidsOf<most>& f, const VectorOf<twice(most)>& from) {
  if (f.w.size() == 0) return first_of_lines(f);
  Rows<most> rows(f, from);
  const double fastest = f.w.maxCoeff();
  typename Rows<most>::Jet left(f.rows(), 4), right(f.rows(), 4);
  double t = 0, h = kFirstStep / fastest;
  rows.evaluate(t, left);
  for (long step = 0; step < kMostSteps; ++step) {
    rows.evaluate(t + h, right);
    bool unclear = false;
    std::vector<Index> falling;
    for (Index i = 0; i < f.rows() && !unclear; ++i) {
      const typename Rows<most>::Sign sign = rows.judge(i, left, right, h, rows.floor(i, t + h));
      if (sign == Rows<most>::Sign::falls_once) falling.push_back(i);
      unclear = sign == Rows<most>::Sign::unclear;
    }
    if (unclear && h * fastest > kShortestStep) {
      h /= 2;
      continue;
    }
    if (unclear) {  // a graze shorter than can be told
      for (Index i = 0; i < f.rows(); ++i)
        if (right(i, 0) < -rows.floor(i, t + h)) falling.push_back(i);
    }
    if (falling.empty()) {
      t += h;
      left.swap(right);
      h = std::min(1.5 * h, kLongestStep / fastest);
      continue;
    }
    Crossing out{kInfinity, {}, step};
    std::vector<double> when;
    for (const Index i : falling) {
      when.push_back(rows.locate(i, t, t + h, left(i, 0), right(i, 0)));
      out.t = std::min(out.t, when.back());
    }
    for (std::size_t k = 0; k < falling.size(); ++k) {
      const Index i = falling[k];
      if (when[k] - out.t <= 64 * kEpsilon * (out.t + 1 / fastest) ||
          rows.at(i, out.t).value <= rows.floor(i, out.t))
        out.rows.push_back(i);
    }
    return out;
  }
  return std::nullopt;
}

template std::optional<Crossing> first_crossing<kSmall>(const SinusoidsOf<kSmall>&, const VectorOf<twice(kSmall)>&);
template std::optional<Crossing> first_crossing<Eigen::Dynamic>(const Sinusoids&, const Eigen::VectorXd&);

}  // namespace percuss::collision
