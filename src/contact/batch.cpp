// Batches on the baseline instruction set, the choice of a wider one at run time, and threads.
#include <cassert>

#include "percuss/base/pool.h"
#include "percuss/contact/batch_kernel.h"

namespace percuss::contact {

void run_batch_avx2(const Law& law, const BatchRange& range);  // batch_avx2.cpp

namespace {

bool use_avx2() {
#ifdef PERCUSS_HAS_AVX2_BATCH
  static const bool available = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return available;
#else
  return false;
#endif
}

/// A user's expression is evaluated on the baseline width: its interpreter is not compiled twice.
void run(const Law& law, const BatchRange& range, InstructionSet instructions) {
#ifdef PERCUSS_HAS_AVX2_BATCH
  if (instructions == InstructionSet::best && use_avx2() && !std::holds_alternative<Custom<>>(law.shape)) {
    run_batch_avx2(law, range);
    return;
  }
#endif
  static_cast<void>(instructions);
  run_batch<Pack<2>>(law, range);
}

}  // namespace

const char* batch_instruction_set() { return use_avx2() ? "avx2" : "sse2"; }

void forces_N(const Law& law, std::span<const double> depth_m, std::span<const double> rate_mps,
              std::span<const double> deepest_m, std::span<double> out_N, unsigned threads,
              InstructionSet instructions) {
  const std::size_t count = out_N.size();
  assert(depth_m.size() == count && rate_mps.size() == count && (deepest_m.empty() || deepest_m.size() == count));
  const bool remembers = !deepest_m.empty() && has_memory(law);
  constexpr std::size_t kFitsIntoCache = 200'000;  // contacts of 24 bytes: some megabytes
  const auto part = [&](std::size_t from, std::size_t to) {
    run(law,
        {depth_m.data() + from, rate_mps.data() + from, remembers ? deepest_m.data() + from : nullptr,
         out_N.data() + from, to - from, count > kFitsIntoCache},
        instructions);
  };
  constexpr std::size_t kWorthAThread = 20'000;  // below this a thread costs more than it saves
  constexpr std::size_t kCacheLine = 8;          // numbers
  for_each_range(count, threads, {kWorthAThread, kCacheLine}, part);
}

}  // namespace percuss::contact
