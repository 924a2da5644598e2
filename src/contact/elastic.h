// Elastic laws f(x): the force of an indentation x >= 0 without dissipation, on any scalar.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <variant>

#include "percuss/base/dual.h"
#include "percuss/base/pack.h"
#include "percuss/base/scalar.h"

namespace percuss::contact {

/// F = K x^n. P is the type of the parameters: double, or a dual number to differentiate in them.
template <class P = double>
struct Power {
  P stiffness;  // N/m^n
  double exponent = 1.5;
  bool operator==(const Power&) const = default;
};

/// Line contact of cylinders, load per length p = F/L:  x = s p [ln(B/p) + k], which Johnson, Goldsmith (Dubowsky
/// and Freudenstein) and ESDU-78035 share with their own B and k. With B' = B exp(k) the inverse is
///   p = -(x/s) / W(-x/(s B')),   W the branch -1 of Lambert's function,
/// for x <= s B'/e, where dF/dx becomes infinite: beyond it the law says nothing, and the force here stays as it is
/// there.
template <class P = double>
struct LogLine {
  P length_m;
  P compliance;      // s = 1/(pi E*), m^2/N
  P load_scale_Npm;  // B'
  bool operator==(const LogLine&) const = default;
};

/// Liu et al. 2007, cylinders in a bore:  F = (pi/2) L E* x sqrt(x/(2 (dR + x))).
template <class P = double>
struct Conformal {
  P stiffness_Npm;         // (pi/2) L E*, N/m
  double clearance_m = 0;  // dR
  bool operator==(const Conformal&) const = default;
};

template <class P = double>
using Elastic = std::variant<Power<P>, LogLine<P>, Conformal<P>>;

/// Lambert's W on the branch -1, for -1/e <= z < 0; -infinity at 0.
double lambert_w_minus1(double z);
template <int N, bool refined>
Pack<N, refined> lambert_w_minus1(Pack<N, refined> z) {
  return z.each([](double lane) { return lambert_w_minus1(lane); });
}
template <class T, std::size_t N>
Dual<T, N> lambert_w_minus1(const Dual<T, N>& z) {  // W' = W/(z (1 + W))
  const T w = lambert_w_minus1(z.v);
  return chain(w, T(w / (z.v * (1.0 + w))), z);
}

/// ---- kernels: what a batch loops over, with the exponent known at compile time where it is a multiple of 1/4
/// ----------

/// x^(quarters/4) in products and roots.
template <int quarters>
struct FixedPower {
  static constexpr double exponent() { return quarters / 4.0; }
  template <class T>
  PERCUSS_INLINE T of(T x) const {
    return power_of_quarters<quarters>(x);
  }
};
/// x^p by pow.
struct FreePower {
  double p;
  double exponent() const { return p; }
  template <class T>
  PERCUSS_INLINE T of(T x) const {
    using std::pow;
    return pow(x, p);
  }
};

template <class P, class Exponent>
struct PowerKernel {
  P stiffness;
  Exponent power;
  template <class T>
  PERCUSS_INLINE T force(T x) const {
    return T(stiffness * power.of(x));
  }
};

template <class P>
struct LogLineKernel {
  LogLine<P> law;
  template <class T>
  PERCUSS_INLINE T force(T x) const {
    const P limit = law.compliance * law.load_scale_Npm;  // s B'; the argument of W is -x/limit
    const T z = -min_of(T(x / limit), T(1 / std::numbers::e));
    const T load = T(law.length_m * law.load_scale_Npm) * (z / lambert_w_minus1(z));
    return select(x > T(0.0), load, T(0.0));
  }
};

template <class P>
struct ConformalKernel {
  Conformal<P> law;
  template <class T>
  PERCUSS_INLINE T force(T x) const {
    using std::sqrt;
    return T(law.stiffness_Npm * x) * sqrt(T(x / (2.0 * (law.clearance_m + x))));
  }
};

/// Calls `use` with the kernel of an elastic law: one decision for a whole batch.
template <class P, class Use>
decltype(auto) with_kernel(const Elastic<P>& elastic, Use&& use) {
  if (const auto* power = std::get_if<Power<P>>(&elastic)) {
    if (power->exponent == 1.5) return use(PowerKernel<P, FixedPower<6>>{power->stiffness, {}});
    if (power->exponent == 1.0) return use(PowerKernel<P, FixedPower<4>>{power->stiffness, {}});
    return use(PowerKernel<P, FreePower>{power->stiffness, {power->exponent}});
  }
  if (const auto* line = std::get_if<LogLine<P>>(&elastic)) return use(LogLineKernel<P>{*line});
  return use(ConformalKernel<P>{std::get<Conformal<P>>(elastic)});
}

/// ---- what follows from f
/// ------------------------------------------------------------------------------------------------

double elastic_force_N(const Elastic<>& elastic, double depth_m);
double elastic_slope_Npm(const Elastic<>& elastic, double depth_m);

/// Integral of f from 0 to the depth.
double elastic_energy_J(const Elastic<>& elastic, double depth_m);

/// The depth at which the elastic energy is the given one; infinity where the law cannot hold that much.
double depth_of_energy_m(const Elastic<>& elastic, double energy_J);

/// The largest depth at which the law is defined.
double depth_limit_m(const Elastic<>& elastic);

}  // namespace percuss::contact
