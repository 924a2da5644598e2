// Keys to words and scenes.
#include "percuss/study/model_file.h"

#include <algorithm>

#include "percuss/base/words.h"
#include "percuss/io/law_file.h"
#include "percuss/io/scene_file.h"

namespace percuss::study {

using scene::Fields;
using scene::Key;
using scene::Kind;
using scene::Section;

const Section& impact_section() {
  static std::vector<std::string> names;
  static std::vector<Key> keys;
  static const Section section = [] {
    names.reserve(impact::kCollisionWords.size());
    keys.push_back({"law", Kind::text, {}, "dissipation or elastic key", ""});
    keys.push_back({"law_file", Kind::text, {}, "a law of your own", ""});
    keys.push_back({"restitution", Kind::text, {}, "prescribed restitution", ""});
    for (const impact::CollisionWord& w : impact::kCollisionWords) {
      names.emplace_back(w.name);
      std::ranges::replace(names.back(), '-', '_');
      keys.push_back({names.back(), w.name == "parameters" ? Kind::constants : Kind::text, {}, w.help, ""});
    }
    return Section{"impact", "an isolated impact, as for percuss impact", keys,
                   "impact: {law: flores, restitution: 0.6, stiffness: 1e8, mass: 1 kg, velocity: 1 m/s}"};
  }();
  return section;
}

namespace {

/// Law files are looked for in `folder`, then in the law folder.
void read_impact(const Fields::Inner& inner, const std::filesystem::path& folder, StudiedModel& out,
                 std::vector<Diagnostic>& errors) {
  const Fields f(impact_section(), *inner.node, inner.at, "impact", errors);
  out.impact.emplace();
  for (const Key& key : impact_section().keys) {
    if (!f.has(key.name) || key.name == "law_file") continue;
    if (key.name == "parameters")
      for (const auto& [name, value] : f.constants("parameters"))
        out.impact->say(std::string(impact::Words::kConstant) + name, value.text);
    else
      out.impact->say(word_of_key(std::string(key.name)), f.text(key.name));
  }
  if (!f.has("law_file")) return;
  const std::string name = f.text("law_file");
  Result<contact::UserLaw> law = io::read_law_file(io::find_law_file(name, folder, out.law_folder));
  if (law)
    out.user_law = std::move(*law);
  else
    for (const Diagnostic& d : law.errors())
      errors.push_back(d.at.line > 0 ? d : Diagnostic{f.places().of("law_file"), d.text});
}

}  // namespace

StudiedModel read_model(const Fields& fields, const std::filesystem::path& folder, const std::string& law_folder,
                        std::vector<Diagnostic>& errors) {
  StudiedModel out;
  out.law_folder = law_folder;
  out.overrides = fields.texts("set");
  const scene::Places places = fields.places();
  if (fields.has("scene") && fields.has("impact"))
    errors.push_back({places.of("impact"), fields.what() + ": scene and impact exclude each other"});
  if (fields.has("scene")) {
    const std::string name = fields.text("scene");
    Result<io::Document> document = io::open_scene(folder / name, law_folder);
    if (document)
      out.scene = std::move(*document);
    else
      for (const Diagnostic& d : document.errors())
        errors.push_back(d.at.line > 0 ? d : Diagnostic{places.of("scene"), "scene: " + name + ": " + d.text});
  } else if (!out.overrides.empty()) {
    errors.push_back({places.of("set"), fields.what() + ": set needs a scene"});
  }
  for (const Fields::Inner& inner : fields.inner("impact")) read_impact(inner, folder, out, errors);
  return out;
}

VariedScene::VariedScene(const StudiedModel& model) : untouched_(*model.scene) {
  for (const std::string& text : model.overrides) untouched_.set(text);
  own_ = untouched_;
}

scene::Scene VariedScene::with(const std::vector<std::string>& overrides) {
  std::vector<std::string> paths;
  bool moves_contacts = false;  // the name of a body reaches the contacts between it and others
  for (const std::string& text : overrides) {
    paths.push_back(text.substr(0, text.find('=')));
    moves_contacts = moves_contacts || paths.back().ends_with(".between");
  }
  if (moves_contacts || paths != paths_) own_ = untouched_;
  paths_ = std::move(paths);
  own_.overrides.resize(untouched_.overrides.size());
  own_.errors.resize(untouched_.errors.size());
  for (const std::string& text : overrides) own_.set(text);
  scene::Scene out = io::scene_of(own_);
  return out;
}

std::string word_of_key(const std::string& key) {
  if (key.starts_with(impact::Words::kConstant)) return key;
  std::string word = key;
  std::ranges::replace(word, '_', '-');
  return word;
}

namespace {

std::optional<std::string> unknown_key(const std::string& key) {
  if (key.starts_with(impact::Words::kConstant)) return std::nullopt;
  std::vector<std::string_view> known;
  for (const Key& k : impact_section().keys)
    if (k.name != "parameters" && k.name != "law_file") known.push_back(k.name);
  if (std::ranges::find(known, key) != known.end()) return std::nullopt;
  const std::string hint = did_you_mean(key, known);
  return "an impact has no key " + in_quotes(key) +
         (hint.empty() ? "; it has " + joined(known) + ", parameters.NAME" : hint);
}

}  // namespace

std::vector<std::string> wrong_with_key(const StudiedModel& model, const std::string& key,
                                        const std::string& value) {
  std::vector<std::string> out;
  if (model.scene) {
    scene::Node copy = model.scene->root;
    for (const Diagnostic& d : io::apply_override(copy, key + "=" + value)) out.push_back(d.text);
  } else if (model.impact) {
    if (auto unknown = unknown_key(key)) out.push_back(std::move(*unknown));
  }
  return out;
}

}  // namespace percuss::study
