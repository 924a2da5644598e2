// A simulation that leaves a result file, and can be killed: rows reach the disk as they come, checkpoints now and
// then.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "percuss/base/diagnostic.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/recording/recording.h"

namespace percuss::io {

struct RecordedRunRequest {
  std::filesystem::path file;     // FILE.partial and FILE.checkpoint stand beside it while the run goes on
  double checkpoint_every_s = 0;  // wall-clock time; 0: none
  bool resume = false;            // go on from the checkpoint
  recording::Sink* also = nullptr;
  dynamics::Options options{};  // sink, checkpoints and resume of it are set here
};

struct RecordedRun {
  recording::Recording recording;
  std::optional<Diagnostic> not_written;     // the result: what was computed is in FILE.partial
  std::optional<Diagnostic> not_checkpoint;  // the last checkpoint
  bool can_resume = false;                   // it was interrupted, and its checkpoint is on disk
};

/// Errors are those of files that cannot be opened, and of a checkpoint that is missing, damaged or of another run;
/// then nothing was computed and nothing on disk has changed.
Result<RecordedRun> run_to_file(const model::Compiled& compiled, const RecordedRunRequest& request);

}  // namespace percuss::io
