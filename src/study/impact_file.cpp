// Keys to words.
#include "percuss/study/impact_file.h"

#include <algorithm>

#include "percuss/base/words.h"
#include "percuss/scene/law_file.h"

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
    keys.push_back({"restitution", Kind::text, {}, "that is asked for", ""});
    for (const impact::CollisionWord& w : impact::kCollisionWords) {
      names.emplace_back(w.name == "param" ? "parameters" : w.name);
      std::ranges::replace(names.back(), '-', '_');
      keys.push_back({names.back(), w.name == "param" ? Kind::constants : Kind::text, {}, w.help, ""});
    }
    return Section{"impact", "an isolated impact, as for percuss impact", keys,
                   "impact: {law: flores, restitution: 0.6, stiffness: 1e8, mass: 1 kg, velocity: 1 m/s}"};
  }();
  return section;
}

ImpactWords read_impact(const Fields::Inner& inner, const std::filesystem::path& folder,
                        const std::string& law_folder, std::vector<Diagnostic>& errors) {
  ImpactWords out;
  const Fields f(impact_section(), *inner.node, inner.at, "impact", errors);
  for (const Key& key : impact_section().keys) {
    if (!f.has(key.name) || key.name == "law_file") continue;
    if (key.name == "parameters")
      for (const auto& [name, value] : f.constants("parameters"))
        out.words.say(std::string(impact::Words::kConstant) + name, value.text);
    else
      out.words.say(word_of_key(std::string(key.name)), f.text(key.name));
  }
  if (!f.has("law_file")) return out;
  const std::string name = f.text("law_file");
  std::filesystem::path path = folder / name;
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !law_folder.empty()) path = std::filesystem::path(law_folder) / name;
  Result<contact::UserLaw> law = scene::read_law_file(path);
  if (law)
    out.user_law = std::move(*law);
  else
    for (const Diagnostic& d : law.errors())
      errors.push_back(d.at.line > 0 ? d : Diagnostic{f.places().of("law_file"), d.text});
  return out;
}

std::string word_of_key(const std::string& key) {
  constexpr std::string_view kParameters = "parameters.";
  if (key.starts_with(kParameters)) return std::string(impact::Words::kConstant) + key.substr(kParameters.size());
  std::string word = key;
  std::ranges::replace(word, '_', '-');
  return word;
}

std::optional<std::string> unknown_key(const std::string& key) {
  if (key.starts_with("parameters.")) return std::nullopt;
  std::vector<std::string_view> known;
  for (const Key& k : impact_section().keys)
    if (k.name != "parameters" && k.name != "law_file") known.push_back(k.name);
  if (std::ranges::find(known, key) != known.end()) return std::nullopt;
  const std::string hint = did_you_mean(key, known);
  return "an impact has no key " + in_quotes(key) +
         (hint.empty() ? "; it has " + joined(known) + ", parameters.NAME" : hint);
}

}  // namespace percuss::study
