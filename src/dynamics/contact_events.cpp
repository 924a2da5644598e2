// What happens to contacts in touch: turns, slips, releases, and the greatest depth and force on the way.
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/dynamics/crossing.h"
#include "percuss/dynamics/run.h"

namespace percuss::dynamics {

using Mode = ContactState::Mode;

namespace {
constexpr int kPartsTouching = 4;  // places in a step at which a contact is looked at
constexpr int kPartsResting = 2;
constexpr int kPeakBits = 18;  // of the place of the largest force; its value is exact to twice as many
}  // namespace

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
  if (s.mode == Mode::resting) {
    offer(first_sign_change([&](double t) { return pressing(i, t); }, t0, t1, kPartsResting, false, true),
          What::opens);
    return first;
  }
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
    offer(falls_below(residual - noise_m), What::force_ends);  // not where it grazes its dent
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
  const double width = (t1 - t0) / kPartsTouching;
  const auto force = [&](double t) { return equations_.contact_force(i, approach_at(i, t)).total_N; };
  const bool still_rising = t_best == t1 && force(t1 - 0.01 * width) < f_best,
             fell_from_the_start = t_best == t0 && force(t0 + 0.01 * width) < f_best;
  if (f_best > 0.98 * r.max_force_N && !still_rising && !fell_from_the_start) {
    const double from = std::max(t0, t_best - width), to = std::min(t1, t_best + width);
    std::uintmax_t most = 60;
    const auto low = boost::math::tools::brent_find_minima(  // in parts of the way: bits are relative to the place
        [&](double part) { return -force(from + part * (to - from)); }, 0.0, 1.0, kPeakBits, most);
    f_best = std::max(f_best, -low.second);
  }
  r.max_force_N = std::max(r.max_force_N, f_best);
}

void Run::apply(const Hit& hit) {
  const double last_step = std::max(solver_->t() - solver_->t_old(), 0.0);
  if (hit.what == What::touch) {  // and all others at this instant
    bool strikes = false;
    for (const Touch& touch : touches_) {
      if (touch.t_s > hit.t_s) continue;
      if (model_.contacts[at(equations_.kind_of(touch.pair).contact)].percussion)
        strikes = true;
      else
        begin_episode(touch);
    }
    if (strikes) strike();
    return;
  }
  if (hit.what == What::opens || state_.contacts[hit.index].mode == Mode::resting) {
    equations_.evaluate(state_.t_s, state_.y);
    const ContactState opened = state_.contacts[hit.index];
    return settle_rest(percussion_points(), state_.t_s, &opened);
  }
  ContactState& s = state_.contacts[hit.index];
  switch (hit.what) {
    case What::turn: {
      equations_.evaluate_motion(state_.t_s, state_.y);
      const double depth = equations_.approach(hit.index).depth_m;
      if (s.loading) s.deepest_m = std::max(s.deepest_m, depth);
      s.loading = !s.loading;
      h_guess_s_ = last_step / 4;
      if (std::holds_alternative<contact::Dry<>>(
              s.law.shape)) {  // would it turn back at once? then friction holds it
        equations_.evaluate(state_.t_s, state_.y);
        const double turns = equations_.depth_acceleration(equations_.approach(hit.index));
        if (s.loading ? turns < 0 : turns > 0) s.mode = Mode::holding;
      }
      break;
    }
    case What::sticks: {
      s.slipping = false;
      double* z = &state_.y[equations_.memory_at(hit.index)];
      for (int k = 0; k < 3; ++k) z[k] *= 1 - 1e-9;  // inside of its limit
      h_guess_s_ = last_step / 10;
      break;
    }
    case What::slips: {
      if (s.mode == Mode::pushing) {
        s.slipping = true;
        h_guess_s_ = last_step / 10;
        break;
      }
      equations_.evaluate(state_.t_s, state_.y);
      const double f = contact::elastic_force_N(s.law.elastic, equations_.approach(hit.index).depth_m);
      s.loading = equations_.held_force_N(hit.index) > f;
      s.mode = Mode::pushing;
      h_guess_s_ = last_step / 10;
      break;
    }
    case What::reload: h_guess_s_ = last_step / 4; break;
    case What::force_ends:
      s.record.released = true;
      close_record(hit.index);
      s.given_up_J += stored_in_J(hit.index);
      s.mode = Mode::coasting;
      break;
    case What::force_returns:
      s.record.released = false;
      s.record.delivered.reset();
      s.mode = Mode::pushing;
      s.given_up_J -= stored_in_J(hit.index);
      s.loading = true;
      h_guess_s_ = last_step / 10;
      break;
    case What::release:
      if (s.mode == Mode::pushing) {
        s.record.released = true;
        close_record(hit.index);
      }
      leave(hit.index);
      break;
    case What::lost:
      if (s.mode != Mode::coasting) {
        equations_.evaluate_motion(state_.t_s, state_.y);
        if (contact::has_memory(s.law)) s.deepest_m = std::max(s.deepest_m, equations_.approach(hit.index).depth_m);
        s.record.released = s.is_lost = true;
        close_record(hit.index);
        s.given_up_J += stored_in_J(hit.index);
      }
      leave(hit.index);
      break;
    case What::touch:
    case What::opens:
    case What::user: break;  // settle_events
  }
}
}  // namespace percuss::dynamics
