// Events of the scene, and sampled controllers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/events/effects.h"
#include "percuss/dynamics/events/user_events.h"
#include "percuss/dynamics/reading.h"

namespace percuss::dynamics {

namespace {

double value_at_state(const Effect& f, const std::vector<EventReads>& reads, std::size_t i) {
  if (reads[i].forces)
    f.evaluated();
  else
    f.placed();
  return value_of(f.model, f.state.modes, f.workspace.result, f.model.events[i].function);
}

/// True: a stop.
bool happen(Effect& f, std::size_t i) {
  const model::Event& e = f.model.events[i];
  f.watchers.before_event(f.state.modes, f.state.t_s);
  const double before = f.stored_J();
  f.watchers.event({f.model, f.state.t_s, EventKind::user, f.state.modes, f.workspace.result.motions, nullptr,
                    nullptr, nullptr, static_cast<int>(i)});
  for (const auto& [which, on] : e.switches) f.state.modes.switched_on[at(which)] = on ? 1 : 0;
  f.watchers.jump(f.stored_J() - before, Observer::Cause::switches);
  f.restarts = true;
  return e.stop;
}

}  // namespace

void arm_user_events(Effect& f, const std::vector<EventReads>& reads) {
  for (std::size_t i = 0; i < f.model.events.size(); ++i)
    f.state.modes.sides[i].note(sign_of(value_at_state(f, reads, i)));
}

bool settle_user_events(Effect& f, const std::vector<EventReads>& reads, int located) {
  bool stops = false;
  for (std::size_t i = 0; i < f.model.events.size(); ++i) {
    const model::Event& event = f.model.events[i];
    const int side = sign_of(value_at_state(f, reads, i));
    EventSide& own = f.state.modes.sides[i];
    if (located == static_cast<int>(i)) {
      own.side = event.direction == model::Event::Direction::rising    ? 1
                 : event.direction == model::Event::Direction::falling ? -1
                                                                       : -own.side;
      own.armed = side == own.side;
      stops = happen(f, i) || stops;
    } else {
      const bool crossed = own.armed && side == -own.side;
      own.note(side);
      if (crossed && happens(event, side)) stops = happen(f, i) || stops;
    }
  }
  return stops;
}

double next_controller_sample_s(const Model& model, const Modes& modes) {
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < model.controllers.size(); ++i)
    if (model.controllers[i].every_s > 0)
      next = std::min(next, static_cast<double>(modes.samples[i]) * model.controllers[i].every_s);
  return next;
}

/// Times that differ by rounding only are one: a controller is not sampled twice within 1e-12 of its period.
bool take_controller_samples(Effect& f) {
  bool any = false;
  for (std::size_t i = 0; i < f.model.controllers.size(); ++i) {
    const model::Controller& c = f.model.controllers[i];
    Modes& modes = f.state.modes;
    const double due_s = static_cast<double>(modes.samples[i]) * c.every_s;
    if (!(c.every_s > 0) || f.state.t_s < due_s - 1e-12 * std::max(c.every_s, due_s)) continue;
    ++modes.samples[i];
    const Evaluation& e = f.evaluated();
    const std::span<double> outputs = std::span(modes.held_outputs).subspan(at(c.first_output), c.outputs);
    if (c.call) {
      const auto own = std::span(modes.controller_states).subspan(at(c.states_at), c.start.size());
      std::vector<double> reads, states(own.begin(), own.end());
      std::vector<double> next = states, out(c.outputs, 0.0);
      read_channels(f.model, modes, e, c.reads, reads);
      const std::string wrong = c.call({f.state.t_s, reads, states, out, next});
      if (!wrong.empty()) throw ControllerError("controller \"" + c.name + "\": " + wrong);
      std::ranges::copy(out, outputs.begin());
      std::ranges::copy(next, own.begin());
    } else {
      std::vector<double> out(c.outputs);
      for (std::size_t k = 0; k < c.outputs; ++k) out[k] = value_of(f.model, modes, e, c.functions[k]);
      std::ranges::copy(out, outputs.begin());
    }
    f.watchers.event({f.model, f.state.t_s, EventKind::sample, modes, e.motions});
    if (!f.restarts) f.first_step_s = f.next_step_s;
    f.restarts = any = true;
  }
  return any;
}

}  // namespace percuss::dynamics
