// Events that switch: forces and springs by their flag alone, joints, drivers and locks by rows, contacts by
// points.
#include <algorithm>
#include <cmath>
#include <memory>

#include "percuss/base/index.h"
#include "percuss/base/units.h"
#include "percuss/dynamics/events/effects.h"
#include "percuss/dynamics/reading.h"

namespace percuss::dynamics {

namespace {

std::vector<int> rows_that_are_on(const Model& model, const Modes& modes) {
  std::vector<int> out;
  for (std::size_t r = 0; r < model.rows.size(); ++r)
    if (is_on(modes, model.rows[r].switch_index)) out.push_back(static_cast<int>(r));
  return out;
}

/// The rows that are on, and of those that depend on each other here only as many as are independent. Weakness: at
/// a singular position rows that depend on each other for a moment only would be left out for good.
std::shared_ptr<const model::RowLayout> layout_now(Effect& f) {
  const Model& model = f.model;
  const Modes& modes = f.state.modes;
  std::vector<int> rows = rows_that_are_on(model, modes);
  const model::RowLayout all(model, rows, model::RowLayout::Order::as_given);
  place(model, f.state.t_s, f.state.y, modes, f.workspace, f.workspace.result);
  model::RowValues values;
  all.evaluate(model, moment_of(f.state.t_s, modes), f.state.y, f.workspace.result.motions,
               f.workspace.result.near_rad, values);
  all.factor(values);
  if (values.is_regularised) {
    std::vector<int> dependent = all.dependent_rows(values);
    std::ranges::sort(dependent);
    for (auto i = dependent.rbegin(); i != dependent.rend(); ++i) rows.erase(rows.begin() + *i);
  }
  return std::make_shared<const model::RowLayout>(model, std::move(rows), model::RowLayout::Order::for_elimination);
}

constexpr double kFarTurned = 0.5;  // sine of the turn at which a joint engages

/// What has just been engaged holds its bodies where they are: residual 0.
void shift_engaged_rows(Effect& f, const std::vector<char>& was_on) {
  const Model& model = f.model;
  Modes& modes = f.state.modes;
  const model::RowLayout all(model, model::every_row(model), model::RowLayout::Order::as_given);
  place(model, f.state.t_s, f.state.y, modes, f.workspace, f.workspace.result);
  model::RowValues values;
  all.evaluate(model, moment_of(f.state.t_s, modes), f.state.y, f.workspace.result.motions,
               f.workspace.result.near_rad, values);
  for (std::size_t r = 0; r < model.rows.size(); ++r) {
    const int index = model.rows[r].switch_index;
    if (index < 0 || !modes.switched_on[at(index)] || was_on[at(index)]) continue;
    modes.row_shift[r] += values.residual[r];
    const geometry::Measure& m = model.measures[at(model.rows[r].terms[0].measure)];
    if (m.kind == geometry::Measure::Kind::directions && std::abs(values.residual[r]) > kFarTurned)
      f.watchers.warn(
          {"engaged-turned", model.switches[at(index)],
           "joint \"" + model.switches[at(index)] + "\" engages with its frames turned by " +
               text_of(std::asin(std::min(std::abs(values.residual[r]), 1.0)) * 180 / 3.14159265358979, 3) +
               " deg against each other; near 90 deg it holds nothing: give it frames (`axes`) that are "
               "aligned where it engages"});
  }
}

/// J dv = -(J v - targets): the impulses of the rows take the velocities onto them. The kinetic energy that this
/// takes or, of a driver, gives is booked by the event.
void strike_rows(Effect& f) {
  const Model& model = f.model;
  const model::RowLayout& rows = *f.state.modes.rows;
  if (rows.count() == 0) return;
  Evaluation& e = f.workspace.result;
  place(model, f.state.t_s, f.state.y, f.state.modes, f.workspace, e);
  rows.evaluate(model, moment_of(f.state.t_s, f.state.modes), f.state.y, e.motions, e.near_rad, e.rows);
  rows.factor(e.rows);
  std::vector<double> wanted(rows.count()), impulse(rows.count()), change(at(model.velocity_count), 0.0);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = -e.rows.residual_rate[i];
  rows.solve(e.rows, wanted, impulse);
  rows.add_response(e.rows, impulse, change);
  for (std::size_t k = 0; k < change.size(); ++k) f.state.y[at(model.position_count) + k] += change[k];
}

/// Points that overlap touch at once and push the bodies apart: the energy that this puts in is that of the switch.
void begin_points_of(Effect& f, int contact) {
  std::vector<Touch> touches = overlapping_points(f);
  std::erase_if(touches, [&](const Touch& t) { return f.model.kind_of(t.pair).contact != contact; });
  if (!touches.empty()) begin_contacts(f, touches);
}

}  // namespace

void take_switches(Effect& f, const model::Event& event) {
  const Model& model = f.model;
  Modes& modes = f.state.modes;
  std::vector<double> values;
  if (!event.sets.empty()) {
    const Evaluation& e = f.evaluated();
    for (const auto& [variable, function] : event.sets) values.push_back(value_of(model, modes, e, function));
  }
  const std::vector<char> was_on = modes.switched_on;
  for (const auto& [which, on] : event.switches) modes.switched_on[at(which)] = on ? 1 : 0;
  const std::vector<char> now_on = modes.switched_on;
  const auto has_changed = [&](int index) { return index >= 0 && now_on[at(index)] != was_on[at(index)]; };
  // a contact that ends tells what it loses itself, with everything else as it was
  modes.switched_on = was_on;
  for (std::size_t c = 0; c < model.contacts.size(); ++c) {
    const int index = model.contacts[c].switch_index;
    if (!has_changed(index) || now_on[at(index)]) continue;
    modes.switched_on[at(index)] = 0;
    drop_contact(f, static_cast<int>(c));
  }
  const double before_J = f.stored_J();
  modes.switched_on = now_on;
  for (std::size_t i = 0; i < values.size(); ++i) modes.variables[at(event.sets[i].first)] = values[i];
  const bool rows_change =
      std::ranges::any_of(model.rows, [&](const model::Row& r) { return has_changed(r.switch_index); });
  if (rows_change) {
    shift_engaged_rows(f, was_on);
    modes.rows = layout_now(f);
    strike_rows(f);
  }
  for (std::size_t c = 0; c < model.contacts.size(); ++c)
    if (const int index = model.contacts[c].switch_index; has_changed(index) && now_on[at(index)])
      begin_points_of(f, static_cast<int>(c));
  f.watchers.jump(f.stored_J() - before_J, Observer::Cause::switches);
  if (rows_change) velocities_have_jumped(f);
}

}  // namespace percuss::dynamics
