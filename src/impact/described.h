// A collision in words: the options of `percuss impact` and the keys of a study's `impact` are the same.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "percuss/base/units.h"
#include "percuss/contact/specification.h"
#include "percuss/impact/impact.h"
#include "percuss/impact/validity.h"

namespace percuss::impact {

struct CollisionWord {
  std::string_view name, placeholder, help;
};

/// What describes the bodies and how they meet; the law itself and its restitution are words too.
inline constexpr std::array kCollisionWords = {
    CollisionWord{"elastic", "KEY",
                  "elastic law; default: power if --exponent is given, else what the law fixes, else hertz"},
    CollisionWord{"stiffness", "K", "generalised stiffness, N/m^n"},
    CollisionWord{"exponent", "N", "exponent n of the elastic law power"},
    CollisionWord{"calibration", "WORD",
                  "published (as printed) or exact (delivers the prescribed restitution); default published"},
    CollisionWord{
        "release", "WORD",
        "zero-indentation or zero-force: where contact ends, for laws that could pull; default: the law's own"},
    CollisionWord{"parameters", "NAME=VALUE",
                  "a constant of the law; percuss laws KEY lists them; may be repeated"},
    CollisionWord{"mass", "M", "effective mass; or"},
    CollisionWord{"mass-i", "M", "mass of body i"},
    CollisionWord{"mass-j", "M", "mass of body j; default: fixed"},
    CollisionWord{"velocity", "V", "speed of approach; or"},
    CollisionWord{"velocity-i", "V", "velocity of body i, along the normal from i to j"},
    CollisionWord{"velocity-j", "V", "velocity of body j; default 0"},
    CollisionWord{"young-i", "E", "Young's modulus of body i, instead of a stiffness"},
    CollisionWord{"young-j", "E", "of body j; default: as body i"},
    CollisionWord{"poisson-i", "NU", "Poisson's ratio of body i"},
    CollisionWord{"poisson-j", "NU", "of body j; default: as body i"},
    CollisionWord{"radius-i", "R", "radius of body i; negative: concave"},
    CollisionWord{"radius-j", "R", "of body j; negative: concave; default: a plane"},
    CollisionWord{"length", "L", "length of a line contact: the bodies are cylinders"},
    CollisionWord{"density-i", "RHO", "density of body i: gives its mass, and the wave-speed warning"},
    CollisionWord{"density-j", "RHO", "of body j; default: as body i"},
};

/// What was said, by word: a text with a unit, or a number in SI.
class Words {
 public:
  struct Said {
    std::string text;
    std::optional<double> si;
  };
  void say(std::string_view word, std::string text) { at(word) = {std::move(text), std::nullopt}; }
  void say(std::string_view word, double si) { at(word).si = si; }

  void unsay(std::string_view word) {
    if (const auto found = said_.find(word); found != said_.end()) said_.erase(found);
  }

  bool has(std::string_view word) const { return said_.find(word) != said_.end(); }
  std::string text(std::string_view word) const;
  std::optional<double> number(std::string_view word, const Dimension& dimension,
                               std::vector<Diagnostic>& errors) const;
  std::string word(std::string_view word, std::span<const std::string_view> allowed, std::string_view fallback,
                   std::vector<Diagnostic>& errors) const;
  /// Constants of the law are said as "parameters.mu".
  template <class Use>
  void each_constant(Use&& use) const {
    for (const auto& [word, said] : said_)
      if (word.starts_with(kConstant)) use(word.substr(kConstant.size()), said);
  }
  static constexpr std::string_view kConstant = "parameters.";

 private:
  Said& at(std::string_view word) {
    const auto found = said_.find(word);
    return found == said_.end() ? said_[std::string(word)] : found->second;
  }
  std::map<std::string, Said, std::less<>> said_;
};

struct Described {
  contact::LawRequest request;  // a user's law is left to the caller
  std::optional<double> mass_kg, velocity_mps;
  std::optional<TwoBodies> two_bodies;  // if given as two bodies
  Bodies bodies;
};

/// Reads what is there and adds what is wrong to `errors`; the source of an error is the word it is about.
Described read_collision(const Words& words, std::vector<Diagnostic>& errors);

}  // namespace percuss::impact
