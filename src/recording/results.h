// Recorded tables and facts, as they stand in a result file or in memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "percuss/recording/recording.h"

namespace percuss::recording {

/// A table with its rows: [row * columns + column].
struct FilledTable {
  Table table;
  std::vector<double> values;
  std::size_t rows_in_file = 0;  // more than are here if it was thinned

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
  /// In how many rows of a table of the file is one here; 1: nothing was left out.
  std::size_t thinned_by() const;
  /// Empty if it is not there.
  std::string fact(const std::string& name) const;
  std::vector<std::string> lines(const std::string& name) const;
};

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
