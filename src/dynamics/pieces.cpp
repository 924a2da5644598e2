// Clocks that are asked as far as a step may go.
#include "percuss/dynamics/pieces.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/base/scalar.h"

namespace percuss::dynamics {

namespace {

constexpr double kFurther = 1000;  // of the step, where a run has no end
constexpr double kSameBreak = 1e-12;

std::span<double> own(const model::Function& f, Modes& modes) {
  return std::span(modes.pieces).subspan(at(f.pieces_at), f.sites.size());
}

void settle(const model::Function& f, double t_s, std::span<double> pieces) {
  expression::settle_time_pieces(f.program, f.sites, t_s, pieces);
}

double next_of(const model::Controller& c, double after_s) {
  if (c.next_break) return c.next_break(after_s);
  const auto next = std::ranges::upper_bound(c.breaks_s, after_s);
  return next == c.breaks_s.end() ? kInfinity : *next;
}

/// Each with its clock.
template <class Each>
void each_clock(const Model& model, Each&& each) {
  each_function(model, [&each](const model::Function& f) {
    if (f.clock >= 0) each(f.clock, &f, nullptr);
  });
  for (const model::Controller& c : model.controllers)
    if (c.clock >= 0) each(c.clock, nullptr, &c);
}

}  // namespace

void begin_pieces(const Model& model, Modes& modes) {
  modes.pieces.assign(model.pieces, 0.0);
  modes.changed_s.assign(model.pieces, -kInfinity);
  modes.clocks.assign(at(model.clocks), BreakClock{0, kInfinity, 0});
  if (model.pieces > 0)
    each_function(model, [&modes](const model::Function& f) {
      if (f.clock >= 0) settle(f, 0, own(f, modes));
    });
  for (BreakClock& clock : modes.clocks) clock.since_s = -kInfinity;
}

double inside(const BreakClock& clock, double t_s) {
  if (t_s <= clock.since_s) return std::nextafter(clock.since_s, kInfinity);
  if (t_s >= clock.next_s) return std::nextafter(clock.next_s, -kInfinity);
  return t_s;
}

double next_break_s(const Model& model, Modes& modes, double t_s, double ask_to_s, double duration_s) {
  if (modes.clocks.empty()) return kInfinity;
  double next = kInfinity;
  each_clock(model, [&](int index, const model::Function* f, const model::Controller* c) {
    BreakClock& clock = modes.clocks[at(index)];
    if (clock.next_s == kInfinity && clock.known_to_s < ask_to_s) {
      if (c) {
        clock.next_s = next_of(*c, t_s);
        if (!(clock.next_s > t_s)) clock.next_s = kInfinity;
        clock.known_to_s = kInfinity;
      } else {
        const double from = std::max(t_s, clock.known_to_s), to = std::isfinite(duration_s)
                                                                      ? std::max(duration_s, ask_to_s)
                                                                      : ask_to_s + kFurther * (ask_to_s - t_s);
        const expression::NextBreak found =
            expression::next_break(f->program, f->sites, f->own(modes.pieces), from, to);
        clock.known_to_s = found.known_to;
        if (found.at) clock.next_s = *found.at;
      }
    }
    next = std::min({next, clock.next_s, clock.known_to_s < ask_to_s ? clock.known_to_s : kInfinity});
  });
  return next;
}

std::vector<const model::Function*> pass_breaks(const Model& model, double t_s, Modes& modes) {
  std::vector<const model::Function*> passed;
  each_clock(model, [&](int index, const model::Function* f, const model::Controller*) {
    BreakClock& clock = modes.clocks[at(index)];
    if (!(clock.next_s <= t_s)) return;
    clock = {clock.next_s, kInfinity, clock.next_s};
    if (!f) return;
    settle(*f, t_s, own(*f, modes));
    passed.push_back(f);
  });
  return passed;
}

bool settle_again(const Model& model, double t_s, double duration_s, Modes& modes) {
  bool changed = false;
  each_clock(model, [&](int index, const model::Function* f, const model::Controller* c) {
    BreakClock& clock = modes.clocks[at(index)];
    const double before = clock.next_s;
    std::vector<double> now;
    if (f) {
      const std::span<const double> kept = f->own(modes.pieces);
      now.assign(kept.begin(), kept.end());
      settle(*f, t_s, now);
      if (before > t_s * (1 + kSameBreak) && !std::ranges::equal(now, kept)) {
        std::ranges::copy(now, own(*f, modes).begin());
        clock = {t_s, kInfinity, t_s};
        changed = true;
        return;
      }
    }
    if (clock.known_to_s <= t_s) return;  // nothing is said about what comes
    BreakClock fresh{clock.since_s, kInfinity, t_s};
    if (f) {
      const double to = std::isfinite(before) ? before * (1 + kSameBreak) : std::min(clock.known_to_s, duration_s);
      const expression::NextBreak found =
          expression::next_break(f->program, f->sites, f->own(modes.pieces), t_s, to);
      fresh.known_to_s = found.known_to;
      if (found.at) fresh.next_s = *found.at;
      if (!found.at && !std::isfinite(before)) return;
    } else {
      fresh.next_s = next_of(*c, t_s);
      fresh.known_to_s = kInfinity;
    }
    if (fresh.next_s == before || std::abs(fresh.next_s - before) <= kSameBreak * before) return;
    clock = fresh;
    changed = true;
  });
  return changed;
}

double largest_step_s(const Model& model) {
  double least = kInfinity;
  for (const model::Controller& c : model.controllers)
    if (c.largest_step_s > 0) least = std::min(least, c.largest_step_s);
  return least;
}

}  // namespace percuss::dynamics
