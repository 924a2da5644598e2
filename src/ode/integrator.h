// What every integrator offers: one accepted step at a time, its stages and their weights, dense output inside it,
// and a memory that can be saved and restored.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "percuss/ode/tolerance.h"

namespace percuss::ode {

/// Which evaluation of a step a slope is for: stages count from 0, the first at the beginning of the step. The
/// slope at the state reached (the first stage of the step that follows) is kAtState; what is needed once is
/// kScratch.
inline constexpr int kAtState = -1, kScratch = -2;

/// Which unknowns the slope of each unknown depends on: unknowns fall into blocks, and block i depends on the
/// blocks in `reads[i]` (itself included). Without blocks every slope may depend on every unknown.
struct Coupling {
  std::vector<int> block_of;            // [unknown]
  std::vector<std::vector<int>> reads;  // [block]
  bool is_dense() const { return reads.empty(); }
};

/// y' = f(t, y), a pure function. The first `positions` components have slopes that depend on positions and
/// velocities alone.
class System {
 public:
  virtual ~System() = default;
  virtual std::size_t positions() const { return 0; }
  /// May throw to give up the step; the integrator must be restored afterwards.
  virtual void slope(double t, std::span<const double> y, std::span<double> dydt, int which) = 0;
  /// The slope of the positions alone, cheaply.
  virtual void position_slope(double t, std::span<const double> y, std::span<double> dydt) = 0;
  virtual Coupling coupling() const { return {}; }
  /// A step from t is about to be tried; its stages at t + c h have a weight in its end. The longest one that may
  /// be: at most h, above 0.
  virtual double step_to_take(double t, double h, std::span<const double> stages) {
    (void)t, (void)stages;
    return h;
  }
  /// The state reached is where this stage of the last step was evaluated: may its slope be used again?
  virtual bool state_is_stage(int) { return true; }
};

struct Settings {
  double tolerance = 1e-9;  // what the weights were made with
  double step_s = 0;        // of a fixed-step method
};

/// What a method remembers from step to step. With it and (t, y) a run goes on to the same bits.
struct Memory {
  double step_s = 0;            // to be tried next
  std::vector<double> numbers;  // laid out by the method
  bool operator==(const Memory&) const = default;
};

/// Below 1e-14 of the time t + h is t, nearly. A step that is cut at a limit may be as short as that: two break
/// points can be neighbours; it is the step that the method would take that must not be.
inline bool is_too_small(double h, bool reaches_limit, double h_next, double t) {
  const double smallest = 1e-14 * std::abs(t);
  return reaches_limit ? !(h > 0 && h_next > smallest) : !(h > smallest);
}

class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Begins at (t, y), of any size. h_guess > 0 is tried first; otherwise the method finds a first step.
  virtual void start(double t, std::span<const double> y, double h_guess) = 0;
  /// Goes on from (t, y) with what was saved there.
  virtual void restore(double t, std::span<const double> y, const Memory& memory) = 0;
  virtual Memory save() const = 0;
  /// One accepted step, not beyond t_limit.
  virtual StepOutcome step(double t_limit) = 0;
  /// Ends the step at a corrected state, from which the next one begins; the dense output of the step stays.
  virtual void go_on_from(std::span<const double> y) = 0;
  /// Makes `interpolate` ready, for any t inside the last step, until the next one.
  virtual void prepare_dense() = 0;
  virtual bool has_dense() const = 0;
  /// The unknowns [first, first + y.size()) at t.
  virtual void interpolate(double t, std::size_t first, std::span<double> y) const = 0;
  void interpolate(double t, std::span<double> y) const { interpolate(t, 0, y); }

  /// Quadrature along with the step: the integral of g from its beginning to t is the sum over the stages of
  /// weight * g. At the end of the step the weights are those of the method, inside it (after `prepare_dense`)
  /// those of its interpolant. Stages that never have a weight are told by `counts`.
  virtual int stage_count() const = 0;
  virtual bool counts(int stage) const = 0;
  virtual bool begins_with_stage() const { return true; }  // stage 0 is at the beginning of the step
  virtual int end_stage() const { return kScratch; }       // the stage at its end, if there is one
  virtual void weights_to(double t, std::span<double> weights) const = 0;
  /// Called once after a step of which the stages are needed: implicit methods evaluate theirs where they
  /// converged.
  virtual void complete_stages() {}

  virtual double t() const = 0;
  virtual double t_old() const = 0;
  virtual double next_step() const = 0;
  virtual std::span<const double> y() const = 0;
  /// The slope at (t, y) after `start`, `restore` and `go_on_from`.
  virtual std::span<const double> slope() const = 0;
  /// Of an explicit method: h |lambda| over its limit of stability; above 1 it is stability that sets the step.
  virtual double stiffness() const { return 0; }
  virtual long accepted() const = 0;
  virtual long rejected() const = 0;
};

/// The table of integrators: reading, help, reference pages and tests iterate it.
struct IntegratorRow {
  std::string_view key{}, title{}, source{};
  int order = 0;        // of the end of a step
  int dense_order = 0;  // between
  bool fixed_step = false;
  bool stiff = false;  // takes stiff systems
  std::string_view weakness{};
  std::unique_ptr<Integrator> (*make)(System&, const Weights&, const Settings&) = nullptr;
};
std::span<const IntegratorRow> integrator_rows();
const IntegratorRow* find_integrator(std::string_view key);

}  // namespace percuss::ode
