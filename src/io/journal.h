// What a run writes while it goes on: frames, one behind the other, each with its checksum. A run that is killed,
// or a disk that is full, leaves all frames that were written; a frame that is not whole ends the journal.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "percuss/base/archive.h"
#include "percuss/base/diagnostic.h"
#include "percuss/recording/facts.h"

namespace percuss::io {

using recording::Column;
using recording::Facts;
using recording::Table;

inline constexpr std::string_view kJournalHead = "# percuss recording, journal 3\n";

class JournalWriter {
 public:
  ~JournalWriter();
  /// What could not be done is told by `why`.
  bool open(const std::filesystem::path& path);
  /// Goes on behind the first `size` bytes; what stands after them is gone.
  bool open_again(const std::filesystem::path& path, std::uint64_t size);
  /// Bytes that have reached the disk, after `flush`.
  std::uint64_t size() const { return size_; }
  void put_facts(const Facts& facts);
  void put_tables(const std::vector<Table>& tables);
  /// Rows reach the disk a fifth of a second after they came, or sooner.
  bool put_row(std::size_t table, std::span<const double> values);
  bool flush();
  bool has_failed() const { return failed_; }
  /// The message of the system.
  const std::string& why() const { return why_; }
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  void put_frame(std::uint32_t kind, const Bytes& payload);
  bool fail();
  int file_ = -1;
  bool failed_ = false;
  std::string why_;
  Bytes buffer_;
  std::uint64_t size_ = 0;
  Clock::time_point flushed_ = Clock::now();
};

/// One frame after the other.
class JournalReader {
 public:
  /// False: it is no journal.
  bool open(const std::filesystem::path& path);
  struct Frame {
    enum class Kind : std::uint32_t { facts = 1, tables = 2, row = 3 };
    Kind kind = Kind::row;
    Facts facts;
    std::vector<Table> tables;
    std::uint32_t table = 0;
    std::vector<double> values;
  };
  /// False: there is no further whole frame.
  bool next(Frame& out);

 private:
  std::ifstream file_;
  Bytes payload_;
};

}  // namespace percuss::io
