// Dimensions through every operation of a program.
#include "percuss/expression/amount.h"

#include <cmath>
#include <vector>

namespace percuss::expression {

namespace {

using Unit = Amount::Unit;

struct Misfit {
  std::string text;
};

bool alike(const Dimension& a, const Dimension& b) {
  constexpr double kRounding = 1e-9;  // exponents may be roots
  return std::abs(a.m - b.m) < kRounding && std::abs(a.kg - b.kg) < kRounding && std::abs(a.s - b.s) < kRounding;
}
bool is_pure(const Amount& a) { return a.unit != Unit::known || alike(a.dimension, dimension::number); }

/// Of what must be of one dimension.
Amount common(const Amount& a, const Amount& b, const char* what) {
  if (a.unit == Unit::known && b.unit == Unit::known && !alike(a.dimension, b.dimension))
    throw Misfit{name_of(a.dimension) + " and " + name_of(b.dimension) + " cannot be " + what};
  if (a.unit == Unit::known) return a;
  if (b.unit == Unit::known) return b;
  return a.unit == Unit::open ? a : b;
}

Amount scaled(const Amount& a, double power) {
  return {0, a.unit, {a.dimension.m * power, a.dimension.kg * power, a.dimension.s * power}};
}
Amount product(const Amount& a, const Amount& b, double sign) {
  if (a.unit == Unit::open || b.unit == Unit::open) return {0, Unit::open, {}};
  if (a.unit == Unit::written && b.unit == Unit::written) return {0, Unit::written, {}};
  const Amount other = scaled(b, sign);
  return {
      0,
      Unit::known,
      {a.dimension.m + other.dimension.m, a.dimension.kg + other.dimension.kg, a.dimension.s + other.dimension.s}};
}

/// What the result is made of; its value comes from the program's own arithmetic.
Amount unit_after(const Instruction& i, const Amount* a) {
  switch (i.op) {
    case Op::negate:
    case Op::abs:
    case Op::floor: return a[0];
    case Op::add: return common(a[0], a[1], "added");
    case Op::subtract: return common(a[0], a[1], "subtracted");
    case Op::min:
    case Op::max:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal: {
      const Amount of_both = common(a[0], a[1], "compared");
      return i.op == Op::min || i.op == Op::max ? of_both : Amount{};
    }
    case Op::hypot:
    case Op::mod: return common(a[0], a[1], "combined");
    case Op::atan2: common(a[0], a[1], "combined"); return {0, Unit::known, {}};
    case Op::multiply: return product(a[0], a[1], 1);
    case Op::divide: return product(a[0], a[1], -1);
    case Op::power_of_quarters: return scaled(a[0], i.index / 4.0);
    case Op::power:
      if (!is_pure(a[1])) throw Misfit{name_of(a[1].dimension) + " cannot be an exponent"};
      return scaled(a[0], a[1].si);
    case Op::sqrt: return scaled(a[0], 0.5);
    case Op::cbrt: return scaled(a[0], 1.0 / 3);
    case Op::choose: return common(a[1], a[2], "alternatives of one another");
    case Op::step: {
      common(a[0], common(a[1], a[3], "compared"), "compared");
      return common(a[2], a[4], "alternatives of one another");
    }
    case Op::table: return {0, Unit::open, {}};  // its points are plain numbers
    case Op::sign:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not: return {};
    default:
      if (!is_pure(a[0]))
        throw Misfit{"a function such as sin or exp takes a pure number, not " + name_of(a[0].dimension)};
      return a[0].unit == Unit::open ? a[0] : Amount{0, Unit::written, {}};
  }
}

}  // namespace

Result<Amount> evaluate_amount(const Program& program, std::span<const Amount> variables) {
  std::vector<Amount> stack;
  try {
    for (const Instruction& i : program.code()) {
      if (i.op == Op::constant) {
        stack.push_back({i.value, Unit::written, {}});
      } else if (i.op == Op::variable) {
        stack.push_back(variables[static_cast<std::size_t>(i.index)]);
      } else {
        const std::size_t count = static_cast<std::size_t>(operands(i.op));
        const Amount* const a = &stack[stack.size() - count];
        double values[5] = {};
        for (std::size_t k = 0; k < count; ++k) values[k] = a[k].si;
        Amount out = unit_after(i, a);
        out.si = detail::apply(i, values, program.tables());
        stack.resize(stack.size() - count);
        stack.push_back(out);
      }
    }
  } catch (const Misfit& misfit) {
    return Diagnostic{{}, misfit.text, Diagnostic::Kind::dimension};
  }
  return stack.front();
}

}  // namespace percuss::expression
