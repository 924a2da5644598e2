// A parsed expression: a flat list of instructions on a small stack, evaluated on any scalar.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "percuss/base/dual.h"
#include "percuss/base/pack.h"
#include "percuss/expression/table.h"

namespace percuss::expression {

enum class Op : std::uint8_t {
  // clang-format off
  constant, variable, negate, add, subtract, multiply, divide, power, power_of_quarters,
  less, less_equal, greater, greater_equal, equal, not_equal, logical_and, logical_or, logical_not,
  choose, min, max, step, table,
  sqrt, cbrt, exp, expm1, log, log10, log1p, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, abs, floor, sign, hypot, mod
  // clang-format on
};

/// How many values an operation takes from the stack.
constexpr int operands(Op op) {
  switch (op) {
    case Op::constant:
    case Op::variable: return 0;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::min:
    case Op::max:
    case Op::atan2:
    case Op::hypot:
    case Op::mod: return 2;
    case Op::choose: return 3;
    case Op::step: return 5;
    default: return 1;
  }
}

struct Instruction {
  Op op = Op::constant;
  int index = 0;     // variable: its slot; table: which; power_of_quarters: the exponent times four
  double value = 0;  // constant
};

inline constexpr std::size_t kMaxStack = 64;

/// Sees the operands at which a function has a pole: divisors, arguments of log, bases of negative powers.
struct IgnorePoles {
  template <class T>
  void operator()(std::size_t, const T&) const {}
};

class Program {
 public:
  /// The value for these variables. T is double, Pack or Dual; no allocation, no failure: a value outside a
  /// function's domain gives nan or inf, as in the standard library.
  template <class T, class PoleWatch = IgnorePoles>
  T evaluate(std::span<const T> variables, PoleWatch&& watch = {}) const;

  /// The same expression with one variable fixed, constants folded anew.
  Program with(int slot, double value) const;

  bool is_constant() const { return code_.size() == 1 && code_.front().op == Op::constant; }
  bool uses(int slot) const;
  std::size_t size() const { return code_.size(); }

  /// Appends an operation; operations on constants are folded, powers of quarters become roots and products.
  void append(Instruction instruction);
  int add_table(Table table);
  int stack_needed() const;

 private:
  std::vector<Instruction> code_;
  std::vector<Table> tables_;
};

/// Value, first and second derivative in one variable, exactly.
struct Derivatives {
  double value = 0, first = 0, second = 0;
};
Derivatives differentiate(const Program& program, std::span<const double> variables, int slot);

namespace detail {

template <int quarters, class T>
T quarters_at(int wanted, const T& x) {
  if constexpr (quarters > 16) {
    return x;
  } else {
    return wanted == quarters ? power_of_quarters<quarters>(x) : quarters_at<quarters + 1>(wanted, x);
  }
}

/// Cubic step: h0 before x0, h1 after x1, h0 + (h1 - h0) s^2 (3 - 2 s) between, s = (x - x0)/(x1 - x0).
template <class T>
T smooth_step(const T& x, const T& x0, const T& h0, const T& x1, const T& h1) {
  const T s = min_of(max_of(T((x - x0) / (x1 - x0)), T(0.0)), T(1.0));
  return h0 + (h1 - h0) * (s * s * (T(3.0) - T(2.0) * s));
}

/// One operation on its operands a[0], a[1], ...
template <class T>
T apply(const Instruction& i, const T* a, const std::vector<Table>& tables) {
  using std::asin, std::acos, std::atan, std::atan2, std::sinh, std::cosh, std::tanh, std::abs, std::floor,
      std::pow;
  using std::sqrt, std::cbrt, std::exp, std::expm1, std::log, std::log10, std::log1p, std::sin, std::cos, std::tan;
  const T yes(1.0), no(0.0);
  switch (i.op) {
    case Op::negate: return -a[0];
    case Op::add: return a[0] + a[1];
    case Op::subtract: return a[0] - a[1];
    case Op::multiply: return a[0] * a[1];
    case Op::divide: return a[0] / a[1];
    case Op::power: return pow(a[0], a[1]);
    case Op::power_of_quarters: return quarters_at<0>(i.index, a[0]);
    case Op::less: return select(a[0] < a[1], yes, no);
    case Op::less_equal: return select(a[0] <= a[1], yes, no);
    case Op::greater: return select(a[0] > a[1], yes, no);
    case Op::greater_equal: return select(a[0] >= a[1], yes, no);
    case Op::equal: return select(a[0] == a[1], yes, no);
    case Op::not_equal: return select(a[0] == a[1], no, yes);
    case Op::logical_and: return select(a[0] == no, no, select(a[1] == no, no, yes));
    case Op::logical_or: return select(a[0] == no, select(a[1] == no, no, yes), yes);
    case Op::logical_not: return select(a[0] == no, yes, no);
    case Op::choose: return select(a[0] == no, a[2], a[1]);
    case Op::min: return min_of(a[0], a[1]);
    case Op::max: return max_of(a[0], a[1]);
    case Op::step: return smooth_step(a[0], a[1], a[2], a[3], a[4]);
    case Op::table: return look_up(tables[static_cast<std::size_t>(i.index)], a[0]);
    case Op::sqrt: return sqrt(a[0]);
    case Op::cbrt: return cbrt(a[0]);
    case Op::exp: return exp(a[0]);
    case Op::expm1: return expm1(a[0]);
    case Op::log: return log(a[0]);
    case Op::log10: return log10(a[0]);
    case Op::log1p: return log1p(a[0]);
    case Op::sin: return sin(a[0]);
    case Op::cos: return cos(a[0]);
    case Op::tan: return tan(a[0]);
    case Op::asin: return asin(a[0]);
    case Op::acos: return acos(a[0]);
    case Op::atan: return atan(a[0]);
    case Op::atan2: return atan2(a[0], a[1]);
    case Op::sinh: return sinh(a[0]);
    case Op::cosh: return cosh(a[0]);
    case Op::tanh: return tanh(a[0]);
    case Op::abs: return abs(a[0]);
    case Op::floor: return floor(a[0]);
    case Op::sign: return sign_of(a[0]);
    case Op::hypot: return sqrt(T(a[0] * a[0] + a[1] * a[1]));
    case Op::mod: return a[0] - a[1] * floor(T(a[0] / a[1]));
    case Op::constant:
    case Op::variable: break;
  }
  return T(i.value);
}

}  // namespace detail

template <class T, class PoleWatch>
T Program::evaluate(std::span<const T> variables, PoleWatch&& watch) const {
  std::array<T, kMaxStack> stack;
  std::size_t top = 0;  // one past the last value
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const Instruction& i = code_[k];
    if (i.op == Op::constant) {
      stack[top++] = T(i.value);
    } else if (i.op == Op::variable) {
      stack[top++] = variables[static_cast<std::size_t>(i.index)];
    } else {
      const std::size_t count = static_cast<std::size_t>(operands(i.op));
      T* const a = &stack[top - count];
      if (i.op == Op::divide || i.op == Op::mod) watch(k, a[1]);
      if (i.op == Op::log || i.op == Op::log10 || i.op == Op::power) watch(k, a[0]);
      *a = detail::apply(i, a, tables_);
      top = top - count + 1;
    }
  }
  return stack[0];
}

}  // namespace percuss::expression
