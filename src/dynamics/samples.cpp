// Samples: what is written of every instant.
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/run.h"

namespace percuss::dynamics {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kImpactLasts = 10;        // times a free collision
constexpr double kSamplesOfAnImpact = 48;  // in the time of a free collision
constexpr double kFollowing = 1.5;         // times that of a free elastic collision

std::string rate_unit(const Dimension& d) {
  const Dimension rate{d.m, d.kg, d.s - 1};
  return d == dimension::number ? "rad/s" : unit_of(rate);
}

}  // namespace

std::vector<recording::Table> tables_of(const model::Model& model) {
  std::vector<recording::Table> tables;
  const bool planar = model.planar;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    recording::Table t{"bodies/" + model.bodies[b].name, {{"t", "s"}, {"x", "m"}, {"y", "m"}}};
    if (!planar) t.columns.push_back({"z", "m"});
    if (planar) t.columns.push_back({"angle", "rad"});
    if (!planar)
      for (const char* q : {"qw", "qx", "qy", "qz"}) t.columns.push_back({q, ""});
    t.columns.push_back({"vx", "m/s"});
    t.columns.push_back({"vy", "m/s"});
    if (!planar) t.columns.push_back({"vz", "m/s"});
    if (planar) t.columns.push_back({"w", "rad/s"});
    if (!planar)
      for (const char* w : {"wx", "wy", "wz"}) t.columns.push_back({w, "rad/s"});
    tables.push_back(std::move(t));
  }
  for (const model::Joint& j : model.joints) {
    recording::Table t{"joints/" + j.name, {{"t", "s"}}};
    for (const model::Coordinate& c : j.coordinates) {
      t.columns.push_back({c.name, c.dimension == dimension::number ? "rad" : unit_of(c.dimension)});
      t.columns.push_back({c.name + "_rate", rate_unit(c.dimension)});
    }
    if (j.contact >= 0)  // of a clearance joint
      for (const auto& [name, unit] :
           {std::pair{"eccentricity", "m"}, std::pair{"depth", "m"}, std::pair{"force", "N"},
            std::pair{"friction", "N"}, std::pair{"mode", ""}, std::pair{"impacts", ""}, std::pair{"lost", "J"}})
        t.columns.push_back({name, unit});
    else if (j.row->build)
      for (const auto& [name, unit] : {std::pair{"fx", "N"}, std::pair{"fy", "N"}, std::pair{"fz", "N"},
                                       std::pair{"tx", "N m"}, std::pair{"ty", "N m"}, std::pair{"tz", "N m"}})
        t.columns.push_back({name, unit});
    else
      t.columns.push_back({"force", "N or N m"});
    tables.push_back(std::move(t));
  }
  for (const model::Driver& d : model.drivers)
    tables.push_back({"drivers/" + d.name, {{"t", "s"}, {"value", ""}, {"force", "N or N m"}}});
  for (const model::Spring& s : model.springs)
    tables.push_back({"springs/" + s.name, {{"t", "s"}, {"length", "m or rad"}, {"force", "N or N m"}}});
  for (const model::Contact& c : model.contacts)
    tables.push_back({"contacts/" + c.name,
                      {{"t", "s"},
                       {"depth", "m"},
                       {"rate", "m/s"},
                       {"force", "N"},
                       {"friction", "N"},
                       {"spots", ""},
                       {"px", "m"},
                       {"py", "m"},
                       {"pz", "m"},
                       {"fx", "N"},
                       {"fy", "N"},
                       {"fz", "N"}}});
  tables.push_back({"ledger",
                    {{"t", "s"},
                     {"kinetic", "J"},
                     {"potential", "J"},
                     {"springs", "J"},
                     {"contacts", "J"},
                     {"damped", "J"},
                     {"lost_in_contacts", "J"},
                     {"friction", "J"},
                     {"by_drivers", "J"},
                     {"by_forces", "J"},
                     {"by_motions", "J"},
                     {"by_springs", "J"},
                     {"by_switches", "J"},
                     {"by_projection", "J"},
                     {"gap", "J"}}});
  if (!model.outputs.empty()) {
    recording::Table t{"channels", {{"t", "s"}}};
    for (const model::OutputChannel& o : model.outputs) t.columns.push_back({o.name, ""});
    tables.push_back(std::move(t));
  }
  tables.push_back({"impacts", recording::impact_columns()});
  tables.push_back({"events", {{"t", "s"}, {"event", ""}}});
  return tables;
}

void Run::note_energy(const recording::Energy& e) {
  recording::Ledger& ledger = out_.ledger;
  const recording::Energy& s = ledger.start;
  const double moved = e.kinetic_J + std::abs(e.potential_J - s.potential_J) + e.springs_J + e.contacts_J +
                       e.lost_J() + std::abs(e.by_drivers_J) + std::abs(e.by_forces_J) + std::abs(e.by_motions_J);
  ledger.moved_J = std::max(ledger.moved_J, moved);
  ledger.largest_gap_J = std::max(ledger.largest_gap_J, std::abs(recording::Ledger::gap_J(s, e)));
}

/// The next regular or extra time; the end of the run, less rounding, is the end.
double Run::next_sample_time() const {
  const double regular = static_cast<double>(next_sample_) * model_.sample_every_s, last = model_.solver.duration_s;
  const double extra = next_extra_ < model_.sample_times_s.size() ? model_.sample_times_s[next_extra_] : 1e300;
  const double inner = next_inner_ < inner_.size() ? inner_[next_inner_] : 1e300;
  const double t = std::min({regular, extra, inner});
  return std::abs(t - last) <= 1e-9 * model_.sample_every_s ? last : t;
}

void Run::take_samples(double until_s) {
  const auto at_time = [this](double t, bool is_asked_for) {
    interpolate(t);
    model::normalise(model_, scratch_y_);
    const std::vector<double> y = scratch_y_;
    // what lies between is there to be drawn: inside a step the solution is less exact than at its end
    if (is_asked_for) note_energy(equations_.energy(t, y));
    sample(t, y);
  };
  for (double t = next_sample_time(); t <= until_s && t <= model_.solver.duration_s; t = next_sample_time()) {
    const double slack = 1e-9 * model_.sample_every_s;
    const std::size_t before = next_sample_ + next_extra_;
    if (static_cast<double>(next_sample_) * model_.sample_every_s <= t + slack) ++next_sample_;
    if (next_extra_ < model_.sample_times_s.size() && model_.sample_times_s[next_extra_] <= t + slack)
      ++next_extra_;
    while (next_inner_ < inner_.size() && inner_[next_inner_] <= t) ++next_inner_;
    at_time(t, next_sample_ + next_extra_ > before);
  }
}

/// The time that a free collision of the shortest impact under way would take; infinity if there is none. A contact
/// that lasts much longer is no impact any more: regular samples show it.
double Run::shortest_impact_s() const {
  double shortest = std::numeric_limits<double>::infinity();
  for (const ContactState& s : state_.contacts)
    if (s.free_time_s > 0 && state_.t_s - s.record.touch_s <= kImpactLasts * s.free_time_s)
      shortest = std::min(shortest, s.free_time_s);
  return shortest;
}

/// Moments inside a step at which impacts are sampled.
void Run::plan_inner_samples(double until_s) {
  inner_.clear();
  next_inner_ = 0;
  if (!model_.sample_in_contact) return;
  const double wanted = kSamplesOfAnImpact * (until_s - state_.t_s) / shortest_impact_s();
  const int parts = static_cast<int>(std::clamp(std::ceil(wanted), 1.0, 16.0));
  for (int k = 1; k < parts; ++k) inner_.push_back(state_.t_s + (until_s - state_.t_s) * k / parts);
}

/// The end of a step in an impact, and the moment of touch.
void Run::sample_in_contact(bool touches) {
  if (!options_.sink || !model_.sample_in_contact || state_.t_s <= sample_time_s_) return;
  if (!touches && !std::isfinite(shortest_impact_s())) return;
  const std::vector<double> y = state_.y;
  sample(state_.t_s, y);
}

/// Eccentricity, contact, mode (0 free flight, 1 impact, 2 following), impacts so far, energy lost in the joint.
/// Surfaces that stay together longer than a free collision takes follow each other.
void Run::put_clearance(const model::Joint& joint, std::span<const double> y) {
  const auto contact = at(joint.contact);
  const ContactReport now = equations_.report(contact);
  double across2 = 0, mode = 0, lost = state_.totals[contact].lost_J + state_.totals[contact].friction_J;
  for (const model::Coordinate& c : joint.coordinates)
    if (c.name == "x" || c.name == "y" || c.name == "z")
      across2 += std::pow(equations_.measure(c.measure).value, 2);
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    const ContactState& s = state_.contacts[i];
    if (at(equations_.kind_of(s.pair).contact) != contact) continue;
    const double* sums = &y[equations_.sums_at(i)];
    const double depth = std::max(equations_.approach(i).depth_m, s.deepest_m);
    lost += sums[dissipated] + sums[friction_work] + contact::plastic_energy_J(s.law, depth) -
            s.plastic_at_touch_J + s.given_up_J;
    mode = std::max(mode, sample_time_s_ - s.record.touch_s > kFollowing * s.free_time_s ? 2.0 : 1.0);
  }
  sample_row_.insert(sample_row_.end(), {std::sqrt(across2), now.depth_m, now.force_N, now.friction_N, mode,
                                         static_cast<double>(state_.totals[contact].impacts), lost});
}

void Run::sample(double t_s, std::span<const double> y) {
  if (!options_.sink) return;
  sample_time_s_ = t_s;
  const recording::Energy e = equations_.energy(t_s, y);
  equations_.evaluate(t_s, y);
  const std::vector<double> multiplier = equations_.all_multipliers(t_s, y);
  std::size_t table = 0;
  bool kept = true;
  const auto write = [&] { kept = options_.sink->row(table++, sample_row_) && kept; };
  const auto put = [&](std::initializer_list<double> values) { sample_row_.insert(sample_row_.end(), values); };
  const auto begin = [&] { sample_row_.assign(1, t_s); };
  for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
    const geometry::BodyMotion& m = equations_.motions()[b];
    const Vec3 r = m.R * model_.bodies[b].origin_m, p = m.p_m + r, v = model::point_velocity(m, r), w = m.w_radps;
    begin();
    if (model_.planar) {
      put({p.x, p.y, m.turn_rad, v.x, v.y, w.z});
    } else {
      const Quat q = quat_of(m.R);
      put({p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z});
    }
    write();
  }
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const model::Joint& joint = model_.joints[j];
    begin();
    for (const model::Coordinate& c : joint.coordinates) {
      const geometry::MeasureValue v = equations_.measure(c.measure);
      put({v.value, v.rate});
    }
    if (joint.contact >= 0) {
      put_clearance(joint, y);
    } else if (!joint.row->build) {
      put({multiplier[at(joint.first_row)]});
    } else {
      Vec3 force, torque;
      const geometry::BodyMotion& m = equations_.motions()[at(joint.body_b)];
      for (int k = 0; k < joint.row_count; ++k) {
        const model::Row& row = model_.rows[at(joint.first_row + k)];
        for (int term = 0; term < row.term_count; ++term) {
          const geometry::MeasureValue v = equations_.measure(row.terms[at(term)].measure);
          const bool on_b = model_.measures[at(row.terms[at(term)].measure)].body_b == joint.body_b;
          const geometry::Gradient& g = on_b ? v.b : v.a;
          const double l = multiplier[at(joint.first_row + k)] * row.terms[at(term)].coefficient;
          force += l * g.linear;
          torque += l * g.angular;
        }
      }
      torque -= cross(m.R * joint.anchor_b_m, force);
      put({force.x, force.y, force.z, torque.x, torque.y, torque.z});
    }
    write();
  }
  for (const model::Driver& d : model_.drivers) {
    begin();
    put({equations_.measure(d.measure).value, multiplier[at(d.row)]});
    write();
  }
  for (std::size_t i = 0; i < model_.springs.size(); ++i) {
    begin();
    put({equations_.measure(model_.springs[i].lines[0].measure).value, equations_.spring_force_N(i, t_s)});
    write();
  }
  for (std::size_t i = 0; i < model_.contacts.size(); ++i) {
    const ContactReport c = equations_.report(i);
    begin();
    put({c.depth_m, c.rate_mps, c.force_N, c.friction_N, static_cast<double>(c.touching)});
    const bool pushes = c.touching > 0 && c.force_N != 0;
    const Vec3 p = pushes ? c.point_m : Vec3{kNone, kNone, kNone}, f = pushes ? c.push_N : Vec3{};
    put({p.x, p.y, p.z, f.x, f.y, f.z});
    write();
  }
  begin();
  put({e.kinetic_J, e.potential_J, e.springs_J, e.contacts_J, e.damped_J, e.lost_in_contacts_J, e.friction_J,
       e.by_drivers_J, e.by_forces_J, e.by_motions_J, e.by_springs_J, e.by_switches_J, e.by_projection_J,
       recording::Ledger::gap_J(out_.ledger.start, e)});
  write();
  if (!model_.outputs.empty()) {
    begin();
    for (const model::OutputChannel& o : model_.outputs) put({equations_.value_of(o.function, t_s)});
    write();
  }
  if (!kept && !over_) {
    over_ = true;
    fail("the samples could not be written");
  }
}

}  // namespace percuss::dynamics
