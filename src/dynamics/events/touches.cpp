// The search for touches, pair by pair: a question about one pair moves its two bodies only.
#include "percuss/dynamics/events/touches.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/events/crossing.h"

namespace percuss::dynamics {

bool is_touching(const Modes& modes, const ContactPair& pair, int spot) {
  return std::ranges::any_of(modes.contacts, [&](const ContactMode& c) {
    return c.spot == spot && c.pair.first == pair.first && c.pair.second == pair.second;
  });
}

namespace {

/// Surfaces and points, sorted.
std::vector<std::array<int, 3>> points_in_touch(const Modes& modes) {
  std::vector<std::array<int, 3>> out;
  out.reserve(modes.contacts.size());
  for (const ContactMode& c : modes.contacts) out.push_back({c.pair.first, c.pair.second, c.spot});
  std::ranges::sort(out);
  return out;
}

constexpr int kTouchParts = 8;  // of a step, at whose ends a point is looked at

class Search {
 public:
  Search(const Model& model, const Path& path, Workspace& workspace, Touches& out)
      : model_(model), path_(path), modes_(path.modes()), workspace_(workspace), out_(out) {
    out.touching = points_in_touch(modes_);
  }

  void look_at(const ContactPair& pair) {
    const geometry::Surface &f = model_.surfaces[at(pair.first)], &s = model_.surfaces[at(pair.second)];
    const double near_m = near_of(f, s);
    if (is_far(f, s, near_m)) return;
    const geometry::PairRow& row = *model_.kind_of(pair).row;
    const geometry::Features features = model_.kind_of(pair).features;
    const model::Motions &begin = path_.begin(), &end = path_.end();
    std::vector<geometry::Spot>& spots = out_.spots;
    spots.clear();
    if (features == geometry::Features::fixed) {
      row.spots(f, s, end[at(f.body)], end[at(s.body)], near_m, spots);
      for (const geometry::Spot& spot : spots)
        if (!touches(pair, spot.number))
          if (const auto touch = touch_of(pair, spot)) out_.all.push_back(*touch);
      return;
    }
    if (features == geometry::Features::kept && settled_by_separation(pair)) return;
    // points come and go: those at both ends of the step, if they are there when they touch
    std::vector<geometry::Spot> before;
    row.spots(f, s, end[at(f.body)], end[at(s.body)], near_m, spots);
    row.spots(f, s, begin[at(f.body)], begin[at(s.body)], near_m, before);
    for (const geometry::Spot& old : before)
      if (std::ranges::none_of(spots, [&](const geometry::Spot& x) { return x.number == old.number; }))
        spots.push_back(old);
    if (!spots.empty()) out_.coming_and_going.push_back(pair);
    for (const geometry::Spot& spot : std::vector<geometry::Spot>(spots)) {
      if (touches(pair, spot.number)) continue;
      const auto touch = touch_of(pair, spot);
      if (!touch) continue;
      const model::Motions& motions = path_.at(touch->t_s, {f.body, s.body});
      const auto feature = find_feature(model_, motions, pair, spot.number, workspace_.spots);
      // a point that comes with more overlap than it may touch with is none
      if (feature && approach_at(model_, motions, *feature).depth_m <
                         touch->base_m + 3 * rounding_m(model_, motions, f.body, s.body))
        out_.all.push_back(*touch);
    }
  }

 private:
  bool touches(const ContactPair& pair, int spot) const {
    return std::ranges::binary_search(out_.touching, std::array<int, 3>{pair.first, pair.second, spot});
  }
  double h() const { return path_.t1() - path_.t0(); }

  /// How far surfaces can come together in the step, from the speeds at its ends.
  double near_of(const geometry::Surface& first, const geometry::Surface& second) const {
    double speed = 0;
    for (const geometry::Surface* s : {&first, &second}) {
      const double lever = norm(s->centre) + (std::isfinite(s->reach_m) ? s->reach_m : 0);
      for (const model::Motions* motions : {&path_.begin(), &path_.end()}) {
        const geometry::BodyMotion& m = (*motions)[at(s->body)];
        speed += norm(m.v_mps) + norm(m.w_radps) * lever;
      }
    }
    return 3 * h() * speed + 1e-9 * model_.length_m;
  }

  double bounding_gap(const geometry::Surface& f, const geometry::Surface& s, const model::Motions& m) const {
    return norm(m[at(f.body)].p_m + m[at(f.body)].R * f.centre - m[at(s.body)].p_m - m[at(s.body)].R * s.centre) -
           f.reach_m - s.reach_m;
  }
  /// Bounding spheres that are apart at both ends of the step by more than the surfaces can come together.
  bool is_far(const geometry::Surface& f, const geometry::Surface& s, double near_m) const {
    const bool holds_other = f.kind == geometry::Surface::Kind::hole || f.kind == geometry::Surface::Kind::socket ||
                             s.kind == geometry::Surface::Kind::hole || s.kind == geometry::Surface::Kind::socket;
    if (holds_other || !std::isfinite(f.reach_m) || !std::isfinite(s.reach_m)) return false;
    return std::min(bounding_gap(f, s, path_.begin()), bounding_gap(f, s, path_.end())) > near_m;
  }

  /// When the depth of a point rises above 0 (or above its dent), if it does.
  std::optional<Touch> touch_of(const ContactPair& pair, const geometry::Spot& spot) {
    const bool followed = model_.kind_of(pair).features == geometry::Features::followed;
    double level = 0, base = 0;
    if (!modes_.overlaps.empty())
      if (const auto known = modes_.overlaps.find({pair.first, pair.second, spot.number});
          known != modes_.overlaps.end()) {
        level = known->second.depth_m;
        base = known->second.is_dent ? 0 : level;
      }
    const int body_f = model_.surfaces[at(pair.first)].body, body_s = model_.surfaces[at(pair.second)].body;
    // a contact that has just opened parts slowly: rounding is no touch
    if (model_.contact_of(pair).impulsive)
      level += rounding_m(model_, path_.end(), spot.feature.measure.body_a, spot.feature.measure.body_b);
    const auto depth = [&](double t) {
      const model::Motions& motions = path_.at(t, {body_f, body_s});
      if (followed) {
        const auto feature = find_feature(model_, motions, pair, spot.number, workspace_.spots);
        if (!feature) return ValueAndRate{-1, 0};
        const Approach a = approach_at(model_, motions, *feature);
        return ValueAndRate{a.depth_m - level, a.rate_mps};
      }
      const Approach a = approach_at(model_, motions, spot.feature);
      return ValueAndRate{a.depth_m - level, a.rate_mps};
    };
    const double t0 = path_.t0(), t1 = path_.t1();
    const ValueAndRate begin = depth(t0), end = depth(t1);
    if (-std::max(begin.value, end.value) > 3 * (t1 - t0) * (std::abs(begin.rate) + std::abs(end.rate)))
      return std::nullopt;
    const auto t = first_rise(depth, t0, t1, kTouchParts);
    if (!t) return std::nullopt;
    return Touch{*t, pair, spot, base};
  }

  /// Convex bodies of which no point is known yet: the moment at which their separation becomes 0, and the points
  /// there. True if that settles the step.
  bool settled_by_separation(const ContactPair& pair) {
    const std::array<int, 3> lowest{pair.first, pair.second, std::numeric_limits<int>::min()};
    const auto is_of_pair = [&](const std::array<int, 3>& key) {
      return key[0] == pair.first && key[1] == pair.second;
    };
    if (const auto c = std::ranges::lower_bound(out_.touching, lowest); c != out_.touching.end() && is_of_pair(*c))
      return false;
    if (const auto o = modes_.overlaps.lower_bound(lowest); o != modes_.overlaps.end() && is_of_pair(o->first))
      return false;
    const geometry::Surface &f = model_.surfaces[at(pair.first)], &s = model_.surfaces[at(pair.second)];
    const auto overlap = [&](double t) {
      const model::Motions& m = path_.at(t, {f.body, s.body});
      return -geometry::convex_separation_m(f, s, m[at(f.body)], m[at(s.body)]);
    };
    const double t0 = path_.t0(), t1 = path_.t1();
    double a = t0, at_a = overlap(a);
    const double noise = rounding_m(model_, path_.begin(), f.body, s.body);
    const bool bounces = model_.contact_of(pair).impulsive;
    if (at_a > noise || (bounces && at_a > -noise)) return false;  // it may have just bounced: point by point
    for (int k = 1; k <= kTouchParts; ++k) {
      const double b = k == kTouchParts ? t1 : t0 + (t1 - t0) * k / kTouchParts, at_b = overlap(b);
      if (at_b > 0) {
        const double t = at_a < 0 ? ode::locate_root(overlap, a, b, at_a, at_b) : a;
        const model::Motions& motions = path_.at(t, {f.body, s.body});
        std::vector<geometry::Spot> spots;
        find_spots(model_, motions, pair, 0.01 * std::min(f.reach_m, s.reach_m), spots);
        const geometry::Spot* deepest = nullptr;
        double most = -std::numeric_limits<double>::infinity();
        for (const geometry::Spot& spot : spots)
          if (const double depth = approach_at(model_, motions, spot.feature).depth_m; depth > most)
            most = depth, deepest = &spot;
        if (!deepest) return false;
        for (const geometry::Spot& spot : spots)  // all that touch together, a few last digits aside
          if (approach_at(model_, motions, spot.feature).depth_m >
              most - 4 * rounding_m(model_, motions, f.body, s.body))
            out_.all.push_back({t, pair, spot, std::max(most, 0.0)});
        out_.coming_and_going.push_back(pair);
        return true;
      }
      a = b;
      at_a = at_b;
    }
    return true;
  }

  const Model& model_;
  const Path& path_;
  const Modes& modes_;
  Workspace& workspace_;
  Touches& out_;
};

}  // namespace

void find_touches(const Model& model, const Path& path, model::BroadPhase& broad_phase, Workspace& workspace,
                  Touches& out) {
  out.all.clear();
  out.coming_and_going.clear();
  if (model.pairs.empty() && model.by_materials.empty()) return;
  Search search(model, path, workspace, out);
  for (const ContactPair& pair : broad_phase.near(path.begin(), path.end(), path.t1() - path.t0()))
    search.look_at(pair);
}

void note_overlaps(const Model& model, const model::Motions& motions, const std::vector<ContactPair>& pairs,
                   Workspace& workspace, Modes& modes) {
  std::vector<geometry::Spot>& spots = workspace.spots;
  const std::vector<std::array<int, 3>> touching = points_in_touch(modes);
  for (const ContactPair& pair : pairs) {
    find_spots(model, motions, pair, 0, spots);
    for (auto known = modes.overlaps.lower_bound({pair.first, pair.second, std::numeric_limits<int>::min()});
         known != modes.overlaps.end() && known->first[0] == pair.first && known->first[1] == pair.second;) {
      const int number = known->first[2];
      const bool is_gone = !known->second.is_dent && std::ranges::none_of(spots, [number](const geometry::Spot& x) {
        return x.number == number;
      });
      known = is_gone ? modes.overlaps.erase(known) : std::next(known);
    }
    const double noise_m =
        rounding_m(model, motions, model.surfaces[at(pair.first)].body, model.surfaces[at(pair.second)].body);
    for (const geometry::Spot& spot : spots) {
      const std::array<int, 3> key{pair.first, pair.second, spot.number};
      if (std::ranges::binary_search(touching, key)) continue;
      const double depth = approach_at(model, motions, spot.feature).depth_m;
      const auto known = modes.overlaps.find(key);
      if (known == modes.overlaps.end()) {
        if (depth > noise_m) modes.overlaps[key] = {depth, 0, false};
      } else if (!known->second.is_dent) {
        known->second.depth_m = std::min(known->second.depth_m, depth);
        if (!(depth > noise_m)) modes.overlaps.erase(known);
      }
    }
  }
}

}  // namespace percuss::dynamics
