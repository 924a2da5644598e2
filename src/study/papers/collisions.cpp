// Collisions and scenes of papers.
#include "percuss/study/papers/collisions.h"

#include <limits>
#include <stdexcept>

#include "percuss/contact/specification.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"

namespace percuss::study {

namespace {

template <class T>
T must(Result<T> result) {
  if (!result) throw std::logic_error(result.errors().front().text);
  return *std::move(result);
}

template <class X, class Y>
PaperCurve curve(const std::string& name, const Collided& c, X x, Y y) {
  PaperCurve out{name, {}, {}};
  for (const impact::Sample& s : c.history) {
    out.x.push_back(x(s));
    out.y.push_back(y(s));
  }
  return out;
}

}  // namespace

Collided collide(const Statement& s) {
  contact::LawRequest request;
  request.law = s.law;
  request.elastic = s.elastic;
  request.stiffness = s.stiffness;
  request.parameters = s.parameters;
  const contact::DissipationRow* row = contact::find_dissipation(s.law);
  if (row && row->restitution != contact::RestitutionUse::none &&
      (s.parameters.empty() || row->restitution == contact::RestitutionUse::needed))
    request.restitution = s.restitution;
  Collided out;
  out.law = contact::latch(must(contact::specify(request)), s.mass_kg, s.velocity_mps);
  const impact::Collision collision{out.law, s.mass_kg, s.velocity_mps};
  out.outcome = must(impact::collide(collision));
  out.history = must(impact::history(collision));
  return out;
}

double damping_factor(const std::string& law, double restitution) {
  contact::LawRequest request;
  request.law = law;
  request.stiffness = 1;
  request.restitution = restitution;
  const contact::Law latched = contact::latch(must(contact::specify(request)), 1, 1);
  return std::get<contact::Scaled<>>(latched.shape).gain_s_per_m;
}

PaperCurve force_over_depth(const std::string& name, const Collided& c) {
  return curve(
      name, c, [](const auto& s) { return s.depth_m; }, [](const auto& s) { return s.force_N; });
}
PaperCurve force_over_time(const std::string& name, const Collided& c) {
  return curve(
      name, c, [](const auto& s) { return s.time_s; }, [](const auto& s) { return s.force_N; });
}
PaperCurve depth_over_time(const std::string& name, const Collided& c) {
  return curve(
      name, c, [](const auto& s) { return s.time_s; }, [](const auto& s) { return s.depth_m; });
}
PaperCurve rate_over_time(const std::string& name, const Collided& c) {
  return curve(
      name, c, [](const auto& s) { return s.time_s; }, [](const auto& s) { return s.rate_mps; });
}
PaperCurve rate_over_depth(const std::string& name, const Collided& c) {
  return curve(
      name, c, [](const auto& s) { return s.depth_m; }, [](const auto& s) { return s.rate_mps; });
}

Result<Simulated> simulate(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const Result<scene::Scene> scene = io::read_scene(file.string(), overrides);
  if (!scene) return scene.errors();
  const Result<model::Compiled> compiled = model::compile(*scene);
  if (!compiled) return compiled.errors();
  recording::MemorySink sink;
  dynamics::Options options;
  options.sink = &sink;
  Simulated out;
  out.recording = dynamics::simulate(*compiled, options);
  if (out.recording.end == recording::End::failed) return Diagnostic{{file.string()}, out.recording.failure};
  out.results.tables = sink.take();
  return out;
}

PaperCurve column_over_time(const std::string& name, const Simulated& run, const std::string& table,
                            const std::string& column) {
  const recording::FilledTable* t = run.results.find(table);
  return t ? PaperCurve{name, t->values_of("t"), t->values_of(column)} : PaperCurve{name, {}, {}};
}

double rest_begins_s(const Simulated& run) {
  double begins = std::numeric_limits<double>::infinity();
  for (const recording::Impact& k : run.recording.impacts)
    if (!k.released) begins = k.touch_s;
  return begins;
}

}  // namespace percuss::study
