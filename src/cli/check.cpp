// percuss check: scenes, studies and fits.
#include <fmt/format.h>

#include <array>

#include "percuss/base/words.h"
#include "percuss/cli/options.h"
#include "percuss/cli/program.h"
#include "percuss/cli/scene_options.h"
#include "percuss/cli/verbs.h"
#include "percuss/io/yaml.h"
#include "percuss/model/head.h"
#include "percuss/study/identify/identify.h"
#include "percuss/study/sweep/study_file.h"

namespace percuss::cli {

namespace {

constexpr std::array kCheckOptions = {kSetOption};

template <class Things, class Name>
std::string list_of(const Things& things, Name&& name) {
  std::vector<std::string> names;
  names.reserve(things.size());
  for (const auto& thing : things) names.push_back(std::invoke(name, thing));
  return joined(std::vector<std::string_view>(names.begin(), names.end()));
}

Reply check_study(const Arguments& arguments, const std::string& file) {
  const Result<study::Study> study = study::read_study(file, law_folder(), arguments.texts("set"));
  if (!study) return refuse(study.errors());
  return {
      0,
      fmt::format("{}: no errors\n{}: {} points; axes {}; outputs {}\n", file, study->title, study->design.size(),
                  list_of(study->design.axes(), &study::Axis::name), list_of(study->outputs, &study::Output::name)),
      ""};
}

Reply check_fit(const Arguments& arguments, const std::string& file) {
  if (arguments.has("set"))
    return refuse({{{"--set"}, "a fit takes none: its own key \"set\" does, and so do its tests"}});
  const Result<study::Fit> fit = study::read_fit(file, law_folder());
  if (!fit) return refuse(fit.errors());
  if (const auto errors = study::why_no_law_can_be_fitted(*fit); !errors.empty()) return refuse(errors);
  const auto law = [](const std::string& key) { return key.empty() ? std::string("of the model") : key; };
  return {
      0,
      fmt::format("{}: no errors\n{}: laws {}; free {}; {} data in {}\n", file, fit->title, list_of(fit->laws, law),
                  list_of(fit->free, &study::Axis::name), fit->data(), list_of(fit->tests, &study::DataSet::name)),
      ""};
}

Reply check(const Arguments& arguments) {
  const std::string file = arguments.text("positional");
  const Result<scene::Node> root = io::parse_file(file);
  const scene::DocumentKind kind = root ? scene::document_kind(*root) : scene::DocumentKind::unknown;
  if (kind == scene::DocumentKind::study) return check_study(arguments, file);
  if (kind == scene::DocumentKind::fit) return check_fit(arguments, file);
  const Result<model::Compiled> compiled = read_compiled(arguments);
  if (!compiled) return refuse(compiled.errors());
  return {0, fmt::format("{}: no errors\n{}\n", file, model::describe(compiled->model)),
          warning_lines(compiled->model.warnings)};
}

}  // namespace

constinit const Verb kCheckVerb{"check",
                                "every error of a scene, study or fit at once",
                                "  percuss check bouncing_ball.yaml",
                                kCheckOptions,
                                "FILE",
                                "a scene, a study or a fit",
                                check};

}  // namespace percuss::cli
