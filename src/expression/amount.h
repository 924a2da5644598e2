// Numbers with their dimension: expressions of constants are checked as they are computed.
#pragma once

#include <span>

#include "percuss/base/units.h"
#include "percuss/expression/program.h"

namespace percuss::expression {

/// A number and what is known of its unit. In SI, as all numbers of an expression.
struct Amount {
  enum class Unit {
    written,  // a number inside an expression: pure in products and quotients, of any dimension in sums ("R +
              // 0.01")
    open,     // a constant without a unit ("k: 1000"): of any dimension everywhere; what is made of it is open too
    known     // `dimension`
  };
  double si = 0;
  Unit unit = Unit::written;
  Dimension dimension{};
};

/// The value of an expression for these variables. The error names the operation whose operands do not fit ("a
/// length and a mass cannot be added"); it carries no place.
Result<Amount> evaluate_amount(const Program& program, std::span<const Amount> variables);

}  // namespace percuss::expression
