// DOP853: explicit Runge-Kutta of order 8(5,3) with dense output of order 7; one accepted step at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "percuss/ode/dop853_coefficients.h"
#include "percuss/ode/integrator.h"

namespace percuss::ode {

/// Usage: `start`, then `step` until done; after a step, `prepare_dense` once and `interpolate` anywhere inside it.
///   Rhs is callable as rhs(double t, std::span<const double> y, std::span<double> dydt), and may take the number
///   of the stage (ode::kAtState) as a fourth argument.
/// Step control and error norm as in Hairer, Norsett, Wanner I, section II.10: err = h |e5|^2 / sqrt(|e5|^2 + 0.01
/// |e3|^2). Weakness: explicit, so a stiff right-hand side costs steps in proportion to its stiffness.
template <std::size_t fixed = 0>
class Dop853 {
 public:
  Dop853(std::size_t dimension, Tolerance tolerance) : tolerance_(tolerance) {
    assert(fixed == 0 || fixed == dimension);
    resize(dimension);
  }

  /// Limits of the error component by component, in place of the tolerance; the caller keeps them.
  void use_weights(const Weights* weights) { weights_ = weights; }

  /// Begins at (t, y). h_guess > 0 is tried first; otherwise a first step is estimated from two evaluations.
  template <class Rhs>
  void start(Rhs& rhs, double t, std::span<const double> y, double h_guess = 0) {
    begin_at(rhs, t, y);
    h_next_ = h_guess > 0 ? h_guess : first_step(rhs);
    last_rejected_ = false;
    is_number_ = true;
    stiffness_ = 0;
  }

  /// Goes on from (t, y) as another one of its kind would that has come there.
  template <class Rhs>
  void restore(Rhs& rhs, double t, std::span<const double> y, const Memory& memory) {
    begin_at(rhs, t, y);
    h_next_ = memory.step_s;
    last_rejected_ = memory.numbers[0] != 0;
    stiffness_ = memory.numbers[1];
    is_number_ = true;
  }
  Memory save() const { return {h_next_, {last_rejected_ ? 1.0 : 0.0, stiffness_}}; }

  /// Goes on from a corrected state; the dense output of the last step stays as it is, and can still be made. If
  /// the state is the end of the step unchanged, a slope known there is used again where `may_reuse(stage)` says
  /// so.
  template <class Rhs, class MayReuse>
  void go_on_from(Rhs& rhs, std::span<const double> y, MayReuse&& may_reuse) {
    const bool same = std::equal(y.begin(), y.end(), y_.begin(), y_.end());
    y_at_end_ = y_;
    if (!same) std::ranges::copy(y, y_.begin());
    if (same && has_last_slope_ && may_reuse(12))
      std::copy_n(stage(12), n(), slope_.data());
    else
      evaluate(rhs, t_, y_, slope_.data(), kAtState);
    has_slope_ = corrected_ = true;
    note_stiffness();
  }

  /// One accepted step, not beyond t_limit; steps that fail the tolerance are tried again, shorter.
  template <class Rhs>
  StepOutcome step(Rhs& rhs, double t_limit) {
    if (!has_slope_) {  // first same as last
      if (has_last_slope_)
        std::copy_n(stage(12), n(), slope_.data());
      else
        evaluate(rhs, t_, y_, slope_.data(), kAtState);
      if constexpr (fixed == 0) note_stiffness();
    }
    std::copy_n(slope_.data(), n(), stage(0));
    has_last_slope_ = has_slope_ = corrected_ = has_dense_ = false;
    is_number_ = true;
    size_of_step_ = n();
    if constexpr (fixed == 0) y_old_.resize(n());
    std::swap(y_, y_old_);
    t_old_ = t_;
    for (;;) {
      bool reaches_limit = t_old_ + 1.01 * h_next_ >= t_limit;
      h_ = reaches_limit ? t_limit - t_old_ : h_next_;
      if constexpr (requires { rhs.step_to_take(t_old_, h_); }) {
        const double longest = rhs.step_to_take(t_old_, h_);
        reaches_limit = reaches_limit && !(longest < h_);
        h_ = std::min(h_, longest);
      }
      if (is_too_small(h_, reaches_limit, h_next_, t_old_)) {
        std::swap(y_, y_old_);
        has_slope_ = true;
        return std::isfinite(h_) && is_number_ ? StepOutcome::too_small : StepOutcome::not_finite;
      }
      take_stages(rhs);
      const double error = error_norm();
      if (error <= 1) {
        t_ = t_end_ = reaches_limit ? t_limit : t_old_ + h_;
        const double growth = step_factor(error);
        h_next_ = h_ * (last_rejected_ ? std::min(growth, 1.0) : growth);
        last_rejected_ = false;
        ++accepted_;
        return StepOutcome::accepted;
      }
      ++rejected_;
      last_rejected_ = true;
      is_number_ = std::isfinite(error);
      h_next_ = h_ * (is_number_ ? step_factor(error) : 0.1);
    }
  }

  /// Three further stages, from which the interpolant of the last step follows; once is enough.
  template <class Rhs>
  void prepare_dense(Rhs& rhs) {
    if (has_dense_) return;
    has_dense_ = true;
    if constexpr (fixed == 0) dense_.resize(7 * n());
    if constexpr (fixed == 0) is_known_.assign(n(), 0);
    if constexpr (fixed != 0) is_known_.fill(0);
    if (!has_last_slope_) evaluate(rhs, t_, end_of_step(), stage(12), 12);
    has_last_slope_ = true;
    y_last_stage_ = y_stage_;
    take_stage<13>(rhs);
    take_stage<14>(rhs);
    take_stage<15>(rhs);
    y_stage_ = y_last_stage_;
  }
  bool has_dense() const { return has_dense_; }

  /// The unknowns from `first` on at t inside the last step; needs prepare_dense. Coefficients of single unknowns
  /// are kept, because who asks for them asks again; those of all unknowns are asked for once.
  void interpolate(double t, std::size_t first, std::span<double> y) const {
    const double x = (t - t_old_) / h_, x1 = 1 - x;
    const bool keeps = fixed != 0 || y.size() < kMostKept;
    double own[7];
    for (std::size_t k = 0; k < y.size(); ++k) {
      const std::size_t i = first + k;
      double* c = keeps || is_known_[i] ? &dense_[7 * i] : own;
      if (!is_known_[i]) put_coefficients(i, c);
      if (keeps) is_known_[i] = 1;
      y[k] = y_old_[i] + x * (c[0] + x1 * (c[1] + x * (c[2] + x1 * (c[3] + x * (c[4] + x1 * (c[5] + x * c[6]))))));
    }
  }
  void interpolate(double t, std::span<double> y) const { interpolate(t, 0, y); }

  /// The state at t inside the last step by a step of its own from the step's beginning: order 8 instead of 7, 11
  /// stages. Ends the use of the dense output of that step.
  template <class Rhs>
  void step_again_to(Rhs& rhs, double t, std::span<double> y) {
    const double h = h_;
    h_ = t - t_old_;
    const Vector end = y_;
    take_stages(rhs);
    std::ranges::copy(y_, y.begin());
    y_ = end;
    h_ = h;
  }

  /// Stages 1 to 4 have no weight at the end of the step, nor inside it.
  static bool counts(int stage) { return stage < 1 || stage > 4; }

  /// Weights of the stages for a quadrature from the beginning of the last step to t. Inside the step the
  /// interpolant of the integral z of g is linear in the stages: with rise = h sum b g,
  ///   z = x (rise + (1-x) (h g_0 - rise + x (2 rise - h (g_0 + g_12) + (1-x) (d_4 + x (...))))).
  void weights_to(double t, std::span<double> w) const {
    std::ranges::fill(w, 0.0);
    const auto& ends = dop853::kRows[12];
    if (t == t_end_) {
      for (int k = 0; k < ends.count; ++k) w[index(ends.terms[k].stage)] = h_ * ends.terms[k].weight;
      return;
    }
    const double x = (t - t_old_) / h_, x1 = 1 - x;
    double factor[7] = {x};  // of the coefficients of the interpolant
    for (int k = 1; k < 7; ++k) factor[k] = factor[k - 1] * (k % 2 == 1 ? x1 : x);
    const double rise = factor[0] - factor[1] + 2 * factor[2];
    for (int k = 0; k < ends.count; ++k) w[index(ends.terms[k].stage)] += h_ * rise * ends.terms[k].weight;
    w[0] += h_ * (factor[1] - factor[2]);
    w[12] -= h_ * factor[2];
    for (int c = 0; c < 4; ++c)
      for (const dop853::Term& term : dop853::kDense[c]) w[index(term.stage)] += h_ * factor[3 + c] * term.weight;
  }

  double t() const { return t_; }
  double t_old() const { return t_old_; }
  double next_step() const { return h_next_; }
  std::span<const double> y() const { return y_; }
  std::span<const double> y_old() const { return y_old_; }
  std::span<const double> slope() const { return slope_; }
  /// h |lambda| of the fastest mode, as the last two slopes of a step show it, smoothed over steps; an explicit
  /// method of this kind is at its limit of stability above 6.
  double stiffness() const { return stiffness_; }
  long evaluations() const { return evaluations_; }
  long accepted() const { return accepted_; }
  long rejected() const { return rejected_; }

 private:
  using Vector = std::conditional_t<fixed == 0, std::vector<double>, std::array<double, fixed>>;
  template <std::size_t rows>
  using Block = std::conditional_t<fixed == 0, std::vector<double>, std::array<double, fixed * rows>>;
  std::size_t n() const { return fixed > 0 ? fixed : y_.size(); }
  static std::size_t index(int s) { return static_cast<std::size_t>(s); }

  static constexpr std::size_t kMostKept = 64;  // unknowns asked for at once

  double* stage(int s) { return k_.data() + index(s) * n(); }

  void resize(std::size_t dimension) {
    if constexpr (fixed == 0) {
      for (Vector* v : {&y_, &y_stage_, &y_at_end_, &y_last_stage_, &slope_}) v->resize(dimension);
      k_.resize(dop853::kDenseStages * dimension);
    }
  }

  template <class Rhs>
  void begin_at(Rhs& rhs, double t, std::span<const double> y) {
    // an interpolant of the last step stays: its stages and its end are kept, or it is made now
    if (y.size() != n()) {
      if (has_dense_)
        for (std::size_t i = 0; i < n(); ++i) {
          if (!is_known_[i]) put_coefficients(i, &dense_[7 * i]);
          is_known_[i] = 1;
        }
      resize(y.size());
    } else if (!corrected_) {
      std::swap(y_, y_at_end_);
    }
    t_ = t;
    std::ranges::copy(y, y_.begin());
    evaluate(rhs, t_, y_, slope_.data(), kAtState);
    has_slope_ = corrected_ = true;
    has_last_slope_ = false;
  }

  template <class Rhs>
  void evaluate(Rhs& rhs, double t, const Vector& y, double* out, int which) {
    const std::span<const double> from(y);
    const std::span<double> to(out, n());
    if constexpr (requires { rhs(t, from, to, which); })
      rhs(t, from, to, which);
    else
      rhs(t, from, to);
    ++evaluations_;
  }

  /// y = y_old + h * sum of the weights of row s; the row is known at compile time, so its terms are written out.
  template <int s>
  void combine(Vector& y) {
    for (std::size_t i = 0; i < n(); ++i) {
      const auto sum = [&]<int... k>(std::integer_sequence<int, k...>) {
        return (... + (dop853::kRows[s].terms[k].weight * stage(dop853::kRows[s].terms[k].stage)[i]));
      };
      y[i] = y_old_[i] + h_ * sum(std::make_integer_sequence<int, dop853::kRows[s].count>{});
    }
  }

  const Vector& end_of_step() const { return corrected_ ? y_at_end_ : y_; }

  /// The seven coefficients of the interpolant of unknown i.
  void put_coefficients(std::size_t i, double* out) const {
    const double* k = k_.data() + i;
    const double rise = end_of_step()[i] - y_old_[i], k_0 = k[0], k_end = k[12 * size_of_step_];
    out[0] = rise;
    out[1] = h_ * k_0 - rise;
    out[2] = 2 * rise - h_ * (k_end + k_0);
    out[3] = h_ * dense_sum<0>(k, std::make_index_sequence<12>{});
    out[4] = h_ * dense_sum<1>(k, std::make_index_sequence<12>{});
    out[5] = h_ * dense_sum<2>(k, std::make_index_sequence<12>{});
    out[6] = h_ * dense_sum<3>(k, std::make_index_sequence<12>{});
  }
  template <std::size_t c, std::size_t... t>
  double dense_sum(const double* k, std::index_sequence<t...>) const {
    return (... + (dop853::kDense[c][t].weight * k[index(dop853::kDense[c][t].stage) * size_of_step_]));
  }

  template <int s, class Rhs>
  void take_stage(Rhs& rhs) {
    combine<s>(y_stage_);
    evaluate(rhs, t_old_ + dop853::kNodes[s] * h_, y_stage_, stage(s), s);
  }

  template <class Rhs>
  void take_stages(Rhs& rhs) {
    [&]<int... k>(std::integer_sequence<int, k...>) { (take_stage<k + 1>(rhs), ...); }
    (std::make_integer_sequence<int, dop853::kStages - 1>{});
    combine<12>(y_);
  }

  /// The slope at the end of the step against that of the last stage, which stands near it: Hairer and Wanner II,
  /// section IV.2.
  void note_stiffness() {
    double slopes = 0, places = 0;
    for (std::size_t i = 0; i < n(); ++i) {
      const double s = scale(i, y_[i], y_[i]);
      const double rise = (slope_[i] - stage(11)[i]) / s, run = (y_[i] - y_stage_[i]) / s;
      slopes += rise * rise;
      places += run * run;
    }
    const double now = places > 0 ? h_ * std::sqrt(slopes / places) : 0;
    stiffness_ = 0.8 * stiffness_ + 0.2 * now;
  }

  double scale(std::size_t i, double a, double b) const {
    const double size = std::max(std::abs(a), std::abs(b));
    if constexpr (fixed == 0)
      if (weights_) return weights_->absolute[i];
    return tolerance_.absolute + tolerance_.relative * size;
  }

  double error_norm() {
    double e5 = 0, e3 = 0;
    const auto count = static_cast<double>(n());
    for (std::size_t i = 0; i < n(); ++i) {
      double sum5 = 0, sum3 = 0;
      for (const dop853::Term& term : dop853::kError5) sum5 += term.weight * stage(term.stage)[i];
      for (const dop853::Term& term : dop853::kError3) sum3 += term.weight * stage(term.stage)[i];
      const double s = scale(i, y_old_[i], y_[i]);
      e5 += (sum5 / s) * (sum5 / s);
      e3 += (sum3 / s) * (sum3 / s);
    }
    if (e5 == 0 && e3 == 0) return 0;
    if (!std::isfinite(e5 + e3)) return std::numeric_limits<double>::infinity();  // not e5/infinity, which is small
    // the estimate of the method, e5^2/sqrt(e5^2 + e3^2/100), means nothing where the stages have run away
    const double plain = std::abs(h_) * std::sqrt(e5 / count);
    if (plain > 1e3) return plain;
    return std::abs(h_) * e5 / std::sqrt((e5 + 0.01 * e3) * count);
  }

  /// The next step over this one: error^(-1/8), with a margin, between a third and six.
  static double step_factor(double error) {
    if (error == 0) return 6;
    return std::clamp(0.9 / std::sqrt(std::sqrt(std::sqrt(error))), 0.333, 6.0);
  }

  /// Hairer's first guess: a step that an Euler step and the change of slope along it say is small.
  template <class Rhs>
  double first_step(Rhs& rhs) {
    double d0 = 0, d1 = 0, d2 = 0;
    for (std::size_t i = 0; i < n(); ++i) {
      const double s = scale(i, y_[i], y_[i]);
      d0 += (y_[i] / s) * (y_[i] / s);
      d1 += (slope_[i] / s) * (slope_[i] / s);
    }
    const double h0 = d0 > 1e-10 && d1 > 1e-10 ? 0.01 * std::sqrt(d0 / d1) : 1e-6;
    for (std::size_t i = 0; i < n(); ++i) y_stage_[i] = y_[i] + h0 * slope_[i];
    evaluate(rhs, t_ + h0, y_stage_, stage(1), kScratch);
    for (std::size_t i = 0; i < n(); ++i) {
      const double s = scale(i, y_[i], y_[i]);
      const double bend = (stage(1)[i] - slope_[i]) / s;
      d2 += bend * bend;
    }
    const double steepest = std::max(std::sqrt(d1), std::sqrt(d2) / h0);
    const double h1 = steepest > 1e-15 ? std::pow(0.01 / steepest, 1.0 / 8) : std::max(1e-6, 1e-3 * h0);
    return std::min(100 * h0, h1);
  }

  Vector y_{}, y_old_{}, y_stage_{}, y_at_end_{}, y_last_stage_{}, slope_{};
  Block<dop853::kDenseStages> k_{};
  mutable Block<7> dense_{};  // seven coefficients of each unknown, where they are known
  mutable std::conditional_t<fixed == 0, std::vector<char>, std::array<char, fixed>> is_known_{};
  std::size_t size_of_step_ = 0;
  Tolerance tolerance_;
  const Weights* weights_ = nullptr;
  double stiffness_ = 0;
  double t_ = 0, t_old_ = 0, t_end_ = 0, h_ = 0, h_next_ = 0;
  bool has_slope_ = false;       // slope_ is that at (t_, y_)
  bool has_last_slope_ = false;  // stage 12 is there: the slope at the uncorrected end
  bool has_dense_ = false, corrected_ = false, last_rejected_ = false;
  bool is_number_ = true;  // the last error was one
  long evaluations_ = 0, accepted_ = 0, rejected_ = 0;
};

}  // namespace percuss::ode
