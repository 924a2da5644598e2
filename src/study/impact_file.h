// An isolated impact as a study's file says it: the words of `percuss impact`, with _ for -.
#pragma once

#include <filesystem>
#include <optional>

#include "percuss/impact/described.h"
#include "percuss/scene/fields.h"

namespace percuss::study {

/// The keys of an `impact`.
const scene::Section& impact_section();

struct ImpactWords {
  impact::Words words;
  std::optional<contact::UserLaw> user_law;
};
/// Law files are looked for in `folder`, then in `law_folder`.
ImpactWords read_impact(const scene::Fields::Inner& inner, const std::filesystem::path& folder,
                        const std::string& law_folder, std::vector<Diagnostic>& errors);

/// "mass_i" is "mass-i", "parameters.mu" is "param mu".
std::string word_of_key(const std::string& key);

/// Is this a key of an impact? What is wrong with it otherwise.
std::optional<std::string> unknown_key(const std::string& key);

}  // namespace percuss::study
