// percuss run.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>

#include "percuss/cli/interrupt.h"
#include "percuss/cli/program.h"
#include "percuss/cli/progress.h"
#include "percuss/cli/result_facts.h"
#include "percuss/cli/scene_options.h"
#include "percuss/cli/verbs.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/checkpoint_file.h"
#include "percuss/io/csv.h"
#include "percuss/io/files.h"
#include "percuss/io/hdf5.h"
#include "percuss/recording/facts.h"
#include "percuss/report/summary.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kRunOptions = {
    kSetOption,
    Option{"out", "FOLDER", "where <scene>.h5 goes (default: here)"},
    Option{"csv", "FOLDER", "tables as CSV files too; the folder is created if missing"},
    Option{"no-h5", "", "no result file: only the summary", Option::Kind::flag},
    Option{"checkpoint", "TIME", "wall-clock time between checkpoints (default 60 s; 0: none)"},
    Option{"resume", "", "go on from the last checkpoint of an interrupted run", Option::Kind::flag},
    Option{"json", "", "the summary as JSON", Option::Kind::flag},
    Option{"profile", "", "where the time went, by phase (on stderr)", Option::Kind::flag},
    Option{"force", "", "replace files that are not results of percuss", Option::Kind::flag},
};

/// Adds up the time of what stands behind it.
class TimedSink final : public recording::Sink {
 public:
  TimedSink(recording::Sink& to, dynamics::Profile& profile) : to_(to), profile_(profile) {}
  void define(const std::vector<recording::Table>& tables) override { to_.define(tables); }
  bool row(std::size_t table, std::span<const double> values) override {
    const dynamics::Timed timed(&profile_, dynamics::Profile::output);
    return to_.row(table, values);
  }

 private:
  recording::Sink& to_;
  dynamics::Profile& profile_;
};

/// A line per phase. Evaluations are part of what integrates, locates and watches; output is part of the observers.
std::string profile_text(const dynamics::Profile& p, double wall_s) {
  using P = dynamics::Profile;
  double evaluate_s = 0;
  for (int k = P::place; k <= P::held; ++k) evaluate_s += p.seconds[static_cast<std::size_t>(k)];
  std::string out = fmt::format("\n{:<34} {:>10} {:>7} {:>12}\n", "phase", "time", "share", "calls");
  const auto line = [&](std::string_view name, double seconds, std::int64_t calls) {
    out += fmt::format("{:<34} {:>8.3f} s {:>5.1f} % {:>12}\n", name, seconds,
                       100 * seconds / std::max(wall_s, 1e-12), calls);
  };
  line("all", wall_s, 1);
  for (int k = P::stages; k <= P::output; ++k)
    line(P::kNames[static_cast<std::size_t>(k)], p.seconds[static_cast<std::size_t>(k)],
         p.calls[static_cast<std::size_t>(k)]);
  line("evaluate, wherever", evaluate_s, p.calls[P::place]);
  for (int k = P::place; k <= P::held; ++k)
    if (p.calls[static_cast<std::size_t>(k)] > 0)
      line(fmt::format("  {}", P::kNames[static_cast<std::size_t>(k)]), p.seconds[static_cast<std::size_t>(k)],
           p.calls[static_cast<std::size_t>(k)]);
  return out;
}

/// What a checkpoint of this run says of it.
io::CheckpointFile described(const model::Compiled& c) {
  io::CheckpointFile out;
  const model::Settings& s = c.settings;
  out.build = version_number() + ", " + build_text();
  for (const auto& [name, text] : result_facts(c))
    if (name == "scene_hash") out.scene = text;
  out.settings = fmt::format("{} {} {} {} {} {} {}", s.integrator->key, s.tolerance, s.step_s, s.largest_step_s,
                             s.duration_s, s.sample_every_s, s.most_steps);
  return out;
}

/// Writes checkpoints of a run, and knows where they are.
class Checkpoints {
 public:
  Checkpoints(const model::Compiled& compiled, fs::path result, double every_s)
      : of_run_(described(compiled)), path_(std::move(result)), every_s_(every_s) {
    path_ += ".checkpoint";
  }
  const fs::path& path() const { return path_; }

  /// The checkpoint that is on disk, if it is one of this run.
  std::vector<Diagnostic> read() {
    Result<io::CheckpointFile> kept = io::read_checkpoint(path_);
    if (!kept) return kept.errors();
    const auto other = io::differences(path_, *kept, of_run_);
    if (other.empty()) from_ = std::move(*kept);
    return other;
  }
  const io::CheckpointFile& from() const { return from_; }

  bool is_due() {
    if (!(every_s_ > 0) || Clock::now() - last_ < std::chrono::duration<double>(every_s_)) return false;
    last_ = Clock::now();
    return true;
  }
  /// What could not be written leaves the checkpoint before it as it was.
  std::optional<Diagnostic> keep(const dynamics::Checkpoint& now, io::ResultSink& rows) {
    const std::optional<std::uint64_t> size = rows.flushed_size();
    if (!size)
      return Diagnostic{
          {path_.string()}, "cannot be written: its rows are not on disk", Diagnostic::Kind::not_written};
    io::CheckpointFile file = of_run_;
    file.journal_size = *size;
    file.state = now.state;
    file.observers = now.observers;
    return io::write_checkpoint(path_, file);
  }
  void remove() const {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

 private:
  using Clock = std::chrono::steady_clock;
  io::CheckpointFile of_run_, from_;
  fs::path path_;
  double every_s_;
  Clock::time_point last_ = Clock::now();
};

struct Outputs {
  std::unique_ptr<io::ResultSink> h5;
  std::unique_ptr<io::CsvSink> csv;
  io::SinkList all;
  fs::path h5_path, csv_folder;
  std::optional<Checkpoints> checkpoints;
};

/// Checks every place before anything is simulated, then opens the files.
std::vector<Diagnostic> open_outputs(const Arguments& arguments, const model::Compiled& compiled, Outputs& out) {
  const model::Model& model = compiled.model;
  std::vector<std::string> files;
  const fs::path folder = arguments.has("out") ? fs::path(arguments.text("out")) : fs::path(".");
  std::error_code error;
  if (!arguments.has("no-h5")) {
    out.h5_path = (folder / fs::path(model.provenance.source).filename()).replace_extension(".h5");
    if (folder == ".") out.h5_path = out.h5_path.filename();
    files.push_back(out.h5_path.string());
  }
  if (arguments.has("csv")) {
    out.csv_folder = arguments.text("csv");
    fs::create_directory(out.csv_folder, error);
    for (const recording::Table& t : dynamics::tables_of(model))
      files.push_back(io::CsvSink::file_of(out.csv_folder, t.name).string());
  }
  const auto no = io::refusals(files, {model.provenance.source}, arguments.has("force"));
  if (!no.empty()) return no;
  std::vector<Diagnostic> wrong;
  const double every_s = arguments.number("checkpoint", dimension::time, wrong).value_or(60);
  if (arguments.has("resume") && out.h5_path.empty())
    wrong.push_back({{"--resume"}, "needs a result file: it does not go with --no-h5"});
  if (arguments.has("resume") && arguments.has("csv"))
    wrong.push_back({{"--resume"}, "does not go with --csv; percuss export writes the tables of the result"});
  if (!(every_s >= 0)) wrong.push_back({{"--checkpoint"}, "must not be negative"});
  if (!wrong.empty()) return wrong;
  if (!out.h5_path.empty()) {
    out.checkpoints.emplace(compiled, out.h5_path, every_s);
    if (arguments.has("resume"))
      if (auto errors = out.checkpoints->read(); !errors.empty()) return errors;
    auto opened = arguments.has("resume")
                      ? io::ResultSink::open_again(out.h5_path, out.checkpoints->from().journal_size)
                      : io::ResultSink::open(out.h5_path, result_facts(compiled));
    if (!opened) return opened.errors();
    out.h5 = std::move(*opened);
    out.all.add(out.h5.get());
  }
  if (!out.csv_folder.empty()) {
    out.csv = std::make_unique<io::CsvSink>(out.csv_folder);
    out.all.add(out.csv.get());
  }
  return {};
}

Reply run(const Arguments& arguments) {
  const Result<model::Compiled> compiled = read_compiled(arguments);
  if (!compiled) return refuse(compiled.errors());
  const model::Model* const model = &compiled->model;
  Outputs outputs;
  if (const auto errors = open_outputs(arguments, *compiled, outputs); !errors.empty()) {
    return refuse(errors);
  }

  recording::Recording recording;
  dynamics::Profile profile;
  TimedSink timed(outputs.all, profile);
  bool can_resume = false;
  std::optional<Diagnostic> not_kept;  // the last checkpoint, and why
  const auto begin = std::chrono::steady_clock::now();
  {
    const Interruptible guard;
    Progress progress(compiled->settings.duration_s, "s");
    dynamics::Options options;
    options.sink = outputs.h5 || outputs.csv ? &outputs.all : nullptr;
    if (arguments.has("profile")) {
      options.profile = &profile;
      if (options.sink) options.sink = &timed;
    }
    options.go_on = [&progress](double t_s) {
      progress.show(t_s);
      return !was_interrupted();
    };
    dynamics::Checkpoint from;
    if (outputs.checkpoints) {
      Checkpoints& checkpoints = *outputs.checkpoints;
      options.wants_checkpoint = [&checkpoints] { return checkpoints.is_due(); };
      options.keep_checkpoint = [&](const dynamics::Checkpoint& now) {
        not_kept = checkpoints.keep(now, *outputs.h5);
      };
      if (arguments.has("resume")) {
        from = {checkpoints.from().state, checkpoints.from().observers};
        options.resume = &from;
      } else {
        checkpoints.remove();
      }
    }
    recording = dynamics::simulate(*compiled, options);
    can_resume = recording.end == recording::End::interrupted && outputs.checkpoints && !not_kept;
  }
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (arguments.has("resume") && recording.end == recording::End::failed && recording.counts.steps == 0)
    return {1, "", "percuss: error: " + recording.failure + "\n"};  // journal and checkpoint stay as they are

  const bool whole = recording.end == recording::End::done || recording.end == recording::End::stopped_by_event;
  Reply reply;
  reply.code = whole ? 0 : recording.end == recording::End::interrupted ? 130 : 1;
  reply.out = arguments.has("json") ? report::summary_json(*compiled, recording, wall_s)
                                    : report::summary_text(*compiled, recording, wall_s);
  reply.err = warning_lines(model->warnings) + warning_lines(recording.warnings);
  if (not_kept) reply.err += "warning: " + not_kept->at.source + ": " + not_kept->text + "\n";
  if (arguments.has("profile")) reply.err += profile_text(profile, wall_s);
  bool could_not_write = false;
  const auto note = [&](const std::optional<Diagnostic>& failed, const std::string& where) {
    if (failed) {
      could_not_write = true;
      reply.code = 1;
      reply.err += one_line(*failed) + "\n";
    } else {
      reply.err += "wrote " + where + "\n";
    }
  };
  if (outputs.h5)
    note(outputs.h5->finish(recording::status_of(recording), recording::closing_facts(recording, model->warnings),
                            can_resume),
         outputs.h5_path.string() + (whole ? "" : " (partial)"));
  if (outputs.checkpoints && !can_resume && !could_not_write) outputs.checkpoints->remove();
  if (outputs.csv) note(outputs.csv->finish(whole), outputs.csv_folder.string() + (whole ? "" : " (partial)"));
  if (recording.end == recording::End::failed && !could_not_write)
    reply.err += "percuss: error: " + recording.failure + "\n";
  if (recording.end == recording::End::interrupted)
    reply.err += can_resume ? "interrupted: what was computed is saved; --resume goes on\n"
                            : "interrupted: what was computed is saved\n";
  if (could_not_write) reply.out.clear();  // what is not whole is no result
  return reply;
}

}  // namespace

constinit const Verb kRunVerb{"run",
                              "simulate a scene: summary, result file",
                              "  percuss new bouncing_ball\n"
                              "  percuss run bouncing_ball.yaml --set ball.restitution=0.6 --csv tables",
                              kRunOptions,
                              "SCENE",
                              "a scene file",
                              run};

}  // namespace percuss::cli
