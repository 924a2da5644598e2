// Samples: what is written of every instant.
#include "percuss/dynamics/observers/samples.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/base/scalar.h"
#include "percuss/dynamics/reading.h"
#include "percuss/joint/table.h"
#include "percuss/model/channel_table.h"
#include "percuss/model/head.h"
#include "percuss/model/reactions.h"

namespace percuss::dynamics {

namespace {

using recording::kNone;
constexpr double kImpactLasts = 10;        // times a free collision
constexpr double kSamplesOfAnImpact = 48;  // in the time of a free collision
constexpr double kFollowing = 1.5;         // times that of a free elastic collision

std::string rate_unit(const Dimension& d) {
  const Dimension rate{d.m, d.kg, d.s - 1};
  return d == dimension::number ? "rad/s" : unit_of(rate);
}

}  // namespace

std::vector<recording::Table> tables_of(const model::Model& model) {
  using Of = model::ChannelRow::Of;
  const auto columns_of = [&](Of of) {
    std::vector<recording::Column> out;
    for (const model::ChannelRow& row : model::channel_rows())
      if (row.of == of && row.is_column && row.exists(model.planar))
        out.push_back({std::string(row.suffix), std::string(row.unit)});
    return out;
  };
  std::vector<recording::Table> tables{{"time", {{"t", "s"}}}, {"bodies", columns_of(Of::body)}};
  for (std::size_t b = 1; b < model.bodies.size(); ++b) tables.back().items.push_back(model.bodies[b].name);
  for (const model::Joint& j : model.joints) {
    recording::Table t{"joints/" + j.name, {{"t", "s"}}};
    for (const model::Coordinate& c : j.coordinates) {
      t.columns.push_back({c.name, c.dimension == dimension::number ? "rad" : unit_of(c.dimension)});
      t.columns.push_back({c.name + "_rate", rate_unit(c.dimension)});
    }
    if (j.contact >= 0)  // of a clearance joint
      for (const auto& [name, unit] :
           {std::pair{"eccentricity", "m"}, std::pair{"indentation", "m"}, std::pair{"force", "N"},
            std::pair{"friction", "N"}, std::pair{"mode", ""}, std::pair{"impacts", ""}, std::pair{"lost", "J"}})
        t.columns.push_back({name, unit});
    else if (j.row->build)
      for (const char* name : model::kReactionColumns) t.columns.push_back({name, name[0] == 'f' ? "N" : "N m"});
    else
      t.columns.push_back({"force", "N or N m"});
    tables.push_back(std::move(t));
  }
  for (const model::Driver& d : model.drivers)
    tables.push_back({"drivers/" + d.name, {{"t", "s"}, {"value", ""}, {"force", "N or N m"}}});
  const auto unit_of_channel = [&](const std::string& name) {
    const auto known = std::ranges::find(model.channels, name, &model::Channel::name);
    return known == model.channels.end() ? std::string() : known->unit;
  };
  for (const model::Spring& s : model.springs)
    tables.push_back({"springs/" + s.name,
                      {{"t", "s"},
                       {"length", unit_of_channel(s.name + ".length")},
                       {"force", unit_of_channel(s.name + ".force")}}});
  for (const model::Contact& c : model.contacts) {
    recording::Table t{"contacts/" + c.name, {{"t", "s"}}};
    for (const recording::Column& column : columns_of(Of::contact)) t.columns.push_back(column);
    for (const char* p : {"px", "py", "pz"}) t.columns.push_back({p, "m"});
    for (const char* f : {"fx", "fy", "fz"}) t.columns.push_back({f, "N"});
    tables.push_back(std::move(t));
  }
  recording::Table ledger{"ledger", {{"t", "s"}}};
  for (const recording::EnergyTerm& term : recording::kEnergyTerms)
    ledger.columns.push_back({std::string(term.key), "J"});
  ledger.columns.push_back({"error", "J"});
  tables.push_back(std::move(ledger));
  if (!model.outputs.empty()) {
    recording::Table t{"channels", {{"t", "s"}}};
    for (const model::OutputChannel& o : model.outputs) t.columns.push_back({o.name, o.unit});
    tables.push_back(std::move(t));
  }
  tables.push_back({"impacts", recording::impact_columns()});
  tables.push_back({"events", {{"t", "s"}, {"event", ""}}});
  return tables;
}

Samples::Samples(const Model& model, const Settings& settings, const Ledger& ledger, const Impacts& impacts,
                 recording::Sink& sink)
    : model_(model),
      settings_(settings),
      ledger_(ledger),
      impacts_(impacts),
      sink_(sink),
      workspace_(model),
      all_rows_(model, model::every_row(model), model::RowLayout::Order::as_given) {
  const std::vector<recording::Table> tables = tables_of(model);
  event_table_ = tables.size() - 1;
  impact_table_ = tables.size() - 2;
  sink_.begin(model::head_of(model, settings), tables);
  workspace_.refusals = &refused_;
}

void Samples::put_impact(const recording::Impact& impact) {
  has_failed_ = !sink_.row(impact_table_, recording::impact_row(impact)) || has_failed_;
}

/// The next regular or extra time; the end of the run, less rounding, is the end.
double Samples::next_time() const {
  const double every = settings_.sample_every_s, last = settings_.duration_s;
  const double regular = every > 0 ? static_cast<double>(next_regular_) * every : kInfinity;
  const double extra =
      next_extra_ < settings_.sample_times_s.size() ? settings_.sample_times_s[next_extra_] : kInfinity;
  const double t = std::min(regular, extra);
  return std::abs(t - last) <= 1e-9 * every ? last : t;
}

/// The time that a free collision of the shortest impact under way would take; infinity if there is none. A contact
/// that lasts much longer is no impact any more: regular samples show it.
double Samples::shortest_impact_s(const Modes& modes, double t_s) const {
  double shortest = kInfinity;
  for (const ContactMode& c : modes.contacts)
    if (c.free_time_s > 0 && t_s - c.touch_s <= kImpactLasts * c.free_time_s)
      shortest = std::min(shortest, c.free_time_s);
  return shortest;
}

/// Samples are of what is still to come. A run that goes on is seen from where it goes on.
void Samples::begin(const StateView& view) {
  if (has_begun_) return;  // it was restored
  const double t = view.state.t_s, every = settings_.sample_every_s;
  if (every > 0) next_regular_ = static_cast<std::size_t>(std::max(std::floor(t / every + 1e-9), 0.0)) + 1;
  while (next_extra_ < settings_.sample_times_s.size() && settings_.sample_times_s[next_extra_] <= t) ++next_extra_;
  if (view.state.has_begun) state(view);
}

void Samples::step(const StepView& step) {
  const double t0 = step.t0_s, t1 = step.t1_s;
  std::vector<double> times;
  const bool in_contact = settings_.sample_in_contact && std::isfinite(shortest_impact_s(step.modes, t0));
  if (in_contact) {
    const double wanted = kSamplesOfAnImpact * (t1 - t0) / shortest_impact_s(step.modes, t0);
    const int parts = static_cast<int>(std::clamp(std::ceil(wanted), 1.0, 16.0));
    for (int k = 1; k < parts; ++k) times.push_back(t0 + (t1 - t0) * k / parts);
  }
  const double slack = 1e-9 * settings_.sample_every_s;
  for (double t = next_time(); t <= t1 && t <= settings_.duration_s; t = next_time()) {
    if (settings_.sample_every_s > 0 && static_cast<double>(next_regular_) * settings_.sample_every_s <= t + slack)
      ++next_regular_;
    if (next_extra_ < settings_.sample_times_s.size() && settings_.sample_times_s[next_extra_] <= t + slack)
      ++next_extra_;
    times.push_back(t);
  }
  if (in_contact && std::isfinite(shortest_impact_s(step.modes, t1))) times.push_back(t1);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (const double t : times) {
    const std::span<const double> there = t == t1 ? step.y_corrected : step.path.unknowns(t);
    y_.assign(there.begin(), there.end());
    model::normalise(model_, y_);
    refused_.clear();
    const Evaluation& e = evaluate(model_, t, y_, step.modes, workspace_);
    if (!refused_.empty() && remark) remark({"controller-refused", "", "between two accepted states, " + refused_});
    put(step.modes, e, y_, ledger_.energy_at(step, t, y_, e),
        [&](std::size_t contact) { return ledger_.lost_in_contact_J(step, t, e, contact); });
  }
}

void Samples::event(const EventView& event) {
  if (event.kind == EventKind::touch && settings_.sample_in_contact &&
      event.contact->mode != ContactMode::Mode::resting)
    asked_ = true;
  if (event.kind == EventKind::user && model_.events[at(event.user_event)].record) {
    asked_ = true;
    const double row[] = {event.t_s, static_cast<double>(event.user_event)};
    has_failed_ = !sink_.row(event_table_, row) || has_failed_;
  }
}

/// The start, and states at which something happened that is to be seen.
void Samples::state(const StateView& view) {
  const bool is_first = !has_begun_;
  const bool wanted = is_first || (asked_ && view.state.t_s > last_s_);
  asked_ = false;
  has_begun_ = true;
  if (!wanted) return;
  put(view.state.modes, view.evaluation, view.state.y, ledger_.energy(),
      [&](std::size_t contact) { return ledger_.lost_in_contact_J(view.state.modes, view.evaluation, contact); });
}

/// Multipliers of all rows, redundant ones too.
std::vector<double> Samples::all_multipliers(const Modes& modes, const Evaluation& e, std::span<const double> y) {
  const model::RowLayout& rows = *modes.rows;
  if (model_.rows_switch) {  // which rows are redundant changes with them: each that is in force carries its own
    std::vector<double> out(model_.rows.size(), 0.0);
    for (std::size_t i = 0; i < rows.count(); ++i) out[at(rows.row_index(i))] = e.multiplier[i];
    return out;
  }
  if (rows.count() < model_.rows.size())
    all_rows_.evaluate(model_, {e.t_s, modes.pieces}, y, e.motions, e.near_rad, all_values_);
  return model::spread_multipliers(model_, {rows, e.rows, all_rows_, all_values_}, e.multiplier);
}

/// Eccentricity, contact, mode (0 free flight, 1 impact, 2 following), impacts so far, energy lost in the joint.
/// Surfaces that stay together longer than a free collision takes follow each other.
void Samples::put_clearance(const model::Joint& joint, const Modes& modes, const Evaluation& e, double lost_J) {
  const auto contact = at(joint.contact);
  const ContactReport now = report(model_, modes, e, contact);
  double across2 = 0, mode = 0;
  for (const model::Coordinate& c : joint.coordinates)
    if (c.left_to_contact && c.dimension == dimension::length)
      across2 += std::pow(measure(model_, e, c.measure).value, 2);
  for (const ContactMode& c : modes.contacts)
    if (at(model_.kind_of(c.pair).contact) == contact)
      mode = std::max(mode, e.t_s - c.touch_s > kFollowing * c.free_time_s ? 2.0 : 1.0);
  row_.insert(row_.end(), {std::sqrt(across2), now.depth_m, now.force_N, now.friction_N, mode,
                           static_cast<double>(impacts_.count_of(contact)), lost_J});
}

void Samples::put(const Modes& modes, const Evaluation& e, std::span<const double> y,
                  const recording::Energy& energy, const std::function<double(std::size_t)>& lost_in_contact_J) {
  last_s_ = e.t_s;
  const std::vector<double> multiplier = all_multipliers(modes, e, y);
  std::size_t table = 0;
  bool kept = true;
  const auto write = [&] { kept = sink_.row(table++, row_) && kept; };
  const auto add = [&](std::initializer_list<double> values) { row_.insert(row_.end(), values); };
  const auto begin = [&] { row_.assign(1, e.t_s); };
  begin();
  write();
  row_.clear();
  for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
    const BodyReport report = body_report(model_, e, b);
    for (const model::ChannelRow& row : model::channel_rows())
      if (row.of == model::ChannelRow::Of::body && row.is_column && row.exists(model_.planar))
        row_.push_back(value_of(report, row.kind, row.component));
  }
  write();
  for (const model::Joint& joint : model_.joints) {
    begin();
    for (const model::Coordinate& c : joint.coordinates) {
      const geometry::MeasureValue v = measure(model_, e, c.measure);
      add({v.value, v.rate});
    }
    if (joint.contact >= 0) {
      put_clearance(joint, modes, e, lost_in_contact_J(at(joint.contact)));
    } else if (!joint.row->build) {
      add({multiplier[at(joint.first_row)]});
    } else {
      const auto [force, torque] = model::reaction_of(model_, joint, e.motions, e.near_rad, multiplier);
      add({force.x, force.y, force.z, torque.x, torque.y, torque.z});
    }
    write();
  }
  for (const model::Driver& d : model_.drivers) {
    begin();
    add({measure(model_, e, d.measure).value, multiplier[at(d.row)]});
    write();
  }
  for (std::size_t i = 0; i < model_.springs.size(); ++i) {
    begin();
    add({measure(model_, e, model_.springs[i].lines[0].measure).value, spring_force_N(model_, modes, e, i)});
    write();
  }
  for (std::size_t i = 0; i < model_.contacts.size(); ++i) {
    const ContactReport c = report(model_, modes, e, i);
    begin();
    for (const model::ChannelRow& row : model::channel_rows())
      if (row.of == model::ChannelRow::Of::contact && row.is_column) row_.push_back(value_of(c, row.kind));
    const bool pushes = c.touching > 0 && c.force_N != 0;
    const Vec3 p = pushes ? c.point_m : Vec3{kNone, kNone, kNone}, f = pushes ? c.push_N : Vec3{};
    add({p.x, p.y, p.z, f.x, f.y, f.z});
    write();
  }
  begin();
  for (const recording::EnergyTerm& term : recording::kEnergyTerms) add({energy.*term.value});
  add({recording::Ledger::error_J(ledger_.ledger().start, energy)});
  write();
  if (!model_.outputs.empty()) {
    begin();
    for (const model::OutputChannel& o : model_.outputs) {
      add({value_of(model_, modes, e, o.function)});
      if (std::isnan(row_.back()) && remark)
        remark(
            {"channel-nan", o.name, "outputs: " + o.name + " is not a number at t = " + text_of(e.t_s, 6) + " s"});
    }
    write();
  }
  has_failed_ = !kept || has_failed_;
}

void Samples::save(Writer& out) const {
  out.put(static_cast<std::uint64_t>(next_regular_));
  out.put(static_cast<std::uint64_t>(next_extra_));
  out.put(last_s_);
  out.put(has_begun_);
}

bool Samples::restore(Reader& in) {
  std::uint64_t regular = 0, extra = 0;
  if (!in.get(regular) || !in.get(extra) || !in.get(last_s_) || !in.get(has_begun_)) return false;
  next_regular_ = static_cast<std::size_t>(regular);
  next_extra_ = static_cast<std::size_t>(extra);
  return true;
}

}  // namespace percuss::dynamics
