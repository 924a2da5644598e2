// Starts, weights, intervals, ranking.
#include "percuss/study/identify/identify.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>

#include "percuss/base/scalar.h"
#include "percuss/study/identify/least_squares.h"
#include "percuss/study/identify/singular_directions.h"
#include "percuss/study/sweep/random.h"

namespace percuss::study {

namespace {

constexpr std::size_t kScreened = 8;  // points looked at for each local search
constexpr int kMostReweightings = 12;
constexpr double kAlike = 2;  // difference of AIC below which two laws cannot be told apart
constexpr double kBlindDuals = 1e-7,
                 kBlindDifferences = 1e-4;  // of the largest singular value: what slopes are right to
constexpr double kEdge = 1e-5;              // of z: at a bound

/// rho(r^2) and its slope in r^2: squares r^2; Huber r^2 up to 1.345 and linear beyond; Cauchy c^2 ln(1 + r^2/c^2),
/// c = 2.385 (both keep 95 % of the efficiency of squares under normal noise).
struct Rho {
  double value, slope;
};
Rho rho_of(Loss loss, double square) {
  constexpr double kHuber = 1.345, kCauchy = 2.385;
  if (loss == Loss::huber && square > kHuber * kHuber)
    return {2 * kHuber * std::sqrt(square) - kHuber * kHuber, kHuber / std::sqrt(square)};
  if (loss == Loss::cauchy)
    return {kCauchy * kCauchy * std::log1p(square / (kCauchy * kCauchy)), 1 / (1 + square / (kCauchy * kCauchy))};
  return {square, 1};
}

/// min over s of n ln s + sum rho(r/s)/2, from an s that is about right. Squares: s^2 = mean of r^2; else Newton's
/// condition sum rho'(r^2/s^2) r^2/s^2 = n, whose left side falls as s grows: bisected in ln s.
double least_surprise(Loss loss, const std::vector<double>& residual, double about) {
  const auto n = static_cast<double>(residual.size());
  const auto surplus = [&](double s) {
    double sum = -n;
    for (const double r : residual) sum += rho_of(loss, r * r / (s * s)).slope * r * r / (s * s);
    return sum;
  };
  double low = about / 1e3, high = about * 1e3;
  for (int k = 0; k < 80; ++k) {
    const double middle = std::sqrt(low * high);
    (surplus(middle) > 0 ? low : high) = middle;
  }
  const double s = std::sqrt(low * high);
  double out = n * std::log(s);
  for (const double r : residual) out += rho_of(loss, r * r / (s * s)).value / 2;
  return out;
}

class LawFit {
 public:
  LawFit(const Fit& fit, Predictor predictor, bool profiles, const std::function<bool()>& go_on)
      : fit_(fit), model_(std::move(predictor)), profiles_(profiles), go_on_(go_on) {
    k_ = model_.parameters().size();
    n_ = fit.data();
    for (const DataSet& t : fit.tests) {
      double squares = 0;
      for (const double y : t.y) squares += y * y;
      sigma_.push_back(
          t.noise_is_given() ? 1 : std::max(0.05 * std::sqrt(squares / static_cast<double>(t.y.size())), 1e-300));
      any_estimated_ = any_estimated_ || !t.noise_is_given();
      any_given_ = any_given_ || t.noise_is_given();
    }
  }

  FittedLaw run() {
    out_.law = model_.law();
    out_.left_out = model_.left_out();
    out_.data = n_;
    Minimum best = search();
    if (!best.found) {
      out_.refused.emplace_back(stopped() ? "interrupted" : "no start led to a fit");
      return out_;
    }
    best = reweighted(best);
    if (!best.found)
      out_.refused.emplace_back("the fit was lost when the noise was estimated");
    else if (!describe(best))
      out_.refused.emplace_back(stopped() ? "interrupted" : "the best fit could not be computed again");
    return out_;
  }

 private:
  bool stopped() const { return go_on_ && !go_on_(); }

  /// Residuals over their noise, bent by the loss so that their squares are rho: r sqrt(rho(r^2))/|r|.
  bool residuals(std::span<const double> z, std::vector<double>& r, std::vector<double>* slopes) const {
    if (stopped()) return false;
    const Result<Prediction> p = model_.predict(z, slopes != nullptr);
    if (!p) return false;
    r.clear();
    if (slopes) slopes->clear();
    for (std::size_t t = 0; t < fit_.tests.size(); ++t) {
      const DataSet& test = fit_.tests[t];
      for (std::size_t i = 0; i < test.y.size(); ++i) {
        const double sigma = test.noise_is_given() ? test.sigma(i) : sigma_[t];
        const double plain = (p->values[t][i] - test.y[i]) / sigma;
        const Rho rho = rho_of(fit_.loss, plain * plain);
        const double bent = std::copysign(std::sqrt(rho.value), plain);
        r.push_back(bent);
        if (!slopes) continue;
        const double factor = fit_.loss == Loss::squares || bent == 0 ? 1 : rho.slope * plain / bent;
        for (std::size_t j = 0; j < k_; ++j) slopes->push_back(factor * p->slopes[t][j][i] / sigma);
      }
    }
    return true;
  }
  Residuals function() const {
    return [this](std::span<const double> z, std::vector<double>& r, std::vector<double>* s) {
      return residuals(z, r, s);
    };
  }

  /// Local searches from the best of many points, so that a poor start does not decide.
  Minimum search() {
    const std::size_t screened = kScreened * fit_.starts;
    std::vector<double> points = sobol_numbers(fit_.seed, screened, k_);
    for (std::size_t i = 0; i < screened && !stopped(); i += 2) {
      const std::span<double> own = std::span(points).subspan(i * k_, k_);
      std::ranges::copy(model_.with_clocks_set(own), own.begin());
    }
    std::vector<std::pair<double, std::size_t>> order;
    std::vector<double> r;
    for (std::size_t i = 0; i < screened && !stopped(); ++i) {
      if (!residuals(std::span<const double>(points).subspan(i * k_, k_), r, nullptr)) continue;
      double squares = 0;
      for (const double v : r) squares += v * v;
      if (std::isfinite(squares)) order.emplace_back(squares, i);
    }
    std::ranges::sort(order);
    Minimum best;
    best.squares = kInfinity;
    std::vector<double> minima;
    for (std::size_t s = 0; s < std::min(order.size(), fit_.starts) && !stopped(); ++s) {
      // the best ones, and some far ones that a deep but wrong valley would hide
      const std::size_t pick = s % 3 == 2 ? order[order.size() * s / fit_.starts].second : order[s].second;
      const Minimum m = minimise(function(), n_, std::span<const double>(points).subspan(pick * k_, k_));
      if (!m.found) continue;
      minima.push_back(m.squares);
      if (m.squares < best.squares) best = m;
    }
    out_.starts = static_cast<int>(minima.size());
    for (const double m : minima) out_.starts_agreed += m <= best.squares * (1 + 1e-6) + 1e-12 ? 1 : 0;
    return best;
  }

  /// Noise that is not given is what the residuals of its test say; weights and fit agree after a few rounds.
  Minimum reweighted(Minimum best) {
    if (!any_estimated_) return best;
    for (int round = 0; round < kMostReweightings; ++round) {
      const Result<Prediction> p = model_.predict(best.z, false);
      if (!p) return {};
      double largest_change = 0;
      for (std::size_t t = 0; t < fit_.tests.size(); ++t) {
        const DataSet& test = fit_.tests[t];
        if (test.noise_is_given()) continue;
        double sum = 0, size = 0;
        std::vector<double> absolute;
        for (std::size_t i = 0; i < test.y.size(); ++i) {
          const double d = p->values[t][i] - test.y[i];
          sum += d * d;
          size += test.y[i] * test.y[i];
          absolute.push_back(std::abs(d));
        }
        const auto n = static_cast<double>(test.y.size());
        // each test pays for its share of the parameters
        const double freedom = std::max(n * (1 - static_cast<double>(k_) / static_cast<double>(n_)), 0.5);
        double sigma = std::sqrt(sum / freedom);
        if (fit_.loss != Loss::squares) {  // outliers must not set the scale: the median of |r| is 0.6745 sigma
          std::ranges::nth_element(absolute, absolute.begin() + static_cast<std::ptrdiff_t>(absolute.size() / 2));
          sigma = absolute[absolute.size() / 2] / 0.6745 * std::sqrt(n / freedom);
        }
        sigma = std::max(sigma, 1e-9 * std::sqrt(size / n));  // data without noise: a model that meets them
        largest_change = std::max(largest_change, std::abs(std::log(sigma / sigma_[t])));
        sigma_[t] = sigma;
      }
      best = minimise(function(), n_, best.z);
      if (!best.found || largest_change < 1e-3) return best;
    }
    return best;
  }

  bool describe(const Minimum& best) {
    if (!describe_tests(best) || !covariance(best) || !likelihood(best)) return false;
    out_.profiled = profiles_;
    if (profiles_)
      for (std::size_t j = 0; j < k_ && !stopped(); ++j) profile(best, j);
    note();
    return !stopped();
  }

  bool describe_tests(const Minimum& best) {
    const Result<Prediction> p = model_.predict(best.z, false);
    if (!p) return false;
    for (std::size_t t = 0; t < fit_.tests.size(); ++t) {
      const DataSet& test = fit_.tests[t];
      FittedTest one;
      one.name = test.name;
      one.sigma_given = test.noise_is_given();
      double squares = 0, sigmas = 0;
      for (std::size_t i = 0; i < test.y.size(); ++i) {
        one.model.push_back(p->values[t][i]);
        one.residual.push_back(p->values[t][i] - test.y[i]);
        squares += one.residual.back() * one.residual.back();
        sigmas += test.noise_is_given() ? test.sigma(i) : sigma_[t];
      }
      one.rms = std::sqrt(squares / static_cast<double>(test.y.size()));
      double mean = 0, scatter = 0;
      for (const double y : test.y) mean += y / static_cast<double>(test.y.size());
      for (const double y : test.y) scatter += (y - mean) * (y - mean);
      one.explained = scatter > 0 ? 1 - squares / scatter : std::nan("");
      one.sigma = sigmas / static_cast<double>(test.y.size());
      if (test.kind == DataKind::restitution_speed) {
        const auto [low, high] = std::ranges::minmax(test.x);
        for (int i = 0; i <= 60; ++i) one.curve_x.push_back(low * std::pow(high / low, i / 60.0));
        one.curve_y = model_.restitutions(best.z, t, one.curve_x);
      }
      out_.tests.push_back(std::move(one));
    }
    return true;
  }

  bool scaled_by_residuals() const { return !any_given_ && freedom() > 0; }
  double freedom() const { return static_cast<double>(n_) - static_cast<double>(k_); }
  double two_sided_quantile() const {
    const double tail = (1 + fit_.confidence) / 2;
    return scaled_by_residuals() ? boost::math::quantile(boost::math::students_t(freedom()), tail)
                                 : boost::math::quantile(boost::math::normal(), tail);
  }

  /// Cov = s^2 (J^T J)^-1 in z. Where some noise is given, s^2 = 1: it must not be stretched by what other data
  /// say.
  bool covariance(const Minimum& best) {
    if (k_ == 0) return true;
    std::vector<double> r, slopes;
    if (!residuals(best.z, r, &slopes)) return false;
    const Result<Prediction> p = model_.predict(best.z, true);
    out_.by_duals = p && p->by_duals;
    const double s2 = scaled_by_residuals() ? best.squares / freedom() : 1;
    // directions that the data do not see have almost no singular value
    const std::vector<SingularDirection> directions = singular_directions(slopes, k_);
    const double largest = directions.front().value,
                 blind = (out_.by_duals ? kBlindDuals : kBlindDifferences) * largest;
    std::vector<std::vector<double>> cov(k_, std::vector<double>(k_, 0.0));
    std::vector<bool> unseen(k_, false);
    for (const auto& [value, v] : directions) {
      const double safe = std::max({value, 1e-12 * largest, 1e-100});
      for (std::size_t i = 0; i < k_; ++i) {
        if (!(value > blind) && std::abs(v[i]) > 0.1) unseen[i] = true;
        for (std::size_t j = 0; j < k_; ++j) cov[i][j] += s2 * v[i] * v[j] / (safe * safe);
      }
    }
    const double quantile = two_sided_quantile();
    for (std::size_t j = 0; j < k_; ++j) {
      const FitParameter& parameter = model_.parameters()[j];
      FittedParameter one;
      one.name = parameter.axis.name;
      one.unit = parameter.axis.unit();
      const double z = best.z[j], sd = std::sqrt(cov[j][j]);
      one.value = parameter.value(z);
      one.deviation = sd * parameter.slope(z);
      one.low = parameter.value(z - quantile * std::min(sd, 1e3));
      one.high = parameter.value(z + quantile * std::min(sd, 1e3));
      one.at_bound = z < kEdge || z > 1 - kEdge;
      one.unseen = unseen[j];
      z_deviation_.push_back(sd);
      one.profile_low = std::max(one.low, parameter.axis.low);
      one.profile_high = std::min(one.high, parameter.axis.high);
      one.open_below = one.low < parameter.axis.low;
      one.open_above = one.high > parameter.axis.high;
      out_.parameters.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < k_; ++i) {
      out_.correlation.emplace_back();
      for (std::size_t j = 0; j < k_; ++j)
        out_.correlation.back().push_back(cov[i][j] / std::sqrt(cov[i][i] * cov[j][j]));
    }
    return true;
  }

  /// ln L = -sum [ln(sigma sqrt(2 pi)) + rho(r/sigma)/2]: normal noise, or one whose tails the loss describes (its
  /// constant is then another one, the same for all laws). A sigma that is not given is a parameter more, at its
  /// most likely value; the weights of the fit have the unbiased one, or with outliers that of the median.
  bool likelihood(const Minimum& best) {
    double log_likelihood = 0, parameters = static_cast<double>(k_);
    for (std::size_t t = 0; t < fit_.tests.size(); ++t) {
      const DataSet& test = fit_.tests[t];
      const std::vector<double>& residual = out_.tests[t].residual;
      log_likelihood -= static_cast<double>(residual.size()) * std::log(2 * std::numbers::pi) / 2;
      if (test.noise_is_given()) {
        for (std::size_t i = 0; i < residual.size(); ++i) {
          const double r = residual[i] / test.sigma(i);
          log_likelihood -= std::log(test.sigma(i)) + rho_of(fit_.loss, r * r).value / 2;
        }
      } else {
        ++parameters;
        log_likelihood -= least_surprise(fit_.loss, residual, sigma_[t]);
      }
    }
    out_.log_likelihood = log_likelihood;
    out_.aic = 2 * parameters - 2 * log_likelihood;
    out_.bic = parameters * std::log(static_cast<double>(n_)) - 2 * log_likelihood;
    // of F(1, freedom) and of chi^2(1): both are squares, of Student's t and of a normal number
    const double quantile = two_sided_quantile();
    out_.threshold = (scaled_by_residuals() ? best.squares / freedom() : 1) * quantile * quantile;
    return true;
  }

  /// How much worse the best fit becomes with parameter j held; the others go along from the last place.
  void profile(const Minimum& best, std::size_t j) {
    FittedParameter& out = out_.parameters[j];
    const FitParameter& parameter = model_.parameters()[j];
    out.profile.clear();
    for (const int side : {-1, 1}) {
      const double bound = side < 0 ? 0 : 1;
      std::vector<double> z = best.z;
      double inside = best.z[j], rise_inside = 0;
      double step = std::clamp(0.5 * z_deviation_[j], 1e-7, 0.25);
      bool open = true;
      std::optional<double> crossing;
      for (int tries = 0; tries < 40 && !stopped(); ++tries) {
        const double next = side < 0 ? std::max(inside - step, bound) : std::min(inside + step, bound);
        if (next == inside) break;
        z[j] = next;
        const Minimum m = minimise(function(), n_, z, {j});
        const double rise = m.found ? m.squares - best.squares : kInfinity;
        if (std::isfinite(rise)) out.profile.emplace_back(parameter.value(next), rise);
        better_found_ = better_found_ || rise < -1e-3 * out_.threshold;
        if (rise > out_.threshold) {
          crossing = crossed(j, best, z, inside, rise_inside, next, rise);
          open = false;
          break;
        }
        z = m.z;
        inside = next;
        rise_inside = rise;
        step *= rise < 0.2 * out_.threshold ? 2 : 1.2;
      }
      (side < 0 ? out.open_below : out.open_above) = open;
      (side < 0 ? out.profile_low : out.profile_high) = parameter.value(crossing.value_or(bound));
    }
    out.profile.emplace_back(out.value, 0);
    std::ranges::sort(out.profile);
  }

  /// Where the rise passes the threshold: secant on its root, which is almost straight, kept inside the bracket.
  double crossed(std::size_t j, const Minimum& best, std::vector<double> z, double a, double rise_a, double b,
                 double rise_b) const {
    const double level = std::sqrt(out_.threshold);
    for (int k = 0; k < 12 && std::abs(b - a) > 1e-4 * std::max(z_deviation_[j], 1e-9); ++k) {
      const double root_a = std::sqrt(std::max(rise_a, 0.0)),
                   root_b = std::isfinite(rise_b) ? std::sqrt(rise_b) : kInfinity;
      double share = std::isfinite(root_b) && root_b > root_a ? (level - root_a) / (root_b - root_a) : 0.5;
      share = std::clamp(share, 0.05, 0.95);
      const double middle = a + share * (b - a);
      z[j] = middle;
      const Minimum m = minimise(function(), n_, z, {j});
      const double rise = m.found ? m.squares - best.squares : kInfinity;
      if (std::abs(rise - out_.threshold) < 1e-3 * out_.threshold) return middle;
      if (rise > out_.threshold) {
        b = middle, rise_b = rise;
      } else {
        a = middle, rise_a = rise;
        z = m.z;
      }
    }
    return (a + b) / 2;
  }

  void note() {
    for (const std::string& name : out_.left_out) out_.notes.push_back(name + " is not a parameter of this law");
    for (std::size_t i = 0; i < k_; ++i) {
      const FittedParameter& p = out_.parameters[i];
      if (!p.determined() && p.unseen && !(p.open_below && p.open_above))
        out_.notes.push_back(p.name +
                             " is not determined by itself: it moves with others until they meet their bounds");
      else if (!p.determined())
        out_.notes.push_back(p.name +
                             " is not determined by these data: every value between its bounds fits as well");
      else if (p.at_bound)
        out_.notes.push_back(p.name + " lies at its bound: wider bounds may fit better");
      for (std::size_t j = 0; j < i; ++j)
        if (std::abs(out_.correlation[i][j]) > 0.99)
          out_.notes.push_back("only a combination of " + out_.parameters[j].name + " and " + p.name +
                               " is determined: their correlation is " + text_of(out_.correlation[i][j], 4));
    }
    if (better_found_) out_.notes.emplace_back("a better fit was met on the way: more starts would find it");
    if (out_.starts_agreed < 2 && out_.starts > 2)
      out_.notes.push_back("only one of " + std::to_string(out_.starts) +
                           " starts found this fit: more starts may find a better one");
  }

  const Fit& fit_;
  Predictor model_;
  bool profiles_;
  const std::function<bool()>& go_on_;
  std::size_t k_ = 0, n_ = 0;
  std::vector<double> sigma_;  // [test]; 1 where the noise is given
  bool any_estimated_ = false, any_given_ = false;
  std::vector<double> z_deviation_;
  bool better_found_ = false;
  FittedLaw out_;
};

/// "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out;
}

std::string sentence_of(const Identification& id) {
  const FittedLaw& best = id.laws[id.ranking.front()];
  std::vector<std::string> alike{best.law};
  std::size_t next = 1;
  for (; next < id.ranking.size() && id.laws[id.ranking[next]].aic - best.aic < kAlike; ++next)
    alike.push_back(id.laws[id.ranking[next]].law);
  const auto explains = [](const FittedLaw& law) {  // anything at all
    return std::ranges::any_of(law.tests, [](const FittedTest& t) { return !(t.explained < 0.1); });
  };
  if (!explains(best))
    return "None of these laws explains the data: look at units, bounds and offsets. " + best.law +
           " misses them least.";
  const std::string bound =
      best.at_a_bound() ? " But it lies at a bound: what is asked of it may not be what was measured (look at "
                          "bounds, offsets and units)."
                        : "";
  if (id.ranking.size() == 1) return best.law + " is the only law that was fitted." + bound;
  std::string out = alike.size() > 1 ? listed(alike) + " cannot be told apart by these data."
                                     : best.law + " fits these data best.";
  if (next < id.ranking.size()) {
    const FittedLaw& other = id.laws[id.ranking[next]];
    const double difference = other.aic - best.aic;
    out += " " + other.law + " comes next, " +
           (difference > 10  ? "clearly worse"
            : difference > 4 ? "worse"
                             : "a little worse") +
           " (AIC higher by " + text_of(difference, 3) + ").";
  }
  return out + bound;
}

}  // namespace

namespace {

/// Why each law was left out; one line if all have the same reason.
std::vector<Diagnostic> all_refused(const Fit& fit, const std::vector<FittedLaw>& laws) {
  std::vector<Diagnostic> errors;
  const bool all_alike = std::ranges::all_of(
      laws, [&](const FittedLaw& law) { return law.refused.front() == laws.front().refused.front(); });
  for (const FittedLaw& law : laws)
    if (errors.empty() || !all_alike)
      errors.push_back({{fit.source}, (law.law.empty() || all_alike ? "" : law.law + ": ") + law.refused.front()});
  return errors;
}

std::vector<std::string> refusals(const Fit& fit, const std::vector<Diagnostic>& errors) {
  std::vector<std::string> out;
  out.reserve(errors.size());
  for (const Diagnostic& d : errors)
    out.push_back(d.at.line == 0 && !d.at.source.empty() && d.at.source != fit.source ? d.at.source + ": " + d.text
                                                                                      : d.text);
  return out;
}

}  // namespace

std::vector<Diagnostic> why_no_law_can_be_fitted(const Fit& fit) {
  std::vector<FittedLaw> laws;
  for (const std::string& law : fit.laws) {
    const Result<Predictor> predictor = Predictor::make(fit, law);
    if (predictor) return {};
    laws.emplace_back();
    laws.back().law = law;
    laws.back().refused = refusals(fit, predictor.errors());
  }
  return all_refused(fit, laws);
}

FittedLaw fit_law(const Fit& fit, const std::string& law, bool profiles, const std::function<bool()>& go_on) {
  FittedLaw out;
  out.law = law;
  try {
    Result<Predictor> predictor = Predictor::make(fit, law, go_on);
    if (predictor) return LawFit(fit, std::move(*predictor), profiles, go_on).run();
    out.refused = refusals(fit, predictor.errors());
  } catch (const std::exception& thrown) {  // of a library that cannot go on
    out.refused.emplace_back(words_of(thrown));
  }
  return out;
}

Result<Identification> identify(const Fit& fit, const IdentifyRequest& request) {
  Identification out;
  out.title = fit.title;
  out.source = fit.source;
  out.text = fit.text;
  out.confidence = fit.confidence;
  out.laws.resize(fit.laws.size());
  const bool whole = do_jobs(fit.laws.size(), request.threads, request.go_on,
                             [&](std::size_t i, const std::function<bool()>& go_on) {
                               out.laws[i] = fit_law(fit, fit.laws[i], request.profiles, go_on);
                             });
  if (!whole) return Diagnostic{{"percuss"}, "interrupted"};
  for (std::size_t i = 0; i < out.laws.size(); ++i)
    if (out.laws[i].fitted()) out.ranking.push_back(i);
  if (out.ranking.empty()) return all_refused(fit, out.laws);
  // laws that are one under different names differ by rounding: they stay in the order of the file
  std::ranges::stable_sort(out.ranking, {}, [&](std::size_t i) { return std::round(out.laws[i].aic * 1e6); });
  out.sentence = sentence_of(out);
  return out;
}

}  // namespace percuss::study
