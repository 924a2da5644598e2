// percuss new, check, schema, run: files, errors, interruption, determinism.
#include <hdf5.h>

#include <csignal>
#include <thread>

#include "cli/run.h"

namespace percuss::tests {
namespace {

using Scenes = Command;

TEST_F(Scenes, NewListsAndCopiesButNeverOverAFile) {
  const Said list = percuss("new");
  EXPECT_EQ(list.code, 0);
  for (const auto& entry : std::filesystem::directory_iterator(PERCUSS_SOURCE "/scenes"))
    EXPECT_NE(list.out.find("  " + entry.path().stem().string() + " "), std::string::npos);
  EXPECT_EQ(percuss("new pendulum").code, 0);
  EXPECT_EQ(contents(folder_ / "pendulum.yaml"), contents(PERCUSS_SOURCE "/scenes/pendulum.yaml"));
  const Said again = percuss("new pendulum");
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("not overwritten"), std::string::npos);
  const Said typo = percuss("new pendulm");
  EXPECT_EQ(typo.code, 2);
  EXPECT_NE(typo.err.find("did you mean \"pendulum\"?"), std::string::npos);
}

TEST_F(Scenes, EveryShippedSceneIsGoodAndSaysWhatToExpect) {
  for (const auto& entry : std::filesystem::directory_iterator(PERCUSS_SOURCE "/scenes")) {
    const Said said = percuss("check '" + entry.path().string() + "'");
    EXPECT_EQ(said.code, 0) << said.err;
    const std::string text = contents(entry.path());
    EXPECT_TRUE(text.starts_with("# ")) << entry.path();
    EXPECT_NE(text.find("# Expect:"), std::string::npos) << entry.path();
  }
}

TEST_F(Scenes, CheckReportsEveryErrorAndWritesNothing) {
  write("bad.yaml",
        "bodies:\n  ball: {mas: 1}\nsolver: {duration: 1 s, integrator: dop85}\ncontacts: {c: {between: [ball, "
        "floor], law: flores}}\n");
  const Said said = percuss("check bad.yaml");
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_GE(said.error_lines(), 2);
  EXPECT_NE(said.err.find("bad.yaml:2:10: error: body \"ball\": unknown key \"mas\"; did you mean \"mass\"?"),
            std::string::npos)
      << said.err;
  EXPECT_NE(said.err.find("did you mean \"dop853\"?"), std::string::npos) << said.err;
  EXPECT_EQ(percuss("run bad.yaml").code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bad.h5"));
  EXPECT_EQ(percuss("check").code, 2);
  EXPECT_EQ(percuss("check none.yaml").code, 2);
}

TEST_F(Scenes, RunGivesASummaryATableOfImpactsAndABalancedLedger) {
  percuss("new bouncing_ball");
  const Said said = percuss("run bouncing_ball.yaml --tables tables");
  ASSERT_EQ(said.code, 0) << said.err;
  for (const char* part :
       {"impacts: 9", "prescribed", "delivered", "ledger", "energy error", "fingerprint", "6 degrees of freedom"})
    EXPECT_NE(said.out.find(part), std::string::npos) << part;
  EXPECT_NE(said.err.find("the inertia does not fit the shape"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "bouncing_ball.h5"));
  EXPECT_TRUE(contents(folder_ / "tables/bodies.csv").starts_with("# percuss recording, bodies\nt [s],body,x [m]"));
  const auto json = percuss("run bouncing_ball.yaml --json --no-h5 --set ball.restitution=0.6").json();
  EXPECT_EQ(json["impacts"][0]["prescribed"], 0.6);
  EXPECT_NEAR(json["impacts"][0]["delivered"], 0.5767, 1e-3);
  EXPECT_EQ(json["end"], "done");
}

std::string text_attribute(hid_t file, const char* name) {
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  if (attribute < 0) return "(none)";
  const hid_t type = H5Aget_type(attribute);
  std::string text(H5Tget_size(type), '\0');
  H5Aread(attribute, type, text.data());
  H5Tclose(type);
  H5Aclose(attribute);
  return text;
}

TEST_F(Scenes, TheResultFileCarriesItsProvenance) {
  percuss("new pendulum");
  ASSERT_EQ(percuss("run pendulum.yaml --set solver.duration=1 --set outputs.at=[]").code, 0);
  const hid_t file = H5Fopen((folder_ / "pendulum.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_EQ(text_attribute(file, "format_version"), "3");
  EXPECT_EQ(text_attribute(file, "status"), "complete");
  EXPECT_EQ(text_attribute(file, "program"), "percuss");
  EXPECT_EQ(text_attribute(file, "scene_text"), contents(folder_ / "pendulum.yaml"));
  EXPECT_EQ(text_attribute(file, "scene_overrides"), "solver.duration=1\noutputs.at=[]\n");
  EXPECT_EQ(text_attribute(file, "tolerance"), "1e-12");
  EXPECT_EQ(text_attribute(file, "fingerprint").size(), 16U);
  const hid_t data = H5Dopen2(file, "bodies", H5P_DEFAULT), space = H5Dget_space(data);
  hsize_t size[3] = {0, 0, 0};  // time x body x column
  ASSERT_EQ(H5Sget_simple_extent_dims(space, size, nullptr), 3);
  EXPECT_EQ(size[0], 101U);
  EXPECT_EQ(size[1], 1U);
  EXPECT_EQ(size[2], 6U);
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
}

TEST_F(Scenes, TwoRunsGiveTheSameBits) {
  percuss("new moving_table");
  ASSERT_EQ(percuss("run moving_table.yaml --set solver.duration=2").code, 0);
  const std::string first = contents(folder_ / "moving_table.h5");
  ASSERT_EQ(percuss("run moving_table.yaml --set solver.duration=2").code, 0);
  EXPECT_TRUE(first == contents(folder_ / "moving_table.h5"));
}

TEST_F(Scenes, PlacesThatCannotBeWrittenAreToldBeforeSimulating) {
  percuss("new bouncing_ball");
  write("bouncing_ball.h5", "my data");
  const Said said = percuss("run bouncing_ball.yaml");
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.err.find("exists and is not a percuss result; --force replaces it"), std::string::npos)
      << said.err;
  EXPECT_EQ(contents(folder_ / "bouncing_ball.h5"), "my data");
  EXPECT_EQ(percuss("run bouncing_ball.yaml --out nowhere/a.h5").code, 2);
  EXPECT_EQ(percuss("run bouncing_ball.yaml --force").code, 0);
  EXPECT_EQ(percuss("run bouncing_ball.yaml").code, 0) << "an older result is replaced";
}

/// A run of about a minute, sent a signal after a moment.
Said signalled(const std::filesystem::path& folder, int signal, int after_ms) {
  const std::string line = "cd '" + folder.string() +
                           "' && exec '" PERCUSS_PROGRAM "' run long.yaml --tables tables >.out 2>.err </dev/null";
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder / ".out"), contents(folder / ".err")};
}

std::string status_of(const std::filesystem::path& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return "unreadable";
  const std::string status = text_attribute(file, "status");
  H5Fclose(file);
  return status;
}

TEST_F(Scenes, CtrlCSavesWhatThereIsAndSaysThatItIsPartial) {
  write("long.yaml", contents(PERCUSS_SOURCE "/scenes/pendulum.yaml"));
  std::string text = contents(folder_ / "long.yaml");
  text.replace(text.find("duration: 10 s"), 14, "duration: 1e6 s");
  write("long.yaml", text);
  const Said said = signalled(folder_, SIGINT, 700);
  EXPECT_EQ(said.code, 130);
  EXPECT_NE(said.err.find("(partial)"), std::string::npos) << said.err;
  EXPECT_EQ(said.out, "") << "no result";
  EXPECT_NE(said.err.find("interrupted at t = "), std::string::npos) << said.err;
  EXPECT_EQ(status_of(folder_ / "long.h5"), "partial");
  EXPECT_TRUE(contents(folder_ / "tables/bodies.csv").ends_with("# partial: the run did not reach its end\n"));
}

TEST_F(Scenes, AKilledRunLeavesTheOldResultAndAPartialFileThatSaysSo) {
  std::string text = contents(PERCUSS_SOURCE "/scenes/pendulum.yaml");
  write("long.yaml", text);
  ASSERT_EQ(percuss("run long.yaml").code, 0);
  const std::string old = contents(folder_ / "long.h5");
  text.replace(text.find("duration: 10 s"), 14, "duration: 1e6 s");
  write("long.yaml", text);
  signalled(folder_, SIGKILL, 2500);
  EXPECT_EQ(contents(folder_ / "long.h5"), old);
  const Said exported = percuss("export long.h5.partial --tables tables");  // what it has written can be read
  ASSERT_EQ(exported.code, 0) << exported.err;
  const std::string rows = contents(folder_ / "tables/bodies.csv");
  EXPECT_GT(std::count(rows.begin(), rows.end(), '\n'), 1000);
  EXPECT_TRUE(rows.ends_with("# partial: the run did not reach its end\n"));
  ASSERT_EQ(percuss("run long.yaml --set solver.duration=1 --set outputs.at=[]").code, 0)
      << "and does not stand in the way";
}

TEST_F(Scenes, SchemaAnswersForSectionsKeysAndEditors) {
  EXPECT_NE(percuss("schema").out.find("bodies"), std::string::npos);
  EXPECT_NE(percuss("schema joints").out.find("revolute"), std::string::npos);
  EXPECT_EQ(percuss("schema --json").json()["title"], "percuss scene");
  const Said typo = percuss("schema bodys");
  EXPECT_EQ(typo.code, 2);
  EXPECT_NE(typo.err.find("did you mean \"bodies\"?"), std::string::npos);
}

}  // namespace
}  // namespace percuss::tests
