// What runs on several threads gives the numbers of one; run under TSan, too.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>

#include "percuss/contact/rows.h"
#include "percuss/impact/batch.h"
#include "percuss/study/compare.h"
#include "percuss/study/identify/identify.h"
#include "percuss/study/jobs.h"
#include "percuss/study/sweep/sweep.h"

namespace percuss::study {
namespace {

constexpr unsigned kThreads = 4;

TEST(Jobs, AreEachDoneOnceAndProgressIsAskedByOneThreadAtATime) {
  constexpr std::size_t kCount = 500;
  std::vector<int> times(kCount, 0);
  int asked = 0;  // without a lock: that is what is promised
  EXPECT_TRUE(do_jobs(
      kCount, kThreads,
      [&](std::size_t done, std::size_t all) {
        ++asked;
        return done <= all;
      },
      [&](std::size_t i, const std::function<bool()>& go_on) {
        ++times[i];
        go_on();
      }));
  EXPECT_EQ(std::set<int>(times.begin(), times.end()), std::set<int>{1});
  EXPECT_GT(asked, 0);
}

TEST(Jobs, EndWhenToldSo) {
  std::atomic<int> done = 0;
  EXPECT_FALSE(do_jobs(
      1000, kThreads, [](std::size_t so_far, std::size_t) { return so_far < 3; },
      [&](std::size_t, const std::function<bool()>&) { ++done; }));
  EXPECT_LT(done, 1000);
}

TEST(Jobs, HandTheFirstExceptionToWhoCalled) {
  EXPECT_THROW(do_jobs(100, kThreads, {},
                       [](std::size_t i, const std::function<bool()>&) {
                         if (i == 37) throw std::runtime_error("no more");
                       }),
               std::runtime_error);
}

TEST(Threads, BatchesGiveTheNumbersOfOneThread) {
  constexpr std::size_t kCount = 100'000;  // above what a thread is worth
  std::vector<double> restitution(kCount), stiffness(kCount, 1e8), mass(kCount, 1.0), velocity(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    restitution[i] = 0.1 + 0.9 * static_cast<double>(i) / kCount;
    velocity[i] = 0.1 + static_cast<double>(i % 100) / 10;
  }
  std::vector<std::vector<double>> results;
  for (const unsigned threads : {1U, kThreads}) {
    std::vector<double> got(kCount), depth(kCount), force(kCount), of_law(kCount);
    impact::collide_batch(*contact::find_dissipation("flores"), contact::Calibration::published, 1.5,
                          {restitution, stiffness, mass, velocity}, {got, depth, force}, threads);
    contact::LawRequest request;
    request.law = "flores";
    request.restitution = 0.7;
    request.stiffness = 1e8;
    const Result<contact::LawSpec> spec = contact::specify(request);
    ASSERT_TRUE(spec) << spec.errors().front().text;
    contact::forces_N(contact::latch(*spec, 1, 1), depth, velocity, {}, of_law, threads);
    for (const std::vector<double>& v : {depth, force, of_law}) got.insert(got.end(), v.begin(), v.end());
    results.push_back(std::move(got));
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Threads, ComparedLawsGiveTheNumbersOfOneThread) {
  CompareRequest request;
  request.scene_file = PERCUSS_SOURCE "/scenes/bouncing_ball.yaml";
  request.overrides = {"solver.duration=0.6", "solver.tolerance=1e-6"};
  request.laws = {"flores", "hunt-crossley", "tsuji", "walton-braun", "exact"};
  request.go_on = [](std::size_t, std::size_t) { return true; };
  request.threads = 1;
  const Result<Comparison> one = compare(request);
  request.threads = kThreads;
  const Result<Comparison> many = compare(request);
  ASSERT_TRUE(one && many);
  EXPECT_EQ(one->ranking, many->ranking);
  for (std::size_t i = 0; i < one->runs.size(); ++i)
    EXPECT_EQ(one->runs[i].recording.fingerprint, many->runs[i].recording.fingerprint) << one->runs[i].law;
}

std::vector<Store::Row> rows_of(const std::filesystem::path& path) {
  std::vector<Store::Row> rows;
  const auto store = Store::read(path);
  if (store) (*store)->each_row([&](const Store::Row& row) { rows.push_back(row); });
  return rows;
}

TEST(Threads, SweepsOfImpactsAndScenesGiveTheTableOfOneThread) {
  const std::string studies[] = {
      "impact: {law: flores, stiffness: 1e8, mass: 1 kg}\n"
      "axes: {restitution: {from: 0.3, to: 1}, velocity: {distribution: lognormal, mean: 1 m/s, deviation: 0.2 "
      "m/s}}\n"
      "points: 300\noutputs: {got: delivered, peak: peak_force, time: duration}\n",
      "scene: ../scenes/bouncing_ball.yaml\nset: [solver.duration=0.6, solver.tolerance=1e-6]\n"
      "axes: {ball.restitution: {from: 0.3, to: 0.9, count: 12}}\noutputs: {hits: impacts, lost: lost}\n"};
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("percuss-threads-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const std::string& text : studies) {
    const Result<Study> study = read_study_text(text, PERCUSS_SOURCE "/studies/made_up.yaml", "");
    ASSERT_TRUE(study) << study.errors().front().text;
    std::vector<std::vector<Store::Row>> tables;
    for (const unsigned threads : {1U, kThreads}) {
      SweepRequest request;
      request.store = folder / ("with-" + std::to_string(threads) + ".db");
      request.replace = Replace::older_store;
      request.threads = threads;
      request.go_on = [](std::size_t, std::size_t) { return true; };
      const Result<SweepOutcome> outcome = run_sweep(*study, request);
      ASSERT_TRUE(outcome) << outcome.errors().front().text;
      tables.push_back(rows_of(request.store));
    }
    ASSERT_EQ(tables[0].size(), study->design.size());
    ASSERT_EQ(tables[1].size(), study->design.size());
    for (std::size_t i = 0; i < tables[0].size(); ++i) {
      EXPECT_EQ(tables[0][i].status, PointStatus::done) << tables[0][i].reason;
      EXPECT_EQ(tables[0][i].outputs, tables[1][i].outputs) << "point " << i;
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(Threads, FitsOfSeveralLawsGiveTheNumbersOfOneThread) {
  const Result<Fit> fit = read_fit_text(
      "impact: {mass: 0.54 kg, velocity: 0.5 m/s, stiffness: 2e10}\nlaws: [flores, exact, hunt-crossley, tsuji]\n"
      "free: {restitution: {from: 0.5, to: 1}}\nstarts: 2\n"
      "data: {c: {file: alves_c1_restitution.csv, kind: restitution-speed, columns: {velocity: v (m/s), "
      "restitution: "
      "c}}}\n",
      PERCUSS_SOURCE "/studies/made_up.yaml", "");
  ASSERT_TRUE(fit) << fit.errors().front().text;
  IdentifyRequest request;
  request.profiles = false;
  request.go_on = [](std::size_t, std::size_t) { return true; };
  request.threads = 1;
  const Result<Identification> one = identify(*fit, request);
  request.threads = kThreads;
  const Result<Identification> many = identify(*fit, request);
  ASSERT_TRUE(one && many);
  for (std::size_t i = 0; i < one->laws.size(); ++i)
    EXPECT_EQ(one->laws[i].parameters.front().value, many->laws[i].parameters.front().value) << one->laws[i].law;
}

}  // namespace
}  // namespace percuss::study
