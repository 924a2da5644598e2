// What a study runs, as its file says it: a scene, or an isolated impact in the words of `percuss impact`, with _
// for -.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "percuss/impact/described.h"
#include "percuss/io/scene_file.h"
#include "percuss/scene/fields.h"

namespace percuss::study {

struct StudiedModel {
  std::optional<io::Document> scene;
  std::vector<std::string> overrides;  // of the scene
  std::string law_folder;              // where law files are looked for by name
  std::optional<impact::Words> impact;
  std::optional<contact::UserLaw> user_law;  // of the isolated impact
};

/// From the keys scene, set and impact, of which scene and impact exclude each other. Files are looked for in
/// `folder`.
StudiedModel read_model(const scene::Fields& fields, const std::filesystem::path& folder,
                        const std::string& law_folder, std::vector<Diagnostic>& errors);

/// A scene whose keys take other values again and again. The document is varied in place: a value that is set anew
/// replaces the last one. That holds while the same paths are set, and none of them decides what another reaches;
/// otherwise it begins from a copy.
class VariedScene {
 public:
  explicit VariedScene(const StudiedModel& model);
  scene::Scene with(const std::vector<std::string>& overrides);

 private:
  io::Document untouched_, own_;    // with what is set for all
  std::vector<std::string> paths_;  // of the last call
};

/// The keys of an `impact`.
const scene::Section& impact_section();

/// "mass_i" is "mass-i"; "parameters.mu" stays.
std::string word_of_key(const std::string& key);

/// Does the model have this key? What is wrong with it otherwise. `value`: one that it may take.
std::vector<std::string> wrong_with_key(const StudiedModel& model, const std::string& key,
                                        const std::string& value = "1");

}  // namespace percuss::study
