// percuss impact.
#include <cmath>
#include <sstream>

#include "cli/run.h"

namespace percuss::tests {
namespace {

using Impact = Command;
const std::string kFlores =
    "impact --law flores --restitution 0.6 --stiffness 1.4e8 --exponent 1.5 --mass 1 --velocity 4.2 ";

TEST_F(Impact, PrintsOneJsonObjectWithEverythingPromised) {
  const Said said = percuss(kFlores + "--json");
  ASSERT_EQ(said.code, 0) << said.err;
  const auto j = said.json();
  for (const char* key :
       {"law", "calibration", "restitution_prescribed", "restitution_delivered", "peak_force_N",
        "peak_indentation_m", "duration_s", "energy_lost_J", "permanent_indentation_m", "warnings"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j["law"], "flores");
  EXPECT_EQ(j["calibration"], "published");
  EXPECT_NEAR(j["restitution_delivered"], 0.5772760188829585, 1e-12);
  EXPECT_NEAR(double(j["energy_lost_J"]) + double(j["energy_returned_J"]), 8.82, 1e-12);
  EXPECT_EQ(j["warnings"].size(), 1u);
}

TEST_F(Impact, ExactCalibrationDeliversAndTheTwoMethodsAgree) {
  const auto closed = percuss(kFlores + "--calibration exact --json").json();
  const auto integrated = percuss(kFlores + "--calibration exact --method integrated --json").json();
  EXPECT_NEAR(closed["restitution_delivered"], 0.6, 1e-12);
  EXPECT_NEAR(integrated["restitution_delivered"], 0.6, 1e-9);
  EXPECT_NEAR(double(closed["duration_s"]) / double(integrated["duration_s"]), 1, 1e-8);
  EXPECT_TRUE(closed["warnings"].empty());
}

TEST_F(Impact, TakesUnitsMaterialsAndTwoBodies) {
  const auto bodies =
      percuss(
          "impact --law hertz --young-i 210GPa --poisson-i 0.3 --young-j 213GPa --poisson-j 0.29 --radius-i 25.4mm "
          "--density-i '7850 kg/m^3' --velocity '94 mm/s' --json")
          .json();
  EXPECT_NEAR(bodies["stiffness"], 2.4614e10, 0.00005e10);
  EXPECT_NEAR(bodies["mass_kg"], 0.5388, 0.0001);
  EXPECT_EQ(bodies["restitution_delivered"], 1);
  EXPECT_EQ(bodies["restitution_prescribed"], nullptr);
  const auto two = percuss(
                       "impact --law exact --restitution 0.5 --stiffness 1e8 --mass-i 2 --mass-j 3 --velocity-i 5 "
                       "--velocity-j -1 --json")
                       .json();
  EXPECT_NEAR(2 * double(two["velocity_i_after_mps"]) + 3 * double(two["velocity_j_after_mps"]), 7, 1e-12);
  EXPECT_NEAR(double(two["velocity_j_after_mps"]) - double(two["velocity_i_after_mps"]), 3, 1e-11);
}

TEST_F(Impact, WritesTheHistoryAndTheFigure) {
  const Said said = percuss(kFlores + "--csv h.csv --svg h.svg --samples 51");
  ASSERT_EQ(said.code, 0) << said.err;
  std::istringstream csv(contents(folder_ / "h.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line.rfind("# percuss", 0), 0u);
  std::getline(csv, line);
  EXPECT_EQ(line, "time_s,indentation_m,rate_mps,force_N,kinetic_J,stored_J,lost_J");
  int rows = 0;
  for (; std::getline(csv, line); ++rows) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 6);
  EXPECT_EQ(rows, 51);
  EXPECT_NE(contents(folder_ / "h.svg").find("indentation [mm]"), std::string::npos);
  EXPECT_EQ(percuss(kFlores + "--csv h.csv --svg h.svg").code, 0) << "an older result is replaced";
  EXPECT_NE(said.out.find("restitution"), std::string::npos);
}

TEST_F(Impact, NeverWritesOverSomethingElse) {
  write("thesis.csv", "years of work");
  const Said said = percuss(kFlores + "--csv thesis.csv");
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(contents(folder_ / "thesis.csv"), "years of work");
  EXPECT_EQ(percuss(kFlores + "--csv thesis.csv --force").code, 0);
  EXPECT_EQ(percuss(kFlores + "--csv no/such/folder.csv").code, 2);
  write("notes.md", "# my notes on percuss\n");
  EXPECT_EQ(percuss(kFlores + "--csv notes.md").code, 2) << "the word alone makes no result";
  write("law.yaml", "# percuss law\nforce: K*delta\n");
  EXPECT_EQ(percuss("impact --law-file law.yaml --stiffness 1e6 --mass 1 --velocity 1 --csv law.yaml").code, 2);
  EXPECT_EQ(contents(folder_ / "law.yaml"), "# percuss law\nforce: K*delta\n");
  EXPECT_EQ(percuss(kFlores + "--csv same.csv --svg ./same.csv").code, 2);
  EXPECT_EQ(percuss("map --laws exact --csv same.csv --svg same.csv").code, 2);
  EXPECT_EQ(percuss(kFlores + "--csv /dev/stdout", "mkfifo f;").code, 2);
  EXPECT_EQ(percuss(kFlores + "--csv f").code, 2) << "a pipe is no place for a result";
}

TEST_F(Impact, DrawsPlainTextWhereTheTerminalHasNoUtf8) {
  const Said ascii = percuss(kFlores, "LC_ALL=C"), braille = percuss(kFlores, "LC_ALL=C.UTF-8");
  EXPECT_EQ(ascii.out.find("\xE2\xA0"), std::string::npos);
  EXPECT_NE(braille.out.find("\xE2\xA0"), std::string::npos);
  EXPECT_NE(ascii.out.find("indentation [mm]"), std::string::npos);
}

TEST_F(Impact, RunsALawFromAFileAndFindsTheShippedOnes) {
  write("my.yaml", "name: mine\nforce: K*delta^n*(1 + a*(1-c)*ddelta/v0)\nconstants: {a: 1.5}\n");
  const auto mine =
      percuss(
          "impact --law-file my.yaml --restitution 0.6 --stiffness 1e8 --exponent 1.5 --mass 1 --velocity 2 --json")
          .json();
  EXPECT_EQ(mine["law"], "mine");
  EXPECT_NEAR(mine["restitution_delivered"], 0.711950180, 1e-9) << "this is Hunt and Crossley's law";
  const auto shipped =
      percuss("impact --law-file flores-by-hand --restitution 0.6 --stiffness 1.4e8 --mass 1 --velocity 4.2 --json")
          .json();
  EXPECT_NEAR(shipped["restitution_delivered"], 0.5772760188829585, 1e-9);
  EXPECT_EQ(percuss("impact --law-file quadratic-damping --stiffness 1.4e8 --mass 1 --velocity 1").code, 0);
}

TEST_F(Impact, DataFollowTheEnvironment) {
  std::filesystem::create_directories(folder_ / "data/laws");
  write("data/laws/here.yaml", "force: K*delta\n");
  EXPECT_EQ(
      percuss("impact --law-file here --stiffness 1e6 --mass 1 --velocity 1 --json", "PERCUSS_DATA=data").code, 0);
  EXPECT_NE(percuss("--version", "PERCUSS_DATA=data").out.find("data       data"), std::string::npos);
}

TEST_F(Impact, AnOverdampedPullNeverEndsAndSaysSo) {
  const auto j =
      percuss("impact --law kelvin-voigt --parameters damping=1e5 --stiffness 1e6 --mass 1 --velocity 1 --json")
          .json();
  EXPECT_EQ(j["duration_s"], nullptr);
  EXPECT_EQ(j["restitution_delivered"], 0);
  EXPECT_NE(std::string(j["warnings"][0]).find("never separate"), std::string::npos);
}

TEST_F(Impact, AliasesSayWhatTheyAre) {
  const auto j =
      percuss("impact --law marhefka-orin --restitution 0.6 --stiffness 1e8 --mass 1 --velocity 1 --json").json();
  EXPECT_EQ(j["law"], "hunt-crossley");
  EXPECT_NE(std::string(j["notes"][0]).find("marhefka-orin"), std::string::npos);
}

}  // namespace
}  // namespace percuss::tests
