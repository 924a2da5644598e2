// Slopes, and where their evaluations are kept.
#include "percuss/dynamics/stepper.h"

#include <algorithm>
#include <utility>

#include "percuss/base/index.h"
#include "percuss/dynamics/step_control.h"
#include "percuss/expression/enclosure.h"

namespace percuss::dynamics {

namespace {
constexpr std::size_t kFewBodies = 100;
}

Stepper::Stepper(const Model& model, const Settings& settings, const State& state, Workspace& workspace,
                 StageDetail detail)
    : model_(model),
      settings_(settings),
      state_(state),
      workspace_(workspace),
      // of few bodies it is cheaper to keep all than to pick
      detail_(detail == StageDetail::forces && model.bodies.size() < kFewBodies ? StageDetail::everything
                                                                                : detail) {
  each_function(model, [this](const model::Function& f) {
    if (f.is_constant) return;
    if (std::vector<std::size_t> operations = expression::operations_to_enclose(f.program); !operations.empty())
      enclosed_.push_back({&f, std::move(operations)});
  });
  own_ = settings.integrator->make(*this, state.control.weights, {settings.tolerance, settings.step_s});
  method_ = own_.get();
  last_method_ = method_;
}

void Stepper::start(double first_step_s) {
  note_modes();
  method_ = own_.get();
  method_->start(state_.t_s, state_.y, first_step_s);
}

void Stepper::start_stiff(double first_step_s) {
  note_modes();
  if (!stiff_)
    stiff_ = ode::find_integrator("radau5")->make(*this, state_.control.weights, {settings_.tolerance, 0});
  method_ = stiff_.get();
  method_->start(state_.t_s, state_.y, first_step_s);
}

void Stepper::restore() {
  note_modes();
  if (state_.control.stiff && !stiff_)
    stiff_ = ode::find_integrator("radau5")->make(*this, state_.control.weights, {settings_.tolerance, 0});
  method_ = state_.control.stiff ? stiff_.get() : own_.get();
  method_->restore(state_.t_s, state_.y, state_.control.method);
}

ode::StepOutcome Stepper::step(double t_limit_s) {
  std::swap(begin_, now_);
  last_method_ = method_;
  const ode::StepOutcome outcome = method_->step(t_limit_s);
  if (outcome != ode::StepOutcome::accepted) std::swap(begin_, now_);
  return outcome;
}

ode::StepOutcome Stepper::step_again(const ode::Memory& before, double t_limit_s) {
  method_->restore(state_.t_s, state_.y, before);
  return step(t_limit_s);
}

void Stepper::go_on(bool same_modes) {
  same_modes_ = same_modes;
  note_modes();
  method_->go_on_from(state_.y);
}

/// Stage 0 of a method that begins with it is the evaluation at the beginning of the step.
std::span<const Evaluation* const> Stepper::stages() {
  stages_.assign(at(method_->stage_count()), nullptr);
  kept_.resize(std::max(kept_.size(), stages_.size()));
  for (std::size_t s = 0; s < stages_.size(); ++s)
    stages_[s] = s == 0 && method_->begins_with_stage() ? &begin_ : &kept_[s];
  return stages_;
}

Evaluation& Stepper::kept(int which) {
  if (kept_.size() <= at(which)) kept_.resize(at(method_->stage_count()));
  return kept_[at(which)];
}

Evaluation& Stepper::place_for(int which) {
  if (which == ode::kAtState) return now_;
  const bool whole = detail_ == StageDetail::everything && which >= 0 && method_->counts(which);
  return whole || (which >= 0 && which == method_->end_stage()) ? kept(which) : workspace_.result;
}

void Stepper::note_modes() {
  const bool powers_suffice = detail_ != StageDetail::everything && model_.forces.empty() &&
                              model_.controllers.empty() && state_.y.size() == model_.unknowns() &&
                              std::ranges::none_of(state_.modes.contacts, &ContactMode::is_held);
  of_stages_ = powers_suffice ? OfContacts::powers : OfContacts::all;
}

void Stepper::slope(double t_s, std::span<const double> y, std::span<double> dydt, int which) {
  Evaluation& e = place_for(which);
  const bool passes = &e == &workspace_.result;
  evaluate(model_, t_s, y, state_.modes, workspace_, e, passes ? of_stages_ : OfContacts::all);
  write_slopes(model_, y, state_.modes, e, workspace_, dydt);
  if (detail_ != StageDetail::forces || !passes || which < 0 || !method_->counts(which)) return;
  Evaluation& to = kept(which);  // motions and the rest are scratch again
  to.t_s = e.t_s;
  to.contacts.clear();
  to.powers.swap(e.powers);
  if (of_stages_ == OfContacts::all) {
    to.powers.resize(e.contacts.size());
    for (std::size_t i = 0; i < to.powers.size(); ++i) to.powers[i] = power_of(e.contacts[i]);
  }
  to.multiplier.swap(e.multiplier);
  to.rows.target_rate.swap(e.rows.target_rate);
  to.rows.moving_rate.swap(e.rows.moving_rate);
  to.springs.swap(e.springs);
  to.force_power_W.swap(e.force_power_W);
  if (!workspace_.has_moving_bodies) return;
  std::swap(to.on_prescribed, e.on_prescribed);
  to.motions = e.motions;
}

void Stepper::position_slope(double t_s, std::span<const double> y, std::span<double> dydt) {
  model::position_slopes(model_, {t_s, state_.modes.pieces}, y, dydt);
}

/// What one function shortens hides what the stages of the longer step saw of another: until none does.
double Stepper::step_to_take(double t_s, double h_s, std::span<const double> stages) {
  std::size_t agreed = 0;
  for (std::size_t i = 0; agreed < enclosed_.size(); i = (i + 1) % enclosed_.size()) {
    const Enclosed& e = enclosed_[i];
    const double longest_s = expression::step_to_take(
        e.function->program, e.operations,
        e.function->is_piecewise() ? e.function->own(state_.modes.pieces) : expression::Pieces(), t_s, h_s, stages);
    agreed = longest_s < h_s ? 1 : agreed + 1;
    h_s = std::min(h_s, longest_s);
  }
  return h_s;
}

ode::Coupling Stepper::coupling() const { return coupling_of(model_, state_.modes, state_.y.size()); }

bool Stepper::state_is_stage(int stage) {
  if (!same_modes_) return false;
  // as if it were made: whether it is there depends on who looked into the step
  ++workspace_.evaluations;
  if (kept_[at(stage)].near_singular) ++workspace_.near_singular;
  std::swap(now_, kept_[at(stage)]);
  return true;
}

}  // namespace percuss::dynamics
