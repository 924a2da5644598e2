// Models at the places of the data.
#include "percuss/study/identify/predict.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/words.h"
#include "percuss/contact/rows.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"
#include "percuss/recording/recording.h"
#include "percuss/study/identify/channel_class.h"
#include "percuss/study/identify/course.h"
#include "percuss/study/model_file.h"

namespace percuss::study {

double FitParameter::place(double value) const {
  return axis.kind == Axis::Kind::log_uniform ? std::log(value / axis.low) / std::log(axis.high / axis.low)
                                              : (value - axis.low) / (axis.high - axis.low);
}
double FitParameter::slope(double z) const {
  return axis.kind == Axis::Kind::log_uniform ? value(z) * std::log(axis.high / axis.low) : axis.high - axis.low;
}

namespace {

constexpr double kModelStep = 1e-4;  // in z, of differences through a whole model

/// Where a model is looked at for data over time: at their times, and beyond their ends if a filter looks there.
struct Grid {
  std::vector<double> times;
  std::size_t reach = 0;
  double step_s = 0;
  void filter(std::vector<double>& values, double channel_class) const {
    if (reach == 0) return;
    const std::vector<double> whole = filtered(values, step_s, channel_class);
    values.assign(whole.begin() + static_cast<std::ptrdiff_t>(reach),
                  whole.end() - static_cast<std::ptrdiff_t>(reach));
  }
};
Grid grid_of(const DataSet& test) {
  Grid out{test.x};
  if (test.channel_class == 0) return out;
  out.step_s = (test.x.back() - test.x.front()) / static_cast<double>(test.x.size() - 1);
  out.reach = filter_reach(out.step_s, test.channel_class);
  out.times.clear();
  for (std::size_t i = 0; i < test.x.size() + 2 * out.reach; ++i)
    out.times.push_back(test.x.front() + out.step_s * (static_cast<double>(i) - static_cast<double>(out.reach)));
  return out;
}

/// Which data an error is about.
std::vector<Diagnostic> named(const DataSet& test, std::optional<std::size_t> line,
                              std::vector<Diagnostic> errors) {
  if (errors.front().kind == Diagnostic::Kind::not_available) return errors;  // no mistake of the user's
  const std::string where = "data " + test.name + (line ? ", number " + std::to_string(*line + 1) : "");
  for (Diagnostic& d : errors) d = {{where}, (d.at.source.empty() ? "" : d.at.source + ": ") + d.text, d.kind};
  return errors;
}

}  // namespace

Result<Predictor> Predictor::make(const Fit& fit, const std::string& law, std::function<bool()> go_on) {
  Predictor out(fit, law, std::move(go_on));
  if (const auto failed = out.prepare()) return *failed;
  return out;
}

std::optional<Diagnostic> Predictor::prepare() {
  const Fit& fit = *fit_;
  std::vector<Axis> free = fit.free;
  outputs_.resize(fit.tests.size());
  if (fit.impact) {
    words_ = *fit.impact;
    if (!law_.empty()) words_.say("law", law_);
    if (law_.empty()) law_ = fit.user_law ? fit.user_law->name : words_.text("law");
    const contact::Alias* alias = contact::find_alias(law_);
    const contact::DissipationRow* row = contact::find_dissipation(alias ? alias->key : std::string_view(law_));
    if (row) {  // what this law does not know is not asked of it
      const auto knows = [row](const std::string& word) {
        if (word == "restitution") return row->restitution != contact::RestitutionUse::none;
        if (!word.starts_with(impact::Words::kConstant)) return true;
        const std::string_view name = std::string_view(word).substr(impact::Words::kConstant.size());
        return std::ranges::any_of(row->parameters, [&](const contact::Parameter& p) { return p.name == name; });
      };
      std::vector<std::string> constants;
      words_.each_constant([&](const std::string& name, const impact::Words::Said&) {
        constants.push_back(std::string(impact::Words::kConstant) + name);
      });
      constants.emplace_back("restitution");
      for (const std::string& word : constants)
        if (!knows(word)) words_.unsay(word);
      std::erase_if(free, [&](const Axis& a) {
        const bool unknown =
            std::ranges::all_of(a.keys, [&](const std::string& key) { return !knows(word_of_key(key)); });
        if (unknown) left_out_.push_back(a.name);
        return unknown;
      });
    }
  } else if (law_.empty()) {
    law_ = "as the scene says";
  }
  for (Axis& a : free) parameters_.push_back({std::move(a), -1});
  for (std::size_t t = 0; t < fit.tests.size(); ++t)
    if (fit.tests[t].offset) parameters_.push_back({*fit.tests[t].offset, static_cast<int>(t)});
  if (fit.data() < parameters_.size()) return Diagnostic{{fit.source}, "fewer data than parameters"};

  const std::vector<double> middle(parameters_.size(), 0.5);
  for (std::size_t t = 0; t < fit.tests.size(); ++t) {
    const DataSet& test = fit.tests[t];
    if (test.kind != DataKind::table) continue;
    OutputContext context;
    context.isolated_impact = fit.impact.has_value();
    std::optional<model::Model> probe;
    if (fit.scene) {
      scene::Scene scene = io::scene_of(*fit.scene, overrides_at(middle, test, 0));
      Result<model::Compiled> compiled = model::compile(scene);
      if (!compiled) return compiled.errors().front();
      probe = std::move(compiled->model);
      context.run = &*probe;
    }
    Result<std::vector<Output>> outputs = read_outputs({{"value", {test.output, test.at}}}, context);
    if (!outputs) return outputs.errors().front();
    outputs_[t] = std::move(*outputs);
  }
  const Result<Prediction> there = predict(middle, false);
  if (!there) return there.errors().front();
  return std::nullopt;
}

double Predictor::offset_s(std::span<const double> z, std::size_t test, int* parameter) const {
  for (std::size_t j = 0; j < parameters_.size(); ++j)
    if (parameters_[j].test == static_cast<int>(test)) {
      if (parameter) *parameter = static_cast<int>(j);
      return parameters_[j].value(z[j]);
    }
  return 0;
}

impact::Words Predictor::words_at(std::span<const double> z, const DataSet& test) const {
  impact::Words words = words_;
  for (const auto& [key, value] : test.set) words.say(word_of_key(key), value);
  for (std::size_t j = 0; j < parameters_.size(); ++j)
    if (parameters_[j].test < 0) say(words, parameters_[j].axis, parameters_[j].value(z[j]));
  return words;
}

std::vector<std::string> Predictor::overrides_at(std::span<const double> z, const DataSet& test,
                                                 std::size_t line) const {
  std::vector<std::string> out = fit_->overrides;
  if (!fit_->law_key.empty()) out.push_back(fit_->law_key + "=" + law_);
  for (const auto& [key, value] : test.set) out.push_back(key + "=" + value);
  for (std::size_t j = 0; j < parameters_.size(); ++j)
    if (parameters_[j].test < 0) add_overrides(parameters_[j].axis, parameters_[j].value(z[j]), out);
  for (const auto& [key, values] : test.inputs)
    if (line < values.size()) out.push_back(key + "=" + text_of(values[line]));
  return out;
}

Result<Prediction> Predictor::predict(std::span<const double> z, bool with_slopes) const {
  if (fit_->scene) return with_slopes ? by_differences(z) : scene_values(z);
  if (with_slopes) {
    Result<Prediction> direct = impact_values(z, true);
    if (direct || direct.errors().front().kind != Diagnostic::Kind::not_available) return direct;
    return by_differences(z);
  }
  return impact_values(z, false);
}

Result<Prediction> Predictor::by_differences(std::span<const double> z) const {
  const auto values = [this](std::span<const double> at) {
    return fit_->scene ? scene_values(at) : impact_values(at, false);
  };
  Result<Prediction> out = values(z);
  if (!out) return out.errors();
  std::vector<double> moved(z.begin(), z.end());
  out->slopes.assign(out->values.size(), std::vector<std::vector<double>>(z.size()));
  for (std::size_t j = 0; j < z.size(); ++j) {
    const double up = std::min(z[j] + kModelStep, 1.0), down = std::max(z[j] - kModelStep, 0.0);
    moved[j] = up;
    const Result<Prediction> above = values(moved);
    moved[j] = down;
    const Result<Prediction> below = values(moved);
    moved[j] = z[j];
    if (!above) return above.errors();
    if (!below) return below.errors();
    for (std::size_t t = 0; t < out->values.size(); ++t)
      for (std::size_t i = 0; i < out->values[t].size(); ++i)
        out->slopes[t][j].push_back((above->values[t][i] - below->values[t][i]) / (up - down));
  }
  return out;
}

Result<Prediction> Predictor::impact_values(std::span<const double> z, bool with_slopes) const {
  const Fit& fit = *fit_;
  Prediction out;
  out.by_duals = with_slopes;
  std::vector<std::size_t> free;
  for (std::size_t j = 0; j < parameters_.size(); ++j)
    if (parameters_[j].test < 0) free.push_back(j);
  for (std::size_t t = 0; t < fit.tests.size(); ++t) {
    const DataSet& test = fit.tests[t];
    std::vector<double> values;
    std::vector<std::vector<double>> slopes(with_slopes ? parameters_.size() : 0);
    const auto keep = [&](const Course::Number& n) {
      values.push_back(n.value);
      if (!with_slopes) return;
      for (std::size_t j = 0; j < parameters_.size(); ++j) slopes[j].push_back(0);
      for (std::size_t k = 0; k < free.size(); ++k) slopes[free[k]].back() = n.slope[k];
    };
    const bool by_line = test.kind == DataKind::restitution_speed || test.kind == DataKind::table;
    if (by_line) {
      for (std::size_t i = 0; i < test.y.size(); ++i) {
        const auto words = [&](std::span<const double> at) {
          impact::Words w = words_at(at, test);
          if (test.kind == DataKind::restitution_speed) w.say("velocity", test.x[i]);
          for (const auto& [key, numbers] : test.inputs) w.say(word_of_key(key), numbers[i]);
          return w;
        };
        const bool direct = test.kind == DataKind::restitution_speed || test.output == "delivered" ||
                            test.output == "peak_force" || test.output == "peak_indentation";
        if (!direct) {
          if (with_slopes) return Diagnostic{{"slopes"}, "an expression has none", Diagnostic::Kind::not_available};
          const Result<Latched> there = latched(words(z), fit.user_law);
          if (!there) return there.errors();
          const Result<impact::Outcome> outcome = there->collide();
          if (!outcome) return outcome.errors();
          values.push_back(evaluate(outputs_[t], {{}, &*outcome}).front());
          continue;
        }
        const Result<Course> course = Course::make(words, z, free, fit.user_law, with_slopes);
        if (!course) return named(test, i, course.errors());
        keep(test.output == "peak_force"         ? course->peak_force()
             : test.output == "peak_indentation" ? course->peak_indentation()
                                                 : course->restitution());
      }
    } else {
      const auto words = [&](std::span<const double> at) { return words_at(at, test); };
      const Result<Course> course = Course::make(words, z, free, fit.user_law, with_slopes);
      if (!course) return named(test, std::nullopt, course.errors());
      int clock = -1;
      const double offset = offset_s(z, t, &clock);
      const Grid grid = grid_of(test);
      const std::vector<double>& times = grid.times;
      const std::size_t deepest = static_cast<std::size_t>(std::ranges::max_element(test.x) - test.x.begin());
      for (std::size_t i = 0; i < times.size(); ++i) {
        const Course::Number n = test.kind == DataKind::force_time ? course->force_at(times[i] - offset)
                                 : test.kind == DataKind::displacement_time
                                     ? course->depth_at(times[i] - offset)
                                     : course->force_over(times[i], i > deepest);
        keep(n);
        if (with_slopes && clock >= 0) {
          const auto j = static_cast<std::size_t>(clock);
          slopes[j].back() = -n.per_time * parameters_[j].slope(z[j]);
        }
      }
      grid.filter(values, test.channel_class);
      for (std::vector<double>& one : slopes) grid.filter(one, test.channel_class);
    }
    out.values.push_back(std::move(values));
    if (with_slopes) out.slopes.push_back(std::move(slopes));
  }
  return out;
}

Result<Prediction> Predictor::scene_values(std::span<const double> z) const {
  const Fit& fit = *fit_;
  Prediction out;
  for (std::size_t t = 0; t < fit.tests.size(); ++t) {
    const DataSet& test = fit.tests[t];
    std::vector<double> values;
    const std::size_t runs = test.kind == DataKind::table ? test.y.size() : 1;
    for (std::size_t line = 0; line < runs; ++line) {
      scene::Scene scene = io::scene_of(*fit.scene, overrides_at(z, test, line));
      const double offset = offset_s(z, t);
      const Grid grid = test.kind == DataKind::table ? Grid{} : grid_of(test);
      const std::vector<const Measure*> channels =
          test.kind == DataKind::table ? channels_of(outputs_[t]) : std::vector<const Measure*>{};
      ask_for_channels(channels, scene.outputs);
      if (test.kind == DataKind::channel_time) {
        scene.outputs.channels.emplace_back("of_the_fit", scene::Function{test.output, test.at});
        for (const double time : grid.times)
          if (time - offset >= 0) scene.outputs.at_s.push_back(time - offset);
        scene.solver.duration_s = std::max(scene.solver.duration_s, grid.times.back() - offset);
      }
      const Result<model::Compiled> compiled = model::compile(scene);
      if (!compiled) return compiled.errors();
      ChannelSink seen(channels);
      dynamics::Options options;
      options.most_impacts_kept = 1'000'000;
      if (go_on_) options.go_on = [this](double) { return go_on_(); };
      if (!channels.empty()) options.sink = &seen;
      options.keep_samples = test.kind == DataKind::channel_time;
      const recording::Recording run = dynamics::simulate(*compiled, options);
      if (run.end == recording::End::interrupted) return Diagnostic{{"percuss"}, "interrupted"};
      if (run.end == recording::End::failed) return Diagnostic{{fit.source}, run.failure};
      if (test.kind == DataKind::table) {
        const std::vector<double> of_channels = seen.values();
        values.push_back(evaluate(outputs_[t], {{}, nullptr, &run, of_channels}).front());
        if (!std::isfinite(values.back()))
          return Diagnostic{{fit.source}, "data " + test.name + ": " + test.output + " does not exist in this run"};
        continue;
      }
      if (const recording::FilledTable* table = run.find("channels")) {
        const std::vector<double> times = table->values_of("t"), of = table->values_of("of_the_fit");
        for (const double time : grid.times) {
          const auto after = std::ranges::lower_bound(times, time - offset - 1e-12);
          if (after == times.begin() || after == times.end()) {
            values.push_back(after == times.end() ? of.back() : of.front());
            continue;
          }
          const auto i = static_cast<std::size_t>(after - times.begin());
          const double share = std::clamp((time - offset - times[i - 1]) / (times[i] - times[i - 1]), 0.0, 1.0);
          values.push_back(of[i - 1] + share * (of[i] - of[i - 1]));
        }
        grid.filter(values, test.channel_class);
      }
    }
    out.values.push_back(std::move(values));
  }
  return out;
}

std::vector<double> Predictor::with_clocks_set(std::span<const double> z) const {
  std::vector<double> out(z.begin(), z.end());
  if (!fit_->impact) return out;
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    if (parameters_[j].test < 0) continue;
    const DataSet& test = fit_->tests[static_cast<std::size_t>(parameters_[j].test)];
    const auto words = [&](std::span<const double> at) { return words_at(at, test); };
    const Result<Course> course = Course::make(words, z, {}, fit_->user_law, false);
    if (!course) continue;
    const auto data_peak = static_cast<std::size_t>(std::ranges::max_element(test.y) - test.y.begin());
    constexpr int kSamples = 200;
    double model_peak_s = 0, most = 0;
    for (int i = 1; i < kSamples; ++i) {
      const double t = course->end_s() * i / kSamples;
      const double value =
          test.kind == DataKind::force_time ? course->force_at(t).value : course->depth_at(t).value;
      if (value > most) most = value, model_peak_s = t;
    }
    out[j] = std::clamp(parameters_[j].place(test.x[data_peak] - model_peak_s), 0.0, 1.0);
  }
  return out;
}

std::vector<double> Predictor::restitutions(std::span<const double> z, std::size_t test,
                                            std::span<const double> speeds) const {
  std::vector<double> out;
  for (const double v : speeds) {
    impact::Words words = words_at(z, fit_->tests[test]);
    words.say("velocity", v);
    const Result<Latched> there = latched(words, fit_->user_law);
    const Result<impact::Outcome> outcome = there ? there->collide(impact::Times::none) : there.errors();
    out.push_back(outcome ? outcome->restitution : std::nan(""));
  }
  return out;
}

}  // namespace percuss::study
