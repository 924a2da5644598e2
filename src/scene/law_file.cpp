// Reading of user laws.
#include "percuss/scene/law_file.h"

#include "percuss/scene/yaml.h"

namespace percuss::scene {

Result<contact::UserLaw> read_law_file(const std::filesystem::path& file) {
  const Result<std::vector<Entry>> mapping = read_mapping(file);
  if (!mapping) return mapping.errors();
  std::vector<Diagnostic> errors;
  constexpr std::string_view kKeys[] = {"name", "description", "force", "constants", "release"};
  refuse_unknown(*mapping, kKeys, errors);

  std::string name = file.stem().string(), description, force;
  std::vector<std::pair<std::string, double>> constants;
  contact::Release release = contact::Release::zero_force;
  for (const Entry& entry : *mapping) {
    const std::string& key = entry.key.value;
    if ((key == "constants") != entry.is_mapping) {
      errors.push_back({entry.key.at, key == "constants" ? "constants must be a mapping of names to numbers"
                                                         : "\"" + key + "\" must be a text"});
    } else if (key == "name") {
      name = entry.value.value;
    } else if (key == "description") {
      description = entry.value.value;
    } else if (key == "force") {
      force = entry.value.value;
    } else if (key == "release") {
      if (entry.value.value == "zero-depth") {
        release = contact::Release::zero_depth;
      } else if (entry.value.value != "zero-force") {
        errors.push_back(
            {entry.value.at, "unknown release \"" + entry.value.value + "\"; allowed: zero-force, zero-depth"});
      }
    } else if (key == "constants") {
      for (const Entry& constant : entry.inner) {
        const Result<double> value = read_number(constant.value.value);
        if (value) constants.emplace_back(constant.key.value, *value);
        if (!value)
          errors.push_back(
              {constant.value.at, "constant " + constant.key.value + ": " + value.errors().front().text});
      }
    }
  }
  const Entry* force_entry = find(*mapping, "force");
  if (!force_entry) errors.push_back({{file.string()}, "the key \"force\" is missing"});
  if (!force_entry || !errors.empty()) return errors;

  Result<contact::UserLaw> law = contact::make_user_law(name, force, constants, release);
  if (law) {
    law->description = description;
    return law;
  }
  for (const Diagnostic& d :
       law.errors()) {  // columns inside the expression become columns of the line it stands on
    const Entry* entry = find(*mapping, d.at.source);
    const Where& at = entry ? (d.at.source == "force" ? entry->value.at : entry->key.at) : force_entry->value.at;
    errors.push_back({{at.source, at.line, at.column + (d.at.column > 0 ? d.at.column - 1 : 0)}, d.text});
  }
  return errors;
}

}  // namespace percuss::scene
