// Reading of user laws.
#include "percuss/io/law_file.h"

#include <array>

#include "percuss/io/yaml.h"
#include "percuss/scene/fields.h"

namespace percuss::io {

using scene::Fields;
using scene::Key;
using scene::Kind;
using scene::Node;
using scene::Places;
using scene::Section;

namespace {

std::span<const std::string_view> release_words() {
  static constexpr std::array<std::string_view, 2> kWords = {"zero-force", "zero-indentation"};
  return kWords;
}

constexpr Key kKeys[] = {
    {"name", Kind::text, {}, "of the law", "the file's name"},
    {"description", Kind::text, {}, "one paragraph", ""},
    {"force", Kind::text, {}, "expression of delta, ddelta, v0, m, K, n, c and the constants", "", true},
    {"constants", Kind::constants, {}, "names and numbers, in SI units", "none"},
    {"release",
     Kind::word,
     {},
     "zero-force: it never pulls; zero-indentation: it may",
     "zero-force",
     false,
     release_words},
};
constexpr Section kLawFile{"law file", "a law of a user", kKeys};

}  // namespace

std::filesystem::path find_law_file(const std::string& name, const std::filesystem::path& beside,
                                    const std::filesystem::path& law_folder) {
  std::vector<std::filesystem::path> folders{beside};
  if (!law_folder.empty() && !std::filesystem::path(name).has_parent_path()) folders.push_back(law_folder);
  std::error_code error;
  for (const std::filesystem::path& folder : folders)
    for (const char* ending : {"", ".yaml"})
      if (std::filesystem::path file = folder / (name + ending); std::filesystem::is_regular_file(file, error))
        return file;
  return beside / name;
}

Result<contact::UserLaw> read_law_file(const std::filesystem::path& file) {
  const Result<Node> document = parse_file(file);
  if (!document) return document.errors();
  if (document->kind != Node::Kind::mapping)
    return Diagnostic{{file.string(), 1, 1}, "expected a mapping of keys and values"};
  std::vector<Diagnostic> errors;
  const Fields fields(kLawFile, *document, {file.string()}, "law", errors);
  std::vector<std::pair<std::string, double>> constants;
  for (const auto& [name, value] : fields.constants("constants")) {
    const Result<double> number = read_number(value.text);
    if (number) constants.emplace_back(name, *number);
    if (!number) errors.push_back({value.at, "constant " + name + ": " + number.errors().front().text});
  }
  const auto release = fields.text("release") == "zero-indentation" ? contact::Release::zero_indentation
                                                                    : contact::Release::zero_force;
  const std::string name = fields.has("name") ? fields.text("name") : file.stem().string(),
                    description = fields.text("description");
  const std::string force = fields.text("force");
  if (!errors.empty()) return errors;

  Result<contact::UserLaw> law = contact::make_user_law(name, force, constants, release);
  if (law) {
    law->description = description;
    return law;
  }
  const Places places = fields.places();
  for (const Diagnostic& d : law.errors()) {  // columns inside the expression become columns of the line it is on
    const Where& at = places.of(places.keys.contains(d.at.source) ? d.at.source : "force");
    errors.push_back({{at.source, at.line, at.column + (d.at.column > 0 ? d.at.column - 1 : 0)}, d.text});
  }
  return errors;
}

}  // namespace percuss::io
