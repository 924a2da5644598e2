// CVODE of SUNDIALS behind the common interface: backward differentiation formulas of variable order.
//
// A multistep method lives on its history: a corrected state is a new start, at order 1.
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <vector>

#include "percuss/ode/error_norm.h"
#include "percuss/ode/makers.h"

namespace percuss::ode {

namespace {

class Cvode final : public Integrator {
 public:
  Cvode(System& system, const Weights& weights) : system_(system), weights_(weights), y_(system.dimension()) {
    SUNContext_Create(nullptr, &context_);
    const auto n = static_cast<sunindextype>(y_.size());
    vector_ = N_VMake_Serial(n, y_.data(), context_);
    dense_ = N_VNew_Serial(n, context_);
    matrix_ = SUNDenseMatrix(n, n, context_);
    linear_ = SUNLinSol_Dense(vector_, matrix_, context_);
  }
  ~Cvode() override {
    if (memory_) CVodeFree(&memory_);
    SUNLinSolFree(linear_);
    SUNMatDestroy(matrix_);
    N_VDestroy(dense_);
    N_VDestroy(vector_);
    SUNContext_Free(&context_);
  }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;

  void start(double t, std::span<const double> y, double h_guess) override {
    t_ = t_old_ = t;
    std::ranges::copy(y, y_.begin());
    if (!memory_) {
      memory_ = CVodeCreate(CV_BDF, context_);
      CVodeInit(memory_, slope, t, vector_);
      CVodeSetUserData(memory_, this);
      CVodeWFtolerances(memory_, weigh);
      CVodeSetLinearSolver(memory_, linear_, matrix_);
      CVodeSetErrFile(memory_, nullptr);
    } else {
      CVodeReInit(memory_, t, vector_);
    }
    CVodeSetInitStep(memory_, h_guess > 0 ? h_guess : 0);
  }

  StepOutcome step(double t_limit) override {
    t_old_ = t_;
    CVodeSetStopTime(memory_, t_limit);
    double t = t_;
    const int flag = CVode(memory_, t_limit, vector_, &t, CV_ONE_STEP);
    if (flag < 0) return StepOutcome::too_small;
    for (const double x : y_)
      if (!std::isfinite(x)) return StepOutcome::not_finite;
    t_ = t;
    ++accepted_;
    return StepOutcome::accepted;
  }

  void correct(std::span<const double> y) override {
    double h = 0;
    CVodeGetCurrentStep(memory_, &h);
    start(t_, y, h);
  }

  void prepare_dense() override {}
  void interpolate(double t, std::span<double> y) const override {
    CVodeGetDky(memory_, t, 0, dense_);
    std::copy_n(N_VGetArrayPointer(dense_), y.size(), y.begin());
  }

  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  double next_step() const override {
    double h = 0;
    CVodeGetCurrentStep(memory_, &h);
    return h;
  }
  std::span<const double> y() const override { return y_; }
  long accepted() const override { return accepted_; }
  long rejected() const override {
    long failed = 0;
    if (memory_) CVodeGetNumErrTestFails(memory_, &failed);
    return failed;
  }

 private:
  static int slope(double t, N_Vector y, N_Vector d, void* self) {
    auto& own = *static_cast<Cvode*>(self);
    own.system_.slope(t, {N_VGetArrayPointer(y), own.y_.size()}, {N_VGetArrayPointer(d), own.y_.size()});
    return 0;
  }
  /// CVODE takes the mean over all components; those that do not count are given no weight, the others theirs.
  static int weigh(N_Vector y, N_Vector w, void* self) {
    const auto& own = *static_cast<Cvode*>(self);
    const double share =
        std::sqrt(static_cast<double>(own.y_.size()) / static_cast<double>(own.weights_.controlled));
    const double* at = N_VGetArrayPointer(y);
    double* out = N_VGetArrayPointer(w);
    for (std::size_t i = 0; i < own.y_.size(); ++i)
      out[i] = std::max(share / scale_of(own.weights_, i, at[i], at[i]), 1e-290);
    return 0;
  }

  System& system_;
  const Weights& weights_;
  std::vector<double> y_;
  SUNContext context_ = nullptr;
  N_Vector vector_ = nullptr, dense_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  void* memory_ = nullptr;
  double t_ = 0, t_old_ = 0;
  long accepted_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_cvode(System& system, const Weights& weights, const Settings&) {
  return std::make_unique<Cvode>(system, weights);
}

}  // namespace percuss::ode
