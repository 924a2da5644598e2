// percuss compare: one scene, many laws, one report.
#include <array>
#include <filesystem>
#include <optional>

#include "percuss/base/words.h"
#include "percuss/cli/interrupt.h"
#include "percuss/cli/pages.h"
#include "percuss/cli/program.h"
#include "percuss/cli/progress.h"
#include "percuss/cli/scene_options.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/report/comparison.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kCalibrations[] = {"published", "exact", "both"};

constexpr std::array kCompareOptions = {
    Option{"laws", "KEYS", "keys separated by commas, or all (default: all)"},
    Option{"calibration", "WORD", "published (default), exact, or both", Option::Kind::value,
           [] {
             return std::vector<std::string>{"published", "exact", "both"};
           }},
    Option{"vary", "KEY=VALUES",
           "further runs for values of a key: ball.restitution=0.9,0.6,0.3; may be given several times",
           Option::Kind::list},
    kSetOption,
    Option{"page", "FILE", "where the HTML page goes (default: SCENE-laws.html, here)"},
    kFiguresOption,
    kNoPageOption,
    Option{"no-horizon", "", "do not look for the predictability horizon of each run (less than half of the time)",
           Option::Kind::flag},
    kThreadsOption,
    kJsonOption,
    kForceOption,
};

std::vector<std::string> between_commas(std::string_view text) {
  std::vector<std::string> out = split_at(text, ',');
  std::erase(out, "");
  return out;
}

Reply compare_laws(const Arguments& arguments) {
  std::vector<Diagnostic> errors;
  study::CompareRequest request;
  request.scene_file = arguments.text("positional");
  if (request.scene_file.empty()) errors.push_back({{"percuss"}, "the name of a scene file is missing"});
  request.overrides = arguments.texts("set");
  request.law_folder = law_folder();
  if (arguments.has("laws") && arguments.text("laws") != "all") {
    request.laws = between_commas(arguments.text("laws"));
    if (request.laws.empty()) errors.push_back({{"--laws"}, "names no law"});
  }
  const std::string calibration = arguments.word("calibration", kCalibrations, "published", errors);
  request.published = calibration != "exact";
  request.exact = calibration != "published";
  for (const std::string& text : arguments.texts("vary")) {
    const std::size_t sign = text.find('=');
    std::vector<std::string> values;
    if (sign != std::string::npos) values = between_commas(text.substr(sign + 1));
    if (sign == 0 || values.empty())
      errors.push_back({{"--vary"}, in_quotes(text) + " is not KEY=VALUE,VALUE,..."});
    else
      request.varied.emplace_back(text.substr(0, sign), std::move(values));
  }
  request.horizon = !arguments.has("no-horizon");
  request.threads = threads_of(arguments, errors);
  const PageFiles files(arguments, fs::path(request.scene_file).stem().string() + "-laws.html",
                        {request.scene_file}, errors);
  if (!errors.empty()) return refuse(errors);

  Result<study::Comparison> comparison = Diagnostic{};
  {
    const Interruptible guard;
    std::optional<Progress> progress;
    request.go_on = [&](std::size_t done, std::size_t all) {
      if (!progress) progress.emplace(static_cast<double>(all), "runs");
      progress->show(static_cast<double>(done));
      return !was_interrupted();
    };
    comparison = study::compare(request);
  }
  if (was_interrupted()) return {130, "", "interrupted: nothing was written\n"};
  if (!comparison) return refuse(comparison.errors());
  Reply reply{comparison->ranking.empty() ? 1 : 0,
              arguments.has("json") ? report::comparison_json(*comparison)
                                    : report::comparison_text(*comparison, terminal_style()),
              ""};
  for (const study::ComparedRun& run : comparison->runs)
    if (run.refused.empty() && !run.ran()) {
      reply.code = 1;
      reply.err += "percuss: error: " + run.name() + ": " + run.recording.failure + "\n";
    }
  files.write(report::comparison_page(*comparison, version_number()), reply);
  return reply;
}

}  // namespace

constinit const Verb kCompareVerb{"compare",
                                  "one scene, many laws: ranking and one report",
                                  "  percuss new moving_table\n"
                                  "  percuss compare moving_table.yaml --laws flores,hunt-crossley,exact \\\n      "
                                  "--vary ball.restitution=0.9,0.6",
                                  kCompareOptions,
                                  "SCENE",
                                  "a scene file with contacts",
                                  compare_laws};

}  // namespace percuss::cli
