// Numbers that depend on a seed and a place alone: no state, so that points can be made in any order, anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace percuss::study {

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC'11): a block of 128 random bits from a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Uniform in (0, 1), never its ends. `stream` keeps uses apart that have the same point and axis.
double uniform(std::uint64_t seed, std::uint64_t point, std::uint32_t axis, std::uint32_t stream = 0);

/// 0 .. count - 1 in random order.
std::vector<std::uint32_t> permutation(std::uint64_t seed, std::uint32_t axis, std::uint32_t count);

/// A Sobol sequence (direction numbers of Joe and Kuo 2008, by Boost) under a random digital shift: numbers in (0,
/// 1), [point * dimensions + dimension]. The shift keeps the nets of the sequence and makes its end points harmless
/// (the plain sequence begins with 0, where a normal distribution has no quantile).
std::vector<double> sobol_numbers(std::uint64_t seed, std::size_t points, std::size_t dimensions);
inline constexpr std::size_t kMostSobolDimensions = 3667;

}  // namespace percuss::study
