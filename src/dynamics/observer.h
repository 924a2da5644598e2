// Those who watch a run. They see accepted steps and events, and cannot change a bit of the motion.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "percuss/base/archive.h"
#include "percuss/dynamics/events/kinds.h"
#include "percuss/dynamics/path.h"
#include "percuss/dynamics/projection.h"
#include "percuss/dynamics/stepper.h"
#include "percuss/dynamics/strike.h"

namespace percuss::dynamics {

/// A state with everything known about it.
struct StateView {
  const Model& model;
  const State& state;
  const Evaluation& evaluation;
};

/// An accepted step, or its part up to an event: [t0_s, t1_s] under one set of modes.
class StepView {
 public:
  StepView(const Model& model, const Modes& modes, const Path& path, ode::Integrator& integrator,
           std::span<const Evaluation* const> stages, double t1_s, std::span<const double> y_end,
           std::span<const double> y_corrected, bool was_projected, Residuals residuals);

  const Model& model;
  const Modes& modes;
  const Path& path;  // as the integrator made it, before the projection
  const double t0_s, t1_s;
  const std::span<const double> y_end;        // before and
  const std::span<const double> y_corrected;  // after the projection onto joints and rests
  const bool was_projected;
  const Residuals residuals;  // of the joints

  /// The stages of the step, in the detail that its observers asked for. The integral of g over [t0, t1] is the sum
  /// of weight * g; of stages without weight nothing is kept.
  std::span<const Evaluation* const> stages() const { return stages_; }
  std::span<const double> weights() const { return weights_; }
  /// Weights of the same stages for the integral from t0 to a time inside the step.
  void weights_to(double t_s, std::vector<double>& out) const;

 private:
  ode::Integrator& integrator_;
  std::span<const Evaluation* const> stages_;
  std::vector<double> weights_;
};

/// A collision of contacts whose response is impulsive.
struct CollisionReport {
  const Strike& strike;
  const collision::Outcome& outcome;
  bool is_last;                              // bounces that are taken together: rest follows
  std::vector<double> by_driver, by_motion;  // [driver], [body]: work done by what drives
  std::int64_t first_id;                     // of its points
};

/// A driver or a prescribed motion began to move otherwise, at once: what drives does work on the way.
struct RateJump {
  std::vector<double> by_driver, by_motion;  // [driver], [body]
};

/// Something happened at the state's time.
struct EventView {
  const Model& model;
  double t_s;
  EventKind kind;
  const Modes& modes;                      // at touch and collision without the new contacts, if forces act there
  const model::Motions& motions;           // at the event
  const ContactMode* contact = nullptr;    // as it was when it happened; at touch as it begins
  const Evaluation* evaluation = nullptr;  // at touch: everything just before it
  const CollisionReport* collision = nullptr;
  int user_event = -1;
  const RateJump* rate_jump = nullptr;
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// The run begins here; or goes on, with what was restored. Touches of surfaces that overlap at the start are
  /// told before.
  virtual void begin(const StateView&) {}
  virtual void step(const StepView&) {}
  /// Something is about to happen at the end of the step, under the modes of the step.
  virtual void before_event(const Modes& modes, double t_s) { (void)modes, (void)t_s; }
  virtual void event(const EventView&) {}
  /// The stored energy jumped though no force did it.
  enum class Cause { switches, projection };
  virtual void jump(double stored_J, Cause cause) { (void)stored_J, (void)cause; }
  /// A state was reached: the end of a step, after all that happened there.
  virtual void state(const StateView&) {}
  virtual void warn(const Warning&) {}
  /// The run is over, here.
  virtual void end(const StateView&) {}

  /// What it reads of the stages of steps.
  virtual StageDetail needs_stages() const { return StageDetail::none; }
  /// What it has gathered, to go on later to the same result.
  virtual void save(Writer&) const {}
  virtual bool restore(Reader&) { return true; }
};

}  // namespace percuss::dynamics
