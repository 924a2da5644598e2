// Units are products of named units with powers: "N/m^1.5", "N*s/m", "N s/m", "kg/m^3".
#include "percuss/base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "percuss/base/words.h"

namespace percuss {

namespace {

struct NamedUnit {
  std::string_view name;
  double factor;
  Dimension dimension;
  bool takes_prefix;
};

constexpr double kDegree = std::numbers::pi / 180;

constexpr NamedUnit kUnits[] = {
    {"m", 1, {1, 0, 0}, true},
    {"g", 1e-3, {0, 1, 0}, true},
    {"t", 1e3, {0, 1, 0}, false},
    {"s", 1, {0, 0, 1}, true},
    {"min", 60, {0, 0, 1}, false},
    {"h", 3600, {0, 0, 1}, false},
    {"N", 1, {1, 1, -2}, true},
    {"Pa", 1, {-1, 1, -2}, true},
    {"J", 1, {2, 1, -2}, true},
    {"W", 1, {2, 1, -3}, true},
    {"Hz", 1, {0, 0, -1}, true},
    {"rad", 1, {}, true},
    {"deg", kDegree, {}, false},
    {"rev", 2 * std::numbers::pi, {}, false},
    {"rpm", 2 * std::numbers::pi / 60, {0, 0, -1}, false},
    {"in", 0.0254, {1, 0, 0}, false},
    {"ft", 0.3048, {1, 0, 0}, false},
    {"yd", 0.9144, {1, 0, 0}, false},
    {"mi", 1609.344, {1, 0, 0}, false},
    {"mph", 0.44704, {1, 0, -1}, false},
    {"lb", 0.45359237, {0, 1, 0}, false},
    {"oz", 0.028349523125, {0, 1, 0}, false},
    {"lbf", 4.4482216152605, {1, 1, -2}, false},
    {"kgf", 9.80665, {1, 1, -2}, false},
    {"psi", 6894.757293168361, {-1, 1, -2}, false},  // lbf/in^2
    {"ksi", 6894757.293168361, {-1, 1, -2}, false},
    {"bar", 1e5, {-1, 1, -2}, true},
    {"%", 0.01, {}, false},
    {"1", 1, {}, false},
};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr Prefix kPrefixes[] = {{"n", 1e-9}, {"u", 1e-6}, {"\u00b5", 1e-6}, {"\u03bc", 1e-6}, {"m", 1e-3},
                                {"c", 1e-2}, {"k", 1e3},  {"M", 1e6},       {"G", 1e9}};

const NamedUnit* find_named(std::string_view name) {
  for (const NamedUnit& unit : kUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

Result<Unit> read_factor(std::string_view name) {
  if (const NamedUnit* unit = find_named(name)) return Unit{unit->factor, unit->dimension};
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.name)) continue;
    const NamedUnit* unit = find_named(name.substr(prefix.name.size()));
    if (unit && unit->takes_prefix) return Unit{prefix.factor * unit->factor, unit->dimension};
  }
  std::vector<std::string_view> names;
  for (const NamedUnit& unit : kUnits) names.push_back(unit.name);
  return Diagnostic{{}, "unknown unit " + in_quotes(name) + did_you_mean(name, names)};
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Scans a finite decimal number at the front of `text` and removes it; false if there is none.
bool take_decimal(std::string_view& text, double& value) {
  const bool plus = text.starts_with('+');
  const std::string_view digits = plus ? text.substr(1) : text;
  const std::size_t sign = !plus && digits.starts_with('-') ? 1 : 0;
  if (digits.size() <= sign) return false;
  const char first = digits[sign];
  if (!(first >= '0' && first <= '9') && first != '.') return false;  // keeps out "nan", "inf" and a second sign
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return false;
  text = {end, static_cast<std::size_t>(digits.data() + digits.size() - end)};
  return true;
}

/// Does a unit go on here as the tail of a broken number ("1e", "1e+", "0x10")?
bool looks_like_broken_exponent(std::string_view rest) {
  return !rest.empty() && (rest[0] == 'e' || rest[0] == 'E' || rest[0] == 'x' || rest[0] == '.');
}

}  // namespace

Result<Unit> read_unit(std::string_view text) {
  Unit product;
  double sign = 1;  // +1 before a slash, -1 for the factor after it
  std::size_t i = 0;
  const auto at_end = [&] { return i >= text.size(); };
  while (!at_end()) {
    while (!at_end() && (is_blank(text[i]) || text[i] == '*')) ++i;
    std::size_t begin = i;
    while (!at_end() && std::string_view(" \t*/^").find(text[i]) == std::string_view::npos) ++i;
    Result<Unit> factor = read_factor(text.substr(begin, i - begin));
    if (!factor) return factor;
    double power = 1;
    if (!at_end() && text[i] == '^') {
      std::string_view rest = text.substr(i + 1);
      if (!take_decimal(rest, power)) return Diagnostic{{}, "unit " + in_quotes(text) + ": a number must follow ^"};
      i = text.size() - rest.size();
    }
    power *= sign;
    product.factor *= power == 1 ? factor->factor : std::pow(factor->factor, power);
    product.dimension.m += power * factor->dimension.m;
    product.dimension.kg += power * factor->dimension.kg;
    product.dimension.s += power * factor->dimension.s;
    while (!at_end() && is_blank(text[i])) ++i;
    sign = 1;
    if (!at_end() && text[i] == '/') {
      sign = -1;
      ++i;
      if (trimmed(text.substr(i)).empty()) return Diagnostic{{}, "unit " + in_quotes(text) + " ends with /"};
    }
  }
  return product;
}

std::string unit_of(const Dimension& d) {
  struct Common {
    Dimension dimension;
    std::string_view name;
  };
  constexpr Common kCommon[] = {{dimension::number, "1"},
                                {dimension::force, "N"},
                                {dimension::energy, "J"},
                                {dimension::pressure, "Pa"},
                                {dimension::velocity, "m/s"},
                                {dimension::density, "kg/m^3"},
                                {{0, 0, -1}, "1/s"},
                                {{-1, 0, 1}, "s/m"},
                                {dimension::acceleration, "m/s^2"},
                                {dimension::inertia, "kg m^2"},
                                {dimension::angular_damping, "N m s"}};
  for (const Common& common : kCommon)
    if (common.dimension == d) return std::string(common.name);
  const auto power = [](std::string_view name, double p) {
    return p == 1 ? std::string(name) : std::string(name) + "^" + text_of(p, 6);
  };
  if (d.kg == 1 && d.s == -2) return "N/" + power("m", 1 - d.m);                // generalised stiffness
  if (d.kg == 1 && d.s == -1 && d.m <= 0) return "N s/" + power("m", 1 - d.m);  // generalised damping
  std::string out;
  for (const auto& [name, p] : {std::pair{"m", d.m}, std::pair{"kg", d.kg}, std::pair{"s", d.s}})
    if (p != 0) out += (out.empty() ? "" : " ") + power(name, p);
  return out;
}

Result<Quantity> read_quantity(std::string_view text) {
  const std::string quoted = in_quotes(text);
  std::string_view rest = trimmed(text);
  double value = 0;
  if (!take_decimal(rest, value)) return Diagnostic{{}, quoted + " is not a finite number"};
  const bool spaced = !rest.empty() && is_blank(rest.front());
  rest = trimmed(rest);
  if (rest.empty()) return Quantity{value, {}, false};
  if (rest.front() == '*' || (!spaced && looks_like_broken_exponent(rest)))
    return Diagnostic{{}, quoted + " is not a number"};
  const Result<Unit> unit = read_unit(rest);
  if (!unit) return Diagnostic{{}, quoted + ": " + unit.errors().front().text};
  const double si = value * unit->factor;
  if (!std::isfinite(si)) return Diagnostic{{}, quoted + " is too large"};
  return Quantity{si, unit->dimension, true};
}

namespace {

/// Dimensions that have a name.
struct Known {
  Dimension dimension;
  std::string_view name, example;
};
constexpr Known kKnown[] = {
    {dimension::length, "a length", "20 mm"},
    {dimension::mass, "a mass", "2 kg"},
    {dimension::time, "a time", "5 ms"},
    {dimension::velocity, "a speed", "1.5 m/s"},
    {dimension::acceleration, "an acceleration", "9.81 m/s^2"},
    {dimension::angular_velocity, "an angular velocity or a rate", "10 rad/s"},
    {dimension::force, "a force", "100 N"},
    {dimension::energy, "an energy or a torque", "2 N m"},
    {dimension::pressure, "a pressure", "207 GPa"},
    {dimension::density, "a density", "7800 kg/m^3"},
    {dimension::inertia, "a moment of inertia", "0.02 kg m^2"},
};

const Known* known_dimension(const Dimension& d) {
  const auto found = std::ranges::find(kKnown, d, &Known::dimension);
  return found == std::end(kKnown) ? nullptr : &*found;
}

}  // namespace

std::string name_of(const Dimension& d) {
  if (d == dimension::number) return "a pure number";
  const Known* known = known_dimension(d);
  return known ? std::string(known->name) : "a value in " + unit_of(d);
}

std::string expectation_of(const Dimension& d) {
  const Known* known = known_dimension(d);
  return known ? std::string(known->name) + ", e.g. " + std::string(known->example) : name_of(d);
}

Result<double> read_number(std::string_view text, const Dimension& expected) {
  const Result<Quantity> quantity = read_quantity(text);
  if (!quantity) return quantity.errors();
  const auto differs = [](double a, double b) { return std::abs(a - b) > 1e-9; };
  const Dimension& found = quantity->dimension;
  if (quantity->has_unit &&
      (differs(found.m, expected.m) || differs(found.kg, expected.kg) || differs(found.s, expected.s))) {
    const Known* is = known_dimension(found);
    return Diagnostic{{},
                      in_quotes(text) + " is " + (is ? std::string(is->name) : "in " + unit_of(found)) +
                          "; expected " + expectation_of(expected),
                      Diagnostic::Kind::dimension};
  }
  return quantity->si;
}

namespace {
/// The sign of a zero, and of what is no number, says nothing to people.
double unsigned_nothing(double value) { return std::isnan(value) ? std::abs(value) : value; }
}  // namespace

std::string text_of(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), unsigned_nothing(value)).ptr;
  return {buffer.data(), end};
}

std::string text_of(double value, int digits) {
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, unsigned_nothing(value) + 0.0);
  return buffer.data();
}

}  // namespace percuss
