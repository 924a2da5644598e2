// Checkpoints on disk: a run that was killed goes on from its last one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "percuss/base/archive.h"
#include "percuss/base/diagnostic.h"

namespace percuss::io {

/// What must be the same when a run goes on, and what it goes on from.
struct CheckpointFile {
  std::string build, scene, settings;  // in words and hashes
  std::uint64_t journal_size = 0;      // bytes of the journal that belong to it
  Bytes state, observers;
};

/// Appears whole, or the old one stays.
std::optional<Diagnostic> write_checkpoint(const std::filesystem::path& path, const CheckpointFile& checkpoint);
/// One line if it is missing, damaged or of another format.
Result<CheckpointFile> read_checkpoint(const std::filesystem::path& path);
/// What differs, one line each.
std::vector<Diagnostic> differences(const std::filesystem::path& path, const CheckpointFile& kept,
                                    const CheckpointFile& now);

}  // namespace percuss::io
