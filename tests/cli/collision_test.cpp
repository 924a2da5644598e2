// percuss collide: tables, JSON, what it refuses.
#include "cli/run.h"

namespace percuss::tests {
namespace {

using Collisions = Command;

const std::string kScenes = PERCUSS_SOURCE "/scenes/";

TEST_F(Collisions, ACradleIsShownPhaseByPhaseBesideItsRivals) {
  const Said said = percuss("collide " + kScenes + "hanging_cradle.yaml --sensitivity 0.01");
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* words : {"4 points, 8 phases", "CCCC", "1 turns", "Newton in sequence", "Moreau", "Poisson",
                            "compliant engine", "sensitivity", "15 combinations"})
    EXPECT_NE(said.out.find(words), std::string::npos) << words;
}

TEST_F(Collisions, JsonHasEverything) {
  const Said said = percuss("collide " + kScenes + "two_bars.yaml --json --no-engine --sensitivity 0.01");
  ASSERT_EQ(said.code, 0) << said.err;
  const nlohmann::json j = said.json();
  EXPECT_EQ(j["end"], "complete");
  ASSERT_EQ(j["points"].size(), 3U);
  double lost = 0;
  for (const auto& p : j["points"]) lost += p["lost_J"].get<double>();
  EXPECT_NEAR(lost, j["kinetic_before_J"].get<double>() - j["kinetic_after_J"].get<double>(), 1e-12);
  double end = 0;
  for (const auto& phase : j["phases"]) {
    EXPECT_EQ(phase["start_s"].get<double>(), end);
    end = phase["end_s"].get<double>();
    EXPECT_EQ(phase["senses"].size(), 3U);
  }
  EXPECT_EQ(j["treatments"].size(), 8U);  // six orders that end differently, Moreau, Poisson
  EXPECT_EQ(j["sensitivity"]["tried"], 7);
  EXPECT_EQ(percuss("collide " + kScenes + "two_bars.yaml --json --no-engine --sensitivity 0.01").out, said.out);
}

TEST_F(Collisions, SayWhatWasLinearisedAndAtWhatForce) {
  const Said said = percuss("collide " + kScenes + "cradle.yaml");
  ASSERT_EQ(said.code, 0) << said.err;
  for (const char* words : {"was linearised: the secant at", "the scene's own laws"})
    EXPECT_NE(said.out.find(words), std::string::npos) << words << said.out;
  const nlohmann::json j = percuss("collide " + kScenes + "cradle.yaml --json --no-engine").json();
  EXPECT_EQ(j["points"][0]["linearised"], true);
  EXPECT_GT(j["points"][0]["linearised_at_N"].get<double>(), 0);
  EXPECT_FALSE(j["remarks"].empty());
  const nlohmann::json linear = percuss("collide " + kScenes + "hanging_cradle.yaml --json --no-engine").json();
  EXPECT_EQ(linear["points"][0]["linearised"], false);
  EXPECT_TRUE(linear["remarks"].empty());
}

TEST_F(Collisions, FrictionIsShownAndTheEnergyIsAccountedFor) {
  const Said said = percuss("collide " + kScenes + "kane_pendulum.yaml");
  ASSERT_EQ(said.code, 0) << said.err;
  for (const char* words : {"senses, grip", "C L", "starts to slip", "L slipping", "taken by friction",
                            "by friction", "without friction", "compliant engine, same springs"})
    EXPECT_NE(said.out.find(words), std::string::npos) << words << said.out;
  const nlohmann::json j = percuss("collide " + kScenes + "kane_pendulum.yaml --json --no-engine").json();
  const auto& point = j["points"][0];
  EXPECT_NEAR(point["lost_J"].get<double>() + point["friction"]["taken_J"].get<double>(),
              j["kinetic_before_J"].get<double>() - j["kinetic_after_J"].get<double>(), 1e-14);
  EXPECT_EQ(point["friction"]["coefficient"], 0.7);
  EXPECT_EQ(j["phases"][0]["grip"][0], "slipping");
  EXPECT_EQ(j["phases"][0]["jams"], false);
}

TEST_F(Collisions, SensitivityOpensGapsByWhatHelpSays) {
  const nlohmann::json j =
      percuss("collide " + kScenes + "two_bars.yaml --json --no-engine --sensitivity 0.01").json();
  double deepest = 0;
  for (const auto& p : j["points"]) deepest = std::max(deepest, p["peak_indentation_m"].get<double>());
  EXPECT_NEAR(j["sensitivity"]["gap_m"].get<double>(), 0.01 * deepest, 1e-15 * deepest);
}

TEST_F(Collisions, WhatCannotBeIsSaidInOneLine) {
  const auto refused = [&](const std::string& words, const std::string& why) {
    const Said said = percuss(words);
    EXPECT_EQ(said.code, 2) << words;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.error_lines(), 1) << said.err;
    EXPECT_NE(said.err.find(why), std::string::npos) << said.err;
  };
  refused("collide " + kScenes + "hanging_cradle.yaml --set 'a.velocity=[-1, 0]'",
          "no point that touches approaches");
  refused("collide " + kScenes + "bouncing_ball.yaml",
          "nothing touches at the start; the nearest, contact \"bounce\", is 0.9 m apart");
  refused("collide " + kScenes + "pendulum.yaml", "the scene has no contacts");
  refused("collide " + kScenes + "hanging_cradle.yaml --sensitivity 0", "must be above 0");
  refused("collide " + kScenes + "hanging_cradle.yaml --set ab.restitution=-0.5", "restitution");
  refused("collide", "the name of a scene file is missing");
  write("rough.yaml",
        "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 1]}\n  ground: {shape: {kind: "
        "plane}}\n"
        "contacts:\n  floor: {between: [ball, ground], response: impulsive, restitution: 0.5, friction: "
        "{coefficient: "
        "0.1}}\nsolver: {duration: 1}\n");
  refused("check rough.yaml", "friction with response: impulsive is that of a tangential spring");
}

}  // namespace
}  // namespace percuss::tests
