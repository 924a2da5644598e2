// percuss report: a result file as one HTML page, or as figures.
#include <array>
#include <filesystem>

#include "percuss/cli/pages.h"
#include "percuss/cli/verbs.h"
#include "percuss/io/result_file.h"
#include "percuss/report/run_page.h"

namespace percuss::cli {

namespace {

constexpr std::array kOptions = {
    Option{"out", "FILE", "where the page goes (default: the name of the results, .html, here)"},
    kFiguresOption,
    kNoPageOption,
    Option{"force", "", "replace files that are not results of percuss", Option::Kind::flag},
};

constexpr std::size_t kMostNumbers = 10'000'000;  // that are read for the page: 80 MB

Reply write_report(const Arguments& arguments) {
  const std::string source = arguments.text("positional");
  std::vector<Diagnostic> errors;
  if (source.empty()) return refuse({{{"percuss"}, "the name of a result file is missing"}});
  const PageFiles files(arguments, std::filesystem::path(source).filename().replace_extension(".html").string(),
                        {source}, errors);
  if (!files.wants_anything()) errors.push_back({{"--no-page"}, "leaves nothing to write without --figures"});
  if (!errors.empty()) return refuse(errors);
  const Result<recording::Results> results = io::read_results(source, kMostNumbers);
  if (!results) return refuse(results.errors());
  const report::Page page = report::run_page(*results);
  Reply reply{0, page.answer + "\n", ""};
  files.write(page, reply);
  return reply;
}

}  // namespace

constinit const Verb kReportVerb{"report",
                                 "a result file as one HTML page: replay, plots, impacts, energy",
                                 "  percuss run bouncing_ball.yaml\n"
                                 "  percuss report bouncing_ball.h5 --figures figures",
                                 kOptions,
                                 "RESULTS",
                                 "a result file (.h5) of percuss run",
                                 write_report};

}  // namespace percuss::cli
