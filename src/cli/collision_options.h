// The options that describe a law and two bodies; `impact` and `map` share them.
#pragma once

#include <array>

#include "percuss/cli/arguments.h"
#include "percuss/impact/described.h"

namespace percuss::cli {

/// The words that describe a collision, as options.
inline constexpr auto kCollisionOptions = [] {
  std::array<Option, impact::kCollisionWords.size()> options{};
  for (std::size_t i = 0; i < options.size(); ++i) {
    const impact::CollisionWord& w = impact::kCollisionWords[i];
    options[i] = {w.name, w.placeholder, w.help, w.name == "parameters" ? Option::Kind::list : Option::Kind::value};
  }
  return options;
}();

/// Two option lists as one.
template <std::size_t A, std::size_t B>
constexpr std::array<Option, A + B> both(const std::array<Option, A>& a, const std::array<Option, B>& b) {
  std::array<Option, A + B> all{};
  for (std::size_t i = 0; i < A; ++i) all[i] = a[i];
  for (std::size_t i = 0; i < B; ++i) all[A + i] = b[i];
  return all;
}

/// The options as words; those that are no NAME=VALUE go to `errors`.
impact::Words words_of(const Arguments& arguments, std::vector<Diagnostic>& errors);

/// Words of the library become options: "restitution" is "--restitution", "parameters.mu" is "--parameters mu".
std::vector<Diagnostic> as_options(const std::vector<Diagnostic>& errors);

/// The keys of all laws.
std::vector<std::string> law_keys();

}  // namespace percuss::cli
