// Text to program: arithmetic, comparisons, functions, tables; every error carries its column.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "percuss/base/diagnostic.h"
#include "percuss/expression/program.h"

namespace percuss::expression {

inline constexpr std::size_t kMaxLength = 10'000;  // characters
inline constexpr int kMaxNesting = 100;            // parentheses, signs and powers within each other

/// Reads an expression of the given variables; the slot of a variable is its place in `variables`.
///
///   numbers 1.5e-3 · + - * / ^ (right to left, before the sign: -x^2 = -(x^2)) · < <= > >= == != · and or not (&&
///   || !) constants pi, tau, e, deg · functions: see function_names() · if(condition, then, else) min(a, b, ...) ·
///   max(a, b, ...) · step(x, x0, h0, x1, h1), a cubic ramp table(x, x1, y1, x2, y2, ...), linear · spline(x, x1,
///   y1, ...), a natural cubic; constant beyond their ends
///
/// Both branches of `if` are evaluated, one is taken. Errors have the column (from 1) in `at`.
Result<Program> parse(std::string_view text, std::span<const std::string_view> variables);

/// The names of functions and constants, which variables may not have.
std::span<const std::string_view> function_names();
std::span<const std::string_view> constant_names();

/// Can this be the name of a variable: a letter, then letters, digits, _ and inner dots, and no reserved word?
bool is_free_name(std::string_view name);

}  // namespace percuss::expression
