// The integrators of a run and the evaluations of their stages.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "percuss/dynamics/evaluation.h"
#include "percuss/ode/integrator.h"

namespace percuss::dynamics {

/// What is kept of the stages of a step: nothing; forces, multipliers and powers; or all that was evaluated there,
/// the motions of all bodies and the factors of the joints included.
enum class StageDetail { none, forces, everything };

/// Takes a State's unknowns forward under constant modes. It reads the State and never writes to it.
class Stepper final : private ode::System {
 public:
  Stepper(const Model& model, const Settings& settings, const State& state, Workspace& workspace,
          StageDetail detail);

  /// Begins anew at the state with the method of the settings; or with the stiff one, on trial.
  void start(double first_step_s);
  void start_stiff(double first_step_s);
  /// Goes on from the state with what it remembers.
  void restore();
  ode::Memory save() const { return method_->save(); }

  ode::StepOutcome step(double t_limit_s);
  /// The step that was taken, not told to anybody, is taken again, not beyond an earlier time. `before` was saved
  /// before it.
  ode::StepOutcome step_again(const ode::Memory& before, double t_limit_s);
  /// Begins the next step at the state, after a step and its corrections. `same_modes`: what was evaluated at the
  /// end of the step holds for it.
  void go_on(bool same_modes);

  ode::Integrator& method() { return *method_; }
  const ode::Integrator& method() const { return *method_; }
  /// The one that took the last step: its dense output is that of the step.
  const ode::Integrator& last_method() const { return *last_method_; }
  /// Everything at the state; and at the beginning of the last step.
  const Evaluation& now() const { return now_; }
  const Evaluation& begin() const { return begin_; }
  /// Functions of time that a step could pass over.
  bool has_pulses() const { return !enclosed_.empty(); }
  /// Of the last step, by number; those without weight are not kept.
  std::span<const Evaluation* const> stages();
  bool keeps_stages() const { return detail_ != StageDetail::none; }

 private:
  std::size_t positions() const override { return static_cast<std::size_t>(model_.position_count); }
  void slope(double t_s, std::span<const double> y, std::span<double> dydt, int which) override;
  void position_slope(double t_s, std::span<const double> y, std::span<double> dydt) override;
  ode::Coupling coupling() const override;
  bool state_is_stage(int stage) override;
  double step_to_take(double t_s, double h_s, std::span<const double> stages) override;
  Evaluation& place_for(int which);
  Evaluation& kept(int which);
  void note_modes();

  const Model& model_;
  const Settings& settings_;
  const State& state_;
  Workspace& workspace_;
  const StageDetail detail_;
  bool same_modes_ = false;
  OfContacts of_stages_ = OfContacts::all;  // what is kept at stages, under the modes of the state
  std::unique_ptr<ode::Integrator> own_, stiff_;
  ode::Integrator* method_ = nullptr;
  const ode::Integrator* last_method_ = nullptr;
  struct Enclosed {
    const model::Function* function;
    std::vector<std::size_t> operations;
  };
  std::vector<Enclosed> enclosed_;  // functions that could hide a pulse between the stages of a step
  Evaluation now_, begin_;
  std::vector<Evaluation> kept_;  // [stage]
  std::vector<const Evaluation*> stages_;
};

}  // namespace percuss::dynamics
