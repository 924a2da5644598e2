// Short pulses of smooth expressions: a step is taken only if what its stages see spans what the expression does.
#pragma once

#include <span>
#include <vector>

#include "percuss/expression/program.h"

namespace percuss::expression {

/// The operations on time alone whose results are enclosed; none of an expression that hides nothing from the
/// stages of a step: made of polynomials and of sines and cosines of a + b t, to the degree of kPlainDegree in all.
inline constexpr int kPlainDegree = 8;
std::vector<std::size_t> operations_to_enclose(const Program& program);

/// The longest step from t, at most h, that may be taken: the values of each operation over it lie in the range
/// that it has at the stages t + c h, or outside of it by at most kBeyond of that range (and by rounding). Where an
/// operation is monotone over the step there is nothing to be seen between its ends. Otherwise its enclosure is
/// bisected; the step ends before the first part in which the operation is outside, or may be.
inline constexpr double kBeyond = 0.5;
inline constexpr int kMostParts = 400;  // enclosures, for all of one call
double step_to_take(const Program& program, std::span<const std::size_t> operations, Pieces pieces, double t,
                    double h, std::span<const double> stages);

}  // namespace percuss::expression
