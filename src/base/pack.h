// A pack of N doubles in one vector register, with the operations that contact kernels use.
#pragma once

#ifdef __AVX2__
#include <immintrin.h>  // takes half a second to read: only where it is used
#else
#include <emmintrin.h>
#endif

#include <cmath>
#include <cstddef>
#include <cstring>

#include "percuss/base/scalar.h"

namespace percuss {

/// Vector types of the compiler, by width.
template <int N>
struct VectorOf;
template <>
struct VectorOf<2> {
  typedef double Lanes __attribute__((vector_size(16)));
  typedef long long Mask __attribute__((vector_size(16)));
};
template <>
struct VectorOf<4> {
  typedef double Lanes __attribute__((vector_size(32)));
  typedef long long Mask __attribute__((vector_size(32)));
};

/// Products, sums, square roots and selections are IEEE operations lane by lane, so a pack gives the bits of the
/// scalar kernel. Functions without a vector instruction call the scalar one for each lane.
template <int N, bool refined = false>
struct Pack {
  using Lanes = typename VectorOf<N>::Lanes;
  using Mask = typename VectorOf<N>::Mask;
  static constexpr int size = N;
  Lanes lanes;

  Pack() = default;
  PERCUSS_INLINE Pack(double x) : lanes(filled(x)) {}  // NOLINT: a number fills all lanes
  PERCUSS_INLINE explicit Pack(Lanes x) : lanes(x) {}

  PERCUSS_INLINE static Pack load(const double* from) {
    Pack p;
    std::memcpy(&p.lanes, from, sizeof(Lanes));
    return p;
  }
  PERCUSS_INLINE void store(double* to) const { std::memcpy(to, &lanes, sizeof(Lanes)); }
  /// Past the caches, for results that do not fit into them; `to` must be aligned to the pack.
  PERCUSS_INLINE void stream(double* to) const {
#ifdef __AVX2__
    if constexpr (N == 4) {
      _mm256_stream_pd(to, __m256d(lanes));
      return;
    }
#endif
    if constexpr (N == 2) {
      _mm_stream_pd(to, __m128d(lanes));
    } else {
      store(to);
    }
  }

  PERCUSS_INLINE static Lanes filled(double x) {
    if constexpr (N == 2) {
      return Lanes{x, x};
    } else {
      return Lanes{x, x, x, x};
    }
  }

  template <class F>
  PERCUSS_INLINE Pack each(F&& f) const {
    Pack r;
    for (int i = 0; i < N; ++i) r.lanes[i] = f(lanes[i]);
    return r;
  }
};

#define PERCUSS_PACK_OPERATOR(op)                                                       \
  template <int N, bool refined>                                                        \
  PERCUSS_INLINE Pack<N, refined> operator op(Pack<N, refined> a, Pack<N, refined> b) { \
    return Pack<N, refined>(a.lanes op b.lanes);                                        \
  }                                                                                     \
  template <int N, bool refined>                                                        \
  PERCUSS_INLINE Pack<N, refined> operator op(double a, Pack<N, refined> b) {           \
    return Pack<N, refined>(a) op b;                                                    \
  }                                                                                     \
  template <int N, bool refined>                                                        \
  PERCUSS_INLINE Pack<N, refined> operator op(Pack<N, refined> a, double b) {           \
    return a op Pack<N, refined>(b);                                                    \
  }
PERCUSS_PACK_OPERATOR(+)
PERCUSS_PACK_OPERATOR(-)
PERCUSS_PACK_OPERATOR(*)
PERCUSS_PACK_OPERATOR(/)
#undef PERCUSS_PACK_OPERATOR

template <int N, bool refined>
PERCUSS_INLINE Pack<N, refined> operator-(Pack<N, refined> a) {
  return Pack<N, refined>(-a.lanes);
}

#define PERCUSS_PACK_COMPARISON(op)                                                                    \
  template <int N, bool refined>                                                                       \
  PERCUSS_INLINE typename Pack<N, refined>::Mask operator op(Pack<N, refined> a, Pack<N, refined> b) { \
    return a.lanes op b.lanes;                                                                         \
  }
PERCUSS_PACK_COMPARISON(<)
PERCUSS_PACK_COMPARISON(>)
PERCUSS_PACK_COMPARISON(<=)
PERCUSS_PACK_COMPARISON(>=)
PERCUSS_PACK_COMPARISON(==)
#undef PERCUSS_PACK_COMPARISON

template <int N, bool refined>
PERCUSS_INLINE Pack<N, refined> select(typename Pack<N, refined>::Mask condition, Pack<N, refined> a,
                                       Pack<N, refined> b) {
  return Pack<N, refined>(condition ? a.lanes : b.lanes);
}

#if defined(__AVX2__) && defined(__FMA__)
/// The correctly rounded square root of four numbers without the instruction, which blocks the divider for 9 to 12
/// cycles.
///   y ~ 1/sqrt(x) from the 12-bit estimate and two Newton steps (error 2^-44); s = x y; s += (x - s^2) y/2 (error
///   2^-88).
/// Check: with u the distance from s to its neighbour below, s is the rounded root if |x - s^2| < u s: the residual
/// is exact (one fused operation) and a multiple of u^2, so x < s^2 + u s < (s + u/2)^2 and x >= s^2 - u s + u^2 >
/// (s - u/2)^2. If any of the four fails (the root lies next to a midpoint, or x is 0, not finite or outside the
/// range of float), the instruction decides.
PERCUSS_INLINE __m256d square_root_of_4(__m256d x) {
  const auto scaled = [](__m256d a, long long exponent) {  // a 2^exponent, for normal numbers, off the multipliers
    return _mm256_castsi256_pd(
        _mm256_add_epi64(_mm256_castpd_si256(a), _mm256_set1_epi64x(exponent * (1LL << 52))));
  };
  const __m256d half_x = scaled(x, -1), three_halves = _mm256_set1_pd(1.5);
  __m256d y = _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(x)));
  y = _mm256_mul_pd(y, _mm256_fnmadd_pd(_mm256_mul_pd(half_x, y), y, three_halves));
  y = _mm256_mul_pd(y, _mm256_fnmadd_pd(_mm256_mul_pd(half_x, y), y, three_halves));
  __m256d s = _mm256_mul_pd(x, y);
  s = _mm256_fmadd_pd(scaled(y, -1), _mm256_fnmadd_pd(s, s, x), s);
  const __m256d residual = _mm256_fnmadd_pd(s, s, x);
  const __m256i below = _mm256_add_epi64(_mm256_castpd_si256(s), _mm256_set1_epi64x(-1));
  const __m256d exponent_bits = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7FF0000000000000));
  const __m256d spacing = scaled(_mm256_and_pd(_mm256_castsi256_pd(below), exponent_bits), -52);
  const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), residual);
  const __m256d verified = _mm256_cmp_pd(size, _mm256_mul_pd(spacing, s), _CMP_LT_OQ);
  if (_mm256_movemask_pd(verified) == 0xF) [[likely]]
    return s;
  return _mm256_sqrt_pd(x);
}
#endif

template <int N, bool refined>
PERCUSS_INLINE Pack<N, refined> sqrt(Pack<N, refined> x) {
  if constexpr (N == 2) {
    return Pack<N, refined>(typename Pack<N, refined>::Lanes(_mm_sqrt_pd(__m128d(x.lanes))));
#if defined(__AVX2__) && defined(__FMA__)
  } else if constexpr (N == 4) {
    return Pack<N, refined>(typename Pack<N, refined>::Lanes(refined ? square_root_of_4(__m256d(x.lanes))
                                                                     : _mm256_sqrt_pd(__m256d(x.lanes))));
#endif
  } else {
    return x.each([](double lane) { return std::sqrt(lane); });
  }
}

#define PERCUSS_PACK_FUNCTION(name)                             \
  template <int N, bool refined>                                \
  PERCUSS_INLINE Pack<N, refined> name(Pack<N, refined> x) {    \
    return x.each([](double lane) { return std::name(lane); }); \
  }
PERCUSS_PACK_FUNCTION(abs)
PERCUSS_PACK_FUNCTION(cbrt)
PERCUSS_PACK_FUNCTION(exp)
PERCUSS_PACK_FUNCTION(expm1)
PERCUSS_PACK_FUNCTION(log)
PERCUSS_PACK_FUNCTION(log10)
PERCUSS_PACK_FUNCTION(log1p)
PERCUSS_PACK_FUNCTION(sin)
PERCUSS_PACK_FUNCTION(cos)
PERCUSS_PACK_FUNCTION(tan)
PERCUSS_PACK_FUNCTION(asin)
PERCUSS_PACK_FUNCTION(acos)
PERCUSS_PACK_FUNCTION(atan)
PERCUSS_PACK_FUNCTION(sinh)
PERCUSS_PACK_FUNCTION(cosh)
PERCUSS_PACK_FUNCTION(tanh)
PERCUSS_PACK_FUNCTION(floor)
#undef PERCUSS_PACK_FUNCTION

template <int N, bool refined>
PERCUSS_INLINE Pack<N, refined> pow(Pack<N, refined> x, Pack<N, refined> y) {
  Pack<N, refined> r;
  for (int i = 0; i < N; ++i) r.lanes[i] = std::pow(x.lanes[i], y.lanes[i]);
  return r;
}
template <int N, bool refined>
PERCUSS_INLINE Pack<N, refined> pow(Pack<N, refined> x, double p) {
  return pow(x, Pack<N, refined>(p));
}
template <int N, bool refined>
PERCUSS_INLINE Pack<N, refined> atan2(Pack<N, refined> y, Pack<N, refined> x) {
  Pack<N, refined> r;
  for (int i = 0; i < N; ++i) r.lanes[i] = std::atan2(y.lanes[i], x.lanes[i]);
  return r;
}

}  // namespace percuss
