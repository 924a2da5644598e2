// Result file and checkpoints of one run.
#include "percuss/io/recorded_run.h"

#include <chrono>

#include "percuss/base/units.h"
#include "percuss/base/version.h"
#include "percuss/io/checkpoint_file.h"
#include "percuss/io/hdf5.h"
#include "percuss/model/head.h"

namespace percuss::io {

namespace fs = std::filesystem;

namespace {

/// What a checkpoint of this run says of it.
CheckpointFile described(const model::Compiled& c) {
  const model::Settings& s = c.settings;
  CheckpointFile out;
  out.build = version_number() + ", " + build_text();
  out.scene = model::scene_hash(c.model.provenance);
  out.settings = std::string(s.integrator->key) + " at tolerance " + text_of(s.tolerance) + ", step " +
                 text_of(s.step_s) + " s (at most " + text_of(s.largest_step_s) + " s, " +
                 std::to_string(s.most_steps) + " steps), duration " + text_of(s.duration_s) +
                 " s, samples every " + text_of(s.sample_every_s) + " s" +
                 (s.horizon ? ", with the predictability horizon" : "");
  return out;
}

/// When the next checkpoint is due.
class Clock {
 public:
  explicit Clock(double every_s) : every_s_(every_s) {}
  bool is_due() {
    if (!(every_s_ > 0) || Steady::now() - last_ < std::chrono::duration<double>(every_s_)) return false;
    last_ = Steady::now();
    return true;
  }

 private:
  using Steady = std::chrono::steady_clock;
  double every_s_;
  Steady::time_point last_ = Steady::now();
};

/// What could not be written leaves the checkpoint before it as it was.
std::optional<Diagnostic> keep(const fs::path& path, CheckpointFile file, const dynamics::Checkpoint& now,
                               ResultSink& rows) {
  const std::optional<std::uint64_t> size = rows.flushed_size();
  if (!size)
    return Diagnostic{
        {path.string()}, "cannot be written: its rows are not on disk", Diagnostic::Kind::not_written};
  file.journal_size = *size;
  file.state = now.state;
  file.observers = now.observers;
  return write_checkpoint(path, file);
}

}  // namespace

Result<RecordedRun> run_to_file(const model::Compiled& compiled, const RecordedRunRequest& request) {
  fs::path checkpoint = request.file;
  checkpoint += ".checkpoint";
  const CheckpointFile of_run = described(compiled);
  CheckpointFile from;
  if (request.resume) {
    Result<CheckpointFile> kept = read_checkpoint(checkpoint);
    if (!kept) return kept.errors();
    if (auto other = differences(checkpoint, *kept, of_run); !other.empty()) return other;
    from = std::move(*kept);
  }
  auto opened =
      request.resume ? ResultSink::open_again(request.file, from.journal_size) : ResultSink::open(request.file);
  if (!opened) return opened.errors();
  ResultSink& file = **opened;

  RecordedRun out;
  recording::SinkList sinks;
  sinks.add(&file);
  if (request.also) sinks.add(request.also);
  dynamics::Options options = request.options;
  options.sink = &sinks;
  Clock clock(request.checkpoint_every_s);
  options.wants_checkpoint = [&clock] { return clock.is_due(); };
  options.keep_checkpoint = [&](const dynamics::Checkpoint& now) {
    out.not_checkpoint = keep(checkpoint, of_run, now, file);
  };
  const dynamics::Checkpoint resumed{from.state, from.observers};
  std::error_code ignored;
  if (request.resume)
    options.resume = &resumed;
  else
    fs::remove(checkpoint, ignored);  // of an older run
  out.recording = dynamics::simulate(compiled, options);
  if (out.recording.end == recording::End::failed && request.resume && out.recording.counts.steps == 0)
    return Diagnostic{{checkpoint.string()},
                      out.recording.failure,
                      Diagnostic::Kind::not_computed};  // journal and checkpoint stay as they are

  out.can_resume = out.recording.end == recording::End::interrupted && !out.not_checkpoint;
  out.not_written = file.finish(out.recording, out.can_resume);
  if (!out.can_resume && !out.not_written) fs::remove(checkpoint, ignored);
  return out;
}

}  // namespace percuss::io
