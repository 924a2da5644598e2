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

/// The values of events at the state; the world is placed, or evaluated, once.
class Values {
 public:
  Values(const Effect& f, const std::vector<EventReads>& reads) : f_(f), reads_(reads) {}
  double of(std::size_t i) {
    if (!(is_evaluated_ || (is_placed_ && !reads_[i].forces)))
      reads_[i].forces ? (void)f_.evaluated() : (void)f_.placed();
    is_evaluated_ = is_evaluated_ || reads_[i].forces;
    is_placed_ = true;
    const model::Event& event = f_.model.events[i];
    const double value = value_of(f_.model, f_.state.modes, f_.workspace.result, event.function);
    if (std::isnan(value))
      f_.watchers.warn({"event-nan", event.name,
                        "event \"" + event.name + "\": its expression is not a number at t = " +
                            text_of(f_.state.t_s, 6) + " s; it cannot happen there"});
    return value;
  }
  void forget() { is_placed_ = is_evaluated_ = false; }

 private:
  const Effect& f_;
  const std::vector<EventReads>& reads_;
  bool is_placed_ = false, is_evaluated_ = false;
};

/// True: a stop.
bool happen(Effect& f, std::size_t i) {
  const model::Event& e = f.model.events[i];
  f.watchers.before_event(f.state.modes, f.state.t_s);
  f.watchers.event({f.model, f.state.t_s, EventKind::user, f.state.modes, f.workspace.result.motions, nullptr,
                    nullptr, nullptr, static_cast<int>(i)});
  take_switches(f, e);
  f.state.modes.sides[i].is_over = e.once;
  f.restarts = true;
  return e.stop;
}

}  // namespace

void arm_user_events(Effect& f, const std::vector<EventReads>& reads) {
  Values values(f, reads);
  for (std::size_t i = 0; i < f.model.events.size(); ++i) f.state.modes.sides[i].note(sign_of(values.of(i)));
}

bool settle_user_events(Effect& f, const std::vector<EventReads>& reads, int located) {
  bool stops = false;
  Values values(f, reads);
  const auto make_happen = [&](std::size_t i) {
    stops = happen(f, i) || stops;
    values.forget();
  };
  for (std::size_t i = 0; i < f.model.events.size(); ++i) {
    const model::Event& event = f.model.events[i];
    EventSide& own = f.state.modes.sides[i];
    if (own.is_over) continue;
    const int side = sign_of(values.of(i));
    if (located == static_cast<int>(i)) {
      own.side = event.direction == model::Event::Direction::rising    ? 1
                 : event.direction == model::Event::Direction::falling ? -1
                                                                       : -own.side;
      own.armed = side == own.side;
      make_happen(i);
    } else {
      const bool crossed = own.armed && side == -own.side;
      own.note(side);
      if (crossed && happens(event, side)) make_happen(i);
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

namespace {
constexpr double kSameSample = 1e-12;  // of the period: a controller is not sampled twice within it
}

void align_controller_samples(const Model& model, double t_s, bool now, Modes& modes) {
  for (std::size_t i = 0; i < model.controllers.size(); ++i) {
    const double every = model.controllers[i].every_s;
    if (!(every > 0)) continue;
    const double due_s = static_cast<double>(modes.samples[i]) * every,
                 slack = kSameSample * std::max(every, due_s);
    const bool is_next = due_s >= t_s - slack && due_s <= t_s + every + slack;
    if (now || !is_next)
      modes.samples[i] = static_cast<std::int64_t>(std::floor(t_s / every + kSameSample)) + (now ? 0 : 1);
  }
}

void take_controller_samples(Effect& f) {
  for (std::size_t i = 0; i < f.model.controllers.size(); ++i) {
    const model::Controller& c = f.model.controllers[i];
    Modes& modes = f.state.modes;
    const double due_s = static_cast<double>(modes.samples[i]) * c.every_s;
    if (!(c.every_s > 0) || f.state.t_s < due_s - kSameSample * std::max(c.every_s, due_s)) continue;
    ++modes.samples[i];
    const Evaluation& e = f.evaluated();
    const std::span<double> outputs = std::span(modes.held_outputs).subspan(at(c.first_output), c.outputs);
    if (c.call) {
      const auto own = std::span(modes.controller_states).subspan(at(c.states_at), c.start.size());
      std::vector<double> reads, states(own.begin(), own.end());
      std::vector<double> next = states, out(c.outputs, 0.0);
      read_channels(f.model, modes, e, c.reads, reads);
      call(c, {f.state.t_s, reads, states, out, next});
      std::ranges::copy(out, outputs.begin());
      std::ranges::copy(next, own.begin());
    } else {
      std::vector<double> out(c.outputs);
      for (std::size_t k = 0; k < c.outputs; ++k) out[k] = value_of(f.model, modes, e, c.functions[k]);
      std::ranges::copy(out, outputs.begin());
    }
    f.watchers.event({f.model, f.state.t_s, EventKind::sample, modes, e.motions});
    if (!f.restarts) f.first_step_s = f.next_step_s;
    f.restarts = true;
  }
}

}  // namespace percuss::dynamics
