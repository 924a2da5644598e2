// Scenes run inside a test, samples kept in memory.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"
#include "percuss/recording/recording.h"

namespace percuss {

/// Rows by the names of their tables; the array of bodies as one table per body, bodies/NAME, with the time in
/// front.
class Samples final : public recording::Sink {
 public:
  void begin(const recording::Head&, const std::vector<recording::Table>& tables) override {
    tables_ = tables;
    for (const recording::Table& t : tables)
      for (const std::string& item : t.items) {
        recording::Table one{t.name + "/" + item, {{"t", "s"}}};
        one.columns.insert(one.columns.end(), t.columns.begin(), t.columns.end());
        tables_.push_back(one);
      }
  }
  bool row(std::size_t table, std::span<const double> values) override {
    const recording::Table& t = tables_[table];
    if (t.name == "time") t_s_ = values[0];
    if (t.items.empty()) rows_[t.name].emplace_back(values.begin(), values.end());
    for (std::size_t i = 0; i < t.items.size(); ++i) {
      std::vector<double>& one = rows_[t.name + "/" + t.items[i]].emplace_back(1, t_s_);
      const auto part = values.subspan(i * t.columns.size(), t.columns.size());
      one.insert(one.end(), part.begin(), part.end());
    }
    return true;
  }
  const std::vector<std::vector<double>>& rows(const std::string& table) const { return rows_.at(table); }
  std::size_t column(const std::string& table, const std::string& name) const {
    for (const recording::Table& t : tables_)
      if (t.name == table)
        for (std::size_t i = 0; i < t.columns.size(); ++i)
          if (t.columns[i].name == name) return i;
    ADD_FAILURE() << "no column " << table << " " << name;
    return 0;
  }
  /// The value at the sample nearest to t.
  double at(const std::string& table, const std::string& name, double t_s) const {
    const std::size_t c = column(table, name);
    const std::vector<double>* best = nullptr;
    for (const auto& row : rows(table))
      if (!best || std::abs(row[0] - t_s) < std::abs((*best)[0] - t_s)) best = &row;
    EXPECT_NEAR((*best)[0], t_s, 1e-12 + 1e-12 * t_s);
    return (*best)[c];
  }
  double last(const std::string& table, const std::string& name) const {
    return rows(table).back()[column(table, name)];
  }

 private:
  std::vector<recording::Table> tables_;
  std::map<std::string, std::vector<std::vector<double>>> rows_;
  double t_s_ = 0;
};

struct SceneRun {
  model::Model model;
  model::Settings settings;
  recording::Recording recording;
  Samples samples;
};

inline model::Compiled must_compile(const Result<scene::Scene>& scene) {
  if (!scene) {
    for (const Diagnostic& d : scene.errors()) ADD_FAILURE() << one_line(d);
    return {};
  }
  Result<model::Compiled> compiled = model::compile(*scene);
  if (!compiled) {
    for (const Diagnostic& d : compiled.errors()) ADD_FAILURE() << one_line(d);
    return {};
  }
  return std::move(*compiled);
}

inline model::Compiled from_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return must_compile(io::read_scene_text(text, "scene.yaml", overrides));
}
inline model::Compiled shipped(const std::string& name, const std::vector<std::string>& overrides = {}) {
  std::string path = PERCUSS_SOURCE "/scenes/";
  path += name;
  path += ".yaml";
  return must_compile(io::read_scene(path, overrides));
}

inline SceneRun run_model(model::Compiled compiled) {
  SceneRun run;
  run.model = std::move(compiled.model);
  run.settings = std::move(compiled.settings);
  if (run.model.bodies.empty()) return run;  // the errors are reported
  dynamics::Options options;
  options.sink = &run.samples;
  run.recording = dynamics::simulate(run.model, run.settings, options);
  EXPECT_EQ(run.recording.failure, "");
  return run;
}

/// A shipped scene.
inline SceneRun run_scene(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return run_model(shipped(name, overrides));
}
inline SceneRun run_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return run_model(from_text(text, overrides));
}

inline std::string set(const std::string& path, double value) { return path + "=" + text_of(value); }

/// The energy error over the energy exchanged.
inline double gap_share(const SceneRun& run) {
  return run.recording.ledger.largest_error_J / run.recording.ledger.exchanged_J;
}

}  // namespace percuss
