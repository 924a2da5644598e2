// Recordings as CSV: one file a table.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>

#include "percuss/base/diagnostic.h"
#include "percuss/recording/recording.h"

namespace percuss::io {

using recording::Column;
using recording::Sink;
using recording::Table;

/// Tables named "contacts/bounce" become contacts_bounce.csv in the folder. A table with items has one line per
/// time and item, with both in front: t, body, x, ... The times themselves are no file. Files appear at `finish`.
class CsvSink final : public Sink {
 public:
  explicit CsvSink(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~CsvSink() override;

  /// The files that these tables become.
  static std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                                     const std::vector<Table>& tables);
  void begin(const recording::Head& head, const std::vector<Table>& tables) override;
  bool row(std::size_t table, std::span<const double> values) override;
  /// Of a run that did not reach its end, a last line says so.
  std::optional<Diagnostic> finish(bool whole);

 private:
  std::filesystem::path folder_;
  struct File {
    std::filesystem::path path, partial;
    std::ofstream stream;
    Table table{};
  };
  std::vector<File> files_;  // [table]; of the times without a stream
  double time_s_ = 0;        // of the row that is being written
};

}  // namespace percuss::io
