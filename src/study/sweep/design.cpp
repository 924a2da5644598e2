// From the number of a point to its values.
#include "percuss/study/sweep/design.h"

#include "percuss/study/sweep/random.h"

namespace percuss::study {

std::span<const std::string_view> sampling_names() {
  static constexpr std::string_view kNames[] = {"random", "latin-hypercube", "sobol", "saltelli"};
  return kNames;
}
std::string_view name_of(Sampling sampling) { return sampling_names()[static_cast<std::size_t>(sampling)]; }

Design::Design(std::vector<Axis> axes, Sampling sampling, std::size_t samples, std::uint64_t seed)
    : axes_(std::move(axes)), sampling_(sampling), seed_(seed) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    (axes_[i].is_sampled() ? sampled_ : gridded_).push_back(i);
    if (!axes_[i].is_sampled()) cells_ *= axes_[i].count();
  }
  if (sampled_.empty()) return;
  rows_ = samples_ = samples;
  const std::size_t d = sampled_.size();
  if (sampling_ == Sampling::latin_hypercube)
    for (std::size_t j = 0; j < d; ++j)
      slices_.push_back(permutation(seed_, static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(rows_)));
  if (sampling_ == Sampling::sobol) sobol_ = sobol_numbers(seed_, rows_, sobol_width_ = d);
  if (sampling_ == Sampling::saltelli) {
    sobol_ = sobol_numbers(seed_, rows_, sobol_width_ = 2 * d);
    samples_ = rows_ * (d + 2);
  }
}

/// Where in (0, 1) a sample lies on a sampled axis.
double Design::share(std::size_t column, std::size_t sample) const {
  const auto axis = static_cast<std::uint32_t>(column);
  switch (sampling_) {
    case Sampling::random: return uniform(seed_, sample, axis);
    case Sampling::latin_hypercube:
      return (slices_[column][sample] + uniform(seed_, sample, axis)) / static_cast<double>(rows_);
    case Sampling::sobol: return sobol_[sample * sobol_width_ + column];
    case Sampling::saltelli: {
      const std::size_t matrix = sample / rows_, row = sample % rows_;  // A, B, A with column 0 of B, ...
      const bool from_b = matrix == 1 || matrix == column + 2;
      return sobol_[row * sobol_width_ + column + (from_b ? sampled_.size() : 0)];
    }
  }
  return 0.5;
}

std::vector<AxisValue> Design::at(std::size_t point) const {
  std::vector<AxisValue> out(axes_.size());
  std::size_t cell = point / samples_;
  for (std::size_t g = gridded_.size(); g-- > 0;) {
    const Axis& axis = axes_[gridded_[g]];
    const std::size_t i = cell % axis.count();
    cell /= axis.count();
    if (axis.has_words())
      out[gridded_[g]] = axis.words[i];
    else
      out[gridded_[g]] = axis.numbers[i];
  }
  for (std::size_t j = 0; j < sampled_.size(); ++j)
    out[sampled_[j]] = axes_[sampled_[j]].quantile(share(j, point % samples_));
  return out;
}

}  // namespace percuss::study
