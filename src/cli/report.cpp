// percuss report: a result file as one HTML page, or as figures.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "percuss/cli/program.h"
#include "percuss/cli/verbs.h"
#include "percuss/recording/files.h"
#include "percuss/report/page_template.h"
#include "percuss/report/run_page.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kOptions = {
    Option{"out", "FILE", "where the page goes (default: the name of the results, .html, here)"},
    Option{"figures", "FOLDER", "every plot as SVG too, without a browser; the folder is made if it is not there"},
    Option{"no-page", "", "figures alone", Option::Kind::flag},
    Option{"force", "", "replace files that are not results of percuss", Option::Kind::flag},
};

/// Every plot of a page, with the name of its file.
std::vector<std::pair<std::string, const report::PlotBlock*>> plots_of(const report::Page& page) {
  std::vector<std::pair<std::string, const report::PlotBlock*>> out;
  for (const report::PageSection& section : page.sections)
    for (const report::Block& block : section.blocks)
      if (const auto* plot = std::get_if<report::PlotBlock>(&block)) {
        std::string name = plot->id;
        for (char& c : name)
          if (c == ' ' || c == '/') c = '_';
        out.emplace_back(name + ".svg", plot);
      }
  return out;
}

Reply write_report(const Arguments& arguments) {
  const std::string source = arguments.text("positional");
  if (source.empty()) return refuse({{{"percuss"}, "the name of a result file is missing"}});
  const bool wants_page = !arguments.has("no-page");
  if (wants_page && report::page_template().empty())
    return refuse(
        {{{"percuss"}, "this program was built without npm and has no page; --no-page --figures FOLDER works"}});
  if (!wants_page && !arguments.has("figures"))
    return refuse({{{"--no-page"}, "leaves nothing to write without --figures"}});
  const Result<recording::Results> results = recording::read_results(source);
  if (!results) return refuse(results.errors());
  const report::Page page = report::run_page(*results);
  const auto plots = plots_of(page);

  const fs::path out = arguments.has("out") ? fs::path(arguments.text("out"))
                                            : fs::path(source).filename().replace_extension(".html");
  const fs::path folder = arguments.text("figures");
  std::vector<std::string> files;
  if (wants_page) files.push_back(out.string());
  if (arguments.has("figures")) {
    std::error_code error;
    fs::create_directory(folder, error);
    for (const auto& [name, plot] : plots) files.push_back((folder / name).string());
  }
  if (const auto no = recording::refusals(files, {source}, arguments.has("force")); !no.empty()) return refuse(no);

  Reply reply{0, page.answer + "\n", ""};
  const auto write = [&reply](const fs::path& path, const std::string& content) {
    if (const auto failed = recording::write_whole(path, content)) {
      reply.code = 1;
      reply.err += one_line(*failed) + "\n";
    } else {
      reply.err += "wrote " + path.string() + "\n";
    }
  };
  if (wants_page) write(out, report::page_html(page));
  if (arguments.has("figures"))
    for (const auto& [name, plot] : plots)
      write(folder / name, report::to_svg(report::figure_of(*plot, page.arrays)));
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
