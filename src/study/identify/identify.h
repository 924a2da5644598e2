// Which law and which parameters agree with measurements, and how well the data can tell.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "percuss/study/identify/predict.h"
#include "percuss/study/jobs.h"

namespace percuss::study {

struct FittedParameter {
  std::string name, unit;
  double value = 0;
  double deviation = 0;      // from the covariance
  double low = 0, high = 0;  // interval from the covariance
  // interval from the profile of the likelihood: where the best fit with this parameter held is just not worse
  // enough
  double profile_low = 0, profile_high = 0;
  bool open_below = false, open_above = false;  // the profile does not rise before the bound
  bool unseen = false;                          // the data do not change with it, or only as with others together
  bool determined() const { return !unseen && (!open_below || !open_above); }
  bool at_bound = false;
  std::vector<std::pair<double, double>> profile;  // value and rise of the objective, for drawing
};

struct FittedTest {
  std::string name;
  double sigma = 0;  // of the noise: given, or estimated; a mean where it is relative
  bool sigma_given = false;
  double rms = 0;                        // of the residuals
  double explained = 0;                  // share of the scatter of the data that the model has
  std::vector<double> model, residual;   // [datum]: model - data
  std::vector<double> curve_x, curve_y;  // of the model, where it has more to show
};

/// One law against all data.
struct FittedLaw {
  std::string law;
  std::vector<std::string> refused;   // why it could not be fitted; then nothing below is filled
  std::vector<std::string> left_out;  // free parameters that it does not know
  std::vector<FittedParameter> parameters;
  std::vector<std::vector<double>> correlation;
  std::vector<FittedTest> tests;
  std::size_t data = 0;
  double log_likelihood = 0, aic = 0, bic = 0;
  double threshold = 0;  // of the profiles
  bool by_duals = false;
  int starts_agreed = 0, starts = 0;  // local searches that found the best minimum
  std::vector<std::string> notes;

  bool profiled = false;

  bool fitted() const { return refused.empty(); }
  bool at_a_bound() const {
    for (const FittedParameter& p : parameters)
      if (p.at_bound) return true;
    return false;
  }
};

struct Identification {
  std::string title, source, text;
  double confidence = 0.95;
  std::vector<FittedLaw> laws;       // in the order of the file
  std::vector<std::size_t> ranking;  // of those that could be fitted, by AIC
  std::string sentence;              // which can be told apart
};

struct IdentifyRequest {
  unsigned threads = 0;
  bool profiles = true;
  Progress go_on;
};

/// A law that cannot be fitted does not stop the others. Errors: none could be fitted, or it was interrupted.
Result<Identification> identify(const Fit& fit, const IdentifyRequest& request = {});

/// What none of the laws can be asked for, for whatever reason; empty if one can.
std::vector<Diagnostic> why_no_law_can_be_fitted(const Fit& fit);

/// One law.
FittedLaw fit_law(const Fit& fit, const std::string& law, bool profiles, const std::function<bool()>& go_on);

}  // namespace percuss::study
