// percuss report: a result file as one HTML page, or as figures.
#include <array>
#include <filesystem>

#include "percuss/cli/pages.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/io/result_file.h"
#include "percuss/report/run_page.h"
#include "percuss/report/summary.h"

namespace percuss::cli {

namespace {

constexpr std::array kReportOptions = {
    Option{"page", "FILE", "where the HTML page goes (default: RESULTS.html, here)"},
    kFiguresOption,
    kNoPageOption,
    Option{"summary", "", "print the summary of the run, as percuss run does", Option::Kind::flag},
    kJsonOption,
    kForceOption,
};

constexpr std::size_t kMostForPage = 10'000'000;  // that are read for the page: 80 MB

Reply write_report(const Arguments& arguments) {
  const std::string source = arguments.text("positional");
  std::vector<Diagnostic> errors;
  if (source.empty()) return refuse({{{"percuss"}, "the name of a result file is missing"}});
  const PageFiles files(arguments, std::filesystem::path(source).filename().replace_extension(".html").string(),
                        {source}, errors);
  if (!files.wants_anything() && !arguments.has("summary") && !arguments.has("json"))
    errors.push_back({{"--no-page"}, "leaves nothing to do without --figures, --summary or --json"});
  if (!errors.empty()) return refuse(errors);
  const Result<recording::Recording> recording = io::read_recording(source, kMostForPage);
  if (!recording) return refuse(recording.errors());
  const report::Page page = report::run_page(*recording);
  Reply reply{0, page.answer + "\n", ""};
  if (arguments.has("summary")) reply.out = report::summary_text(*recording, {}, terminal_style());
  if (arguments.has("json")) reply.out = report::summary_json(*recording);
  files.write(page, reply);
  return reply;
}

}  // namespace

constinit const Verb kReportVerb{"report",
                                 "a result file as one HTML page: replay, plots, impacts, energy",
                                 "  percuss run bouncing_ball.yaml\n"
                                 "  percuss report bouncing_ball.h5 --figures figures",
                                 kReportOptions,
                                 "RESULTS",
                                 "a result file (.h5) of percuss run",
                                 write_report};

}  // namespace percuss::cli
