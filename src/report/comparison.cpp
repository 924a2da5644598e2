// The ranking, and the page with everything side by side.
#include "percuss/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "percuss/report/json.h"
#include "percuss/report/numbers.h"
#include "percuss/report/page_parts.h"

namespace percuss::report {

using recording::FilledTable;
using study::ComparedNumbers;
using study::ComparedRun;
using study::Comparison;

namespace {

constexpr std::size_t kMostSamples = 4000;  // of a curve
constexpr std::size_t kMostImpacts = 30, kMostBodiesCompared = 4;

std::string number(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits);
}

std::string reasons(const ComparedRun& run) {
  std::string out;
  for (const Diagnostic& d : run.refused) out += (out.empty() ? "" : "; ") + d.text;
  if (run.refused.empty()) out = run.recording.failure;
  return out;
}

std::string horizon_of(const ComparedRun& run) {
  if (!run.recording.horizon) return "-";
  return run.recording.horizon->together() ? "end" : engineering(run.recording.horizon->parted_s, "s", 3);
}

/// What is to be thought of numbers of runs that the tolerance decides.
std::string beyond_horizon(const Comparison& c) {
  std::size_t parted = 0;
  double first_s = std::numeric_limits<double>::infinity();
  for (const std::size_t i : c.ranking)
    if (const double t = numbers_of(c.runs[i]).horizon_s; !std::isnan(t)) ++parted, first_s = std::min(first_s, t);
  if (parted == 0) return "";
  return fmt::format(
      "{} of {} runs pass their predictability horizon, the first at {}: later impacts depend on the tolerance, "
      "and "
      "so may the ranking.",
      parted, c.ranking.size(), engineering(first_s, "s", 3));
}

/// "flores and 2 more (exact) are one law: flores, exact, gonthier."
std::string shared_names(const Comparison& c) {
  std::string out;
  std::set<std::string> told;
  for (const ComparedRun& run : c.runs) {
    if (run.also.size() < 2 || !told.insert(run.law_name()).second) continue;
    out += (out.empty() ? "" : " ") + run.law_name() + " are one law: " + run.law;
    for (const std::string& other : run.also) out += ", " + other;
    out += ".";
  }
  return out;
}

}  // namespace

std::string comparison_text(const Comparison& c, const Style& style) {
  TextTable table({"rank", "law", "prescribed", "delivered", "bias", "peak force", "peak indentation", "lost",
                   "impacts", "horizon", "energy error", "warnings", "wall time"},
                  2);
  for (const std::size_t i : c.ranking) {
    const ComparedRun& run = c.runs[i];
    const ComparedNumbers n = numbers_of(run);
    table.add({std::to_string(run.rank), run.name(), number(n.prescribed, 4), number(n.delivered, 6),
               number(n.bias, 3), engineering(n.peak_N, "N"), engineering(n.depth_m, "m"),
               engineering(n.lost_J, "J"), std::to_string(n.impacts), horizon_of(run),
               fmt::format("{:.0e}", n.energy_error), std::to_string(run.warnings.size()),
               engineering(run.wall_s, "s", 3)});
  }
  std::string out = c.title + "\n\n" + table.text(style);
  out +=
      "  delivered: of the first impact; bias: mean of |energetic restitution - prescribed|, impacts weighted by "
      "their energy\n";
  if (const std::string shared = shared_names(c); !shared.empty()) out += "  " + shared + "\n";
  if (const std::string said = beyond_horizon(c); !said.empty()) out += "  " + said + "\n";
  if (!c.overall.empty()) {
    TextTable overall({"over all variants", "mean bias", "worst bias", "with"});
    for (const study::OverallBias& o : c.overall)
      overall.add({o.law, number(o.mean, 3), number(o.worst, 3), o.worst_variant});
    out += "\n" + overall.text(style);
  }
  std::string left_out;
  for (const ComparedRun& run : c.runs)
    if (!run.ran()) left_out += "  " + run.name() + ": " + reasons(run) + "\n";
  if (!left_out.empty()) out += "\nleft out:\n" + left_out;
  return fitted(out, style);
}

std::string comparison_json(const Comparison& c) {
  Json out{{"title", c.title}, {"scene", c.scene_file}, {"runs", Json::array()}};
  for (const ComparedRun& run : c.runs) {
    Json one{{"law", run.law}, {"calibration", run.calibration}, {"variant", run.variant}};
    if (!run.also.empty()) one["also"] = run.also;
    if (!run.ran()) {
      one["failed"] = reasons(run);
      out["runs"].push_back(std::move(one));
      continue;
    }
    const ComparedNumbers n = numbers_of(run);
    one["rank"] = run.rank;
    one["prescribed"] = json_number(n.prescribed);
    one["delivered"] = json_number(n.delivered);
    one["bias"] = json_number(n.bias);
    one["peak_force_N"] = n.peak_N;
    one["peak_indentation_m"] = n.depth_m;
    one["lost_J"] = n.lost_J;
    one["impacts"] = n.impacts;
    one["energy_error"] = n.energy_error;
    if (run.recording.horizon) one["horizon_s"] = json_number(n.horizon_s);
    one["warnings"] = run.warnings;
    one["wall_s"] = run.wall_s;
    out["runs"].push_back(std::move(one));
  }
  for (const study::OverallBias& o : c.overall)
    out["overall"].push_back(
        {{"law", o.law}, {"mean_bias", o.mean}, {"worst_bias", o.worst}, {"with", o.worst_variant}});
  return out.dump(2) + "\n";
}

namespace {

class ComparisonPage {
 public:
  ComparisonPage(const Comparison& c, const std::string& version) : c_(c), version_(version) {}

  Page run() {
    page_.kind = "compare";
    page_.title = c_.title;
    page_.subtitle = fmt::format("{} runs on {}, percuss {}", c_.ranking.size(),
                                 std::filesystem::path(c_.scene_file).filename().string(), version_);
    page_.answer = answer();
    add_ranking();
    add_bars();
    add_contacts();
    add_bodies();
    add_impacts();
    add_warnings();
    PageSection& s = page_.section("provenance", "Provenance");
    std::string overrides;
    for (const std::string& o : c_.overrides) overrides += "# --set " + o + "\n";
    s.blocks.emplace_back(CodeBlock{"The scene", overrides + c_.scene_text});
    return std::move(page_);
  }

 private:
  std::string answer() const {
    if (c_.ranking.empty()) return "No law could be run.";
    const ComparedRun& best = c_.runs[c_.ranking.front()];
    const ComparedNumbers b = numbers_of(best);
    std::string out;
    if (!c_.overall.empty()) {
      const study::OverallBias &near = c_.overall.front(), &far = c_.overall.back();
      out = fmt::format(
          "Over all variants {} is nearest to the prescribed restitutions: it misses by {} in the mean. ", near.law,
          number(near.mean, 3));
      if (c_.overall.size() > 1) out += fmt::format("Farthest is {}, by {}. ", far.law, number(far.mean, 3));
    } else if (!std::isnan(b.bias)) {
      std::size_t last = c_.ranking.front();
      for (const std::size_t i : c_.ranking)
        if (!std::isnan(numbers_of(c_.runs[i]).bias)) last = i;
      const ComparedNumbers w = numbers_of(c_.runs[last]);
      out = fmt::format(
          "Nearest to the prescribed restitution is {}: prescribed {}, delivered {} in the first impact. ",
          best.name(), number(b.prescribed, 4), number(b.delivered, 5));
      if (last != c_.ranking.front())
        out += fmt::format("Farthest is {}, which delivered {}. ", c_.runs[last].name(), number(w.delivered, 5));
    }
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const std::size_t i : c_.ranking) {
      const double peak = numbers_of(c_.runs[i]).peak_N;
      low = std::min(low, peak), high = std::max(high, peak);
    }
    if (high > 0)
      out += fmt::format("The peak forces lie between {} and {}. ", engineering(low, "N"), engineering(high, "N"));
    if (const std::string said = beyond_horizon(c_); !said.empty()) out += said + " ";
    const std::size_t out_of = c_.runs.size() - c_.ranking.size();
    if (out_of > 0) out += fmt::format("{} of {} could not be run (listed below).", out_of, c_.runs.size());
    return out;
  }

  void add_ranking() {
    TableBlock table;
    table.id = "ranking";
    table.title = "Ranking: nearest to the prescribed restitution first";
    table.columns = {{"rank"},
                     {"law"},
                     {"prescribed", "", "of the first impact"},
                     {"delivered", "", "of the first impact"},
                     {"bias", "", "mean of |energetic restitution - prescribed|, impacts weighed by their energy"},
                     {"peak force", "N"},
                     {"peak indentation", "m"},
                     {"lost", "J"},
                     {"impacts"},
                     {"horizon", "", "predictability: when a run at a tighter tolerance parts from this one"},
                     {"energy error", "", "largest, over the energy exchanged"},
                     {"warnings"},
                     {"wall time", "s"}};
    for (const std::size_t i : c_.ranking) {
      const ComparedRun& run = c_.runs[i];
      const ComparedNumbers n = numbers_of(run);
      table.rows.push_back({static_cast<double>(run.rank), run.name(), n.prescribed, n.delivered, n.bias, n.peak_N,
                            n.depth_m, n.lost_J, static_cast<double>(n.impacts), horizon_of(run), n.energy_error,
                            static_cast<double>(run.warnings.size()), run.wall_s});
    }
    table.note = shared_names(c_);
    PageSection& s = page_.section("ranking-section", "Ranking");
    if (!c_.overall.empty()) {
      TableBlock overall;
      overall.id = "overall";
      overall.title = "Over all variants";
      overall.columns = {{"law"}, {"mean bias"}, {"worst bias"}, {"with"}};
      for (const study::OverallBias& o : c_.overall)
        overall.rows.push_back({o.law, o.mean, o.worst, o.worst_variant});
      s.blocks.emplace_back(std::move(overall));
    }
    s.blocks.emplace_back(std::move(table));
  }

  void add_bars() {
    PageSection& s = page_.section("bars", "Side by side");
    const auto bars = [&](const char* id, const char* title, const char* unit,
                          double (*value)(const ComparedNumbers&)) {
      BarsBlock b{id, title, unit, {}};
      for (const std::size_t i : c_.ranking)
        if (const double v = value(numbers_of(c_.runs[i])); std::isfinite(v))
          b.bars.push_back({c_.runs[i].name(), v});
      if (!b.bars.empty()) s.blocks.emplace_back(std::move(b));
    };
    bars("peak-force", "Peak force", "N", [](const ComparedNumbers& n) { return n.peak_N; });
    bars("lost-energy", "Energy lost", "J", [](const ComparedNumbers& n) { return n.lost_J; });
    PlotBlock plot;
    plot.id = "delivered-prescribed";
    plot.title = "Delivered against prescribed, all impacts";
    plot.x = {"prescribed restitution", "", {}, {}};
    plot.y = {"delivered restitution", "", {}, {}};
    plot.lines.push_back(
        {"prescribed = delivered", page_.arrays.add({0, 1}), page_.arrays.add({0, 1}), false, true});
    for (const std::size_t i : c_.ranking) {
      std::vector<double> x, y;
      for (const recording::Impact& k : c_.runs[i].recording.impacts)
        if (k.prescribed && k.delivered) x.push_back(*k.prescribed), y.push_back(*k.delivered);
      if (!x.empty())
        plot.lines.push_back({c_.runs[i].name(), page_.arrays.add(x), page_.arrays.add(y), false, false, true});
    }
    if (plot.lines.size() > 1) s.blocks.emplace_back(std::move(plot));
  }

  const FilledTable* table(std::size_t run, const std::string& name) const {
    return c_.runs[run].recording.find(name);
  }

  /// Rows of a table that keep the peaks of all its columns, and their times; the same for all its plots.
  struct Thinned {
    std::vector<std::size_t> rows;
    int time = 0;
  };
  const Thinned& thinned_rows(std::size_t run, const FilledTable& t, std::size_t item) {
    const auto key = std::tuple(run, t.table.name, item);
    if (const auto known = thinned_.find(key); known != thinned_.end()) return known->second;
    std::vector<std::vector<double>> columns;
    for (const recording::Column& c : t.table.columns)
      if (c.name != "t" && columns.size() < 8) columns.push_back(t.values_of(c.name, item));
    std::vector<const std::vector<double>*> series;
    series.reserve(columns.size());
    for (const auto& c : columns) series.push_back(&c);
    const std::vector<double> time = (t.column("t") >= 0 ? &t : table(run, "time"))->values_of("t");
    Thinned out{thinned(time, series, kMostSamples), 0};
    out.time = page_.arrays.add(at_rows(time, out.rows));
    return thinned_[key] = std::move(out);
  }
  static std::vector<double> at_rows(const std::vector<double>& all, const std::vector<std::size_t>& rows) {
    std::vector<double> out;
    out.reserve(rows.size());
    for (const std::size_t r : rows) out.push_back(all[r]);
    return out;
  }

  /// A column of a table over time, a curve a law.
  void over_time(PageSection& s, const std::string& id, const std::string& title, const std::string& of,
                 const std::string& column, Axis y_axis, std::size_t item = 0) {
    PlotBlock plot;
    plot.id = id;
    plot.title = title;
    plot.x = {"time", "s", {}, {}};
    plot.y = std::move(y_axis);
    plot.over_time = true;
    for (const std::size_t i : c_.ranking) {
      const FilledTable* t = table(i, of);
      if (!t || t->rows() < 2) continue;
      const Thinned& keep = thinned_rows(i, *t, item);
      plot.lines.push_back(
          {c_.runs[i].name(), keep.time, page_.arrays.add(at_rows(t->values_of(column, item), keep.rows))});
    }
    if (!plot.lines.empty()) s.blocks.emplace_back(std::move(plot));
  }

  /// One column over another while the contact touches: the first time, or always.
  void loops(PageSection& s, const std::string& id, const std::string& title, const std::string& contact,
             const char* y, Axis y_axis, bool first_alone) {
    PlotBlock plot;
    plot.id = id;
    plot.title = title;
    plot.x = {"indentation", "m", {}, {}};
    plot.y = std::move(y_axis);
    for (const std::size_t i : c_.ranking) {
      const FilledTable* t = table(i, "contacts/" + contact);
      if (!t) continue;
      const Loop loop = while_touching(*t, y, kMostSamples, first_alone);
      if (loop.depth_m.size() > 1)
        plot.lines.push_back({c_.runs[i].name(), page_.arrays.add(loop.depth_m), page_.arrays.add(loop.other)});
    }
    if (!plot.lines.empty()) s.blocks.emplace_back(std::move(plot));
  }

  void add_contacts() {
    PageSection& s = page_.section("contacts", "Contacts");
    for (const std::string& contact : c_.contacts) {
      const std::string in = c_.contacts.size() > 1 ? " of " + contact : "";
      over_time(s, "force-" + contact, "Force" + in, "contacts/" + contact, "force", {"force", "N", {}, {}});
      loops(s, "first-loop-" + contact, "Force over indentation, first contact" + in, contact, "force",
            {"force", "N", {}, {}}, true);
      loops(s, "phase-" + contact, "Phase portrait, first contact" + in, contact, "rate", {"rate", "m/s", {}, {}},
            true);
      loops(s, "loops-" + contact, "Force over indentation, all contacts" + in, contact, "force",
            {"force", "N", {}, {}}, false);
    }
  }

  void add_bodies() {
    PageSection& s = page_.section("motion", "Motion");
    if (c_.ranking.empty()) return;
    const FilledTable* bodies = table(c_.ranking.front(), "bodies");
    if (!bodies) return;
    for (std::size_t b = 0; b < std::min(bodies->table.items.size(), kMostBodiesCompared); ++b) {
      const std::string& body = bodies->table.items[b];
      for (const recording::Column& column : bodies->table.columns)
        if (!column.name.starts_with("q") && changes(bodies->values_of(column.name, b)))
          over_time(s, "body-" + body + "-" + column.name, body + "." + column.name, "bodies", column.name,
                    {column.name, column.unit, {}, {}}, b);
    }
  }

  /// Delivered restitution and peak force of impact after impact, one column per law.
  void add_impacts() {
    PageSection& s = page_.section("impacts", "Impacts side by side");
    const auto side_by_side = [&](const char* id, const char* title, const char* unit,
                                  double (*value)(const recording::Impact&)) {
      TableBlock t;
      t.id = id;
      t.title = title;
      t.columns = {{"impact"}};
      std::size_t rows = 0;
      for (const std::size_t i : c_.ranking) {
        t.columns.push_back({c_.runs[i].name(), unit});
        rows = std::max(rows, c_.runs[i].recording.impacts.size());
      }
      for (std::size_t k = 0; k < std::min(rows, kMostImpacts); ++k) {
        std::vector<Cell> row{static_cast<double>(k + 1)};
        for (const std::size_t i : c_.ranking) {
          const auto& impacts = c_.runs[i].recording.impacts;
          row.emplace_back(k < impacts.size() ? value(impacts[k]) : std::nan(""));
        }
        t.rows.push_back(std::move(row));
      }
      if (rows > kMostImpacts) t.note = fmt::format("The first {} of up to {} impacts.", kMostImpacts, rows);
      s.blocks.emplace_back(std::move(t));
    };
    side_by_side("impact-delivered", "Delivered restitution", "",
                 [](const recording::Impact& k) { return k.delivered.value_or(std::nan("")); });
    side_by_side("impact-force", "Peak force", "N", [](const recording::Impact& k) { return k.peak_force_N; });
    side_by_side("impact-touch", "Time of touch", "s", [](const recording::Impact& k) { return k.touch_s; });
  }

  void add_warnings() {
    TableBlock t;
    t.id = "validity";
    t.title = "Warnings of validity, and what could not be run";
    t.columns = {{"law"}, {"says"}};
    std::vector<std::pair<std::string, std::vector<std::string>>> said;  // and by whom
    for (const std::size_t i : c_.ranking)
      for (const std::string& w : c_.runs[i].warnings) {
        auto found = std::ranges::find(said, w, [](const auto& one) { return one.first; });
        if (found == said.end()) found = said.insert(said.end(), {w, {}});
        found->second.push_back(c_.runs[i].name());
      }
    for (const auto& [w, names] : said) {
      std::string who = names.size() == c_.ranking.size() && names.size() > 1 ? "all" : "";
      if (who.empty())
        for (const std::string& name : names) who += (who.empty() ? "" : "; ") + name;
      t.rows.push_back({who, w});
    }
    for (const ComparedRun& run : c_.runs)
      if (!run.ran()) t.rows.push_back({run.name(), "not run: " + reasons(run)});
    if (!t.rows.empty()) page_.section("validity-section", "Validity").blocks.emplace_back(std::move(t));
  }

  const Comparison& c_;
  const std::string& version_;
  Page page_;
  std::map<std::tuple<std::size_t, std::string, std::size_t>, Thinned> thinned_;
};

}  // namespace

Page comparison_page(const Comparison& c, const std::string& version) { return ComparisonPage(c, version).run(); }

}  // namespace percuss::report
