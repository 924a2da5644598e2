// Reading of scenes: the file, what it includes, what is set, and the files it names.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "percuss/scene/node.h"
#include "percuss/scene/scene.h"

namespace percuss::io {

/// A scene as it stands in its file, with what it includes, before anything is given a meaning.
struct Document {
  scene::Node root;
  std::string source, text;
  std::filesystem::path law_folder{};  // where law files are looked for by name, after the scene's own folder
  std::map<std::string, Result<scene::Node>> parts{};  // documents of the files of its parts, by their paths
  std::vector<std::string> overrides{};                // what was set
  std::vector<std::string> of_instances{};             // of that: what is there only when repetition is written out
  std::vector<Diagnostic> errors{};                    // of what was set

  /// `path=value` as after --set: ball.restitution=0.6, solver.tolerance=1e-10. Set again, the later value counts.
  void set(const std::string& override_text);
};
Result<Document> open_scene(const std::filesystem::path& file, const std::filesystem::path& law_folder = {});

/// What is wrong goes into Scene::errors, and `compile` reports it together with what it finds itself.
scene::Scene scene_of(const Document& document);
/// Of a copy in which these are set.
scene::Scene scene_of(const Document& document, const std::vector<std::string>& overrides);

/// Both at once; fails only where there is no document.
Result<scene::Scene> read_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {},
                                const std::filesystem::path& law_folder = {});

/// The same from a text; includes are found beside `source`.
Result<scene::Scene> read_scene_text(const std::string& text, const std::string& source,
                                     const std::vector<std::string>& overrides = {});

/// Meshes, hulls and law files that a scene names, into the scene: `compile` opens no file. For scenes made in
/// code; those above are loaded. What cannot be read is said by `compile`.
void load_files(scene::Scene& scene, const std::filesystem::path& law_folder = {});

/// The scene with repetition written out and parts in place, as `interpret` takes it; mistakes go into `errors`.
/// Texts of parts that were not known when the document was opened go into `late_text`.
scene::Node expanded(const Document& document, std::vector<Diagnostic>& errors, std::string& late_text);

/// Sets one value in a document that the schema describes. The path begins with a section (solver.tolerance) or
/// with a name that stands in one (ball.mass); the name of a body also reaches the contacts of that body.
std::vector<Diagnostic> apply_override(scene::Node& document, const std::string& override_text);

}  // namespace percuss::io
