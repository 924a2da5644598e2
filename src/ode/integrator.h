// What every integrator offers: one accepted step at a time, dense output inside it, the same step again to a time.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "percuss/ode/tolerance.h"

namespace percuss::ode {

/// y' = f(t, y) with structure that methods may use. The components are, in this order:
///   positions    whose slope depends on positions and velocities alone
///   the rest of the coupled ones (velocities)
///   quadratures  whose slope depends on the others; nothing depends on them
class System {
 public:
  virtual ~System() = default;
  virtual std::size_t dimension() const = 0;
  virtual std::size_t positions() const { return 0; }
  virtual std::size_t quadratures() const { return 0; }
  virtual void slope(double t, std::span<const double> y, std::span<double> dydt) = 0;
  /// The slope of the positions alone, cheaply.
  virtual void position_slope(double t, std::span<const double> y, std::span<double> dydt) = 0;
  std::size_t coupled() const { return dimension() - quadratures(); }
};

struct Settings {
  double tolerance = 1e-9;  // what the weights were made with
  double step_s = 0;        // of a fixed-step method
};

class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Begins at (t, y). h_guess > 0 is tried first; otherwise the method finds a first step.
  virtual void start(double t, std::span<const double> y, double h_guess) = 0;
  /// One accepted step, not beyond t_limit.
  virtual StepOutcome step(double t_limit) = 0;
  /// Goes on from a corrected state; the dense output of the last step stays as it is.
  virtual void correct(std::span<const double> y) = 0;
  /// Makes `interpolate` ready, for any t inside the last step.
  virtual void prepare_dense() = 0;
  virtual void interpolate(double t, std::span<double> y) const = 0;

  virtual double t() const = 0;
  virtual double t_old() const = 0;
  virtual double next_step() const = 0;
  virtual std::span<const double> y() const = 0;
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
  bool stiff = false;      // takes stiff systems
  bool multistep = false;  // lives on its history: states cannot be corrected after each step
  bool optional = false;   // not in every build
  std::string_view weakness{};
  std::unique_ptr<Integrator> (*make)(System&, const Weights&, const Settings&) = nullptr;
};
std::span<const IntegratorRow> integrator_rows();
const IntegratorRow* find_integrator(std::string_view key);

}  // namespace percuss::ode
