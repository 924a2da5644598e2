// What a finished study says: statistics, quantiles over an axis, indices of sensitivity.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "percuss/study/sweep/store.h"

namespace percuss::study {

/// A column of numbers; of words, their numbers in `words`.
struct SweepColumn {
  std::string name;
  std::vector<double> values;        // [row]
  std::vector<std::string> words{};  // of an axis of words
  bool sampled = false;              // of an axis
  std::string unit{};                // of an axis that said one, of an output that keeps a thing as it is
  bool log = false;                  // an axis of equal ratios
};

/// The points of a store that are done, and what is known of the others.
struct SweepData {
  std::string title, source;
  bool is_bifurcation = false;
  std::size_t size = 0, samples = 1, rows_of_matrix = 1;  // of the design
  std::string sampling;
  std::vector<SweepColumn> axes, outputs;
  std::vector<std::size_t> points;                            // [row]
  std::vector<std::pair<std::string, std::size_t>> failures;  // reasons, the most frequent first
  struct Unsettled {
    std::size_t point = 0;
    std::string status, reason;
    std::vector<std::string> axes;
  };
  std::vector<Unsettled> unsettled;  // points that failed, or are to be run again
  std::size_t failed = 0, again = 0;
  double wall_total_s = 0;
  std::vector<std::vector<std::vector<double>>> sections;  // [row][period][output], of bifurcations
  std::vector<std::pair<std::string, std::string>> facts;  // of the study

  std::size_t rows() const { return points.size(); }
};
SweepData read_sweep(Store& store);

struct Statistics {
  std::size_t count = 0;  // numbers that are there
  double mean = 0, deviation = 0, least = 0, greatest = 0;
  double q05 = 0, q25 = 0, median = 0, q75 = 0, q95 = 0;
};
Statistics statistics(std::vector<double> values);

/// Quantile of sorted values, linear between them.
double sorted_quantile(const std::vector<double>& sorted, double share);

/// The rows in slices of an axis: one a value if it has few, else slices of about equally many rows.
struct Slice {
  double centre = 0;
  std::vector<std::size_t> rows;
};
std::vector<Slice> slices(const SweepColumn& axis, std::size_t most);

/// Shares of the variance of an output: `first` is what an axis explains alone, `total` all that it takes part in.
struct SobolIndex {
  std::string axis;
  double first = 0, total = 0;  // nan: this design does not tell
};
/// By the design: a Saltelli design (first: Saltelli et al. 2010, total: Jansen 1999); a complete grid (analysis of
/// variance, all values equally likely); other samples (first alone, from slices, less what chance would explain).
/// Empty if the output does not vary or too few points are there.
std::vector<std::vector<SobolIndex>> sobol_indices(const SweepData& data);  // [output][axis]
std::string how_indices_are_found(const SweepData& data);
/// A sentence, where a user would expect indices; else "".
std::string why_there_are_no_indices(const SweepData& data);

}  // namespace percuss::study
