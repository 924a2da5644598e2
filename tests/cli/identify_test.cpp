// Fits by the command.
#include <cmath>

#include "run.h"

namespace percuss::tests {
namespace {

class Identify : public Command {};

/// Tables 2 to 4 of Alves et al. 2015: moduli and radius give K = 2.46e10 N/m^1.5.
TEST_F(Identify, PeakForcesOfAlvesGiveStiffnessAndRestitutionOfC1) {
  percuss("new alves_c1_fit");
  const Said text = percuss("identify alves_c1_fit.yaml --no-page");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("residual"), std::string::npos);
  std::printf("%s", text.out.c_str());
  const Said said = percuss("identify alves_c1_fit.yaml --json");
  const auto laws = said.json()["laws"];
  ASSERT_EQ(laws.size(), 4U);
  for (const auto& law : laws) {
    const auto& stiffness = law["parameters"][0];
    EXPECT_NEAR(stiffness["value"].get<double>() / 2.46e10, 1, 0.05);
    EXPECT_LT(stiffness["profile_interval"][0].get<double>(), 2.46e10);
    EXPECT_GT(stiffness["profile_interval"][1].get<double>(), 2.46e10);
    if (law["law"] == "exact") {
      EXPECT_NEAR(law["parameters"][1]["value"].get<double>(), 0.9645, 0.002);
    }
    EXPECT_EQ(law["slopes"], "dual numbers");
    for (const auto& test : law["tests"])
      for (const auto& r : test["residuals"])
        EXPECT_LT(std::abs(r.get<double>()), 2 * test["noise"].get<double>() * 2);
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "alves_c1_fit-fit.html"));
}

/// Height over time of a bouncing ball; the restitution of the law is found through the engine.
TEST_F(Identify, AScenesChannelGivesTheRestitution) {
  percuss("new bouncing_ball");
  ASSERT_EQ(
      percuss(
          "run bouncing_ball.yaml --set ball.restitution=0.8 --set solver.duration=1.2 --set outputs.every=20ms "
          "--set outputs.in_contact=false --tables tables")
          .code,
      0);
  write("fit.yaml", R"(
scene: bouncing_ball.yaml
set: [solver.tolerance=1e-9, outputs.in_contact=false]
free: {ball.restitution: {from: 0.5, to: 0.95}}
data:
  height: {file: tables/bodies.csv, kind: channel-time, columns: {time: "t [s]", value: "z [m]"}, output: ball.z, noise: 1 mm}
starts: 3
)");
  const std::string head = contents(folder_ / "tables" / "bodies.csv").substr(0, 200);
  const Said said = percuss("identify fit.yaml --json --no-page");
  ASSERT_EQ(said.code, 0) << said.err << head;
  const auto p = said.json()["laws"][0]["parameters"][0];
  EXPECT_NEAR(p["value"].get<double>(), 0.8, 1e-4);
  EXPECT_EQ(said.json()["laws"][0]["slopes"], "differences");
}

TEST_F(Identify, RefusesBadFitsInOneLineEach) {
  write("good.csv", "t,F\n0,0\n1,5\n2,7\n3,4\n");
  write("nan.csv", "t,F\n0,0\n1,nan\n2,7\n");
  write("short.csv", "t,F\n0,0\n");
  write("ragged.csv", "t,F\n0,0\n1\n");
  const auto fit = [](const std::string& data,
                      const std::string& free =
                          "stiffness: {from: 1e6, to: 1e9}, restitution: {from: 0.1, to: 1}") {
    return "impact: {law: flores, mass: 1, velocity: 1}\nfree: {" + free + "}\ndata: {a: {" + data + "}}\n";
  };
  const std::string columns = "kind: force-time, columns: {time: t, force: F}";
  struct Case {
    std::string text, says;
  };
  for (const Case& c : std::vector<Case>{
           {fit("file: nan.csv, " + columns), "\"nan\" is not a finite number"},
           {fit("file: ragged.csv, " + columns), "this line has 1 cells; the first has 2"},
           {fit("file: short.csv, " + columns), "1 data cannot decide 2 parameters"},
           {fit("file: none.csv, " + columns), "no such file"},
           {fit("file: good.csv, kind: force-time, columns: {time: t, force: force}"), "has no column \"force\""},
           {fit("file: good.csv, kind: force-time, columns: {time: t}"), "\"force\" is missing"},
           {fit("file: good.csv, " + columns + ", units: {force: mm}"), "is no unit of force"},
           {fit("file: good.csv, kind: channel-time, columns: {time: t, value: F}, output: ball.z"),
            "data of a scene"},
           {fit("file: good.csv, " + columns + ", filter: 600"), "sampled too slowly"},
           {fit("file: good.csv, " + columns, "stifness: {from: 1, to: 2}"), "did you mean \"stiffness\"?"},
           {fit("file: good.csv, " + columns, "stiffness: {from: 2, to: 1}"), "the range is empty"},
           {fit("file: good.csv, " + columns, "stiffness: {from: 2}"), "the key \"to\" is missing"},
           {"impact: {law: flores, mass: 1, velocity: 1}\nlaws: [flors]\nfree: {stiffness: {from: 1, to: "
            "2}}\ndata: {a: {file: good.csv, " +
                columns + "}}\n",
            "did you mean \"flores\"?"},
           {"free: {stiffness: {from: 1, to: 2}}\ndata: {a: {file: good.csv, " + columns + "}}\n",
            "either a scene or an impact"},
       }) {
    write("fit.yaml", c.text);
    const Said said = percuss("identify fit.yaml");
    EXPECT_EQ(said.code, 2) << c.text << said.err;
    EXPECT_EQ(said.error_lines(), 1) << c.text << said.err;
    EXPECT_NE(said.err.find(c.says), std::string::npos) << c.text << said.err;
  }
}

}  // namespace
}  // namespace percuss::tests
