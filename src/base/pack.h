// A pack of N doubles in one vector register, with the operations that contact kernels use.
#pragma once

#include <immintrin.h>

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
template <int N>
struct Pack {
  using Lanes = typename VectorOf<N>::Lanes;
  using Mask = typename VectorOf<N>::Mask;
  static constexpr int size = N;
  Lanes lanes;

  Pack() = default;
  PERCUSS_INLINE Pack(double x) : lanes(Lanes{} + x) {}  // NOLINT: a number fills all lanes
  PERCUSS_INLINE explicit Pack(Lanes x) : lanes(x) {}

  PERCUSS_INLINE static Pack load(const double* from) {
    Pack p;
    std::memcpy(&p.lanes, from, sizeof(Lanes));
    return p;
  }
  PERCUSS_INLINE void store(double* to) const { std::memcpy(to, &lanes, sizeof(Lanes)); }

  template <class F>
  PERCUSS_INLINE Pack each(F&& f) const {
    Pack r;
    for (int i = 0; i < N; ++i) r.lanes[i] = f(lanes[i]);
    return r;
  }
};

#define PERCUSS_PACK_OPERATOR(op)                            \
  template <int N>                                           \
  PERCUSS_INLINE Pack<N> operator op(Pack<N> a, Pack<N> b) { \
    return Pack<N>(a.lanes op b.lanes);                      \
  }                                                          \
  template <int N>                                           \
  PERCUSS_INLINE Pack<N> operator op(double a, Pack<N> b) {  \
    return Pack<N>(a) op b;                                  \
  }                                                          \
  template <int N>                                           \
  PERCUSS_INLINE Pack<N> operator op(Pack<N> a, double b) {  \
    return a op Pack<N>(b);                                  \
  }
PERCUSS_PACK_OPERATOR(+)
PERCUSS_PACK_OPERATOR(-)
PERCUSS_PACK_OPERATOR(*)
PERCUSS_PACK_OPERATOR(/)
#undef PERCUSS_PACK_OPERATOR

template <int N>
PERCUSS_INLINE Pack<N> operator-(Pack<N> a) {
  return Pack<N>(-a.lanes);
}

#define PERCUSS_PACK_COMPARISON(op)                                         \
  template <int N>                                                          \
  PERCUSS_INLINE typename Pack<N>::Mask operator op(Pack<N> a, Pack<N> b) { \
    return a.lanes op b.lanes;                                              \
  }
PERCUSS_PACK_COMPARISON(<)
PERCUSS_PACK_COMPARISON(>)
PERCUSS_PACK_COMPARISON(<=)
PERCUSS_PACK_COMPARISON(>=)
PERCUSS_PACK_COMPARISON(==)
#undef PERCUSS_PACK_COMPARISON

template <int N>
PERCUSS_INLINE Pack<N> select(typename Pack<N>::Mask condition, Pack<N> a, Pack<N> b) {
  return Pack<N>(condition ? a.lanes : b.lanes);
}

template <int N>
PERCUSS_INLINE Pack<N> sqrt(Pack<N> x) {
  if constexpr (N == 2) {
    return Pack<N>(typename Pack<N>::Lanes(_mm_sqrt_pd(__m128d(x.lanes))));
#ifdef __AVX2__
  } else if constexpr (N == 4) {
    return Pack<N>(typename Pack<N>::Lanes(_mm256_sqrt_pd(__m256d(x.lanes))));
#endif
  } else {
    return x.each([](double lane) { return std::sqrt(lane); });
  }
}

#define PERCUSS_PACK_FUNCTION(name)                             \
  template <int N>                                              \
  PERCUSS_INLINE Pack<N> name(Pack<N> x) {                      \
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

template <int N>
PERCUSS_INLINE Pack<N> pow(Pack<N> x, Pack<N> y) {
  Pack<N> r;
  for (int i = 0; i < N; ++i) r.lanes[i] = std::pow(x.lanes[i], y.lanes[i]);
  return r;
}
template <int N>
PERCUSS_INLINE Pack<N> pow(Pack<N> x, double p) {
  return pow(x, Pack<N>(p));
}
template <int N>
PERCUSS_INLINE Pack<N> atan2(Pack<N> y, Pack<N> x) {
  Pack<N> r;
  for (int i = 0; i < N; ++i) r.lanes[i] = std::atan2(y.lanes[i], x.lanes[i]);
  return r;
}

}  // namespace percuss
