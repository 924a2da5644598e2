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

std::string without_sign_of_zero(std::string text) {
  if (!text.starts_with('-')) return text;
  const std::size_t end = text.find_first_not_of("0.", 1);
  const bool has_digits = text.find('0') < end;
  const bool is_number = end == std::string::npos || text[end] == ' ';
  return has_digits && is_number ? text.substr(1) : text;
}

/// The sign of a zero, and of what is no number, says nothing.
std::string engineering(double value, std::string_view unit, int digits) {
  if (std::isinf(value)) return unit == "s" ? "never" : "infinite";
  if (value == 0) value = 0;
  if (std::isnan(value)) return "-";
  if (unit.empty() || unit == "1") return fmt::format("{:.{}g}", value, digits);
  const Scale scale = scale_for(value, unit);
  const double shown = value / scale.factor;
  if (scale.factor == 1 && (std::abs(shown) >= 1000 || std::abs(shown) < 1e-3) && shown != 0)
    return fmt::format("{:.{}g} {}", shown, digits, scale.unit);
  return without_sign_of_zero(fmt::format("{:#.{}g} {}", shown, digits, scale.unit));
}

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

namespace {

constexpr std::size_t kBetween = 2, kLeastWrapped = 24;  // blanks between columns; letters of a wrapped column

std::size_t total_of(const std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown) {
  std::size_t total = 0;
  for (const std::size_t c : shown) total += widths[c] + kBetween;
  return total - std::min(total, kBetween);
}

}  // namespace

void TextTable::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = without_sign_of_zero(std::move(cell));
  rows_.push_back(std::move(row));
}

/// The columns `shown`, as wide as `widths` says; the last is wrapped.
std::string TextTable::part(const Columns& shown, const Columns& widths, const Style& style,
                            std::string_view indent) const {
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line(indent);
    for (std::size_t k = 0; k < shown.size(); ++k) {
      const std::size_t c = shown[k];
      const std::string& cell = c < rows_[r].size() ? rows_[r][c] : "";
      if (k + 1 == shown.size())
        line += wrapped(cell, widths[c], std::string(indent.size() + total_of(widths, shown) - widths[c], ' '));
      else
        line += cell + std::string(widths[c] - shown_width(cell) + kBetween, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += r == 0 && style.colour ? "\033[1m" + line + "\033[0m\n" : line + "\n";
    if (r == 0) out += std::string(indent) + std::string(total_of(widths, shown), '-') + "\n";
  }
  return out;
}

std::string TextTable::text(const Style& style, std::string_view indent) const {
  Columns widths, all;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], shown_width(row[i]));
  }
  for (std::size_t c = 0; c < widths.size(); ++c) all.push_back(c);
  const std::size_t room = style.width - std::min(style.width, indent.size());
  const std::size_t total = total_of(widths, all);
  if (total <= room) return part(all, widths, style, indent);
  const std::size_t over = total - room;
  if (widths.back() >= over + kLeastWrapped) {
    widths.back() -= over;
    return part(all, widths, style, indent);
  }
  std::string out;
  const Columns keys(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(repeated_, all.size())));
  for (std::size_t next = keys.size(); next < all.size();) {
    Columns shown = keys;
    do shown.push_back(next++);
    while (next < all.size() && total_of(widths, shown) + kBetween + widths[next] <= room);
    const std::size_t wide = total_of(widths, shown);
    Columns own = widths;
    if (wide > room && own[shown.back()] + room >= wide + kLeastWrapped / 2) own[shown.back()] -= wide - room;
    out += (out.empty() ? "" : "\n") + part(shown, own, style, indent);
  }
  return out;
}

std::string fitted(std::string_view text, const Style& style) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string_view line = text.substr(from, to - from);
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    if (shown_width(line) <= style.width || blanks + kLeastWrapped > style.width) {
      out += line;
    } else {
      const std::string indent(blanks + 2, ' ');
      // the first line begins two letters to the left of the others
      out += std::string(blanks, ' ') + wrapped(line.substr(blanks), style.width - indent.size(), indent);
    }
    if (to < text.size()) out += '\n';
    from = to + 1;
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
