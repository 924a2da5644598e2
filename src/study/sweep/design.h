// The points of a study: grid axes crossed with samples of the others.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "percuss/study/sweep/axis.h"

namespace percuss::study {

enum class Sampling {
  random,           // independent
  latin_hypercube,  // one point in each of `samples` slices of every axis
  sobol,            // a low-discrepancy sequence
  saltelli          // two Sobol matrices A and B and, for every axis, A with that column of B: for Sobol indices
};

/// By the number of the enumerator.
std::span<const std::string_view> sampling_names();
std::string_view name_of(Sampling sampling);

class Design {
 public:
  Design() = default;
  /// `samples` of the sampled axes (of a Saltelli design: rows of A) in every cell of the grid.
  Design(std::vector<Axis> axes, Sampling sampling, std::size_t samples, std::uint64_t seed);

  const std::vector<Axis>& axes() const { return axes_; }
  Sampling sampling() const { return sampling_; }
  std::size_t samples() const { return samples_; }      // in a cell, all matrices counted
  std::size_t rows_of_matrix() const { return rows_; }  // of a Saltelli design
  std::size_t size() const { return cells_ * samples_; }

  /// Points are numbered cell by cell, the first axis of the grid slowest. Samples are the same in every cell.
  std::vector<AxisValue> at(std::size_t point) const;

 private:
  double share(std::size_t column, std::size_t sample) const;

  std::vector<Axis> axes_;
  Sampling sampling_ = Sampling::random;
  std::vector<std::size_t> sampled_, gridded_;
  std::size_t cells_ = 1, rows_ = 1, samples_ = 1;
  std::uint64_t seed_ = 1;
  std::vector<std::vector<std::uint32_t>> slices_;  // of a Latin hypercube
  std::vector<double> sobol_;
  std::size_t sobol_width_ = 0;
};

}  // namespace percuss::study
