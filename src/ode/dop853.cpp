// dop853 behind the common interface.
#include "percuss/ode/dop853.h"

#include "percuss/ode/makers.h"

namespace percuss::ode {

namespace {

class Dop853Integrator final : public Integrator {
 public:
  Dop853Integrator(System& system, const Weights& weights) : solver_(0, {}), rhs_{system} {
    solver_.use_weights(&weights);
  }
  void start(double t, std::span<const double> y, double h_guess) override { solver_.start(rhs_, t, y, h_guess); }
  void restore(double t, std::span<const double> y, const Memory& memory) override {
    solver_.restore(rhs_, t, y, memory);
  }
  Memory save() const override { return solver_.save(); }
  StepOutcome step(double t_limit) override { return solver_.step(rhs_, t_limit); }
  void go_on_from(std::span<const double> y) override {
    solver_.go_on_from(rhs_, y, [this](int stage) { return rhs_.system.state_is_stage(stage); });
  }
  void prepare_dense() override { solver_.prepare_dense(rhs_); }
  bool has_dense() const override { return solver_.has_dense(); }
  void interpolate(double t, std::size_t first, std::span<double> y) const override {
    solver_.interpolate(t, first, y);
  }
  int stage_count() const override { return dop853::kDenseStages; }
  bool counts(int stage) const override { return Dop853<>::counts(stage); }
  int end_stage() const override { return dop853::kStages; }
  void weights_to(double t, std::span<double> weights) const override { solver_.weights_to(t, weights); }
  double t() const override { return solver_.t(); }
  double t_old() const override { return solver_.t_old(); }
  double next_step() const override { return solver_.next_step(); }
  std::span<const double> y() const override { return solver_.y(); }
  std::span<const double> slope() const override { return solver_.slope(); }
  double stiffness() const override { return solver_.stiffness() / kStabilityLimit; }
  long accepted() const override { return solver_.accepted(); }
  long rejected() const override { return solver_.rejected(); }

 private:
  static constexpr double kStabilityLimit = 6.1;  // of dop853 along the negative real axis
  struct Rhs {
    System& system;
    void operator()(double t, std::span<const double> y, std::span<double> d, int which) {
      system.slope(t, y, d, which);
    }
    double step_to_take(double t, double h) {
      // stages 1 to 4 have no weight: what they alone see of a function of time is lost
      using dop853::kNodes;
      static constexpr double kSeen[] = {kNodes[0], kNodes[5], kNodes[6],  kNodes[7],
                                         kNodes[8], kNodes[9], kNodes[10], kNodes[11]};
      return system.step_to_take(t, h, kSeen);
    }
  };
  Dop853<> solver_;
  Rhs rhs_;
};

}  // namespace

std::unique_ptr<Integrator> make_dop853(System& system, const Weights& weights, const Settings&) {
  return std::make_unique<Dop853Integrator>(system, weights);
}

}  // namespace percuss::ode
