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
constexpr int kPartsApart = 8, kPartsTouching = 4;  // places in a step at which a contact is looked at
}  // namespace

/// What rounding leaves uncertain of the gap of a contact: 16 last digits of the places of its bodies.
double Run::rounding_m(std::size_t i) const {
  const model::Contact& c = model_.contacts[i];
  const double far = std::max({norm(equations_.motions()[at(c.body_a)].p_m),
                               norm(equations_.motions()[at(c.body_b)].p_m), model_.length_m});
  return 16 * std::numeric_limits<double>::epsilon() * far;
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
        t0, t1, s.mode == Mode::apart ? kPartsApart : kPartsTouching);
  };
  const auto falls_below = [&](double level) {
    return first_rise(
        [&, level](double t) {
          const Approach a = approach_at(i, t);
          return ValueAndRate{level - a.depth_m, -a.rate_mps};
        },
        t0, t1, kPartsTouching);
  };
  // an overlap of a few last digits is no overlap: surfaces that just touch neither part nor push by rounding
  const double noise_m = rounding_m(i);
  const auto force_changes = [&](bool rising, bool falling) {
    const auto raw = [&](double t) {
      const Approach a = approach_at(i, t);
      if (a.depth_m > noise_m) return equations_.raw_force_N(i, a);
      return rising ? -1.0 : 1.0;
    };
    return first_sign_change(raw, t0, t1, kPartsTouching, rising, falling);
  };
  const double parts_at_m = s.record.max_depth_m > noise_m ? 0 : -noise_m;
  if (s.mode == Mode::apart) {
    const Approach begin = approach_at(i, t0), end = approach_at(i, t1);
    const double gap = -std::max(begin.depth_m, end.depth_m) + s.kept_m;
    if (gap > 3 * (t1 - t0) * (std::abs(begin.rate_mps) + std::abs(end.rate_mps))) return std::nullopt;
    offer(rises_above(s.kept_m), What::touch);
    return first;
  }
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
      if (t != t0) solver_->interpolate(t, scratch_y_);
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

/// Deepest point and largest force on [t0, t1] of a contact in touch, from the dense output.
void Run::note_passage(std::size_t i, double t0, double t1) {
  ContactState& s = state_.contacts[i];
  if (s.mode != Mode::pushing) return;
  recording::Impact& r = s.record;
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
  const double given = model_.contacts[i].rest_speed_mps;
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

void Run::begin_episode(std::size_t i) {
  ContactState& s = state_.contacts[i];
  const model::Contact& c = model_.contacts[i];
  equations_.evaluate(state_.t_s, state_.y);  // still without the force of this contact
  const Approach a = equations_.approach(i);
  const double mass = equations_.effective_mass_kg(i, a);
  const double load = equations_.depth_acceleration(a, i);
  const double v0 = std::max(a.rate_mps, 0.0);
  const contact::Law at_rest = contact::latch(c.spec, mass, 1.0);
  double v = std::max(v0, rest_speed_mps(i, at_rest, load, mass));
  if (!(v > 0)) {
    v = speed_scale_mps_;
    warn_once("contact \"" + c.name + "\" begins without approach and without load; its law is calibrated with " +
              text_of(v, 3) + " m/s, the largest speed in the scene (rest_speed sets another)");
  }
  const double deepest = c.persistent ? s.deepest_m : 0;
  s.law = s.raw_law = contact::latch(c.spec, mass, v);
  s.raw_law.release = contact::Release::zero_depth;
  s.mode = Mode::pushing;
  s.loading = true;
  s.deepest_m = deepest;
  s.plastic_at_touch_J = contact::plastic_energy_J(s.law, deepest);
  s.plastic_base_J -= s.plastic_at_touch_J;
  const double energy = mass * v * v / 2;
  const double depth_scale = contact::depth_of_energy_m(s.law.elastic, energy);
  s.depth_scale_m =
      std::isfinite(depth_scale) && depth_scale > 0 && !c.spec.user_law ? depth_scale : 1e-3 * model_.length_m;
  s.record = {};
  s.record.contact = static_cast<int>(i);
  s.record.touch_s = s.record.peak_s = state_.t_s;
  s.record.approach_mps = v0;
  s.record.law_speed_mps = v;
  s.record.mass_kg = mass;
  s.record.wanted = c.spec.restitution;
  const std::span<const double> z = std::span(state_.y).subspan(at(model_.position_count + model_.velocity_count));
  s.dissipated_at_touch_J = z[at(c.dissipated_at)];
  s.impulse_at_touch_Ns = z[at(c.impulse_at)];
  s.other_at_touch_J = z[at(c.other_work_at)];
  s.number = -1;
  h_guess_s_ = smooth_start_s(s);
}

/// The record as it stands now: at release, or at the end of the run.
void Run::close_record(std::size_t i) {
  ContactState& s = state_.contacts[i];
  const model::Contact& c = model_.contacts[i];
  recording::Impact& r = s.record;
  equations_.evaluate_motion(state_.t_s, state_.y);
  const Approach a = equations_.approach(i);
  const std::span<const double> z = std::span(state_.y).subspan(at(model_.position_count + model_.velocity_count));
  const double depth = std::max(a.depth_m, 0.0), deepest = std::max(depth, s.deepest_m);
  r.release_s = state_.t_s;
  r.separation_mps = -a.rate_mps;
  r.impulse_Ns = z[at(c.impulse_at)] - s.impulse_at_touch_Ns;
  r.residual_depth_m = contact::residual_depth_m(s.law, deepest);
  const double stored = contact::stored_energy_J(s.law, depth, deepest);
  r.lost_J = z[at(c.dissipated_at)] - s.dissipated_at_touch_J + contact::plastic_energy_J(s.law, deepest) -
             s.plastic_at_touch_J + (r.released ? stored : 0) + s.given_up_J;
  const double other = z[at(c.other_work_at)] - s.other_at_touch_J;
  const bool has_speed = r.approach_mps > kNoSpeed * speed_scale_mps_ && r.released;
  if (has_speed) r.delivered = r.separation_mps / r.approach_mps;
  const double energy = r.mass_kg * r.approach_mps * r.approach_mps / 2;
  if (has_speed) {
    const Result<impact::Outcome> free = impact::collide({s.law, r.mass_kg, r.approach_mps}, impact::Times::none);
    if (free) {
      const double wanted = r.wanted.value_or(free->restitution);
      r.free = free->restitution;
      r.bias = r.free * r.free - wanted * wanted;
      r.extra_dissipation = -(r.lost_J - energy * (1 - r.free * r.free)) / energy;
      r.other_work = other / energy;
      r.remainder = *r.delivered * *r.delivered - wanted * wanted - (r.bias + r.extra_dissipation + r.other_work);
    }
    if (free && c.spec.user_law && r.free > 1 + 1e-9)
      warn_once("contact \"" + c.name + "\": the law creates energy: it returns " + text_of(r.free, 6) +
                " of the approach speed");
  }
  {
    impact::Outcome outcome;
    outcome.restitution = has_speed ? r.free : r.wanted.value_or(0);
    outcome.max_depth_m = r.max_depth_m;
    outcome.max_force_N = r.max_force_N;
    for (const std::string& text :
         impact::warnings(c.spec, {s.law, r.mass_kg, r.approach_mps}, outcome,
                          {c.young_Pa, c.density_kgpm3, std::isfinite(c.radius_m) ? c.radius_m : 0}))
      warn_once("contact \"" + c.name + "\": " + text);
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

/// The surfaces are apart again: the spot is fresh, unless its memory persists.
void Run::leave(std::size_t i) {
  ContactState& s = state_.contacts[i];
  stream(s.record);
  s.plastic_base_J += contact::plastic_energy_J(s.law, s.deepest_m) + s.given_up_J;
  s.given_up_J = 0;
  s.mode = Mode::apart;
  if (model_.contacts[i].persistent) {
    s.kept_m = contact::residual_depth_m(s.law, s.deepest_m);
  } else {
    s.deepest_m = s.kept_m = 0;
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
