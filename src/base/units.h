// Numbers with units: the one reader of numbers, and the dimensions they are checked against.
#pragma once

#include <string>
#include <string_view>

#include "percuss/base/diagnostic.h"

namespace percuss {

/// Exponents of metre, kilogram and second. Angles count as pure numbers. Exponents may be broken: N/m^1.5.
struct Dimension {
  double m = 0, kg = 0, s = 0;
  bool operator==(const Dimension&) const = default;
};

namespace dimension {
inline constexpr Dimension number{};
inline constexpr Dimension length{1, 0, 0}, mass{0, 1, 0}, time{0, 0, 1};
inline constexpr Dimension velocity{1, 0, -1}, density{-3, 1, 0}, pressure{-1, 1, -2};
inline constexpr Dimension force{1, 1, -2}, energy{2, 1, -2}, torque = energy;
inline constexpr Dimension acceleration{1, 0, -2}, angular_velocity{0, 0, -1}, inertia{2, 1, 0};
inline constexpr Dimension angular_damping{2, 1, -1};  // N m s
/// Generalised stiffness of F = K x^n, in N/m^n.
constexpr Dimension stiffness(double n) { return {1 - n, 1, -2}; }
/// Factor of F = chi x^p x', in N s/m^(p+1).
constexpr Dimension damping(double p) { return {-p, 1, -1}; }
}  // namespace dimension

/// The unit of a dimension as people write it: "N/m^1.5", "Pa", "m/s", "" for a pure number.
std::string unit_of(const Dimension& dimension);

/// A dimension as messages call it: "a length", "a value in N/m^1.5", "a pure number".
std::string name_of(const Dimension& dimension);
/// The same with an example of what is expected: "a length, e.g. 20 mm".
std::string expectation_of(const Dimension& dimension);

/// A unit such as "mm", "GPa", "N/m^1.5", "N s/m", "rpm": its factor to SI and its dimension.
struct Unit {
  double factor = 1;
  Dimension dimension;
};
Result<Unit> read_unit(std::string_view text);

/// A number with whatever unit follows it, in SI.
struct Quantity {
  double si = 0;
  Dimension dimension;
  bool has_unit = false;
};
Result<Quantity> read_quantity(std::string_view text);

/// A number, and if a unit follows it ("20 mm", "210GPa"), that unit checked against the dimension and converted to
/// SI. Refuses nan, inf, overflow, empty text and trailing characters. The diagnostic carries no place: the caller
/// knows it.
Result<double> read_number(std::string_view text, const Dimension& expected = dimension::number);

/// The shortest text that reads back as the same double.
std::string text_of(double value);

/// At most `digits` significant digits, without trailing zeros.
std::string text_of(double value, int digits);

}  // namespace percuss
