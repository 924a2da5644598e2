// A chain of runs.
#include "percuss/study/sweep/bifurcation.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"

namespace percuss::study {

namespace {

/// Keeps the rows of the study's channels at the ends of periods.
class SectionSink final : public recording::Sink {
 public:
  SectionSink(const std::vector<Output>& outputs, std::vector<double> times_s)
      : outputs_(outputs), times_s_(std::move(times_s)) {}
  void begin(const recording::Head&, const std::vector<recording::Table>& tables) override {
    for (std::size_t t = 0; t < tables.size(); ++t) {
      if (tables[t].name != "channels") continue;
      table_ = t;
      for (const Output& o : outputs_)
        columns_.push_back(static_cast<std::size_t>(
            std::ranges::find(tables[t].columns, o.name, &recording::Column::name) - tables[t].columns.begin()));
    }
  }
  bool row(std::size_t table, std::span<const double> values) override {
    if (table != table_ || section.size() >= times_s_.size()) return true;
    const double wanted = times_s_[section.size()];
    if (std::abs(values[0] - wanted) > 1e-9 * wanted) return true;
    section.emplace_back();
    for (const std::size_t c : columns_) section.back().push_back(values[c]);
    return true;
  }
  std::vector<std::vector<double>> section;  // [period][output]

 private:
  const std::vector<Output>& outputs_;
  std::vector<double> times_s_;
  std::vector<std::size_t> columns_;
  std::size_t table_ = 0;
};

struct Link {
  PointResult result;
  std::vector<std::vector<double>> section;
  std::vector<double> y;
};

Link try_link(const Study& study, std::size_t point, const std::vector<double>& from, const SweepRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  const auto wall_s = [&begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  Link out;
  out.result.point = point;
  out.result.outputs.assign(study.outputs.size(), std::nan(""));
  const auto fail = [&](std::string why) {
    out.result.status = PointStatus::failed;
    out.result.reason = std::move(why);
    return out;
  };
  const Bifurcation& b = *study.bifurcation;
  const std::vector<AxisValue> values = study.design.at(point);
  const double value = std::get<double>(values.front());
  const double period_s = b.period_s > 0 ? b.period_s : b.period_of.evaluate<double>(std::span(&value, 1));
  if (!(period_s > 0) || !std::isfinite(period_s)) return fail("its period is " + text_of(period_s) + " s");

  scene::Scene scene = io::scene_of(*study.scene, study.overrides_at(values));
  scene.solver.duration_s = period_s * (b.transient + b.kept);
  scene.outputs.every_s = scene.solver.duration_s;
  scene.outputs.in_contact = false;
  scene.outputs.at_s.clear();
  scene.outputs.channels.clear();
  for (const Output& o : study.outputs) scene.outputs.channels.emplace_back(o.name, scene::Function{o.text, o.at});
  for (int k = 1; k <= b.kept; ++k)
    scene.outputs.at_s.push_back(k == b.kept ? scene.solver.duration_s : period_s * (b.transient + k));
  const Result<model::Compiled> compiled = model::compile(scene);
  if (!compiled) return fail(compiled.errors().front().text);
  const model::Model* const model = &compiled->model;

  SectionSink sink(study.outputs, scene.outputs.at_s);
  dynamics::Options options;
  options.sink = &sink;
  options.most_impacts_kept = 1;
  if (!from.empty()) options.from = dynamics::state_from(*model, from);
  bool too_long = false;
  options.go_on = [&](double) {
    too_long = request.wall_limit_s > 0 && wall_s() > request.wall_limit_s;
    return !too_long && !(request.interrupted && request.interrupted());
  };
  recording::Recording r = dynamics::simulate(*compiled, options);
  out.result.wall_s = wall_s();
  if (r.end == recording::End::interrupted) {
    out.result.status = too_long ? PointStatus::again : PointStatus::interrupted;
    if (too_long) out.result.reason = "its wall-clock limit of " + text_of(request.wall_limit_s) + " s";
    return out;
  }
  if (r.end == recording::End::failed) return fail(r.failure);
  out.section = std::move(sink.section);
  r.y.resize(at(model->position_count) + at(model->velocity_count));  // contacts may follow
  out.y = std::move(r.y);
  if (!out.section.empty()) out.result.outputs = out.section.back();
  return out;
}

/// What throws (a library that cannot go on) fails the value, not the chain.
Link run_link(const Study& study, std::size_t point, const std::vector<double>& from, const SweepRequest& request) {
  try {
    return try_link(study, point, from, request);
  } catch (const std::bad_alloc&) {
    Link out;
    out.result = {point, PointStatus::again, "there was not enough memory",
                  std::vector<double>(study.outputs.size(), std::nan("")), 0};
    return out;
  } catch (const std::exception& thrown) {  // of a library that cannot go on
    Link out;
    out.result = {point, PointStatus::failed, words_of(thrown),
                  std::vector<double>(study.outputs.size(), std::nan("")), 0};
    return out;
  }
}

}  // namespace

int period_of(const std::vector<std::vector<double>>& section, int most, double share) {
  if (section.empty()) return 0;
  std::vector<double> range;  // of every output
  for (std::size_t i = 0; i < section.front().size(); ++i) {
    double low = section.front()[i], high = low;
    for (const auto& s : section) low = std::min(low, s[i]), high = std::max(high, s[i]);
    range.push_back(std::max(high - low, std::max(std::abs(low), std::abs(high))));
  }
  for (std::size_t p = 1; p <= at(most) && 2 * p <= section.size(); ++p) {
    bool repeats = true;
    for (std::size_t k = 0; k + p < section.size() && repeats; ++k)
      for (std::size_t i = 0; i < range.size(); ++i)
        repeats = repeats && std::abs(section[k + p][i] - section[k][i]) <= share * range[i];
    if (repeats) return static_cast<int>(p);
  }
  return 0;
}

std::optional<Diagnostic> follow_branches(const Study& study, Store& store, const SweepRequest& request,
                                          SweepOutcome& out) {
  const std::vector<char> settled = store.settled(study.design.size());
  out.wanted = study.design.size();
  std::vector<double> y;
  std::size_t point = 0;
  while (point < settled.size() && settled[point]) ++point;
  out.before = point;
  for (std::size_t p = point; p-- > 0 && y.empty();) y = store.state_of(p);  // a value that failed is passed over
  for (; point < settled.size(); ++point) {
    const Link link = run_link(study, point, y, request);
    if (link.result.status == PointStatus::interrupted) {
      out.interrupted = true;
      break;
    }
    auto failed = store.put(std::span(&link.result, 1), study.design);
    if (!failed && !link.y.empty()) failed = store.put_section(point, link.section, link.y);
    if (failed) {  // a point without its state would begin the next one elsewhere
      store.abandon();
      return failed;
    }
    if (!link.y.empty()) y = link.y;
    if (failed = store.commit(false); failed) return failed;
    ++out.run;
    if (link.result.status == PointStatus::again) break;  // what follows would begin elsewhere
    if (request.go_on && !request.go_on(out.before + out.run, out.wanted)) {
      out.interrupted = true;
      break;
    }
  }
  return store.commit(true);
}

}  // namespace percuss::study
