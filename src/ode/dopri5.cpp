// DOPRI5: explicit Runge-Kutta of order 5(4) with dense output of order 4.
#include <array>
#include <vector>

#include "percuss/ode/error_norm.h"
#include "percuss/ode/makers.h"

namespace percuss::ode {

namespace {

constexpr int kStages = 7;
constexpr double kNodes[kStages] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double kA[kStages][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},  // the step itself
};
constexpr double kError[kStages] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr double kDense[kStages] = {-12715105075.0 / 11282082432,  0,
                                    87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                    701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                    69997945.0 / 29380423};

class Dopri5 final : public Integrator {
 public:
  Dopri5(System& system, const Weights& weights) : system_(system), weights_(weights) {}

  void start(double t, std::span<const double> y, double h_guess) override {
    begin_at(t, y);
    h_next_ = h_guess > 0 ? h_guess
                          : first_step(weights_, 5, t_, y_, slope_, stage_, k_[1],
                                       [this](double at, std::span<const double> s, std::span<double> d) {
                                         system_.slope(at, s, d, kScratch);
                                       });
    last_rejected_ = false;
    stiffness_ = 0;
  }

  void restore(double t, std::span<const double> y, const Memory& memory) override {
    begin_at(t, y);
    h_next_ = memory.step_s;
    last_rejected_ = memory.numbers[0] != 0;
    stiffness_ = memory.numbers[1];
  }
  Memory save() const override { return {h_next_, {last_rejected_ ? 1.0 : 0.0, stiffness_}}; }

  StepOutcome step(double t_limit) override {
    y_old_ = y_;
    t_old_ = t_;
    is_number_ = true;
    k_[0] = slope_;
    for (;;) {
      bool reaches_limit = t_old_ + 1.01 * h_next_ >= t_limit;
      h_ = reaches_limit ? t_limit - t_old_ : h_next_;
      const double longest = system_.step_to_take(t_old_, h_, std::span(kNodes).subspan(2));
      reaches_limit = reaches_limit && !(longest < h_);
      h_ = std::min(h_, longest);
      if (is_too_small(h_, reaches_limit, h_next_, t_old_))
        return std::isfinite(h_) && is_number_ ? StepOutcome::too_small : StepOutcome::not_finite;
      take_stages(t_old_, h_);
      for (std::size_t i = 0; i < y_.size(); ++i) {
        double sum = 0;
        for (int s = 0; s < kStages; ++s) sum += kError[s] * k_[at(s)][i];
        stage_[i] = h_ * sum;
      }
      const double error = error_norm(weights_, stage_);
      if (error <= 1) {
        accept(reaches_limit ? t_limit : t_old_ + h_, error);
        return StepOutcome::accepted;
      }
      ++rejected_;
      last_rejected_ = true;
      is_number_ = std::isfinite(error);
      h_next_ = h_ * (is_number_ ? step_factor(error) : 0.1);
    }
  }

  void go_on_from(std::span<const double> y) override {
    const bool same = std::equal(y.begin(), y.end(), y_.begin(), y_.end());
    std::ranges::copy(y, y_.begin());
    // of a step that was cut at a limit the last stage may stand a last digit beside its end
    if (same && t_ == t_old_ + h_ && system_.state_is_stage(kStages - 1))
      slope_ = k_[kStages - 1];  // first same as last
    else
      system_.slope(t_, y_, slope_, kAtState);
  }

  void prepare_dense() override {}  // made with the step: no further stage is needed

  void interpolate(double t, std::size_t first, std::span<double> y) const override {
    const double x = (t - t_old_) / h_, x1 = 1 - x;
    for (std::size_t k = 0; k < y.size(); ++k) {
      const std::size_t i = first + k;
      y[k] = y_old_[i] + x * (dense_[0][i] + x1 * (dense_[1][i] + x * (dense_[2][i] + x1 * dense_[3][i])));
    }
  }

  bool has_dense() const override { return accepted_ > 0; }
  int stage_count() const override { return kStages; }
  bool counts(int stage) const override { return stage != 1; }
  int end_stage() const override { return kStages - 1; }
  void weights_to(double t, std::span<double> w) const override {
    std::ranges::fill(w, 0.0);
    const double x = t == t_end_ ? 1 : (t - t_old_) / h_, x1 = 1 - x;
    // z = x (rise + x1 (h g_0 - rise + x (rise - h g_6 - (h g_0 - rise) + x1 d)))
    const double f1 = x * x1, f2 = f1 * x, f3 = f2 * x1, rise = x - f1 + 2 * f2;
    for (int s = 0; s < kStages - 1; ++s) w[at(s)] += h_ * rise * kA[kStages - 1][s];
    w[0] += h_ * (f1 - f2);
    w[at(kStages - 1)] -= h_ * f2;
    for (int s = 0; s < kStages; ++s) w[at(s)] += h_ * f3 * kDense[s];
  }

  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  double next_step() const override { return h_next_; }
  std::span<const double> y() const override { return y_; }
  std::span<const double> slope() const override { return slope_; }
  double stiffness() const override { return stiffness_ / 3.25; }
  long accepted() const override { return accepted_; }
  long rejected() const override { return rejected_; }

 private:
  using Vector = std::vector<double>;
  static std::size_t at(int s) { return static_cast<std::size_t>(s); }

  void begin_at(double t, std::span<const double> y) {
    for (Vector& k : k_) k.resize(y.size());
    for (Vector* v : {&y_end_, &stage_, &before_end_, &slope_}) v->resize(y.size());
    t_ = t;
    y_.assign(y.begin(), y.end());
    is_number_ = true;
    system_.slope(t_, y_, slope_, kAtState);
  }

  void take_stages(double t, double h) {
    for (int s = 1; s < kStages; ++s) {
      Vector& target = s == kStages - 1 ? y_end_ : stage_;
      for (std::size_t i = 0; i < y_.size(); ++i) {
        double sum = 0;
        for (int k = 0; k < s; ++k) sum += kA[s][k] * k_[at(k)][i];
        target[i] = y_old_[i] + h * sum;
      }
      if (s == kStages - 2) before_end_ = stage_;
      system_.slope(t + kNodes[s] * h, target, k_[at(s)], s);
    }
  }

  void accept(double t, double error) {
    t_ = t_end_ = t;
    for (Vector& c : dense_) c.resize(y_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double rise = y_end_[i] - y_old_[i], bend = h_ * k_[0][i] - rise;
      double sum = 0;
      for (int s = 0; s < kStages; ++s) sum += kDense[s] * k_[at(s)][i];
      dense_[0][i] = rise;
      dense_[1][i] = bend;
      dense_[2][i] = rise - h_ * k_[6][i] - bend;
      dense_[3][i] = h_ * sum;
    }
    note_stiffness();
    y_ = y_end_;
    const double growth = step_factor(error);
    h_next_ = h_ * (last_rejected_ ? std::min(growth, 1.0) : growth);
    last_rejected_ = false;
    ++accepted_;
  }

  void note_stiffness() {
    double slopes = 0, places = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double s = weights_.absolute[i];
      const double rise = (k_[6][i] - k_[5][i]) / s, run = (y_end_[i] - before_end_[i]) / s;
      slopes += rise * rise;
      places += run * run;
    }
    stiffness_ = 0.8 * stiffness_ + 0.2 * (places > 0 ? h_ * std::sqrt(slopes / places) : 0);
  }

  static double step_factor(double error) {
    return error == 0 ? 5 : std::clamp(0.9 * std::pow(error, -0.2), 0.2, 5.0);
  }

  System& system_;
  const Weights& weights_;
  std::array<Vector, kStages> k_;
  std::array<Vector, 4> dense_;
  Vector y_, y_old_, y_end_, stage_, before_end_, slope_;
  double t_ = 0, t_old_ = 0, t_end_ = 0, h_ = 0, h_next_ = 0, stiffness_ = 0;
  bool last_rejected_ = false;
  bool is_number_ = true;  // the last error was one
  long accepted_ = 0, rejected_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_dopri5(System& system, const Weights& weights, const Settings&) {
  return std::make_unique<Dopri5>(system, weights);
}

}  // namespace percuss::ode
