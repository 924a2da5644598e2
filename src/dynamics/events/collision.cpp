// Contacts whose response is impulsive: collisions that take no time, and rest as a constraint that can open.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/collision/rigid_rules.h"
#include "percuss/dynamics/events/effects.h"
#include "percuss/dynamics/rest.h"
#include "percuss/linear/bounded_forces.h"
#include "percuss/linear/mobility.h"

namespace percuss::dynamics {

using Eigen::Index;
using Eigen::VectorXd;
using Mode = ContactMode::Mode;

namespace {

constexpr double kAtRest = 1e-10;  // of the largest speed: no speed
constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr double kLeftOver = 1e-3;    // of the last bounce
constexpr double kNoHop = 100;        // of rounding
constexpr double kLastBounce = 1e-4;  // of the speed of a fall through the size of things under the load

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

/// Mobility between points; with friction the most that it is in any directions of theirs.
Eigen::MatrixXd coupling_of(const collision::Collision& c) {
  const Index n = c.approach_mps.size(), d = c.tangents.directions;
  if (d == 0) return c.mobility;
  const auto block = [&](Index i) {
    linear::Indices rows{i};
    for (Index k = 0; k < d; ++k) rows.push_back(n + d * i + k);
    return rows;
  };
  Eigen::MatrixXd out(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      out(i, j) = Eigen::MatrixXd(c.tangents.mobility(block(i), block(j))).cwiseAbs().maxCoeff();
  return out;
}

/// The points that share bodies, through joints and other points, with one that approaches.
std::vector<StrikePoint> struck_with(const Strike& all) {
  linear::Indices approaching;
  for (Index i = 0; i < all.collision.approach_mps.size(); ++i)
    if (all.collision.approach_mps[i] > 0) approaching.push_back(i);
  std::vector<StrikePoint> out;
  for (const Index i : linear::coupled_with(approaching, coupling_of(all.collision)))
    out.push_back(all.points[index(i)]);
  return out;
}

/// All points of such contacts that touch now.
std::vector<StrikePoint> impulsive_points(Effect& f, const model::Motions& motions) {
  std::vector<ContactPair> pairs = f.broad_phase.near(motions, motions, 0);
  std::erase_if(pairs, [&](const ContactPair& pair) { return !f.model.contact_of(pair).impulsive; });
  return touching_points(f.model, motions, pairs, f.state.modes.overlaps);
}

ContactMode at_rest(Effect& f, const Evaluation& e, const StrikePoint& p, double since_s) {
  ContactMode c;
  c.pair = p.pair;
  c.spot = p.spot;
  c.feature = p.feature;
  c.base_m = p.base_m + p.approach.depth_m;  // it stays where it is, give or take the last digits
  c.mode = Mode::resting;
  c.depth_scale_m = f.model.length_m;
  c.touch_s = since_s;
  c.changed_s = f.state.t_s;
  c.mass_kg = effective_mass_kg(f.model, f.state.modes, e, p.approach);
  c.law_speed_mps = 1;
  c.id = f.state.modes.touches++;
  return c;
}

/// Velocities jump by the responses. What prescribes motions and drives joints does work on the way: impulses times
/// their speeds, which do not change.
void add_impulses(Effect& f, const Evaluation& e, const Strike& s, std::span<const double> impulse,
                  CollisionReport& report) {
  const Model& model = f.model;
  const model::RowLayout& layout = *f.state.modes.rows;
  const std::span<double> velocity =
      std::span(f.state.y).subspan(at(model.position_count), at(model.velocity_count));
  report.by_driver.assign(model.drivers.size(), 0.0);
  report.by_motion.assign(model.bodies.size(), 0.0);
  std::vector<double> rows(layout.count(), 0.0);
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    for (std::size_t k = 0; k < velocity.size(); ++k) velocity[k] += impulse[i] * s.responses.velocity[i][k];
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] += impulse[i] * s.responses.multiplier[i][k];
    const Approach& a = s.rows[i];
    for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
      const geometry::BodyMotion& m = e.motions[at(body)];
      if (model.bodies[at(body)].moves)
        report.by_motion[at(body)] -= impulse[i] * (dot(g->linear, m.v_mps) + dot(g->angular, m.w_radps));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const int driver = model.rows[at(layout.row_index(i))].driver; driver >= 0)
      report.by_driver[at(driver)] += rows[i] * e.rows.target_rate[i];
  const auto moving = layout.moving_terms();
  for (std::size_t k = 0; k < moving.size(); ++k)
    report.by_motion[at(moving[k].body)] -= rows[moving[k].row] * e.rows.moving_rate[k];
}

/// Which of the points that touch stay at rest: those without a speed that forces F >= 0 hold, F and the
/// accelerations a of approach as in bounded_forces. The others leave.
void settle_rest(Effect& f, const std::vector<StrikePoint>& touching, double since_s,
                 const ContactMode* opened = nullptr, double slow_mps = 0) {
  const Model& model = f.model;
  State& state = f.state;
  Modes& modes = state.modes;
  const double speed = state.control.speed_scale_mps;
  // what rested lets go while this is decided
  std::vector<ContactMode> rested;
  for (std::size_t i = modes.contacts.size(); i-- > 0;)
    if (modes.contacts[i].mode == Mode::resting) {
      rested.push_back(modes.contacts[i]);
      modes.contacts.erase(modes.contacts.begin() + static_cast<std::ptrdiff_t>(i));
    }
  lay_out_memories(model, modes, state.y);
  const Evaluation& e = f.evaluated();
  std::vector<StrikePoint> points;
  for (StrikePoint p : touching) {
    p.approach = approach_at(model, e.motions, p.feature, p.base_m);
    // a hop that stays near rounding is none: v^2/2 over the acceleration of the load, or of gravity through others
    const double load = std::max(depth_acceleration(model, e, p.approach), norm(model.gravity_mps2));
    const double hop =
        std::sqrt(2 * load * kNoHop * rounding_m(model, e.motions, p.approach.body_a, p.approach.body_b));
    if (std::abs(p.approach.rate_mps) <= std::max({slow_mps, kAtRest * speed, hop})) points.push_back(p);
  }
  const Strike s = make_strike(model, modes, e, points);
  const auto n = static_cast<Index>(s.points.size());
  std::vector<char> stays(s.points.size(), 0);
  if (n > 0) {
    VectorXd a(n);
    for (Index i = 0; i < n; ++i) a[i] = depth_acceleration(model, e, s.points[index(i)].approach);
    const VectorXd force =
        linear::bounded_forces(s.collision.mobility, -a, VectorXd::Zero(n),
                               VectorXd::Constant(n, std::numeric_limits<double>::infinity()), VectorXd::Ones(n));
    const VectorXd left = a - s.collision.mobility * force;
    const double noise = kNoAcceleration * (a.cwiseAbs().maxCoeff() + norm(model.gravity_mps2));
    for (Index i = 0; i < n; ++i) {
      const bool opens = opened && is_same_spot(s.points[index(i)], *opened);
      const bool still = std::abs(s.points[index(i)].approach.rate_mps) <= kAtRest * speed;
      stays[index(i)] = !opens && (force[i] > 0 || (still && left[i] >= -noise));
    }
  }
  for (const ContactMode& old : rested) {
    const auto kept = std::ranges::find_if(s.points, [&](const StrikePoint& p) { return is_same_spot(p, old); });
    const auto place = static_cast<std::size_t>(kept - s.points.begin());
    if (kept != s.points.end() && stays[place]) {
      stays[place] = 0;  // as it was
      modes.contacts.push_back(old);
    } else {
      f.watchers.event({model, state.t_s, EventKind::separation, modes, e.motions, &old});
    }
  }
  for (std::size_t i = 0; i < s.points.size(); ++i)
    if (stays[i]) {
      modes.contacts.push_back(at_rest(f, e, s.points[i], since_s));
      f.watchers.event({model, state.t_s, EventKind::touch, modes, e.motions, &modes.contacts.back(), &e});
    }
  // the others leave from where they are: that is no touch
  for (const StrikePoint& p : touching) {
    if (is_touching(modes, p.pair, p.spot)) continue;
    const std::array<int, 3> key{p.pair.first, p.pair.second, p.spot};
    const double depth = approach_at(model, e.motions, p.feature).depth_m;
    if (depth > 0)
      modes.overlaps[key] = {depth, 0, false};
    else
      modes.overlaps.erase(key);
  }
  std::ranges::stable_sort(modes.contacts, {}, &ContactMode::key);
  lay_out_memories(model, modes, state.y);
  const double before = f.stored_J();
  project_rest(model, state.t_s, modes, f.workspace, state.y);
  f.watchers.jump(f.stored_J() - before, Observer::Cause::projection);
  f.restarts = true;
}

}  // namespace

double pressing_N(const Model& model, const Modes& modes, const Evaluation& e, std::size_t i) {
  const double force = e.contacts[i].force.total_N, closing = depth_acceleration(model, e, e.contacts[i].approach);
  const bool opens = !(force > 0) && closing < -kNoAcceleration * norm(model.gravity_mps2);
  return opens ? closing * modes.contacts[i].mass_kg : std::max(force, std::numeric_limits<double>::min());
}

Beyond beyond_band(const Model& model, const Modes& modes, const Evaluation& e, std::size_t i) {
  const ContactMode& c = modes.contacts[i];
  const Approach& a = e.contacts[i].approach;
  const HeldBand band = held_band_N(c, a.depth_m);
  const double force = e.contacts[i].force.total_N, edge = 1e-9 * band.high;
  const double noise_N = kNoAcceleration * (c.mass_kg * norm(model.gravity_mps2) + band.high);
  if (force > band.low + edge && force < band.high - edge)
    return {-std::min(force - band.low, band.high - force), noise_N};
  const double drawn_N = depth_acceleration(model, e, a) * c.mass_kg;
  const double up = force >= band.high - edge ? drawn_N : -kAny, down = force <= band.low + edge ? -drawn_N : -kAny;
  return {std::max(up, down), noise_N};
}

void begin_collisions(Effect& f) {
  if (std::ranges::none_of(f.model.contacts, &model::Contact::impulsive)) return;
  const std::vector<StrikePoint> points = impulsive_points(f, f.placed());
  if (points.empty()) return;
  for (const StrikePoint& p : points)
    if (p.approach.depth_m > kTouching * f.model.length_m)
      f.state.modes.overlaps[{p.pair.first, p.pair.second, p.spot}] = {p.approach.depth_m, 0, false};
  collide(f);
}

void open_rest(Effect& f, std::size_t contact) {
  const ContactMode opened = f.state.modes.contacts[contact];
  settle_rest(f, impulsive_points(f, f.placed()), f.state.t_s, &opened);
}

/// Bounces under a load become ever shorter: from an approach v on they take 2 v e/(1 - e) over the acceleration of
/// the load altogether. Below a speed whose bounce is still far above rounding they are taken together: the contact
/// rests, and its record says from when on.
void collide(Effect& f) {
  const Model& model = f.model;
  State& state = f.state;
  const Evaluation& e = f.evaluated();
  const std::vector<StrikePoint> points = impulsive_points(f, e.motions);
  Strike all = make_strike(model, state.modes, e, points);
  const double speed = std::max(state.control.speed_scale_mps, 1e-300);
  for (double& v : all.collision.approach_mps)
    if (std::abs(v) <= kAtRest * speed) v = 0;
  const std::vector<StrikePoint> struck = struck_with(all);
  if (struck.empty()) return settle_rest(f, all.points, state.t_s);
  Strike s = make_strike(model, state.modes, e, struck);
  for (double& v : s.collision.approach_mps)
    if (std::abs(v) <= kAtRest * speed) v = 0;
  // the last bounces
  bool ends = true;
  double rest_s = state.t_s;
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    const double v = s.collision.approach_mps[static_cast<Index>(i)];
    if (!(v > 0)) continue;
    const double load = depth_acceleration(model, e, s.points[i].approach);
    const double given = model.contact_of(s.points[i].pair).rest_speed_mps;
    const double last = given >= 0 ? given : kLastBounce * std::sqrt(std::max(load, 0.0) * model.length_m);
    ends = ends && load > 0 && v <= last;
    const double restitution = collision::restitution_of(s.collision.points[i]);
    if (load > 0 && restitution < 1)
      rest_s = std::max(rest_s, state.t_s + 2 * v * restitution / ((1 - restitution) * load));
  }
  if (ends)
    for (collision::Point& p : s.collision.points) p.friction = 1;
  const collision::Outcome outcome = collision::collide(s.collision);
  if (outcome.end == collision::Outcome::End::endless)
    f.watchers.warn(
        {"collision-endless", "",
         "a collision did not end: contact points keep pressing each other; their vibration is left out"});
  const double struck_J =
      s.collision.approach_mps.cwiseAbs2().cwiseQuotient(s.collision.mobility.diagonal()).sum() / 2;
  if (outcome.end == collision::Outcome::End::accumulated && outcome.undecided_J > 1e-9 * struck_J)
    f.watchers.warn({"collision-undecided", "",
                     "a collision was ended plastically with " + text_of(100 * outcome.undecided_J / struck_J, 2) +
                         " % of its energy undecided"});
  CollisionReport report{s, outcome, ends, {}, {}, state.modes.touches};
  state.modes.touches += static_cast<std::int64_t>(s.points.size());
  add_impulses(f, e, s, s.impulses_of(outcome), report);
  f.watchers.event({model, state.t_s, EventKind::collision, state.modes, e.motions, nullptr, &e, &report});
  // bounces that have ended leave no speed, give or take what the other points took
  const double slow = ends ? kLeftOver * s.collision.approach_mps.maxCoeff() : 0;
  settle_rest(f, all.points, ends ? rest_s : state.t_s, nullptr, slow);
}

}  // namespace percuss::dynamics
