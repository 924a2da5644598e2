// Values of the axes to numbers kept.
#include "percuss/study/sweep/point.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "percuss/base/words.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/recorded_run.h"
#include "percuss/model/compile.h"

namespace percuss::study {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void fail(PointResult& out, const std::vector<Diagnostic>& errors) {
  out.status = PointStatus::failed;
  out.reason = errors.empty() ? "" : errors.front().text;
  if (!errors.empty() && errors.front().at.line == 0 && !errors.front().at.source.empty())
    out.reason = errors.front().at.source + ": " + out.reason;
}

/// Outputs know contacts by their numbers in the model that they were read for: one whose number is another's here.
std::optional<std::string> contact_elsewhere(const Study& study, const model::Model& model) {
  for (const Output& o : study.outputs)
    for (std::size_t i = 0; i < o.variables.size(); ++i) {
      const int contact = o.variables[i].contact;
      if (contact < 0 || !o.program.uses(static_cast<int>(i))) continue;
      const auto at = static_cast<std::size_t>(contact);
      if (at >= model.contacts.size() || model.contacts[at].name != study.contacts[at]) return study.contacts[at];
    }
  return std::nullopt;
}

/// A file that could not be written is no property of the point.
void run_again(PointResult& out, const Diagnostic& why) {
  out.status = PointStatus::again;
  out.reason = (why.at.source.empty() ? "" : why.at.source + ": ") + why.text;
}

}  // namespace

PointRunner::PointRunner(const Study& study, const RecordingFiles& files, double wall_limit_s,
                         std::function<bool()> go_on)
    : study_(study),
      files_(files),
      wall_limit_s_(wall_limit_s),
      go_on_(std::move(go_on)),
      channels_(channels_of(study.outputs)),
      needs_times_(needs_times(study.outputs)),
      needs_horizon_(needs_horizon(study.outputs)) {
  if (study.impact) words_ = *study.impact;
  if (study.scene) scene_.emplace(study);
}

PointResult PointRunner::run(std::size_t point) {
  PointResult out;
  out.point = point;
  const Clock::time_point begin = Clock::now();
  const std::vector<AxisValue> values = study_.design.at(point);
  axes_.clear();
  for (const AxisValue& v : values)
    axes_.push_back(std::holds_alternative<double>(v) ? std::get<double>(v) : std::nan(""));
  try {
    if (study_.impact)
      run_impact(values, out);
    else if (study_.scene)
      run_scene(values, out);
    else
      keep(out, {axes_});
  } catch (const std::bad_alloc&) {
    out.status = PointStatus::again;
    out.reason = "there was not enough memory";
  } catch (const std::exception& thrown) {  // of a library that cannot go on
    out.status = PointStatus::failed;
    out.reason = words_of(thrown);
  }
  if (out.status != PointStatus::done) out.outputs.assign(study_.outputs.size(), std::nan(""));
  out.wall_s = seconds_since(begin);
  return out;
}

void PointRunner::keep(PointResult& out, const Measured& measured) const {
  out.outputs = evaluate(study_.outputs, measured);
}

void PointRunner::run_impact(const std::vector<AxisValue>& values, PointResult& out) {
  for (std::size_t i = 0; i < values.size(); ++i) say(words_, study_.design.axes()[i], values[i]);
  std::vector<Diagnostic> errors;
  impact::Described in = impact::read_collision(words_, errors);
  if (!errors.empty()) return fail(out, errors);
  in.request.user_law = study_.user_law;
  const Result<contact::LawSpec> spec = contact::specify(in.request);
  if (!spec) return fail(out, spec.errors());
  const impact::Collision collision{contact::latch(*spec, *in.mass_kg, *in.velocity_mps), *in.mass_kg,
                                    *in.velocity_mps};
  const Result<impact::Outcome> outcome =
      impact::collide(collision, needs_times_ ? impact::Times::all : impact::Times::none);
  if (study_.user_law)
    if (const auto faults = impact::user_law_faults(collision, outcome); !faults.empty()) return fail(out, faults);
  if (!outcome) return fail(out, outcome.errors());
  keep(out, {axes_, &*outcome});
}

void PointRunner::run_scene(const std::vector<AxisValue>& values, PointResult& out) {
  scene::Scene scene = scene_->with(study_.axis_overrides(values));
  ask_for_channels(channels_, scene.outputs);
  scene.outputs.horizon = scene.outputs.horizon || needs_horizon_;
  const Result<model::Compiled> compiled = model::compile(scene);
  if (!compiled) return fail(out, compiled.errors());
  const model::Model* const model = &compiled->model;
  if (const auto lost = contact_elsewhere(study_, *model))
    return fail(out, {{{}, "contact " + in_quotes(*lost) + ", which an output names, is not where it was"}});

  ChannelSink channels(channels_);
  dynamics::Options options;
  options.most_impacts_kept = 1'000'000;
  const Clock::time_point begin = Clock::now();
  bool too_long = false;
  options.go_on = [&](double) {
    too_long = wall_limit_s_ > 0 && seconds_since(begin) > wall_limit_s_;
    return !too_long && (!go_on_ || go_on_());
  };
  const bool has_file = std::ranges::find(study_.recordings, out.point) != study_.recordings.end();
  recording::Sink* const sink = channels_.empty() ? nullptr : &channels;
  recording::Recording recording;
  if (has_file) {
    io::RecordedRunRequest request{files_.folder / ("point-" + std::to_string(out.point) + ".h5")};
    request.also = sink;
    request.options = options;
    Result<io::RecordedRun> run = io::run_to_file(*compiled, request);
    if (!run) return run_again(out, run.errors().front());
    if (run->not_written) return run_again(out, *run->not_written);
    recording = std::move(run->recording);
  } else {
    options.sink = sink;
    recording = dynamics::simulate(*compiled, options);
  }
  if (recording.end == recording::End::interrupted) {
    out.status = too_long ? PointStatus::again : PointStatus::interrupted;
    if (too_long) out.reason = "its wall-clock limit of " + text_of(wall_limit_s_) + " s";
    return;
  }
  if (recording.end == recording::End::failed && has_file) return run_again(out, {{}, recording.failure});
  if (recording.end == recording::End::failed) return fail(out, {{{}, recording.failure}});
  const std::vector<double> seen = channels.values();
  keep(out, {axes_, nullptr, &recording, seen});
}

}  // namespace percuss::study
