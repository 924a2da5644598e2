// The events of a scene: functions that cross zero.
#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/dynamics/run.h"
#include "percuss/ode/root.h"

namespace percuss::dynamics {

namespace {
constexpr int kPartsOfUserEvents = 16;

int sign_of_value(double g) { return g > 0 ? 1 : g < 0 ? -1 : 0; }
bool is_wanted(model::Event::Direction direction, int new_side) {
  return direction == model::Event::Direction::both ||
         (direction == model::Event::Direction::rising) == (new_side > 0);
}

}  // namespace

void Run::arm_events() {
  for (std::size_t i = 0; i < sides_.size(); ++i) sides_[i].note(sign_of_value(event_value(i, state_.t_s)));
}

double Run::event_value(std::size_t index, double t_s) {
  move_to(t_s);
  if (needs_forces_[index]) equations_.evaluate(t_s, unknowns_at(t_s));
  return equations_.value_of(model_.events[index].function, t_s);
}

/// The first crossing of an event in the last step. An event knows the side it is on; after it has happened it is
/// armed again once the function has been seen on its new side, because rounding may leave it a little short of it.
std::optional<Run::Hit> Run::first_user_event(double t0, double t1) {
  std::optional<Hit> first;
  for (std::size_t i = 0; i < model_.events.size(); ++i) {
    const auto g = [&](double t) { return event_value(i, t); };
    EventSide now = sides_[i];
    double a = t0, g_a = g(a);
    for (int k = 1; k <= kPartsOfUserEvents; ++k) {
      const double t = k == kPartsOfUserEvents ? t1 : t0 + (t1 - t0) * k / kPartsOfUserEvents, g_t = g(t);
      const int side = sign_of_value(g_t);
      if (side != 0 && now.armed && side == -now.side && is_wanted(model_.events[i].direction, side)) {
        const double at_s = ode::locate_root(g, a, t, g_a, g_t);
        if (!first || at_s < first->t_s) first = Hit{at_s, What::user, i};
        break;
      }
      now.note(side);
      a = t;
      g_a = g_t;
    }
  }
  return first;
}

/// At a new state: the event that was located happens, and with it every other whose side has changed.
void Run::settle_events(const std::optional<Hit>& hit) {
  for (std::size_t i = 0; i < model_.events.size(); ++i) {
    const int side = sign_of_value(event_value(i, state_.t_s));
    EventSide& own = sides_[i];
    if (hit && hit->what == What::user && hit->index == i) {
      own.side = model_.events[i].direction == model::Event::Direction::rising    ? 1
                 : model_.events[i].direction == model::Event::Direction::falling ? -1
                                                                                  : -own.side;
      own.armed = side == own.side;
      apply_user_event(i);
    } else {
      const bool crossed = own.armed && side == -own.side;
      own.note(side);
      if (crossed && is_wanted(model_.events[i].direction, side)) apply_user_event(i);
    }
  }
}

void Run::apply_user_event(std::size_t index) {
  const model::Event& e = model_.events[index];
  if (e.record) {
    if (out_.events.size() < options_.most_impacts_kept)
      out_.events.push_back({static_cast<int>(index), state_.t_s});
    const double row[] = {state_.t_s, static_cast<double>(index)};
    if (options_.sink) options_.sink->row(event_table_, row);
    sample(state_.t_s, state_.y);
  }
  const double before = equations_.energy(state_.t_s, state_.y).stored_J();
  for (const auto& [which, on] : e.switches) state_.switched_on[at(which)] = on ? 1 : 0;
  needs_restart_ = true;
  state_.switching_J += equations_.energy(state_.t_s, state_.y).stored_J() - before;
  if (e.stop) {
    over_ = true;
    out_.end = recording::End::stopped_by_event;
  }
}
}  // namespace percuss::dynamics
