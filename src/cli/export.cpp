// percuss export: a result file for other programs.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "percuss/cli/options.h"
#include "percuss/cli/verbs.h"
#include "percuss/io/csv.h"
#include "percuss/io/files.h"
#include "percuss/io/result_file.h"
#include "percuss/recording/recording.h"
#include "percuss/report/vtk_series.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr double kFrames = 200, kMostFrames = 100'000;
constexpr std::size_t kMostForFrames = 20'000'000;  // that are read for the frames: 160 MB

constexpr std::array kExportOptions = {
    Option{"vtk", "FOLDER",
           "bodies.pvd and contacts.pvd for ParaView, one file per moment; the folder is created if missing"},
    Option{"frames", "COUNT", "moments of --vtk, evenly spread over the samples (default 200)"},
    kTablesOption,
    kForceOption,
};

constexpr std::size_t kNumbersAtOnce = 1 << 17;

std::vector<recording::Table> tables_in(const io::ResultFile& results) {
  std::vector<recording::Table> out;
  for (const auto& entry : results.tables()) out.push_back(entry.table);
  return out;
}

/// Block by block: memory does not grow with the file. The rows of an array of items follow their times.
std::optional<Diagnostic> write_csv(const io::ResultFile& results, const std::string& source,
                                    const fs::path& folder) {
  io::CsvSink sink(folder);
  const std::vector<recording::Table> tables = tables_in(results);
  sink.begin({}, tables);
  const auto time = std::ranges::find(tables, "time", &recording::Table::name);
  const auto time_table = static_cast<std::size_t>(time - tables.begin());
  std::vector<double> block, times;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::size_t width = tables[i].width(), rows = results.tables()[i].rows;
    const bool timed =
        !tables[i].items.empty() && time != tables.end() && results.tables()[time_table].rows == rows;
    const std::size_t at_once = std::max<std::size_t>(kNumbersAtOnce / std::max<std::size_t>(width, 1), 1);
    for (std::size_t first = 0; first < rows; first += at_once) {
      const std::size_t count = std::min(at_once, rows - first);
      if (!results.read(i, first, count, 1, block) || (timed && !results.read(time_table, first, count, 1, times)))
        return Diagnostic{{source}, "is damaged: the table " + tables[i].name + " cannot be read"};
      for (std::size_t r = 0; r < count; ++r) {
        if (timed) sink.row(time_table, std::span(times).subspan(r, 1));
        if (!sink.row(i, std::span(block).subspan(r * width, width))) return sink.finish(false);
      }
    }
  }
  const auto status = results.facts().find("status");
  return sink.finish(status != results.facts().end() && status->second == "complete");
}

Reply write_exports(const Arguments& arguments) {
  const std::string source = arguments.text("positional");
  std::vector<Diagnostic> errors;
  if (source.empty()) errors.push_back({{"percuss"}, "the name of a result file is missing"});
  if (!arguments.has("vtk") && !arguments.has("tables"))
    errors.push_back({{"percuss"}, "say what to write: --vtk FOLDER, --tables FOLDER"});
  const double frames = arguments.number("frames", dimension::number, errors).value_or(kFrames);
  if (!(frames >= 1 && frames <= kMostFrames && frames == std::floor(frames)))
    errors.push_back({{"--frames"}, "must be a whole number from 1 to 100000"});
  if (!errors.empty()) return refuse(errors);
  const Result<io::ResultFile> results = io::ResultFile::open(source);
  if (!results) return refuse(results.errors());
  const fs::path vtk = arguments.text("vtk"), tables = arguments.text("tables");
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> series;
  if (arguments.has("vtk")) {
    const Result<recording::Recording> moments = io::read_recording(source, kMostForFrames);
    if (!moments) return refuse(moments.errors());
    series = report::vtk_series(*moments, static_cast<std::size_t>(frames));
    if (const auto no = io::make_folder(vtk)) return refuse({*no});
    for (const auto& [name, content] : series) files.push_back((vtk / name).string());
  }
  if (arguments.has("tables")) {
    if (const auto no = io::make_folder(tables)) return refuse({*no});
    for (const fs::path& file : io::CsvSink::files_of(tables, tables_in(*results))) files.push_back(file.string());
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
  if (arguments.has("tables") && note(write_csv(*results, source, tables)))
    reply.err += "wrote " + tables.string() + "\n";
  return reply;
}

}  // namespace

constinit const Verb kExportVerb{"export",
                                 "a result file for ParaView, or as CSV tables",
                                 "  percuss run dropped_box.yaml\n"
                                 "  percuss export dropped_box.h5 --vtk paraview --tables tables",
                                 kExportOptions,
                                 "RESULTS",
                                 "a result file (.h5) of percuss run",
                                 write_exports};

}  // namespace percuss::cli
