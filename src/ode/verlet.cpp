// Velocity Verlet: kick half, drift, kick half; between, the cubic through both ends and their slopes.
//
//   v_half = v + (h/2) a(q, v)
//   q_new  = q + h Q(q_mid) v_half,     q_mid = q + (h/2) Q(q) v_half   (Q = 1 but for quaternions)
//   v_new  = v_half + (h/2) a(q_new, v + h a)
// Forces that depend on the velocity see the predicted one, which keeps order 2; quadratures follow the trapezoid.
#include <algorithm>
#include <cmath>
#include <vector>

#include "percuss/ode/makers.h"

namespace percuss::ode {

namespace {

class Verlet final : public Integrator {
 public:
  Verlet(System& system, const Settings& settings) : system_(system), h_fixed_(settings.step_s) {}

  void start(double t, std::span<const double> y, double) override {
    for (Vector* v : {&y_end_, &middle_, &slope_end_, &drift_, &slope_}) v->resize(y.size());
    t_ = t;
    y_.assign(y.begin(), y.end());
    system_.slope(t_, y_, slope_, kAtState);
  }
  void restore(double t, std::span<const double> y, const Memory&) override { start(t, y, 0); }
  Memory save() const override { return {h_fixed_, {}}; }

  StepOutcome step(double t_limit) override {
    const bool reaches_limit = t_ + 1.000001 * h_fixed_ >= t_limit;
    const double h = reaches_limit ? t_limit - t_ : h_fixed_;
    if (is_too_small(h, reaches_limit, h_fixed_, t_))
      return std::isfinite(h) ? StepOutcome::too_small : StepOutcome::not_finite;
    slope_old_ = slope_;
    y_old_ = y_;
    t_old_ = t_;
    h_ = h;
    advance(h);
    for (const double x : y_end_)
      if (!std::isfinite(x)) return StepOutcome::not_finite;
    t_ = t_end_ = reaches_limit ? t_limit : t_old_ + h;
    y_ = y_end_;
    ++accepted_;
    return StepOutcome::accepted;
  }

  void go_on_from(std::span<const double> y) override {
    std::ranges::copy(y, y_.begin());
    system_.slope(t_, y_, slope_, kAtState);
  }
  void prepare_dense() override {}

  void interpolate(double t, std::size_t first, std::span<double> y) const override {
    const double x = (t - t_old_) / h_, x1 = 1 - x;
    for (std::size_t k = 0; k < y.size(); ++k) {
      const std::size_t i = first + k;
      const double rise = end_of_step_[i] - y_old_[i];
      y[k] =
          y_old_[i] + x * rise + x * x1 * (x1 * (h_ * slope_old_[i] - rise) - x * (h_ * slope_at_end_[i] - rise));
    }
  }

  bool has_dense() const override { return accepted_ > 0; }
  int stage_count() const override { return 2; }
  bool counts(int) const override { return true; }
  /// The cubic of a quadrature whose rise is h (g_0 + g_1)/2.
  void weights_to(double t, std::span<double> w) const override {
    const double x = t == t_end_ ? 1 : (t - t_old_) / h_;
    w[0] = h_ * (x + x * (1 - x)) / 2;
    w[1] = h_ * (x - x * (1 - x)) / 2;
  }

  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  double next_step() const override { return h_fixed_; }
  std::span<const double> y() const override { return y_; }
  std::span<const double> slope() const override { return slope_; }
  long accepted() const override { return accepted_; }
  long rejected() const override { return 0; }

 private:
  using Vector = std::vector<double>;

  /// From (t_old, y_old) with its slope to y_end with its slope.
  void advance(double h) {
    const std::size_t positions = system_.positions(), n = y_old_.size();
    middle_ = y_old_;
    for (std::size_t i = positions; i < n; ++i) middle_[i] += h / 2 * slope_old_[i];
    system_.position_slope(t_old_, middle_, drift_);
    for (std::size_t i = 0; i < positions; ++i) middle_[i] = y_old_[i] + h / 2 * drift_[i];
    system_.position_slope(t_old_ + h / 2, middle_, drift_);
    y_end_ = y_old_;
    for (std::size_t i = 0; i < positions; ++i) y_end_[i] += h * drift_[i];
    for (std::size_t i = positions; i < n; ++i) y_end_[i] += h * slope_old_[i];
    system_.slope(t_old_ + h, y_end_, slope_end_, 1);
    for (std::size_t i = positions; i < n; ++i) y_end_[i] = y_old_[i] + h / 2 * (slope_old_[i] + slope_end_[i]);
    slope_at_end_ = slope_end_;
    end_of_step_ = y_end_;
  }

  System& system_;
  const double h_fixed_;
  Vector y_, y_old_, y_end_, end_of_step_, middle_, slope_, slope_old_, slope_end_, slope_at_end_, drift_;
  double t_ = 0, t_old_ = 0, t_end_ = 0, h_ = 0;
  long accepted_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_verlet(System& system, const Weights&, const Settings& settings) {
  return std::make_unique<Verlet>(system, settings);
}

}  // namespace percuss::ode
