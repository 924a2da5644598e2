// A study, run: what is missing in its store is computed and kept.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "percuss/study/sweep/store.h"

namespace percuss::study {

struct SweepRequest {
  std::filesystem::path store;
  std::string version;  // of the program
  Replace replace = Replace::nothing;
  unsigned threads = 0;  // 0: all cores; with several ranks: one each
  std::size_t shard = 1, shards = 1;
  double wall_limit_s = 0;
  RecordingFiles recordings;
  /// Called with the points settled so far; false ends the study. On rank 0.
  std::function<bool(std::size_t done, std::size_t all)> go_on;
  /// Asked by every thread, within a point.
  std::function<bool()> interrupted;
};

struct SweepOutcome {
  std::size_t wanted = 0;  // points of this shard
  std::size_t before = 0;  // of them, settled in the store already
  std::size_t run = 0;     // now
  bool interrupted = false;
  double wall_s = 0;
  int ranks = 1;
};

/// Errors are those of the store; what was computed until then is kept in it. On ranks other than 0 the outcome is
/// empty.
Result<SweepOutcome> run_sweep(const Study& study, const SweepRequest& request);

/// Puts the shards `NAME.shard-I-of-N.db` beside a store into it; returns how many points are settled then.
Result<std::size_t> merge_shards(const Study& study, const SweepRequest& request);

/// NAME.db -> NAME.shard-1-of-3.db
std::filesystem::path shard_of(const std::filesystem::path& store, std::size_t shard, std::size_t shards);

}  // namespace percuss::study
