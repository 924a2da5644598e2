// percuss export: a result file for other programs.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "percuss/cli/verbs.h"
#include "percuss/io/csv.h"
#include "percuss/io/files.h"
#include "percuss/io/result_file.h"
#include "percuss/recording/results.h"
#include "percuss/report/vtk_series.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr double kFrames = 200, kMostFrames = 100'000;
constexpr std::size_t kMostNumbers = 20'000'000;  // that are read for the frames: 160 MB

constexpr std::array kOptions = {
    Option{"vtk", "FOLDER",
           "bodies.pvd and contacts.pvd for ParaView, with a file a moment; the folder is created if missing"},
    Option{"frames", "COUNT", "moments of --vtk, evenly spread over the samples (default 200)"},
    Option{"csv", "FOLDER", "every table as a CSV file; the folder is created if missing"},
    Option{"force", "", "replace files that are not results of percuss", Option::Kind::flag},
};

constexpr std::size_t kRowsAtOnce = 4096;

/// Block by block: memory does not grow with the file.
std::optional<Diagnostic> write_csv(const io::ResultFile& results, const std::string& source,
                                    const fs::path& folder) {
  io::CsvSink sink(folder);
  std::vector<recording::Table> tables;
  for (const auto& entry : results.tables()) tables.push_back(entry.table);
  sink.define(tables);
  std::vector<double> block;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::size_t columns = tables[i].columns.size(), rows = results.tables()[i].rows;
    for (std::size_t first = 0; first < rows; first += kRowsAtOnce) {
      const std::size_t count = std::min(kRowsAtOnce, rows - first);
      if (!results.read(i, first, count, 1, block))
        return Diagnostic{{source}, "is damaged: the table " + tables[i].name + " cannot be read"};
      for (std::size_t r = 0; r < count; ++r)
        if (!sink.row(i, std::span(block).subspan(r * columns, columns))) return sink.finish(false);
    }
  }
  const auto status = results.facts().find("status");
  return sink.finish(status != results.facts().end() && status->second == "complete");
}

Reply write_exports(const Arguments& arguments) {
  const std::string source = arguments.text("positional");
  std::vector<Diagnostic> errors;
  if (source.empty()) errors.push_back({{"percuss"}, "the name of a result file is missing"});
  if (!arguments.has("vtk") && !arguments.has("csv"))
    errors.push_back({{"percuss"}, "say what to write: --vtk FOLDER, --csv FOLDER"});
  const double frames = arguments.number("frames", dimension::number, errors).value_or(kFrames);
  if (!(frames >= 1 && frames <= kMostFrames && frames == std::floor(frames)))
    errors.push_back({{"--frames"}, "must be a whole number from 1 to 100000"});
  if (!errors.empty()) return refuse(errors);
  const Result<io::ResultFile> results = io::ResultFile::open(source);
  if (!results) return refuse(results.errors());
  const fs::path vtk = arguments.text("vtk"), csv = arguments.text("csv");
  std::error_code ignored;
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> series;
  if (arguments.has("vtk")) {
    const Result<recording::Results> moments = io::read_results(source, kMostNumbers);
    if (!moments) return refuse(moments.errors());
    series = report::vtk_series(*moments, static_cast<std::size_t>(frames));
    fs::create_directory(vtk, ignored);
    for (const auto& [name, content] : series) files.push_back((vtk / name).string());
  }
  if (arguments.has("csv")) {
    fs::create_directory(csv, ignored);
    for (const auto& entry : results->tables())
      files.push_back(io::CsvSink::file_of(csv, entry.table.name).string());
  }
  if (const auto no = io::refusals(files, {source}, arguments.has("force")); !no.empty()) return refuse(no);
  Reply reply;
  const auto note = [&reply](const std::optional<Diagnostic>& failed) {
    if (failed) reply.code = 1, reply.err += one_line(*failed) + "\n";
    return !failed;
  };
  bool whole = true;
  for (const auto& [name, content] : series) whole = whole && note(io::write_whole(vtk / name, content));
  if (arguments.has("vtk") && whole)
    reply.err += "wrote " + (vtk / "bodies.pvd").string() + " and contacts.pvd, " +
                 std::to_string((series.size() - 2) / 2) + " moments\n";
  if (arguments.has("csv") && note(write_csv(*results, source, csv))) reply.err += "wrote " + csv.string() + "\n";
  return reply;
}

}  // namespace

constinit const Verb kExportVerb{"export",
                                 "a result file for ParaView, or as CSV tables",
                                 "  percuss run dropped_box.yaml\n"
                                 "  percuss export dropped_box.h5 --vtk paraview --csv tables",
                                 kOptions,
                                 "RESULTS",
                                 "a result file (.h5) of percuss run",
                                 write_exports};

}  // namespace percuss::cli
