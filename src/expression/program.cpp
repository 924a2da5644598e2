// Building programs: folding of constants, powers as roots, derivatives.
#include "percuss/expression/program.h"

#include <algorithm>

namespace percuss::expression {

namespace {

bool is_piecewise(const Instruction& i) {
  switch (i.op) {
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::min:
    case Op::max:
    case Op::step:
    case Op::table:
    case Op::sqrt:
    case Op::cbrt:
    case Op::asin:
    case Op::acos:
    case Op::atan2:
    case Op::abs:
    case Op::floor:
    case Op::sign:
    case Op::hypot:
    case Op::mod: return true;
    case Op::power: return i.index == 0;  // 1: the exponent is a whole constant
    case Op::power_of_quarters: return i.index % 4 != 0;
    default: return false;
  }
}

bool gives_truth(Op op) {
  return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal ||
         op == Op::equal || op == Op::not_equal || op == Op::logical_and || op == Op::logical_or ||
         op == Op::logical_not || op == Op::constant;
}

}  // namespace

double piece_of(const Instruction& i, double q, const std::vector<Table>& tables) {
  switch (i.op) {
    case Op::floor:
    case Op::mod: return std::floor(q);
    case Op::step: return q >= 1 ? 2 : q >= 0 ? 1 : 0;
    case Op::asin:
    case Op::acos: return q > 1 ? 1 : q < -1 ? -1 : 0;
    case Op::table: {
      const std::vector<double>& x = tables[static_cast<std::size_t>(i.index)].x;
      return static_cast<double>(std::upper_bound(x.begin(), x.end(), q) - x.begin()) - 1;
    }
    default: return q > 0 ? 1 : q < 0 ? -1 : 0;
  }
}

PieceEnds ends_of(const Instruction& i, double piece, const std::vector<Table>& tables) {
  switch (i.op) {
    case Op::floor:
    case Op::mod: return {piece, piece + 1};
    case Op::step: return {piece == 0 ? -kInfinity : piece - 1, piece == 2 ? kInfinity : piece};
    case Op::asin:
    case Op::acos: return {piece < 0 ? -kInfinity : piece > 0 ? 1 : -1, piece > 0 ? kInfinity : piece < 0 ? -1 : 1};
    case Op::table: {
      const std::vector<double>& x = tables[static_cast<std::size_t>(i.index)].x;
      const auto k = static_cast<std::ptrdiff_t>(piece);
      return {k < 0 ? -kInfinity : x[static_cast<std::size_t>(k)],
              k + 1 < static_cast<std::ptrdiff_t>(x.size()) ? x[static_cast<std::size_t>(k + 1)] : kInfinity};
    }
    default: return {piece > 0 ? 0 : piece < 0 ? -kInfinity : 0, piece > 0 ? kInfinity : 0};
  }
}

void Program::append(Instruction instruction) {
  const auto is_constant_at = [&](std::size_t back) { return code_[code_.size() - back].op == Op::constant; };
  const auto count = static_cast<std::size_t>(operands(instruction.op));
  if (count > 0) {
    bool all_constant = true;
    for (std::size_t back = 1; back <= count; ++back) all_constant = all_constant && is_constant_at(back);
    if (all_constant) {
      std::array<double, 5> values{};
      for (std::size_t k = 0; k < count; ++k) values[k] = code_[code_.size() - count + k].value;
      const double folded = detail::apply(instruction, values.data(), tables_);
      code_.resize(code_.size() - count);
      code_.push_back({Op::constant, 0, folded});
      return;
    }
    if (instruction.op == Op::power && is_constant_at(1)) {
      const double quarters = 4 * code_.back().value;
      if (quarters >= 0 && quarters <= 16 && quarters == std::floor(quarters)) {
        instruction = {Op::power_of_quarters, static_cast<int>(quarters), 0};
        code_.pop_back();
      } else if (quarters == 4 * std::floor(code_.back().value)) {
        instruction.index = 1;
      }
    }
  }
  instruction.is_piecewise = is_piecewise(instruction);
  code_.push_back(instruction);
}

void Program::append_truth() {
  if (gives_truth(code_.back().op)) {
    if (code_.back().op == Op::constant) code_.back().value = code_.back().value == 0 ? 0 : 1;
    return;
  }
  append({Op::constant, 0, 0});
  append({Op::not_equal, 0, 0});
}

std::vector<Site> Program::sites() const {
  std::vector<Site> out;
  std::vector<char> reads_channels;  // of the values on the stack
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const Instruction& i = code_[k];
    const auto count = static_cast<std::size_t>(operands(i.op));
    const auto first = reads_channels.end() - static_cast<std::ptrdiff_t>(count);
    const bool reads = (i.op == Op::variable && i.index != 0) ||
                       std::any_of(first, reads_channels.end(), [](char r) { return r != 0; });
    const bool decides = i.op == Op::step ? first[0] || first[1] || first[3] : reads;
    if (i.is_piecewise) out.push_back({k, !decides});
    reads_channels.resize(reads_channels.size() - count);
    reads_channels.push_back(reads);
  }
  return out;
}

int Program::add_table(Table table) {
  tables_.push_back(std::move(table));
  return static_cast<int>(tables_.size()) - 1;
}

Program Program::with(int slot, double value) const {
  Program bound;
  bound.tables_ = tables_;
  for (const Instruction& i : code_) {
    const bool fixed = i.op == Op::variable && i.index == slot;
    bound.append(fixed ? Instruction{Op::constant, 0, value} : i);
  }
  return bound;
}

bool Program::uses(int slot) const {
  return std::ranges::any_of(code_,
                             [slot](const Instruction& i) { return i.op == Op::variable && i.index == slot; });
}

int Program::stack_needed() const {
  int depth = 0, most = 0;
  for (const Instruction& i : code_) {
    depth += 1 - operands(i.op);
    most = std::max(most, depth);
  }
  return most;
}

Derivatives differentiate(const Program& program, std::span<const double> variables, int slot) {
  using Second = Dual<Dual<double>>;
  std::vector<Second> x(variables.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = Second(variables[i]);
  Second& along = x[static_cast<std::size_t>(slot)];
  along.v.d[0] = 1;
  along.d[0] = Dual<double>(1.0);
  const Second y = program.evaluate(std::span<const Second>(x));
  return {y.v.v, y.v.d[0], y.d[0].d[0]};
}

Derivatives differentiate_on(const Program& program, double variable, Pieces pieces) {
  using Second = Dual<Dual<double>>;
  Second t(variable);
  t.v.d[0] = 1;
  t.d[0] = Dual<double>(1.0);
  const Second y = program.evaluate_on(std::span<const Second>(&t, 1), pieces);
  return {y.v.v, y.v.d[0], y.d[0].d[0]};
}

}  // namespace percuss::expression
