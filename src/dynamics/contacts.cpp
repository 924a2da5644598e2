// Contact episodes: where they begin, turn and end, and what their records say.
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/crossing.h"
#include "percuss/dynamics/run.h"
#include "percuss/impact/impact.h"
#include "percuss/impact/validity.h"

namespace percuss::dynamics {

using Mode = ContactState::Mode;

namespace {
constexpr double kNoSpeed = 1e-6;  // of the largest speed: surfaces that meet slower than this just touch
constexpr double kAtRest = 0.01;   // of the speed of rest: slower ones under load have no restitution
constexpr int kPartsApart = 8, kPartsTouching = 4;  // places in a step at which a contact is looked at
}  // namespace

/// What rounding leaves uncertain of the gap of two bodies: 16 last digits of their places.
double Run::rounding_m(int body_a, int body_b) const {
  const double far = std::max(
      {norm(equations_.motions()[at(body_a)].p_m), norm(equations_.motions()[at(body_b)].p_m), model_.length_m});
  return 16 * std::numeric_limits<double>::epsilon() * far;
}

const std::string& Run::name_of(const ContactState& s) const {
  return model_.contacts[at(equations_.kind_of(s.pair).contact)].name;
}

/// Near touch and release the force is as smooth as t^n and its second integral as t^(n+2): with n = 3/2 a step is
/// exact if it is no longer than tol^(2/7) of the time that the indentation takes.
double Run::smooth_start_s(const ContactState& s) const {
  return s.depth_scale_m / s.record.law_speed_mps * std::pow(model_.solver.tolerance, 2.0 / 7);
}

Approach Run::approach_at(std::size_t i, double t_s) {
  move_to(t_s);
  return equations_.approach(i);
}

/// The first thing that happens to contact i in the last step and changes its force.
std::optional<Run::Hit> Run::first_contact_event(std::size_t i, double t0, double t1) {
  const ContactState& s = state_.contacts[i];
  std::optional<Hit> first;
  const auto offer = [&](std::optional<double> t, What what) {
    if (t && (!first || *t < first->t_s)) first = Hit{*t, what, i};
  };
  const auto rises_above = [&](double level) {
    return first_rise(
        [&, level](double t) {
          const Approach a = approach_at(i, t);
          return ValueAndRate{a.depth_m - level, a.rate_mps};
        },
        t0, t1, kPartsTouching);
  };
  const auto falls_below = [&](double level) {
    return first_rise(
        [&, level](double t) {
          const Approach a = approach_at(i, t);
          return ValueAndRate{level - a.depth_m, -a.rate_mps};
        },
        t0, t1, kPartsTouching);
  };
  offer(time_of_loss(i, t0, t1), What::lost);
  // an overlap of a few last digits is no overlap: surfaces that just touch neither part nor push by rounding
  const double noise_m = rounding_m(s.feature.measure.body_a, s.feature.measure.body_b);
  const auto force_changes = [&](bool rising, bool falling) {
    const auto raw = [&](double t) {
      const Approach a = approach_at(i, t);
      if (a.depth_m > noise_m) return equations_.raw_force_N(i, a);
      return rising ? -1.0 : 1.0;
    };
    return first_sign_change(raw, t0, t1, kPartsTouching, rising, falling);
  };
  const double parts_at_m = s.record.max_depth_m > noise_m ? 0 : -noise_m;
  if (const auto one = first_stick_or_slip(i, t0, t1)) offer(one->t_s, one->what);
  if (stays_in_touch(i, t0, t1)) return first;
  const bool memory = contact::has_memory(s.law), dry = std::holds_alternative<contact::Dry<>>(s.law.shape);
  const double residual = memory ? contact::residual_depth_m(s.law, s.deepest_m) : 0;
  if (s.mode == Mode::coasting) {
    offer(falls_below(0), What::release);
    if (memory)
      offer(rises_above(residual), What::force_returns);
    else
      offer(force_changes(true, false), What::force_returns);
    return first;
  }
  if (s.mode == Mode::holding) {  // until the force leaves the band between unloading and loading
    const auto& law = std::get<contact::Dry<>>(s.law.shape);
    const auto left_in_band = [&](double t) {
      if (t != t0) interpolate(t);
      equations_.evaluate(t, t == t0 ? state_.y : scratch_y_);
      const double f = contact::elastic_force_N(s.law.elastic, equations_.approach(i).depth_m);
      const double force = equations_.held_force_N(i);
      return std::min(law.loading_factor * f - force, force - law.unloading_factor * f);
    };
    if (left_in_band(t0) <= 0)
      offer(t0, What::slips);
    else
      offer(first_sign_change(left_in_band, t0, t1, kPartsTouching, false, true), What::slips);
    return first;
  }
  if (memory || dry) {
    offer(first_sign_change([&](double t) { return approach_at(i, t).rate_mps; }, t0, t1, kPartsTouching,
                            !s.loading, s.loading),
          What::turn);
  }
  if (memory && s.deepest_m > 0) {
    offer(falls_below(residual), What::force_ends);
    if (approach_at(i, t0).depth_m < s.deepest_m) offer(rises_above(s.deepest_m), What::reload);
  }
  offer(falls_below(parts_at_m), What::release);
  if (!s.law.pulls() && !memory && !dry) offer(force_changes(false, true), What::force_ends);
  return first;
}

Vec3 Run::memory_at(std::size_t i, double t_s) {
  move_to(t_s);
  const double* z = &unknowns_at(t_s)[equations_.memory_at(i)];
  return {z[0], z[1], z[2]};
}

/// A contact spring begins to slip where its deflection reaches the limit, and sticks again where its end point
/// would run ahead of the limit no more: where x' of sticking, v - x max(k_t', 0)/k_t, falls below the rate of the
/// limit.
std::optional<Run::Hit> Run::first_stick_or_slip(std::size_t i, double t0, double t1) {
  const ContactState& s = state_.contacts[i];
  const contact::FrictionLaw& law = equations_.kind_of(s.pair).friction;
  if (!law.row || law.row->memory != contact::FrictionMemory::contact_spring || s.mode != Mode::pushing)
    return std::nullopt;
  const auto limit = [&](double t) { return equations_.slip_limit_m(i, approach_at(i, t)); };
  std::optional<double> t;
  if (!s.slipping) {
    const auto beyond = [&](double time) {
      const double x = norm(memory_at(i, time));
      return x - limit(time);
    };
    if (beyond(t0) > 0) return Hit{t0, What::slips, i};  // by rounding, where it has just begun to stick
    t = first_sign_change(beyond, t0, t1, kPartsTouching, true, false);
    if (t) return Hit{*t, What::slips, i};
    return std::nullopt;
  }
  // at touch and release deflection and limit are rounding
  if (std::min(approach_at(i, t0).depth_m, approach_at(i, t1).depth_m) < 1e-3 * s.depth_scale_m)
    return std::nullopt;
  const double step = 1e-3 * (t1 - t0);
  const auto ahead = [&](double time) {
    const double low = std::max(t0, time - step), high = std::min(t1, time + step);
    const double limit_rate = (limit(high) - limit(low)) / (high - low);
    const double k_low = contact::elastic_slope_Npm(s.law.elastic, std::max(approach_at(i, low).depth_m, 0.0)),
                 k_high = contact::elastic_slope_Npm(s.law.elastic, std::max(approach_at(i, high).depth_m, 0.0));
    const double growth = k_low + k_high > 0 ? 2 * (k_high - k_low) / ((k_high + k_low) * (high - low)) : 0;
    const Vec3 x = memory_at(i, time);
    const Vec3 v = equations_.slip_mps(equations_.approach(i));
    const double size = norm(x);
    if (!(size > 0)) return norm(v) > 0 ? 1.0 : -1.0;
    return dot(v, x) / size - std::max(growth, 0.0) * size - limit_rate;
  };
  if (ahead(t0 + step) <= 0) return Hit{t0, What::sticks, i};  // it turned where it began to slip
  t = first_sign_change(ahead, t0 + step, t1, kPartsTouching, false, true);
  if (t) return Hit{*t, What::sticks, i};
  return std::nullopt;
}

/// Can the last step be left alone? Of a contact that pushes, without memory: the depth at its ends stands off zero
/// by more than the rates there could take away, and the force does not change sign. (A depth that dips to zero and
/// back has rates of opposite sign, down then up, at the ends.)
bool Run::stays_in_touch(std::size_t i, double t0, double t1) {
  const ContactState& s = state_.contacts[i];
  if (s.mode != Mode::pushing || contact::has_memory(s.law) || std::holds_alternative<contact::Dry<>>(s.law.shape))
    return false;
  const Approach begin = approach_at(i, t0);
  const double force_begin = equations_.raw_force_N(i, begin);
  const Approach end = approach_at(i, t1);
  const double force_end = equations_.raw_force_N(i, end);
  const double dip = (t1 - t0) * (std::abs(begin.rate_mps) + std::abs(end.rate_mps));
  if (!(std::min(begin.depth_m, end.depth_m) > 0.25 * dip)) return false;
  if (begin.rate_mps < 0 && end.rate_mps > 0 && !(std::min(begin.depth_m, end.depth_m) > dip)) return false;
  return s.law.pulls() || (force_begin > 0 && force_end > 0);
}

bool Run::is_touching(const model::ContactPair& pair, int spot) const {
  return std::ranges::any_of(state_.contacts, [&](const ContactState& s) {
    return s.spot == spot && s.pair.first == pair.first && s.pair.second == pair.second;
  });
}

/// When the depth of a spot rises above 0 (or above its dent), if it does.
std::optional<Run::Touch> Run::touch_of_spot(const model::ContactPair& pair, const geometry::Spot& spot, double t0,
                                             double t1, int parts) {
  const bool followed = equations_.kind_of(pair).features == geometry::Features::followed;
  double level = 0, base = 0;
  if (!state_.overlaps.empty())
    if (const auto known = state_.overlaps.find({pair.first, pair.second, spot.number});
        known != state_.overlaps.end()) {
      level = known->second.depth_m;
      base = known->second.is_dent ? 0 : level;
    }
  const auto depth = [&](double t) {
    move_to(t);
    Approach a = equations_.approach(spot.feature);
    if (followed) {
      const auto feature = equations_.find_feature(pair, spot.number);
      if (!feature) return ValueAndRate{-1, 0};
      a = equations_.approach(*feature);
    }
    return ValueAndRate{a.depth_m - level, a.rate_mps};
  };
  const ValueAndRate begin = depth(t0), end = depth(t1);
  if (-std::max(begin.value, end.value) > 3 * (t1 - t0) * (std::abs(begin.rate) + std::abs(end.rate)))
    return std::nullopt;
  const auto t = first_rise(depth, t0, t1, parts);
  if (!t) return std::nullopt;
  return Touch{*t, pair, spot, base};
}

/// Convex bodies of which no spot is known yet: the moment at which their separation becomes 0, and the spots
/// there. True if that settles the step.
bool Run::look_for_first_touch(const model::ContactPair& pair, double t0, double t1) {
  const auto known = [&](int a, int b) { return a == pair.first && b == pair.second; };
  for (const ContactState& s : state_.contacts)
    if (known(s.pair.first, s.pair.second)) return false;
  for (const auto& [key, overlap] : state_.overlaps)
    if (known(key[0], key[1])) return false;
  const geometry::Surface &f = model_.surfaces[at(pair.first)], &s = model_.surfaces[at(pair.second)];
  const auto overlap = [&](double t) {
    move_to(t);
    return -geometry::convex_separation_m(f, s, equations_.motions()[at(f.body)], equations_.motions()[at(s.body)]);
  };
  const auto bounding_gap = [&](const model::Motions& m) {
    return norm(m[at(f.body)].p_m + m[at(f.body)].R * f.centre - m[at(s.body)].p_m - m[at(s.body)].R * s.centre) -
           f.reach_m - s.reach_m;
  };
  if (const double gap = std::min(bounding_gap(motions_begin_), bounding_gap(motions_end_));
      std::isfinite(gap) && gap > near_of(pair, t1 - t0))
    return true;
  double a = t0, at_a = overlap(a);
  if (at_a > rounding_m(f.body, s.body)) return false;
  for (int k = 1; k <= kPartsApart; ++k) {
    const double b = k == kPartsApart ? t1 : t0 + (t1 - t0) * k / kPartsApart, at_b = overlap(b);
    if (at_b > 0) {
      const double t = at_a < 0 ? ode::locate_root(overlap, a, b, at_a, at_b) : a;
      move_to(t);
      std::vector<geometry::Spot> spots;
      equations_.find_spots(pair, 0.01 * std::min(f.reach_m, s.reach_m), spots);
      const geometry::Spot* deepest = nullptr;
      double most = -std::numeric_limits<double>::infinity();
      for (const geometry::Spot& spot : spots)
        if (const double depth = equations_.approach(spot.feature).depth_m; depth > most)
          most = depth, deepest = &spot;
      if (!deepest) return false;
      for (const geometry::Spot& spot : spots)  // all that touch together, a few last digits aside
        if (equations_.approach(spot.feature).depth_m > most - 4 * rounding_m(f.body, s.body))
          touches_.push_back({t, pair, spot, std::max(most, 0.0)});
      coming_and_going_.push_back(pair);
      return true;
    }
    a = b;
    at_a = at_b;
  }
  return true;
}

/// How far surfaces can come together in a step, from the speeds at its ends.
double Run::near_of(const model::ContactPair& pair, double h_s) const {
  double speed = 0;
  for (const int surface : {pair.first, pair.second}) {
    const geometry::Surface& s = model_.surfaces[at(surface)];
    const double lever = norm(s.centre) + (std::isfinite(s.reach_m) ? s.reach_m : 0);
    for (const model::Motions* motions : {&motions_begin_, &motions_end_}) {
      const geometry::BodyMotion& m = (*motions)[at(s.body)];
      speed += norm(m.v_mps) + norm(m.w_radps) * lever;
    }
  }
  return 3 * h_s * speed + 1e-9 * model_.length_m;
}

void Run::look_for_touch(const model::ContactPair& pair, double t0, double t1) {
  const geometry::Surface &f = model_.surfaces[at(pair.first)], &s = model_.surfaces[at(pair.second)];
  const double near_m = near_of(pair, t1 - t0);
  const geometry::PairRow& row = *equations_.kind_of(pair).row;
  const auto offer = [&](const std::optional<Touch>& touch) {
    if (touch) touches_.push_back(*touch);
  };
  const geometry::Features features = equations_.kind_of(pair).features;
  if (features == geometry::Features::fixed) {
    std::vector<geometry::Spot> spots;
    row.spots(f, s, motions_end_[at(f.body)], motions_end_[at(s.body)], near_m, spots);
    for (const geometry::Spot& spot : spots)
      if (!is_touching(pair, spot.number)) offer(touch_of_spot(pair, spot, t0, t1, kPartsApart));
    return;
  }
  if (features == geometry::Features::kept && look_for_first_touch(pair, t0, t1)) return;
  // spots come and go: those at both ends of the step, if they are there when they touch
  std::vector<geometry::Spot> spots, before;
  row.spots(f, s, motions_end_[at(f.body)], motions_end_[at(s.body)], near_m, spots);
  row.spots(f, s, motions_begin_[at(f.body)], motions_begin_[at(s.body)], near_m, before);
  for (const geometry::Spot& old : before)
    if (std::ranges::none_of(spots, [&](const geometry::Spot& x) { return x.number == old.number; }))
      spots.push_back(old);
  if (!spots.empty()) coming_and_going_.push_back(pair);
  for (const geometry::Spot& spot : spots) {
    if (is_touching(pair, spot.number)) continue;
    const auto touch = touch_of_spot(pair, spot, t0, t1, kPartsApart);
    if (!touch) continue;
    move_to(touch->t_s);
    const auto feature = equations_.find_feature(pair, spot.number);
    if (feature && equations_.approach(*feature).depth_m < touch->base_m + rounding_m(f.body, s.body)) offer(touch);
  }
}

/// At a new state, for surfaces whose spots come and go: a spot that overlaps and is not in contact pushes from
/// this overlap on.
void Run::note_overlaps() {
  for (const model::ContactPair& pair : coming_and_going_) {
    equations_.evaluate_motion(state_.t_s, state_.y);
    equations_.find_spots(pair, 0, spots_);
    std::erase_if(state_.overlaps, [&](const auto& known) {
      const std::array<int, 3>& of = known.first;
      return !known.second.is_dent && of[0] == pair.first && of[1] == pair.second &&
             std::ranges::none_of(spots_, [&of](const geometry::Spot& x) { return x.number == of[2]; });
    });
    const double noise_m = rounding_m(model_.surfaces[at(pair.first)].body, model_.surfaces[at(pair.second)].body);
    for (const geometry::Spot& spot : spots_) {
      if (is_touching(pair, spot.number)) continue;
      const double depth = equations_.approach(spot.feature).depth_m;
      const std::array<int, 3> key{pair.first, pair.second, spot.number};
      const auto known = state_.overlaps.find(key);
      if (known == state_.overlaps.end()) {
        if (depth > noise_m) state_.overlaps[key] = {depth, 0, false};
      } else if (!known->second.is_dent) {
        known->second.depth_m = std::min(known->second.depth_m, depth);
        if (!(depth > noise_m)) state_.overlaps.erase(known);
      }
    }
  }
}

/// All spots that come into contact in the last step.
void Run::find_touches(double t0, double t1) {
  touches_.clear();
  coming_and_going_.clear();
  if (model_.pairs.empty() && model_.kind_of.empty()) return;
  move_to(t0);
  motions_begin_ = equations_.motions();
  move_to(t1);
  motions_end_ = equations_.motions();
  const std::vector<model::ContactPair>& near = broad_phase_.near(motions_begin_, motions_end_, t1 - t0);
  for (const model::ContactPair& pair : near) look_for_touch(pair, t0, t1);
}

/// When the spot of a contact is no more, if it is gone by the end of the step: a corner that slid off its face.
std::optional<double> Run::time_of_loss(std::size_t i, double t0, double t1) {
  const ContactState& s = state_.contacts[i];
  if (equations_.kind_of(s.pair).features == geometry::Features::fixed) return std::nullopt;
  const auto is_there = [&](double t) {
    move_to(t);
    return equations_.find_feature(s.pair, s.spot).has_value();
  };
  if (is_there(t1)) return std::nullopt;
  double there = t0, gone = t1;
  for (int k = 0; k < 60 && gone - there > 1e-15 * std::max(std::abs(t1), t1 - t0); ++k) {
    const double middle = (there + gone) / 2;
    (is_there(middle) ? there : gone) = middle;
  }
  return gone;
}

/// Deepest point and largest force on [t0, t1] of a contact in touch, from the dense output.
void Run::note_passage(std::size_t i, double t0, double t1) {
  ContactState& s = state_.contacts[i];
  if (s.mode != Mode::pushing) return;
  recording::Impact& r = s.record;
  {  // nothing inside the step can be new where depth and force were greater before and the motion does not turn
    const Approach begin = approach_at(i, t0);
    const double force_begin = equations_.contact_force(i, begin).total_N;
    const Approach end = approach_at(i, t1);
    const double force_end = equations_.contact_force(i, end).total_N;
    const bool turns = begin.rate_mps > 0 && end.rate_mps <= 0;
    const double most = std::max(force_begin, force_end);
    if (!turns && most < 0.9 * r.max_force_N) {
      if (end.depth_m > r.max_depth_m) r.max_depth_m = end.depth_m, r.peak_s = t1;
      return;
    }
  }
  double t_best = t0, f_best = -1;
  double rate_before = 0, t_before = t0;
  for (int k = 0; k <= kPartsTouching; ++k) {
    const double t = k == kPartsTouching ? t1 : t0 + (t1 - t0) * k / kPartsTouching;
    const Approach a = approach_at(i, t);
    const double f = equations_.contact_force(i, a).total_N;
    if (f > f_best) f_best = f, t_best = t;
    if (a.depth_m > r.max_depth_m) r.max_depth_m = a.depth_m, r.peak_s = t;
    if (k > 0 && rate_before > 0 && a.rate_mps <= 0) {
      const auto rate = [&](double x) { return approach_at(i, x).rate_mps; };
      const double turn = ode::locate_root(rate, t_before, t, rate_before, a.rate_mps);
      const double depth = approach_at(i, turn).depth_m;
      if (depth >= r.max_depth_m) r.max_depth_m = depth, r.peak_s = turn;
    }
    rate_before = a.rate_mps;
    t_before = t;
  }
  if (f_best > 0.98 * r.max_force_N) {
    const double width = (t1 - t0) / kPartsTouching;
    std::uintmax_t most = 60;
    const auto low = boost::math::tools::brent_find_minima(
        [&](double t) { return -equations_.contact_force(i, approach_at(i, t)).total_N; },
        std::max(t0, t_best - width), std::min(t1, t_best + width), 30, most);
    f_best = std::max(f_best, -low.second);
  }
  r.max_force_N = std::max(r.max_force_N, f_best);
}

/// The speed below which an episode under load is rest: that of a fall through the static depth, sqrt(2 g d).
double Run::rest_speed_mps(std::size_t i, const contact::Law& law, double load_mps2, double mass_kg) const {
  const double given = model_.contacts[at(equations_.kind_of(state_.contacts[i].pair).contact)].rest_speed_mps;
  if (given >= 0) return given;
  if (!(load_mps2 > 0)) return 0;
  const double load_N = mass_kg * load_mps2;
  const auto excess = [&](double depth) { return contact::force_N(law, {depth, 0, 0}) - load_N; };
  double deep = 1e-12;
  while (deep < 1e3 && excess(deep) < 0) deep *= 4;
  if (!(excess(deep) > 0)) return 0;
  const double depth = ode::locate_root(excess, 0.0, deep, -load_N, excess(deep));
  return std::sqrt(2 * load_mps2 * depth);
}

/// `state_.contacts` must have been gathered; afterwards they are spread over the unknowns again.
void Run::begin_episode(const Touch& touch) {
  equations_.evaluate(state_.t_s, state_.y);  // still without the force of this contact
  const model::ContactKind& kind = equations_.kind_of(touch.pair);
  const model::Contact& c = model_.contacts[at(kind.contact)];
  geometry::Feature feature = touch.spot.feature;
  if (kind.features == geometry::Features::followed)
    if (const auto now = equations_.find_feature(touch.pair, touch.spot.number)) feature = *now;
  const Approach a = equations_.approach(feature);
  const double mass = equations_.effective_mass_kg(a);
  const double load = equations_.depth_acceleration(a);
  const double by_gravity = equations_.depth_acceleration_by_gravity(a);
  const double v0 = a.rate_mps > 0 ? a.rate_mps : 0.0;
  const Vec3 slip = equations_.slip_mps(a);
  gather_contacts();
  const std::size_t i = state_.contacts.size();
  ContactState& s = state_.contacts.emplace_back();
  s.pair = touch.pair;
  s.spot = touch.spot.number;
  s.feature = feature;
  s.base_m = touch.base_m;
  const contact::Law at_rest = contact::latch(kind.spec, mass, 1.0);
  double v = std::max(v0, rest_speed_mps(i, at_rest, load, mass));
  if (!(v > 0)) {
    v = speed_scale_mps_;
    warn_once("contact \"" + c.name + "\" begins without approach and without load; its law is calibrated with " +
              text_of(v, 3) + " m/s, the largest speed in the scene (rest_speed sets another)");
  }
  s.law = s.raw_law = contact::latch(kind.spec, mass, v);
  s.raw_law.release = contact::Release::zero_depth;
  if (const auto known = state_.overlaps.find({s.pair.first, s.pair.second, s.spot});
      known != state_.overlaps.end()) {
    s.deepest_m = known->second.deepest_m;
    state_.overlaps.erase(known);
  }
  if (const double depth = a.depth_m - s.base_m; depth > 0 && !(a.rate_mps > 0)) {  // it begins on its way out
    s.loading = false;
    if (contact::has_memory(s.law)) s.deepest_m = std::max(s.deepest_m, depth);
  }
  s.plastic_at_touch_J = contact::plastic_energy_J(s.law, s.deepest_m);
  const double energy = mass * v * v / 2;
  const double depth_scale = contact::depth_of_energy_m(s.law.elastic, energy);
  s.depth_scale_m =
      std::isfinite(depth_scale) && depth_scale > 0 && !kind.spec.user_law ? depth_scale : 1e-3 * model_.length_m;
  s.free_time_s = 3 * s.depth_scale_m / v;
  if (kind.friction.row && kind.friction.row->memory == contact::FrictionMemory::contact_spring)
    s.slipping = norm(slip) * kind.friction.parameter[0] > kind.friction.coefficient * v0;
  s.record.contact = kind.contact;
  s.record.body_a = model_.surfaces[at(s.pair.first)].body;
  s.record.body_b = model_.surfaces[at(s.pair.second)].body;
  s.record.spot = s.spot;
  s.record.touch_s = s.record.peak_s = state_.t_s;
  s.record.approach_mps = v0;
  s.record.law_speed_mps = v;
  s.record.mass_kg = mass;
  s.record.load_mps2 = load;
  s.record.gravity_mps2 = by_gravity;
  s.record.wanted = kind.spec.restitution;
  ++state_.totals[at(kind.contact)].impacts;
  const double first_step = smooth_start_s(s);
  h_guess_s_ = h_guess_s_ > 0 ? std::min(h_guess_s_, first_step) : first_step;
  spread_contacts();
}

/// The record as it stands now: at release, or at the end of the run.
void Run::close_record(std::size_t i) {
  ContactState& s = state_.contacts[i];
  const model::ContactKind& c = equations_.kind_of(s.pair);
  recording::Impact& r = s.record;
  equations_.evaluate_motion(state_.t_s, state_.y);
  const Approach a = equations_.approach(i);
  const double* sums = &state_.y[equations_.sums_at(i)];
  const double depth = std::max(a.depth_m, 0.0), deepest = std::max(depth, s.deepest_m);
  r.release_s = state_.t_s;
  r.separation_mps = -a.rate_mps;
  r.impulse_Ns = sums[impulse];
  r.friction_J = sums[friction_work];
  r.residual_depth_m = contact::residual_depth_m(s.law, deepest);
  const double stored = contact::stored_energy_J(s.law, depth, deepest);
  r.lost_J = sums[dissipated] + contact::plastic_energy_J(s.law, deepest) - s.plastic_at_touch_J +
             (r.released ? stored : 0) + s.given_up_J;
  const bool has_speed = r.approach_mps > kNoSpeed * speed_scale_mps_ &&
                         r.approach_mps > kAtRest * r.law_speed_mps && r.released && !s.is_lost;
  const bool by_its_speed = r.approach_mps == r.law_speed_mps;  // the law is calibrated with
  if (has_speed) r.delivered = r.separation_mps / r.approach_mps;
  const double energy = r.mass_kg * r.approach_mps * r.approach_mps / 2;
  if (has_speed) {
    const Result<impact::Outcome> free = impact::collide({s.law, r.mass_kg, r.approach_mps}, impact::Times::none);
    if (free) {
      const double wanted = r.wanted.value_or(free->restitution);
      r.free = free->restitution;
      r.bias = r.free * r.free - wanted * wanted;
      r.extra_dissipation = -(r.lost_J - energy * (1 - r.free * r.free)) / energy;
      r.other_work = sums[other_forces] / energy;
      r.other_contacts = sums[other_contacts] / energy;
      r.mass_change = sums[mass_change] / energy;
      r.remainder = *r.delivered * *r.delivered - wanted * wanted -
                    (r.bias + r.extra_dissipation + r.other_work + r.other_contacts + r.mass_change);
    }
    if (free && c.spec.user_law && r.free > 1 + 1e-9)
      warn_once("contact \"" + name_of(s) + "\": the law creates energy: it returns " + text_of(r.free, 6) +
                " of the approach speed");
  }
  {
    impact::Outcome outcome;
    outcome.restitution = has_speed && by_its_speed ? r.free : r.wanted.value_or(0);
    outcome.max_depth_m = r.max_depth_m;
    outcome.max_force_N = r.max_force_N;
    for (const std::string& text :
         impact::warnings(c.spec, {s.law, r.mass_kg, r.approach_mps}, outcome,
                          {c.young_Pa, c.density_kgpm3, std::isfinite(c.radius_m) ? c.radius_m : 0}))
      warn_once("contact \"" + name_of(s) + "\": " + text);
  }
  if (s.number >= 0) {  // the episode went on after its force had ended
    if (at(static_cast<int>(s.number)) < out_.impacts.size()) out_.impacts[static_cast<std::size_t>(s.number)] = r;
    return;
  }
  s.number = out_.impact_count++;
  if (out_.impacts.size() < options_.most_impacts_kept) out_.impacts.push_back(r);
}

double Run::stored_in_J(std::size_t i) {
  const ContactState& s = state_.contacts[i];
  equations_.evaluate_motion(state_.t_s, state_.y);
  const double depth = std::max(equations_.approach(i).depth_m, 0.0);
  return contact::stored_energy_J(s.law, depth, std::max(depth, s.deepest_m));
}

/// A record that nothing can change any more.
void Run::stream(const recording::Impact& record) {
  if (options_.sink && !options_.sink->row(impact_table_, recording::impact_row(record)) && !over_) {
    over_ = true;
    fail("the impacts could not be written");
  }
}

/// The surfaces are apart again: the spot is fresh, unless its dent stays.
void Run::leave(std::size_t i) {
  gather_contacts();
  const ContactState& s = state_.contacts[i];
  stream(s.record);
  const auto contact = at(equations_.kind_of(s.pair).contact);
  state_.totals[contact].lost_J +=
      s.sums[dissipated] + contact::plastic_energy_J(s.law, s.deepest_m) - s.plastic_at_touch_J + s.given_up_J;
  state_.totals[contact].friction_J += s.sums[friction_work];
  if (model_.contacts[contact].persistent)
    state_.overlaps[{s.pair.first, s.pair.second, s.spot}] = {contact::residual_depth_m(s.law, s.deepest_m),
                                                              s.deepest_m, true};
  else if (s.base_m > 0)
    state_.overlaps[{s.pair.first, s.pair.second, s.spot}] = {s.base_m, 0, false};
  state_.contacts.erase(state_.contacts.begin() + static_cast<std::ptrdiff_t>(i));
  spread_contacts();
}

/// Memories and sums out of the unknowns, before the list of contacts changes; and back, in its new order.
void Run::gather_contacts() {
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    ContactState& s = state_.contacts[i];
    if (equations_.kind_of(s.pair).friction.remembers()) {
      const double* z = &state_.y[equations_.memory_at(i)];
      s.friction_memory_m = {z[0], z[1], z[2]};
    }
    std::copy_n(&state_.y[equations_.sums_at(i)], static_cast<std::size_t>(kSums), s.sums.begin());
  }
  const auto first = state_.y.begin() + static_cast<std::ptrdiff_t>(equations_.quadratures_at());
  quadratures_.assign(first, first + model_.quadrature_count);
}

void Run::spread_contacts() {
  state_.y.resize(equations_.dimension());
  scratch_y_.resize(equations_.dimension());
  std::ranges::copy(quadratures_, state_.y.begin() + static_cast<std::ptrdiff_t>(equations_.quadratures_at()));
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    const ContactState& s = state_.contacts[i];
    if (equations_.kind_of(s.pair).friction.remembers()) {
      double* z = &state_.y[equations_.memory_at(i)];
      z[0] = s.friction_memory_m.x, z[1] = s.friction_memory_m.y, z[2] = s.friction_memory_m.z;
    }
    std::ranges::copy(s.sums, state_.y.begin() + static_cast<std::ptrdiff_t>(equations_.sums_at(i)));
  }
}

/// The deflection of a contact spring does not exceed its limit; memories lie in the surface.
void Run::cut_back_memories() {
  bool evaluated = false;
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    const contact::FrictionLaw& law = equations_.kind_of(state_.contacts[i].pair).friction;
    if (!law.remembers()) continue;
    if (!evaluated) equations_.evaluate_motion(state_.t_s, state_.y);
    evaluated = true;
    double* z = &state_.y[equations_.memory_at(i)];
    const Vec3 n = equations_.approach(i).gap.b.linear;
    Vec3 memory{z[0], z[1], z[2]};
    memory -= dot(memory, n) * n;
    if (law.row->memory == contact::FrictionMemory::contact_spring) {
      const double limit = equations_.slip_limit_m(i, equations_.approach(i)), size = norm(memory);
      if (size > limit || (state_.contacts[i].slipping && size > 0)) memory = (limit / size) * memory;
    }
    z[0] = memory.x, z[1] = memory.y, z[2] = memory.z;
  }
}

void Run::warn_once(const std::string& text) {
  constexpr std::size_t kMost = 100;
  const auto kind = [](std::string words) {  // the same warning with other numbers is the same warning
    std::erase_if(words,
                  [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == 'e' || c == '+'; });
    return words;
  };
  for (const std::string& known : out_.warnings)
    if (kind(known) == kind(text)) return;
  if (out_.warnings.size() < kMost) out_.warnings.push_back(text);
}

}  // namespace percuss::dynamics
