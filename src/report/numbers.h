// Numbers for people: engineering units, columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace percuss::report {

/// A scale to show a quantity in: "kN" and 1e3 for values around 5e4 N. `unit` without a prefix, SI.
struct Scale {
  std::string unit;
  double factor = 1;  // shown value = value / factor
};
Scale scale_for(double largest, std::string_view unit);

/// "302.4 N", "13.50 um", "1.2 ms": four significant digits with an SI prefix. Infinity reads "never".
std::string engineering(double value, std::string_view unit, int digits = 4);

/// Rows of text in columns that line up; the first row is the head, a rule follows it.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(std::string_view indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// The number of characters a terminal shows for a UTF-8 text.
std::size_t shown_width(std::string_view text);

/// Words broken into lines of at most `width` characters, lines after the first indented.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace percuss::report
