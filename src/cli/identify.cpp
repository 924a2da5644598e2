// percuss identify: laws and parameters from measurements.
#include <array>
#include <filesystem>
#include <optional>

#include "percuss/cli/interrupt.h"
#include "percuss/cli/pages.h"
#include "percuss/cli/program.h"
#include "percuss/cli/progress.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/report/fit_report.h"
#include "percuss/study/identify/identify.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kIdentifyOptions = {
    Option{"page", "FILE", "where the HTML page goes (default: FIT-fit.html, here)"},
    kFiguresOption,
    kNoPageOption,
    Option{"no-profiles", "", "intervals from the covariance alone: quicker", Option::Kind::flag},
    kThreadsOption,
    kJsonOption,
    kForceOption,
};

Reply identify(const Arguments& arguments) {
  std::vector<Diagnostic> errors;
  const fs::path file = arguments.text("positional");
  if (file.empty()) return refuse({{{"percuss"}, "the name of a fit file is missing"}});
  study::IdentifyRequest request;
  request.profiles = !arguments.has("no-profiles");
  request.threads = threads_of(arguments, errors);
  const PageFiles files(arguments, file.stem().string() + "-fit.html", {file.string()}, errors);
  const Result<study::Fit> fit = study::read_fit(file, law_folder());
  if (!fit) errors.insert(errors.end(), fit.errors().begin(), fit.errors().end());
  if (errors.empty()) errors = study::why_no_law_can_be_fitted(*fit);
  if (!errors.empty()) return refuse(errors);

  Result<study::Identification> id = Diagnostic{};
  {
    const Interruptible guard;
    std::optional<Progress> progress;
    request.go_on = [&](std::size_t done, std::size_t all) {
      if (!progress) progress.emplace(static_cast<double>(all), "laws");
      progress->show(static_cast<double>(done));
      return !was_interrupted();
    };
    id = study::identify(*fit, request);
  }
  if (was_interrupted()) return {130, "", "interrupted: nothing was written\n"};
  if (!id) {
    Reply reply = refuse(id.errors());
    reply.code = 1;
    return reply;
  }
  Reply reply{
      0, arguments.has("json") ? report::fit_json(*id, *fit) : report::fit_text(*id, *fit, terminal_style()), ""};
  if (files.wants_anything()) files.write(report::fit_page(*id, *fit, version_number()), reply);
  return reply;
}

}  // namespace

constinit const Verb kIdentifyVerb{"identify",
                                   "laws and parameters from measurements: values, intervals, ranking",
                                   "  percuss new alves_c1_fit\n"
                                   "  percuss identify alves_c1_fit.yaml",
                                   kIdentifyOptions,
                                   "FIT",
                                   "a fit file",
                                   identify};

}  // namespace percuss::cli
