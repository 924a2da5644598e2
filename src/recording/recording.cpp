// The table of impacts; tables by name.
#include "percuss/recording/recording.h"

#include <algorithm>
#include <variant>

namespace percuss::recording {

namespace {

/// A column is a member: rows are written and read by one table.
struct Field {
  const char *name, *unit;
  std::variant<int Impact::*, double Impact::*, std::optional<double> Impact::*> member;
};
constexpr Field kFields[] = {
    {"contact", "", &Impact::contact},
    {"body_a", "", &Impact::body_a},
    {"body_b", "", &Impact::body_b},
    {"point", "", &Impact::point},
    {"touch_time", "s", &Impact::touch_s},
    {"peak_time", "s", &Impact::peak_s},
    {"separation_time", "s", &Impact::separation_s},
    {"approach_speed", "m/s", &Impact::approach_speed_mps},
    {"separation_speed", "m/s", &Impact::separation_speed_mps},
    {"law_speed", "m/s", &Impact::law_speed_mps},
    {"law_speed_raised", "", &Impact::law_speed_raised},
    {"effective_mass", "kg", &Impact::effective_mass_kg},
    {"load", "m/s^2", &Impact::load_mps2},
    {"gravity", "m/s^2", &Impact::gravity_mps2},
    {"prescribed", "", &Impact::prescribed},
    {"delivered", "", &Impact::delivered},
    {"energetic", "", &Impact::energetic},
    {"isolated", "", &Impact::isolated},
    {"peak_force", "N", &Impact::peak_force_N},
    {"peak_indentation", "m", &Impact::peak_indentation_m},
    {"permanent_indentation", "m", &Impact::permanent_indentation_m},
    {"impulse", "N s", &Impact::impulse_Ns},
    {"lost", "J", &Impact::lost_J},
    {"friction", "J", &Impact::friction_J},
    {"compression", "J", &Impact::compression_J},
    {"restitution", "J", &Impact::restitution_J},
    {"bias", "", &Impact::bias},
    {"extra_dissipation", "", &Impact::extra_dissipation},
    {"other_work", "", &Impact::other_work},
    {"other_contacts", "", &Impact::other_contacts},
    {"mass_change", "", &Impact::mass_change},
    {"remainder", "", &Impact::remainder},
};

}  // namespace

std::vector<Column> impact_columns() {
  std::vector<Column> columns;
  for (const Field& f : kFields) columns.push_back({f.name, f.unit});
  return columns;
}

std::vector<double> impact_row(const Impact& impact) {
  struct Value {
    const Impact& of;
    double operator()(int Impact::*m) const { return of.*m; }
    double operator()(double Impact::*m) const { return of.*m; }
    double operator()(std::optional<double> Impact::*m) const { return (of.*m).value_or(kNone); }
  };
  std::vector<double> row;
  row.reserve(std::size(kFields));
  for (const Field& f : kFields) row.push_back(std::visit(Value{impact}, f.member));
  return row;
}

Impact impact_of(std::span<const double> row, const std::vector<Column>& columns) {
  struct Set {
    Impact& of;
    double value;
    void operator()(int Impact::*m) const { of.*m = std::isfinite(value) ? static_cast<int>(value) : 0; }
    void operator()(double Impact::*m) const { of.*m = value; }
    void operator()(std::optional<double> Impact::*m) const {
      of.*m = std::isnan(value) ? std::nullopt : std::optional(value);
    }
  };
  Impact out;
  for (std::size_t i = 0; i < columns.size() && i < row.size(); ++i) {
    const auto field = std::ranges::find_if(kFields, [&](const Field& f) { return columns[i].name == f.name; });
    if (field != std::end(kFields)) std::visit(Set{out, row[i]}, field->member);
  }
  return out;
}

const FilledTable* Recording::find(std::string_view name) const {
  for (const FilledTable& t : tables)
    if (t.table.name == name) return &t;
  return nullptr;
}

std::size_t Recording::thinned_by() const {
  std::size_t most = 1;
  for (const FilledTable& t : tables)
    if (t.rows() > 0) most = std::max(most, (t.rows_in_file + t.rows() - 1) / t.rows());
  return most;
}

std::string_view word_of(End end) {
  switch (end) {
    case End::done: return "done";
    case End::stopped_by_event: return "stopped by an event";
    case End::interrupted: return "interrupted";
    case End::failed: return "failed";
    case End::killed: return "killed";
  }
  return "";
}

}  // namespace percuss::recording
