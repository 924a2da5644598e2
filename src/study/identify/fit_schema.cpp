// The keys of a fit file.
#include <array>

#include "percuss/study/identify/fit_file.h"
#include "percuss/study/model_file.h"

namespace percuss::study {

namespace {

using scene::Key;
using scene::Kind;
using scene::Section;

std::span<const std::string_view> losses() {
  static constexpr std::array<std::string_view, 3> kWords = {"squares", "huber", "cauchy"};
  return kWords;
}
std::span<const std::string_view> scales() {
  static constexpr std::array<std::string_view, 2> kWords = {"linear", "log"};
  return kWords;
}

constexpr Key kFreeKeys[] = {
    {"sets", Kind::words, {}, "keys that take the value", "the parameter's own name"},
    {"from", Kind::text, {}, "lower bound", "", true},
    {"to", Kind::text, {}, "upper bound", "", true},
    {"scale", Kind::word, {}, "log for what spans powers of ten", "linear", false, scales},
};
constexpr Section kFree{"free", "parameters that are fitted: keys of the impact or the scene, within bounds",
                        kFreeKeys,
                        "free:\n  stiffness: {from: 1e8, to: 1e11, scale: log}\n  restitution: {from: 0.1, to: 1}"};
constexpr Section kOffset{"offset", "of the data's clock, fitted within bounds", kFreeKeys,
                          "offset: {from: -1 ms, to: 1 ms}"};

constexpr Key kDataKeys[] = {
    {"file", Kind::text, {}, "CSV, beside the fit: a line of names, then numbers", "", true},
    {"kind", Kind::word, {}, "what was measured", "", true, data_kinds},
    {"columns",
     Kind::constants,
     {},
     "which column is what: time, force, displacement, indentation, velocity, restitution, value; in a table also "
     "keys "
     "of the model",
     "",
     true},
    {"units", Kind::constants, {}, "of the columns, by the same names", "SI"},
    {"set", Kind::words, {}, "key=value of the model in this test, as velocity=1.2 m/s", "none"},
    {"output", Kind::text, {}, "table: what `value` is, as in the outputs of a study; channel-time: a channel", ""},
    {"noise", Kind::text, {}, "standard deviation of the measured values", "estimated"},
    {"relative_noise", Kind::number, {}, "the same as a share of each value", "", false, nullptr, nullptr, 0},
    {"filter",
     Kind::number,
     {},
     "channel class of SAE J211 (60 to 1000) that the data went through; the model goes too",
     "none",
     false,
     nullptr,
     nullptr,
     0},
    {"offset", Kind::mapping, {}, "of the data's clock, fitted within bounds", "none", false, nullptr, &kOffset},
};
constexpr Section kData{
    "data", "measurements: any number of tests, fitted together", kDataKeys,
    "data:\n  drop: {file: drop.csv, kind: force-time, columns: {time: t, force: F}, units: {time: "
    "ms, force: kN}, set: [velocity=1.2 m/s]}"};

}  // namespace

const Section& fit_section() {
  static const Key keys[] = {
      {"title", Kind::text, {}, "one line", "the file's name"},
      {"description", Kind::text, {}, "more", ""},
      {"scene", Kind::text, {}, "a scene file, beside the fit", ""},
      {"impact", Kind::mapping, {}, "an isolated impact instead of a scene", "", false, nullptr, &impact_section()},
      {"set", Kind::words, {}, "key=value over the scene", "none"},
      {"laws", Kind::words, {}, "laws to try, or all", "the model's own"},
      {"law_key", Kind::text, {}, "scene: the key that takes the law, as bounce.law", ""},
      {"free", Kind::named, {}, "what is fitted", "", true, nullptr, &kFree},
      {"data", Kind::named, {}, "what was measured", "", true, nullptr, &kData},
      {"loss", Kind::word, {}, "huber and cauchy do not let outliers decide", "squares", false, losses},
      {"starts",
       Kind::whole,
       {},
       "local searches, from the best of a Sobol sequence",
       "12",
       false,
       nullptr,
       nullptr,
       0},
      {"seed", Kind::whole, {}, "of the starts", "1", false, nullptr, nullptr, 0, true},
      {"confidence", Kind::number, {}, "of intervals", "0.95", false, nullptr, nullptr, 0},
  };
  static const Section section{"fit", "a fit: which law and which parameters agree with measurements", keys};
  return section;
}

}  // namespace percuss::study
