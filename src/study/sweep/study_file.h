// A study as its file says it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "percuss/scene/schema.h"
#include "percuss/study/model_file.h"
#include "percuss/study/sweep/design.h"
#include "percuss/study/sweep/outputs.h"

namespace percuss::study {

/// One value is followed up and down, each from the last state of the one before.
struct Bifurcation {
  double period_s = 0;            // of what drives the system, if it does not depend on the axis
  std::string period;             // else an expression of it
  expression::Program period_of;  // of the axis
  int transient = 0, kept = 0;    // periods
  bool down = true;               // after the way up
};

/// Points of a model. There are three models: a scene, an isolated impact, and none (outputs are expressions of the
/// axes).
struct Study : StudiedModel {
  std::string source, title;
  Design design;
  std::vector<Output> outputs;
  std::vector<std::string> contacts;    // names, as outputs count them
  std::vector<std::size_t> recordings;  // points whose whole recording is kept
  double wall_limit_s = 0;              // of a point; 0: none
  std::optional<Bifurcation> bifurcation;
  /// All that decides the results, by key, as it was written: two studies are the same if these are.
  std::vector<std::pair<std::string, std::string>> facts;

  /// Overrides of the scene at a point: all, and those of the axes.
  std::vector<std::string> overrides_at(const std::vector<AxisValue>& values) const;
  std::vector<std::string> axis_overrides(const std::vector<AxisValue>& values) const;
};

/// All mistakes at once. `law_folder`: where law files are looked for by name; `overrides` go over those of the
/// file.
Result<Study> read_study(const std::filesystem::path& file, const std::string& law_folder,
                         const std::vector<std::string>& overrides = {});

Result<Study> read_study_text(const std::string& text, const std::filesystem::path& file,
                              const std::string& law_folder, const std::vector<std::string>& overrides = {});

/// What a study file may contain.
const scene::Section& study_section();

}  // namespace percuss::study
