// Records: opened at touch, completed along the way, closed at separation.
#include "percuss/dynamics/observers/impacts.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/collision/rigid_rules.h"
#include "percuss/dynamics/response.h"
#include "percuss/impact/impact.h"
#include "percuss/impact/validity.h"
#include "percuss/ode/root.h"

namespace percuss::dynamics {

using Mode = ContactMode::Mode;

namespace {
constexpr double kNoSpeed = 1e-6;  // of the largest speed: surfaces that meet slower than this just touch
// A contact that takes longer than this many isolated collisions of its law is lasting: it has no restitution.
constexpr double kLasting = 3;
// A kinematic restitution needs an approach: at least this part of the speed that alone would press it as deep.
constexpr double kLeastApproach = 0.01;
constexpr int kLooks = 4;      // places in a step at which a contact is looked at
constexpr int kPeakBits = 18;  // of the place of the largest force; its value is exact to twice as many
}  // namespace

Impacts::Impacts(const Model& model, const Ledger& ledger, const Account* account, std::size_t most_kept)
    : model_(model), ledger_(ledger), account_(account), most_kept_(most_kept), counts_(model.contacts.size(), 0) {}

Impacts::Open* Impacts::find(std::int64_t id) {
  const auto found = std::ranges::lower_bound(open_, id, {}, &Open::id);
  return found == open_.end() || found->id != id ? nullptr : &*found;
}

recording::Impact Impacts::record_of(const ContactPair& pair, int spot, double approach_mps) const {
  recording::Impact r;
  r.contact = model_.kind_of(pair).contact;
  r.body_a = model_.surfaces[at(pair.first)].body;
  r.body_b = model_.surfaces[at(pair.second)].body;
  r.point = spot;
  r.prescribed = contact::restitution_at(model_.kind_of(pair).law.spec, approach_mps);
  return r;
}

/// By the floor of the rule `touch`. A fixed speed is what the scene says; a law that does not depend on the speed
/// is the same law.
bool Impacts::is_raised(const ContactMode& c) const {
  return c.mode != Mode::resting && c.law_speed_mps > c.approach_mps &&
         model_.contact_of(c.pair).law_speed.rule == contact::LawSpeed::Rule::touch &&
         contact::depends_on_speed(model_.kind_of(c.pair).law.spec);
}

void Impacts::open(const ContactMode& c, double gravity_mps2) {
  Open o;
  o.id = c.id;
  o.record = record_of(c.pair, c.spot, c.approach_mps);
  o.record.touch_s = o.record.peak_s = c.touch_s;
  o.record.approach_speed_mps = c.approach_mps;
  o.record.law_speed_mps = c.law_speed_mps;
  o.record.law_speed_raised = is_raised(c) ? 1 : 0;
  o.record.effective_mass_kg = c.mass_kg;
  o.record.load_mps2 = c.load_mps2;
  o.record.gravity_mps2 = gravity_mps2;
  open_.insert(std::ranges::upper_bound(open_, c.id, {}, &Open::id), o);
}

void Impacts::begin(const StateView& view) {
  speed_scale_mps_ = view.state.control.speed_scale_mps;
  for (const ContactMode& c : view.state.modes.contacts)  // a run that goes on, with records that begin
    if (!find(c.id)) open(c, 0);
}

void Impacts::step(const StepView& step) {
  for (std::size_t i = 0; i < step.modes.contacts.size(); ++i) {
    const ContactMode& c = step.modes.contacts[i];
    if (c.mode != Mode::pushing && c.mode != Mode::holding) continue;
    Open* o = find(c.id);
    if (!o) continue;
    if (c.mode == Mode::pushing) note_passage(step, i, *o);
    note_work(step, i, *o);
  }
}

/// Does the force of a contact only rise or only fall in a step? The stages stand at places between, and the slope
/// at the higher end tells of a peak close to it: dF/dt = dF/dx x' + dF/dx' x'', with x'' from the rates of
/// approach there and at the stage next to it.
bool Impacts::runs_one_way(const StepView& step, std::size_t i, double f_begin, double f_end) const {
  const ContactMode& c = step.modes.contacts[i];
  if (step.stages().empty() || contact::has_memory(c.law)) return false;
  struct Place {
    double t_s;
    ContactPower now;
    bool operator<(const Place& other) const { return t_s < other.t_s; }
  };
  Place places[16];
  std::size_t count = 0;
  for (std::size_t s = 0; s < step.stages().size() && count < std::size(places); ++s) {
    const Evaluation& e = *step.stages()[s];
    if (step.weights()[s] != 0 && e.t_s > step.t0_s && e.t_s < step.t1_s) places[count++] = {e.t_s, power_of(e, i)};
  }
  const Approach begin = step.path.approach(c, step.t0_s), end = step.path.approach(c, step.t1_s);
  std::sort(places, places + count);
  const bool rises = f_end > f_begin;
  double before = f_begin;
  for (std::size_t k = 0; k < count; ++k) {
    if (rises ? places[k].now.force_N < before : places[k].now.force_N > before) return false;
    before = places[k].now.force_N;
  }
  if (rises ? f_end < before : f_end > before) return false;
  const auto slope = [&](const Approach& a, double t_s, double rate_near_mps, double t_near_s) {
    const contact::ForceSlopes f = contact::force_slopes(c.law, {a.depth_m, a.rate_mps, c.deepest_m});
    const double acceleration = (a.rate_mps - rate_near_mps) / (t_s - t_near_s);
    return f.per_depth_Npm * a.rate_mps + f.per_rate_Nspm * acceleration;
  };
  if (rises)
    return count > 0 ? slope(end, step.t1_s, places[count - 1].now.rate_mps, places[count - 1].t_s) >= 0
                     : slope(end, step.t1_s, begin.rate_mps, step.t0_s) >= 0;
  return count > 0 ? slope(begin, step.t0_s, places[0].now.rate_mps, places[0].t_s) <= 0
                   : slope(begin, step.t0_s, end.rate_mps, step.t1_s) <= 0;
}

/// Deepest point and largest force of a contact in touch, from the dense output.
void Impacts::note_passage(const StepView& step, std::size_t contact, Open& open) const {
  const ContactMode& c = step.modes.contacts[contact];
  recording::Impact& r = open.record;
  const double t0 = step.t0_s, t1 = step.t1_s;
  const auto approach = [&](double t) { return step.path.approach(c, t); };
  const Approach begin = approach(t0), end = approach(t1);
  const double f_begin = law_force(c, begin).total_N, f_end = law_force(c, end).total_N;
  const bool turns = begin.rate_mps > 0 && end.rate_mps <= 0;
  // nothing inside the step can be new where depth and force were greater before, or where the force runs one way
  const bool is_less = std::max(f_begin, f_end) < 0.9 * r.peak_force_N;
  if (!turns && (is_less || runs_one_way(step, contact, f_begin, f_end))) {
    if (end.depth_m > r.peak_indentation_m) r.peak_indentation_m = end.depth_m, r.peak_s = t1;
    if (!is_less) r.peak_force_N = std::max({r.peak_force_N, f_begin, f_end});
    return;
  }
  double t_best = t0, f_best = -1, rate_before = 0, t_before = t0;
  for (int k = 0; k <= kLooks; ++k) {
    const double t = k == kLooks ? t1 : t0 + (t1 - t0) * k / kLooks;
    const Approach a = k == 0 ? begin : k == kLooks ? end : approach(t);
    const double f = law_force(c, a).total_N;
    if (f > f_best) f_best = f, t_best = t;
    if (a.depth_m > r.peak_indentation_m) r.peak_indentation_m = a.depth_m, r.peak_s = t;
    if (k > 0 && rate_before > 0 && a.rate_mps <= 0) {
      const auto rate = [&](double x) { return approach(x).rate_mps; };
      const double turn = ode::locate_root(rate, t_before, t, rate_before, a.rate_mps);
      const double depth = approach(turn).depth_m;
      if (depth >= r.peak_indentation_m) r.peak_indentation_m = depth, r.peak_s = turn;
    }
    rate_before = a.rate_mps;
    t_before = t;
  }
  const double width = (t1 - t0) / kLooks;
  const auto force = [&](double t) { return law_force(c, approach(t)).total_N; };
  const bool still_rising = t_best == t1 && force(t1 - 0.01 * width) < f_best,
             fell_from_the_start = t_best == t0 && force(t0 + 0.01 * width) < f_best;
  if (f_best > 0.98 * r.peak_force_N && !still_rising && !fell_from_the_start) {
    const double from = std::max(t0, t_best - width), to = std::min(t1, t_best + width);
    std::uintmax_t most = 60;
    const auto low = boost::math::tools::brent_find_minima(  // in parts of the way: bits are relative to the place
        [&](double part) { return -force(from + part * (to - from)); }, 0.0, 1.0, kPeakBits, most);
    f_best = std::max(f_best, -low.second);
  }
  r.peak_force_N = std::max(r.peak_force_N, f_best);
}

/// The work of the normal force, in compression and in restitution: a step in which the rate changes sign is
/// divided there.
void Impacts::note_work(const StepView& step, std::size_t i, Open& open) const {
  const ContactMode& c = step.modes.contacts[i];
  recording::Impact& r = open.record;
  const auto work = [&](std::span<const double> weights) {
    double sum = 0;
    for (std::size_t s = 0; s < weights.size(); ++s)
      if (weights[s] != 0) {
        const ContactPower now = power_of(*step.stages()[s], i);
        sum += weights[s] * (now.force_N * now.rate_mps);
      }
    return sum;
  };
  const auto book = [&](double done_J, bool compresses) {
    (compresses ? r.compression_J : r.restitution_J) += compresses ? done_J : -done_J;
  };
  const double all = work(step.weights());
  const double rate_0 = step.path.approach(c, step.t0_s).rate_mps,
               rate_1 = step.path.approach(c, step.t1_s).rate_mps;
  if ((rate_0 > 0) == (rate_1 > 0) || rate_0 == 0 || rate_1 == 0) return book(all, rate_0 + rate_1 > 0);
  const auto rate = [&](double t) { return step.path.approach(c, t).rate_mps; };
  const double turn = ode::locate_root(rate, step.t0_s, step.t1_s, rate_0, rate_1);
  std::vector<double> weights;
  step.weights_to(turn, weights);
  const double first = work(weights);
  book(first, rate_0 > 0);
  book(all - first, rate_1 > 0);
}

namespace {
/// The force returns: the impact is not over.
void forget_restitution(recording::Impact& r) {
  const recording::Impact fresh;
  r.separation_s = fresh.separation_s;
  r.delivered.reset();
  r.energetic.reset();
  for (double recording::Impact::*part :
       {&recording::Impact::isolated, &recording::Impact::bias, &recording::Impact::extra_dissipation,
        &recording::Impact::other_work, &recording::Impact::other_contacts, &recording::Impact::mass_change,
        &recording::Impact::remainder})
    r.*part = fresh.*part;
}
}  // namespace

void Impacts::event(const EventView& event) {
  if (event.kind == EventKind::collision) return add_collision(event);
  if (!event.contact) return;
  const ContactMode& c = *event.contact;
  if (event.kind == EventKind::touch) {
    double gravity = 0;
    if (event.evaluation && c.mode != Mode::resting)
      gravity = depth_acceleration_by_gravity(model_, event.modes, *event.evaluation,
                                              approach_at(model_, event.motions, c.feature));
    open(c, gravity);
    if (c.mode != Mode::resting) ++counts_[at(model_.kind_of(c.pair).contact)];
    return;
  }
  Open* o = find(c.id);
  if (!o) return;
  recording::Impact& r = o->record;
  switch (event.kind) {
    case EventKind::force_ends:
      r.separation_s = event.t_s;
      close(c, event.motions, false, *o);
      break;
    case EventKind::force_returns: forget_restitution(r); break;
    case EventKind::separation:
    case EventKind::loss:
      if (c.mode != Mode::coasting) {
        r.separation_s = event.t_s;
        close(c, event.motions, event.kind == EventKind::loss, *o);
      }
      o->is_final = true;
      break;
    default: break;
  }
}

namespace {

/// The one rule that tells impacts from lasting contacts; whoever reads a record (summary, file, page, comparison,
/// sweep) finds no restitution where it says so. The isolated collision is that of the law of this touch, at the
/// speed of approach. One that has not taken half longer than the elastic collision needs no closer look: the way
/// in alone is half of it.
bool is_lasting(const ContactMode& c, double duration_s) {
  const double v = c.approach_mps > 0 ? c.approach_mps : c.law_speed_mps;
  const double depth = contact::depth_of_energy_m(c.law.elastic, c.mass_kg * v * v / 2);
  if (std::isfinite(depth) && duration_s <= kLasting / 2 * 2.5 * depth / v) return false;
  const Result<impact::Outcome> isolated = impact::collide({c.law, c.mass_kg, v}, impact::Times::all);
  return !isolated || !(duration_s <= kLasting * isolated->duration_s) || !std::isfinite(isolated->duration_s);
}

/// The speed that would press a contact as deep by itself, without loss.
double speed_of_indentation_mps(const ContactMode& c, double depth_m) {
  const bool is_own = std::holds_alternative<contact::Custom<>>(c.law.shape);
  const double energy = is_own ? contact::stored_energy_J(c.law, depth_m, depth_m)
                               : contact::elastic_energy_J(c.law.elastic, depth_m);
  return std::sqrt(2 * std::max(energy, 0.0) / c.mass_kg);
}

}  // namespace

/// The record as it stands now: at separation, or at the end of the run.
void Impacts::close(const ContactMode& c, const model::Motions& motions, bool is_lost, Open& open) {
  recording::Impact& r = open.record;
  const ContactWork& work = ledger_.work(c.id);
  r.impulse_Ns = work.impulse_Ns;
  if (c.mode == Mode::resting) return;
  const model::PairLaw law = model_.law_of(c.pair);
  const model::ContactKind& kind = model_.kind_of(c.pair);
  const Approach a = approach_of(model_, motions, c, spots_);
  const double depth = std::max(a.depth_m, 0.0), deepest = std::max(depth, c.deepest_m);
  r.separation_speed_mps = -a.rate_mps;
  r.friction_J = work.friction_J;
  r.permanent_indentation_m = contact::permanent_indentation_m(c.law, deepest);
  r.lost_J =
      work.dissipated_J + contact::plastic_energy_J(c.law, deepest) - work.plastic_at_touch_J + work.given_up_J;
  const bool is_impact = r.separated() && !is_lasting(c, r.separation_s - r.touch_s);
  if (r.compression_J > 0 && is_impact) r.energetic = std::sqrt(std::max(r.restitution_J, 0.0) / r.compression_J);
  const bool has_speed = is_impact && !is_lost && r.approach_speed_mps > kNoSpeed * speed_scale_mps_ &&
                         r.approach_speed_mps > kLeastApproach * speed_of_indentation_mps(c, r.peak_indentation_m);
  const bool by_its_speed = r.approach_speed_mps == r.law_speed_mps;  // the law is calibrated with
  const double energy = r.effective_mass_kg * r.approach_speed_mps * r.approach_speed_mps / 2;
  if (has_speed) {
    r.delivered = r.separation_speed_mps / r.approach_speed_mps;
    const Result<impact::Outcome> free =
        impact::collide({c.law, r.effective_mass_kg, r.approach_speed_mps}, impact::Times::none);
    if (free) {
      const double prescribed = r.prescribed.value_or(free->restitution);
      r.isolated = free->restitution;
      r.bias = r.isolated * r.isolated - prescribed * prescribed;
      r.extra_dissipation = -(r.lost_J - energy * (1 - r.isolated * r.isolated)) / energy;
      if (const AccountEntry* entry = account_ ? account_->find(c.id) : nullptr) {
        r.other_work = entry->other_forces_J / energy;
        r.other_contacts = entry->other_contacts_J / energy;
        r.mass_change = entry->mass_change_J / energy;
        r.remainder = *r.delivered * *r.delivered - prescribed * prescribed -
                      (r.bias + r.extra_dissipation + r.other_work + r.other_contacts + r.mass_change);
      }
    }
    if (free && law.spec.user_law && r.isolated > 1 + 1e-9 && remark)
      remark({"law-creates-energy", model_.contact_of(c.pair).name,
              "contact " + in_quotes(model_.contact_of(c.pair).name) + ": the law creates energy: it returns " +
                  text_of(r.isolated, 6) + " of the approach speed"});
  }
  if (!remark) return;
  impact::Outcome outcome;
  outcome.restitution = by_its_speed && std::isfinite(r.isolated) ? r.isolated : r.prescribed.value_or(0);
  outcome.peak_indentation_m = r.peak_indentation_m;
  outcome.peak_force_N = r.peak_force_N;
  for (const Warning& w :
       impact::warnings(law.spec, {c.law, r.effective_mass_kg, r.approach_speed_mps}, outcome,
                        {kind.young_Pa, kind.density_kgpm3, std::isfinite(law.radius_m) ? law.radius_m : 0}))
    remark({w.kind, model_.contact_of(c.pair).name,
            "contact " + in_quotes(model_.contact_of(c.pair).name) + ": " + w.text});
}

/// Points of an impulsive collision that approached and were pushed: each is an impact without duration.
void Impacts::add_collision(const EventView& event) {
  const CollisionReport& c = *event.collision;
  for (std::size_t i = 0; i < c.strike.points.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const StrikePoint& p = c.strike.points[i];
    if (!(c.outcome.impulse_Ns[k] > 0)) continue;
    ++counts_[at(model_.kind_of(p.pair).contact)];
    if (!(c.strike.collision.approach_mps[k] > 0) || c.is_last) continue;
    Open o;
    o.id = c.first_id + static_cast<std::int64_t>(i);
    o.is_final = true;
    recording::Impact& r = o.record;
    r = record_of(p.pair, p.spot, p.approach.rate_mps);
    r.touch_s = r.peak_s = r.separation_s = event.t_s;
    r.approach_speed_mps = r.law_speed_mps = c.strike.collision.approach_mps[k];
    r.separation_speed_mps = -c.outcome.approach_mps[k];
    r.effective_mass_kg = 1 / c.strike.collision.mobility(k, k);
    r.isolated = collision::restitution_of(c.strike.collision.points[i]);
    if (!r.prescribed) r.prescribed = r.isolated;
    r.delivered = r.separation_speed_mps / r.approach_speed_mps;
    r.energetic = r.isolated;  // of a bistiffness spring: (1 - mu)/(1 + mu) of the work done on it comes back
    r.impulse_Ns = c.outcome.impulse_Ns[k];
    r.lost_J = c.outcome.lost_J[k];
    if (c.outcome.friction_J.size() > 0) r.friction_J = c.outcome.friction_J[k];
    // the account: what the point itself lost beyond a free collision; the rest came through other points
    const double energy = r.effective_mass_kg * r.approach_speed_mps * r.approach_speed_mps / 2;
    r.bias = r.isolated * r.isolated - *r.prescribed * *r.prescribed;
    r.extra_dissipation = -(r.lost_J / energy - (1 - r.isolated * r.isolated));
    r.other_contacts = *r.delivered * *r.delivered - 1 + r.lost_J / energy;
    r.other_work = r.mass_change = 0;
    r.remainder = *r.delivered * *r.delivered - *r.prescribed * *r.prescribed -
                  (r.bias + r.extra_dissipation + r.other_contacts);
    open_.insert(std::ranges::upper_bound(open_, o.id, {}, &Open::id), o);
  }
}

/// Records that nothing can change any more, as far as none before them is still open.
void Impacts::pass_on() {
  std::size_t done = 0;
  while (done < open_.size() && open_[done].is_final) {
    const Open& o = open_[done++];
    ++count_;
    raised_count_ += o.record.law_speed_raised;
    if (kept_.size() < most_kept_) kept_.push_back(o.record);
    if (stream) stream(o.record);
  }
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(done));
}

void Impacts::state(const StateView& view) {
  speed_scale_mps_ = view.state.control.speed_scale_mps;
  pass_on();
}

void Impacts::end(const StateView& view) {
  for (const ContactMode& c : view.state.modes.contacts)
    if (Open* o = find(c.id)) {
      if (c.mode != Mode::coasting) close(c, view.evaluation.motions, false, *o);
      o->is_final = true;
    }
  pass_on();
}

namespace {
static_assert(std::is_trivially_copyable_v<recording::Impact>);
}

void Impacts::save(Writer& out) const {
  out.put(open_);
  out.put(kept_);
  out.put(counts_);
  out.put(count_);
  out.put(raised_count_);
}

bool Impacts::restore(Reader& in) {
  return in.get(open_) && in.get(kept_) && in.get(counts_) && counts_.size() == model_.contacts.size() &&
         in.get(count_) && in.get(raised_count_);
}

}  // namespace percuss::dynamics
