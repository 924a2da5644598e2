// Power series of one step, and their first fall through zero.
#pragma once

#include <Eigen/Core>
#include <optional>

namespace percuss::collision {

using Series = Eigen::VectorXd;  // c_0 + c_1 t + c_2 t^2 + ...

double value_at(const Series& c, double t);
/// As many coefficients as the factors have.
Series product(const Series& a, const Series& b);
/// From 0 to t.
double integral_to(const Series& c, double t);

/// The first t in [0, end] where a function that is not below zero at 0 falls through zero; values within `floor`
/// of zero count as zero. Found from its Bernstein coefficients on intervals that are halved until they change
/// their sign at most once: no zero is missed.
std::optional<double> first_fall(const Series& c, double end, double floor);

}  // namespace percuss::collision
