// percuss schema: what a scene may contain.
#include <array>

#include "percuss/base/words.h"
#include "percuss/cli/verbs.h"
#include "percuss/report/schema_pages.h"

namespace percuss::cli {

namespace {

constexpr std::array kOptions = {
    Option{"json", "", "as a JSON Schema, for editors", Option::Kind::flag},
    Option{"markdown", "", "as Markdown, the page docs/reference/scene.md", Option::Kind::flag},
};

Reply run(const Arguments& arguments) {
  const std::string path = arguments.text("positional");
  const bool json = arguments.has("json"), markdown = arguments.has("markdown");
  if (json && markdown) return refuse({{{"--json"}, "and --markdown exclude each other"}});
  if (!path.empty() && (json || markdown))
    return refuse({{{"percuss schema"}, "a key goes with neither --json nor --markdown"}});
  if (json) return {0, report::schema_json(), ""};
  if (markdown) return {0, report::schema_markdown(), ""};
  const scene::Found found = scene::find_in_schema(path);
  if (!found.section) {
    std::vector<std::string_view> names;
    for (const scene::Key& key : scene::scene_section().keys) names.push_back(key.name);
    return refuse({{{"percuss schema"}, "unknown key " + in_quotes(path) + did_you_mean(path, names)}});
  }
  return {0, report::schema_text(found), ""};
}

}  // namespace

constinit const Verb kSchemaVerb{"schema",
                                 "what a scene may contain",
                                 "  percuss schema\n  percuss schema bodies\n  percuss schema bodies.inertia\n"
                                 "  percuss schema --json > scene.schema.json",
                                 kOptions,
                                 "KEY",
                                 "a section or key, as bodies or solver.tolerance",
                                 run};

}  // namespace percuss::cli
