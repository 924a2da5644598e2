// Disks that are full, files that may not grow, folders that may not be written, stdout that takes nothing.
#include <sys/mount.h>

#include "percuss/io/checkpoint_file.h"
#include "run.h"

namespace percuss::tests {
namespace {

const std::string kScenes = PERCUSS_SOURCE "/scenes/";

/// Every verb that writes files, with small work.
struct Writing {
  const char* name;
  std::string words;
  std::string writes;  // one of the files
};

std::vector<Writing> writing_verbs() {
  const std::string ball = "'" + kScenes + "bouncing_ball.yaml' --set solver.duration=0.6";
  return {
      {"run", "run " + ball, "bouncing_ball.h5"},
      {"run csv", "run " + ball + " --no-h5 --csv tables", "tables/bodies_ball.csv"},
      {"report", "report ../ready/bouncing_ball.h5", "bouncing_ball.html"},
      {"figures", "report ../ready/bouncing_ball.h5 --no-page --figures figures", "figures/force.svg"},
      {"export csv", "export ../ready/bouncing_ball.h5 --csv csv", "csv/ledger.csv"},
      {"export vtk", "export ../ready/bouncing_ball.h5 --vtk vtk", "vtk/bodies.pvd"},
      {"compare", "compare " + ball + " --laws flores,hertz --out compared.html", "compared.html"},
      {"impact",
       "impact --law flores --restitution 0.6 --stiffness 1e8 --mass 1 --velocity 1 --csv impact.csv "
       "--svg impact.svg",
       "impact.csv"},
      {"sweep", "sweep ../ready/study.yaml", "study.db"},
      {"new", "new bouncing_ball", "bouncing_ball.yaml"},
  };
}

class FilesThatTellTheTruth : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::filesystem::create_directories(folder_ / "ready");
    std::filesystem::create_directories(folder_ / "small");
    ASSERT_EQ(percuss("run '" + kScenes + "bouncing_ball.yaml' --set solver.duration=0.6 --out ready").code, 0);
    write("ready/study.yaml", "scene: '" + kScenes +
                                  "bouncing_ball.yaml'\nset: [solver.duration=0.5]\n"
                                  "axes: {bounce.restitution: {values: [0.5, 0.7]}}\n"
                                  "outputs: {z: \"ball.z[max]\"}\nrecordings: [0, 1]\n");
  }
  /// As `percuss`, in the folder `small`.
  Said in_small(const std::string& words, const std::string& before = "") const {
    const std::string out = (folder_ / ".out").string(), err = (folder_ / ".err").string();
    const std::string line = "cd '" + (folder_ / "small").string() + "' && " + before + " '" PERCUSS_PROGRAM "' " +
                             words + " >'" + out + "' 2>'" + err + "' </dev/null";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
  }
  static long lines_with(const std::string& text, const std::string& word) {
    long count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
  }
};

/// Done, or one line of error and exit 1; never a crash.
void expect_honest(const Said& said, const std::string& what) {
  EXPECT_TRUE(said.code == 0 || said.code == 1) << what << ": exit " << said.code << "\n" << said.err;
  EXPECT_EQ(said.code == 1, said.err.find("error: ") != std::string::npos) << what << "\n" << said.err;
}

TEST_F(FilesThatTellTheTruth, OnADiskThatIsFull) {
  if (::geteuid() != 0) GTEST_SKIP() << "a disk of a given size needs root";
  for (const Writing& verb : writing_verbs()) {
    bool was_enough = false, was_too_small = false;
    for (const int kib : {4, 8, 12, 20, 36, 64, 100, 150, 220, 300, 450, 700, 1200, 3000, 9000}) {
      const std::string size = "size=" + std::to_string(kib) + "k";
      if (::mount("tmpfs", (folder_ / "small").c_str(), "tmpfs", 0, size.c_str()) != 0)
        GTEST_SKIP() << "no disk can be mounted here";
      const std::string what = std::string(verb.name) + " on " + std::to_string(kib) + " KiB";
      const Said said = in_small(verb.words);
      expect_honest(said, what);
      (said.code == 0 ? was_enough : was_too_small) = true;
      EXPECT_TRUE(said.code != 0 || std::filesystem::exists(folder_ / "small" / verb.writes)) << what;
      ::umount((folder_ / "small").c_str());
      if (was_enough && was_too_small && kib > 1000) break;
    }
    EXPECT_TRUE(was_enough) << verb.name;
    EXPECT_TRUE(was_too_small || verb.name == std::string("new")) << verb.name;  // a copy of a scene fits
  }
}

TEST_F(FilesThatTellTheTruth, WhereFilesMayNotGrow) {
  for (const Writing& verb : writing_verbs())
    for (const int blocks : {1, 10, 100, 400}) {  // of 512 bytes
      expect_honest(in_small(verb.words, "ulimit -f " + std::to_string(blocks) + "; "),
                    std::string(verb.name) + " with files of " + std::to_string(blocks) + " blocks");
      std::filesystem::remove_all(folder_ / "small");
      std::filesystem::create_directories(folder_ / "small");
    }
}

TEST_F(FilesThatTellTheTruth, AnOldResultStaysAndThePartialOneCanBeRead) {
  const std::string scene = "'" + kScenes + "bouncing_ball.yaml'";
  ASSERT_EQ(in_small("run " + scene + " --set solver.duration=0.6").code, 0);
  const std::string old = contents(folder_ / "small/bouncing_ball.h5");
  const Said said = in_small("run " + scene, "ulimit -f 300; ");
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(lines_with(said.err, "error: "), 1) << said.err;
  EXPECT_NE(said.err.find("bouncing_ball.h5.partial has what there is"), std::string::npos) << said.err;
  EXPECT_TRUE(contents(folder_ / "small/bouncing_ball.h5") == old);
  ASSERT_EQ(in_small("export bouncing_ball.h5.partial --csv tables").code, 0);
  EXPECT_GT(contents(folder_ / "small/tables/bodies_ball.csv").size(), 10'000U);
  EXPECT_EQ(in_small("report bouncing_ball.h5.partial --out page.html").code, 0);
}

TEST_F(FilesThatTellTheTruth, EveryVerbNoticesThatStdoutTakesNothing) {
  const std::string ball = "'" + kScenes + "bouncing_ball.yaml'";
  for (const std::string& words :
       {std::string("laws"), std::string("laws --json"), std::string("schema"), std::string("schema --json"),
        std::string("--help"), std::string("--version"), std::string("new"), "check " + ball,
        "run " + ball + " --no-h5", "run " + ball + " --no-h5 --json", std::string("map --json"),
        std::string("impact --law flores --restitution 0.6 --stiffness 1e8 --mass 1 --velocity 1"),
        "percussion '" + kScenes + "hanging_cradle.yaml'",
        "compare " + ball + " --set solver.duration=0.5 --laws flores --no-page",
        std::string("report ready/bouncing_ball.h5 --out page.html"), std::string("run --help")}) {
    const std::string line = "cd '" + folder_.string() + "' && '" PERCUSS_PROGRAM "' " + words + " >/dev/full 2>'" +
                             (folder_ / ".err").string() + "' </dev/null";
    const int status = std::system(line.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << words;
    EXPECT_EQ(WEXITSTATUS(status), 1) << words;
    EXPECT_NE(contents(folder_ / ".err").find("could not be written to stdout"), std::string::npos) << words;
  }
}

// ---- runs that go on

class RunsThatGoOn : public Command {
 protected:
  const std::string scene_ = "'" + kScenes +
                             "slider_crank_clearance.yaml' --set solver.duration=1 --set outputs.account=true "
                             "--set outputs.every=1e-4";
  std::string result() const { return contents(folder_ / "slider_crank_clearance.h5"); }

  /// Starts the program, and ends it after some time if it is still there. True: it had to be ended.
  bool ended_after(const std::string& words, const char* signal, int milliseconds) const {
    char seconds[16];
    std::snprintf(seconds, sizeof(seconds), "%.3f", milliseconds / 1000.0);
    const std::string line = "cd '" + folder_.string() + "' && timeout --preserve-status -s " + signal + " " +
                             seconds + " '" PERCUSS_PROGRAM "' " + words + " >.out 2>.err </dev/null";
    const int status = std::system(line.c_str());
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
};

TEST_F(RunsThatGoOn, AfterTenKillsToTheSameFile) {
  ASSERT_EQ(percuss("run " + scene_ + " --out .").code, 0);
  const std::string whole = result();
  std::filesystem::remove(folder_ / "slider_crank_clearance.h5");
  int kills = 0;
  bool ended = ended_after("run " + scene_ + " --checkpoint 20ms", "KILL", 300);
  std::uint32_t random = 12345;
  for (; ended && kills < 10; ++kills) {
    random = random * 1664525 + 1013904223;
    ended =
        ended_after("run " + scene_ + " --resume --checkpoint 20ms", "KILL", 50 + static_cast<int>(random >> 24));
  }
  EXPECT_GE(kills, 3);
  if (ended) {
    const Said last = percuss("run " + scene_ + " --resume");
    EXPECT_EQ(last.code, 0) << last.err;
  }
  EXPECT_TRUE(result() == whole) << "after " << kills << " kills";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "slider_crank_clearance.h5.partial"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "slider_crank_clearance.h5.checkpoint"));
}

TEST_F(RunsThatGoOn, AfterCtrlCAndOnlyIfTheyAreTheSame) {
  ASSERT_EQ(percuss("run " + scene_).code, 0);
  const std::string whole = result();
  ASSERT_TRUE(ended_after("run " + scene_, "INT", 500));
  EXPECT_NE(contents(folder_ / ".err").find("--resume goes on"), std::string::npos) << contents(folder_ / ".err");
  const auto refused = [&](const std::string& words, const std::string& why) {
    const Said said = percuss("run " + words);
    EXPECT_EQ(said.code, 2) << words;
    EXPECT_NE(said.err.find(why), std::string::npos) << said.err;
  };
  refused(scene_ + " --resume --set solver.tolerance=1e-8", "the solver differs");
  refused(scene_ + " --resume --set crank.mass=0.31", "the scene differs");
  refused(scene_ + " --resume --no-h5", "needs a result file");
  refused(scene_ + " --resume --csv tables", "percuss export");
  refused("'" + kScenes + "bouncing_ball.yaml' --resume", "there is no checkpoint");
  const std::filesystem::path kept = folder_ / "slider_crank_clearance.h5.checkpoint";
  const std::string good = contents(kept);
  std::string bad = good;
  bad[bad.size() / 2] ^= 4;
  write(kept.filename().string(), bad);
  refused(scene_ + " --resume", "is damaged");
  write(kept.filename().string(), good);
  auto other = io::read_checkpoint(kept);  // a State that does not fit: nothing is lost by trying
  ASSERT_TRUE(other);
  other->state.clear();
  ASSERT_FALSE(io::write_checkpoint(kept, *other));
  const Said unfit = percuss("run " + scene_ + " --resume");
  EXPECT_EQ(unfit.code, 1);
  EXPECT_NE(unfit.err.find("does not fit this model"), std::string::npos) << unfit.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "slider_crank_clearance.h5.partial"));
  write(kept.filename().string(), good);
  ASSERT_EQ(percuss("run " + scene_ + " --resume").code, 0);
  EXPECT_TRUE(result() == whole);
}

TEST_F(RunsThatGoOn, SayThatACheckpointCouldNotBeWritten) {
  std::filesystem::create_directories(folder_ / "bouncing_ball.h5.checkpoint");
  write("bouncing_ball.h5.checkpoint/in_the_way", "");
  const Said said = percuss("run '" + kScenes + "bouncing_ball.yaml' --checkpoint 1us");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("warning: bouncing_ball.h5.checkpoint: cannot be written"), std::string::npos)
      << said.err;
}

}  // namespace
}  // namespace percuss::tests
