// Result files: what goes in comes out, and what is damaged is refused.
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "percuss/io/checksum.h"
#include "percuss/io/hdf5.h"
#include "percuss/io/result_file.h"
#include "percuss/model/head.h"
#include "percuss/recording/facts.h"
#include "percuss/report/page.h"
#include "percuss/report/run_page.h"
#include "percuss/report/summary.h"
#include "scene_runs.h"

namespace percuss::recording {

using io::Checksum;
using io::read_recording;
using io::ResultSink;

namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("percuss-files-" + std::to_string(::getpid()) + "-" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Two tables and some facts; `rows` of the first.
  void fill(ResultSink& sink, int rows) const {
    sink.begin(head_, {{"joints/a", {{"t", "s"}, {"x", "m"}, {"y", ""}}},
                       {"bodies", {{"x", "m"}, {"y", ""}}, {"one", "two", "three"}},
                       {"impacts", impact_columns()}});
    for (int i = 0; i < rows; ++i)
      ASSERT_TRUE(sink.row(0, std::array{0.1 * i, std::sin(0.1 * i), i % 7 == 0 ? std::nan("") : 1.0 / (i + 1)}));
    for (int i = 0; i < rows; ++i) ASSERT_TRUE(sink.row(1, std::array{1.0 + i, 2.0, 3.0, 4.0, 5.0, 6.0 + i}));
    ASSERT_TRUE(sink.row(2, impact_row(impact_)));
  }
  std::string bytes(const fs::path& path) const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void put(const fs::path& path, const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  fs::path folder_;
  const Head head_ = [] {
    Head head;
    head.title = "a test";
    head.scene_text = std::string(100'000, 'x');
    head.contacts = {"first", "second"};
    return head;
  }();
  const Impact impact_ = [] {
    Impact k;
    k.contact = 1;
    k.touch_s = 3.25;
    k.delivered = 0.5;
    return k;
  }();
  static Recording ended(End end = End::done) {
    Recording r;
    r.end = end;
    r.time_s = 0.1 + 0.2;
    r.ledger.start.kinetic_J = 1.0 / 3;
    r.fingerprint = 0xfedcba9876543210ULL;
    return r;
  }
};

std::vector<Column> model_tables(const SceneRun& run) {
  for (const Table& t : dynamics::tables_of(run.model))
    if (t.name == "channels") return t.columns;
  return std::vector<Column>(3);
}

void expect_rows(const Recording& r, int rows) {
  ASSERT_EQ(r.tables.size(), 3U);
  EXPECT_EQ(r.head.title, "a test");
  EXPECT_EQ(r.head.scene_text.size(), 100'000U);
  EXPECT_EQ(r.head.contacts, (std::vector<std::string>{"first", "second"}));
  ASSERT_EQ(r.impacts.size(), 1U);
  EXPECT_EQ(r.impacts[0].contact, 1);
  EXPECT_EQ(r.impacts[0].touch_s, 3.25);
  EXPECT_EQ(r.impacts[0].delivered, 0.5);
  EXPECT_FALSE(r.impacts[0].energetic);
  EXPECT_FALSE(r.impacts[0].separated());
  const FilledTable* bodies = r.find("bodies");
  ASSERT_TRUE(bodies);
  EXPECT_EQ(bodies->table.items, (std::vector<std::string>{"one", "two", "three"}));
  ASSERT_EQ(bodies->rows(), static_cast<std::size_t>(rows));
  if (rows > 0) {
    EXPECT_EQ(bodies->at(static_cast<std::size_t>(rows) - 1, 1, 2), 5.0 + rows);
    EXPECT_EQ(bodies->at(static_cast<std::size_t>(rows) - 1, 0, 1), 3.0);
  }
  const FilledTable* t = r.find("joints/a");
  ASSERT_TRUE(t);
  ASSERT_EQ(t->rows(), static_cast<std::size_t>(rows));
  EXPECT_EQ(t->table.columns[1].unit, "m");
  for (int i = 0; i < rows; ++i) {
    EXPECT_EQ(t->at(static_cast<std::size_t>(i), 1), std::sin(0.1 * i));
    EXPECT_EQ(i % 7 == 0, std::isnan(t->at(static_cast<std::size_t>(i), 2)));
  }
}

TEST_F(Files, HoldWhatWasWritten) {
  for (const int rows : {0, 1, 511, 512, 513, 3000}) {
    auto sink = ResultSink::open(folder_ / "r.h5");
    ASSERT_TRUE(sink);
    fill(**sink, rows);
    ASSERT_FALSE((*sink)->finish(ended()));
    EXPECT_FALSE(fs::exists(folder_ / "r.h5.partial"));
    const Result<Recording> r = read_recording(folder_ / "r.h5");
    ASSERT_TRUE(r);
    expect_rows(*r, rows);
    EXPECT_EQ(r->end, End::done);
    EXPECT_EQ(r->time_s, 0.1 + 0.2) << "to the last bit";
    EXPECT_EQ(r->ledger.start.kinetic_J, 1.0 / 3);
    EXPECT_EQ(r->fingerprint, 0xfedcba9876543210ULL);
    EXPECT_EQ(r->thinned_by(), 1U);
  }
}

/// What a file holds is what the library holds: every fact, impact, event and row, to the last bit.
TEST_F(Files, HoldTheWholeRecordingOfARun) {
  struct Case {
    const char *scene, *duration_s;
  };
  for (const auto& [scene, duration_s] :
       {Case{"bouncing_ball", "0.45"}, Case{"slider_crank_clearance", "0.02"}, Case{"dropped_box", "0.1"}}) {
    const model::Compiled compiled = shipped(scene, {std::string("solver.duration=") + duration_s});
    auto sink = ResultSink::open(folder_ / "r.h5");
    ASSERT_TRUE(sink);
    dynamics::Options options;
    options.sink = sink->get();
    options.keep_samples = true;
    const Recording run = dynamics::simulate(compiled, options);
    ASSERT_FALSE((*sink)->finish(run));
    const Result<Recording> file = read_recording(folder_ / "r.h5");
    ASSERT_TRUE(file) << scene;
    EXPECT_TRUE(file->head == run.head);
    EXPECT_EQ(closing_facts(*file), closing_facts(run));
    EXPECT_EQ(report::summary_text(*file), report::summary_text(run));
    EXPECT_EQ(report::summary_json(*file), report::summary_json(run));
    EXPECT_EQ(report::page_html(report::run_page(*file)), report::page_html(report::run_page(run)));
    ASSERT_EQ(file->tables.size(), run.tables.size());
    for (const FilledTable& t : run.tables) {
      const FilledTable* other = file->find(t.table.name);
      ASSERT_TRUE(other) << t.table.name;
      EXPECT_TRUE(other->table == t.table) << t.table.name;
      ASSERT_EQ(other->values.size(), t.values.size());
      EXPECT_TRUE(t.values.empty() || std::memcmp(other->values.data(), t.values.data(), 8 * t.values.size()) == 0);
    }
  }
}

/// Names that do not fit into an attribute, rows longer than a block.
TEST_F(Files, HoldTenThousandBodies) {
  Table bodies{"bodies", {{"x", "m"}, {"y", "m"}}, {}};
  for (int i = 0; i < 10'000; ++i) bodies.items.push_back("grain number " + std::to_string(i));
  auto sink = ResultSink::open(folder_ / "r.h5");
  ASSERT_TRUE(sink);
  (*sink)->begin(head_, {bodies});
  std::vector<double> row(bodies.width());
  for (int r = 0; r < 9; ++r) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<double>(i) + 0.1 * r;
    ASSERT_TRUE((*sink)->row(0, row));
  }
  ASSERT_FALSE((*sink)->finish(ended()));
  const Result<Recording> r = read_recording(folder_ / "r.h5");
  ASSERT_TRUE(r);
  ASSERT_EQ(r->tables.size(), 1U);
  EXPECT_TRUE(r->tables[0].table == bodies);
  ASSERT_EQ(r->tables[0].rows(), 9U);
  EXPECT_EQ(r->tables[0].at(8, 1, 9'999), 19'999 + 0.1 * 8);
}

TEST_F(Files, AreTheSameBytesTwice) {
  std::string first;
  for (int k = 0; k < 2; ++k) {
    auto sink = ResultSink::open(folder_ / "r.h5");
    ASSERT_TRUE(sink);
    fill(**sink, 700);
    ASSERT_FALSE((*sink)->finish(ended()));
    if (k == 0) first = bytes(folder_ / "r.h5");
  }
  EXPECT_TRUE(first == bytes(folder_ / "r.h5"));
}

TEST_F(Files, AreThinnedEvenlyOnRequest) {
  auto sink = ResultSink::open(folder_ / "r.h5");
  ASSERT_TRUE(sink);
  fill(**sink, 12'000);
  ASSERT_FALSE((*sink)->finish(ended()));
  const Result<Recording> r = read_recording(folder_ / "r.h5", 10'000);
  ASSERT_TRUE(r);
  const FilledTable* t = r->find("joints/a");
  EXPECT_EQ(t->rows_in_file, 12'000U);
  EXPECT_LE(t->rows(), 2500U);
  EXPECT_GT(r->thinned_by(), 4U);
  const double step = t->at(1, 0) - t->at(0, 0);
  for (std::size_t i = 1; i < t->rows(); ++i) EXPECT_NEAR(t->at(i, 0) - t->at(i - 1, 0), step, 1e-9);
  EXPECT_EQ(r->find("impacts")->rows(), 1U);
}

/// A run that was killed: its journal, cut anywhere, gives the rows that are whole.
TEST_F(Files, OfAKilledRunGiveTheRowsThatReachedTheDisk) {
  auto sink = ResultSink::open(folder_ / "r.h5");
  ASSERT_TRUE(sink);
  fill(**sink, 3000);  // no finish
  sink->reset();
  const std::string whole = bytes(folder_ / "r.h5.partial");
  ASSERT_GT(whole.size(), 100'000U);
  std::size_t before = 0;
  for (std::size_t size = 200'000; size <= whole.size(); size += whole.size() / 37) {
    put(folder_ / "cut", whole.substr(0, size));
    const Result<Recording> r = read_recording(folder_ / "cut");
    ASSERT_TRUE(r) << size;
    ASSERT_EQ(r->tables.size(), 3U);
    EXPECT_EQ(r->end, End::killed);
    const FilledTable* t = r->find("joints/a");
    EXPECT_GE(t->rows(), before);
    before = t->rows();
    for (std::size_t i = 0; i < t->rows(); ++i) EXPECT_EQ(t->at(i, 0), 0.1 * static_cast<double>(i));
  }
  EXPECT_GT(before, 1000U);
}

/// Of all that can happen to bytes (bits flipped, bytes changed, ends lost, blocks of zeros), nothing is read as
/// good.
TEST_F(Files, ThatAreDamagedAreRefused) {
  auto sink = ResultSink::open(folder_ / "r.h5");
  ASSERT_TRUE(sink);
  fill(**sink, 800);
  ASSERT_FALSE((*sink)->finish(ended()));
  const std::string whole = bytes(folder_ / "r.h5");
  std::mt19937 random(3);
  const auto place = [&](std::size_t below) { return static_cast<std::size_t>(random()) % below; };
  const auto expect_refused = [&](const std::string& damaged, const char* what) {
    if (damaged == whole) return;
    put(folder_ / "d.h5", damaged);
    const Result<Recording> r = read_recording(folder_ / "d.h5");
    ASSERT_FALSE(r) << what;
    EXPECT_EQ(r.errors().size(), 1U);
  };
  for (int k = 0; k < 300; ++k) {  // half of them in the first bytes, where the structure is
    std::string d = whole;
    const std::size_t at = place(k % 2 == 0 ? 4096 : d.size());
    d[at] = static_cast<char>(d[at] ^ (1 << place(8)));
    expect_refused(d, "a bit");
  }
  for (int k = 0; k < 100; ++k) {
    std::string d = whole;
    for (int j = 0; j < 20; ++j) d[place(d.size())] = static_cast<char>(random());
    expect_refused(d, "bytes");
  }
  for (int k = 0; k < 200; ++k) expect_refused(whole.substr(0, place(whole.size())), "an end");
  for (int k = 0; k < 100; ++k) {
    std::string d = whole;
    const std::size_t at = place(d.size() - 512);
    std::fill_n(d.begin() + static_cast<std::ptrdiff_t>(at), 512, '\0');
    expect_refused(d, "a block");
  }
  expect_refused(whole + "x", "more");
}

/// Damaged journals end where the damage is.
TEST_F(Files, JournalsThatAreDamagedDoNotCrash) {
  auto sink = ResultSink::open(folder_ / "r.h5");
  ASSERT_TRUE(sink);
  fill(**sink, 300);
  sink->reset();
  const std::string whole = bytes(folder_ / "r.h5.partial");
  std::mt19937 random(5);
  for (int k = 0; k < 200; ++k) {
    std::string d = whole;
    for (int j = 0; j <= k % 4; ++j) {
      const std::size_t at = static_cast<std::size_t>(random()) % d.size();
      d[at] = static_cast<char>(d[at] ^ (1 << (random() % 8)));
    }
    if (k % 5 == 0) d.resize(static_cast<std::size_t>(random()) % d.size());
    put(folder_ / "d", d);
    const Result<Recording> r = read_recording(folder_ / "d");
    if (!r) continue;
    const FilledTable* t = r->find("joints/a");
    for (std::size_t i = 0; t && i < t->rows(); ++i) EXPECT_EQ(t->at(i, 0), 0.1 * static_cast<double>(i));
  }
}

/// Numbers that do not exist are told of once, by their name; the run goes on.
TEST(Warnings, TellOfChannelsAndEventsThatAreNotANumber) {
  const SceneRun run = run_text(
      "planar: true\nbodies:\n  a: {mass: 1, inertia: 1, velocity: [1, 0]}\n"
      "outputs: {every: 0.1, channels: {good: a.x, bad: sqrt(a.x - 10)}}\n"
      "events:\n  never: {when: log(a.x - 10) crosses 0, then: [record]}\nsolver: {duration: 1 s}\n");
  ASSERT_EQ(run.recording.warnings.size(), 2U);
  std::string all;
  for (const std::string& w : run.recording.warnings) all += w + "\n";
  EXPECT_NE(all.find("outputs: bad is not a number at t = 0 s"), std::string::npos) << all;
  EXPECT_NE(all.find("event \"never\": its expression is not a number"), std::string::npos) << all;
  EXPECT_TRUE(run.recording.events.empty());
  const auto& columns = model_tables(run);
  EXPECT_EQ(columns[1].unit, "m") << "of a single quantity";
  EXPECT_EQ(columns[2].unit, "");
}

/// The content of a law file is part of what was computed.
TEST_F(Files, AnotherLawFileIsAnotherScene) {
  put(folder_ / "s.yaml",
      "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.2]}\n  ground: {shape: {kind: "
      "plane}}\n"
      "contacts:\n  bounce: {between: [ball, ground], law_file: law.yaml, stiffness: 1e8}\nsolver: {duration: 1 "
      "s}\n");
  std::vector<std::string> hashes;
  for (const char* factor : {"1.0", "1.1", "1.0"}) {
    put(folder_ / "law.yaml", std::string("force: ") + factor + "*K*delta^1.5\n");
    const model::Compiled c = must_compile(io::read_scene(folder_ / "s.yaml"));
    ASSERT_FALSE(c.model.bodies.empty());
    hashes.push_back(model::head_of(c.model, c.settings).scene_hash);
    ASSERT_EQ(c.model.provenance.inputs.size(), 1U);
    EXPECT_TRUE(c.model.provenance.inputs[0].ends_with(" law.yaml"));
  }
  EXPECT_NE(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Checksum, DoesNotDependOnThePartsThatBytesComeIn) {
  std::string text(1000, '\0');
  std::mt19937 random(1);
  for (char& c : text) c = static_cast<char>(random());
  Checksum whole;
  whole.add(text.data(), text.size());
  for (int k = 0; k < 100; ++k) {
    Checksum parts;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = std::min<std::size_t>(text.size() - at, random() % 40);
      parts.add(text.data() + at, size);
      at += size;
    }
    EXPECT_EQ(parts.value(), whole.value());
  }
}

}  // namespace
}  // namespace percuss::recording
