// The loop of a batch, for any pack width. Included by one file for each instruction set; everything here is a
// template on the pack, so that the linker can never mix code of two instruction sets.
#pragma once

#include <algorithm>
#include <cstddef>

#include "percuss/contact/law.h"

namespace percuss::contact {

struct BatchRange {
  const double* depth_m;
  const double* rate_mps;
  const double* deepest_m;  // null: virgin loading
  double* out_N;
  std::size_t count;
};

template <class PackT, class ShapeKernel, class ElasticKernel>
void run_loop(const ShapeKernel& shape, const ElasticKernel& elastic, const BatchRange& range, double lowest_N) {
  constexpr std::size_t width = PackT::size;
  const auto at = [&](const double* depth, const double* rate, const double* deepest, double* out) {
    const Indentation<PackT> x{PackT::load(depth), PackT::load(rate), deepest ? PackT::load(deepest) : PackT(0.0)};
    ruled_force(shape, elastic, x, lowest_N).total_N.store(out);
  };
  const std::size_t whole = range.count / width * width;
  if (range.deepest_m) {
    for (std::size_t i = 0; i < whole; i += width)
      at(range.depth_m + i, range.rate_mps + i, range.deepest_m + i, range.out_N + i);
  } else {
    for (std::size_t i = 0; i < whole; i += width)
      at(range.depth_m + i, range.rate_mps + i, nullptr, range.out_N + i);
  }
  if (const std::size_t rest = range.count - whole) {  // the tail, filled up with zeros
    double depth[width] = {}, rate[width] = {}, deepest[width] = {}, out[width];
    for (std::size_t k = 0; k < rest; ++k) {
      depth[k] = range.depth_m[whole + k];
      rate[k] = range.rate_mps[whole + k];
      if (range.deepest_m) deepest[k] = range.deepest_m[whole + k];
    }
    at(depth, rate, deepest, out);
    for (std::size_t k = 0; k < rest; ++k) range.out_N[whole + k] = out[k];
  }
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
