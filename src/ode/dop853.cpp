// dop853 behind the common interface.
#include "percuss/ode/dop853.h"
#include "percuss/ode/makers.h"

namespace percuss::ode {

namespace {

class Dop853Integrator final : public Integrator {
 public:
  Dop853Integrator(System& system, const Weights& weights) : solver_(system.dimension(), {}), rhs_{system} {
    solver_.use_weights(&weights);
  }
  void start(double t, std::span<const double> y, double h_guess) override { solver_.start(rhs_, t, y, h_guess); }
  StepOutcome step(double t_limit) override { return solver_.step(rhs_, t_limit); }
  void correct(std::span<const double> y) override { solver_.correct(y); }
  void prepare_dense() override { solver_.prepare_dense(rhs_); }
  void interpolate(double t, std::span<double> y) const override { solver_.interpolate(t, y); }
  double t() const override { return solver_.t(); }
  double t_old() const override { return solver_.t_old(); }
  double next_step() const override { return solver_.next_step(); }
  std::span<const double> y() const override { return solver_.y(); }
  double stiffness() const override { return solver_.stiffness() / kStabilityLimit; }
  long accepted() const override { return solver_.accepted(); }
  long rejected() const override { return solver_.rejected(); }

 private:
  static constexpr double kStabilityLimit = 6.1;  // of dop853 along the negative real axis
  struct Rhs {
    System& system;
    void operator()(double t, std::span<const double> y, std::span<double> d) { system.slope(t, y, d); }
  };
  Dop853<> solver_;
  Rhs rhs_;
};

}  // namespace

std::unique_ptr<Integrator> make_dop853(System& system, const Weights& weights, const Settings&) {
  return std::make_unique<Dop853Integrator>(system, weights);
}

}  // namespace percuss::ode
