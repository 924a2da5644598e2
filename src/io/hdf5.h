// Result files: a journal while the run goes on, HDF5 with checksums once it is over.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/io/journal.h"
#include "percuss/recording/recording.h"

namespace percuss::io {

using recording::Sink;
using recording::Table;

inline constexpr int kFormatVersion = 3;

/// HDF5 is no library for several threads: whoever calls it holds this.
std::mutex& hdf5_lock();

/// The block before HDF5's own bytes: whose file it is, its format, its size and the checksum of all that follows.
inline constexpr std::size_t kHeadSize = 512;
/// The one that belongs to the bytes of a file behind it; nothing: they cannot be read.
std::optional<std::string> head_for(const std::filesystem::path& path);

/// A journal as HDF5, whole or not at all. Every table is a dataset of doubles, [row x column] or [row x item x
/// column], with a Fletcher checksum and the attributes `columns` and `units`; groups follow the names of the
/// tables; names/TABLE has the names of the items. Facts are attributes of the file (texts/NAME where one is too
/// long for that); those given here override those of the journal. What is returned says why it could not be done.
std::optional<std::string> write_hdf5(const std::filesystem::path& journal, const std::filesystem::path& to,
                                      const Facts& facts);

/// Rows go to the journal PATH.partial as they come; `finish` makes PATH of it. A run that is killed, or whose disk
/// is full, leaves the old result as it was and the journal beside it, which can be read like a result.
class ResultSink final : public Sink {
 public:
  static Result<std::unique_ptr<ResultSink>> open(const std::filesystem::path& path);

  /// Goes on with the first `size` bytes of the journal of a run that was interrupted.
  static Result<std::unique_ptr<ResultSink>> open_again(const std::filesystem::path& path, std::uint64_t size);

  void begin(const recording::Head& head, const std::vector<Table>& tables) override;
  bool row(std::size_t table, std::span<const double> values) override { return journal_.put_row(table, values); }

  /// How much of the journal is on disk now; nothing: it could not be written.
  std::optional<std::uint64_t> flushed_size();
  /// The result file, with how the run ended. The journal is kept if the run is to go on later.
  std::optional<Diagnostic> finish(const recording::Recording& recording, bool keep_journal = false);

 private:
  explicit ResultSink(std::filesystem::path path);
  std::filesystem::path path_, partial_;
  JournalWriter journal_;
  bool goes_on_ = false;
};

}  // namespace percuss::io
