// The search for touches, pair by pair: a question about one pair moves its two bodies only.
#include "percuss/dynamics/events/touches.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/events/crossing.h"
#include "percuss/geometry/convex_points.h"

namespace percuss::dynamics {

bool is_touching(const Modes& modes, const ContactPair& pair, int spot) {
  return std::ranges::any_of(modes.contacts, [&](const ContactMode& c) {
    return c.spot == spot && c.pair.first == pair.first && c.pair.second == pair.second;
  });
}

/// Twice that of the larger of the speeds at the ends of the step: inside they may be larger.
double way_m(const Path& path, const geometry::Surface& a, const geometry::Surface& b) {
  double most = 0;
  for (const model::Motions* motions : {&path.begin(), &path.end()}) {
    const geometry::BodyMotion &m_a = (*motions)[at(a.body)], &m_b = (*motions)[at(b.body)];
    const Vec3 v = model::point_velocity(m_a, m_a.R * a.centre) - model::point_velocity(m_b, m_b.R * b.centre);
    most = std::max(most, norm(v) + norm(m_a.w_radps) * a.reach_m + norm(m_b.w_radps) * b.reach_m);
  }
  return 2 * (path.t1() - path.t0()) * most;
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

// convex bodies
constexpr double kFineWay = 0.01;       // of the smaller body: the way in which a part of a step is looked into
constexpr double kDeepestBirth = 0.25;  // of the smaller body: a corner farther below a face belongs to another
constexpr double kSameSide = 0.5;       // cosine between normals of points of one region of contact

class Search {
 public:
  Search(const Model& model, const Path& path, Workspace& workspace, Touches& out)
      : model_(model), path_(path), modes_(path.modes()), workspace_(workspace), out_(out) {
    out.touching = points_in_touch(modes_);
  }

  void look_at(const ContactPair& pair) {
    if (!is_on(modes_, model_.contact_of(pair).switch_index)) return;
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
    if (features == geometry::Features::kept) return look_at_convex(pair);
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

  // ---- convex bodies
  struct Convexes {
    const ContactPair& pair;
    const geometry::Surface &a, &b;
    std::vector<geometry::ConvexPoint> in_touch{};
    double speed_mps = 0, noise_m = 0;
    bool has_points = false;  // in touch, or known to overlap
    bool impulsive = false;
    Vec3 direction{};  // from A to B, in the axes of A: where their surfaces are near
  };
  geometry::ConvexPair placed(const Convexes& c, double t) const {
    const model::Motions& m = path_.at(t, {c.a.body, c.b.body});
    return {c.a, c.b, m[at(c.a.body)], m[at(c.b.body)]};
  }
  ValueAndRate depth_at(const geometry::Feature& feature, double t) const {
    const Approach a = approach_at(model_, path_.at(t, {feature.measure.body_a, feature.measure.body_b}), feature);
    return {a.depth_m, a.rate_mps};
  }

  void look_at_convex(const ContactPair& pair) {
    Convexes c{pair, model_.surfaces[at(pair.first)], model_.surfaces[at(pair.second)]};
    c.speed_mps = way_m(path_, c.a, c.b) / h();
    c.noise_m = 4 * rounding_m(model_, path_.begin(), c.a.body, c.b.body);
    c.impulsive = model_.contact_of(pair).impulsive;
    const ContactKey lowest{pair.first, pair.second, std::numeric_limits<int>::min()};
    const geometry::ConvexPair begin = placed(c, path_.t0());
    for (auto k = std::ranges::lower_bound(out_.touching, lowest);
         k != out_.touching.end() && (*k)[0] == pair.first && (*k)[1] == pair.second; ++k) {
      c.in_touch.push_back(geometry::point_of(*c.a.convex, *c.b.convex, (*k)[2]));
      c.direction += begin.look(c.in_touch.back()).normal;
    }
    const auto known = modes_.overlaps.lower_bound(lowest);
    c.has_points = !c.in_touch.empty() || (known != modes_.overlaps.end() && known->first[0] == pair.first &&
                                           known->first[1] == pair.second);
    if (!(norm(c.direction) > 0)) {
      const geometry::BodyMotion &m_a = path_.begin()[at(c.a.body)], &m_b = path_.begin()[at(c.b.body)];
      c.direction = geometry::seen_from(m_a, m_b, c.b.centre) - c.a.centre;
    }
    c.direction = norm(c.direction) > 0 ? unit(c.direction) : kAxisX;
    look_between(c, path_.t0(), path_.t1(), 0);
  }

  /// What happens first in a part of the step. A part in which the bodies move by more than kFineWay is halved,
  /// unless they are so far apart that nothing can touch in it. True: something happens.
  bool look_between(Convexes& c, double t0, double t1, int halvings) {
    constexpr int kMostHalvings = 20;
    const double way = c.speed_mps * (t1 - t0) + 2 * c.noise_m;
    const geometry::ConvexPair begin = placed(c, t0);
    if (begin.improve(c.direction, way) > way && !c.has_points) return false;
    if (way > kFineWay * begin.size_m() && halvings < kMostHalvings) {
      const double middle = t0 + (t1 - t0) / 2;
      return look_between(c, t0, middle, halvings + 1) || look_between(c, middle, t1, halvings + 1);
    }
    std::vector<geometry::ConvexPoint> points;
    begin.near_points(c.direction, way, points);
    const std::size_t before = out_.all.size();
    if (!points.empty()) {
      const geometry::ConvexPair end = placed(c, t1);
      for (const geometry::ConvexPoint& point : points) look_at_point(c, point, begin, end, t0, t1, way);
    }
    return out_.all.size() > before;
  }

  void look_at_point(const Convexes& c, const geometry::ConvexPoint& point, const geometry::ConvexPair& begin,
                     const geometry::ConvexPair& end, double t0, double t1, double way) {
    const int number = geometry::number_of(*c.a.convex, *c.b.convex, point);
    if (touches(c.pair, number)) return;
    const auto known = modes_.overlaps.empty() ? modes_.overlaps.end()
                                               : modes_.overlaps.find({c.pair.first, c.pair.second, number});
    const bool is_known = known != modes_.overlaps.end(), waits = is_known && !known->second.is_dent;
    double level = is_known ? known->second.depth_m : 0;
    const double base = waits ? level : 0;
    if (c.impulsive) level += c.noise_m;  // a contact that has just opened parts slowly: rounding is no touch
    const geometry::ConvexPair::Now at_0 = begin.look(point);
    const bool can_touch = -at_0.gap_m - level <= c.noise_m;
    const bool can_come = !is_known && !c.in_touch.empty() && at_0.margin_m <= c.noise_m && at_0.gap_m < way &&
                          -at_0.gap_m < kDeepestBirth * begin.size_m() + way;
    if (!can_touch && !can_come && !waits) return;
    const geometry::ConvexPair::Now at_1 = end.look(point);
    const geometry::Feature feature = (at_1.margin_m > at_0.margin_m ? end : begin).feature(point);
    const auto margin = [&](double t) { return placed(c, t).look(point).margin_m; };
    std::optional<Touch> first;
    const auto offer = [&](double t, double base_m, Touch::What what) {
      if (!first || t < first->t_s) first = Touch{t, c.pair, {number, feature}, base_m, what};
    };
    if (can_touch) {
      const auto above = [&](double t) {
        const ValueAndRate d = depth_at(feature, t);
        return ValueAndRate{d.value - level, d.rate};
      };
      if (const auto t = first_rise(above, t0, t1, 1); t && margin(*t) > 0) offer(*t, base, Touch::What::begins);
    }
    if (can_come && at_1.margin_m > 0) {
      const double t = at_0.margin_m < 0 ? ode::locate_root(margin, t0, t1, at_0.margin_m, at_1.margin_m) : t0;
      const ValueAndRate depth = depth_at(feature, t);
      if (depth.value > 0 && depth.value < kDeepestBirth * begin.size_m() && comes_beside(c, point, t))
        offer(t, depth.value, depth.rate > 0 ? Touch::What::begins : Touch::What::waits);
    }
    if (waits) {
      if (at_1.margin_m < 0)
        offer(at_0.margin_m > 0 ? ode::locate_root(margin, t0, t1, at_0.margin_m, at_1.margin_m) : t0, 0,
              Touch::What::is_forgotten);
      const auto apart = [&](double t) {
        const ValueAndRate d = depth_at(feature, t);
        return ValueAndRate{-d.value, -d.rate};
      };
      if (const auto t = first_rise(apart, t0, t1, 1)) offer(*t, 0, Touch::What::is_forgotten);
    }
    if (first) out_.all.push_back(*first);
  }

  /// A point that comes into being below the surface belongs to the region of contact of one in touch; unless it is
  /// where that one will go on when it ends.
  bool comes_beside(const Convexes& c, const geometry::ConvexPoint& point, double t) const {
    using Kind = geometry::ConvexPoint::Kind;
    const geometry::ConvexPair then = placed(c, t);
    const Vec3 normal = then.look(point).normal;
    bool is_beside = false;
    std::vector<geometry::ConvexPoint> next;
    for (const geometry::ConvexPoint& other : c.in_touch) {
      is_beside = is_beside || dot(then.look(other).normal, normal) > kSameSide;
      const bool same_corner =
          point.kind == other.kind && ((point.kind == Kind::corner_of_a && point.of_a == other.of_a) ||
                                       (point.kind == Kind::corner_of_b && point.of_b == other.of_b));
      if (same_corner) return false;
      if (point.kind == Kind::edges && other.kind == Kind::edges) continue;
      next.clear();
      geometry::add_neighbours(*c.a.convex, *c.b.convex, other, next);
      if (std::ranges::find(next, point) != next.end()) return false;
    }
    return is_beside;
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
