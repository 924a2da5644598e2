// Beginnings.
#include "percuss/dynamics/state.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "percuss/base/index.h"
#include "percuss/contact/specification.h"
#include "percuss/dynamics/pieces.h"

namespace percuss::dynamics {

State initial_state(const Model& model) {
  State s;
  s.y = model.start;
  s.modes.switched_on = model.switched_on;
  s.modes.rows = std::make_shared<const model::RowLayout>(model, model::independent_rows(model),
                                                          model::RowLayout::Order::for_elimination);
  if (model.rows_switch) s.modes.row_shift.assign(model.rows.size(), 0.0);
  s.modes.variables = model.variable_start;
  s.modes.angle_rad = model.start_angle;
  s.modes.angle_rate.assign(model.measures.size(), 0.0);
  s.modes.sides.resize(model.events.size());
  s.modes.held_outputs.assign(at(model.controller_outputs), 0.0);
  s.modes.samples.assign(model.controllers.size(), 0);
  s.modes.controller_states.assign(at(model.sampled_states), 0.0);
  begin_pieces(model, s.modes);
  for (const model::Controller& c : model.controllers)
    if (c.every_s > 0 && !c.start.empty())
      std::ranges::copy(c.start, s.modes.controller_states.begin() + c.states_at);
  return s;
}

namespace {
double without_turns(double angle, double near) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle - kTurn * std::round((angle - near) / kTurn);
}
}  // namespace

State state_from(const Model& model, std::span<const double> y) {
  State s = initial_state(model);
  std::copy_n(y.begin(), model.position_count + model.velocity_count, s.y.begin());
  for (const model::Body& b : model.bodies)
    if (b.kind == model::Body::Kind::planar && b.q_at >= 0)
      s.y[at(b.q_at + 2)] = without_turns(s.y[at(b.q_at + 2)], model.start[at(b.q_at + 2)]);
  for (const model::Driver& d : model.drivers)
    if (d.by_rate && model.measures[at(d.measure)].kind == geometry::Measure::Kind::angle)
      s.y[at(d.s_at)] = without_turns(s.y[at(d.s_at)], model.start[at(d.s_at)]);
  model::Motions motions;
  model::place_bodies(model, 0, s.y, motions);
  for (std::size_t m = 0; m < model.measures.size(); ++m) {
    const geometry::Measure& measure = model.measures[m];
    if (measure.kind == geometry::Measure::Kind::angle)
      s.modes.angle_rad[m] = geometry::evaluate(measure, motions[at(measure.body_a)], motions[at(measure.body_b)],
                                                s.modes.angle_rad[m])
                                 .value;
  }
  return s;
}

namespace {

/// Every number of a contact that is not made from the model, in one order for both ways.
template <class Contact, class Each>
void each_number(Contact& c, Each&& each) {
  each(c.id), each(c.pair), each(c.spot), each(c.feature), each(c.base_m), each(c.mode);
  each(c.touch_s), each(c.approach_mps), each(c.law_speed_mps), each(c.mass_kg), each(c.load_mps2);
  each(c.depth_scale_m), each(c.reached_m), each(c.free_time_s), each(c.creeps), each(c.still_mps),
      each(c.slipping), each(c.loading), each(c.has_indented);
  each(c.deepest_m), each(c.changed_s), each(c.held_N), each(c.held_friction_N), each(c.memory_at);
}

template <class S, class Each>
void each_number_of(S& s, Each&& each) {
  auto& m = s.modes;
  auto& c = s.control;
  each(s.t_s), each(s.y), each(s.has_begun), each(s.counts);
  each(m.touches), each(m.switched_on), each(m.row_shift), each(m.variables);
  each(m.angle_rad), each(m.angle_rate);
  each(m.angle_time_s), each(m.sides), each(m.held_outputs), each(m.controller_states), each(m.samples);
  each(m.pieces), each(m.clocks), each(m.changed_s), each(m.sliding), each(m.slides_between);
  each(c.tolerance), each(c.step_s), each(c.method.step_s), each(c.method.numbers), each(c.stiff);
  each(c.weights.absolute), each(c.speed_scale_mps), each(c.stiff_steps), each(c.steps_before_next_trial);
  each(c.pause_steps), each(c.trial_steps), each(c.explicit_step_s), each(c.events_at_once), each(c.last_event_s);
  each(c.residuals);
}

}  // namespace

void save(const State& state, Writer& out) {
  const auto put = [&out](const auto& value) { out.put(value); };
  each_number_of(state, put);
  out.put(std::string(state.control.integrator ? state.control.integrator->key : ""));
  out.put(std::vector<int>(state.modes.rows->rows().begin(), state.modes.rows->rows().end()));
  out.put(static_cast<std::uint64_t>(state.modes.contacts.size()));
  for (const ContactMode& c : state.modes.contacts) each_number(c, put);
  out.put(static_cast<std::uint64_t>(state.modes.overlaps.size()));
  for (const auto& [key, overlap] : state.modes.overlaps) {
    out.put(key);
    out.put(overlap);
  }
}

bool restore(Reader& in, const Model& model, State& state) {
  bool good = true;
  const auto get = [&](auto& value) { good = good && in.get(value); };
  each_number_of(state, get);
  std::string integrator;
  std::vector<int> rows;
  std::uint64_t contacts = 0, overlaps = 0;
  get(integrator), get(rows), get(contacts);
  state.control.integrator = ode::find_integrator(integrator);
  for (const int row : rows)
    if (row < 0 || at(row) >= model.rows.size()) return false;
  std::ranges::sort(rows);
  state.modes.rows =
      std::make_shared<const model::RowLayout>(model, std::move(rows), model::RowLayout::Order::for_elimination);
  state.modes.contacts.clear();
  for (std::uint64_t i = 0; good && i < contacts; ++i) each_number(state.modes.contacts.emplace_back(), get);
  get(overlaps);
  state.modes.overlaps.clear();
  for (std::uint64_t i = 0; good && i < overlaps; ++i) {
    std::array<int, 3> key{};
    Overlap overlap;
    get(key), get(overlap);
    state.modes.overlaps[key] = overlap;
  }
  if (!good || !mismatch(model, state).empty()) return false;
  latch_again(model, state.modes);
  return true;
}

std::string mismatch(const Model& model, const State& state) {
  const Modes& modes = state.modes;
  if (!modes.rows) return "it has no constraint rows; initial_state makes one that has";
  std::size_t unknowns = model.unknowns();
  for (const ContactMode& c : modes.contacts)
    if (c.memory_at >= 0) unknowns += 3;
  const auto surfaces = static_cast<int>(model.surfaces.size()),
             kinds = static_cast<int>(model.contact_kinds.size());
  for (const ContactMode& c : modes.contacts)
    if (std::min({c.pair.first, c.pair.second, c.pair.kind}) < 0 ||
        std::max(c.pair.first, c.pair.second) >= surfaces || c.pair.kind >= kinds)
      return "a contact names surfaces that are not in the model";
  for (const int site : modes.sliding)
    if (site < 0 || at(site) >= model.pieces) return "a function that slides is not in the model";
  for (const int row : modes.rows->rows())
    if (row < 0 || at(row) >= model.rows.size()) return "a joint's row is not in the model";
  const std::tuple<const char*, std::size_t, std::size_t> sizes[] = {
      {"unknowns", state.y.size(), unknowns},
      {"switches", modes.switched_on.size(), model.switched_on.size()},
      {"variables", modes.variables.size(), model.variables.size()},
      {"rows of joints that are switched", modes.row_shift.size(), model.rows_switch ? model.rows.size() : 0},
      {"measures", modes.angle_rad.size(), model.measures.size()},
      {"measures", modes.angle_rate.size(), model.measures.size()},
      {"events", modes.sides.size(), model.events.size()},
      {"controllers", modes.samples.size(), model.controllers.size()},
      {"pieces of functions", modes.pieces.size(), model.pieces},
      {"pieces of functions", modes.changed_s.size(), model.pieces},
      {"sites that slide", modes.slides_between.size(), modes.sliding.size()},
      {"functions with break points", modes.clocks.size(), at(model.clocks)},
      {"outputs of controllers", modes.held_outputs.size(), at(model.controller_outputs)},
      {"states of sampled controllers", modes.controller_states.size(), at(model.sampled_states)}};
  for (const auto& [what, has, needs] : sizes)
    if (has != needs) return std::to_string(has) + " " + what + ", and the model has " + std::to_string(needs);
  return "";
}

void lay_out_memories(const Model& model, Modes& modes, std::vector<double>& y) {
  const std::vector<double> before(y.begin() + static_cast<std::ptrdiff_t>(model.unknowns()), y.end());
  std::size_t next = model.unknowns();
  for (const ContactMode& c : modes.contacts)
    if (c.friction.remembers()) next += 3;
  y.resize(next);
  next = model.unknowns();
  for (ContactMode& c : modes.contacts) {
    if (!c.friction.remembers()) {
      c.memory_at = -1;
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k)
      y[next + k] = c.memory_at < 0 ? 0 : before[at(c.memory_at) - model.unknowns() + k];
    c.memory_at = static_cast<int>(next);
    next += 3;
  }
}

void latch_again(const Model& model, Modes& modes) {
  for (ContactMode& c : modes.contacts) {
    const model::PairLaw law = model.law_of(c.pair);
    c.friction = law.friction;
    if (c.mode == ContactMode::Mode::resting) continue;
    c.law = contact::latch(law.spec, c.mass_kg, c.law_speed_mps, c.approach_mps);
  }
}

}  // namespace percuss::dynamics
