// Values along the step, and their signs.
#include "percuss/dynamics/events/user_events.h"

#include "percuss/dynamics/reading.h"
#include "percuss/ode/root.h"

namespace percuss::dynamics {

namespace {
constexpr int kUserEventParts = 16;
}

std::vector<EventReads> event_reads(const Model& model) {
  std::vector<EventReads> out;
  for (const model::Event& event : model.events)
    out.push_back({reads_forces(model, event.function), bodies_read(model, event.function)});
  return out;
}

int sign_of(double g) { return g > 0 ? 1 : g < 0 ? -1 : 0; }

bool happens(const model::Event& event, int new_side) {
  return event.direction == model::Event::Direction::both ||
         (event.direction == model::Event::Direction::rising) == (new_side > 0);
}

std::optional<Located> first_user_event(const Model& model, const Path& path, const std::vector<EventReads>& reads,
                                        Workspace& workspace) {
  std::optional<Located> first;
  const double t0 = path.t0(), t1 = path.t1();
  for (std::size_t i = 0; i < model.events.size(); ++i) {
    if (path.modes().sides[i].is_over) continue;
    const auto g = [&](double t) {
      const Evaluation& e = reads[i].forces   ? evaluate(model, t, path.unknowns(t), path.modes(), workspace)
                            : reads[i].bodies ? path.placed(t, *reads[i].bodies)
                                              : path.placed(t);
      return value_of(model, path.modes(), e, model.events[i].function);
    };
    EventSide now = path.modes().sides[i];
    double a = t0, g_a = g(a);
    for (int k = 1; k <= kUserEventParts; ++k) {
      const double t = k == kUserEventParts ? t1 : t0 + (t1 - t0) * k / kUserEventParts, g_t = g(t);
      const int side = sign_of(g_t);
      if (side != 0 && now.armed && side == -now.side && happens(model.events[i], side)) {
        // where forces or switches have jumped it may be beyond already
        const double at_s = sign_of(g_a) == side ? a : ode::locate_root(g, a, t, g_a, g_t);
        if (!first || at_s < first->t_s) first = Located{at_s, EventKind::user, static_cast<std::int64_t>(i)};
        break;
      }
      now.note(side);
      a = t;
      g_a = g_t;
    }
  }
  return first;
}

}  // namespace percuss::dynamics
