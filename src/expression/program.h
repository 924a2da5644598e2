// A parsed expression: a flat list of instructions on a small stack, evaluated on any scalar.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "percuss/base/dual.h"
#include "percuss/base/pack.h"
#include "percuss/expression/interval.h"
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
  int index = 0;              // variable: its slot; table: which; power_of_quarters: the exponent times four
  double value = 0;           // constant
  bool is_piecewise = false;  // set by Program::append
};

/// An operation that is smooth on pieces only (a comparison, abs, floor, a table, the root at zero, ...). Which
/// piece it is on is decided by one quantity, made of its operands. On a piece the operation is a smooth function
/// that goes on beyond the piece's ends: a step that ends at a break point is evaluated there from its own side.
struct Site {
  std::size_t instruction = 0;
  bool of_time_alone = false;  // its quantity depends on slot 0 alone
};
/// Pieces are whole numbers: the sign of a difference, the value of a floor, the segment of a table.
using Pieces = std::span<const double>;

/// The values of the deciding quantity on a piece: the open interval between these.
struct PieceEnds {
  double low, high;
};
double piece_of(const Instruction& instruction, double quantity, const std::vector<Table>& tables);
PieceEnds ends_of(const Instruction& instruction, double piece, const std::vector<Table>& tables);

/// Sees each site, with its quantity, before its operation is done.
struct IgnoreSites {
  template <class T>
  void operator()(std::size_t, const Instruction&, const T&) const {}
};

inline constexpr std::size_t kMaxStack = 64;

/// Sees the operands at which a function has a pole: divisors, arguments of log, bases of negative powers.
struct IgnorePoles {
  template <class T>
  void operator()(std::size_t, const T&) const {}
};

struct IgnoreValues {
  template <class T>
  void operator()(std::size_t, const T&) const {}
};

class Program {
 public:
  /// The value for these variables. T is double, Pack or Dual; no allocation, no failure: a value outside a
  /// function's domain gives nan or inf, as in the standard library.
  template <class T, class PoleWatch = IgnorePoles>
  T evaluate(std::span<const T> variables, PoleWatch&& watch = {}) const;

  /// The value on these pieces, one per site, whatever the variables say: smooth in them. T is double, a Dual, an
  /// Interval or a Dual of Intervals. `watch(site, instruction, quantity)` may set the piece it is told of.
  /// `note(k, value)` sees the result of every operation.
  template <class T, class SiteWatch = IgnoreSites, class Note = IgnoreValues>
  T evaluate_on(std::span<const T> variables, Pieces pieces, SiteWatch&& watch = {}, Note&& note = {}) const;

  /// In the order of evaluation.
  std::vector<Site> sites() const;
  const std::vector<Table>& tables() const { return tables_; }
  const std::vector<Instruction>& code() const { return code_; }

  /// The same expression with one variable fixed, constants folded anew.
  Program with(int slot, double value) const;

  bool is_constant() const { return code_.size() == 1 && code_.front().op == Op::constant; }
  bool uses(int slot) const;
  std::size_t size() const { return code_.size(); }

  /// Appends an operation; operations on constants are folded, powers of quarters become roots and products.
  void append(Instruction instruction);
  /// Makes a truth (0 or 1) of the value appended last, where it is none.
  void append_truth();
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
/// In slot 0, the only one, on these pieces.
Derivatives differentiate_on(const Program& program, double variable, Pieces pieces);

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

/// The operations that are smooth wherever they are defined.
template <class T>
T apply_smooth(const Instruction& i, const T* a) {
  using std::asin, std::acos, std::atan, std::atan2, std::sinh, std::cosh, std::tanh, std::pow;
  using std::sqrt, std::cbrt, std::exp, std::expm1, std::log, std::log10, std::log1p, std::sin, std::cos, std::tan;
  switch (i.op) {
    case Op::negate: return -a[0];
    case Op::add: return a[0] + a[1];
    case Op::subtract: return a[0] - a[1];
    case Op::multiply: return a[0] * a[1];
    case Op::divide: return a[0] / a[1];
    case Op::power: return pow(a[0], a[1]);
    case Op::power_of_quarters: return quarters_at<0>(i.index, a[0]);
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
    case Op::hypot: return sqrt(T(a[0] * a[0] + a[1] * a[1]));
    default: return T(i.value);
  }
}

/// One operation on its operands a[0], a[1], ...
template <class T>
T apply(const Instruction& i, const T* a, const std::vector<Table>& tables) {
  using std::abs, std::floor;
  const T yes(1.0), no(0.0);
  switch (i.op) {
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
    case Op::abs: return abs(a[0]);
    case Op::floor: return floor(a[0]);
    case Op::sign: return sign_of(a[0]);
    case Op::mod: return a[0] - a[1] * floor(T(a[0] / a[1]));
    default: return apply_smooth(i, a);
  }
}

/// The quantity that decides the piece.
template <class T>
T deciding(const Instruction& i, const T* a) {
  switch (i.op) {
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::min:
    case Op::max: return a[0] - a[1];
    case Op::mod: return a[0] / a[1];
    case Op::step: {
      const T width = a[3] - a[1];
      return width == T(0.0) ? T((a[0] - a[1]) * T(1e100)) : T((a[0] - a[1]) / width);  // no width: a jump
    }
    case Op::hypot: return power_of_quarters<8>(a[0]) + power_of_quarters<8>(a[1]);
    default: return a[0];
  }
}

/// Not below zero: rounding may leave the base of a root there at the end of its piece.
template <class T>
T not_negative(const T& x) {
  return value_of(x) < 0 ? T(0.0) : x;
}
inline Interval not_negative(const Interval& x) { return {std::max(x.low, 0.0), std::max(x.high, 0.0)}; }
/// Where it is cut off it has no slope, and where the cut is it has a kink.
template <std::size_t N>
Dual<Interval, N> not_negative(Dual<Interval, N> x) {
  if (x.v.low < 0)
    for (Interval& slope : x.d) slope = hull(slope, Interval(0.0));
  x.v = not_negative(x.v);
  return x;
}
template <std::size_t N>
Dual<Dual<Interval, N>, N> not_negative(Dual<Dual<Interval, N>, N> x) {
  if (x.v.v.low < 0)
    for (Dual<Interval, N>& slope : x.d) {
      slope.v = hull(slope.v, Interval(0.0));
      slope.d.fill(Interval::all());
    }
  x.v = not_negative(x.v);
  return x;
}

/// What is made of intervals: a power needs its exponent as a number, because an exponent that is rounded outwards
/// is not whole.
template <class T>
inline constexpr bool is_enclosure = false;
template <>
inline constexpr bool is_enclosure<Interval> = true;
template <class T, std::size_t N>
inline constexpr bool is_enclosure<Dual<T, N>> = is_enclosure<T>;
template <class T>
T enclosed_power(const T& base, const T& exponent, const Instruction& last) {
  if (last.op == Op::constant) return pow(base, last.value);
  return exp(T(exponent * log(base)));  // a base below zero: its logarithm is all numbers
}

/// A truth, or a share of one: in sliding along the place where a comparison changes, it holds for a part of the
/// time.
template <class T>
T blend(const T& truth, const T& yes, const T& no) {
  if (truth == T(0.0)) return no;
  return truth == T(1.0) ? yes : truth * yes + (T(1.0) - truth) * no;
}

/// The operations that are smooth, or constant, while the pieces of those before them hold.
template <class T>
T apply_between(const Instruction& i, const T* a, const Instruction& last) {
  switch (i.op) {
    case Op::logical_and: return a[0] * a[1];
    case Op::logical_or: return blend(a[0], T(1.0), a[1]);
    case Op::logical_not: return T(1.0) - a[0];
    case Op::choose: return blend(a[0], a[1], a[2]);
    case Op::power:
      if constexpr (is_enclosure<T>) return enclosed_power(a[0], a[1], last);
      [[fallthrough]];
    default: return apply_smooth(i, a);
  }
}

/// A piecewise operation on one of its pieces. Between two pieces (a sign of 0.3) it is what sliding makes of it.
template <class T>
T apply_on(const Instruction& i, const T* a, const std::vector<Table>& tables, double piece,
           const Instruction& last) {
  switch (i.op) {
    case Op::less: return piece == 0 ? T(0.0) : T((1 - piece) / 2);
    case Op::less_equal: return piece == 0 ? T(1.0) : T((1 - piece) / 2);
    case Op::greater: return piece == 0 ? T(0.0) : T((1 + piece) / 2);
    case Op::greater_equal: return piece == 0 ? T(1.0) : T((1 + piece) / 2);
    case Op::equal: return T(piece == 0 ? 1.0 : 0.0);
    case Op::not_equal: return T(piece == 0 ? 0.0 : 1.0);
    case Op::min: return piece > 0 ? a[1] : a[0];
    case Op::max: return piece < 0 ? a[1] : a[0];
    case Op::abs: return piece < 0 ? T(-a[0]) : a[0];
    case Op::sign: return T(piece);
    case Op::floor: return T(piece);
    case Op::mod: return a[0] - a[1] * T(piece);
    case Op::step: {
      const T width = a[3] - a[1];
      if (piece != 1 || width == T(0.0)) return piece < 1 ? a[2] : a[4];
      const T s = (a[0] - a[1]) / width;
      return a[2] + (a[4] - a[2]) * (s * s * (T(3.0) - T(2.0) * s));
    }
    case Op::table: {
      const Table& table = tables[static_cast<std::size_t>(i.index)];
      if (piece < 0) return T(table.segments.front().c0);
      const auto segment = static_cast<std::size_t>(piece);
      if (segment >= table.segments.size()) return T(table.last_y);
      const Table::Segment& s = table.segments[segment];
      const T t = a[0] - T(table.x[segment]);
      return T(s.c0) + t * (T(s.c1) + t * (T(s.c2) + t * T(s.c3)));
    }
    case Op::atan2: {
      constexpr double kTurn = 6.283185307179586;
      const T angle = apply_smooth(i, a);  // across the cut it goes on
      if (piece > 0 && value_of(angle) < -2) return angle + T(kTurn);
      if (piece < 0 && value_of(angle) > 2) return angle - T(kTurn);
      return angle;
    }
    case Op::sqrt:
    case Op::power_of_quarters:
    case Op::power: {
      const T both[2] = {piece > 0 ? not_negative(a[0]) : a[0], i.op == Op::power ? a[1] : a[0]};
      return apply_between(i, both, last);
    }
    default: return apply_smooth(i, a);
  }
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

template <class T, class SiteWatch, class Note>
T Program::evaluate_on(std::span<const T> variables, Pieces pieces, SiteWatch&& watch, Note&& note) const {
  std::array<T, kMaxStack> stack;
  std::size_t top = 0, site = 0;
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const Instruction& i = code_[k];
    if (i.op == Op::constant) {
      stack[top++] = T(i.value);
      continue;
    }
    if (i.op == Op::variable) {
      stack[top++] = variables[static_cast<std::size_t>(i.index)];
      continue;
    }
    const std::size_t count = static_cast<std::size_t>(operands(i.op));
    T* const a = &stack[top - count];
    top = top - count + 1;
    if (i.is_piecewise) {
      if constexpr (!std::is_same_v<std::decay_t<SiteWatch>, IgnoreSites>) watch(site, i, detail::deciding(i, a));
      *a = detail::apply_on(i, a, tables_, pieces[site++], code_[k - 1]);
    } else {
      *a = detail::apply_between(i, a, code_[k - 1]);
    }
    note(k, *a);
  }
  return stack[0];
}

}  // namespace percuss::expression
