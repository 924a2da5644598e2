// The vocabulary that kernels are written in, for double: selection, extremes, lane access. Packs and duals speak
// it too.
#pragma once

#include <cmath>
#include <limits>

// Kernels are compiled for several instruction sets into one program. A helper on plain doubles must never be
// emitted as a function that the linker could take from the wide build, so such helpers are always inlined.
#define PERCUSS_INLINE [[gnu::always_inline]] inline

namespace percuss {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();  // 2.2e-16

PERCUSS_INLINE double select(bool condition, double a, double b) { return condition ? a : b; }

/// max and min by one comparison, the same on every scalar type to the bit (signed zeros and NaN included).
template <class T>
PERCUSS_INLINE T max_of(T a, T b) {
  return select(a < b, b, a);
}
template <class T>
PERCUSS_INLINE T min_of(T a, T b) {
  return select(b < a, b, a);
}

/// -1, 0 or +1.
template <class T>
PERCUSS_INLINE T sign_of(T x) {
  return select(x > T(0.0), T(1.0), select(x < T(0.0), T(-1.0), T(0.0)));
}

/// The number without its derivatives.
PERCUSS_INLINE double value_of(double x) { return x; }

/// x^(quarters/4) from products and square roots only: exact to the bit on every scalar, and 20 times cheaper than
/// pow.
template <int quarters, class T>
PERCUSS_INLINE T power_of_quarters(T x) {
  using std::sqrt;
  static_assert(quarters >= 0 && quarters <= 16);
  if constexpr (quarters == 0) {
    return T(1.0);
  } else if constexpr (quarters == 1) {
    return sqrt(sqrt(x));
  } else if constexpr (quarters == 2) {
    return sqrt(x);
  } else if constexpr (quarters == 3) {
    const T root = sqrt(x);
    return root * sqrt(root);
  } else {
    return x * power_of_quarters<quarters - 4>(x);
  }
}

}  // namespace percuss
