// RADAU5: the implicit Runge-Kutta method of Radau IIA with three stages, order 5, for stiff systems.
//
// Stages z_i = y(t + c_i h) - y solve  z = h A f(y + z).  With the eigenvalues of A^-1 (one real, one pair) the
// Newton equations fall into one real and one complex system, (g/h - J) and ((a + ib)/h - J); docs and letters as
// in Hairer and Wanner II, section IV.8. The step is controlled by the embedded third-order formula and
// Gustafsson's predictor. The dense output is the collocation polynomial, order 3.
#include <array>
#include <limits>
#include <vector>

#include "percuss/ode/error_norm.h"
#include "percuss/ode/makers.h"
#include "percuss/ode/newton_matrix.h"

namespace percuss::ode {

namespace {

using Vector = Eigen::VectorXd;

const double kRoot6 = std::sqrt(6.0), kRoot9 = std::cbrt(9.0);
const double kC[3] = {(4 - kRoot6) / 10, (4 + kRoot6) / 10, 1};
const double kRadauA[3][3] = {
    {(88 - 7 * kRoot6) / 360, (296 - 169 * kRoot6) / 1800, (-2 + 3 * kRoot6) / 225},
    {(296 + 169 * kRoot6) / 1800, (88 + 7 * kRoot6) / 360, (-2 - 3 * kRoot6) / 225},
    {(16 - kRoot6) / 36, (16 + kRoot6) / 36, 1.0 / 9},
};
// eigenvalues of A^-1: gamma, alpha +- i beta
const double kGamma = 30 / (6 + kRoot9 * (kRoot9 - 1));
const double kAlphaRaw = (12 - kRoot9 * (kRoot9 - 1)) / 60;
const double kBetaRaw = kRoot9 * (kRoot9 + 1) * std::sqrt(3.0) / 60;
const double kAlpha = kAlphaRaw / (kAlphaRaw * kAlphaRaw + kBetaRaw * kBetaRaw);
const double kBeta = kBetaRaw / (kAlphaRaw * kAlphaRaw + kBetaRaw * kBetaRaw);
constexpr double kT[3][3] = {
    {9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1, 0},
};
constexpr double kTInverse[3][3] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497},
};
const double kRadauError[3] = {-(13 + 7 * kRoot6) / 3, (-13 + 7 * kRoot6) / 3, -1.0 / 3};

constexpr int kMostIterations = 8;
/// Where the error allows steps at which the iteration fails, each of them would be tried, and fail, after each
/// that is taken: steps grow to a part of the one that failed, and beyond it little by little.
constexpr double kConverges = 0.7, kForgets = 1.2;
constexpr double kConverged = 0.03;  // of the error allowed; see below for tight tolerances

class Radau5 final : public Integrator {
 public:
  Radau5(System& system, const Weights& weights, const Settings& settings)
      : system_(system), weights_(weights), tolerance_(settings.tolerance) {}

  void start(double t, std::span<const double> y, double h_guess) override {
    begin_at(t, y);
    h_next_ = h_guess > 0 ? h_guess
                          : first_step(weights_, 3, t_, span(y_), span(slope_), span(work_), span(error_),
                                       [this](double at, std::span<const double> s, std::span<double> d) {
                                         system_.slope(at, s, d, kScratch);
                                       });
    has_jacobian_ = has_predictor_ = last_rejected_ = false;
    h_factored_ = 0;
    h_converges_ = std::numeric_limits<double>::infinity();
    first_ = true;
  }

  /// Laid out as [flags | lengths and errors | predictor | Jacobian], the last two where they are.
  Memory save() const override {
    Memory out{h_next_,
               {flag(has_jacobian_), flag(first_), flag(last_rejected_), flag(has_predictor_),
                has_jacobian_ ? h_factored_ : 0, h_predictor_, h_accepted_, error_accepted_, rate_, h_converges_}};
    const auto append = [&out](std::span<const double> v) {
      out.numbers.insert(out.numbers.end(), v.begin(), v.end());
    };
    if (has_predictor_)
      for (const Vector& c : predictor_) append(span(c));
    if (has_jacobian_) append(matrix_.jacobian());
    return out;
  }

  void restore(double t, std::span<const double> y, const Memory& memory) override {
    begin_at(t, y);
    h_next_ = memory.step_s;
    const double* next = memory.numbers.data();
    for (bool* f : {&has_jacobian_, &first_, &last_rejected_, &has_predictor_}) *f = *next++ != 0;
    for (double* v : {&h_factored_, &h_predictor_, &h_accepted_, &error_accepted_, &rate_, &h_converges_})
      *v = *next++;
    if (has_predictor_)
      for (Vector& c : predictor_) {
        c = Eigen::Map<const Vector>(next, n());
        next += n();
      }
    if (!has_jacobian_) {
      h_factored_ = 0;
      return;
    }
    std::copy_n(next, matrix_.jacobian().size(), matrix_.jacobian().begin());
    if (h_factored_ != 0) factor(h_factored_);
  }

  StepOutcome step(double t_limit) override {
    y_old_ = y_;
    t_old_ = t_;
    jacobian_is_fresh_ = false;
    is_number_ = true;
    for (;;) {
      bool reaches_limit = t_old_ + 1.01 * h_next_ >= t_limit;
      double h = reaches_limit ? t_limit - t_old_ : h_next_;
      const double longest = system_.step_to_take(t_old_, h, kC);
      reaches_limit = reaches_limit && !(longest < h);
      h = std::min(h, longest);
      if (is_too_small(h, reaches_limit, h_next_, t_old_))
        return std::isfinite(h) && is_number_ ? StepOutcome::too_small : StepOutcome::not_finite;
      if (!has_jacobian_) form_jacobian(t_old_, y_old_);
      const bool is_factored = h_factored_ == h || factor(h);
      if (is_factored) guess_stages(h);
      if (!is_factored || !solve_stages(h)) {
        ++rejected_;
        last_rejected_ = true;
        if (jacobian_is_fresh_) h_next_ = h / 2, h_converges_ = kConverges * h;
        has_jacobian_ = jacobian_is_fresh_;
        h_factored_ = 0;
        has_predictor_ = false;
        continue;
      }
      y_end_ = y_old_ + z_[2];
      const double error = estimate_error(h);
      const double safety = std::min(0.9, 0.9 * (2 * kMostIterations + 1) / (2.0 * kMostIterations + iterations_));
      double factor_to_next = std::clamp(std::pow(std::max(error, 1e-10), 0.25) / safety, 1.0 / 8, 5.0);
      if (error < 1) {
        accept(reaches_limit ? t_limit : t_old_ + h, h, error, factor_to_next);
        return StepOutcome::accepted;
      }
      ++rejected_;
      last_rejected_ = true;
      has_jacobian_ = jacobian_is_fresh_;
      h_next_ = std::isfinite(error) ? (first_ ? 0.1 * h : h / factor_to_next) : 0.1 * h;
      has_predictor_ = false;
    }
  }

  void go_on_from(std::span<const double> y) override {
    std::ranges::copy(y, y_.data());
    evaluate(t_, y_, slope_, kAtState);
  }
  void prepare_dense() override {}

  void interpolate(double t, std::size_t first, std::span<double> y) const override {
    const double s = (t - t_old_) / h_ - 1;
    for (std::size_t k = 0; k < y.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(first + k);
      y[k] = y_end_[i] + s * (dense_[0][i] + (s + 1 - kC[1]) * (dense_[1][i] + (s + 1 - kC[0]) * dense_[2][i]));
    }
  }

  bool has_dense() const override { return accepted_ > 0; }
  int stage_count() const override { return 3; }
  bool counts(int) const override { return true; }
  bool begins_with_stage() const override { return false; }
  /// Where the iteration ended; during it the stages are on their way.
  void complete_stages() override {
    for (int s = 0; s < 3; ++s) {
      work_ = y_old_ + z_[at(s)];
      evaluate(t_old_ + kC[s] * h_, work_, f_[at(s)], s);
    }
  }
  /// The integral of g at the stages is h A g; between, the polynomial through 0 and those three.
  void weights_to(double t, std::span<double> w) const override {
    const double x = t == t_end_ ? 1 : (t - t_old_) / h_;
    double share[3];  // of the value at each stage
    for (int s = 0; s < 3; ++s) {
      share[s] = x / kC[s];
      for (int k = 0; k < 3; ++k)
        if (k != s) share[s] *= (x - kC[k]) / (kC[s] - kC[k]);
    }
    for (int s = 0; s < 3; ++s)
      w[at(s)] = t == t_end_
                     ? h_ * kRadauA[2][s]
                     : h_ * (share[0] * kRadauA[0][s] + share[1] * kRadauA[1][s] + share[2] * kRadauA[2][s]);
  }

  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  double next_step() const override { return h_next_; }
  std::span<const double> y() const override { return span(y_); }
  std::span<const double> slope() const override { return span(slope_); }
  long accepted() const override { return accepted_; }
  long rejected() const override { return rejected_; }

 private:
  using Triple = std::array<Vector, 3>;
  static std::size_t at(int s) { return static_cast<std::size_t>(s); }
  static double flag(bool on) { return on ? 1 : 0; }
  static std::span<const double> span(const Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
  static std::span<double> span(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
  Eigen::Index n() const { return y_.size(); }

  void evaluate(double t, const Vector& y, Vector& out, int which) { system_.slope(t, span(y), span(out), which); }

  void begin_at(double t, std::span<const double> y) {
    const auto size = static_cast<Eigen::Index>(y.size());
    t_ = t;
    y_ = Eigen::Map<const Vector>(y.data(), size);
    for (Vector* v : {&slope_, &work_, &error_}) v->setZero(size);
    for (auto* set : {&w_, &f_, &step_, &predictor_})
      for (Vector& v : *set) v.setZero(size);
    matrix_.lay_out(y.size(), system_.coupling());
    is_number_ = true;
    evaluate(t_, y_, slope_, kAtState);
  }

  void transform(const double (&m)[3][3], const Triple& from, Triple& to) const {
    for (int s = 0; s < 3; ++s) to[at(s)] = m[s][0] * from[0] + m[s][1] * from[1] + m[s][2] * from[2];
  }

  /// Differences over 1e-8 of the scale that the weights stand for: large against rounding, small against
  /// curvature.
  void form_jacobian(double t, const Vector& y) {
    matrix_.difference(
        span(y), span(slope_), [this](std::size_t i) { return 1e-8 * (weights_.absolute[i] / tolerance_); },
        [&](std::span<const double> moved, std::span<double> out) { system_.slope(t, moved, out, kScratch); });
    has_jacobian_ = jacobian_is_fresh_ = true;
    h_factored_ = 0;
  }

  bool factor(double h) {
    is_number_ = matrix_.factor(kGamma / h, {kAlpha / h, kBeta / h});
    h_factored_ = is_number_ ? h : 0;
    return is_number_;
  }

  /// The last step's polynomial, continued; nothing at the start.
  void guess_stages(double h) {
    for (Vector& z : z_) z.setZero(n());
    for (Vector& w : w_) w.setZero(n());
    if (!has_predictor_) return;
    for (int s = 0; s < 3; ++s) {
      const double x = kC[s] * h / h_predictor_;  // beyond the end of the last step, in its length
      z_[at(s)] = x * (predictor_[0] + (x + 1 - kC[1]) * (predictor_[1] + (x + 1 - kC[0]) * predictor_[2]));
    }
    transform(kTInverse, z_, w_);
  }

  /// Simplified Newton iteration; false if it does not converge.
  bool solve_stages(double h) {
    const double goal = std::max(last_digits(), std::min(kConverged, std::sqrt(tolerance_)));
    double last = 0, rate = std::pow(std::max(rate_, 1e-16), 0.8);
    for (iterations_ = 0; iterations_ < kMostIterations;) {
      for (int s = 0; s < 3; ++s) {
        work_ = y_old_ + z_[at(s)];
        evaluate(t_old_ + kC[s] * h, work_, f_[at(s)], kScratch);
      }
      transform(kTInverse, f_, step_);
      step_[0] -= kGamma / h * w_[0];
      const Vector second = step_[1] - kAlpha / h * w_[1] + kBeta / h * w_[2];
      const Vector third = step_[2] - kAlpha / h * w_[2] - kBeta / h * w_[1];
      step_[0] = matrix_.solve(step_[0]);
      matrix_.solve(second, third, step_[1], step_[2]);
      ++iterations_;
      double sum = 0;
      for (Eigen::Index i = 0; i < n(); ++i) {
        const double s = weights_.absolute[static_cast<std::size_t>(i)];
        for (int k = 0; k < 3; ++k) sum += (step_[at(k)][i] / s) * (step_[at(k)][i] / s);
      }
      const double size = std::sqrt(sum / (3 * static_cast<double>(n())));
      is_number_ = std::isfinite(size);
      if (!is_number_) return false;
      for (int s = 0; s < 3; ++s) w_[at(s)] += step_[at(s)];
      transform(kT, w_, z_);
      if (iterations_ > 1) {
        const double theta = size / last;
        rate = theta;
        if (theta >= 0.99) return size <= goal;
        if (theta / (1 - theta) * size * std::pow(theta, kMostIterations - 1 - iterations_) > goal &&
            iterations_ < kMostIterations - 1 && theta > 0.9)
          return false;
      }
      last = size;
      if (iterations_ > 1 ? rate / (1 - rate) * size <= goal : size <= 1e-3 * goal) {
        rate_ = rate;
        return true;
      }
    }
    return false;
  }

  /// Rounding of the unknowns, ten times, over what the weights allow: the iteration cannot do better.
  double last_digits() const {
    double most = 0;
    for (Eigen::Index i = 0; i < n(); ++i)
      most = std::max(most, std::abs(y_old_[i]) / weights_.absolute[static_cast<std::size_t>(i)]);
    return 10 * std::numeric_limits<double>::epsilon() * most;
  }

  double estimate_error(double h) {
    const Vector embedded = (kRadauError[0] * z_[0] + kRadauError[1] * z_[1] + kRadauError[2] * z_[2]) / h;
    const auto norm = [&] { return std::max(error_norm(weights_, span(error_)), 1e-10); };
    error_ = matrix_.solve(embedded + slope_);
    double error = norm();
    if (error >= 1 && (first_ || last_rejected_)) {
      const Vector moved = y_old_ + error_;
      evaluate(t_old_, moved, work_, kScratch);
      error_ = matrix_.solve(embedded + work_);
      error = norm();
    }
    return error;
  }

  void accept(double t, double h, double error, double factor_to_next) {
    h_ = h_predictor_ = h;
    t_ = t_end_ = t;
    const double c1 = kC[0] - 1, c2 = kC[1] - 1, c12 = kC[0] - kC[1];
    dense_[0] = (z_[1] - z_[2]) / c2;
    const Vector between = (z_[0] - z_[1]) / c12;
    const Vector first = (between - z_[0] / kC[0]) / kC[1];
    dense_[1] = (between - dense_[0]) / c1;
    dense_[2] = dense_[1] - first;
    predictor_ = dense_;
    has_predictor_ = true;
    y_ = y_end_;
    if (!first_) {  // Gustafsson: the trend of the last two errors
      const double trend = h_accepted_ / h * std::pow(error * error / error_accepted_, 0.25) / 0.9;
      factor_to_next = std::max(factor_to_next, std::clamp(trend, 1.0 / 8, 5.0));
    }
    h_accepted_ = h;
    error_accepted_ = std::max(1e-2, error);
    double next = h / factor_to_next;
    if (last_rejected_) next = std::min(next, h);
    next = std::min(next, h_converges_);
    h_converges_ *= kForgets;
    const bool keep_step = next >= h && next <= 1.2 * h && iterations_ <= 3;
    h_next_ = keep_step ? h : next;
    has_jacobian_ = rate_ < 1e-3;  // the iteration converges so fast that the old matrix will do
    first_ = last_rejected_ = false;
    ++accepted_;
  }

  System& system_;
  const Weights& weights_;
  const double tolerance_;
  NewtonMatrix matrix_;
  Vector y_, y_old_, y_end_, slope_, work_, error_;
  Triple z_, w_, f_, step_, dense_, predictor_;
  double t_ = 0, t_old_ = 0, t_end_ = 0, h_ = 0, h_predictor_ = 0, h_next_ = 0, h_factored_ = 0, h_accepted_ = 0;
  double error_accepted_ = 1, rate_ = 1;
  double h_converges_ = std::numeric_limits<double>::infinity();  // the iteration failed beyond it
  int iterations_ = 0;
  bool has_jacobian_ = false, jacobian_is_fresh_ = false, first_ = true, last_rejected_ = false;
  bool has_predictor_ = false, is_number_ = true;  // is_number: the last iteration gave one
  long accepted_ = 0, rejected_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_radau5(System& system, const Weights& weights, const Settings& settings) {
  return std::make_unique<Radau5>(system, weights, settings);
}

}  // namespace percuss::ode
