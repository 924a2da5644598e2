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

Result<recording::Recording> simulate(const std::filesystem::path& file,
                                      const std::vector<std::string>& overrides) {
  const Result<scene::Scene> scene = io::read_scene(file.string(), overrides);
  if (!scene) return scene.errors();
  const Result<model::Compiled> compiled = model::compile(*scene);
  if (!compiled) return compiled.errors();
  dynamics::Options options;
  options.keep_samples = true;
  recording::Recording out = dynamics::simulate(*compiled, options);
  if (out.end == recording::End::failed) return Diagnostic{{file.string()}, out.failure};
  return out;
}

PaperCurve body_over_time(const std::string& name, const recording::Recording& run, const std::string& body,
                          const std::string& column) {
  const recording::FilledTable *time = run.find("time"), *bodies = run.find("bodies");
  const int item = bodies ? bodies->item(body) : -1;
  if (!time || item < 0) return {name, {}, {}};
  return {name, time->values_of("t"), bodies->values_of(column, static_cast<std::size_t>(item))};
}

double rest_begins_s(const recording::Recording& run) {
  double begins = std::numeric_limits<double>::infinity();
  for (const recording::Impact& k : run.impacts)
    if (!k.separated()) begins = k.touch_s;
  return begins;
}

}  // namespace percuss::study
