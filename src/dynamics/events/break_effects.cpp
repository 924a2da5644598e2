// Break points in time: what changes, what moves otherwise at once, and what drives it there.
#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/dynamics/events/effects.h"
#include "percuss/dynamics/pieces.h"

namespace percuss::dynamics {

namespace {

bool is_one_of(const model::Function& f, const std::vector<const model::Function*>& passed) {
  return std::ranges::find(passed, &f) != passed.end();
}

/// A position that jumps would take an infinite impulse: which one, in words; or nothing.
std::string jump_of_position(const Model& model, double t_s, const Modes& before, const Modes& after,
                             const std::vector<const model::Function*>& passed) {
  const auto look = [&](const model::Function& f, const std::string& what) -> std::string {
    if (!is_one_of(f, passed)) return "";
    const double left = f.at({t_s, before.pieces}).value, right = f.at({t_s, after.pieces}).value;
    if (!model::jumps(left, right, model.length_m)) return "";
    return what + ": its position jumps from " + text_of(left, 6) + " to " + text_of(right, 6) +
           "; only its rate can jump";
  };
  for (const model::Driver& d : model.drivers)
    if (!d.by_rate)
      if (std::string text = look(d.function, "driver \"" + d.name + "\""); !text.empty()) return text;
  for (const model::Body& b : model.bodies)
    for (const model::Function& f : b.motion)
      if (std::string text = look(f, "body \"" + b.name + "\""); !text.empty()) return text;
  return "";
}

/// The rows in force at the state, under its modes.
const Evaluation& rows_now(Effect& f) {
  Evaluation& e = f.workspace.result;
  place(f.model, f.state.t_s, f.state.y, f.state.modes, f.workspace, e);
  f.state.modes.rows->evaluate(f.model, moment_of(f.state.t_s, f.state.modes), f.state.y, e.motions, e.near_rad,
                               e.rows);
  return e;
}

/// The rates that drive have jumped from those of `before`: velocities jump through the joints, J dv = r+ - r-,
/// with the impulses l of the rows. The kinetic energy changes by l . (J v- + J v+)/2, so that what drives does the
/// work of its impulse at the mean of its rates.
void strike_joints(Effect& f, std::span<const double> target_before, std::span<const double> moving_before,
                   std::span<const double> rate_before) {
  const Model& model = f.model;
  const model::RowLayout& rows = *f.state.modes.rows;
  if (rows.count() == 0) return;
  rows_now(f);
  Evaluation& e = f.workspace.result;
  std::vector<double> wanted(rows.count()), impulse(rows.count());
  bool any = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = rate_before[i] - e.rows.residual_rate[i];
    any = any || wanted[i] != 0;
  }
  if (!any) return;
  rows.factor(e.rows);
  rows.solve(e.rows, wanted, impulse);
  std::vector<double> change(at(model.velocity_count), 0.0);
  rows.add_response(e.rows, impulse, change);
  RateJump report{std::vector<double>(model.drivers.size(), 0.0), std::vector<double>(model.bodies.size(), 0.0)};
  for (std::size_t i = 0; i < impulse.size(); ++i)
    if (const int driver = model.rows[at(rows.row_index(i))].driver; driver >= 0)
      report.by_driver[at(driver)] += impulse[i] * (target_before[i] + e.rows.target_rate[i]) / 2;
  const auto moving = rows.moving_terms();
  for (std::size_t k = 0; k < moving.size(); ++k)
    report.by_motion[at(moving[k].body)] -= impulse[moving[k].row] * (moving_before[k] + e.rows.moving_rate[k]) / 2;
  for (std::size_t k = 0; k < change.size(); ++k) f.state.y[at(model.position_count) + k] += change[k];
  EventView view{model, f.state.t_s, EventKind::break_point, f.state.modes, e.motions};
  view.rate_jump = &report;
  f.watchers.event(view);
}

}  // namespace

std::string take_breaks(Effect& f) {
  Modes& modes = f.state.modes;
  if (std::ranges::none_of(modes.clocks, [&](const BreakClock& c) { return c.next_s <= f.state.t_s; })) return "";
  const Model& model = f.model;
  f.watchers.before_event(modes, f.state.t_s);
  const Modes before = modes;
  const double stored = f.stored_J();
  const Evaluation& e = rows_now(f);
  const std::vector<double> target = e.rows.target_rate, moving = e.rows.moving_rate, rate = e.rows.residual_rate;
  const std::vector<const model::Function*> passed = pass_breaks(model, f.state.t_s, modes);
  f.restarts = true;
  const bool moves_rests =
      std::ranges::any_of(model.springs, [&](const model::Spring& s) { return is_one_of(s.rest, passed); });
  const bool drives =
      std::ranges::any_of(model.drivers, [&](const model::Driver& d) { return is_one_of(d.function, passed); }) ||
      std::ranges::any_of(model.bodies, [&](const model::Body& b) {
        return std::ranges::any_of(b.motion, [&](const model::Function& m) { return is_one_of(m, passed); });
      });
  if (moves_rests) f.watchers.jump(f.stored_J() - stored, Observer::Cause::switches);
  if (!drives) return "";
  if (std::string wrong = jump_of_position(model, f.state.t_s, before, modes, passed); !wrong.empty()) return wrong;
  strike_joints(f, target, moving, rate);
  velocities_have_jumped(f);
  return "";
}

/// What was held without a rate moves; what rested is struck.
void velocities_have_jumped(Effect& f) {
  for (ContactMode& c : f.state.modes.contacts) {
    if (c.mode != ContactMode::Mode::holding) continue;
    c.mode = ContactMode::Mode::pushing;
    c.loading = approach_of(f.model, f.placed(), c, f.workspace.spots).rate_mps > 0;
  }
  if (std::ranges::any_of(f.model.contacts, &model::Contact::impulsive)) collide(f);
}

}  // namespace percuss::dynamics
