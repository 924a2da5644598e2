// What is missing, who computes it, where it goes.
#include "percuss/study/sweep/sweep.h"

#include <algorithm>
#include <chrono>

#include "percuss/base/pool.h"
#include "percuss/study/sweep/bifurcation.h"
#include "percuss/study/sweep/workers.h"

namespace percuss::study {

namespace fs = std::filesystem;

namespace {

/// Impacts take microseconds: many are dealt out at once. A chunk stays well below the second that a kill may cost.
std::size_t chunk_of(const Study& study) { return study.scene ? 1 : 256; }

}  // namespace

fs::path shard_of(const fs::path& store, std::size_t shard, std::size_t shards) {
  fs::path out = store;
  out.replace_extension();
  return out.string() + ".shard-" + std::to_string(shard) + "-of-" + std::to_string(shards) +
         store.extension().string();
}

Result<SweepOutcome> run_sweep(const Study& study, const SweepRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  // shards are independent, whoever starts them
  const ranks::Place place = ranks::launched() && request.shards == 1 ? ranks::join() : ranks::Place{};
  Work work;
  work.chunk = chunk_of(study);
  work.threads = threads_for(request.threads == 0 && place.size > 1 ? 1 : request.threads);
  work.make_runner = [&] {
    return PointRunner(study, request.recordings, request.wall_limit_s,
                       [&request] { return !request.interrupted || !request.interrupted(); });
  };
  work.keep = [](const std::vector<PointResult>&) { return true; };
  work.go_on = [] { return true; };
  if (place.rank > 0) {
    if (!study.bifurcation) ranks::follow(work);
    return SweepOutcome{};
  }

  const fs::path path = request.shards > 1 ? shard_of(request.store, request.shard, request.shards) : request.store;
  Result<std::unique_ptr<Store>> store = Store::open(path, study, request.version, request.replace);
  if (!store) {
    if (place.size > 1 && !study.bifurcation) ranks::lead(work);  // sends the others home
    return store.errors();
  }
  SweepOutcome out;
  out.ranks = place.size;
  if (study.bifurcation) {
    const auto failed = follow_branches(study, **store, request, out);
    if (failed) return *failed;
    out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
  }
  const std::vector<char> settled = (*store)->settled(study.design.size());
  for (std::size_t p = request.shard - 1; p < study.design.size(); p += request.shards) {
    ++out.wanted;
    if (!settled[p]) work.points.push_back(p);
  }
  out.before = out.wanted - work.points.size();

  std::optional<Diagnostic> failed;
  work.keep = [&](std::vector<PointResult> results) {
    // a rank may be told to stop alone: what it gives back unfinished ends the study, to go on another time
    if (std::erase_if(results, [](const PointResult& r) { return r.status == PointStatus::interrupted; }) > 0)
      out.interrupted = true;
    if (!results.empty()) failed = (*store)->put(results, study.design);
    if (!failed) out.run += results.size();
    return !failed;
  };
  work.go_on = [&] {
    if (!failed) failed = (*store)->commit(false);
    if (failed) return false;
    out.interrupted = out.interrupted || (request.go_on && !request.go_on(out.before + out.run, out.wanted)) ||
                      (request.interrupted && request.interrupted());
    return !out.interrupted;
  };
  if (place.size > 1)
    ranks::lead(work);
  else
    work_on_threads(work);
  if (!failed) failed = (*store)->commit(true);
  if (failed) return *failed;
  out.interrupted = out.interrupted || (request.interrupted && request.interrupted());
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

Result<std::size_t> merge_shards(const Study& study, const SweepRequest& request) {
  // NAME.shard-I-of-N.db, all of one N
  fs::path stem = request.store;
  stem.replace_extension();
  const std::string head = stem.filename().string() + ".shard-", tail = request.store.extension().string();
  const fs::path folder = request.store.has_parent_path() ? request.store.parent_path() : fs::path(".");
  std::vector<fs::path> found;
  std::size_t shards = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t of = name.find("-of-", head.size());
    if (!name.starts_with(head) || !name.ends_with(tail) || of == std::string::npos) continue;
    const std::string count = name.substr(of + 4, name.size() - tail.size() - of - 4);
    if (count.empty() || count.size() > 6 || count.find_first_not_of("0123456789") != std::string::npos) continue;
    if (shards != 0 && std::stoul(count) != shards)
      return Diagnostic{{folder.string()},
                        "shards of " + std::to_string(shards) + " and of " + count +
                            " stand beside each other; keep those of one run"};
    shards = std::stoul(count);
    found.push_back(entry.path());
  }
  if (shards == 0) return Diagnostic{{(folder / (head + "I-of-N" + tail)).string()}, "there is no shard to merge"};
  std::vector<Diagnostic> missing;
  for (std::size_t i = 1; i <= shards; ++i)
    if (!fs::exists(shard_of(request.store, i, shards), error))
      missing.push_back({{shard_of(request.store, i, shards).string()}, "this shard is missing"});
  if (!missing.empty()) return missing;

  for (const fs::path& shard : found)  // each must be of this study, and nobody's at the moment
    if (const auto one = Store::open(shard, study, request.version, Replace::nothing); !one) return one.errors();
  Result<std::unique_ptr<Store>> store = Store::open(request.store, study, request.version, request.replace);
  if (!store) return store.errors();
  for (const fs::path& shard : found)
    if (const auto failed = (*store)->take_from(shard)) return *failed;
  const Store::Counts counts = (*store)->counts();
  return counts.done + counts.failed;
}

}  // namespace percuss::study
