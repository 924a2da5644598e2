// Contact episodes: how they begin and end, and what their records say.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/run.h"
#include "percuss/impact/impact.h"
#include "percuss/impact/validity.h"
#include "percuss/ode/root.h"

namespace percuss::dynamics {

using Mode = ContactState::Mode;

namespace {
constexpr double kNoSpeed = 1e-6;  // of the largest speed: surfaces that meet slower than this just touch
constexpr double kAtRest = 0.01;   // of the speed of rest: slower ones under load have no restitution
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
  s.record = record_of(s.pair, s.spot);
  s.record.touch_s = s.record.peak_s = state_.t_s;
  s.record.approach_mps = v0;
  s.record.law_speed_mps = v;
  s.record.mass_kg = mass;
  s.record.load_mps2 = load;
  s.record.gravity_mps2 = by_gravity;
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
  s.number = out_.impact_count;
  keep(r);
}

recording::Impact Run::record_of(const model::ContactPair& pair, int spot) const {
  const model::ContactKind& kind = equations_.kind_of(pair);
  recording::Impact r;
  r.contact = kind.contact;
  r.body_a = model_.surfaces[at(pair.first)].body;
  r.body_b = model_.surfaces[at(pair.second)].body;
  r.spot = spot;
  r.wanted = kind.spec.restitution;
  return r;
}

void Run::keep(const recording::Impact& record) {
  ++out_.impact_count;
  if (out_.impacts.size() < options_.most_impacts_kept) out_.impacts.push_back(record);
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
