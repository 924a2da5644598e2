// Result files: what goes in comes out, and what is damaged is refused.
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <random>

#include "percuss/io/checksum.h"
#include "percuss/io/hdf5.h"
#include "percuss/io/result_file.h"
#include "percuss/recording/results.h"
#include "scene_runs.h"

namespace percuss::recording {

using io::Checksum;
using io::read_results;
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
    sink.define({{"bodies/a", {{"t", "s"}, {"x", "m"}, {"y", ""}}}, {"impacts", {{"t", "s"}}}});
    for (int i = 0; i < rows; ++i)
      ASSERT_TRUE(sink.row(0, std::array{0.1 * i, std::sin(0.1 * i), i % 7 == 0 ? std::nan("") : 1.0 / (i + 1)}));
    ASSERT_TRUE(sink.row(1, std::array{3.25}));
  }
  std::string bytes(const fs::path& path) const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void put(const fs::path& path, const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  fs::path folder_;
  const Facts facts_{{"title", "a test"}, {"long", std::string(100'000, 'x')}, {"empty", ""}};
};

void expect_rows(const Results& r, int rows) {
  ASSERT_EQ(r.tables.size(), 2U);
  EXPECT_EQ(r.fact("title"), "a test");
  EXPECT_EQ(r.fact("long").size(), 100'000U);
  const FilledTable* t = r.find("bodies/a");
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
    auto sink = ResultSink::open(folder_ / "r.h5", facts_);
    ASSERT_TRUE(sink);
    fill(**sink, rows);
    ASSERT_FALSE((*sink)->finish("complete", {{"end", "done"}}));
    EXPECT_FALSE(fs::exists(folder_ / "r.h5.partial"));
    const Result<Results> r = read_results(folder_ / "r.h5");
    ASSERT_TRUE(r);
    expect_rows(*r, rows);
    EXPECT_EQ(r->fact("status"), "complete");
    EXPECT_EQ(r->thinned_by(), 1U);
  }
}

TEST_F(Files, AreTheSameBytesTwice) {
  std::string first;
  for (int k = 0; k < 2; ++k) {
    auto sink = ResultSink::open(folder_ / "r.h5", facts_);
    ASSERT_TRUE(sink);
    fill(**sink, 700);
    ASSERT_FALSE((*sink)->finish("complete", {}));
    if (k == 0) first = bytes(folder_ / "r.h5");
  }
  EXPECT_TRUE(first == bytes(folder_ / "r.h5"));
}

TEST_F(Files, AreThinnedEvenlyOnRequest) {
  auto sink = ResultSink::open(folder_ / "r.h5", facts_);
  ASSERT_TRUE(sink);
  fill(**sink, 12'000);
  ASSERT_FALSE((*sink)->finish("complete", {}));
  const Result<Results> r = read_results(folder_ / "r.h5", 10'000);
  ASSERT_TRUE(r);
  const FilledTable* t = r->find("bodies/a");
  EXPECT_EQ(t->rows_in_file, 12'000U);
  EXPECT_LE(t->rows(), 2500U);
  EXPECT_GT(r->thinned_by(), 4U);
  const double step = t->at(1, 0) - t->at(0, 0);
  for (std::size_t i = 1; i < t->rows(); ++i) EXPECT_NEAR(t->at(i, 0) - t->at(i - 1, 0), step, 1e-9);
  EXPECT_EQ(r->find("impacts")->rows(), 1U);
}

/// A run that was killed: its journal, cut anywhere, gives the rows that are whole.
TEST_F(Files, OfAKilledRunGiveTheRowsThatReachedTheDisk) {
  auto sink = ResultSink::open(folder_ / "r.h5", facts_);
  ASSERT_TRUE(sink);
  fill(**sink, 3000);  // no finish
  sink->reset();
  const std::string whole = bytes(folder_ / "r.h5.partial");
  ASSERT_GT(whole.size(), 100'000U);
  std::size_t before = 0;
  for (std::size_t size = 200'000; size <= whole.size(); size += whole.size() / 37) {
    put(folder_ / "cut", whole.substr(0, size));
    const Result<Results> r = read_results(folder_ / "cut");
    ASSERT_TRUE(r) << size;
    ASSERT_EQ(r->tables.size(), 2U);
    EXPECT_EQ(r->fact("status"), "partial");
    const FilledTable* t = r->find("bodies/a");
    EXPECT_GE(t->rows(), before);
    before = t->rows();
    for (std::size_t i = 0; i < t->rows(); ++i) EXPECT_EQ(t->at(i, 0), 0.1 * static_cast<double>(i));
  }
  EXPECT_GT(before, 1000U);
}

/// Of all that can happen to bytes (bits flipped, bytes changed, ends lost, blocks of zeros), nothing is read as
/// good.
TEST_F(Files, ThatAreDamagedAreRefused) {
  auto sink = ResultSink::open(folder_ / "r.h5", facts_);
  ASSERT_TRUE(sink);
  fill(**sink, 800);
  ASSERT_FALSE((*sink)->finish("complete", {}));
  const std::string whole = bytes(folder_ / "r.h5");
  std::mt19937 random(3);
  const auto place = [&](std::size_t below) { return static_cast<std::size_t>(random()) % below; };
  const auto expect_refused = [&](const std::string& damaged, const char* what) {
    if (damaged == whole) return;
    put(folder_ / "d.h5", damaged);
    const Result<Results> r = read_results(folder_ / "d.h5");
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
  auto sink = ResultSink::open(folder_ / "r.h5", {{"title", "a test"}});
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
    const Result<Results> r = read_results(folder_ / "d");
    if (!r) continue;
    const FilledTable* t = r->find("bodies/a");
    for (std::size_t i = 0; t && i < t->rows(); ++i) EXPECT_EQ(t->at(i, 0), 0.1 * static_cast<double>(i));
  }
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
