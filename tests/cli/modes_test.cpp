// percuss modes, as a person calls it.
#include <cmath>

#include "run.h"

namespace percuss::tests {
namespace {

using Modes = Command;

constexpr char kSpring[] = R"(title: A mass on a spring
bodies:
  mass: {mass: 2, inertia: 1, at: [0, 0, 0]}
joints:
  rail: {type: prismatic, between: [ground, mass], at: [0, 0, 0], axis: z}
springs:
  s: {joint: rail, stiffness: 800, damping: 24}
solver: {duration: 1}
)";

TEST_F(Modes, AreATableWithFrequencyDampingAndWhatMoves) {
  write("spring.yaml", kSpring);
  const Said said = percuss("modes spring.yaml");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("oscillation  3.18310 Hz  0.3      166.7 ms       mass 100 % (z)"), std::string::npos)
      << said.out;
}

TEST_F(Modes, AreJsonOnRequest) {
  write("spring.yaml", kSpring);
  const auto json = percuss("modes spring.yaml --json").json();
  ASSERT_EQ(json["modes"].size(), 1U);
  const auto& mode = json["modes"][0];
  EXPECT_EQ(mode["kind"], "oscillation");
  EXPECT_NEAR(mode["damping_ratio"].get<double>(), 0.3, 1e-8);
  EXPECT_NEAR(mode["rate"][1].get<double>(), 20 * std::sqrt(1 - 0.09), 1e-6);
  EXPECT_NEAR(mode["bodies"]["mass"]["displacement"][2][0].get<double>(), 1, 1e-12);
  EXPECT_EQ(json["at_equilibrium"], true);
}

TEST_F(Modes, WriteShapesAndAPageAndNeverOverAnotherFile) {
  write("spring.yaml", kSpring);
  EXPECT_EQ(percuss("modes spring.yaml --shapes shapes.csv --page modes.html").code, 0);
  const std::string shapes = contents(folder_ / "shapes.csv"), page = contents(folder_ / "modes.html");
  EXPECT_EQ(std::ranges::count(shapes, '\n'), 3) << shapes;
  EXPECT_NE(page.find("A mass on a spring: natural modes"), std::string::npos);
  EXPECT_NE(page.find("\"parts\":[{"), std::string::npos);
  const Said said = percuss("modes spring.yaml --shapes spring.yaml");
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(contents(folder_ / "spring.yaml"), kSpring);
}

TEST_F(Modes, SayInOneLineThatThereIsNoEquilibrium) {
  write("stone.yaml", "bodies:\n  stone: {mass: 1, particle: true}\nsolver: {duration: 1}\n");
  const Said said = percuss("modes stone.yaml");
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.error_lines(), 1) << said.err;
  EXPECT_NE(said.err.find("no static equilibrium: body \"stone\" still accelerates at 9.81 m/s^2"),
            std::string::npos);
  const Said as_given = percuss("modes stone.yaml --no-equilibrium");
  EXPECT_EQ(as_given.code, 0);
  EXPECT_NE(as_given.err.find("the start is no equilibrium: body \"stone\" accelerates at 9.81 m/s^2"),
            std::string::npos)
      << as_given.err;
  EXPECT_NE(as_given.out.find("rigid-body motion"), std::string::npos);
}

TEST_F(Modes, AndARunThatBeginsAtAnEquilibriumNeedOne) {
  write("stone.yaml",
        "bodies:\n  stone: {mass: 1, particle: true}\nstart: {equilibrium: true}\nsolver: {duration: 1}\n");
  const Said said = percuss("run stone.yaml --tables tables");
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.error_lines(), 1) << said.err;
  EXPECT_NE(said.err.find("no static equilibrium: body \"stone\" still accelerates at 9.81 m/s^2"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "stone.h5"));
  write("block.yaml", contents(PERCUSS_SOURCE "/scenes/resting_block.yaml"));
  EXPECT_EQ(percuss("run block.yaml").code, 0);
  const auto summary =
      percuss("run block.yaml --no-h5 --json --set solver.duration=10ms").json();              // before the tap
  EXPECT_LT(summary["ledger"]["end"]["kinetic_J"].get<double>(), 1e-20) << summary["ledger"];  // J; m g d is 1e-3
  EXPECT_TRUE(summary["warnings"].empty()) << summary["warnings"];
}

TEST_F(Modes, OfTheShippedBlockAreThoseThatItsHeadSays) {
  const auto json = percuss("modes '" PERCUSS_SOURCE "/scenes/resting_block.yaml' --json").json();
  std::vector<double> found;
  for (const auto& mode : json["modes"])
    if (mode["kind"] == "oscillation") found.push_back(mode["frequency"].get<double>());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[0], 153, 1);
  EXPECT_NEAR(found[1], 153, 1);
  EXPECT_NEAR(found[2], 262, 1);
}

}  // namespace
}  // namespace percuss::tests
