// Building programs: folding of constants, powers as roots, derivatives.
#include "percuss/expression/program.h"

#include <algorithm>

namespace percuss::expression {

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
        code_.back() = {Op::power_of_quarters, static_cast<int>(quarters), 0};
        return;
      }
    }
  }
  code_.push_back(instruction);
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

}  // namespace percuss::expression
