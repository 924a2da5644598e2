// How contacts begin, change and end.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/energy.h"
#include "percuss/dynamics/events/effects.h"

namespace percuss::dynamics {

using Mode = ContactMode::Mode;

double Effect::stored_J() const {
  place(model, state.t_s, state.y, state.modes, workspace, workspace.result);
  return stored_energy(model, state.y, state.modes, workspace.result, workspace).of_motion_J();
}

double smooth_share(const Settings& settings) { return std::pow(settings.tolerance, 2.0 / 7); }

namespace {

void tell(const Effect& f, EventKind kind, const ContactMode& contact) {
  f.watchers.event({f.model, f.state.t_s, kind, f.state.modes, f.placed(), &contact});
}

double depth_of(const Effect& f, std::size_t contact) {
  return approach_of(f.model, f.placed(), f.state.modes.contacts[contact], f.workspace.spots).depth_m;
}

}  // namespace

namespace {

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
  double least_mps = entry.rest_speed_mps;
  if (least_mps < 0)
    least_mps = contact::least_law_speed_mps(contact::latch(law.spec, c.mass_kg, 1.0), c.mass_kg, c.load_mps2);
  double v = contact::law_speed_mps(entry.law_speed, {c.mass_kg, c.approach_mps, least_mps});
  if (!(v > 0)) {
    v = f.state.control.speed_scale_mps;
    f.watchers.warn({"no-law-speed", entry.name,
                     "contact \"" + entry.name +
                         "\" begins without approach and without load; its law is calibrated with " +
                         text_of(v, 3) + " m/s, the largest speed in the scene (rest_speed sets another)"});
  }
  c.law_speed_mps = v;
  c.law = contact::latch(law.spec, c.mass_kg, v);
  c.friction = law.friction;
  if (const auto known = modes.overlaps.find(c.key()); known != modes.overlaps.end()) {
    c.deepest_m = known->second.deepest_m;
    modes.overlaps.erase(known);
  }
  if (const double depth = a.depth_m - c.base_m; depth > 0 && !(a.rate_mps > 0)) {  // it begins on its way out
    c.loading = false;
    if (contact::has_memory(c.law)) c.deepest_m = std::max(c.deepest_m, depth);
  }
  const double energy = c.mass_kg * v * v / 2;
  const double depth_scale = contact::depth_of_energy_m(c.law.elastic, energy);
  c.depth_scale_m =
      std::isfinite(depth_scale) && depth_scale > 0 && !law.spec.user_law ? depth_scale : 1e-3 * model.length_m;
  c.free_time_s = 3 * c.depth_scale_m / v;
  if (c.friction.row && c.friction.row->memory == contact::FrictionMemory::contact_spring)
    c.slipping = norm(slip_mps(e.motions, a)) * c.friction.parameter[0] > c.friction.coefficient * c.approach_mps;
  c.id = modes.touches++;
  f.watchers.event({model, f.state.t_s, EventKind::touch, modes, e.motions, &c, &e});
  const double first_step = c.depth_scale_m / c.law_speed_mps * smooth_share(f.settings);
  f.first_step_s = f.first_step_s > 0 ? std::min(f.first_step_s, first_step) : first_step;
  const auto place = std::ranges::upper_bound(modes.contacts, c.key(), {}, &ContactMode::key);
  modes.contacts.insert(place, std::move(c));
}

}  // namespace

void begin_contacts(Effect& f, std::span<const Touch> touches) {
  if (touches.empty()) return;
  const Evaluation& e = f.evaluated();
  for (const Touch& touch : touches) begin_contact(f, e, touch);
  lay_out_memories(f.model, f.state.modes, f.state.y);
  f.restarts = true;
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

void compress_most(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  const double depth = depth_of(f, i);
  if (c.loading) c.deepest_m = std::max(c.deepest_m, depth);
  c.loading = !c.loading;
  f.first_step_s = f.last_step_s / 4;
  if (std::holds_alternative<contact::Dry<>>(c.law.shape)) {  // would it turn back at once? then friction holds it
    const Evaluation& e = f.evaluated();
    const double turns = depth_acceleration(f.model, e, e.contacts[i].approach);
    if (c.loading ? turns < 0 : turns > 0) c.mode = Mode::holding;
  }
  tell(f, EventKind::maximum_compression, c);
  f.restarts = true;
}

void begin_stick(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  c.slipping = false;
  double* z = &f.state.y[at(c.memory_at)];
  for (int k = 0; k < 3; ++k) z[k] *= 1 - 1e-9;  // inside of its limit
  f.first_step_s = f.last_step_s / 10;
  tell(f, EventKind::stick, c);
  f.restarts = true;
}

void begin_slip(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  if (c.mode == Mode::pushing) {
    c.slipping = true;
  } else {
    const Evaluation& e = f.evaluated();
    c.loading =
        e.contacts[i].force.total_N > contact::elastic_force_N(c.law.elastic, e.contacts[i].approach.depth_m);
    c.mode = Mode::pushing;
  }
  f.first_step_s = f.last_step_s / 10;
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

void lose(Effect& f, std::size_t i) {
  ContactMode& c = f.state.modes.contacts[i];
  if (c.mode == Mode::resting) return open_rest(f, i);
  if (c.mode != Mode::coasting && contact::has_memory(c.law)) c.deepest_m = std::max(c.deepest_m, depth_of(f, i));
  tell(f, EventKind::loss, c);
  leave_contact(f, i);
}

}  // namespace percuss::dynamics
