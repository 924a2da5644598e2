// Contacts whose response is a percussion: collisions that take no time, and rest as a constraint that can open.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/run.h"
#include "percuss/dynamics/strike.h"
#include "percuss/percussion/bounded_forces.h"
#include "percuss/percussion/mobility.h"
#include "percuss/percussion/rigid_rules.h"

namespace percuss::dynamics {

using Eigen::Index;
using Eigen::VectorXd;
using Mode = ContactState::Mode;

namespace {

constexpr double kAtRest = 1e-10;         // of the largest speed: no speed
constexpr double kLeftOver = 1e-3;        // of the last bounce
constexpr double kNoHop = 100;            // of rounding
constexpr double kNoAcceleration = 1e-9;  // of gravity and the accelerations in play
constexpr double kLastBounce = 1e-4;      // of the speed of a fall through the size of things under the load

/// The points that share bodies, through joints and other points, with one that approaches.
std::vector<StrikePoint> struck_with(const Strike& all) {
  percussion::Indices approaching;
  for (Index i = 0; i < all.collision.approach_mps.size(); ++i)
    if (all.collision.approach_mps[i] > 0) approaching.push_back(i);
  std::vector<StrikePoint> out;
  for (const Index i : percussion::coupled_with(approaching, all.collision.mobility))
    out.push_back(all.points[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

/// All points of such contacts that touch now. After `evaluate`.
std::vector<StrikePoint> Run::percussion_points() {
  std::vector<model::ContactPair> pairs = broad_phase_.near(equations_.motions(), equations_.motions(), 0);
  std::erase_if(pairs, [&](const model::ContactPair& pair) {
    return !model_.contacts[at(equations_.kind_of(pair).contact)].percussion;
  });
  return touching_points(model_, equations_, pairs, state_.overlaps);
}

/// Points that overlap at the start push only from there on; those that touch strike or rest.
void Run::begin_percussions() {
  equations_.evaluate(state_.t_s, state_.y);
  std::vector<StrikePoint> points = percussion_points();
  if (points.empty()) return;
  for (StrikePoint& p : points)
    if (p.approach.depth_m > kTouching * model_.length_m)
      state_.overlaps[{p.pair.first, p.pair.second, p.spot}] = {p.approach.depth_m, 0, false};
  strike();
}

/// The collision of all that touches here and now.
///
/// Bounces under a load become ever shorter: from an approach v on they take 2 v e/(1 - e) over the acceleration of
/// the load altogether. Below a speed whose bounce is still far above rounding they are taken together: the contact
/// rests, and its record says from when on.
void Run::strike() {
  equations_.evaluate(state_.t_s, state_.y);
  const std::vector<StrikePoint> points = percussion_points();
  Strike all = make_strike(model_, equations_, points);
  const double speed = std::max(speed_scale_mps_, 1e-300);
  for (double& v : all.collision.approach_mps)
    if (std::abs(v) <= kAtRest * speed) v = 0;
  std::vector<StrikePoint> struck = struck_with(all);
  if (struck.empty()) return settle_rest(all.points, state_.t_s);
  Strike s = make_strike(model_, equations_, struck);
  for (double& v : s.collision.approach_mps)
    if (std::abs(v) <= kAtRest * speed) v = 0;
  // the last bounces
  bool ends = true;
  double rest_s = state_.t_s;
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    const double v = s.collision.approach_mps[static_cast<Index>(i)];
    if (!(v > 0)) continue;
    const double load = equations_.depth_acceleration(s.points[i].approach);
    const double given = model_.contacts[at(equations_.kind_of(s.points[i].pair).contact)].rest_speed_mps;
    const double last = given >= 0 ? given : kLastBounce * std::sqrt(std::max(load, 0.0) * model_.length_m);
    ends = ends && load > 0 && v <= last;
    const double e = percussion::restitution_of(s.collision.points[i]);
    if (load > 0 && e < 1) rest_s = std::max(rest_s, state_.t_s + 2 * v * e / ((1 - e) * load));
  }
  if (ends)
    for (percussion::Point& p : s.collision.points) p.friction = 1;
  const percussion::Outcome outcome = percussion::collide(s.collision);
  if (outcome.end == percussion::Outcome::End::endless)
    warn_once("a percussion did not end: points press each other without a way out; their vibration is left out");
  const double struck_J =
      s.collision.approach_mps.cwiseAbs2().cwiseQuotient(s.collision.mobility.diagonal()).sum() / 2;
  if (outcome.end == percussion::Outcome::End::accumulated && outcome.undecided_J > 1e-9 * struck_J)
    warn_once("a percussion was ended plastically with " + text_of(100 * outcome.undecided_J / struck_J, 2) +
              " % of its energy undecided");
  equations_.add_impulses(s.points, s.responses,
                          std::span<const double>(outcome.impulse_Ns.data(), s.points.size()), state_.y);
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    const auto k = static_cast<Index>(i);
    const model::ContactKind& kind = equations_.kind_of(s.points[i].pair);
    state_.totals[at(kind.contact)].lost_J += outcome.lost_J[k];
    if (outcome.impulse_Ns[k] > 0 && s.collision.approach_mps[k] > 0 && !ends)
      record_percussion(s, outcome, i);
    else if (outcome.impulse_Ns[k] > 0)
      ++state_.totals[at(kind.contact)].impacts;
  }
  // bounces that have ended leave no speed, give or take what the other points took
  const double slow = ends ? kLeftOver * s.collision.approach_mps.maxCoeff() : 0;
  settle_rest(all.points, ends ? rest_s : state_.t_s, nullptr, slow);
}

void Run::record_percussion(const Strike& s, const percussion::Outcome& outcome, std::size_t i) {
  const auto k = static_cast<Index>(i);
  const StrikePoint& p = s.points[i];
  const model::ContactKind& kind = equations_.kind_of(p.pair);
  recording::Impact r = record_of(p.pair, p.spot);
  r.touch_s = r.peak_s = r.release_s = state_.t_s;
  r.approach_mps = r.law_speed_mps = s.collision.approach_mps[k];
  r.separation_mps = -outcome.approach_mps[k];
  r.mass_kg = 1 / s.collision.mobility(k, k);
  r.free = percussion::restitution_of(s.collision.points[i]);
  r.wanted = kind.spec.restitution ? kind.spec.restitution : std::optional(r.free);
  r.delivered = r.separation_mps / r.approach_mps;
  r.impulse_Ns = outcome.impulse_Ns[k];
  r.lost_J = outcome.lost_J[k];
  r.released = true;
  // the account: what the point itself lost beyond a free collision; the rest came through other points
  const double energy = r.mass_kg * r.approach_mps * r.approach_mps / 2;
  r.bias = r.free * r.free - *r.wanted * *r.wanted;
  r.extra_dissipation = -(r.lost_J / energy - (1 - r.free * r.free));
  r.other_contacts = *r.delivered * *r.delivered - 1 + r.lost_J / energy;
  r.remainder =
      *r.delivered * *r.delivered - *r.wanted * *r.wanted - (r.bias + r.extra_dissipation + r.other_contacts);
  ++state_.totals[at(kind.contact)].impacts;
  keep(r);
  stream(r);
}

/// Which of the points that touch stay at rest: those without a speed that forces F >= 0 hold, F and the
/// accelerations a of approach as in bounded_forces. The others leave.
void Run::settle_rest(const std::vector<StrikePoint>& touching, double since_s, const ContactState* opened,
                      double slow_mps) {
  // what rested lets go while this is decided
  std::vector<ContactState> rested;
  gather_contacts();
  for (std::size_t i = state_.contacts.size(); i-- > 0;)
    if (state_.contacts[i].mode == Mode::resting) {
      rested.push_back(state_.contacts[i]);
      state_.contacts.erase(state_.contacts.begin() + static_cast<std::ptrdiff_t>(i));
    }
  spread_contacts();
  equations_.evaluate(state_.t_s, state_.y);
  std::vector<StrikePoint> points;
  for (StrikePoint p : touching) {
    p.approach = equations_.approach(p.feature, p.base_m);
    // a hop that stays near rounding is none: v^2/2 over the acceleration of the load, or of gravity through others
    const double load = std::max(equations_.depth_acceleration(p.approach), norm(model_.gravity_mps2));
    const double hop = std::sqrt(2 * load * kNoHop * rounding_m(p.approach.body_a, p.approach.body_b));
    if (std::abs(p.approach.rate_mps) <= std::max({slow_mps, kAtRest * speed_scale_mps_, hop})) points.push_back(p);
  }
  const Strike s = make_strike(model_, equations_, points);
  const auto n = static_cast<Index>(s.points.size());
  std::vector<char> stays(s.points.size(), 0);
  if (n > 0) {
    VectorXd a(n);
    for (Index i = 0; i < n; ++i)
      a[i] = equations_.depth_acceleration(s.points[static_cast<std::size_t>(i)].approach);
    const VectorXd force = percussion::bounded_forces(
        s.collision.mobility, -a, VectorXd::Zero(n), VectorXd::Constant(n, std::numeric_limits<double>::infinity()),
        VectorXd::Ones(n));
    const VectorXd left = a - s.collision.mobility * force;
    const double noise = kNoAcceleration * (a.cwiseAbs().maxCoeff() + norm(model_.gravity_mps2));
    for (Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const bool opens = opened && is_same_spot(s.points[k], *opened);
      const bool still = std::abs(s.points[k].approach.rate_mps) <= kAtRest * speed_scale_mps_;
      stays[k] = !opens && (force[i] > 0 || (still && left[i] >= -noise));
    }
  }
  gather_contacts();
  for (ContactState& old : rested) {
    const auto kept = std::ranges::find_if(s.points, [&](const StrikePoint& p) { return is_same_spot(p, old); });
    const auto place = static_cast<std::size_t>(kept - s.points.begin());
    if (kept != s.points.end() && stays[place]) {
      stays[place] = 0;  // as it was
      state_.contacts.push_back(old);
    } else {
      close_rest(old, true);
    }
  }
  for (std::size_t i = 0; i < s.points.size(); ++i)
    if (stays[i]) state_.contacts.push_back(at_rest(s.points[i], since_s));
  // the others leave from where they are: that is no touch
  for (const StrikePoint& p : touching) {
    if (is_touching(p.pair, p.spot)) continue;
    const std::array<int, 3> key{p.pair.first, p.pair.second, p.spot};
    const double depth = equations_.approach(p.feature).depth_m;
    if (depth > 0)
      state_.overlaps[key] = {depth, 0, false};
    else
      state_.overlaps.erase(key);
  }
  spread_contacts();
  equations_.evaluate(state_.t_s, state_.y);
  const double before = equations_.energy(state_.t_s, state_.y).stored_J();
  equations_.project_rest(state_.t_s, state_.y);
  state_.projection_J += equations_.energy(state_.t_s, state_.y).stored_J() - before;
  needs_restart_ = true;
}

ContactState Run::at_rest(const StrikePoint& p, double since_s) const {
  ContactState s;
  s.pair = p.pair;
  s.spot = p.spot;
  s.feature = p.feature;
  s.base_m = p.base_m + p.approach.depth_m;  // it stays where it is, give or take the last digits
  s.mode = Mode::resting;
  s.depth_scale_m = model_.length_m;
  s.record = record_of(p.pair, p.spot);
  s.record.touch_s = s.record.peak_s = since_s;
  s.record.mass_kg = equations_.effective_mass_kg(p.approach);
  s.record.law_speed_mps = 1;
  return s;
}

/// The record of a rest that is over, or of one that lasts at the end of the run. Sums must have been gathered.
void Run::close_rest(ContactState& s, bool is_over) {
  s.record.release_s = state_.t_s;
  s.record.released = is_over;
  s.record.impulse_Ns = s.sums[impulse];
  keep(s.record);
  stream(s.record);
}

/// The force of a contact at rest; where it has ended, minus the force that would be needed to hold it. One that
/// others hold presses by nothing, but it does not open. Found for all contacts at once, and kept for the step.
double Run::pressing(std::size_t i, double t_s) {
  for (const auto& [known_s, values] : pressing_)
    if (known_s == t_s) return values[i];
  move_to(t_s);
  equations_.evaluate(t_s, unknowns_at(t_s));
  std::vector<double> values(state_.contacts.size(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (state_.contacts[k].mode != Mode::resting) continue;
    const double force = equations_.held_force_N(k),
                 closing = equations_.depth_acceleration(equations_.approach(k));
    const bool opens = !(force > 0) && closing < -kNoAcceleration * norm(model_.gravity_mps2);
    values[k] =
        opens ? closing * state_.contacts[k].record.mass_kg : std::max(force, std::numeric_limits<double>::min());
  }
  pressing_.emplace_back(t_s, std::move(values));
  return pressing_.back().second[i];
}

}  // namespace percuss::dynamics
