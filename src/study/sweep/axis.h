// An axis of a study: the values that one key of the model takes.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/base/units.h"
#include "percuss/impact/described.h"

namespace percuss::study {

struct Axis {
  enum class Kind {
    // of a grid
    numbers,  // a list, or a range with a count
    words,    // a list
    // sampled
    uniform,      // low, high
    log_uniform,  // the same for the logarithm
    normal,       // mean, deviation
    log_normal,   // the same, both of the quantity itself
    triangular    // low, mode, high
  };
  std::string name;
  std::vector<std::string> keys;  // of the model: what the value is set to
  Where at;
  Kind kind = Kind::numbers;
  std::vector<double> numbers;  // in SI
  std::vector<std::string> words;
  Dimension dimension;  // what its unit said; none: a pure number, or SI
  double low = 0, high = 0, mode = 0, mean = 0, deviation = 0;

  /// "" if none was said.
  std::string unit() const { return dimension == Dimension{} ? "" : unit_of(dimension); }
  bool is_sampled() const { return kind != Kind::numbers && kind != Kind::words; }
  bool has_words() const { return kind == Kind::words; }
  std::size_t count() const { return has_words() ? words.size() : numbers.size(); }  // of a grid's axis
  /// The value below which the share `u` of all values lies, 0 < u < 1; of a sampled axis.
  double quantile(double u) const;
};

using AxisValue = std::variant<double, std::string>;

/// A value of an axis set at its keys, with its unit, so that the unit is checked: as words of an impact, or as
/// key=value for a scene.
void say(impact::Words& words, const Axis& axis, const AxisValue& value);
void add_overrides(const Axis& axis, const AxisValue& value, std::vector<std::string>& overrides);

}  // namespace percuss::study
