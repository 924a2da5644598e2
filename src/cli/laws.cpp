// percuss laws: the catalogue.
#include <algorithm>
#include <array>

#include "percuss/base/words.h"
#include "percuss/cli/collision_options.h"
#include "percuss/cli/options.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/contact/rows.h"
#include "percuss/report/catalogue.h"

namespace percuss::cli {

namespace {

constexpr std::array kLawsOptions = {
    kJsonOption,
    kMarkdownOption,
};

Reply run_laws(const Arguments& arguments) {
  const std::string key = arguments.text("positional");
  const bool json = arguments.has("json"), markdown = arguments.has("markdown");
  if (json && markdown) return refuse({{{"--json"}, "and --markdown exclude each other"}});
  if (key.empty()) {
    return {0,
            json       ? report::catalogue_json()
            : markdown ? report::catalogue_markdown()
                       : report::catalogue_text(terminal_style()),
            ""};
  }
  const auto words = contact::law_words();
  if (!contact::find_alias(key) && std::ranges::find(words, key) == words.end())
    return refuse({{{"percuss laws"}, "unknown law " + in_quotes(key) + did_you_mean(key, words)}});
  return {0,
          json       ? report::law_json(key)
          : markdown ? report::law_markdown(key)
                     : report::law_text(key, terminal_style()),
          ""};
}

}  // namespace

constinit const Verb kLawsVerb{"laws",
                               "the catalogue of contact laws",
                               "  percuss laws\n  percuss laws flores",
                               kLawsOptions,
                               "[KEY]",
                               "one law in full",
                               run_laws,
                               law_keys};

}  // namespace percuss::cli
