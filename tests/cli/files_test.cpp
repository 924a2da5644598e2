// Disks that are full, files that may not grow, folders that may not be written, stdout that takes nothing.
#include <signal.h>
#include <sys/mount.h>

#include <chrono>
#include <map>
#include <random>
#include <sstream>
#include <thread>

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
      {"run csv", "run " + ball + " --no-h5 --tables tables", "tables/bodies.csv"},
      {"report", "report ../ready/bouncing_ball.h5", "bouncing_ball.html"},
      {"figures", "report ../ready/bouncing_ball.h5 --no-page --figures figures", "figures/force.svg"},
      {"export csv", "export ../ready/bouncing_ball.h5 --tables csv", "csv/ledger.csv"},
      {"export vtk", "export ../ready/bouncing_ball.h5 --vtk vtk", "vtk/bodies.pvd"},
      {"modes", "modes '" + kScenes + "pendulum.yaml' --page modes.html --shapes shapes.csv", "modes.html"},
      {"compare", "compare " + ball + " --laws flores,hertz --page compared.html", "compared.html"},
      {"impact",
       "impact --law flores --restitution 0.6 --stiffness 1e8 --mass 1 --velocity 1 --csv impact.csv "
       "--svg impact.svg",
       "impact.csv"},
      {"sweep", "sweep ../ready/study.yaml", "study.db"},
      {"sweep table", "sweep ../ready/study.yaml --csv table.csv", "table.csv"},
      {"map", "map --csv map.csv --svg map.svg", "map.csv"},
      {"identify", "identify ../ready/fit.yaml --page fit.html", "fit.html"},
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
    write("ready/fit.yaml",
          "impact: {mass: 0.54 kg, velocity: 0.5 m/s, stiffness: 2e10}\nlaws: [flores]\n"
          "free: {restitution: {from: 0.5, to: 1}}\nstarts: 1\n"
          "data: {c: {file: '" PERCUSS_SOURCE
          "/studies/alves_c1_restitution.csv', kind: restitution-speed, columns: {velocity: v (m/s), restitution: "
          "c}}}\n");
  }
  /// As `percuss`, in the folder `small`. Where files may not grow, stdout must not be one.
  enum class Stdout { kept, dropped };
  Said in_small(const std::string& words, const std::string& before = "", Stdout to = Stdout::kept) const {
    const std::string out = to == Stdout::kept ? (folder_ / ".out").string() : "/dev/null",
                      err = (folder_ / ".err").string();
    const std::string line = "cd '" + (folder_ / "small").string() + "' && " + before + " '" PERCUSS_PROGRAM "' " +
                             words + " >'" + out + "' 2>'" + err + "' </dev/null";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, to == Stdout::kept ? contents(out) : "", contents(err)};
  }
  /// A disk of this size over the folder `small`; false: none can be mounted here.
  bool mount_small(const std::string& size) const {
    return ::mount("tmpfs", (folder_ / "small").c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  void umount_small() const { ::umount((folder_ / "small").c_str()); }
  void TearDown() override {
    umount_small();
    Command::TearDown();
  }
  /// Every file there is, by name.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "small"))
      if (entry.is_regular_file()) out[entry.path().string()] = contents(entry.path());
    return out;
  }
};

long lines_with(const std::string& text, const std::string& word) {
  long count = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) count += line.find(word) != std::string::npos ? 1 : 0;
  return count;
}

/// Done, or one line of error and exit 1; never a crash.
void expect_honest(const Said& said, const std::string& what) {
  EXPECT_TRUE(said.code == 0 || said.code == 1) << what << ": exit " << said.code << "\n" << said.err;
  EXPECT_EQ(lines_with(said.err, "error: "), said.code == 1 ? 1 : 0) << what << "\n" << said.err;
}

TEST_F(FilesThatTellTheTruth, OnADiskThatIsFull) {
  if (::geteuid() != 0) GTEST_SKIP() << "a disk of a given size needs root";
  for (const Writing& verb : writing_verbs()) {
    bool was_enough = false, was_too_small = false;
    for (const int kib : {4,   8,   12,  16,  20,  24,  28,  36,  44,  52,   64,   80,   100,  120,  150,
                          180, 220, 260, 300, 370, 450, 560, 700, 900, 1200, 1600, 2200, 3000, 5000, 9000}) {
      if (!mount_small(std::to_string(kib) + "k")) GTEST_SKIP() << "no disk can be mounted here";
      const std::string what = std::string(verb.name) + " on " + std::to_string(kib) + " KiB";
      const Said said = in_small(verb.words);
      expect_honest(said, what);
      (said.code == 0 ? was_enough : was_too_small) = true;
      EXPECT_TRUE(said.code != 0 || std::filesystem::exists(folder_ / "small" / verb.writes)) << what;
      umount_small();
      if (was_enough && was_too_small && kib > 1000) break;
    }
    EXPECT_TRUE(was_enough) << verb.name;
    EXPECT_TRUE(was_too_small || verb.name == std::string("new")) << verb.name;  // a copy of a scene fits
  }
}

/// Seen before any work: exit 1, or 2 where a folder cannot be made; each file that cannot be written has its line.
void expect_refused(const Said& said, const std::string& what) {
  EXPECT_EQ(said.code, 1) << what << ": " << said.err;
  EXPECT_EQ(lines_with(said.err, "error: "), 1) << what << ": " << said.err;
}

TEST_F(FilesThatTellTheTruth, InAFolderThatMayNotBeWritten) {
  if (::geteuid() != 0) GTEST_SKIP() << "a disk that may only be read needs root";
  const auto make_read_only = [this] {
    return ::mount("none", (folder_ / "small").c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  };
  for (const Writing& verb : writing_verbs()) {
    if (!mount_small("20m") || !make_read_only()) GTEST_SKIP() << "no disk can be mounted here";
    const Said said = in_small(verb.words);
    expect_refused(said, verb.name);
    EXPECT_TRUE(files().empty()) << verb.name;
    umount_small();
  }
  for (const Writing& verb : writing_verbs()) {  // and where there is a result already
    if (verb.name == std::string("new") || verb.name == std::string("sweep")) continue;  // these do not write again
    ASSERT_TRUE(mount_small("20m"));
    ASSERT_EQ(in_small(verb.words).code, 0) << verb.name;
    const auto before = files();
    ASSERT_TRUE(make_read_only());
    const Said said = in_small(verb.words);
    expect_refused(said, verb.name);
    EXPECT_TRUE(files() == before) << verb.name;
    umount_small();
  }
}

TEST_F(FilesThatTellTheTruth, WhereFilesMayNotGrow) {
  for (const Writing& verb : writing_verbs())
    for (const int blocks : {1, 3, 10, 30, 100, 400}) {  // of 512 bytes
      expect_honest(in_small(verb.words, "ulimit -f " + std::to_string(blocks) + "; ", Stdout::dropped),
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
  ASSERT_EQ(in_small("export bouncing_ball.h5.partial --tables tables").code, 0);
  EXPECT_GT(contents(folder_ / "small/tables/bodies.csv").size(), 10'000U);
  EXPECT_EQ(in_small("report bouncing_ball.h5.partial --page page.html").code, 0);
}

TEST_F(FilesThatTellTheTruth, EveryVerbNoticesThatStdoutTakesNothing) {
  const std::string ball = "'" + kScenes + "bouncing_ball.yaml'";
  for (const std::string& words :
       {std::string("laws"), std::string("laws --json"), std::string("schema"), std::string("schema --json"),
        std::string("--help"), std::string("--version"), std::string("new"), "check " + ball,
        "run " + ball + " --no-h5", "run " + ball + " --no-h5 --json", std::string("map --json"),
        std::string("impact --law flores --restitution 0.6 --stiffness 1e8 --mass 1 --velocity 1"),
        "collide '" + kScenes + "hanging_cradle.yaml'",
        "compare " + ball + " --set solver.duration=0.5 --laws flores --no-page",
        std::string("report ready/bouncing_ball.h5 --page page.html"), std::string("run --help")}) {
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

  /// Starts the program and kills it some time after it has written a checkpoint. False: it ended by itself.
  bool killed_after_a_checkpoint(const std::string& words, std::chrono::duration<double> later) const {
    const std::filesystem::path checkpoint = folder_ / "slider_crank_clearance.h5.checkpoint";
    const auto written = [&] {
      std::error_code none;
      return std::filesystem::last_write_time(checkpoint, none);
    };
    const auto before = written();
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string line =
          "cd '" + folder_.string() + "' && exec '" PERCUSS_PROGRAM "' " + words + " >.out 2>.err </dev/null";
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    while (written() == before) {
      if (::waitpid(child, &status, WNOHANG) == child) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(later);
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }
};

/// Every kill comes a moment after a new checkpoint. Checkpoints are a fortieth of the whole run apart, on a fast
/// machine as on a slow one, so that the run outlives all ten.
TEST_F(RunsThatGoOn, AfterTenKillsToTheSameFile) {
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(percuss("run " + scene_ + " --checkpoint 1s --out .").code, 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::string whole = result(), interval = std::to_string(took.count() / 40) + "s";
  std::filesystem::remove(folder_ / "slider_crank_clearance.h5");
  std::mt19937 random(12345);
  for (int kills = 0; kills < 10; ++kills) {
    const std::chrono::duration<double> later(took / 40 * (static_cast<double>(random() >> 16) / 65536));
    const std::string words = "run " + scene_ + (kills > 0 ? " --resume" : "") + " --checkpoint " + interval;
    ASSERT_TRUE(killed_after_a_checkpoint(words, later)) << "it ended before kill " << kills + 1;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "slider_crank_clearance.h5"));
    const Said read = percuss("export slider_crank_clearance.h5.partial --tables tables --force");
    EXPECT_EQ(read.code, 0) << "what there is after kill " << kills + 1 << "\n" << read.err;
  }
  const Said last = percuss("run " + scene_ + " --resume");
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_TRUE(result() == whole);
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
  refused(scene_ + " --resume --tables tables", "percuss export");
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
