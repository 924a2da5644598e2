// percuss schema: what a scene, a study or a fit may contain.
#include <algorithm>
#include <array>

#include "percuss/base/words.h"
#include "percuss/cli/options.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/report/schema_pages.h"
#include "percuss/study/identify/fit_file.h"
#include "percuss/study/sweep/study_file.h"

namespace percuss::cli {

namespace {

constexpr std::array kSchemaOptions = {
    Option{"json", "", "print JSON instead of text; a JSON Schema, for editors", Option::Kind::flag},
    kMarkdownOption,
    Option{"of", "KIND", "which kind of file: scene, study or fit (default: scene)"},
};

struct Kind {
  std::string_view name;
  const scene::Section& (*section)();
  std::string (*markdown)();
};
constexpr Kind kKinds[] = {
    {"scene", scene::scene_section, report::scene_markdown},
    {"study", study::study_section, report::study_markdown},
    {"fit", study::fit_section, report::fit_markdown},
};

Reply run_schema(const Arguments& arguments) {
  const std::string path = arguments.text("positional");
  const bool json = arguments.has("json"), markdown = arguments.has("markdown");
  if (json && markdown) return refuse({{{"--json"}, "and --markdown exclude each other"}});
  if (!path.empty() && (json || markdown))
    return refuse({{{"percuss schema"}, "a key goes with neither --json nor --markdown"}});
  std::vector<Diagnostic> errors;
  std::vector<std::string_view> kinds;
  for (const Kind& k : kKinds) kinds.push_back(k.name);
  const std::string of = arguments.word("of", kinds, "scene", errors);
  if (!errors.empty()) return refuse(errors);
  const Kind& kind = *std::ranges::find(kKinds, of, &Kind::name);
  if (json) return {0, report::schema_json(kind.section()), ""};
  if (markdown) return {0, kind.markdown(), ""};
  const scene::Found found = scene::find_in_schema(path, kind.section());
  if (!found.section) {
    std::vector<std::string_view> names;
    for (const scene::Key& key : kind.section().keys) names.push_back(key.name);
    return refuse({{{"percuss schema"}, "unknown key " + in_quotes(path) + did_you_mean(path, names)}});
  }
  return {0, report::schema_text(found, terminal_style()), ""};
}

}  // namespace

constinit const Verb kSchemaVerb{
    "schema",
    "what a scene, a study or a fit may contain",
    "  percuss schema\n  percuss schema bodies\n  percuss schema bodies.inertia\n  percuss schema --of study axes\n"
    "  percuss schema --json > scene.schema.json",
    kSchemaOptions,
    "[KEY]",
    "a section or key, as bodies or solver.tolerance",
    run_schema};

}  // namespace percuss::cli
