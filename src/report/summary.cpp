// Text and JSON of a summary.
#include "percuss/report/summary.h"

#include <fmt/format.h>

#include <cmath>

#include "percuss/report/json.h"
#include "percuss/report/numbers.h"

namespace percuss::report {

namespace {

constexpr std::size_t kShownFirst = 12, kShownLast = 3;

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

/// Of a file that names fewer, its number.
std::string name_in(const std::vector<std::string>& names, int index) {
  const auto i = static_cast<std::size_t>(index);
  return i < names.size() ? names[i] : std::to_string(index);
}

std::string number(double value, const char* format) {
  if (std::isnan(value)) return "-";
  return std::abs(value) < 1e9 ? fmt::format(fmt::runtime(format), value) : fmt::format("{:.2e}", value);
}

std::string impacts_text(const recording::Recording& r, const Style& style) {
  if (r.head.contacts.empty()) return "";
  if (r.impacts.empty()) return "  no contact occurred\n";
  TextTable table({"#", "contact", "touch", "approach", "separation", "prescribed", "delivered", "energetic",
                   "peak force", "peak indentation", "duration", "lost"},
                  2);
  const std::size_t kept = r.impacts.size();
  const bool folds = kept > kShownFirst + kShownLast + 1;
  for (std::size_t i = 0; i < kept; ++i) {
    if (folds && i == kShownFirst) {
      table.add({"", fmt::format("... {} more ...", kept - kShownFirst - kShownLast)});
      i = kept - kShownLast;
    }
    const recording::Impact& k = r.impacts[i];
    table.add({std::to_string(i + 1), name_in(r.head.contacts, k.contact), fmt::format("{:.9g} s", k.touch_s),
               engineering(k.approach_speed_mps, "m/s", 6),
               k.separated() ? engineering(k.separation_speed_mps, "m/s", 6) : "-",
               k.prescribed ? number(*k.prescribed, "{:.4g}") : "-",
               k.delivered ? number(*k.delivered, "{:.6f}") : "-",
               k.energetic ? number(*k.energetic, "{:.6f}") : "-",
               k.peak_force_N > 0 ? engineering(k.peak_force_N, "N", 5) : "-",
               k.peak_force_N > 0 ? engineering(k.peak_indentation_m, "m", 4) : "-",
               k.separated() ? engineering(k.separation_s - k.touch_s, "s", 4) : "persistent",
               engineering(k.lost_J, "J", 4)});
  }
  std::string out = table.text(style);
  if (static_cast<std::size_t>(r.impact_count) > kept)
    out += fmt::format("  {} impacts in all; the first {} are listed here, the result file has every one\n",
                       r.impact_count, kept);
  if (r.raised_count > 0)
    out += fmt::format("  law speed raised above the approach speed in {} of {} (rest_speed sets the floor)\n",
                       r.raised_count, counted(static_cast<std::size_t>(r.impact_count), "impact", "impacts"));
  return out;
}

/// The largest part of the difference between delivered and prescribed, in words.
std::string in_words(const recording::Impact& k) {
  const double parts[] = {k.bias, k.extra_dissipation, k.other_work, k.other_contacts, k.mass_change};
  int largest = 0;
  for (int i = 1; i < 5; ++i)
    if (std::abs(parts[i]) > std::abs(parts[largest])) largest = i;
  // gravity does at most the work of the load over twice the depth
  const double energy = k.effective_mass_kg * k.approach_speed_mps * k.approach_speed_mps / 2;
  const bool may_be_gravity =
      std::abs(k.other_work) * energy < 3 * k.effective_mass_kg * std::abs(k.gravity_mps2) * k.peak_indentation_m;
  const bool by_gravity = std::abs(k.gravity_mps2) > std::abs(k.load_mps2) / 2 && may_be_gravity;
  const std::string who = by_gravity ? "gravity" : k.friction_J > 0 ? "friction" : "other forces";
  switch (largest) {
    case 0: return "the law's own bias";
    case 1:
      if (k.extra_dissipation < 0 && k.load_mps2 > 0) return who + " deepened the contact, which dissipated more";
      if (k.extra_dissipation > 0 && k.load_mps2 < 0) return who + " relieved the contact, which dissipated less";
      return std::string("the contact dissipated ") + (k.extra_dissipation < 0 ? "more" : "less") +
             " than in an isolated collision";
    case 2: return who + (k.other_work > 0 ? " pushed the bodies apart" : " held the bodies back");
    case 3: return std::string("other contacts ") + (k.other_contacts > 0 ? "gave" : "took") + " energy";
    default: return "the effective mass changed during the contact";
  }
}

std::string account_text(const recording::Recording& r) {
  const recording::Impact* first = nullptr;
  double largest_remainder = 0;
  for (const recording::Impact& k : r.impacts) {
    if (!k.delivered || !k.has_account()) continue;
    if (!first) first = &k;
    largest_remainder = std::max(largest_remainder, std::abs(k.remainder));
  }
  if (!first || !first->prescribed) return "";
  if (std::max({std::abs(first->bias), std::abs(first->extra_dissipation), std::abs(first->other_work),
                std::abs(first->other_contacts), std::abs(first->mass_change)}) < 1e-12)
    return "  first impact: delivered the prescribed restitution\n";
  std::string parts;
  const auto part = [&](const char* name, double value, bool always = false) {
    if (always || value != 0) parts += fmt::format("{}{} {:+.3e}", parts.empty() ? "" : ", ", name, value);
  };
  part("the law's own bias", first->bias, true);
  part("dissipation beyond the isolated collision", first->extra_dissipation, true);
  part("other forces", first->other_work, true);
  part("other contacts", first->other_contacts);
  part("change of the effective mass", first->mass_change);
  return fmt::format(
      "  first impact: delivered^2 - prescribed^2 = {:+.3e}: {}; remainder {:.0e} (largest {:.0e})\n"
      "  main cause: {}\n",
      *first->delivered * *first->delivered - *first->prescribed * *first->prescribed, parts, first->remainder,
      largest_remainder, in_words(*first));
}

std::string ledger_text(const recording::Ledger& l, const Style& style) {
  TextTable table({"energy", "start", "end", "change"});
  for (const recording::EnergyTerm& term : recording::kEnergyTerms) {
    const double a = l.start.*term.value, b = l.end.*term.value;
    if (a == 0 && b == 0) continue;
    const bool is_stored = term.kind == recording::EnergyTerm::Kind::stored;
    table.add({std::string(term.title), is_stored ? engineering(a, "J", 6) : "",
               is_stored ? engineering(b, "J", 6) : "", engineering(b - a, "J", 6)});
  }
  const double share = l.exchanged_J > 0 ? std::abs(l.error_J()) / l.exchanged_J : 0;
  if (!std::isfinite(l.error_J()) || !std::isfinite(l.exchanged_J))
    return table.text(style) + "  energy error: no number, as energies have become too large for one\n";
  return table.text(style) +
         fmt::format("  energy error {:.2e} J at the end, {:.2e} J at most: {:.1e} of {} exchanged\n", l.error_J(),
                     l.largest_error_J, share, engineering(l.exchanged_J, "J", 4));
}

}  // namespace

std::string horizon_text(const recording::Recording& r) {
  const recording::Horizon& h = *r.horizon;
  if (h.together())
    return fmt::format("predictable to the end: a solution at {} stays within {:.0e} of the distances covered",
                       h.against, h.largest_difference);
  return fmt::format("predictability horizon {}: a solution at {} parts from this one there",
                     engineering(h.parted_s, "s", 3), h.against);
}

std::string undetermined_text(const std::vector<std::string>& reactions) {
  std::string out;
  std::string_view last;
  for (const std::string& r : reactions) {
    const std::size_t dot = r.find_last_of('.');
    const std::string_view joint = std::string_view(r).substr(0, dot), number = std::string_view(r).substr(dot + 1);
    if (joint != last)
      out += (out.empty() ? "" : "), ") + std::string(joint) + " (";
    else
      out += ' ';
    out += number;
    last = joint;
  }
  return out.empty() ? out : out + ")";
}

std::string summary_text(const recording::Recording& r, std::optional<double> wall_s, const Style& style) {
  std::string out = fmt::format("{}\n{}\n", r.head.title, r.head.model);
  const recording::Counts& c = r.counts;
  out += fmt::format("{} at t = {:.9g} s with {}, tolerance {:g}: {} steps ({} rejected), {} evaluations{}\n",
                     word_of(r.end), r.time_s, r.head.integrator, r.head.tolerance, c.steps, c.rejected,
                     c.evaluations, wall_s ? ", " + engineering(*wall_s, "s", 3) : "");
  if (r.end == recording::End::failed) out += "  " + r.failure + "\n";
  if (!r.head.undetermined_reactions.empty())
    out +=
        "  reactions that rigid bodies do not determine (the smallest set of forces that does the same is "
        "given): " +
        undetermined_text(r.head.undetermined_reactions) + "\n";
  if (r.horizon) out += "  " + horizon_text(r) + "\n";
  if (c.handed_over > 0)
    out += fmt::format("  stiff: handed over to radau5 {}\n",
                       counted(static_cast<std::size_t>(c.handed_over), "time", "times"));
  if (c.near_singular > 0) out += fmt::format("  {} evaluations near a singular position\n", c.near_singular);
  if (r.head.constraint_rows > 0)
    out += fmt::format("  joints: {:.1e} off at most (positions), {:.1e} (velocities, before projection)\n",
                       r.worst_position_residual, r.worst_velocity_residual);
  if (!r.head.contacts.empty())
    out += fmt::format("\nimpacts: {}\n", r.impact_count) + impacts_text(r, style) + account_text(r);
  if (!r.events.empty()) {
    out += "\nevents\n";
    for (std::size_t i = 0; i < r.events.size() && i < kShownFirst; ++i)
      out += fmt::format("  {:<16} {:.12g} s\n", name_in(r.head.events, r.events[i].event), r.events[i].time_s);
    if (r.events.size() > kShownFirst) out += fmt::format("  ... {} more\n", r.events.size() - kShownFirst);
  }
  out += "\nledger\n" + ledger_text(r.ledger, style);
  return fitted(out + fmt::format("fingerprint {:016x}\n", r.fingerprint), style);
}

std::string summary_json(const recording::Recording& r, std::optional<double> wall_s) {
  Json j;
  j["title"] = r.head.title;
  j["end"] = word_of(r.end);
  if (!r.failure.empty()) j["failure"] = r.failure;
  j["time_s"] = r.time_s;
  j["integrator"] = r.head.integrator;
  j["tolerance"] = r.head.tolerance;
  j["steps"] = r.counts.steps;
  j["rejected"] = r.counts.rejected;
  j["evaluations"] = r.counts.evaluations;
  j["handed_over"] = r.counts.handed_over;
  j["near_singular"] = r.counts.near_singular;
  j["degrees_of_freedom"] = r.head.degrees_of_freedom;
  j["redundant_rows"] = r.head.redundant_rows;
  j["undetermined_reactions"] = r.head.undetermined_reactions;
  if (r.horizon) {
    Json& h = j["horizon"];
    h["against"] = r.horizon->against;
    h["parted_s"] = json_number(r.horizon->parted_s);
    h["largest_difference"] = r.horizon->largest_difference;
  }
  j["position_residual"] = r.worst_position_residual;
  j["impact_count"] = r.impact_count;
  j["law_speed_raised"] = r.raised_count;
  j["impacts"] = Json::array();
  const auto columns = recording::impact_columns();
  for (const recording::Impact& k : r.impacts) {
    Json row;
    const std::vector<double> values = recording::impact_row(k);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string key = columns[i].name;
      if (i == 0)
        row[key] = name_in(r.head.contacts, k.contact);
      else if (std::isfinite(values[i]))
        row[key] = values[i];
      else
        row[key] = nullptr;
    }
    j["impacts"].push_back(std::move(row));
  }
  j["events"] = Json::array();
  for (const recording::EventRecord& e : r.events)
    j["events"].push_back({{"event", name_in(r.head.events, e.event)}, {"time_s", e.time_s}});
  const auto energy = [](const recording::Energy& e) {
    Json out;
    for (const recording::EnergyTerm& term : recording::kEnergyTerms)
      out[std::string(term.key) + "_J"] = e.*term.value;
    return out;
  };
  j["ledger"] = {{"start", energy(r.ledger.start)},
                 {"end", energy(r.ledger.end)},
                 {"error_J", r.ledger.error_J()},
                 {"largest_error_J", r.ledger.largest_error_J},
                 {"exchanged_J", r.ledger.exchanged_J}};
  j["warnings"] = r.head.warnings;
  for (const std::string& w : r.warnings) j["warnings"].push_back(w);
  if (wall_s) j["wall_s"] = *wall_s;
  j["fingerprint"] = fmt::format("{:016x}", r.fingerprint);
  return j.dump(2) + "\n";
}

}  // namespace percuss::report
