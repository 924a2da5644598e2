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

/// Tables named "bodies/ball" become bodies_ball.csv in the folder. Files appear at `finish`.
class CsvSink final : public Sink {
 public:
  explicit CsvSink(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~CsvSink() override;

  static std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& table);
  void define(const std::vector<Table>& tables) override;
  bool row(std::size_t table, std::span<const double> values) override;
  /// Of a run that did not reach its end, a last line says so.
  std::optional<Diagnostic> finish(bool whole);

 private:
  std::filesystem::path folder_;
  struct File {
    std::filesystem::path path, partial;
    std::ofstream stream;
  };
  std::vector<File> files_;
};

/// Hands everything to several.
class SinkList final : public Sink {
 public:
  void add(Sink* sink) { sinks_.push_back(sink); }
  void define(const std::vector<Table>& tables) override {
    for (Sink* s : sinks_) s->define(tables);
  }
  bool row(std::size_t table, std::span<const double> values) override {
    bool kept = true;
    for (Sink* s : sinks_) kept = s->row(table, values) && kept;
    return kept;
  }

 private:
  std::vector<Sink*> sinks_;
};

}  // namespace percuss::io
