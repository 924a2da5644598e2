// Responses at the stages of accepted steps.
#include "percuss/dynamics/observers/account.h"

#include <algorithm>

#include "percuss/base/index.h"
#include "percuss/dynamics/response.h"

namespace percuss::dynamics {

using model::Body;

void Account::begin(const StateView& view) {
  for (const ContactMode& c : view.state.modes.contacts)
    if (!find(c.id)) entries_.push_back({c.id, c.key()});
}

const AccountEntry* Account::find(std::int64_t id) const {
  const auto found = std::ranges::find(entries_, id, &AccountEntry::id);
  return found == entries_.end() ? nullptr : &*found;
}

double Account::own_response(const Modes& modes, const Evaluation& e, const ContactNow& now) {
  const model::RowLayout& rows = *modes.rows;
  const Approach& a = now.approach;
  if (rows.count() > 0) response_.assign(at(model_.velocity_count), 0.0);
  double sum = 0;
  for (const bool is_a : {true, false}) {
    const int body = is_a ? a.body_a : a.body_b;
    const Body& b = model_.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double gradient[6] = {}, wrench[6] = {}, moved[6] = {};
    model::reduce(b, e.motions[at(body)], is_a ? a.gap.a : a.gap.b, gradient);
    model::reduce(b, e.motions[at(body)], is_a ? now.on_a : now.on_b, wrench);
    model::respond(b, wrench, moved);
    for (int k = 0; k < b.velocity_count; ++k) {
      sum += gradient[k] * moved[k];
      if (rows.count() > 0) response_[at(b.v_at - model_.position_count + k)] = moved[k];
    }
  }
  if (rows.count() == 0) return sum;
  rows.times(e.rows, response_, coupling_);
  rows.solve(e.rows, coupling_, x_);
  for (double& v : x_) v = -v;
  rows.add_response(e.rows, x_, response_);
  return along(model_, e.motions, a, response_);
}

/// Without joints a unit force moves its two bodies alone; with them r = M^-1 (g - J^T x), and the work of the
/// other contacts' wrenches W is r . W = g . M^-1 W - x . J M^-1 W, so that one vector M^-1 W serves all contacts.
void Account::step(const StepView& step) {
  const std::size_t count = step.modes.contacts.size();
  if (count == 0) return;
  const model::RowLayout& rows = *step.modes.rows;
  for (std::size_t s = 0; s < step.stages().size(); ++s) {
    const double w = step.weights()[s];
    if (w == 0) continue;
    const Evaluation& e = *step.stages()[s];
    if (count > 1) {  // M^-1 times all that contacts exert
      by_contacts_.assign(at(model_.velocity_count), 0.0);
      for (const ContactNow& now : e.contacts)
        for (const auto& [body, wrench] :
             {std::pair{now.approach.body_a, &now.on_a}, std::pair{now.approach.body_b, &now.on_b}}) {
          const Body& b = model_.bodies[at(body)];
          if (b.velocity_count == 0) continue;
          double reduced[6] = {}, moved[6] = {};
          model::reduce(b, e.motions[at(body)], *wrench, reduced);
          model::respond(b, reduced, moved);
          for (int k = 0; k < b.velocity_count; ++k)
            by_contacts_[at(b.v_at - model_.position_count + k)] += moved[k];
        }
      coupling_.resize(rows.count());
      x_.resize(rows.count());
      if (rows.count() > 0) {
        rows.times(e.rows, by_contacts_, coupling_);
        rows.solve(e.rows, coupling_, x_);
        for (double& v : x_) v = -v;
        rows.add_response(e.rows, x_, by_contacts_);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const ContactNow& now = e.contacts[i];
      const Approach& a = now.approach;
      const double rate = a.rate_mps, force = now.force.total_N, mass = step.modes.contacts[i].mass_kg;
      double mobile = mobility(model_, step.modes, e, a).constrained;
      if (!(mobile * mass > Mobility::kImmovable)) mobile = 1 / mass;
      // friction of the contact itself counts among the other forces; its normal force does not
      double by_others = 0;
      if (count > 1) by_others = -(along(model_, e.motions, a, by_contacts_) - own_response(step.modes, e, now));
      AccountEntry& entry = entries_[i];
      entry.other_contacts_J += w * (mass * rate * by_others);
      entry.other_forces_J += w * (mass * rate * (depth_acceleration(model_, e, a) + force * mobile - by_others));
      entry.mass_change_J += w * (force * rate * (1 - mass * mobile));
    }
  }
}

void Account::event(const EventView& event) {
  if (!event.contact) return;
  if (event.kind == EventKind::touch) entries_.push_back({event.contact->id, event.contact->key()});
  if (event.kind == EventKind::handover)
    for (AccountEntry& e : entries_)
      if (e.id == event.contact->id) e.key = event.contact->key();
  if (event.kind == EventKind::separation || event.kind == EventKind::loss) ended_.push_back(event.contact->id);
}

void Account::state(const StateView&) {
  for (const std::int64_t id : ended_) std::erase_if(entries_, [id](const AccountEntry& e) { return e.id == id; });
  ended_.clear();
  std::ranges::sort(entries_, {}, &AccountEntry::key);
}

}  // namespace percuss::dynamics
