// percuss run.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>

#include "percuss/cli/interrupt.h"
#include "percuss/cli/options.h"
#include "percuss/cli/program.h"
#include "percuss/cli/progress.h"
#include "percuss/cli/scene_options.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/dynamics/equilibrium.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/csv.h"
#include "percuss/io/files.h"
#include "percuss/io/recorded_run.h"
#include "percuss/report/summary.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kRunOptions = {
    kSetOption,
    Option{"out", "FILE", "where the file goes (default: SCENE.h5, here)"},
    kTablesOption,
    Option{"no-h5", "", "no result file: only the summary", Option::Kind::flag},
    Option{"checkpoint", "TIME", "wall-clock time between checkpoints (default 60 s; 0: none)"},
    Option{"horizon", "", "until when a solution at a tighter tolerance stays with this one (outputs: horizon)",
           Option::Kind::flag},
    Option{"resume", "", "go on from the last checkpoint of an interrupted run", Option::Kind::flag},
    kJsonOption,
    Option{"profile", "", "where the time went, by phase (on stderr)", Option::Kind::flag},
    kForceOption,
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

struct Places {
  fs::path h5, csv;  // empty: not asked for
};

/// Checks every place before anything is simulated.
std::vector<Diagnostic> find_places(const Arguments& arguments, const model::Model& model, Places& out) {
  std::vector<std::string> files;
  if (!arguments.has("no-h5")) {
    out.h5 = file_of(arguments, "out", fs::path(model.provenance.source).stem().string() + ".h5");
    if (out.h5.extension().empty()) out.h5 += ".h5";
    files.push_back(out.h5.string());
  }
  if (arguments.has("tables")) {
    out.csv = arguments.text("tables");
    if (const auto no = io::make_folder(out.csv)) return {*no};
    for (const fs::path& file : io::CsvSink::files_of(out.csv, dynamics::tables_of(model)))
      files.push_back(file.string());
  }
  auto wrong = io::refusals(files, {model.provenance.source}, arguments.has("force"));
  if (arguments.has("out") && out.h5.empty()) wrong.push_back({{"--out"}, "and --no-h5 exclude each other"});
  if (arguments.has("resume") && out.h5.empty())
    wrong.push_back({{"--resume"}, "needs a result file: it does not go with --no-h5"});
  if (arguments.has("resume") && arguments.has("tables"))
    wrong.push_back({{"--resume"}, "does not go with --tables; percuss export writes the tables of the result"});
  return wrong;
}

/// With a result file or without.
Result<io::RecordedRun> simulate(const Arguments& arguments, const model::Compiled& compiled, const Places& places,
                                 double checkpoint_every_s, io::CsvSink* csv, dynamics::Profile* profile,
                                 std::optional<dynamics::State> from) {
  const Interruptible guard;
  Progress progress(compiled.settings.duration_s, "s");
  dynamics::Options options;
  options.profile = profile;
  options.from = std::move(from);
  options.go_on = [&progress](double t_s) {
    progress.show(t_s);
    return !was_interrupted();
  };
  if (!places.h5.empty())
    return io::run_to_file(compiled, {places.h5, checkpoint_every_s, arguments.has("resume"), csv, options});
  options.sink = csv;
  io::RecordedRun out;
  out.recording = dynamics::simulate(compiled, options);
  return out;
}

Reply run_scene(const Arguments& arguments) {
  Result<model::Compiled> compiled = read_compiled(arguments);
  if (!compiled) return refuse(compiled.errors());
  if (arguments.has("horizon")) compiled->settings.horizon = true;
  Places places;
  std::vector<Diagnostic> errors = find_places(arguments, compiled->model, places);
  const double every_s = arguments.number("checkpoint", dimension::time, errors).value_or(60);
  if (!(every_s >= 0)) errors.push_back({{"--checkpoint"}, "must not be negative"});
  if (!errors.empty()) return refuse(errors);

  std::optional<dynamics::State> from;  // found before any file is opened: without it there is no run
  if (compiled->settings.starts_at_equilibrium && !arguments.has("resume")) {
    dynamics::Equilibrium start = dynamics::starting_state(compiled->model, compiled->settings);
    if (!start.is_found())
      return {1, "", warning_lines(compiled->model.warnings) + "percuss: error: " + start.failure + "\n"};
    from = std::move(start.state);
  }
  dynamics::Profile profile;
  std::unique_ptr<io::CsvSink> csv;
  if (!places.csv.empty()) csv = std::make_unique<io::CsvSink>(places.csv);
  const auto begin = std::chrono::steady_clock::now();
  const Result<io::RecordedRun> run = simulate(arguments, *compiled, places, every_s, csv.get(),
                                               arguments.has("profile") ? &profile : nullptr, std::move(from));
  if (!run) return refuse(run.errors());
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const recording::Recording& recording = run->recording;

  const bool interrupted = recording.end == recording::End::interrupted;
  Reply reply;
  reply.code = recording.is_whole() ? 0 : interrupted ? 130 : 1;
  reply.err = warning_lines(recording.head.warnings) + warning_lines(recording.warnings);
  if (run->not_checkpoint)
    reply.err += "warning: " + run->not_checkpoint->at.source + ": " + run->not_checkpoint->text + "\n";
  if (arguments.has("profile")) reply.err += profile_text(profile, wall_s);
  bool could_not_write = false;
  const auto note = [&](const std::optional<Diagnostic>& failed, const fs::path& where) {
    if (failed) {
      could_not_write = true;
      reply.code = 1;
      reply.err += one_line(*failed) + "\n";
    } else {
      reply.err += "wrote " + where.string() + (recording.is_whole() ? "" : " (partial)") + "\n";
    }
  };
  if (!places.h5.empty()) note(run->not_written, places.h5);
  if (csv) note(csv->finish(recording.is_whole()), places.csv);
  if (recording.end == recording::End::failed && !could_not_write)
    reply.err += "percuss: error: " + recording.failure + "\n";
  if (interrupted)
    reply.err += run->can_resume ? "interrupted: what was computed is saved; --resume goes on\n"
                                 : "interrupted: what was computed is saved\n";
  // the summary of a run that is not whole is a message, not a result
  const std::string summary = arguments.has("json") ? report::summary_json(recording, wall_s)
                                                    : report::summary_text(recording, wall_s, terminal_style());
  if (reply.code == 0 || (!arguments.has("json") && !could_not_write)) reply.out = summary;
  return reply;
}

}  // namespace

constinit const Verb kRunVerb{"run",
                              "simulate a scene: summary, result file",
                              "  percuss new bouncing_ball\n"
                              "  percuss run bouncing_ball.yaml --set ball.restitution=0.6 --tables tables",
                              kRunOptions,
                              "SCENE",
                              "a scene file",
                              run_scene};

}  // namespace percuss::cli
