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

namespace percuss::io {

using recording::FilledTable;
using recording::Recording;
using recording::Table;

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

/// All of it; or of long tables every second, third ... row, so that about `most_numbers` are read in all. Impacts
/// and events are read into their lists, too. Of a run that was killed, time and energies are those of its rows.
Result<Recording> read_recording(const std::filesystem::path& path,
                                 std::size_t most_numbers = std::numeric_limits<std::size_t>::max());

}  // namespace percuss::io
