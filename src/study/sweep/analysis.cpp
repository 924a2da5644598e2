// Columns to numbers.
#include "percuss/study/sweep/analysis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "percuss/base/words.h"

namespace percuss::study {

SweepData read_sweep(Store& store) {
  SweepData out;
  const auto whole = [&](const char* key, std::size_t otherwise) {
    const Result<double> n = read_number(store.fact(key));
    return n && *n >= 0 && *n <= 1e15 ? static_cast<std::size_t>(*n) : otherwise;
  };
  out.title = store.fact("title");
  out.source = store.path().string();
  out.is_bifurcation = store.fact("kind") == "bifurcation";
  out.size = whole("size", 0);
  out.samples = whole("samples", 1);
  out.rows_of_matrix = whole("rows_of_matrix", 1);
  out.sampling = store.fact("sampling");
  const std::string sampled = store.fact("sampled");  // "+" or "-" an axis
  const std::vector<std::string> units = split_at(store.fact("units"), '\n'),
                                 output_units = split_at(store.fact("output_units"), '\n');
  for (std::size_t i = 0; i < store.columns().axes.size(); ++i)
    out.axes.push_back({store.columns().axes[i],
                        {},
                        {},
                        i < sampled.size() && sampled[i] == '+',
                        i < units.size() ? units[i] : ""});
  const std::vector<std::string>& outputs = store.columns().outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    out.outputs.push_back({outputs[i], {}, {}, false, i < output_units.size() ? output_units[i] : ""});
  std::map<std::string, std::size_t> failures;
  store.each_row([&](const Store::Row& row) {
    if (row.status != PointStatus::done) {
      (row.status == PointStatus::failed ? out.failed : out.again) += 1;
      ++failures[row.reason];
      SweepData::Unsettled one{row.point, row.status == PointStatus::failed ? "failed" : "again", row.reason, {}};
      for (const AxisValue& v : row.axes)
        one.axes.push_back(std::holds_alternative<double>(v) ? text_of(std::get<double>(v))
                                                             : std::get<std::string>(v));
      out.unsettled.push_back(std::move(one));
      return;
    }
    out.points.push_back(row.point);
    for (std::size_t i = 0; i < out.axes.size(); ++i) {
      SweepColumn& c = out.axes[i];
      if (const auto* word = std::get_if<std::string>(&row.axes[i])) {
        const auto known = std::ranges::find(c.words, *word);
        c.values.push_back(static_cast<double>(known - c.words.begin()));
        if (known == c.words.end()) c.words.push_back(*word);
      } else {
        c.values.push_back(std::get<double>(row.axes[i]));
      }
    }
    for (std::size_t i = 0; i < out.outputs.size(); ++i) out.outputs[i].values.push_back(row.outputs[i]);
  });
  out.failures.assign(failures.begin(), failures.end());
  std::ranges::stable_sort(out.failures, [](const auto& a, const auto& b) { return a.second > b.second; });
  out.wall_total_s = store.wall_total_s();
  out.facts = store.facts();
  for (SweepColumn& a : out.axes)
    a.log = std::ranges::any_of(out.facts, [&](const auto& fact) {
      return fact.first == "axes." + a.name + ".scale" && fact.second == "log";
    });
  if (out.is_bifurcation)
    for (const std::size_t p : out.points) out.sections.push_back(store.section_of(p));
  return out;
}

double sorted_quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::nan("");
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Statistics statistics(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  Statistics out;
  out.count = values.size();
  if (values.empty()) {
    out.mean = out.deviation = out.least = out.greatest = out.q05 = out.q25 = out.median = out.q75 = out.q95 =
        std::nan("");
    return out;
  }
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - out.mean) * (v - out.mean);
  out.deviation = values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
  out.least = values.front();
  out.greatest = values.back();
  out.q05 = sorted_quantile(values, 0.05);
  out.q25 = sorted_quantile(values, 0.25);
  out.median = sorted_quantile(values, 0.5);
  out.q75 = sorted_quantile(values, 0.75);
  out.q95 = sorted_quantile(values, 0.95);
  return out;
}

std::vector<Slice> slices(const SweepColumn& axis, std::size_t most) {
  std::vector<std::size_t> order(axis.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&axis](std::size_t r) { return axis.values[r]; });
  std::vector<Slice> out;
  const std::size_t most_values = std::max<std::size_t>(most, axis.sampled ? 0 : 200);
  for (std::size_t i = 0; i < order.size() && out.size() <= most_values; ++i) {
    if (out.empty() || axis.values[order[i]] != out.back().centre) out.push_back({axis.values[order[i]], {}});
    out.back().rows.push_back(order[i]);
  }
  if (out.size() <= most_values) return out;
  out.clear();
  for (std::size_t k = 0; k < most; ++k) {
    Slice slice;
    double sum = 0;
    for (std::size_t i = order.size() * k / most; i < order.size() * (k + 1) / most; ++i) {
      slice.rows.push_back(order[i]);
      sum += axis.values[order[i]];
    }
    slice.centre = sum / static_cast<double>(slice.rows.size());
    if (!slice.rows.empty()) out.push_back(std::move(slice));
  }
  return out;
}

namespace {

double mean_of(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}
/// Mean square about the mean.
double variance_of(const std::vector<double>& v) {
  const double mean = mean_of(v);
  double sum = 0;
  for (const double x : v) sum += (x - mean) * (x - mean);
  return sum / static_cast<double>(v.size());
}

/// Rows of the design whose numbers are all there, in one cell of the grid: f[matrix][row].
std::vector<std::vector<double>> complete_rows(const SweepData& data, const std::vector<double>& y,
                                               std::size_t matrices) {
  const std::size_t n = data.rows_of_matrix;
  std::vector<std::vector<double>> raw(matrices, std::vector<double>(n, std::nan("")));
  for (std::size_t r = 0; r < data.rows(); ++r)
    if (data.points[r] < data.samples) raw[data.points[r] / n][data.points[r] % n] = y[r];
  std::vector<std::vector<double>> f(matrices);
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::ranges::all_of(raw, [i](const auto& m) { return std::isfinite(m[i]); })) continue;
    for (std::size_t m = 0; m < matrices; ++m) f[m].push_back(raw[m][i]);
  }
  return f;
}

std::vector<SobolIndex> by_saltelli(const SweepData& data, const std::vector<double>& y) {
  std::vector<const SweepColumn*> axes;
  for (const SweepColumn& a : data.axes)
    if (a.sampled) axes.push_back(&a);
  const std::size_t d = axes.size();
  if (data.rows_of_matrix == 0 || data.samples != data.rows_of_matrix * (d + 2)) return {};  // no such design
  const auto f = complete_rows(data, y, d + 2);
  if (f.front().size() < 16) return {};
  std::vector<double> both = f[0];
  both.insert(both.end(), f[1].begin(), f[1].end());
  const double mean = mean_of(both), variance = variance_of(both);
  if (!(variance > 0)) return {};
  std::vector<SobolIndex> out;
  for (std::size_t j = 0; j < d; ++j) {
    double first = 0, total = 0;
    for (std::size_t i = 0; i < f.front().size(); ++i) {
      const double a = f[0][i] - mean, b = f[1][i] - mean, ab = f[j + 2][i] - mean;
      first += b * (ab - a);
      total += (a - ab) * (a - ab);
    }
    const double n = static_cast<double>(f.front().size()) * variance;
    out.push_back({axes[j]->name, first / n, total / (2 * n)});
  }
  return out;
}

/// Variance of the means over groups of rows that agree in a key.
double variance_of_means(const std::vector<std::size_t>& key, const std::vector<double>& y) {
  std::map<std::size_t, std::pair<double, double>> groups;
  for (std::size_t r = 0; r < y.size(); ++r) {
    auto& [sum, count] = groups[key[r]];
    sum += y[r];
    ++count;
  }
  const double mean = mean_of(y);
  double sum = 0;  // each group counts as often as it has rows
  for (const auto& [k, group] : groups) {
    const double away = group.first / group.second - mean;
    sum += group.second * away * away;
  }
  return sum / static_cast<double>(y.size());
}

std::vector<SobolIndex> by_grid(const SweepData& data, const std::vector<double>& y) {
  const double variance = variance_of(y);
  if (!(variance > 0)) return {};
  std::vector<std::vector<std::size_t>> index;  // [axis][row]
  std::vector<std::size_t> counts;
  for (const SweepColumn& a : data.axes) {
    std::map<double, std::size_t> values;
    for (const double v : a.values) values.emplace(v, 0);
    std::size_t k = 0;
    for (auto& [v, number] : values) number = k++;
    index.emplace_back();
    for (const double v : a.values) index.back().push_back(values[v]);
    counts.push_back(k);
  }
  std::vector<SobolIndex> out;
  for (std::size_t j = 0; j < data.axes.size(); ++j) {
    if (counts[j] < 2) continue;
    std::vector<std::size_t> others(y.size(), 0);  // all axes but j
    for (std::size_t r = 0; r < y.size(); ++r)
      for (std::size_t a = 0; a < data.axes.size(); ++a)
        if (a != j) others[r] = others[r] * counts[a] + index[a][r];
    out.push_back({data.axes[j].name, variance_of_means(index[j], y) / variance,
                   1 - variance_of_means(others, y) / variance});
  }
  return out;
}

using AllSlices = std::vector<std::vector<Slice>>;  // [axis]

AllSlices all_slices(const SweepData& data) {
  AllSlices out;
  const auto n = static_cast<double>(data.rows());
  for (const SweepColumn& a : data.axes)
    out.push_back(slices(a, static_cast<std::size_t>(std::clamp(std::sqrt(n), 8.0, 50.0))));
  return out;
}

/// Of n rows in B slices, chance alone would make the between-sum (B - 1) times the mean square within.
std::vector<SobolIndex> by_slices(const SweepData& data, const AllSlices& parts, const std::vector<double>& y) {
  std::vector<SobolIndex> out;
  const auto n = static_cast<double>(y.size());
  const double all = n * variance_of(y);
  if (!(all > 0) || y.size() < 64) return {};
  for (std::size_t a = 0; a < parts.size(); ++a) {
    if (parts[a].size() < 2 || parts[a].size() >= y.size()) continue;
    double within = 0;
    std::vector<double> values;
    for (const Slice& s : parts[a]) {
      values.clear();
      for (const std::size_t r : s.rows) values.push_back(y[r]);
      within += static_cast<double>(values.size()) * variance_of(values);
    }
    const auto count = static_cast<double>(parts[a].size());
    const double chance = (count - 1) * within / (n - count);
    out.push_back({data.axes[a].name, (all - within - chance) / all, std::nan("")});
  }
  return out;
}

bool is_grid(const SweepData& data) { return std::ranges::none_of(data.axes, &SweepColumn::sampled); }

}  // namespace

std::string how_indices_are_found(const SweepData& data) {
  if (data.sampling == "saltelli")
    return "from the Saltelli design: first by Saltelli et al. (2010), total by Jansen (1999)";
  if (is_grid(data)) return "by analysis of variance on the grid, all its values equally likely";
  return "first indices only, from slices of each axis; sampling: saltelli gives total ones too";
}

std::string why_there_are_no_indices(const SweepData& data) {
  if (data.is_bifurcation || data.axes.size() < 2) return "";
  if (data.rows() + data.failed < data.size) return "Sobol indices are told once all points are settled.";
  if (data.sampling == "saltelli" && !is_grid(data) && data.samples != data.size)
    return "A Saltelli design tells Sobol indices if all axes are sampled: here others make a grid.";
  if (is_grid(data) && data.rows() < data.size) return "A grid tells Sobol indices if no point has failed.";
  const auto found = sobol_indices(data);
  std::string lacking;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found[k].empty() && statistics(data.outputs[k].values).deviation > 0)
      lacking += (lacking.empty() ? "" : ", ") + data.outputs[k].name;
  if (!lacking.empty())
    return "No Sobol indices of " + lacking + ": too few points, or values that are missing at some of them.";
  return "";
}

std::vector<std::vector<SobolIndex>> sobol_indices(const SweepData& data) {
  std::vector<std::vector<SobolIndex>> out(data.outputs.size());
  // what is missing is not missing at random: points run in their order
  if (data.is_bifurcation || data.rows() + data.failed < data.size) return out;
  AllSlices parts;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::vector<double>& y = data.outputs[k].values;
    const bool all_there = std::ranges::all_of(y, [](double v) { return std::isfinite(v); });
    if (is_grid(data)) {
      if (y.size() == data.size && data.axes.size() > 1 && all_there) out[k] = by_grid(data, y);
      for (SobolIndex& i : out[k])  // sums of squares leave rounding where there is nothing
        for (double* share : {&i.first, &i.total})
          if (std::abs(*share) < 1e-12) *share = 0;
    } else if (data.sampling == "saltelli") {
      if (data.samples == data.size) out[k] = by_saltelli(data, y);  // one cell of a grid
    } else if (y.size() > 1 && all_there) {
      if (parts.empty()) parts = all_slices(data);
      out[k] = by_slices(data, parts, y);
    }
  }
  return out;
}

}  // namespace percuss::study
