// Quantiles of the distributions.
#include "percuss/study/sweep/axis.h"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "percuss/study/model_file.h"

namespace percuss::study {

namespace {

double normal_quantile(double u) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * u); }

}  // namespace

double Axis::quantile(double u) const {
  switch (kind) {
    case Kind::uniform: return low + (high - low) * u;
    case Kind::log_uniform: return low * std::exp(u * std::log(high / low));
    case Kind::normal: return mean + deviation * normal_quantile(u);
    case Kind::log_normal: {
      // E = exp(mu + s^2/2), Var = E^2 (exp(s^2) - 1)
      const double s2 = std::log1p(deviation * deviation / (mean * mean));
      return mean * std::exp(std::sqrt(s2) * normal_quantile(u) - s2 / 2);
    }
    case Kind::triangular: {
      const double width = high - low, split = (mode - low) / width;
      return u < split ? low + std::sqrt(u * width * (mode - low))
                       : high - std::sqrt((1 - u) * width * (high - mode));
    }
    case Kind::numbers:
    case Kind::words: break;
  }
  return std::nan("");
}

namespace {

std::string text_with_unit(const Axis& axis, const AxisValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  const std::string unit = axis.unit();
  return text_of(std::get<double>(value)) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

void say(impact::Words& words, const Axis& axis, const AxisValue& value) {
  const bool is_plain = std::holds_alternative<double>(value) && axis.unit().empty();
  for (const std::string& key : axis.keys) {
    if (is_plain)
      words.say(word_of_key(key), std::get<double>(value));
    else
      words.say(word_of_key(key), text_with_unit(axis, value));
  }
}

void add_overrides(const Axis& axis, const AxisValue& value, std::vector<std::string>& overrides) {
  const std::string text = text_with_unit(axis, value);
  for (const std::string& key : axis.keys) overrides.push_back(key + "=" + text);
}

}  // namespace percuss::study
