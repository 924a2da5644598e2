// SI prefixes and columns.
#include "percuss/report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace percuss::report {

namespace {
struct Prefix {
  std::string_view name;
  double factor;
};
constexpr Prefix kPrefixes[] = {{"T", 1e12}, {"G", 1e9},       {"M", 1e6},  {"k", 1e3},  {"", 1},
                                {"m", 1e-3}, {"\u00b5", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};
}  // namespace

Scale scale_for(double largest, std::string_view unit) {
  const double size = std::abs(largest);
  if (!(size > 0) || !std::isfinite(size) || unit == "1" || unit.empty())
    return {std::string(unit == "1" ? "" : unit), 1};
  for (const Prefix& prefix : kPrefixes)
    if (size >= 0.9999999 * prefix.factor) return {std::string(prefix.name) + std::string(unit), prefix.factor};
  return {std::string(unit), 1};
}

std::string engineering(double value, std::string_view unit, int digits) {
  if (std::isinf(value)) return "never";
  if (unit.empty() || unit == "1") return fmt::format("{:.{}g}", value, digits);
  const Scale scale = scale_for(value, unit);
  const double shown = value / scale.factor;
  if (scale.factor == 1 && (std::abs(shown) >= 1000 || std::abs(shown) < 1e-3) && shown != 0)
    return fmt::format("{:.{}g} {}", shown, digits, scale.unit);
  return fmt::format("{:#.{}g} {}", shown, digits, scale.unit);
}

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string TextTable::text(std::string_view indent) const {
  std::vector<std::size_t> width;
  for (const auto& row : rows_) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], shown_width(row[i]));
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line(indent);
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      line += rows_[r][i];
      if (i + 1 < rows_[r].size()) line += std::string(width[i] - shown_width(rows_[r][i]) + 2, ' ');
    }
    out += line + "\n";
    if (r == 0) {
      std::size_t total = 0;
      for (const std::size_t w : width) total += w + 2;
      out += std::string(indent) + std::string(total - 2, '-') + "\n";
    }
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::string out, line;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    const std::string_view word = text.substr(from, to - from);
    if (!line.empty() && shown_width(line) + 1 + shown_width(word) > width) {
      out += line + "\n" + std::string(indent);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    from = to + 1;
  }
  return out + line;
}

}  // namespace percuss::report
