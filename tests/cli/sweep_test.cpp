// Studies by the command: the same table however they are run, and after being killed; bad input.
#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <random>
#include <sstream>

#include "run.h"

namespace percuss::tests {
namespace {

const std::string kSource = PERCUSS_SOURCE;

const std::string kImpacts = R"(
title: Ten thousand impacts
impact: {law: kuwabara-kono, mass: 1 kg}
axes:
  stiffness: {values: [1e7, 1e8, 1e9, 1e10]}
  velocity: {from: 0.1 m/s, to: 10 m/s, scale: log}
  parameters.relaxation_time: {from: -1 us, to: 100 us}
sampling: latin-hypercube
points: 2500
outputs: {got: delivered, peak: peak_force, time: duration, share: lost/returned}
)";
const std::string kScenes = R"(
title: Two hundred scenes
scene: ')" + kSource + R"(/scenes/bouncing_ball.yaml'
set: [solver.duration=5 s]
axes:
  ball.restitution: {from: 0.3, to: 0.95, count: 10}
  ball.mass: {distribution: normal, mean: 1.5 kg, deviation: 0.3 kg}
points: 20
seed: 11
outputs:
  peak: peak_force
  second: bounce.delivered[2]
  ninth: delivered[9]
  height: ball.z[0.7 s]
  top: ball.z[max]
)";

/// The table of points as text, every bit of it.
std::string table_of(const std::filesystem::path& store) {
  sqlite3* db = nullptr;
  std::string out;
  if (sqlite3_open_v2(store.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
    sqlite3_busy_timeout(db, 10'000);  // who was killed may not be quite dead
    sqlite3_stmt* s = nullptr;
    sqlite3_prepare_v2(db, "SELECT * FROM points ORDER BY point", -1, &s, nullptr);
    while (s && sqlite3_step(s) == SQLITE_ROW) {
      for (int c = 0; c < sqlite3_column_count(s); ++c) {
        const int type = sqlite3_column_type(s, c);
        if (type == SQLITE_FLOAT)
          out += std::to_string(std::bit_cast<std::uint64_t>(sqlite3_column_double(s, c)));
        else if (type != SQLITE_NULL)
          out += reinterpret_cast<const char*>(sqlite3_column_text(s, c));
        out += '|';
      }
      out += '\n';
    }
    sqlite3_finalize(s);
  }
  sqlite3_close(db);
  return out;
}
long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

std::string ask(const std::filesystem::path& store, const std::string& sql) {
  sqlite3* db = nullptr;
  std::string out;
  sqlite3_open_v2(store.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr);
  sqlite3_busy_timeout(db, 10'000);
  sqlite3_stmt* s = nullptr;
  sqlite3_prepare_v2(db, sql.c_str(), -1, &s, nullptr);
  if (s && sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
    out = reinterpret_cast<const char*>(sqlite3_column_text(s, 0));
  sqlite3_finalize(s);
  sqlite3_close(db);
  return out;
}

class Sweep : public Command {
 protected:
  static constexpr const char* kRanks = "mpirun --allow-run-as-root --oversubscribe -n 4";
  bool has_ranks() const {
    return std::system("command -v mpirun >/dev/null") == 0 &&
           percuss("--version").out.find("MPI") != std::string::npos;
  }
  std::string run(const std::string& words, const std::string& prefix = "", int code = 0) {
    const Said said = percuss("sweep study.yaml " + words, prefix);
    EXPECT_EQ(said.code, code) << words << "\n" << said.err;
    return said.err;
  }

  /// Begins, or goes on, and is killed once the store has so many points. False: it ended before.
  bool kill_at(const std::string& store, long points) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      if (::chdir(folder_.c_str()) != 0 || !std::freopen("/dev/null", "w", stdout) ||
          !std::freopen("/dev/null", "w", stderr))
        std::_Exit(1);
      ::execl(PERCUSS_PROGRAM, PERCUSS_PROGRAM, "sweep", "study.yaml", "--threads", "1", "--out", store.c_str(),
              nullptr);
      std::_Exit(1);
    }
    for (;;) {
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) == child) return false;
      const std::string count = ask(folder_ / store, "SELECT count(*) FROM points");
      if (!count.empty() && std::stol(count) >= points) {
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
        return true;
      }
      ::usleep(1000);
    }
  }

  /// Runs a study in every way there is.
  void expect_one_table(const std::string& study, long points) {
    write("study.yaml", study);
    run("--threads 1 --out one.db");
    const std::string one = table_of(folder_ / "one.db");
    ASSERT_EQ(lines(one), points);
    run("--threads 2 --out two.db");
    EXPECT_TRUE(one == table_of(folder_ / "two.db")) << "two threads";
    if (has_ranks()) {
      run("--out ranks.db", kRanks);
      EXPECT_TRUE(one == table_of(folder_ / "ranks.db")) << "four ranks";
    }
    for (const char* shard : {"3/3", "1/3", "2/3"}) run(std::string("--out parts.db --shard ") + shard);
    run("--out parts.db --merge");
    EXPECT_TRUE(one == table_of(folder_ / "parts.db")) << "three shards";

    std::mt19937 random(12345);
    std::vector<double> shares(5);
    for (double& share : shares) share = 0.6 * std::generate_canonical<double, 32>(random);
    std::ranges::sort(shares);
    int killed = 0;
    for (const double share : shares) {
      killed += kill_at("killed.db", static_cast<long>(share * static_cast<double>(points))) ? 1 : 0;
      EXPECT_EQ(ask(folder_ / "killed.db", "PRAGMA integrity_check"), "ok");
    }
    EXPECT_EQ(killed, 5);
    EXPECT_GT(lines(table_of(folder_ / "killed.db")), points / 10) << "nothing survived";
    run("--out killed.db");
    EXPECT_TRUE(one == table_of(folder_ / "killed.db")) << "killed " << killed << " times";
  }
};

TEST_F(Sweep, TenThousandImpactsAreOneTable) {
  expect_one_table(kImpacts, 10'000);
  EXPECT_GT(std::stol(ask(folder_ / "one.db", "SELECT count(*) FROM points WHERE status = 'failed'")), 10)
      << "times below 0 fail";
}

TEST_F(Sweep, TwoHundredScenesAreOneTable) { expect_one_table(kScenes, 200); }

TEST_F(Sweep, TheHorizonIsAnOutputAndItsAbsenceIsNoted) {
  const std::string study = "scene: '" + kSource + R"(/scenes/slider_crank_clearance.yaml'
set: [solver.duration=0.06]
axes: {solver.tolerance: {values: [1e-6, 1e-9]}}
outputs: {peak: peak_force)";
  write("with.yaml", study + ", until: horizon}\n");
  const Said with = percuss("sweep with.yaml --no-page --csv with.csv");
  ASSERT_EQ(with.code, 0) << with.err;
  EXPECT_EQ(with.err.find("note:"), std::string::npos) << with.err;
  double until_s[2] = {};
  const std::string table = contents(folder_ / "with.csv");
  std::istringstream lines(table);
  std::string line;
  while (std::getline(lines, line) && line.starts_with("#")) {
  }
  const auto commas = std::ranges::count(line.substr(0, line.find("until")), ',');
  for (double& t : until_s) {
    std::getline(lines, line);
    std::istringstream cells(line);
    std::string cell;
    for (long i = 0; i <= commas; ++i) std::getline(cells, cell, ',');
    t = std::stod(cell);
  }
  EXPECT_GT(until_s[0], 0.01);
  EXPECT_GT(until_s[1], 1.5 * until_s[0]);
  write("without.yaml", study + "}\n");
  const Said without = percuss("sweep without.yaml --no-page");
  EXPECT_NE(without.err.find("note: the scene has contacts"), std::string::npos) << without.err;
}

TEST_F(Sweep, GoesOnOnlyWithTheSameStudy) {
  write("study.yaml", kImpacts);
  run("");
  EXPECT_NE(run("").find("10000 of them from before"), std::string::npos);
  std::string other = kImpacts;
  other.replace(other.find("points: 2500"), 12, "points: 2600");
  write("study.yaml", other);
  const std::string said = run("", "", 2);
  EXPECT_NE(said.find("points: was \"2500\", is \"2600\""), std::string::npos) << said;
  EXPECT_EQ(lines(table_of(folder_ / "study.db")), 10'000) << "nothing was touched";
  run("--anew");
  EXPECT_EQ(lines(table_of(folder_ / "study.db")), 10'400);
  // a title and a comment are no change; a value in the scene is
  write("scene.yaml", contents(kSource + "/scenes/bouncing_ball.yaml"));
  write("study.yaml",
        "scene: scene.yaml\nset: [solver.duration=0.6]\naxes: {ball.mass: {values: [1, 2]}}\noutputs: {f: "
        "peak_force}\n");
  run("--out scene.db");
  write("study.yaml",
        "# new\ntitle: A title\nscene: scene.yaml\nset: [solver.duration=0.6]\naxes: {ball.mass: {values: [1, "
        "2]}}\noutputs: {f: peak_force}\n");
  run("--out scene.db");
  std::string changed = contents(folder_ / "scene.yaml");
  changed.replace(changed.find("1.4e8"), 5, "1.5e8");
  write("scene.yaml", changed);
  EXPECT_NE(run("--out scene.db", "", 2).find("scene.contacts.bounce.stiffness: was \"1.4e8\", is \"1.5e8\""),
            std::string::npos);
}

/// Ishigami's function with a = 7, b = 0.1 (Saltelli et al., Global Sensitivity Analysis, 2008): V = a^2/8 + b
/// pi^4/5 + b^2 pi^8/18 + 1/2, V1 = (1 + b pi^4/5)^2/2, V2 = a^2/8, V13 = 8 b^2 pi^8/225.
TEST_F(Sweep, FindsTheIndicesOfIshigamisFunction) {
  write("study.yaml", R"(
axes: {x1: {from: -3.141592653589793, to: 3.141592653589793}, x2: {from: -3.141592653589793, to: 3.141592653589793},
       x3: {from: -3.141592653589793, to: 3.141592653589793}}
sampling: saltelli
points: 16384
outputs: {y: sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)}
)");
  const Said said = percuss("sweep study.yaml --json");
  ASSERT_EQ(said.code, 0) << said.err;
  const auto y = said.json()["outputs"]["y"];
  const double pi4 = std::pow(M_PI, 4), b = 0.1;
  const double v1 = std::pow(1 + b * pi4 / 5, 2) / 2, v2 = 49.0 / 8, v13 = 8 * b * b * pi4 * pi4 / 225,
               v = v1 + v2 + v13;
  EXPECT_NEAR(y["mean"].get<double>(), 3.5, 0.01);
  const auto share = [&](const char* axis, const char* which) { return y["indices"][axis][which].get<double>(); };
  EXPECT_NEAR(share("x1", "first") / (v1 / v), 1, 0.02);
  EXPECT_NEAR(share("x2", "first") / (v2 / v), 1, 0.02);
  EXPECT_NEAR(share("x3", "first"), 0, 0.005);
  EXPECT_NEAR(share("x1", "total") / ((v1 + v13) / v), 1, 0.02);
  EXPECT_NEAR(share("x2", "total") / (v2 / v), 1, 0.02);
  EXPECT_NEAR(share("x3", "total") / (v13 / v), 1, 0.02);
}

TEST_F(Sweep, RefusesBadStudiesInOneLineEach) {
  const std::string head = "impact: {law: flores, restitution: 0.5, stiffness: 1e8, mass: 1, velocity: 1}\n";
  const std::string out = "outputs: {f: peak_force}\n";
  struct Case {
    std::string study, says;
  };
  for (const Case& c : std::vector<Case>{
           {head + "axes: {velocty: {values: [1]}}\n" + out, "did you mean \"velocity\"?"},
           {head + "axes: {velocity: {from: 2, to: 2, count: 5}}\n" + out, "the range is empty"},
           {head + "axes: {velocity: {from: 2, to: 1}}\npoints: 4\n" + out, "the range is empty"},
           {head + "axes: {velocity: {values: []}}\n" + out, "the list is empty"},
           {head + "axes: {velocity: {values: [1 m/s, 2 kg]}}\n" + out, "different dimensions"},
           {head + "axes: {velocity: {from: nan, to: 2, count: 3}}\n" + out, "\"nan\" is not a finite number"},
           {head + "axes: {velocity: {from: 1, to: 2}}\n" + out, "points is missing"},
           {head + "axes: {velocity: {distribution: normal, mean: 1}}\npoints: 3\n" + out,
            "needs the key \"deviation\""},
           {head + "axes: {velocity: {values: [1]}}\noutputs: {f: max_forse}\n", "peak_force"},
           {head + "axes: {velocity: {values: [1]}}\n", "the key \"outputs\" is missing"},
           {head + "axes: {}\n" + out, "there is no axis"},
           {"scene: none.yaml\naxes: {ball.mass: {values: [1]}}\n" + out, "no such file"},
           {"scene: '" + kSource + "/scenes/bouncing_ball.yaml'\naxes: {ball.mas: {values: [1]}}\n" + out, "mass"},
           {"scene: '" + kSource + "/scenes/bouncing_ball.yaml'\naxes: {solver.tolerance: {values: [-1]}}\n" + out,
            "must be above 0"},
           {"scene: '" + kSource +
                "/scenes/bouncing_ball.yaml'\naxes: {ball.mass: {values: [1]}}\noutputs: {z: \"ball.q[max]\"}\n",
            "nothing that is recorded is called \"ball.q\""},
           {"impact: {law: flores, restitution: 0.5, stiffness: 1e8, mass: 1 m, velocity: 1}\n"
            "axes: {velocity: {values: [1]}}\n" +
                out,
            "no point can be computed"},
           {"impact: {}\naxes: {velocity: {values: [1]}}\n" + out, "no point can be computed"},
           {head + "axes: {velocity: {values: [1]}}\nperiod: banana\n" + out, "goes with kind: bifurcation"},
           {head + "axes: {velocity: {values: [1]}}\nseed: 3\n" + out, "seed needs an axis that is sampled"},
           {head + "axes: {velocity: {values: [1]}, v: {sets: velocity, values: [2]}}\n" + out, "already"},
           {head + "axes: {v: {sets: [], values: [2]}}\n" + out, "the list is empty"},
           {"kind: bifurcation\n" + head + "axes: {velocity: {values: [1]}}\n" + out, "needs a scene"},
       }) {
    write("study.yaml", c.study);
    const Said said = percuss("sweep study.yaml");
    EXPECT_EQ(said.code, 2) << c.study;
    EXPECT_EQ(said.error_lines(), 1) << c.study << said.err;
    EXPECT_NE(said.err.find(c.says), std::string::npos) << c.study << said.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "study.db"));
  }
}

TEST_F(Sweep, LeavesWhatIsNotItsStoreAlone) {
  write("study.yaml", kImpacts);
  write("study.db", "my own notes\n");
  EXPECT_NE(run("", "", 2).find("is not a store of percuss"), std::string::npos);
  run("--anew", "", 2);
  EXPECT_EQ(contents(folder_ / "study.db"), "my own notes\n");
  sqlite3* db = nullptr;
  sqlite3_open((folder_ / "other.db").c_str(), &db);
  sqlite3_exec(db, "CREATE TABLE points(a)", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  EXPECT_NE(run("--out other.db", "", 2).find("is not a store of percuss"), std::string::npos);
  run("--anew --force --out other.db");
  EXPECT_EQ(percuss("sweep other.db --no-page").code, 0) << "a store, since both words were given";
  EXPECT_NE(run("--shard 1/2 --page p.html", "", 2).find("does not go with --shard"), std::string::npos);
  EXPECT_EQ(percuss("sweep missing.db").code, 2);
  EXPECT_EQ(percuss("sweep study.yaml --shard 4/3").code, 2);
  EXPECT_NE(run("--merge --out none.db", "", 2).find("no shard"), std::string::npos);
}

TEST_F(Sweep, AStoreThatCannotBeReadIsLeftAsItIs) {
  write("study.yaml", kImpacts);
  run("");
  std::string bytes = contents(folder_ / "study.db");
  bytes[100] = static_cast<char>(0x7f);  // the kind of the first page
  write("study.db", bytes);
  const Said said = percuss("sweep study.yaml");
  EXPECT_NE(said.code, 0);
  EXPECT_EQ(contents(folder_ / "study.db"), bytes);
  EXPECT_EQ(percuss("sweep study.yaml --csv study.db").code, 2) << "the store is no place for a table";
}

TEST_F(Sweep, EveryChangeThatDecidesResultsIsSeen) {
  write("scene.yaml", contents(kSource + "/scenes/bouncing_ball.yaml"));
  write("study.yaml", "scene: scene.yaml\naxes: {ball.mass: {values: [1, 2]}}\noutputs: {f: peak_force}\n");
  run("--set solver.duration=0.6 --set ball.restitution=0.5");
  EXPECT_NE(run("--set solver.duration=0.5 --set ball.restitution=0.5", "", 2).find("solver.duration=0.6"),
            std::string::npos);
  // constants of a law of one's own
  write("own.yaml", "force: K*delta^1.5*(1 + beta*ddelta)\nconstants: {beta: 0.3}\n");
  write("study.yaml",
        "impact: {law_file: own.yaml, stiffness: 1e8, mass: 1}\naxes: {velocity: {values: [1, 2]}}\noutputs: {got: "
        "delivered}\n");
  run("--out law.db");
  write("own.yaml", "force: K*delta^1.5*(1 + beta*ddelta)\nconstants: {beta: 0.9}\n");
  EXPECT_NE(run("--out law.db", "", 2).find("own.yaml"), std::string::npos);
}

TEST_F(Sweep, StudiesAndFitsAreCheckedWithoutBeingRun) {
  write("study.yaml", kImpacts);
  Said said = percuss("check study.yaml");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("10000 points; axes stiffness, velocity"), std::string::npos) << said.out;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "study.db"));
  write("wrong.yaml", "impact: {law: flores}\naxes: {restitutio: {values: [1]}}\noutputs: {a: delivered}\n");
  said = percuss("check wrong.yaml");
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.err.find("wrong.yaml:2:"), std::string::npos) << said.err;
  said = percuss("check " + kSource + "/studies/alves_c1_fit.yaml");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("4 data in peaks, restitutions"), std::string::npos) << said.out;
  EXPECT_EQ(percuss("check " + kSource + "/studies/alves_c1_fit.yaml --set a=1").code, 2);
}

/// What is kept as it was measured has its unit; maps are figures too; words part the curves.
TEST_F(Sweep, FiguresHaveUnitsAndACurveForEachWord) {
  write("study.yaml",
        "impact: {law: flores, stiffness: 1e8, mass: 1}\naxes: {restitution: {from: 0.3, to: 0.9, count: 7}, "
        "velocity: "
        "{from: 0.1 m/s, to: 10 m/s, count: 5, scale: log}, law: {values: [exact, flores]}}\noutputs: {peak: "
        "peak_force, half: peak_force/2}\n");
  const std::string out = percuss("sweep study.yaml --figures figures").out;
  EXPECT_NE(out.find("peak (N)"), std::string::npos) << out;
  EXPECT_EQ(out.find("half (N)"), std::string::npos);
  const std::string curve = contents(folder_ / "figures/curve-peak-velocity.svg");
  for (const char* what : {">exact</text>", ">flores</text>", "peak [N]", "velocity [m/s]"})
    EXPECT_NE(curve.find(what), std::string::npos) << what;
  const std::string map = contents(folder_ / "figures/map-peak-restitution-velocity.svg");
  std::size_t cells = 0;
  for (std::size_t at = map.find("crispEdges"); at != std::string::npos; at = map.find("crispEdges", at + 1))
    ++cells;
  EXPECT_EQ(cells, 7U * 5U + 64U);  // and the scale of colours
}

/// The order of the axes numbers the points, that of the outputs the columns: a store must not be gone on with in
/// another.
TEST_F(Sweep, AnotherOrderIsAnotherStudy) {
  const std::string a = "a: {values: [1, 2]}", b = "b: {values: [10, 20, 30]}", s = "s: a+b", d = "d: a-b";
  write("study.yaml", "axes: {" + a + ", " + b + "}\noutputs: {" + s + ", " + d + "}\n");
  run("");
  write("study.yaml", "axes: {" + b + ", " + a + "}\noutputs: {" + s + ", " + d + "}\n");
  EXPECT_NE(run("", "", 2).find("order of axes"), std::string::npos);
  write("study.yaml", "axes: {" + a + ", " + b + "}\noutputs: {" + d + ", " + s + "}\n");
  EXPECT_NE(run("", "", 2).find("order of outputs"), std::string::npos);
}

/// Nothing of one point is left in the next: the contacts that a body's name reaches may change from point to
/// point.
TEST_F(Sweep, APointIsWhatItIsAlone) {
  write("scene.yaml",
        "bodies:\n  floor: {fixed: true, shape: {kind: plane}}\n"
        "  a: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.5]}\n"
        "  b: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [1, 0, 0.5]}\n"
        "contacts:\n  one: {between: [a, floor], law: exact, stiffness: 1e7, restitution: 0.9}\n"
        "  other: {between: [a, b], law: exact, stiffness: 1e7, restitution: 0.9}\n"
        "solver: {duration: 0.5 s}\n");
  const std::string which = "which: {sets: contacts.one.between, values: [",
                    e = "e: {sets: a.restitution, values: [";
  const auto study = [&](const std::string& bodies, const std::string& values) {
    write("study.yaml",
          "scene: scene.yaml\naxes: {" + which + bodies + "]}, " + e + values + "]}}\noutputs: {lost: lost}\n");
    run("--threads 1 --anew");
  };
  study("'[a, floor]', '[b, floor]'", "0.3, 0.5");
  std::vector<std::string> together;
  for (const int k : {0, 1, 2, 3})
    together.push_back(ask(folder_ / "study.db", "SELECT lost FROM points WHERE point = " + std::to_string(k)));
  EXPECT_NE(together[1], together[3]);  // b is not reached by a's restitution
  int k = 0;
  for (const char* bodies : {"'[a, floor]'", "'[b, floor]'"})
    for (const char* values : {"0.3", "0.5"}) {
      study(bodies, values);
      EXPECT_EQ(ask(folder_ / "study.db", "SELECT lost FROM points WHERE point = 0"),
                together[static_cast<std::size_t>(k++)])
          << bodies << " " << values;
    }
}

TEST_F(Sweep, TheTableOfPointsHasThoseThatFailed) {
  write("study.yaml",
        "impact: {law: flores, stiffness: 1e8, mass: 1, velocity: 1}\naxes: {restitution: {values: [0.5, 2, "
        "0.7]}}\noutputs: {got: delivered}\n");
  percuss("sweep study.yaml --csv table.csv");
  const std::string table = contents(folder_ / "table.csv");
  EXPECT_NE(table.find("point,restitution,got,status,reason\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\n1,2,,failed,"), std::string::npos) << table;
  EXPECT_NE(table.find(",done,\n"), std::string::npos);
}

TEST_F(Sweep, ValuesThatDoNotFitAreToldAtTheirAxis) {
  write("study.yaml", "scene: '" + kSource +
                          "/scenes/bouncing_ball.yaml'\naxes:\n  ball.mass: {values: [1 s, 2 s]}\n"
                          "outputs: {lost: lost}\n");
  const Said said = percuss("sweep study.yaml");
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(said.err.find("--set"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("study.yaml:3:"), std::string::npos) << said.err;
  EXPECT_EQ(std::ranges::count(said.err, '\n'), 1) << said.err;
  // and other verbs say whose file this is
  EXPECT_NE(percuss("run study.yaml").err.find("this is a study: percuss sweep"), std::string::npos);
  EXPECT_NE(percuss("identify study.yaml").err.find("this is a study: percuss sweep"), std::string::npos);
  EXPECT_NE(percuss("sweep " + kSource + "/scenes/cradle.yaml").err.find("this is a scene"), std::string::npos);
}

/// Numbers that differ by rounding alone must not become an endless axis.
TEST_F(Sweep, AnOutputThatIsConstantUpToRoundingIsDrawn) {
  write("study.yaml", "axes: {a: {from: 0, to: 1, count: 5}}\noutputs: {s: 1 + a*2.3e-16}\n");
  EXPECT_EQ(percuss("sweep study.yaml --figures figures", "ulimit -v 4000000;").code, 0);
}

/// A store whose numbers of the design were spoilt shows what it has.
TEST_F(Sweep, ADesignThatCannotBeIsNoCrash) {
  write("study.yaml",
        "axes: {a: {from: 0, to: 1}, b: {from: 0, to: 1}}\nsampling: saltelli\npoints: 32\noutputs: {s: a+b}\n");
  run("");
  for (const char* value : {"0", "-3", "1", "1e300"}) {
    ask(folder_ / "study.db", std::string("UPDATE study SET value = '") + value + "' WHERE key = 'rows_of_matrix'");
    EXPECT_EQ(percuss("sweep study.db").code, 0) << value;
  }
}

/// A library that throws at one point must not take the others with it.
TEST_F(Sweep, APointThatCannotBeComputedIsRecorded) {
  write("study.yaml",
        "impact: {law: flores, restitution: 0.5, mass: 1, velocity: 1}\naxes: {stiffness: {values: [1e8, "
        "1e300]}}\noutputs: {time: duration}\n");
  run("");
  EXPECT_EQ(ask(folder_ / "study.db", "SELECT status FROM points WHERE point = 0"), "done");
}

TEST_F(Sweep, RanksThatDisagreeEndTogether) {
  if (!has_ranks()) GTEST_SKIP() << "no MPI here";
  write("study.yaml", kImpacts);
  const std::string program = PERCUSS_PROGRAM;
  const Said said = percuss("sweep study.yaml : -n 1 " + program + " sweep missing.yaml",
                            "timeout 60 mpirun --allow-run-as-root --oversubscribe -n 1");
  EXPECT_NE(said.code, 0);
  EXPECT_NE(said.code, 124) << "it hangs";
  EXPECT_NE(said.err.find("missing.yaml"), std::string::npos) << said.err;
}

TEST_F(Sweep, AFullDiskEndsWithALineAndAStoreThatGoesOn) {
  write("study.yaml", kImpacts);
  const Said said = percuss("sweep study.yaml", "ulimit -f 300;");  // blocks of 512 bytes or 1 KiB
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_NE(said.err.find("the disk is full"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("goes on"), std::string::npos);
  run("--threads 1 --out one.db");
  run("");
  EXPECT_TRUE(table_of(folder_ / "one.db") == table_of(folder_ / "study.db"));
}

TEST_F(Sweep, ALostRankLeavesAStoreThatGoesOn) {
  if (!has_ranks()) GTEST_SKIP() << "no MPI here";
  std::string study = kScenes;
  study.replace(study.find("points: 20"), 10, "points: 100");
  write("study.yaml", study);
  const std::string own = "--out rank-" + std::to_string(::getpid()) + ".db";
  const Said said =
      percuss("sweep study.yaml " + own,
              "{ (for k in $(seq 100); do [ -s " + own.substr(6) +
                  " ] && break; sleep 0.1; done; sleep 1; pkill -KILL -n -f '^/.*percuss sweep study.yaml " + own +
                  "') & } && " + kRanks);
  EXPECT_NE(said.code, 0);
  EXPECT_FALSE(said.err.empty());
  EXPECT_EQ(ask(folder_ / own.substr(6), "PRAGMA integrity_check"), "ok");
  run(own);
  EXPECT_EQ(lines(table_of(folder_ / own.substr(6))), 1000);
}

TEST_F(Sweep, AWallClockLimitMarksPointsToBeRunAgain) {
  write("study.yaml", kScenes);
  EXPECT_NE(run("--wall-limit 1us", "", 1).find("are to be run again"), std::string::npos);
  run("");
  run("--out one.db");
  EXPECT_TRUE(table_of(folder_ / "one.db") == table_of(folder_ / "study.db"));
}

TEST_F(Sweep, KeepsWholeRecordingsOfChosenPoints) {
  write("study.yaml", kScenes + "recordings: [3, 150]\n");
  run("--csv table.csv");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "study-recordings" / "point-3.h5"));
  EXPECT_EQ(percuss("report study-recordings/point-150.h5").code, 0);
  EXPECT_EQ(lines(contents(folder_ / "table.csv")), 202);
  EXPECT_NE(contents(folder_ / "study-sweep.html").find("Parallel coordinates"), std::string::npos);
  // a store speaks for itself
  const Said said = percuss("sweep study.db --json");
  EXPECT_EQ(said.json()["done"], 200);
}

/// A rigid ball of restitution e doubles its period at A w^2/g = sqrt((pi (1-e)/(1+e))^2 + (2 (1+e^2)/(1+e)^2)^2)
/// (Bapat, Sankar and Popplewell 1986): 129.6 mm here. The impact lasts 0.3 ms of a period of 628 ms.
TEST_F(Sweep, TheBallOnTheTableDoublesItsPeriodWhereTheRigidOneDoes) {
  percuss("new table_bifurcation");
  std::string study = contents(folder_ / "table_bifurcation.yaml");
  const std::string range = "from: 0.100, to: 0.140, count: 41";
  study.replace(study.find(range), range.size(),
                "values: [0.10, 0.11, 0.12, 0.124, 0.127, 0.129, 0.1302, 0.133, 0.138]");
  for (const char* tolerance : {"1e-9", "1e-11"}) {
    write("study.yaml", study);
    const Said said = percuss(std::string("sweep study.yaml --json --out t") + tolerance +
                              ".db --set solver.tolerance=" + tolerance);
    ASSERT_EQ(said.code, 0) << said.err;
    const auto chain = said.json()["chain"];
    ASSERT_EQ(chain.size(), 18U);
    for (const auto& link : chain) {
      const double amplitude = link["value"];
      if (amplitude > 0.1285 && amplitude < 0.130) continue;  // so near, what is left of period 2 dies out slowly
      EXPECT_EQ(link["period"], amplitude < 0.1296 ? 1 : 2) << tolerance << " " << amplitude;
    }
    EXPECT_EQ(chain[5]["period"], 1) << "up, 0.129";
  }
}

}  // namespace
}  // namespace percuss::tests
