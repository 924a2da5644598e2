// The keys of a study file.
#include <algorithm>
#include <array>

#include "percuss/study/model_file.h"
#include "percuss/study/sweep/study_file.h"

namespace percuss::study {

namespace {

using scene::Key;
using scene::Kind;
using scene::Section;

std::span<const std::string_view> kinds() {
  static constexpr std::array<std::string_view, 2> kWords = {"sweep", "bifurcation"};
  return kWords;
}
std::span<const std::string_view> scales() {
  static constexpr std::array<std::string_view, 2> kWords = {"linear", "log"};
  return kWords;
}
std::span<const std::string_view> distributions() {
  static constexpr std::array<std::string_view, 4> kWords = {"uniform", "normal", "lognormal", "triangular"};
  return kWords;
}

std::span<const std::string_view> directions() {
  static constexpr std::array<std::string_view, 2> kWords = {"up", "both"};
  return kWords;
}

constexpr Key kAxisKeys[] = {
    {"sets", Kind::words, {}, "keys that take the value", "the axis' own name"},
    {"values", Kind::words, {}, "a list: numbers with units, or words", ""},
    {"from", Kind::text, {}, "begin of a range", ""},
    {"to", Kind::text, {}, "end of a range", ""},
    {"count",
     Kind::whole,
     {},
     "values in the range, ends included; without it the range is sampled",
     "",
     false,
     nullptr,
     nullptr,
     0},
    {"scale", Kind::word, {}, "of the range: log has equal ratios", "linear", false, scales},
    {"distribution", Kind::word, {}, "of random values", "", false, distributions},
    {"mean", Kind::text, {}, "of a normal or lognormal distribution, of the quantity itself", ""},
    {"deviation", Kind::text, {}, "standard deviation, of the quantity itself", ""},
    {"low", Kind::text, {}, "least value of a uniform or triangular distribution", ""},
    {"mode", Kind::text, {}, "most frequent value of a triangular distribution", "the middle"},
    {"high", Kind::text, {}, "greatest value of a uniform or triangular distribution", ""},
};
constexpr Section kAxis{"axes", "what is varied: a key of the scene or of the impact, and its values", kAxisKeys,
                        "axes:\n  ball.restitution: {values: [0.9, 0.6, 0.3]}\n  bounce.stiffness: {from: 1e7, to: "
                        "1e9, count: 5, scale: log}"};

}  // namespace

const Section& study_section() {
  static const Key keys[] = {
      {"title", Kind::text, {}, "one line", "the file's name"},
      {"description", Kind::text, {}, "more", ""},
      {"kind", Kind::word, {}, "bifurcation follows one value up and down", "sweep", false, kinds},
      {"scene", Kind::text, {}, "a scene file, beside the study", ""},
      {"impact", Kind::mapping, {}, "an isolated impact instead of a scene", "", false, nullptr, &impact_section()},
      {"set", Kind::words, {}, "key=value for every point, over the scene", "none"},
      {"axes", Kind::named, {}, "what is varied", "", true, nullptr, &kAxis},
      {"sampling",
       Kind::word,
       {},
       "how axes with a distribution, or a range without a count, are sampled",
       "random",
       false,
       sampling_names},
      {"points",
       Kind::whole,
       {},
       "samples of those axes; saltelli takes (axes + 2) times as many",
       "",
       false,
       nullptr,
       nullptr,
       0},
      {"seed", Kind::whole, {}, "of the samples", "1", false, nullptr, nullptr, 0, true},
      {"outputs", Kind::constants, {}, "names, each with an expression of what was measured", "", true},
      {"recordings",
       Kind::numbers,
       {},
       "points whose whole recording is kept",
       "none",
       false,
       nullptr,
       nullptr,
       0,
       true},
      {"wall_limit", Kind::number, dimension::time, "of a point; it is then run again with the next start", "none",
       false, nullptr, nullptr, 0},
      {"period",
       Kind::text,
       {},
       "bifurcation: of what drives the system; a time, or an expression of the axis",
       ""},
      {"transient",
       Kind::whole,
       {},
       "bifurcation: periods that are left out at each value",
       "100",
       false,
       nullptr,
       nullptr,
       0,
       true},
      {"kept",
       Kind::whole,
       {},
       "bifurcation: periods that are kept at each value",
       "50",
       false,
       nullptr,
       nullptr,
       0},
      {"direction", Kind::word, {}, "bifurcation: up, or both", "both", false, directions},
  };
  static const Section section{"study", "a study: points of a model, and what is kept of each", keys};
  return section;
}

}  // namespace percuss::study
