// A result file, read back.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/recording/recording.h"

namespace percuss::recording {

/// A table with its rows: [row * columns + column].
struct FilledTable {
  Table table;
  std::vector<double> values;

  std::size_t rows() const { return table.columns.empty() ? 0 : values.size() / table.columns.size(); }
  double at(std::size_t row, std::size_t column) const { return values[row * table.columns.size() + column]; }
  /// -1: there is none of this name.
  int column(std::string_view name) const;
  std::vector<double> values_of(std::string_view name) const;
};

struct Results {
  std::string source;                        // the file
  std::map<std::string, std::string> facts;  // attributes and long texts
  std::vector<FilledTable> tables;

  const FilledTable* find(std::string_view name) const;
  /// Empty if it is not there.
  std::string fact(const std::string& name) const;
  std::vector<std::string> lines(const std::string& name) const;
};

/// One line if it is not HDF5, not percuss's, of another format, or cut short.
Result<Results> read_results(const std::filesystem::path& path);

/// Keeps all rows in memory: what a result file would hold, without the file.
class MemorySink final : public Sink {
 public:
  void define(const std::vector<Table>& tables) override;
  bool row(std::size_t table, std::span<const double> values) override;
  std::vector<FilledTable> take() { return std::move(tables_); }

 private:
  std::vector<FilledTable> tables_;
};

}  // namespace percuss::recording
