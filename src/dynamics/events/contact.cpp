// How contacts begin, change and end.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/energy.h"
#include "percuss/dynamics/events/effects.h"
#include "percuss/dynamics/response.h"
#include "percuss/dynamics/rest.h"
#include "percuss/dynamics/step_control.h"
#include "percuss/geometry/convex_points.h"

namespace percuss::dynamics {

using Mode = ContactMode::Mode;

double Effect::stored_J() const {
  place(model, state.t_s, state.y, state.modes, workspace, workspace.result);
  return stored_energy(model, state.y, state.modes, workspace.result, workspace).of_motion_J();
}

double smooth_share(const Settings& settings) { return std::pow(settings.tolerance, 2.0 / 7); }

namespace {

/// Of the largest speed: ten times the difference over which implicit methods take slopes.
constexpr double kStillOfScene = 1e-7;

void tell(const Effect& f, EventKind kind, const ContactMode& contact) {
  f.watchers.event({f.model, f.state.t_s, kind, f.state.modes, f.placed(), &contact});
}

double depth_of(const Effect& f, std::size_t contact) {
  return approach_of(f.model, f.placed(), f.state.modes.contacts[contact], f.workspace.spots).depth_m;
}

}  // namespace

namespace {

/// A contact spring slips from the beginning if, soon after touch, it would be deflected by more than its limit. Of
/// laws that push as elastic ones do both grow as the indentation; where a viscous force is larger at first, the
/// limit is, too, and the spring sticks.
/// Born at rest, it sticks: slip is an error there.
bool slips_from_touch(const ContactMode& c, double slip_mps, double speed_error_mps) {
  if (!c.friction.row || c.friction.row->memory != contact::FrictionMemory::contact_spring) return false;
  if (!(c.approach_mps > speed_error_mps)) return slip_mps > speed_error_mps;
  constexpr double kSoon = 1e-6;
  const double depth_m = kSoon * c.depth_scale_m;
  const double stiffness = contact::elastic_slope_Npm(c.law.elastic, depth_m),
               elastic_N = contact::elastic_force_N(c.law.elastic, depth_m),
               normal_N = contact::force_parts(c.law.unruled(), {depth_m, c.approach_mps, c.deepest_m}).total_N;
  const double deflection_m = slip_mps * elastic_N / (stiffness * c.approach_mps);  // T' = k_t v, k_t as the depth
  return deflection_m > contact::slip_limit_m(c.friction, normal_N, stiffness);
}

/// `e` is still without the forces of the contacts that begin now.
void begin_contact(Effect& f, const Evaluation& e, const Touch& touch) {
  const Model& model = f.model;
  Modes& modes = f.state.modes;
  const model::ContactKind& kind = model.kind_of(touch.pair);
  const model::Contact& entry = model.contacts[at(kind.contact)];
  geometry::Feature feature = touch.spot.feature;
  if (kind.features == geometry::Features::followed)
    if (const auto now = find_feature(model, e.motions, touch.pair, touch.spot.number, f.workspace.spots))
      feature = *now;
  const Approach a = approach_at(model, e.motions, feature);
  const model::PairLaw law = model.law_of(touch.pair);
  ContactMode c;
  c.pair = touch.pair;
  c.spot = touch.spot.number;
  c.feature = feature;
  c.base_m = touch.base_m;
  c.mass_kg = effective_mass_kg(model, modes, e, a);
  c.load_mps2 = depth_acceleration(model, e, a);
  c.touch_s = c.changed_s = f.state.t_s;
  c.approach_mps = a.rate_mps > 0 ? a.rate_mps : 0.0;
  const double at_rest_mps =
      contact::rest_speed_mps(contact::latch(law.spec, c.mass_kg, 1.0), c.mass_kg, c.load_mps2);
  const double least_mps =
      entry.rest_speed_mps < 0 ? contact::least_law_speed_mps(at_rest_mps) : entry.rest_speed_mps;
  double v = contact::law_speed_mps(entry.law_speed, {c.mass_kg, c.approach_mps, least_mps});
  if (!(v > 0)) {
    v = f.state.control.speed_scale_mps;
    f.watchers.warn({"no-law-speed", entry.name,
                     "contact \"" + entry.name +
                         "\" begins without approach and without load; its law is calibrated with " +
                         text_of(v, 3) + " m/s, the largest speed in the scene (rest_speed sets another)"});
  }
  c.law_speed_mps = v;
  c.law = contact::latch(law.spec, c.mass_kg, v, c.approach_mps);
  c.friction = law.friction;
  if (const auto known = modes.overlaps.find(c.key()); known != modes.overlaps.end()) {
    c.deepest_m = known->second.deepest_m;
    modes.overlaps.erase(known);
  }
  if (const double depth = a.depth_m - c.base_m; depth > 0 && !(a.rate_mps > 0)) {  // it begins on its way out
    c.loading = false;
    if (contact::has_memory(c.law)) c.deepest_m = std::max(c.deepest_m, depth);
  }
  // under its load it becomes as deep as from this speed; a speed below the error allowed is not known
  const Control& control = f.state.control;
  const double size_mps = std::max({c.approach_mps, at_rest_mps, f.settings.tolerance * control.speed_scale_mps});
  const double energy = c.mass_kg * size_mps * size_mps / 2;
  const double depth_scale = contact::depth_of_energy_m(c.law.elastic, energy);
  c.depth_scale_m =
      std::isfinite(depth_scale) && depth_scale > 0 && !law.spec.user_law ? depth_scale : 1e-3 * model.length_m;
  c.free_time_s = 3 * c.depth_scale_m / size_mps;
  c.still_mps = std::max(f.settings.tolerance * size_mps, kStillOfScene * control.speed_scale_mps);
  const double slip = norm(slip_mps(e.motions, a));
  const double speed_error_mps = f.settings.tolerance * control.speed_scale_mps;
  c.creeps = creeps(c, slip, speed_error_mps);
  c.slipping = slips_from_touch(c, slip, speed_error_mps);
  c.id = modes.touches++;
  f.watchers.event({model, f.state.t_s, EventKind::touch, modes, e.motions, &c, &e});
  const double first_step = c.free_time_s / 3 * smooth_share(f.settings);
  f.first_step_s = f.first_step_s > 0 ? std::min(f.first_step_s, first_step) : first_step;
  const auto place = std::ranges::upper_bound(modes.contacts, c.key(), {}, &ContactMode::key);
  modes.contacts.insert(place, std::move(c));
}

/// A point that begins, or goes on in the place of another, on its way out: where its law would pull, its force has
/// ended from the beginning. (Events look for the change of sign.)
void end_force_that_pulls(Effect& f, const ContactKey& key) {
  const std::vector<ContactMode>& contacts = f.state.modes.contacts;
  const auto c = std::ranges::find(contacts, key, &ContactMode::key);
  if (c->mode != Mode::pushing || c->law.pulls() || contact::has_memory(c->law) ||
      std::holds_alternative<contact::Dry<>>(c->law.shape))
    return;
  if (raw_force_N(*c, approach_of(f.model, f.placed(), *c, f.workspace.spots)) < 0)
    end_force(f, static_cast<std::size_t>(c - contacts.begin()));
}

}  // namespace

void begin_contacts(Effect& f, std::span<const Touch> touches) {
  if (touches.empty()) return;
  const Evaluation& e = f.evaluated();
  for (const Touch& touch : touches) begin_contact(f, e, touch);
  lay_out_memories(f.model, f.state.modes, f.state.y);
  for (const Touch& touch : touches)
    end_force_that_pulls(f, {touch.pair.first, touch.pair.second, touch.spot.number});
  f.restarts = true;
}

void begin_contacts(Effect& f, std::span<const Touch> touches, const std::map<ContactKey, Vec3>& memories) {
  begin_contacts(f, touches);
  for (const ContactMode& c : f.state.modes.contacts) {
    const auto known = memories.find(c.key());
    if (known == memories.end() || c.memory_at < 0) continue;
    double* z = &f.state.y[at(c.memory_at)];
    z[0] = known->second.x, z[1] = known->second.y, z[2] = known->second.z;
  }
}

std::vector<Touch> overlapping_points(const Effect& f) {
  const model::Motions& motions = f.placed();
  std::vector<geometry::Spot> spots;
  std::vector<Touch> touches;
  for (const ContactPair& pair : f.broad_phase.near(motions, motions, 0)) {
    const model::Contact& contact = f.model.contact_of(pair);
    if (contact.impulsive || !is_on(f.state.modes, contact.switch_index)) continue;
    find_spots(f.model, motions, pair, 1e-9 * f.model.length_m, spots);
    for (const geometry::Spot& spot : spots)
      if (approach_at(f.model, motions, spot.feature).depth_m > 0) touches.push_back({f.state.t_s, pair, spot, 0});
  }
  return touches;
}

void leave_contact(Effect& f, std::size_t i) {
  Modes& modes = f.state.modes;
  const ContactMode& c = modes.contacts[i];
  const ContactKey key = c.key();
  const contact::KeptIndentation kept = contact::kept_indentation(c.law, c.deepest_m);
  if (f.model.contact_of(c.pair).persistent)
    modes.overlaps[key] = {kept.permanent_m, kept.deepest_m, true};
  else if (c.base_m > 0)
    modes.overlaps[key] = {c.base_m, 0, false};
  modes.contacts.erase(modes.contacts.begin() + static_cast<std::ptrdiff_t>(i));
  lay_out_memories(f.model, modes, f.state.y);
  f.restarts = true;
}

namespace {

constexpr double kStill = 1e-10;  // of the largest speed: no rate
// of the noise that an event waits for: those that are drawn as far as the one of the event move with it
constexpr double kSurely = 0.1;

/// Which contacts under dry laws hold from here on and which move: all that stand still are decided together, since
/// what one gives the others need not. Held, each has the force in its band that keeps it still; those at an edge
/// of it that would be drawn beyond move. (One by one, redundant contacts take turns in holding without end.)
void settle_dry(Effect& f, std::size_t of_event, bool slips) {
  std::vector<ContactMode>& contacts = f.state.modes.contacts;
  std::vector<std::size_t> still;
  const model::Motions& motions = f.placed();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    ContactMode& c = contacts[i];
    if (!std::holds_alternative<contact::Dry<>>(c.law.shape) || c.mode == Mode::coasting) continue;
    const double rate = approach_at(f.model, motions, c.feature, c.base_m).rate_mps;
    if (i != of_event && c.mode != Mode::holding && std::abs(rate) > kStill * f.state.control.speed_scale_mps)
      continue;
    c.mode = Mode::holding;
    still.push_back(i);
  }
  const Evaluation& e = f.evaluated();
  std::vector<std::size_t> moving;
  for (const std::size_t i : still) {
    contacts[i].changed_s = f.state.t_s;
    const Beyond beyond = beyond_band(f.model, f.state.modes, e, i);
    if (beyond.force_N > kSurely * beyond.noise_N) moving.push_back(i);
  }
  if (moving.empty() && slips) moving.push_back(of_event);  // it alone could not be held any more
  for (const std::size_t i : moving) {
    const HeldBand band = held_band_N(contacts[i], e.contacts[i].approach.depth_m);
    contacts[i].loading = e.contacts[i].force.total_N > (band.low + band.high) / 2 ||
                          (band.high == 0 && depth_acceleration(f.model, e, e.contacts[i].approach) > 0);
  }
  for (const std::size_t i : moving) contacts[i].mode = Mode::pushing;
}

}  // namespace

void compress_most(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  const double depth = depth_of(f, i);
  if (c.loading) c.deepest_m = std::max(c.deepest_m, depth);
  c.loading = !c.loading;
  f.first_step_s = std::max(f.last_step_s / 4, 1e-6 * c.free_time_s);
  if (std::holds_alternative<contact::Dry<>>(c.law.shape)) settle_dry(f, i, false);
  tell(f, EventKind::maximum_compression, c);
  f.restarts = true;
}

void begin_stick(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  c.slipping = false;
  double* z = &f.state.y[at(c.memory_at)];
  for (int k = 0; k < 3; ++k) z[k] *= 1 - 1e-9;  // inside of its limit
  f.first_step_s = f.last_step_s / 2;
  tell(f, EventKind::stick, c);
  f.restarts = true;
}

void begin_slip(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  const bool is_spring = c.mode == Mode::pushing;
  if (is_spring)
    c.slipping = true;
  else
    settle_dry(f, i, true);
  // of a spring no force jumps; after events at one time the last step is nothing
  f.first_step_s = std::max(f.last_step_s / (is_spring ? 2 : 10), 1e-6 * c.free_time_s);
  tell(f, EventKind::slip, c);
  f.restarts = true;
}

void load_again(Effect& f, std::size_t i) {
  f.first_step_s = f.last_step_s / 4;
  tell(f, EventKind::reload, f.state.modes.contacts[i]);
  f.restarts = true;
}

void end_force(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  tell(f, EventKind::force_ends, c);
  c.mode = Mode::coasting;
  f.restarts = true;
}

void return_force(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  c.mode = Mode::pushing;
  c.loading = true;
  tell(f, EventKind::force_returns, c);
  f.first_step_s = f.last_step_s / 10;
  f.restarts = true;
}

void separate(Effect& f, std::size_t i) {
  tell(f, EventKind::separation, f.state.modes.contacts[i]);
  leave_contact(f, i);
}

namespace {

constexpr double kSameRegion = 0.5;  // cosine between the normals of a point and the one that goes on in its place
constexpr double kSamePlace = 10;    // of their depths: how far apart the two may be

/// A point that can go on in the place of another.
struct Successor {
  geometry::Spot spot;
  bool is_corner = false;
  double cosine = 0, depth_m = 0;
};

/// Those that exist where a contact point of convex bodies ends; the best first: corners before edges, then the one
/// whose normal is nearest (ties of rounding: the lower number).
std::vector<Successor> successors_of(Effect& f, const ContactMode& c, const model::Motions& motions) {
  constexpr double kTie = 1e-9;
  const geometry::Surface &a = f.model.surfaces[at(c.pair.first)], &b = f.model.surfaces[at(c.pair.second)];
  const geometry::ConvexPair pair(a, b, motions[at(a.body)], motions[at(b.body)]);
  const geometry::ConvexPoint ended = geometry::point_of(*a.convex, *b.convex, c.spot);
  const geometry::ConvexPair::Now before = pair.look(ended);
  const Vec3 place = pair.place(ended);
  std::vector<geometry::ConvexPoint> points;
  geometry::add_neighbours(*a.convex, *b.convex, ended, points);
  std::vector<Successor> out;
  for (const geometry::ConvexPoint& point : points) {
    const int number = geometry::number_of(*a.convex, *b.convex, point);
    const geometry::ConvexPair::Now now = pair.look(point);
    if (!(now.margin_m > 0) || !(now.gap_m < 0) || is_touching(f.state.modes, c.pair, number)) continue;
    const double cosine = dot(now.normal, before.normal);
    if (cosine < kSameRegion || norm(pair.place(point) - place) > kSamePlace * (std::abs(before.gap_m) - now.gap_m))
      continue;
    if (std::ranges::none_of(out, [&](const Successor& s) { return s.spot.number == number; }))
      out.push_back({{number, pair.feature(point)},
                     point.kind != geometry::ConvexPoint::Kind::edges,
                     std::round(cosine / kTie) * kTie,
                     -now.gap_m});
  }
  std::ranges::sort(out, [](const Successor& x, const Successor& y) {
    if (x.is_corner != y.is_corner) return x.is_corner;
    return x.cosine != y.cosine ? x.cosine > y.cosine : x.spot.number < y.spot.number;
  });
  return out;
}

/// The episode goes on at another point with the indentation it has: force and stored energy are continuous. What
/// else has come into being there pushes from its overlap on. True: there is such a point.
bool hand_over(Effect& f, std::size_t i) {
  Modes& modes = f.state.modes;
  const ContactMode ended = modes.contacts[i];
  const model::Motions& motions = f.placed();
  const std::vector<Successor> next = successors_of(f, ended, motions);
  if (next.empty()) return false;
  const double indentation_m = approach_at(f.model, motions, ended.feature, ended.base_m).depth_m;
  for (std::size_t k = 1; k < next.size(); ++k)
    modes.overlaps.try_emplace({ended.pair.first, ended.pair.second, next[k].spot.number},
                               Overlap{next[k].depth_m, 0, false});
  ContactMode c = ended;
  c.spot = next[0].spot.number;
  c.feature = next[0].spot.feature;
  c.base_m = approach_at(f.model, motions, c.feature).depth_m - indentation_m;
  c.changed_s = f.state.t_s;
  modes.overlaps.erase(c.key());
  modes.contacts.erase(modes.contacts.begin() + static_cast<std::ptrdiff_t>(i));
  modes.contacts.insert(std::ranges::upper_bound(modes.contacts, c.key(), {}, &ContactMode::key), c);
  lay_out_memories(f.model, modes, f.state.y);
  tell(f, EventKind::handover, c);
  end_force_that_pulls(f, c.key());
  f.first_step_s = f.last_step_s / 4;
  f.restarts = true;
  return true;
}

/// What it has stored is gone with it: said where that is worth a word.
void warn_of_loss(Effect& f, const ContactMode& c, double depth_m) {
  constexpr double kWorthSaying = 1e-3;  // of the kinetic energy
  if (c.mode == Mode::coasting) return;
  const double stored_J = stored_in_contact_J(c, std::max(depth_m, 0.0));
  if (!(stored_J > kWorthSaying * model::kinetic_J(f.model, f.state.y))) return;
  const std::string& name = f.model.contact_of(c.pair).name;
  f.watchers.warn(
      {"point-lost", name,
       "contact \"" + name +
           "\": a contact point ended under load (a corner slid off its face) at t = " + text_of(f.state.t_s, 6) +
           " s; the " + text_of(stored_J, 3) + " J stored in its indentation count as lost in contacts"});
}

}  // namespace

void drop_contact(Effect& f, int contact) {
  std::vector<ContactMode>& contacts = f.state.modes.contacts;
  for (std::size_t i = contacts.size(); i-- > 0;) {
    if (f.model.kind_of(contacts[i].pair).contact != contact) continue;
    ContactMode& c = contacts[i];
    if (c.mode != Mode::coasting && contact::has_memory(c.law)) c.deepest_m = std::max(c.deepest_m, depth_of(f, i));
    tell(f, EventKind::loss, c);
    leave_contact(f, i);
  }
}

void lose(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  if (c.mode == Mode::resting) return open_rest(f, i);
  if (f.model.kind_of(c.pair).features == geometry::Features::kept && hand_over(f, i)) return;
  if (c.mode != Mode::coasting && contact::has_memory(c.law)) c.deepest_m = std::max(c.deepest_m, depth_of(f, i));
  warn_of_loss(f, c, depth_of(f, i));
  tell(f, EventKind::loss, c);
  leave_contact(f, i);
}

}  // namespace percuss::dynamics
