// One quadrature for integrands with an algebraic singularity at the lower end.
#pragma once

#include <functional>

namespace percuss::impact {

/// Integral from 0 to `end` of a function that may grow like s^(-b), b < 1, at s = 0. Tanh-sinh: its abscissas near
/// 0 keep full relative precision. Relative error about 1e-13.
double integrate_from_singular_end(const std::function<double(double)>& integrand, double end);

}  // namespace percuss::impact
