// Philox, permutations, Sobol sequences.
#include "percuss/study/sweep/random.h"

#include <boost/random/sobol.hpp>
#include <numeric>
#include <utility>

namespace percuss::study {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kFirst = 0xD2511F53, kSecond = 0xCD9E8D57;
  constexpr std::uint32_t kStep[2] = {0x9E3779B9, 0xBB67AE85};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = kFirst * c[0], b = kSecond * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += kStep[0];
    key[1] += kStep[1];
  }
  return c;
}

namespace {

std::uint64_t bits(std::uint64_t seed, std::uint64_t point, std::uint32_t axis, std::uint32_t stream) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto block = philox({low(point), high(point), axis, stream}, {low(seed), high(seed)});
  return std::uint64_t{block[0]} << 32 | block[1];
}

/// The middle of one of 2^52 cells: neither 0 nor 1, also after rounding.
double in_cell(std::uint64_t random) { return (static_cast<double>(random >> 12) + 0.5) * 0x1p-52; }

enum Stream : std::uint32_t { of_points, of_permutations, of_shifts };

}  // namespace

double uniform(std::uint64_t seed, std::uint64_t point, std::uint32_t axis, std::uint32_t stream) {
  return in_cell(bits(seed, point, axis, of_points + 16 * stream));
}

std::vector<std::uint32_t> permutation(std::uint64_t seed, std::uint32_t axis, std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) {  // Fisher and Yates; the bias of the product is below 2^-32
    const std::uint64_t random = bits(seed, i, axis, of_permutations) >> 32;
    std::swap(order[i - 1], order[random * i >> 32]);
  }
  return order;
}

std::vector<double> sobol_numbers(std::uint64_t seed, std::size_t points, std::size_t dimensions) {
  if (points == 0 || dimensions == 0) return {};
  boost::random::sobol sequence(dimensions);
  std::vector<std::uint64_t> shift(dimensions);
  for (std::size_t j = 0; j < dimensions; ++j) shift[j] = bits(seed, 0, static_cast<std::uint32_t>(j), of_shifts);
  std::vector<double> out;
  out.reserve(points * dimensions);
  // Boost leaves out the point 0, without which the first 2^k points are no net.
  for (std::size_t j = 0; j < dimensions; ++j) out.push_back(in_cell(shift[j]));
  for (std::size_t i = 1; i < points; ++i)
    for (std::size_t j = 0; j < dimensions; ++j) out.push_back(in_cell(sequence() ^ shift[j]));
  return out;
}

}  // namespace percuss::study
