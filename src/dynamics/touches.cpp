// Where surfaces come into contact in a step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/crossing.h"
#include "percuss/dynamics/run.h"

namespace percuss::dynamics {

namespace {
constexpr int kPartsApart = 8;  // places in a step at which a spot is looked at
}  // namespace

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
  // a contact that has just opened parts slowly: rounding is no touch
  if (model_.contacts[at(equations_.kind_of(pair).contact)].percussion)
    level += rounding_m(spot.feature.measure.body_a, spot.feature.measure.body_b);
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
  const double noise = rounding_m(f.body, s.body);
  const bool bounces = model_.contacts[at(equations_.kind_of(pair).contact)].percussion;
  if (at_a > noise || (bounces && at_a > -noise)) return false;  // it may have just bounced: spot by spot
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
    // a spot that comes with more overlap than it may touch with is none
    if (feature && equations_.approach(*feature).depth_m < touch->base_m + 3 * rounding_m(f.body, s.body))
      offer(touch);
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
}  // namespace percuss::dynamics
