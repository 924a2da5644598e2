// One row per event of a contact.
#include "percuss/dynamics/events/contact_events.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/dynamics/response.h"
#include "percuss/dynamics/rest.h"
#include "percuss/geometry/convex_points.h"

namespace percuss::dynamics {

using Mode = ContactMode::Mode;

std::string_view name_of(EventKind kind) {
  switch (kind) {
    case EventKind::touch: return "touch";
    case EventKind::separation: return "separation";
    case EventKind::maximum_compression: return "maximum compression";
    case EventKind::force_ends: return "end of the force";
    case EventKind::force_returns: return "return of the force";
    case EventKind::reload: return "reloading";
    case EventKind::slip: return "slip";
    case EventKind::stick: return "stick";
    case EventKind::opening: return "opening";
    case EventKind::loss: return "loss of the contact point";
    case EventKind::handover: return "handover to another contact point";
    case EventKind::collision: return "collision";
    case EventKind::user: return "event";
    case EventKind::sample: return "sample";
    case EventKind::break_point: return "break point";
    case EventKind::branch: return "branch";
  }
  return "";
}

namespace {

constexpr int kParts = 4, kPartsResting = 2;

bool has_spring(const ContactMode& c) {
  return c.friction.row && c.friction.row->memory == contact::FrictionMemory::contact_spring;
}
bool is_dry(const ContactMode& c) { return std::holds_alternative<contact::Dry<>>(c.law.shape); }
bool has_memory(const ContactMode& c) { return contact::has_memory(c.law); }
double residual_m(const ContactMode& c) {
  return has_memory(c) ? contact::permanent_indentation_m(c.law, c.deepest_m) : 0;
}

// ---- loss
bool is_followed(const Watch& w) {
  return w.model.kind_of(w.contact.pair).features == geometry::Features::followed;
}
ValueAndRate is_gone(const Watch& w, double t_s) {
  const model::Motions& motions = w.path.at(t_s, {w.contact.body_a(w.model), w.contact.body_b(w.model)});
  const bool there = find_feature(w.model, motions, w.contact.pair, w.contact.spot, w.workspace.spots).has_value();
  return {there ? -1.0 : 1.0, 0};
}

// Of convex bodies: where its margin is used up. A corner stays with its face until it is beyond a side by half of
// its depth: by then the edges that cross there exist, whatever the bodies' inclination (up to asin 0.3, see
// convex_points.h), and one of them goes on in its place.
constexpr double kBeyond = 0.5;
double margin_m(const Watch& w, double t_s) {
  const geometry::Surface &a = w.model.surfaces[percuss::at(w.contact.pair.first)],
                          &b = w.model.surfaces[percuss::at(w.contact.pair.second)];
  const model::Motions& motions = w.path.at(t_s, {a.body, b.body});
  const geometry::ConvexPair::Now now =
      geometry::ConvexPair(a, b, motions[percuss::at(a.body)], motions[percuss::at(b.body)])
          .look(geometry::point_of(*a.convex, *b.convex, w.contact.spot));
  return now.margin_m + kBeyond * std::max(-now.gap_m, 0.0);
}
bool can_leave(const Watch& w) {
  if (w.model.kind_of(w.contact.pair).features != geometry::Features::kept) return false;
  const geometry::Surface &a = w.model.surfaces[percuss::at(w.contact.pair.first)],
                          &b = w.model.surfaces[percuss::at(w.contact.pair.second)];
  return margin_m(w, w.path.t0()) < way_m(w.path, a, b);
}
ValueAndRate beyond_margin(const Watch& w, double t_s) { return {-margin_m(w, t_s), 0}; }

// ---- opening
bool rests(const Watch& w) { return w.contact.mode == Mode::resting; }
double held_N(const Watch& w, double t_s) {
  for (const auto& [known_s, forces] : w.held)
    if (known_s == t_s) return forces[w.index];
  const Modes& modes = w.path.modes();
  const Evaluation& e = t_s == w.path.t0() ? w.path.begin_evaluation()
                                           : evaluate(w.model, t_s, w.path.unknowns(t_s), modes, w.workspace);
  const auto left_in_band_N = [&](std::size_t i) {
    const Beyond beyond = beyond_band(w.model, modes, e, i);
    return beyond.noise_N - beyond.force_N;
  };
  std::vector<double> forces(e.contacts.size(), 0.0);
  for (std::size_t i = 0; i < forces.size(); ++i)
    if (modes.contacts[i].is_held())
      forces[i] = modes.contacts[i].mode == Mode::resting ? pressing_N(w.model, modes, e, i) : left_in_band_N(i);
  w.held.emplace_back(t_s, std::move(forces));
  return w.held.back().second[w.index];
}
ValueAndRate pulled(const Watch& w, double t_s) { return {-held_N(w, t_s), 0}; }

// ---- slip and stick of a contact spring: it begins to slip where its deflection reaches the limit, and sticks
// again where its end point would run ahead of the limit no more: where x' of sticking, v - x max(k_t', 0)/k_t,
// falls below the rate of the limit.
// Where the normal force begins or ends, or has not yet come, deflection and limit are errors: below these parts of
// the deflection that the contact is expected to bear.
constexpr double kLimitOfStick = 1e-6, kLimitOfSlip = 1e-3;
double expected_deflection_m(const Watch& w) {
  return contact::memory_scale_m(w.contact.friction, w.contact.depth_scale_m);
}
bool sticks(const Watch& w) {
  return has_spring(w.contact) && w.contact.mode == Mode::pushing && !w.contact.slipping;
}
ValueAndRate beyond_limit(const Watch& w, double t_s) {
  const double nothing_m = kLimitOfStick * expected_deflection_m(w);
  return {norm(w.path.memory(w.contact, t_s)) - std::max(slip_limit_m(w.contact, w.at(t_s)), nothing_m), 0};
}
bool slips(const Watch& w) {
  if (!has_spring(w.contact) || w.contact.mode != Mode::pushing || !w.contact.slipping) return false;
  return std::min(slip_limit_m(w.contact, w.at(w.path.t0())), slip_limit_m(w.contact, w.at(w.path.t1()))) >
         kLimitOfSlip * expected_deflection_m(w);
}
ValueAndRate behind_limit(const Watch& w, double t_s) {
  const double t0 = w.path.t0(), t1 = w.path.t1(), step = 1e-3 * (t1 - t0);
  const double time = std::max(t_s, t0 + step);  // where it has just begun to slip the two run together
  const double low = std::max(t0, time - step), high = std::min(t1, time + step);
  const auto stiffness = [&](const Approach& a) {
    return contact::elastic_slope_Npm(w.contact.law.elastic, std::max(a.depth_m, 0.0));
  };
  const Approach a_low = w.at(low), a_high = w.at(high);
  const double limit_rate = (slip_limit_m(w.contact, a_high) - slip_limit_m(w.contact, a_low)) / (high - low);
  const double k_low = stiffness(a_low), k_high = stiffness(a_high);
  const double growth = k_low + k_high > 0 ? 2 * (k_high - k_low) / ((k_high + k_low) * (high - low)) : 0;
  const Vec3 x = w.path.memory(w.contact, time);
  const Approach a = w.at(time);
  const Vec3 v = slip_mps(w.path.at(time, {w.contact.body_a(w.model), w.contact.body_b(w.model)}), a);
  const double size = norm(x);
  if (!(size > 0)) return {norm(v) > 0 ? -1.0 : 1.0, 0};
  return {-(dot(v, x) / size - std::max(growth, 0.0) * size - limit_rate), 0};
}

// ---- separation
bool can_separate(const Watch& w) { return w.contact.mode == Mode::coasting || w.contact.mode == Mode::pushing; }
/// A contact that has not been deeper than rounding parts where it is apart by more than that.
ValueAndRate gap(const Watch& w, double t_s) {
  const double level = w.contact.mode == Mode::coasting || w.contact.has_indented ? 0 : -w.noise_m;
  const Approach a = w.at(t_s);
  return {level - a.depth_m, -a.rate_mps};
}

// ---- the force returns
bool coasts_with_memory(const Watch& w) { return w.contact.mode == Mode::coasting && has_memory(w.contact); }
ValueAndRate above_dent(const Watch& w, double t_s) {
  const Approach a = w.at(t_s);
  return {a.depth_m - residual_m(w.contact), a.rate_mps};
}
bool coasts(const Watch& w) { return w.contact.mode == Mode::coasting && !has_memory(w.contact); }
ValueAndRate raw_force(const Watch& w, double t_s) {
  const Approach a = w.at(t_s);
  return {a.depth_m > w.noise_m ? raw_force_N(w.contact, a) : -1.0, 0};
}

// ---- a dry contact that holds moves again where the force leaves the band between unloading and loading
bool holds(const Watch& w) { return w.contact.mode == Mode::holding; }
ValueAndRate out_of_band(const Watch& w, double t_s) { return {-held_N(w, t_s), 0}; }

// ---- maximum compression, and its opposite
bool turns(const Watch& w) {
  return w.contact.mode == Mode::pushing && (has_memory(w.contact) || is_dry(w.contact));
}
ValueAndRate turned_rate(const Watch& w, double t_s) {
  const double rate = w.at(t_s).rate_mps;
  return {w.contact.loading ? -rate : rate, 0};
}

// ---- the force ends
bool presses_with_memory(const Watch& w) {
  return w.contact.mode == Mode::pushing && has_memory(w.contact) && w.contact.deepest_m > 0;
}
ValueAndRate below_dent(const Watch& w, double t_s) {  // not where it grazes its dent
  const Approach a = w.at(t_s);
  return {(residual_m(w.contact) - w.noise_m) - a.depth_m, -a.rate_mps};
}
bool unloads(const Watch& w) { return presses_with_memory(w) && w.at(w.path.t0()).depth_m < w.contact.deepest_m; }
ValueAndRate above_deepest(const Watch& w, double t_s) {
  const Approach a = w.at(t_s);
  return {a.depth_m - w.contact.deepest_m, a.rate_mps};
}
bool presses(const Watch& w) {
  return w.contact.mode == Mode::pushing && !w.contact.law.pulls() && !has_memory(w.contact) && !is_dry(w.contact);
}
ValueAndRate pulling_force(const Watch& w, double t_s) {
  const Approach a = w.at(t_s);
  return {a.depth_m > w.noise_m ? -raw_force_N(w.contact, a) : -1.0, 0};
}

using F = Follow;
using B = AtBegin;
constexpr ContactEventRow kRows[] = {
    {EventKind::loss, "the contact point is no more", F::presence, 1, B::unless_changed, is_followed, is_gone,
     lose},
    {EventKind::loss, "the corner has left its face, or the edges cross no more", F::sign, kParts,
     B::unless_changed, can_leave, beyond_margin, lose},
    {EventKind::opening, "the force of a contact at rest has ended and it would part", F::sign, kPartsResting,
     B::if_above, rests, pulled, open_rest},
    {EventKind::slip, "the deflection of a contact spring reaches its limit", F::sign, kParts, B::if_above, sticks,
     beyond_limit, begin_slip},
    {EventKind::stick, "the end of a contact spring falls behind its limit", F::sign, kParts, B::if_not_below,
     slips, behind_limit, begin_stick},
    {EventKind::separation, "the indentation falls below zero", F::value_and_rate, kParts, B::unless_changed,
     can_separate, gap, separate},
    {EventKind::force_returns, "the indentation rises above the permanent indentation", F::value_and_rate, kParts,
     B::unless_changed, coasts_with_memory, above_dent, return_force},
    {EventKind::force_returns, "the law would push again", F::sign, kParts, B::unless_changed, coasts, raw_force,
     return_force},
    {EventKind::slip, "the force that holds leaves the band of the law", F::sign, kParts, B::if_not_below, holds,
     out_of_band, begin_slip},
    {EventKind::maximum_compression, "the rate changes sign", F::sign, kParts, B::unless_changed, turns,
     turned_rate, compress_most},
    {EventKind::force_ends, "the indentation falls below the permanent indentation", F::value_and_rate, kParts,
     B::unless_changed, presses_with_memory, below_dent, end_force},
    {EventKind::reload, "the indentation rises above its largest value so far", F::value_and_rate, kParts,
     B::unless_changed, unloads, above_deepest, load_again},
    {EventKind::force_ends, "the law would pull", F::sign, kParts, B::unless_changed, presses, pulling_force,
     end_force},
};

/// The moment at which something is no more, by halving: the function jumps.
double moment_of_change(const Watch& w, const ContactEventRow& row, double before, double after) {
  const double t0 = before, t1 = after;
  for (int k = 0; k < 60 && after - before > 1e-15 * std::max(std::abs(t1), t1 - t0); ++k) {
    const double middle = (before + after) / 2;
    (row.value(w, middle).value < 0 ? before : after) = middle;
  }
  return after;
}

std::optional<double> first_time(const Watch& w, const ContactEventRow& row) {
  const double t0 = w.path.t0(), t1 = w.path.t1();
  switch (row.follow) {
    case Follow::presence:
      if (row.value(w, t1).value < 0) return std::nullopt;
      return moment_of_change(w, row, t0, t1);
    case Follow::value_and_rate: return first_rise([&](double t) { return row.value(w, t); }, t0, t1, row.places);
    case Follow::sign: {
      const auto value = [&](double t) { return row.value(w, t).value; };
      const bool was_changed = !(w.contact.changed_s < t0);
      if (row.at_begin != AtBegin::unless_changed || !was_changed)
        if (const double v = value(t0); v > 0 || (v == 0 && row.at_begin == AtBegin::if_not_below)) return t0;
      return first_sign_change(value, t0, t1, row.places, true, false, was_changed);
    }
  }
  return std::nullopt;
}

}  // namespace

std::span<const ContactEventRow> contact_event_rows() { return kRows; }

/// The depth at the step's ends stands off zero by more than the rates there could take away, and the force does
/// not change sign. (A depth that dips to zero and back has rates of opposite sign, down then up, at the ends.)
bool stays_in_touch(const Watch& w) {
  const ContactMode& c = w.contact;
  if (c.mode != Mode::pushing || has_memory(c) || is_dry(c)) return false;
  const double t0 = w.path.t0(), t1 = w.path.t1();
  const Approach begin = w.at(t0), end = w.at(t1);
  if (begin.rate_mps > 0 && end.rate_mps > 0 && begin.depth_m >= 0 && end.depth_m > w.noise_m)
    return c.law.pulls() || (raw_force_N(c, begin) >= 0 && raw_force_N(c, end) > 0);
  const double dip = (t1 - t0) * (std::abs(begin.rate_mps) + std::abs(end.rate_mps));
  if (!(std::min(begin.depth_m, end.depth_m) > 0.25 * dip)) return false;
  if (begin.rate_mps < 0 && end.rate_mps > 0 && !(std::min(begin.depth_m, end.depth_m) > dip)) return false;
  return c.law.pulls() || (raw_force_N(c, begin) > 0 && raw_force_N(c, end) > 0);
}

std::optional<Located> first_contact_event(const Watch& w) {
  std::optional<Located> first;
  const bool quiet = stays_in_touch(w);
  for (const ContactEventRow& row : kRows) {
    if (quiet && row.kind != EventKind::loss && row.kind != EventKind::slip && row.kind != EventKind::stick)
      continue;
    if (!row.watched(w)) continue;
    if (const auto t = first_time(w, row); t && (!first || *t < first->t_s))
      first = Located{*t, row.kind, w.contact.id, row.effect};
  }
  return first;
}

}  // namespace percuss::dynamics
