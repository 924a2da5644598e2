// Reading of scenes: file, includes, overrides, schema.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "percuss/scene/node.h"
#include "percuss/scene/scene.h"

namespace percuss::scene {

/// A scene as it stands in its file, with what it includes, before anything is given a meaning.
struct Document {
  Node root;
  std::string source, text;
  std::vector<std::string> overrides{};  // what was set
  std::vector<Diagnostic> errors{};      // of that

  /// `path=value` as after --set: ball.restitution=0.6, solver.tolerance=1e-10. Set again, the later value counts.
  void set(const std::string& override_text);
};
Result<Document> open_scene(const std::filesystem::path& file);

/// What is wrong goes into Scene::errors, and `compile` reports it together with what it finds itself.
Scene scene_of(const Document& document);
/// Of a copy in which these are set.
Scene scene_of(const Document& document, const std::vector<std::string>& overrides);

/// Both at once; fails only where there is no document.
Result<Scene> read_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The same from a text; includes are found beside `source`.
Result<Scene> read_scene_text(const std::string& text, const std::string& source,
                              const std::vector<std::string>& overrides = {});

/// Sets one value in a document that the schema describes. The path begins with a section (solver.tolerance) or
/// with a name that stands in one (ball.mass); the name of a body also reaches the contacts of that body.
std::vector<Diagnostic> apply_override(Node& document, const std::string& override_text);

}  // namespace percuss::scene
