// Help, manual pages and completions: all of them from the table of verbs.
#pragma once

#include <span>
#include <string>

#include "percuss/cli/arguments.h"

namespace percuss::cli {

/// As wide as the terminal, at most 110 columns; 80 where there is none.
std::size_t text_width();

std::string help_of(const Verb& verb, std::size_t width);
std::string help_of(std::span<const Verb> verbs, std::size_t width);

/// A page for man(1), of the program or of one verb.
std::string man_page(std::span<const Verb> verbs);
std::string man_page(const Verb& verb);

/// What a shell sources or autoloads.
std::string bash_completion(std::span<const Verb> verbs);
std::string zsh_completion(std::span<const Verb> verbs);
std::string fish_completion(std::span<const Verb> verbs);

}  // namespace percuss::cli
