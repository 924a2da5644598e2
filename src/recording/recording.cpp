// The table of impacts.
#include "percuss/recording/recording.h"

#include <limits>

namespace percuss::recording {

namespace {

struct Field {
  const char *name, *unit;
  double (*value)(const Impact&);
};
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr Field kFields[] = {
    {"contact", "", [](const Impact& i) { return static_cast<double>(i.contact); }},
    {"body_a", "", [](const Impact& i) { return static_cast<double>(i.body_a); }},
    {"body_b", "", [](const Impact& i) { return static_cast<double>(i.body_b); }},
    {"spot", "", [](const Impact& i) { return static_cast<double>(i.spot); }},
    {"touch", "s", [](const Impact& i) { return i.touch_s; }},
    {"peak", "s", [](const Impact& i) { return i.peak_s; }},
    {"release", "s", [](const Impact& i) { return i.released ? i.release_s : kNone; }},
    {"approach", "m/s", [](const Impact& i) { return i.approach_mps; }},
    {"separation", "m/s", [](const Impact& i) { return i.separation_mps; }},
    {"law_speed", "m/s", [](const Impact& i) { return i.law_speed_mps; }},
    {"mass", "kg", [](const Impact& i) { return i.mass_kg; }},
    {"prescribed", "", [](const Impact& i) { return i.prescribed.value_or(kNone); }},
    {"delivered", "", [](const Impact& i) { return i.delivered.value_or(kNone); }},
    {"energetic", "", [](const Impact& i) { return i.energetic.value_or(kNone); }},
    {"free", "", [](const Impact& i) { return i.delivered ? i.free : kNone; }},
    {"max_force", "N", [](const Impact& i) { return i.max_force_N; }},
    {"max_depth", "m", [](const Impact& i) { return i.max_depth_m; }},
    {"residual_depth", "m", [](const Impact& i) { return i.residual_depth_m; }},
    {"impulse", "N s", [](const Impact& i) { return i.impulse_Ns; }},
    {"lost", "J", [](const Impact& i) { return i.lost_J; }},
    {"friction", "J", [](const Impact& i) { return i.friction_J; }},
    {"bias", "", [](const Impact& i) { return i.delivered ? i.bias : kNone; }},
    {"extra_dissipation", "", [](const Impact& i) { return i.delivered ? i.extra_dissipation : kNone; }},
    {"other_work", "", [](const Impact& i) { return i.delivered && i.has_account ? i.other_work : kNone; }},
    {"other_contacts", "", [](const Impact& i) { return i.delivered && i.has_account ? i.other_contacts : kNone; }},
    {"mass_change", "", [](const Impact& i) { return i.delivered && i.has_account ? i.mass_change : kNone; }},
    {"remainder", "", [](const Impact& i) { return i.delivered && i.has_account ? i.remainder : kNone; }},
};

}  // namespace

std::vector<Column> impact_columns() {
  std::vector<Column> columns;
  for (const Field& f : kFields) columns.push_back({f.name, f.unit});
  return columns;
}

std::vector<double> impact_row(const Impact& impact) {
  std::vector<double> row;
  for (const Field& f : kFields) row.push_back(f.value(impact));
  return row;
}

}  // namespace percuss::recording
