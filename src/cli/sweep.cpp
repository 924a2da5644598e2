// percuss sweep: a study over parameters, on threads, ranks or shards.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>

#include "percuss/base/words.h"
#include "percuss/cli/interrupt.h"
#include "percuss/cli/pages.h"
#include "percuss/cli/program.h"
#include "percuss/cli/progress.h"
#include "percuss/cli/scene_options.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/io/files.h"
#include "percuss/report/sweep_report.h"
#include "percuss/study/sweep/sweep.h"
#include "percuss/study/sweep/workers.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kSweepOptions = {
    Option{"out", "FILE", "where the file goes (default: STUDY.db, here); an interrupted study goes on in it"},
    Option{"threads", "COUNT",
           "how many threads (default: all cores); under mpirun, of the first rank (default: 1)"},
    Option{"shard", "I/N", "only every N-th point, from the I-th, into STUDY.shard-I-of-N.db: for array jobs"},
    Option{"merge", "", "put the shards beside the store into it; nothing is run", Option::Kind::flag},
    Option{"anew", "", "begin anew: what an older store of this name holds is dropped", Option::Kind::flag},
    Option{"page", "FILE", "where the HTML page goes (default: STUDY-sweep.html, here); not of a shard"},
    kFiguresOption,
    kNoPageOption,
    Option{"csv", "FILE", "the table; of all points"},
    kSetOption,
    Option{"wall-limit", "TIME", "of a point; it is run again with the next start (default: none)"},
    kJsonOption,
    kForceOption,
};

/// "2/3"
bool read_shard(const std::string& text, study::SweepRequest& request) {
  const std::vector<std::string> parts = split_at(text, '/');
  if (parts.size() != 2) return false;
  const Result<double> i = read_number(parts[0]), n = read_number(parts[1]);
  if (!i || !n || *i != static_cast<double>(static_cast<long>(*i)) ||
      *n != static_cast<double>(static_cast<long>(*n)))
    return false;
  if (!(*n >= 1 && *n <= 999'999 && *i >= 1 && *i <= *n)) return false;
  request.shard = static_cast<std::size_t>(*i);
  request.shards = static_cast<std::size_t>(*n);
  return true;
}

struct Plan {
  study::SweepRequest request;
  bool merges = false;
};

Plan read_plan(const Arguments& arguments, const fs::path& file, std::vector<Diagnostic>& errors) {
  Plan plan;
  study::SweepRequest& r = plan.request;
  const std::string name = file.stem().string();
  r.store = file_of(arguments, "out", name + ".db");
  if (r.store.extension().empty()) r.store += ".db";
  r.version = version_number();
  if (arguments.has("anew"))
    r.replace = arguments.has("force") ? study::Replace::any_file : study::Replace::older_store;
  plan.merges = arguments.has("merge");
  r.threads = threads_of(arguments, errors);
  if (const auto limit = arguments.number("wall-limit", dimension::time, errors)) {
    if (!(*limit > 0)) errors.push_back({{"--wall-limit"}, "must be above 0"});
    r.wall_limit_s = *limit;
  }
  if (arguments.has("shard") && !read_shard(arguments.text("shard"), r))
    errors.push_back({{"--shard"}, in_quotes(arguments.text("shard")) + " is not I/N with 1 <= I <= N"});
  if (arguments.has("shard") && plan.merges)
    errors.push_back({{"--merge"}, "does not go with --shard: it takes all shards that are there"});
  r.recordings.folder = fs::path(r.store).replace_extension().string() + "-recordings";
  return plan;
}

/// Report and table of a store that is there.
void show(study::Store& store, const Arguments& arguments, const PageFiles* page, Reply& reply) {
  const study::SweepData data = study::read_sweep(store);
  reply.out = arguments.has("json") ? report::sweep_json(data) : report::sweep_text(data, terminal_style());
  if (arguments.has("csv")) {
    const auto failed = io::write_whole(arguments.text("csv"), report::sweep_csv(data));
    if (failed) reply.code = 1;
    reply.err += failed ? one_line(*failed) + "\n" : "wrote " + arguments.text("csv") + "\n";
  }
  if (page && reply.code == 0) page->write(report::sweep_page(data, version_number()), reply);
}

Reply finished(const study::SweepOutcome& out, const Plan& plan, const Arguments& arguments,
               const PageFiles* page) {
  Reply reply;
  const fs::path path = plan.request.shards > 1
                            ? study::shard_of(plan.request.store, plan.request.shard, plan.request.shards)
                            : plan.request.store;
  Result<std::unique_ptr<study::Store>> store = study::Store::read(path);
  if (!store) return {1, "", one_line(store.errors().front()) + "\n"};
  const study::Store::Counts counts = (*store)->counts();
  if (plan.request.shards == 1 || arguments.has("json"))
    show(**store, arguments, out.interrupted || counts.again > 0 ? nullptr : page, reply);
  const std::size_t settled = counts.done + counts.failed;
  reply.err += fmt::format("{}: {} of {} points{}", path.string(), settled, out.wanted,
                           out.before > 0 ? fmt::format(", {} of them from before", out.before) : "");
  if (out.run > 0 && out.wall_s > 0)
    reply.err += fmt::format("; {} in {:.3g} s, {:.4g} points/s", out.run, out.wall_s,
                             static_cast<double>(out.run) / out.wall_s);
  reply.err += "\n";
  if (counts.again > 0) {
    std::string first;
    (*store)->each_row([&first](const study::Store::Row& row) {
      if (row.status == study::PointStatus::again && first.empty()) first = row.reason;
    });
    reply.err +=
        fmt::format("percuss: error: {} of {} points are to be run again, which the same command does: {}\n",
                    counts.again, out.wanted, first);
  }
  if (out.interrupted) reply.err += "interrupted: what was computed is kept; the same command goes on\n";
  const bool all_settled = settled >= out.wanted;
  if (!all_settled && !out.interrupted && counts.again == 0 && !plan.merges)
    reply.err += "points are missing; the same command runs them\n";
  reply.code = out.interrupted ? 130 : !all_settled || counts.done == 0 ? 1 : reply.code;
  return reply;
}

/// Ranks part on every way out.
struct Leaving {
  Leaving() = default;
  ~Leaving() { study::ranks::leave(); }
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;
};

Reply sweep(const Arguments& arguments) {
  const Leaving leaving;
  std::vector<Diagnostic> errors;
  const fs::path file = arguments.text("positional");
  if (file.empty()) return refuse({{{"percuss"}, "the name of a study file is missing"}});
  Plan plan = read_plan(arguments, file, errors);
  const bool is_shard = plan.request.shards > 1;  // independent, whoever starts it
  const fs::path own_store =
      is_shard ? study::shard_of(plan.request.store, plan.request.shard, plan.request.shards) : plan.request.store;
  const std::vector<std::string> inputs{file.string(), own_store.string()};
  std::vector<std::string> tables;
  if (arguments.has("csv")) tables.push_back(arguments.text("csv"));
  std::optional<PageFiles> page;
  if (is_shard) {
    for (const char* option : {"page", "figures"})
      if (arguments.has(option))
        errors.push_back({{"--" + std::string(option)}, "does not go with --shard: merge the shards first"});
    for (const Diagnostic& d : io::refusals(tables, inputs, arguments.has("force"))) errors.push_back(d);
  } else {
    page.emplace(arguments, plan.request.store.stem().string() + "-sweep.html", inputs, errors, tables);
  }

  if (file.extension() == ".db") {  // a store alone: nothing to run
    Result<std::unique_ptr<study::Store>> store = study::Store::read(file);
    if (!store) errors.insert(errors.end(), store.errors().begin(), store.errors().end());
    if (!errors.empty()) return refuse(errors);
    Reply reply;
    show(**store, arguments, page ? &*page : nullptr, reply);
    return reply;
  }

  const Result<study::Study> study = study::read_study(file, law_folder(), arguments.texts("set"));
  if (!study) errors.insert(errors.end(), study.errors().begin(), study.errors().end());
  if (study && study->bifurcation && (is_shard || plan.merges))
    errors.push_back({{"percuss"}, "a bifurcation is one chain of runs and has no shards"});
  if (study::ranks::launched_size() > 1 && !study::ranks::built_in() && !is_shard)
    errors.push_back({{"percuss"}, "this program was built without MPI; --shard I/N works without it"});
  if (study && !study->recordings.empty() && errors.empty() && !plan.merges) {
    if (const auto no = io::make_folder(plan.request.recordings.folder)) errors.push_back(*no);
  }
  // All ranks go on, or none does. Rank 0 says why; the others leave without a fuss, or mpirun would end it before
  // it has spoken.
  const bool has_ranks = study::ranks::launched() && study::ranks::built_in() && !is_shard;
  const int rank = has_ranks ? study::ranks::join().rank : 0;
  const Reply own = refuse(errors);
  if (const std::string why = has_ranks ? study::ranks::first_failure(own.err) : own.err; !why.empty())
    return rank == 0 ? Reply{own.err.empty() ? 2 : own.code, "", why} : Reply{0, "", ""};
  const bool leads = rank == 0;
  if (plan.request.wall_limit_s == 0) plan.request.wall_limit_s = study->wall_limit_s;
  if (plan.merges && !leads) return {0, "", ""};
  if (plan.merges) {
    const Result<std::size_t> settled = study::merge_shards(*study, plan.request);
    if (!settled) return refuse(settled.errors());
    study::SweepOutcome out;
    out.wanted = study->design.size();
    Reply reply = finished(out, plan, arguments, page ? &*page : nullptr);
    if (*settled < out.wanted)
      reply.err +=
          fmt::format("{} points are missing; percuss sweep {} runs them\n", out.wanted - *settled, file.string());
    return reply;
  }

  Result<study::SweepOutcome> out = Diagnostic{};
  {
    const Interruptible guard;
    std::optional<Progress> progress;
    plan.request.go_on = [&](std::size_t done, std::size_t all) {
      if (!progress) progress.emplace(static_cast<double>(all), "points", static_cast<double>(done));
      progress->show(static_cast<double>(done));
      return !was_interrupted();
    };
    plan.request.interrupted = was_interrupted;
    out = study::run_sweep(*study, plan.request);
  }
  if (!leads) return {0, "", ""};
  if (!out) {
    Reply reply = refuse(out.errors());
    if (out.errors().front().kind == Diagnostic::Kind::not_written)
      reply.err += "what was kept before stays; the same command goes on once there is room\n";
    return reply;
  }
  Reply reply = finished(*out, plan, arguments, page ? &*page : nullptr);
  if (study->scene && !study->contacts.empty() && !study->bifurcation && !study::needs_horizon(study->outputs))
    reply.err +=
        "note: the scene has contacts, and impacts may depend on the tolerance; the output horizon: horizon says "
        "until when each point is predictable\n";
  return reply;
}

}  // namespace

constinit const Verb kSweepVerb{"sweep",
                                "a study over parameters: grids, samples, bifurcations; resumes after interruption",
                                "  percuss new restitution_study\n"
                                "  percuss sweep restitution_study.yaml\n"
                                "  mpirun -n 8 percuss sweep restitution_study.yaml\n"
                                "  percuss sweep restitution_study.yaml --shard 2/8",
                                kSweepOptions,
                                "STUDY",
                                "a study file; or a store (.db), to look at",
                                sweep};

}  // namespace percuss::cli
