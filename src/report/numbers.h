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

/// "302.4 N", "13.50 um", "1.2 ms": four significant digits with an SI prefix. Infinity reads "infinite", of a time
/// "never".
std::string engineering(double value, std::string_view unit, int digits = 4);

/// "-0.000 m" is "0.000 m".
std::string without_sign_of_zero(std::string text);

/// How a text is laid out.
struct Style {
  std::size_t width = 80;  // columns of the terminal
  bool colour = false;
};

/// Rows of text in columns that line up; the first row is the head, a rule follows it. A table that is too wide has
/// its last column wrapped, if that leaves enough of it, or is divided into several, each with the first columns
/// again.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head, std::size_t repeated = 1) : repeated_(repeated) {
    rows_.push_back(std::move(head));
  }
  void add(std::vector<std::string> row);
  std::string text(const Style& style, std::string_view indent = "  ") const;

 private:
  using Columns = std::vector<std::size_t>;
  std::string part(const Columns& shown, const Columns& widths, const Style& style, std::string_view indent) const;
  std::vector<std::vector<std::string>> rows_;
  std::size_t repeated_;
};

/// The number of characters a terminal shows for a UTF-8 text.
std::size_t shown_width(std::string_view text);

/// Words broken into lines of at most `width` characters, lines after the first indented.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

/// Lines that are too long broken between words, what follows indented a little more than their begin.
std::string fitted(std::string_view text, const Style& style);

}  // namespace percuss::report
