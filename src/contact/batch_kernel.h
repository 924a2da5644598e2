// The loop of a batch, for any pack width. Included by one file for each instruction set; everything here is a
// template on the pack, so that the linker can never mix code of two instruction sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "percuss/contact/law.h"

namespace percuss::contact {

struct BatchRange {
  const double* depth_m;
  const double* rate_mps;
  const double* deepest_m;  // null: virgin loading
  double* out_N;
  std::size_t count;
  bool past_cache = false;  // write past the caches: the results do not fit into them
};

/// The forces of one pack of contacts, stored or streamed past the caches.
template <class PackT, bool remembers, bool streams, class ShapeKernel, class ElasticKernel>
PERCUSS_INLINE void run_pack(const ShapeKernel& shape, const ElasticKernel& elastic, double lowest_N,
                             const double* depth_m, const double* rate_mps, const double* deepest_m,
                             double* out_N) {
  const Indentation<PackT> x{PackT::load(depth_m), PackT::load(rate_mps),
                             remembers ? PackT::load(deepest_m) : PackT(0.0)};
  const PackT force_N = ruled_force(shape, elastic, x, lowest_N).total_N;
  if constexpr (streams) {
    force_N.stream(out_N);
  } else {
    force_N.store(out_N);
  }
}

/// Does a kernel consist of products, sums and roots, so that memory and the divider are its limits?
template <class ElasticKernel>
inline constexpr bool is_arithmetic = false;
template <class P, int quarters>
inline constexpr bool is_arithmetic<PowerKernel<P, FixedPower<quarters>>> = true;

/// Does a shape look at the deepest point?
template <class ShapeKernel>
inline constexpr bool looks_back =
    std::is_same_v<ShapeKernel, Plastic<>> || std::is_same_v<ShapeKernel, Thornton<>>;

/// All arguments by value: kept in registers, where references could alias the results.
template <class PackT, bool remembers, bool streams, class ShapeKernel, class ElasticKernel>
void run_packs(const ShapeKernel shape, const ElasticKernel elastic, const double lowest_N,
               const double* const depth_m, const double* const rate_mps, const double* const deepest_m,
               double* const out_N, const std::size_t count) {
  constexpr std::size_t width = PackT::size;
  const auto at = [&]<class T>(T, std::size_t j) {
    run_pack<T, remembers, streams>(shape, elastic, lowest_N, depth_m + j, rate_mps + j, deepest_m + j, out_N + j);
  };
  std::size_t i = 0;
  if constexpr (is_arithmetic<ElasticKernel> && width == 4) {
    // of four packs, three take their roots on the divider and one on the multipliers: both are then busy
    for (; i + 4 * width <= count; i += 4 * width) {
      at(PackT{}, i);
      at(Pack<PackT::size, true>{}, i + width);
      at(PackT{}, i + 2 * width);
      at(PackT{}, i + 3 * width);
    }
  }
  for (; i + width <= count; i += width) at(PackT{}, i);
  if (i == count) return;
  double x[width] = {}, v[width] = {}, m[width] = {}, f[width];  // the tail, filled up with zeros
  for (std::size_t k = 0; i + k < count; ++k) {
    x[k] = depth_m[i + k];
    v[k] = rate_mps[i + k];
    if (remembers) m[k] = deepest_m[i + k];
  }
  run_pack<PackT, remembers, false>(shape, elastic, lowest_N, x, v, m, f);
  for (std::size_t k = 0; i + k < count; ++k) out_N[i + k] = f[k];
}

template <class PackT, class ShapeKernel, class ElasticKernel>
void run_loop(const ShapeKernel& shape, const ElasticKernel& elastic, const BatchRange& r, double lowest_N) {
  const auto run = [&]<bool remembers, bool streams>() {
    const double* const deepest = remembers ? r.deepest_m : r.depth_m;  // never null, never read if not remembered
    run_packs<PackT, remembers, streams>(shape, elastic, lowest_N, r.depth_m, r.rate_mps, deepest, r.out_N,
                                         r.count);
  };
  const bool aligned = reinterpret_cast<std::uintptr_t>(r.out_N) % sizeof(PackT) == 0;
  if constexpr (looks_back<ShapeKernel>) {
    if (r.deepest_m) return run.template operator()<true, false>();
  } else if constexpr (is_arithmetic<ElasticKernel>) {
    if (r.past_cache && aligned) return run.template operator()<false, true>();
  }
  run.template operator()<false, false>();
}

template <class PackT>
void run_batch(const Law& law, const BatchRange& range) {
  with_kernel(law.shape, [&](const auto& shape) {
    with_kernel(law.elastic, [&](const auto& elastic) {
      if constexpr (!(PackT::size > 2 && std::is_same_v<std::decay_t<decltype(shape)>, Custom<>>))
        run_loop<PackT>(shape, elastic, range, lowest_force_N(law.pulls()));
    });
  });
}

}  // namespace percuss::contact
