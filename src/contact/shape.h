// Dissipation shapes: how a force is made of f(x), the rate and the history. They know no author and no
// restitution.
#pragma once

#include <memory>
#include <variant>

#include "percuss/contact/elastic.h"
#include "percuss/expression/program.h"

namespace percuss::contact {

/// depth > 0: overlap; rate > 0: approaching; deepest: the largest depth of the episode before now (history of
/// plastic laws).
template <class T = double>
struct Indentation {
  T depth_m{}, rate_mps{}, deepest_m{};
};

/// What the surfaces feel (total) and the part of it that f alone gives. Before the rule against pulling is
/// applied.
template <class T = double>
struct NormalForce {
  T total_N{}, elastic_N{};
};

/// F = f(x) (1 + g x'), g = a/v0 latched at first touch.
template <class P = double>
struct Scaled {
  P gain_s_per_m{};
  template <class F, class T>
  PERCUSS_INLINE NormalForce<T> operator()(const F& f, const Indentation<T>& x) const {
    const T elastic = f.force(x.depth_m);
    return {elastic + elastic * T(gain_s_per_m * x.rate_mps), elastic};
  }
  bool operator==(const Scaled&) const = default;
};

/// F = f(x) + chi x^p x'; `on_approach` damps only while x' > 0 (Jankowski).
template <class P = double>
struct Added {
  P chi{};  // N s/m^(p+1)
  double exponent = 0;
  bool on_approach = false;
  bool operator==(const Added&) const = default;
};
template <class P, class Exponent, bool on_approach>
struct AddedKernel {
  P chi;
  Exponent power;
  template <class F, class T>
  PERCUSS_INLINE NormalForce<T> operator()(const F& f, const Indentation<T>& x) const {
    const T elastic = f.force(x.depth_m);
    const T rate = on_approach ? max_of(x.rate_mps, T(0.0)) : x.rate_mps;
    return {elastic + T(chi * power.of(x.depth_m)) * rate, elastic};
  }
};

/// F = f(x) + c_max step(x; 0, 0, d, 1) x': the damping of ADAMS' IMPACT grows in by a cubic over the first d of
/// depth.
template <class P = double>
struct Ramped {
  P chi_Nspm{};
  P per_full_depth{1.0};  // 1/d
  template <class F, class T>
  PERCUSS_INLINE NormalForce<T> operator()(const F& f, const Indentation<T>& x) const {
    const T elastic = f.force(x.depth_m);
    const T s = min_of(T(x.depth_m * per_full_depth), T(1.0));
    return {elastic + (s * s) * (3.0 * chi_Nspm - s * (2.0 * chi_Nspm)) * x.rate_mps, elastic};
  }
  bool operator==(const Ramped&) const = default;
};

/// Loading F = f(x)(1 + g x'); below the deepest point x_m the force runs along f(x_m - w (x_m - x))(1 + g x'),
/// where the stretch w = x_m/(x_m - x_p) >= 1 says how much steeper unloading is; it ends at the permanent
/// indentation x_p = x_m (1 - 1/w). Reloading runs back along the same curve, then along f again. g = 0 is plastic
/// unloading alone; w = 1 is Scaled.
template <class P = double>
struct Plastic {
  P stretch{1.0};
  P gain_s_per_m{};
  /// The part of the deepest indentation that is recovered.
  P recovered_ratio() const { return 1.0 / stretch; }
  template <class F, class T>
  PERCUSS_INLINE NormalForce<T> operator()(const F& f, const Indentation<T>& x) const {
    const T below = T(x.deepest_m - (x.deepest_m - x.depth_m) * stretch);
    const T equivalent = select(x.depth_m >= x.deepest_m, x.depth_m, below);
    const auto pressed = equivalent > T(0.0);
    const T elastic = select(pressed, f.force(select(pressed, equivalent, T(1.0))), T(0.0));
    return {elastic + elastic * T(gain_s_per_m * x.rate_mps), elastic};
  }
  bool operator==(const Plastic&) const = default;
};

/// F = f(x)(1 + mu sgn x'), as its two factors: 1 - mu alone would lose the digits of a small restitution.
template <class P = double>
struct Dry {
  P loading_factor{1.0}, unloading_factor{1.0};  // 1 + mu, 1 - mu
  template <class F, class T>
  PERCUSS_INLINE NormalForce<T> operator()(const F& f, const Indentation<T>& x) const {
    const T elastic = f.force(x.depth_m), rest(0.0);
    const T factor =
        select(x.rate_mps > rest, T(loading_factor), select(x.rate_mps < rest, T(unloading_factor), T(1.0)));
    return {elastic * factor, elastic};
  }
  bool operator==(const Dry&) const = default;
};

/// Thornton 1997: Hertz to the yield depth x_y, then a straight line of slope pi p_y R; unloading along Hertz with
/// the flattened radius R_p = (4E*/(3F_m)) X^(3/2), X = (2F_m + F_y)/(2 pi p_y). In the ratio (x - x_p)/(x_m - x_p)
/// that is
///   F = F_m y^(3/2),  x_m - x_p = (3F_m/(4E*))^(2/3) R_p^(-1/3) = (3F_m/(4E*))/sqrt(X),
/// which needs no cube root. The elastic law is Hertz's own.
template <class P = double>
struct Thornton {
  P yield_depth_m{}, yield_force_N{}, plastic_slope_Npm{};
  P force_to_length{};  // 3/(4 E*), m^2/N
  P force_to_area{};    // 1/(2 pi p_y), m^2/N
  template <class F, class T>
  PERCUSS_INLINE NormalForce<T> operator()(const F& f, const Indentation<T>& x) const {
    using std::sqrt;
    // below yield the contact is elastic and none of the following is used
    const T peak = T(yield_force_N + plastic_slope_Npm * (x.deepest_m - yield_depth_m));
    const T root = sqrt(T(force_to_area * (2.0 * peak + yield_force_N)));  // sqrt(X)
    const T y = T(1.0 - (x.deepest_m - x.depth_m) * root / T(force_to_length * peak));
    const auto pressed = y > T(0.0);
    const T unloading = select(pressed, peak * power_of_quarters<6>(select(pressed, y, T(1.0))), T(0.0));
    const T virgin = loading(f, x.depth_m);
    const T total =
        select(x.depth_m >= x.deepest_m, virgin, select(x.deepest_m <= T(yield_depth_m), virgin, unloading));
    return {total, total};
  }
  template <class F, class T>
  PERCUSS_INLINE T loading(const F& f, T x) const {
    return select(x <= T(yield_depth_m), f.force(x), T(yield_force_N + plastic_slope_Npm * (x - yield_depth_m)));
  }
  bool operator==(const Thornton&) const = default;
};

/// A force written by a user: an expression of slot 0 = delta and slot 1 = ddelta; all else is bound. Its elastic
/// part is its value at rest.
template <class P = double>
struct Custom {
  std::shared_ptr<const expression::Program> force;
  template <class F, class T>
  NormalForce<T> operator()(const F&, const Indentation<T>& x) const {
    const std::array<T, 2> moving{x.depth_m, x.rate_mps}, resting{x.depth_m, T(0.0)};
    return {force->evaluate(std::span<const T>(moving)), force->evaluate(std::span<const T>(resting))};
  }
  bool operator==(const Custom&) const = default;
};

template <class P = double>
using Shape = std::variant<Scaled<P>, Added<P>, Ramped<P>, Plastic<P>, Dry<P>, Thornton<P>, Custom<P>>;

/// Calls `use` with the kernel of a shape, its exponent known at compile time where it is 0, 1/4 or 1/2.
template <class P, class Use>
decltype(auto) with_kernel(const Shape<P>& shape, Use&& use) {
  return std::visit(
      [&use](const auto& s) {
        if constexpr (std::is_same_v<std::decay_t<decltype(s)>, Added<P>>) {
          if (s.on_approach && s.exponent == 0.25) return use(AddedKernel<P, FixedPower<1>, true>{s.chi, {}});
          if (s.on_approach) return use(AddedKernel<P, FreePower, true>{s.chi, {s.exponent}});
          if (s.exponent == 0) return use(AddedKernel<P, FixedPower<0>, false>{s.chi, {}});
          if (s.exponent == 0.25) return use(AddedKernel<P, FixedPower<1>, false>{s.chi, {}});
          if (s.exponent == 0.5) return use(AddedKernel<P, FixedPower<2>, false>{s.chi, {}});
          return use(AddedKernel<P, FreePower, false>{s.chi, {s.exponent}});
        } else {
          return use(s);
        }
      },
      shape);
}

}  // namespace percuss::contact
