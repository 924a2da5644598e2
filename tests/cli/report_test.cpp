// percuss report and percuss compare: files, rankings, what they refuse.
#include <hdf5.h>

#include <cmath>

#include "cli/run.h"

namespace percuss::tests {
namespace {

using Reports = Command;

const std::string kScenes = PERCUSS_SOURCE "/scenes/";

class Refusals : public Command {
 protected:
  void refused(const std::string& words, const std::string& why) const {
    const Said said = percuss(words);
    EXPECT_EQ(said.code, 2) << words;
    EXPECT_EQ(said.out, "") << words;
    EXPECT_EQ(said.error_lines(), 1) << said.err;
    EXPECT_NE(said.err.find(why), std::string::npos) << said.err;
  }
};

TEST_F(Reports, APageStandsAloneAndFiguresAreWrittenWithoutABrowser) {
  ASSERT_EQ(percuss("run " + kScenes + "bouncing_ball.yaml").code, 0);
  const Said said = percuss("report bouncing_ball.h5 --figures figures");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("9 impacts of 1 contact in 5.000 s. Peak force 11.00 kN (contact bounce"),
            std::string::npos)
      << said.out;
  const std::string page = contents(folder_ / "bouncing_ball.html");
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_NE(page.find("Bouncing ball (Flores et al. 2011)"), std::string::npos);
  for (const char* figure :
       {"force.svg", "force-indentation.svg", "body-ball-position.svg", "ledger.svg", "energy-error.svg"})
    EXPECT_NE(contents(folder_ / "figures" / figure).find("<svg "), std::string::npos) << figure;
  // the same results, the same page; an older page is replaced
  EXPECT_EQ(percuss("report bouncing_ball.h5").code, 0);
  EXPECT_EQ(contents(folder_ / "bouncing_ball.html"), page);
}

TEST_F(Reports, TheHorizonIsInSummaryFilePageAndComparison) {
  const std::string scene =
      kScenes + "slider_crank_clearance.yaml --set solver.duration=0.06 --set solver.tolerance=1e-6 ";
  const Said said = percuss("run " + scene + "--horizon --out clearance.h5");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("predictability horizon "), std::string::npos) << said.out;
  const Said from_file = percuss("report clearance.h5 --json");
  EXPECT_NE(from_file.out.find("\"parted_s\": 0.0"), std::string::npos) << from_file.out.substr(0, 400);
  ASSERT_EQ(percuss("report clearance.h5").code, 0);
  EXPECT_NE(contents(folder_ / "clearance.html").find("Predictability horizon "), std::string::npos);
  const Said compared = percuss("compare " + scene + "--laws flores,exact --no-page");
  EXPECT_NE(compared.out.find("2 of 2 runs pass their predictability horizon"), std::string::npos) << compared.out;
  const Said without = percuss("compare " + scene + "--laws flores,exact --no-page --no-horizon");
  EXPECT_EQ(without.out.find("predictability"), std::string::npos) << without.out;
}

/// The same number in the summary of the run, in that of its file, in JSON, in the table of impacts and on the
/// page.
TEST_F(Reports, SayInHowManyImpactsTheLawSpeedWasRaised) {
  const std::string words = "run " + kScenes + "bouncing_ball.yaml --set bounce.rest_speed='2 m/s'";
  const std::string line = "law speed raised above the approach speed in 2 of 9 impacts";
  const Said run = percuss(words);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find(line), std::string::npos) << run.out;
  EXPECT_NE(percuss("report bouncing_ball.h5 --summary").out.find(line), std::string::npos);
  EXPECT_EQ(percuss("report bouncing_ball.h5 --json").json()["law_speed_raised"], 2);
  const auto json = percuss(words + " --no-h5 --json").json();
  EXPECT_EQ(json["law_speed_raised"], 2);
  int count = 0;
  for (const auto& impact : json["impacts"]) count += impact["law_speed_raised"].get<int>();
  EXPECT_EQ(count, 2);
  ASSERT_EQ(percuss("report bouncing_ball.h5").code, 0);
  EXPECT_NE(
      contents(folder_ / "bouncing_ball.html").find("Law speed raised above the approach speed in 2 of 9 impacts"),
      std::string::npos);
  const Said plain = percuss("run " + kScenes + "bouncing_ball.yaml --no-h5");
  EXPECT_EQ(plain.out.find("law speed raised"), std::string::npos) << plain.out;
}

TEST_F(Refusals, FilesThatAreNoResultsAreRefusedInOneLine) {
  ASSERT_EQ(percuss("run " + kScenes + "bouncing_ball.yaml --set solver.duration=1").code, 0);
  const std::string whole = contents(folder_ / "bouncing_ball.h5");
  refused("report missing.h5", "no such file");
  write("text.h5", "no results\n");
  refused("report text.h5", "is not a result file of percuss");
  for (const double part : {0.03, 0.3, 0.9}) {
    write("short.h5", whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size()))));
    refused("report short.h5", "cut short");
  }
  std::string other = whole;
  other.replace(other.find("format 3"), 8, "format 1");
  write("other.h5", other);
  refused("report other.h5", "of another format than version 3; run the scene again");
  write("mine.html", "my own page\n");
  refused("report bouncing_ball.h5 --page mine.html", "is not a percuss result");
  EXPECT_EQ(contents(folder_ / "mine.html"), "my own page\n");
  refused("report", "the name of a result file is missing");
}

TEST_F(Reports, ExportsHoldWhatTheRunWrote) {
  ASSERT_EQ(percuss("run " + kScenes + "dropped_box.yaml --tables direct").code, 0);
  const Said said = percuss("export dropped_box.h5 --tables tables --vtk paraview --frames 20");
  ASSERT_EQ(said.code, 0) << said.err;
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "direct"))
    EXPECT_TRUE(contents(file.path()) == contents(folder_ / "tables" / file.path().filename())) << file.path();
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count(contents(folder_ / "paraview/bodies.pvd"), "<DataSet "), 20U);
  const std::string moment = contents(folder_ / "paraview/bodies_0007.vtp");
  EXPECT_NE(moment.find("NumberOfPoints=\"12\""), std::string::npos)
      << "eight corners of the box, four of the plane";
  EXPECT_NE(moment.find("NumberOfPolys=\"7\""), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "paraview/contacts_0019.vtp"));
  EXPECT_EQ(percuss("export dropped_box.h5 --vtk paraview --frames 20").code, 0) << "an older series is replaced";
}

TEST_F(Reports, APlanarBoxIsOnePolygon) {
  ASSERT_EQ(percuss("run " + kScenes + "rocking_block.yaml --set solver.duration=0.01").code, 0);
  ASSERT_EQ(percuss("export rocking_block.h5 --vtk paraview --frames 2").code, 0);
  const std::string moment = contents(folder_ / "paraview/bodies_0000.vtp");
  EXPECT_NE(moment.find("NumberOfPolys=\"2\""), std::string::npos) << "the ground and the box";
  EXPECT_NE(moment.find("\"offsets\" NumberOfComponents=\"1\" format=\"ascii\">4 8 "), std::string::npos)
      << "four corners each";
}

TEST_F(Reports, TheSummaryOfAFileIsThatOfItsRun) {
  const Said run = percuss("run " + kScenes + "slider_crank_clearance.yaml --set solver.duration=0.02");
  ASSERT_EQ(run.code, 0) << run.err;
  const Said report = percuss("report slider_crank_clearance.h5 --no-page --summary");
  ASSERT_EQ(report.code, 0) << report.err;
  const auto without_time = [](std::string text) {  // ", 12.3 ms" after the evaluations
    const std::size_t from = text.find(" evaluations") + 12, to = text.find('\n', from);
    return text.erase(from, to - from);
  };
  EXPECT_EQ(without_time(run.out), without_time(report.out));
  EXPECT_EQ(percuss("report slider_crank_clearance.h5 --no-page --json").json()["end"], "done");
}

TEST_F(Refusals, ExportsThatMakeNoSense) {
  ASSERT_EQ(percuss("run " + kScenes + "dropped_box.yaml --set solver.duration=0.1").code, 0);
  refused("export dropped_box.h5", "say what to write");
  refused("export dropped_box.h5 --vtk a --frames 0.5", "whole number");
  refused("export missing.h5 --tables a", "no such file");
}

TEST_F(Reports, LawsAreRankedByWhatTheyDeliver) {
  const Said said =
      percuss("compare " + kScenes +
              "bouncing_ball.yaml --laws flores,hunt-crossley,exact --vary bounce.restitution=0.9,0.5 "
              "--json --page all.html");
  ASSERT_EQ(said.code, 0) << said.err;
  const nlohmann::json j = said.json();
  ASSERT_EQ(j["runs"].size(), 6U);
  for (const auto& run : j["runs"]) {
    const double wanted = run["prescribed"].get<double>(), delivered = run["delivered"].get<double>();
    // "exact" misses by gravity alone, which deepens the contact
    if (run["law"] == "exact") {
      EXPECT_NEAR(delivered, wanted, 2e-3);
    }
    if (run["law"] == "hunt-crossley" && wanted == 0.5) {
      EXPECT_NEAR(delivered, 0.663, 2e-3);
    }
    if (run["law"] == "flores" && wanted == 0.5) {
      EXPECT_NEAR(delivered, 0.470, 2e-3);
    }
    if (run["law"] == "exact") {
      EXPECT_EQ(run["rank"], 1) << run["variant"];
    }
    EXPECT_LT(run["energy_error"].get<double>(), 1e-8);
  }
  // over both restitutions: the mean of what each misses
  ASSERT_EQ(j["overall"].size(), 3U);
  EXPECT_EQ(j["overall"][0]["law"], "exact");
  for (const auto& law : j["overall"]) {
    double sum = 0;
    for (const auto& run : j["runs"])
      if (run["law"] == law["law"]) sum += run["bias"].get<double>();
    EXPECT_NEAR(law["mean_bias"].get<double>(), sum / 2, 1e-12) << law["law"];
  }
  EXPECT_NE(contents(folder_ / "all.html").find("percuss report"), std::string::npos);
  // whatever the number of threads
  auto numbers = [&](const std::string& threads) {
    nlohmann::json k = percuss("compare " + kScenes +
                               "bouncing_ball.yaml --laws flores,exact --no-page --json --threads " + threads)
                           .json();
    for (auto& run : k["runs"]) run.erase("wall_s");
    return k;
  };
  EXPECT_EQ(numbers("1"), numbers("2"));
}

/// The laws of the scaled family differ in what they take for the damping; told to deliver, they are one.
TEST_F(Reports, LawsThatOneCalibrationMakesOneAreRunOnce) {
  const nlohmann::json j =
      percuss("compare " + kScenes +
              "bouncing_ball.yaml --laws flores,hunt-crossley,exact,tsuji --calibration both --json --no-page "
              "--set solver.duration=0.6")
          .json();
  // flores and hunt-crossley as published, tsuji in both ways, and one exact law of the scaled family
  ASSERT_EQ(j["runs"].size(), 5U);
  int shared = 0;
  for (const auto& run : j["runs"])
    if (run.contains("also")) {
      ++shared;
      EXPECT_EQ(run["calibration"], "exact");
      EXPECT_EQ(run["also"].size(), 2U);
      EXPECT_NEAR(run["delivered"].get<double>(), run["prescribed"].get<double>(), 2e-3);
    }
  EXPECT_EQ(shared, 1);
}

TEST_F(Reports, ALawThatCannotBeUsedDoesNotStopTheOthers) {
  const Said said = percuss("compare " + kScenes + "bouncing_ball.yaml --no-page --set solver.duration=0.6");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("left out:\n"), std::string::npos);
  EXPECT_NE(said.out.find("kuwabara-kono: contact \"bounce\": parameters.relaxation_time: missing"),
            std::string::npos);
  EXPECT_NE(said.out.find("carvalho-martins"), std::string::npos);
}

TEST_F(Reports, EveryNumberOfEveryPaperIsWithinItsTolerance) {
  const Said said = percuss("reproduce --json --page papers.html");
  EXPECT_EQ(said.code, 0) << said.err;
  const nlohmann::json j = said.json();
  ASSERT_EQ(j["papers"].size(), 5U);
  std::size_t rows = 0;
  for (const auto& paper : j["papers"])
    for (const auto& row : paper["rows"]) {
      EXPECT_TRUE(row["within"].get<bool>()) << paper["paper"] << ": " << row["quantity"] << ": " << row["ours"];
      ++rows;
    }
  EXPECT_GT(rows, 140U);
  EXPECT_NE(contents(folder_ / "papers.html").find("percuss report"), std::string::npos);
  EXPECT_NE(percuss("reproduce --list").out.find("alves-2015: "), std::string::npos);
}

TEST_F(Reports, ANumberOutsideItsToleranceEndsWithOne) {
  namespace fs = std::filesystem;
  fs::copy(PERCUSS_SOURCE "/data", folder_ / "data", fs::copy_options::recursive);
  fs::copy(PERCUSS_SOURCE "/papers", folder_ / "papers", fs::copy_options::recursive);
  std::string expected = contents(folder_ / "papers/alaci/expected.csv");
  expected.replace(expected.find("1.857e10"), 8, "1.867e10");
  write("papers/alaci/expected.csv", expected);
  const std::string set = "PERCUSS_DATA='" + (folder_ / "data").string() + "'";
  const Said said = percuss("reproduce alaci --no-page", set);
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.err.find(" NO"), std::string::npos);
  EXPECT_NE(said.err.find("a number leaves its tolerance"), std::string::npos);
  write("papers/alaci/expected.csv", "missing,1,0,nowhere,a number\nhalf a line\n");
  const Said broken = percuss("reproduce alaci --no-page", set);
  EXPECT_EQ(broken.code, 2);
  EXPECT_NE(broken.err.find("expected.csv:2:1: error: expected id,paper,tolerance,source,quantity"),
            std::string::npos);
  EXPECT_EQ(percuss("reproduce alacy").code, 2);
  EXPECT_NE(percuss("reproduce alacy").err.find("did you mean \"alaci\"?"), std::string::npos);
}

TEST_F(Refusals, ComparisonsThatMakeNoSense) {
  refused("compare " + kScenes + "bouncing_ball.yaml --laws flores,hunt-crosley",
          "did you mean \"hunt-crossley\"?");
  refused("compare " + kScenes + "pendulum.yaml --no-page", "no contacts to compare laws in");
  refused("compare " + kScenes + "bouncing_ball.yaml --no-page --vary restitution", "is not KEY=VALUE,VALUE");
  refused("compare " + kScenes + "bouncing_ball.yaml --no-page --vary bounce.restituton=0.5", "did you mean");
  refused("compare " + kScenes + "bouncing_ball.yaml --no-page --threads 0", "whole number from 1 to 1024");
  refused("compare", "the name of a scene file is missing");
}

/// One number, two units: a linear law beside Hertz's cannot be compared by force.
TEST_F(Reports, AStiffnessThatMeansSomethingElseIsTold) {
  percuss("new moving_table");
  const Said said =
      percuss("compare moving_table.yaml --laws kelvin-voigt,flores --set solver.duration=1 --json --no-page");
  ASSERT_EQ(said.code, 0) << said.err;
  for (const auto& run : said.json()["runs"]) {
    if (run["law"] != "kelvin-voigt") continue;
    EXPECT_EQ(run["rank"], 2);
    EXPECT_NE(run["warnings"].dump().find("cannot be compared"), std::string::npos);
  }
}

}  // namespace
}  // namespace percuss::tests
