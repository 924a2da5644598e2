// What a model says at the places where something was measured, and how that changes with its parameters.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "percuss/study/identify/fit_file.h"

namespace percuss::study {

/// A parameter of one law's fit: a free one of the file, or the clock of a test.
struct FitParameter {
  Axis axis;      // its bounds; log or not
  int test = -1;  // of a clock
  /// The search goes over z in 0 .. 1.
  double value(double z) const { return axis.quantile(z); }
  double place(double value) const;  // z of a value
  double slope(double z) const;      // d value/dz
};

struct Prediction {
  std::vector<std::vector<double>> values;               // [test][datum]
  std::vector<std::vector<std::vector<double>>> slopes;  // [test][parameter][datum], in z
  bool by_duals = false;                                 // the slopes; else by differences
};

/// The model with one law.
class Predictor {
 public:
  /// Errors: the law cannot be asked for with what is given and free. Free parameters that it does not know are
  /// left out and named in `left_out`.
  /// `go_on` is asked within runs of scenes.
  static Result<Predictor> make(const Fit& fit, const std::string& law, std::function<bool()> go_on = {});

  const std::vector<FitParameter>& parameters() const { return parameters_; }
  const std::vector<std::string>& left_out() const { return left_out_; }
  const std::string& law() const { return law_; }

  /// Errors: this point cannot be computed.
  Result<Prediction> predict(std::span<const double> z, bool with_slopes) const;

  /// The same place with the clocks set so that model and data peak together: where searches begin. A clock that is
  /// off by more than the impact lasts leaves nothing to go downhill on.
  std::vector<double> with_clocks_set(std::span<const double> z) const;

  /// Restitutions at further speeds, for drawing; nan where there is none.
  std::vector<double> restitutions(std::span<const double> z, std::size_t test,
                                   std::span<const double> speeds) const;

 private:
  Predictor(const Fit& fit, std::string law, std::function<bool()> go_on)
      : fit_(&fit), law_(std::move(law)), go_on_(std::move(go_on)) {}
  std::optional<Diagnostic> prepare();
  Result<Prediction> impact_values(std::span<const double> z, bool with_slopes) const;
  Result<Prediction> scene_values(std::span<const double> z) const;
  Result<Prediction> by_differences(std::span<const double> z) const;
  impact::Words words_at(std::span<const double> z, const DataSet& test) const;
  std::vector<std::string> overrides_at(std::span<const double> z, const DataSet& test, std::size_t line) const;
  double offset_s(std::span<const double> z, std::size_t test, int* parameter = nullptr) const;

  const Fit* fit_;
  std::string law_;
  std::function<bool()> go_on_;
  std::vector<FitParameter> parameters_;
  std::vector<std::string> left_out_;
  impact::Words words_;
  std::vector<std::vector<Output>> outputs_;  // [test] of tables
};

}  // namespace percuss::study
