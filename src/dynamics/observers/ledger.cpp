// Integrals over accepted steps, from their stages.
#include "percuss/dynamics/observers/ledger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "percuss/base/index.h"

namespace percuss::dynamics {

using Mode = ContactMode::Mode;

Ledger::Ledger(const Model& model) : model_(model), totals_(model.contacts.size()), workspace_(model) {
  sums_.spring_damped.assign(model.springs.size(), 0.0);
  sums_.spring_supplied.assign(model.springs.size(), 0.0);
  sums_.spring_stored.assign(model.springs.size(), 0.0);
  sums_.force.assign(model.forces.size(), 0.0);
  sums_.driver.assign(model.drivers.size(), 0.0);
  sums_.motion.assign(model.bodies.size(), 0.0);
}

/// Powers at the stages, times their weights. What prescribes a motion supplies the opposite of the power of the
/// forces on that body: of contacts and springs directly, of joints through their rows.
void Ledger::add(std::span<const Evaluation* const> stages, std::span<const double> weights, const Modes& modes,
                 Sums& sums, std::vector<ContactWork>& works) const {
  const model::RowLayout& rows = *modes.rows;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const double w = weights[s];
    if (w == 0) continue;
    const Evaluation& e = *stages[s];
    for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
      const ContactPower now = power_of(e, i);
      works[i].dissipated_J += w * ((now.force_N - now.elastic_N) * now.rate_mps);
      works[i].impulse_Ns += w * now.force_N;
      works[i].friction_J += w * now.friction_W;
    }
    for (std::size_t i = 0; i < model_.springs.size(); ++i) {
      sums.spring_damped[i] += w * e.springs[i].damped_W;
      sums.spring_supplied[i] += w * e.springs[i].supplied_W;
      sums.spring_stored[i] += w * e.springs[i].stored_W;
    }
    for (std::size_t i = 0; i < model_.forces.size(); ++i) sums.force[i] += w * e.force_power_W[i];
    if (!model_.drivers.empty())
      for (std::size_t i = 0; i < rows.count(); ++i)
        if (const int driver = model_.rows[at(rows.row_index(i))].driver; driver >= 0)
          sums.driver[at(driver)] += w * (e.multiplier[i] * e.rows.target_rate[i]);
    if (!workspace_.has_moving_bodies) continue;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
      if (model_.bodies[b].moves)
        sums.motion[b] -= w * (dot(e.on_prescribed[b].linear, e.motions[b].v_mps) +
                               dot(e.on_prescribed[b].angular, e.motions[b].w_radps));
    const auto moving = rows.moving_terms();
    for (std::size_t k = 0; k < moving.size(); ++k)
      sums.motion[at(moving[k].body)] -= w * (e.multiplier[moving[k].row] * e.rows.moving_rate[k]);
  }
}

StoredEnergy Ledger::stored(std::span<const double> y, const Modes& modes, double t_s) const {
  place(model_, t_s, y, modes, workspace_, workspace_.result);
  return stored_energy(model_, y, modes, workspace_.result, workspace_);
}

double Ledger::lost_J(const ContactMode& c, const ContactWork& work, double depth_m) const {
  return work.dissipated_J + contact::plastic_energy_J(c.law, std::max(depth_m, c.deepest_m)) -
         work.plastic_at_touch_J + work.given_up_J;
}

recording::Energy Ledger::energy_of(const StoredEnergy& stored, const Sums& sums,
                                    const std::vector<ContactWork>& works, const Modes& modes,
                                    const Evaluation& e) const {
  recording::Energy out;
  out.kinetic_J = stored.kinetic_J;
  out.potential_J = stored.potential_J;
  out.springs_J = stored.springs_J;
  out.contacts_J = stored.contacts_J;
  out.bristles_J = stored.bristles_J;
  for (std::size_t i = 0; i < model_.springs.size(); ++i) {
    out.damped_J += sums.spring_damped[i];
    out.by_springs_J += sums.spring_supplied[i];
    out.springs_J += sums.spring_stored[i];
  }
  for (const ContactTotals& t : totals_) {
    out.lost_in_contacts_J += t.lost_J;
    out.friction_J += t.friction_J;
  }
  for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
    out.lost_in_contacts_J += lost_J(modes.contacts[i], works[i], e.contacts[i].approach.depth_m);
    out.friction_J += works[i].friction_J;
  }
  out.friction_J -= stored.bristles_J;  // part of the work of friction, until it is lost
  for (const double w : sums.driver) out.by_drivers_J += w;
  for (const double w : sums.force) out.by_forces_J += w;
  for (const double w : sums.motion) out.by_motions_J += w;
  out.by_projection_J = projection_J_;
  out.by_switches_J = switching_J_;
  return out;
}

void Ledger::begin(const StateView& view) {
  if (std::exchange(has_begun_, true)) return;  // it was restored
  const Evaluation& e = view.evaluation;
  for (const ContactMode& c : view.state.modes.contacts)  // a run that goes on, with a ledger that begins
    if (std::ranges::find(works_, c.id, &ContactWork::id) == works_.end()) {
      works_.emplace_back().id = c.id;
      works_.back().key = c.key();
      if (c.mode != Mode::resting) works_.back().plastic_at_touch_J = contact::plastic_energy_J(c.law, c.deepest_m);
    }
  out_.start = out_.end = energy_of(stored_energy(model_, view.state.y, view.state.modes, e, workspace_), sums_,
                                    works_, view.state.modes, e);
}

void Ledger::step(const StepView& step) {
  add(step.stages(), step.weights(), step.modes, sums_, works_);
  if (!step.was_projected) return;
  const bool is_end = step.t1_s == step.path.t1();
  before_projection_J_ =
      is_end ? stored_energy(model_, step.y_end, step.modes, step.path.end_placement(), workspace_).of_motion_J()
             : stored(step.y_end, step.modes, step.t1_s).of_motion_J();
  corrected_.assign(step.y_corrected.begin(), step.y_corrected.end());
  is_pending_ = true;
}

/// The energy that the last projection took or gave, before anything else changes it.
void Ledger::book_projection(const Modes& modes, double t_s) {
  if (std::exchange(is_pending_, false))
    projection_J_ += stored(corrected_, modes, t_s).of_motion_J() - before_projection_J_;
}

void Ledger::event(const EventView& event) {
  if (event.collision) {
    const CollisionReport& c = *event.collision;
    for (std::size_t i = 0; i < c.strike.points.size(); ++i) {
      auto& totals = totals_[at(model_.kind_of(c.strike.points[i].pair).contact)];
      const auto k = static_cast<Eigen::Index>(i);
      totals.lost_J += c.outcome.lost_J[k];
      if (c.outcome.friction_J.size() > 0) totals.friction_J += c.outcome.friction_J[k];
    }
    for (std::size_t d = 0; d < c.by_driver.size(); ++d) sums_.driver[d] += c.by_driver[d];
    for (std::size_t b = 0; b < c.by_motion.size(); ++b) sums_.motion[b] += c.by_motion[b];
  }
  if (event.rate_jump) {
    for (std::size_t d = 0; d < sums_.driver.size(); ++d) sums_.driver[d] += event.rate_jump->by_driver[d];
    for (std::size_t b = 0; b < sums_.motion.size(); ++b) sums_.motion[b] += event.rate_jump->by_motion[b];
  }
  if (!event.contact) return;
  const ContactMode& c = *event.contact;
  if (event.kind == EventKind::touch) {
    ContactWork work;
    work.id = c.id;
    work.key = c.key();
    if (c.mode != Mode::resting) work.plastic_at_touch_J = contact::plastic_energy_J(c.law, c.deepest_m);
    works_.push_back(work);
    return;
  }
  const auto found = std::ranges::find(works_, c.id, &ContactWork::id);
  if (found == works_.end()) return;
  const auto stored_now = [&] {
    return stored_in_contact_J(c, std::max(approach_of(model_, event.motions, c, workspace_.spots).depth_m, 0.0));
  };
  switch (event.kind) {
    case EventKind::force_ends: found->given_up_J += stored_now(); break;
    case EventKind::force_returns: found->given_up_J -= stored_now(); break;
    case EventKind::handover: found->key = c.key(); break;
    case EventKind::loss:
      if (c.mode != Mode::coasting) found->given_up_J += stored_now();
      [[fallthrough]];
    case EventKind::separation: {
      ContactTotals& totals = totals_[at(model_.kind_of(c.pair).contact)];
      totals.lost_J += c.mode == Mode::resting ? found->dissipated_J : lost_J(c, *found, c.deepest_m);
      totals.friction_J += found->friction_J;
      found->has_ended = true;
      break;
    }
    default: break;
  }
}

void Ledger::jump(double stored_J, Cause cause) {
  (cause == Cause::switches ? switching_J_ : projection_J_) += stored_J;
}

void Ledger::note(const recording::Energy& e) {
  const recording::Energy& s = out_.start;
  const double moved = e.kinetic_J + std::abs(e.potential_J - s.potential_J) + std::abs(e.springs_J) +
                       e.contacts_J + e.bristles_J + e.lost_J() + std::abs(e.by_drivers_J) +
                       std::abs(e.by_forces_J) + std::abs(e.by_motions_J);
  out_.exchanged_J = std::max(out_.exchanged_J, moved);
  out_.largest_error_J = std::max(out_.largest_error_J, std::abs(recording::Ledger::error_J(s, e)));
}

/// What is stored in a spring whose force is an expression counts from where it began to act: one that is switched
/// off takes it away.
void Ledger::drop_springs_that_are_off(const Modes& modes) {
  for (std::size_t i = 0; i < model_.springs.size(); ++i)
    if (model_.springs[i].has_force && !modes.switched_on[at(model_.springs[i].switch_index)])
      switching_J_ -= std::exchange(sums_.spring_stored[i], 0.0);
}

void Ledger::state(const StateView& view) {
  drop_springs_that_are_off(view.state.modes);
  std::erase_if(works_, &ContactWork::has_ended);
  const Modes& modes = view.state.modes;
  std::ranges::sort(works_, {}, &ContactWork::key);
  const StoredEnergy stored = stored_energy(model_, view.state.y, modes, view.evaluation, workspace_);
  if (std::exchange(is_pending_, false)) projection_J_ += stored.of_motion_J() - before_projection_J_;
  out_.end = energy_of(stored, sums_, works_, modes, view.evaluation);
  note(out_.end);
}

/// Everything that happens at a state does so after its projection.
void Ledger::before_event(const Modes& modes, double t_s) { book_projection(modes, t_s); }

/// Before the step was told this ledger stood at its beginning; now it stands at its end.
std::pair<Ledger::Sums, std::vector<ContactWork>> Ledger::sums_at(const StepView& step, double t_s) const {
  std::pair<Sums, std::vector<ContactWork>> out{sums_, works_};
  std::vector<double> weights;
  step.weights_to(t_s, weights);
  for (std::size_t s = 0; s < weights.size(); ++s) weights[s] -= step.weights()[s];
  add(step.stages(), weights, step.modes, out.first, out.second);
  return out;
}

recording::Energy Ledger::energy_at(const StepView& step, double t_s, std::span<const double> y,
                                    const Evaluation& e) const {
  const auto [sums, works] = sums_at(step, t_s);
  return energy_of(stored_energy(model_, y, step.modes, e, workspace_), sums, works, step.modes, e);
}

double Ledger::lost_in_contact_J(const StepView& step, double t_s, const Evaluation& e, std::size_t contact) const {
  const auto [sums, works] = sums_at(step, t_s);
  return lost_in_contact_J(step.modes, works, e, contact);
}

double Ledger::lost_in_contact_J(const Modes& modes, const Evaluation& e, std::size_t contact) const {
  return lost_in_contact_J(modes, works_, e, contact);
}

double Ledger::lost_in_contact_J(const Modes& modes, const std::vector<ContactWork>& works, const Evaluation& e,
                                 std::size_t contact) const {
  double sum = totals_[contact].lost_J + totals_[contact].friction_J;
  for (std::size_t i = 0; i < modes.contacts.size(); ++i)
    if (at(model_.kind_of(modes.contacts[i].pair).contact) == contact)
      sum += lost_J(modes.contacts[i], works[i], e.contacts[i].approach.depth_m) + works[i].friction_J;
  return sum;
}

const ContactWork& Ledger::work(std::int64_t id) const {
  static const ContactWork nothing;
  const auto found = std::ranges::find(works_, id, &ContactWork::id);
  return found == works_.end() ? nothing : *found;
}

void Ledger::save(Writer& out) const {
  for (const auto* v : {&sums_.spring_damped, &sums_.spring_supplied, &sums_.spring_stored, &sums_.force,
                        &sums_.driver, &sums_.motion})
    out.put(*v);
  out.put(works_);
  out.put(totals_);
  out.put(projection_J_);
  out.put(switching_J_);
  out.put(out_);
}

bool Ledger::restore(Reader& in) {
  for (auto* v : {&sums_.spring_damped, &sums_.spring_supplied, &sums_.spring_stored, &sums_.force, &sums_.driver,
                  &sums_.motion}) {
    const std::size_t size = v->size();
    if (!in.get(*v) || v->size() != size) return false;
  }
  has_begun_ = true;
  return in.get(works_) && in.get(totals_) && totals_.size() == model_.contacts.size() && in.get(projection_J_) &&
         in.get(switching_J_) && in.get(out_);
}

}  // namespace percuss::dynamics
