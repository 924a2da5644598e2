// Recordings as HDF5: rows stream to disk; the file says that it is partial until it is whole.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/recording/recording.h"

namespace percuss::recording {

inline constexpr int kFormatVersion = 1;

using Facts = std::vector<std::pair<std::string, std::string>>;  // names and texts, as attributes of the file

/// What is known of a run once it is over: how it ended, its fingerprint, its books, its warnings and the model's.
Facts closing_facts(const Recording& recording, const std::vector<std::string>& model_warnings);
/// "complete" or "partial".
std::string status_of(const Recording& recording);

/// Writes to PATH.partial and renames at `finish`: a run that is killed leaves the old result and, beside it, a
/// file whose attribute `status` is "partial". Every table is a dataset of doubles, rows by columns, with the
/// attributes `columns` and `units`; groups follow the names of the tables.
class Hdf5Sink final : public Sink {
 public:
  static Result<std::unique_ptr<Hdf5Sink>> open(const std::filesystem::path& path, const Facts& facts);
  ~Hdf5Sink() override;

  void define(const std::vector<Table>& tables) override;
  bool row(std::size_t table, std::span<const double> values) override;

  /// `status` is "complete" or "partial"; further facts join those of the beginning. Renames.
  std::optional<Diagnostic> finish(const std::string& status, const Facts& facts);

 private:
  struct File;
  explicit Hdf5Sink(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace percuss::recording
