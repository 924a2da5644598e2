// Statistics, indices, curves, maps, parallel coordinates.
#include "percuss/report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "percuss/base/units.h"
#include "percuss/report/json.h"
#include "percuss/report/numbers.h"
#include "percuss/study/sweep/bifurcation.h"
#include "percuss/study/sweep/random.h"

namespace percuss::report {

using study::SobolIndex;
using study::Statistics;
using study::SweepColumn;
using study::SweepData;

namespace {

constexpr std::size_t kMostOutputs = 12, kMostCurves = 12, kMostLines = 2000, kMostDots = 20'000;

std::string shown(double value) { return std::isnan(value) ? "-" : text_of(value, 6); }

std::string settled(const SweepData& d) {
  std::string out = fmt::format("{} of {} points are done", d.rows(), d.size);
  if (d.failed > 0) out += fmt::format(", {} failed", d.failed);
  if (d.again > 0) out += fmt::format(", {} are to be run again", d.again);
  return out;
}

Axis axis_of(const SweepColumn& c) { return {c.name, c.unit, {}, {}, c.log}; }

std::string with_unit(const SweepColumn& c) { return c.unit.empty() ? c.name : c.name + " (" + c.unit + ")"; }

std::string value_text(const SweepColumn& c, std::size_t row) {
  const double v = c.values[row];
  return c.words.empty() ? text_of(v) : c.words[static_cast<std::size_t>(v)];
}

/// Where the period of the section changes along the chain.
struct Change {
  std::size_t row = 0;
  int from = 0, to = 0;
};
std::vector<int> periods_of(const SweepData& d) {
  std::vector<int> out;
  out.reserve(d.sections.size());
  for (const auto& s : d.sections) out.push_back(study::period_of(s));
  return out;
}
std::vector<Change> changes_of(const std::vector<int>& periods) {
  std::vector<Change> out;
  for (std::size_t i = 1; i < periods.size(); ++i)
    if (periods[i] != periods[i - 1]) out.push_back({i, periods[i - 1], periods[i]});
  return out;
}
std::string period_text(int period) { return period == 0 ? "none up to 16" : std::to_string(period); }
std::string no_change(int period) {
  return period == 0
             ? "the section does not repeat within 16 periods at any value: does the period fit what drives the "
               "system, and is the transient long enough?"
             : fmt::format("the section repeats after {} period{} at every value", period, period == 1 ? "" : "s");
}
/// Does the chain come back?
bool returns(const SweepData& d) {
  for (const auto& [key, value] : d.facts)
    if (key == "direction") return value != "up";
  return true;
}
/// The way back begins with the second half of the points.
bool is_down(const SweepData& d, std::size_t row) { return d.points[row] >= d.size / 2 && returns(d); }

}  // namespace

std::string sweep_text(const SweepData& d, const Style& style) {
  std::string out = d.title + "\n\n  " + settled(d) + "\n\n";
  if (d.is_bifurcation) {
    TextTable table({"from", "to", with_unit(d.axes.front()), "way"});
    const std::vector<int> periods = periods_of(d);
    for (const Change& c : changes_of(periods))
      table.add(
          {period_text(c.from), period_text(c.to),
           fmt::format("{} .. {}", shown(d.axes.front().values[c.row - 1]), shown(d.axes.front().values[c.row])),
           is_down(d, c.row) ? "down" : "up"});
    if (changes_of(periods).empty())
      out += periods.empty() ? "" : "  " + no_change(periods.front()) + "\n";
    else
      out += "  where the number of periods changes after which the section repeats\n\n" + table.text(style);
  } else {
    TextTable table({"output", "mean", "deviation", "least", "5 %", "median", "95 %", "greatest", "missing"});
    for (const SweepColumn& c : d.outputs) {
      const Statistics s = study::statistics(c.values);
      table.add({with_unit(c), shown(s.mean), shown(s.deviation), shown(s.least), shown(s.q05), shown(s.median),
                 shown(s.q95), shown(s.greatest), std::to_string(d.rows() - s.count)});
    }
    out += table.text(style);
    const auto all_indices = study::sobol_indices(d);
    for (std::size_t k = 0; k < d.outputs.size(); ++k) {
      const std::vector<SobolIndex>& indices = all_indices[k];
      if (indices.empty()) continue;
      TextTable shares({"share of the variance of " + d.outputs[k].name, "first", "total"});
      for (const SobolIndex& i : indices)
        shares.add(
            {i.axis, fmt::format("{:.4f}", i.first), std::isnan(i.total) ? "-" : fmt::format("{:.4f}", i.total)});
      out += "\n" + shares.text(style);
    }
    if (const std::string why = study::why_there_are_no_indices(d); !why.empty()) out += "\n  " + why + "\n";
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(d.failures.size(), 5); ++i)
    out += fmt::format("{}  {} points: {}\n", i == 0 ? "\n" : "", d.failures[i].second, d.failures[i].first);
  if (d.failures.size() > 5)
    out += fmt::format("  and {} further reasons: --csv has them all\n", d.failures.size() - 5);
  return fitted(out, style);
}

std::string sweep_json(const SweepData& d) {
  Json out{{"title", d.title}, {"store", d.source},  {"points", d.size},
           {"done", d.rows()}, {"failed", d.failed}, {"again", d.again}};
  Json outputs = Json::object();
  const auto all_indices = study::sobol_indices(d);
  for (std::size_t k = 0; k < d.outputs.size(); ++k) {
    const Statistics s = study::statistics(d.outputs[k].values);
    Json one{{"count", s.count},
             {"mean", json_number(s.mean)},
             {"deviation", json_number(s.deviation)},
             {"least", json_number(s.least)},
             {"median", json_number(s.median)},
             {"greatest", json_number(s.greatest)}};
    Json shares = Json::object();
    for (const SobolIndex& i : all_indices[k])
      shares[i.axis] = {{"first", json_number(i.first)}, {"total", json_number(i.total)}};
    if (!shares.empty()) one["indices"] = shares;
    outputs[d.outputs[k].name] = one;
  }
  out["outputs"] = outputs;
  if (d.is_bifurcation) {
    Json chain = Json::array();
    const std::vector<int> periods = periods_of(d);
    for (std::size_t r = 0; r < d.rows(); ++r)
      chain.push_back(
          {{"value", d.axes.front().values[r]}, {"way", is_down(d, r) ? "down" : "up"}, {"period", periods[r]}});
    out["chain"] = chain;
  }
  Json failures = Json::array();
  for (const auto& [reason, count] : d.failures) failures.push_back({{"reason", reason}, {"points", count}});
  out["failures"] = failures;
  return out.dump(2) + "\n";
}

namespace {
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}
}  // namespace

std::string sweep_csv(const SweepData& d) {
  std::string out = "# percuss sweep: " + d.title + "\npoint";
  for (const SweepColumn& c : d.axes) out += "," + csv_text(c.name);
  if (d.is_bifurcation) out += ",way,period";
  for (const SweepColumn& c : d.outputs) out += "," + csv_text(c.name);
  out += ",status,reason\n";
  const auto put = [&](std::size_t r, const std::vector<double>& values, int period) {
    out += std::to_string(d.points[r]);
    for (const SweepColumn& c : d.axes) out += "," + csv_text(value_text(c, r));
    if (period >= 0) out += (is_down(d, r) ? ",down," : ",up,") + std::to_string(period);
    for (const double v : values) out += "," + (std::isnan(v) ? "" : text_of(v));
    out += ",done,\n";
  };
  auto lost = d.unsettled.begin();
  const auto put_lost_before = [&](std::size_t point) {
    for (; lost != d.unsettled.end() && lost->point < point; ++lost) {
      out += std::to_string(lost->point);
      for (const std::string& value : lost->axes) out += "," + csv_text(value);
      out += std::string(d.outputs.size() + (d.is_bifurcation ? 2 : 0), ',') + "," + lost->status + "," +
             csv_text(lost->reason) + "\n";
    }
  };
  for (std::size_t r = 0; r < d.rows(); ++r) {
    put_lost_before(d.points[r]);
    if (d.is_bifurcation) {
      for (std::size_t k = 0; k < d.sections[r].size(); ++k) put(r, d.sections[r][k], static_cast<int>(k));
      continue;
    }
    std::vector<double> values;
    for (const SweepColumn& c : d.outputs) values.push_back(c.values[r]);
    put(r, values, -1);
  }
  put_lost_before(std::numeric_limits<std::size_t>::max());
  return out;
}

namespace {

class SweepPage {
 public:
  SweepPage(const SweepData& d, const std::string& version)
      : d_(d), version_(version), indices_(study::sobol_indices(d)) {}

  Page run() {
    page_.kind = "sweep";
    page_.title = d_.title;
    page_.subtitle =
        fmt::format("{}, percuss {}, {} of computing", std::filesystem::path(d_.source).filename().string(),
                    version_, engineering(d_.wall_total_s, "s", 3));
    page_.answer = answer();
    for (const auto& [reason, count] : d_.failures)
      if (page_.warnings.size() < 8) page_.warnings.push_back(fmt::format("{} points: {}", count, reason));
    if (d_.failures.size() > 8)
      page_.warnings.push_back(fmt::format("and {} further reasons", d_.failures.size() - 8));
    if (d_.is_bifurcation) {
      add_diagram();
    } else if (d_.rows() > 0) {
      add_statistics();
      add_indices();
      add_curves();
      add_maps();
      add_parallel();
    }
    add_provenance();
    return std::move(page_);
  }

 private:
  bool numeric(const SweepColumn& axis) const { return axis.words.empty(); }
  std::size_t outputs() const { return std::min(d_.outputs.size(), kMostOutputs); }

  std::string answer() const {
    std::string out = settled(d_) + ". ";
    if (d_.is_bifurcation) {
      const auto changes = changes_of(periods_of(d_));
      for (std::size_t i = 0; i < std::min<std::size_t>(changes.size(), 4); ++i) {
        const Change& c = changes[i];
        out += fmt::format("On the way {} the period goes from {} to {} between {} and {}. ",
                           is_down(d_, c.row) ? "down" : "up", period_text(c.from), period_text(c.to),
                           shown(d_.axes.front().values[c.row - 1]), shown(d_.axes.front().values[c.row]));
      }
      if (changes.empty() && d_.rows() > 0) out += "On the whole way " + no_change(periods_of(d_).front()) + ".";
      return out;
    }
    for (std::size_t k = 0; k < std::min<std::size_t>(outputs(), 3); ++k) {
      const Statistics s = study::statistics(d_.outputs[k].values);
      const std::string unit = d_.outputs[k].unit.empty() ? "" : " " + d_.outputs[k].unit;
      out +=
          fmt::format("{} lies between {} and {}{}", d_.outputs[k].name, shown(s.least), shown(s.greatest), unit);
      const std::vector<SobolIndex>& indices = indices_[k];
      const auto most = std::ranges::max_element(indices, {}, &SobolIndex::first);
      if (most != indices.end())
        out += fmt::format("; {} alone explains {:.0f} % of its variance", most->axis, 100 * most->first);
      out += ". ";
    }
    return out;
  }

  void add_statistics() {
    TableBlock t;
    t.id = "statistics";
    t.title = "Outputs over all points";
    t.columns = {{"output"}, {"mean"}, {"deviation"}, {"least"},    {"5 %"},    {"25 %"},
                 {"median"}, {"75 %"}, {"95 %"},      {"greatest"}, {"missing"}};
    for (const SweepColumn& c : d_.outputs) {
      const Statistics s = study::statistics(c.values);
      t.rows.push_back({with_unit(c), s.mean, s.deviation, s.least, s.q05, s.q25, s.median, s.q75, s.q95,
                        s.greatest, static_cast<double>(d_.rows() - s.count)});
    }
    page_.section("statistics-section", "Outputs").blocks.emplace_back(std::move(t));
  }

  void add_indices() {
    std::vector<Block> blocks;
    for (std::size_t k = 0; k < outputs(); ++k) {
      const std::vector<SobolIndex>& indices = indices_[k];
      if (indices.empty()) continue;
      TableBlock t;
      t.id = "indices-" + d_.outputs[k].name;
      t.title = "Shares of the variance of " + d_.outputs[k].name;
      t.columns = {
          {"axis"}, {"first", "", "explained by this axis alone"}, {"total", "", "all that it takes part in"}};
      for (const SobolIndex& i : indices) t.rows.push_back({i.axis, i.first, i.total});
      blocks.emplace_back(std::move(t));
    }
    const std::string why = study::why_there_are_no_indices(d_);
    if (blocks.empty() && why.empty()) return;
    const std::string how = blocks.empty() ? why : "Found " + study::how_indices_are_found(d_) + ".";
    PageSection& s = page_.section("indices", "Sobol indices");
    s.blocks = std::move(blocks);
    s.blocks.emplace_back(TextBlock{how});
  }

  /// Every output over every axis of numbers: curves where few combinations of the other axes are left, a median
  /// for each word of an axis of words, quantiles of all points elsewhere.
  void add_curves() {
    PageSection& s = page_.section("curves", "Over each axis");
    for (std::size_t k = 0; k < outputs(); ++k)
      for (const SweepColumn& axis : d_.axes) {
        if (!numeric(axis)) continue;
        PlotBlock plot;
        plot.id = "curve-" + d_.outputs[k].name + "-" + axis.name;
        plot.title = d_.outputs[k].name + " over " + axis.name;
        plot.x = axis_of(axis);
        plot.y = axis_of(d_.outputs[k]);
        if (!add_combinations(plot, axis, d_.outputs[k]) && !add_medians_by_word(plot, axis, d_.outputs[k]))
          add_quantiles(plot, axis, d_.outputs[k]);
        if (!plot.lines.empty()) s.blocks.emplace_back(std::move(plot));
      }
    if (s.blocks.empty()) page_.sections.pop_back();
  }

  bool add_combinations(PlotBlock& plot, const SweepColumn& axis, const SweepColumn& output) {
    if (std::ranges::any_of(d_.axes, &SweepColumn::sampled)) return false;
    std::map<std::string, std::vector<std::pair<double, double>>> lines;
    for (std::size_t r = 0; r < d_.rows(); ++r) {
      std::string name;
      for (const SweepColumn& other : d_.axes)
        if (&other != &axis) name += (name.empty() ? "" : ", ") + other.name + " " + value_text(other, r);
      lines[name].emplace_back(axis.values[r], output.values[r]);
      if (lines.size() > kMostCurves) return false;
    }
    for (auto& [name, dots] : lines) {
      std::ranges::sort(dots);
      std::vector<double> x, y;
      for (const auto& [a, b] : dots) x.push_back(a), y.push_back(b);
      plot.lines.push_back({name.empty() ? output.name : name, page_.arrays.add(x), page_.arrays.add(y)});
    }
    return true;
  }

  /// Of the first axis with a few words: laws, say.
  bool add_medians_by_word(PlotBlock& plot, const SweepColumn& axis, const SweepColumn& output) {
    const auto words = std::ranges::find_if(
        d_.axes, [](const SweepColumn& a) { return a.words.size() > 1 && a.words.size() <= kMostCurves; });
    if (words == d_.axes.end()) return false;
    const auto slices = study::slices(axis, slices_of(words->words.size()));
    for (std::size_t w = 0; w < words->words.size(); ++w) {
      std::vector<double> x, y;
      for (const study::Slice& slice : slices) {
        std::vector<double> values;
        for (const std::size_t r : slice.rows)
          if (words->values[r] == static_cast<double>(w)) values.push_back(output.values[r]);
        const Statistics st = study::statistics(values);
        if (st.count > 0) x.push_back(slice.centre), y.push_back(st.median);
      }
      if (x.size() > 1) plot.lines.push_back({words->words[w], page_.arrays.add(x), page_.arrays.add(y)});
    }
    plot.note = "A curve for each " + words->name + ": medians over all other axes.";
    return !plot.lines.empty();
  }
  /// Enough of them to see a shape, with enough points in each.
  std::size_t slices_of(std::size_t groups) const {
    return std::clamp<std::size_t>(d_.rows() / (12 * groups), 4, 24);
  }

  void add_quantiles(PlotBlock& plot, const SweepColumn& axis, const SweepColumn& output) {
    std::vector<double> x;
    std::vector<std::vector<double>> q(5);
    for (const study::Slice& slice : study::slices(axis, slices_of(1))) {
      std::vector<double> values;
      for (const std::size_t r : slice.rows) values.push_back(output.values[r]);
      const Statistics st = study::statistics(values);
      if (st.count == 0) continue;
      x.push_back(slice.centre);
      const double quantiles[] = {st.q05, st.q25, st.median, st.q75, st.q95};
      for (std::size_t i = 0; i < 5; ++i) q[i].push_back(quantiles[i]);
    }
    if (x.size() < 2) return;
    const int at = page_.arrays.add(x);
    constexpr const char* kNames[] = {"5 %", "25 %", "median", "75 %", "95 %"};
    for (std::size_t i = 0; i < 5; ++i)
      plot.lines.push_back({kNames[i], at, page_.arrays.add(q[i]), i == 0 || i == 4, i != 2});
    plot.note = "Bands of quantiles over all other axes.";
  }

  /// Means over what the other axes do, for pairs of axes of numbers.
  void add_maps() {
    std::vector<const SweepColumn*> axes;
    for (const SweepColumn& a : d_.axes)
      if (numeric(a) && axes.size() < 3) axes.push_back(&a);
    if (axes.size() < 2) return;
    PageSection& s = page_.section("maps", "Maps");
    for (std::size_t k = 0; k < std::min<std::size_t>(outputs(), 6); ++k)
      for (std::size_t a = 0; a < axes.size(); ++a)
        for (std::size_t b = a + 1; b < axes.size(); ++b) add_map(s, *axes[a], *axes[b], d_.outputs[k]);
    if (s.blocks.empty()) page_.sections.pop_back();
  }

  void add_map(PageSection& s, const SweepColumn& x, const SweepColumn& y, const SweepColumn& output) {
    const auto most =
        static_cast<std::size_t>(std::clamp(std::sqrt(static_cast<double>(d_.rows()) / 4), 4.0, 16.0));
    const auto columns = study::slices(x, most), rows = study::slices(y, most);
    if (columns.size() < 2 || rows.size() < 2) return;
    std::vector<std::size_t> row_of(d_.rows());
    for (std::size_t j = 0; j < rows.size(); ++j)
      for (const std::size_t r : rows[j].rows) row_of[r] = j;
    MapBlock map;
    map.id = "map-" + output.name + "-" + x.name + "-" + y.name;
    map.title = output.name + " over " + x.name + " and " + y.name;
    map.x = axis_of(x);
    map.y = axis_of(y);
    map.label = with_unit(output);
    std::vector<double> xs, ys, sum(columns.size() * rows.size(), 0), count(sum.size(), 0);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      xs.push_back(columns[i].centre);
      for (const std::size_t r : columns[i].rows)
        if (std::isfinite(output.values[r])) {
          sum[row_of[r] * columns.size() + i] += output.values[r];
          count[row_of[r] * columns.size() + i] += 1;
        }
    }
    for (const study::Slice& j : rows) ys.push_back(j.centre);
    double most_points = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      most_points = std::max(most_points, count[i]);
      sum[i] = count[i] > 0 ? sum[i] / count[i] : std::nan("");
    }
    map.xs = page_.arrays.add(xs);
    map.ys = page_.arrays.add(ys);
    map.values = page_.arrays.add(sum);
    if (x.sampled || y.sampled)
      map.note = "Means over the points of each cell; cells hold about equally many along sampled axes.";
    else if (most_points > 1)
      map.note = "Means over the points that share these values.";
    s.blocks.emplace_back(std::move(map));
  }

  void add_parallel() {
    if (d_.axes.size() + d_.outputs.size() < 3) return;
    ParallelBlock p;
    p.id = "parallel";
    p.title = "One line a point, coloured by the last column";
    // any stride would fall in step with a grid
    std::vector<std::uint32_t> drawn = study::permutation(1, 0, static_cast<std::uint32_t>(d_.rows()));
    drawn.resize(std::min(drawn.size(), kMostLines));
    std::ranges::sort(drawn);
    const auto add = [&](const SweepColumn& c) {
      std::vector<double> values;
      values.reserve(drawn.size());
      for (const std::uint32_t r : drawn) values.push_back(c.values[r]);
      p.columns.push_back({c.name, page_.arrays.add(values), c.words});
    };
    for (const SweepColumn& c : d_.axes) add(c);
    for (std::size_t k = 0; k < outputs(); ++k) add(d_.outputs[k]);
    if (drawn.size() < d_.rows()) p.note = fmt::format("{} of {} points are drawn. ", drawn.size(), d_.rows());
    p.note += "Drag along a column to keep the lines that pass there; a click on it shows all again.";
    page_.section("parallel-section", "Parallel coordinates").blocks.emplace_back(std::move(p));
  }

  void add_diagram() {
    PageSection& s = page_.section("diagram", "Bifurcation diagram");
    std::size_t all = 0;
    for (const auto& section : d_.sections) all += section.size();
    const std::size_t step = std::max<std::size_t>(1, all / kMostDots);
    for (std::size_t k = 0; k < d_.outputs.size(); ++k) {
      PlotBlock plot;
      plot.id = "diagram-" + d_.outputs[k].name;
      plot.title = d_.outputs[k].name + " at the end of each period";
      plot.x = axis_of(d_.axes.front());
      plot.y = axis_of(d_.outputs[k]);
      for (const bool down : {false, true}) {
        std::vector<double> x, y;
        for (std::size_t r = 0; r < d_.rows(); ++r)
          if (is_down(d_, r) == down)
            for (std::size_t i = 0; i < d_.sections[r].size(); i += step)
              x.push_back(d_.axes.front().values[r]), y.push_back(d_.sections[r][i][k]);
        if (!x.empty())
          plot.lines.push_back(
              {down ? "down" : "up", page_.arrays.add(x), page_.arrays.add(y), false, false, true});
      }
      s.blocks.emplace_back(std::move(plot));
    }
    TableBlock t;
    t.id = "changes";
    t.title = "Where the period of the section changes";
    t.columns = {{"way"}, {"period before"}, {"period after"}, {"between"}, {"and"}};
    for (const Change& c : changes_of(periods_of(d_)))
      t.rows.push_back({std::string(is_down(d_, c.row) ? "down" : "up"), period_text(c.from), period_text(c.to),
                        d_.axes.front().values[c.row - 1], d_.axes.front().values[c.row]});
    s.blocks.emplace_back(std::move(t));
  }

  void add_provenance() {
    PageSection& s = page_.section("provenance", "Provenance");
    std::string text;
    for (const auto& [key, value] : d_.facts) text += key + ": " + value + "\n";
    s.blocks.emplace_back(CodeBlock{"All that decides the results", text});
  }

  const SweepData& d_;
  const std::string& version_;
  std::vector<std::vector<SobolIndex>> indices_;  // [output]
  Page page_;
};

}  // namespace

Page sweep_page(const SweepData& data, const std::string& version) { return SweepPage(data, version).run(); }

}  // namespace percuss::report
