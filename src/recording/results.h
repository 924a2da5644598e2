// A result file, read back.
#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"
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

/// A result file, or the journal of a run that was killed. The checksum of the whole file is compared before
/// anything is read: what was damaged is refused.
class ResultFile {
 public:
  /// One line if it is not percuss's, of another format, cut short or damaged.
  static Result<ResultFile> open(const std::filesystem::path& path);
  ~ResultFile();
  ResultFile(ResultFile&&) noexcept;
  ResultFile& operator=(ResultFile&&) noexcept;

  const std::map<std::string, std::string>& facts() const { return facts_; }
  struct Entry {
    Table table;
    std::size_t rows = 0;
  };
  const std::vector<Entry>& tables() const { return tables_; }
  /// `count` rows from `first` on, every `stride`-th of the file. False: they cannot be read.
  bool read(std::size_t table, std::size_t first, std::size_t count, std::size_t stride,
            std::vector<double>& out) const;

 private:
  ResultFile() = default;
  struct Open;
  std::unique_ptr<Open> open_;
  std::map<std::string, std::string> facts_;
  std::vector<Entry> tables_;
};

/// All of it; or of long tables every second, third ... row, so that about `most_numbers` are read in all.
Result<Results> read_results(const std::filesystem::path& path,
                             std::size_t most_numbers = std::numeric_limits<std::size_t>::max());

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
