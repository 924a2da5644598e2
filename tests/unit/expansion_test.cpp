// Parameters, repetition and parts: what is written once stands as often as it should, where it should, and is
// checked with its unit.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "percuss/scene/constants.h"
#include "percuss/scene/expand.h"
#include "scene_runs.h"

namespace percuss::scene {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> errors_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> lines;
  const Result<Scene> scene = io::read_scene_text(text, "s.yaml", overrides);
  std::vector<Diagnostic> errors;
  if (!scene) {
    errors = scene.errors();
  } else if (const Result<model::Compiled> compiled = model::compile(*scene); !compiled) {
    errors = compiled.errors();
  }
  for (const Diagnostic& d : distinct(errors)) lines.push_back(one_line(d));
  return lines;
}
std::string all_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

// ---- constants

TEST(Constants, HaveUnitsAndAreMadeOfEachOtherInAnyOrder) {
  const model::Compiled c = from_text(
      "constants: {dt: 5 ms, m: 2*rho*V, V: 4/3*pi*R^3, rho: 7800 kg/m^3, R: 20 mm}\n"
      "bodies: {ball: {mass: m, inertia: 0.4*m*R^2, at: [0, 0, 5*R], velocity: [R/dt, 0, 0]}}\n"
      "solver: {duration: 1 s}\n");
  ASSERT_EQ(c.model.bodies.size(), 2U);
  const double R = 0.02, m = 2 * 7800 * (4.0 / 3 * M_PI * R * R * R);
  EXPECT_NEAR(c.model.bodies[1].mass_kg, m, 1e-14 * m);
  EXPECT_NEAR(c.model.bodies[1].inertia_kgm2.row[0].x, 0.4 * m * R * R, 1e-18);
  EXPECT_NEAR(c.model.start[2], 0.1, 1e-16);
}

struct DimensionCase {
  std::string text, says;
};
TEST(Constants, TheirUnitsAreCheckedThroughEveryOperation) {
  std::vector<Diagnostic> errors;
  Node mapping;
  mapping.kind = Node::Kind::mapping;
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"L", "2 m"}, {"M", "3 kg"}, {"T", "4 s"}, {"k", "100"}, {"n", "5"}, {"F", "M*L/T^2"}}) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = value;
    mapping.entries.push_back({name, {}, node});
  }
  const Constants constants(&mapping, errors);
  EXPECT_TRUE(errors.empty());
  // what is allowed for a force, with its value
  for (const auto& [text, value] :
       std::vector<std::pair<std::string, double>>{{"F", 0.375},
                                                   {"2*F + 1", 1.75},  // a written number takes the unit of the sum
                                                   {"k*L", 200},       // a constant without unit may be anything
                                                   {"M*L/T/T", 0.375},
                                                   {"sqrt(M*M)*L*T^-2", 0.375},
                                                   {"hypot(F, 2*F)", 0.375 * std::sqrt(5.0)},
                                                   {"max(F, 0)", 0.375},
                                                   {"if(L > 1, F, 2*F)", 0.375},
                                                   {"M*cbrt(L^3)/T^2", 0.375},
                                                   {"F*sin(L/L)", 0.375 * std::sin(1.0)},
                                                   {"mod(F, 0.2)", 0.175},
                                                   {"3 N", 3},
                                                   {"7", 7}}) {
    const Result<double> number = constants.number(text, dimension::force);
    ASSERT_TRUE(number) << text << ": " << number.errors().front().text;
    EXPECT_NEAR(*number, value, 1e-14 * std::abs(value)) << text;
  }
  for (const DimensionCase& c :
       std::vector<DimensionCase>{{"L", "is a length; expected a force, e.g. 100 N"},
                                  {"L + M", "a length and a mass cannot be added"},
                                  {"F - L", "a force and a length cannot be subtracted"},
                                  {"sin(L)", "takes a pure number, not a length"},
                                  {"2^L", "a length cannot be an exponent"},
                                  {"max(F, L)", "a force and a length cannot be compared"},
                                  {"if(L < T, F, F)", "a length and a time cannot be compared"},
                                  {"F*L", "is an energy or a torque; expected a force"},
                                  {"F/L^0.5", "expected a force"},
                                  {"Fx", "unknown name \"Fx\"; did you mean \"F\"?"},
                                  {"3 mm + L", "numbers of an expression are in SI units and carry no unit"},
                                  {"1/(n - 5)", "is not a finite number"},
                                  {"F +", "expected a number, a name"}}) {
    const Result<double> number = constants.number(c.text, dimension::force);
    ASSERT_FALSE(number) << c.text;
    EXPECT_NE(number.errors().front().text.find(c.says), std::string::npos) << number.errors().front().text;
  }
}

TEST(Constants, InACircleAreOneErrorEach) {
  const std::string errors =
      all_of(errors_of("constants: {a: b + 1, b: 2*c, c: a, d: d}\nbodies: {p: {mass: 1, particle: true}}\nsolver: "
                       "{duration: 1}\n"));
  EXPECT_NE(errors.find("are made of each other"), std::string::npos) << errors;
  EXPECT_NE(errors.find("constants.d: it is made of itself"), std::string::npos) << errors;
}

TEST(Constants, AreOverriddenBeforeAnythingIsComputedOfThem) {
  const std::string text =
      "constants: {R: 1 m, s: 2 kg/m^2, m: s*R^2}\nbodies: {p: {mass: m, particle: true}}\nsolver: {duration: 1}\n";
  EXPECT_DOUBLE_EQ(from_text(text).model.bodies[1].mass_kg, 2);
  EXPECT_DOUBLE_EQ(from_text(text, {"constants.R=30 cm"}).model.bodies[1].mass_kg, 2 * 0.3 * 0.3);
}

/// Random expressions with units: the value is that of the same expression with numbers, and the dimension that of
/// a reckoning by exponents, carried along while the expression is made.
TEST(Constants, RandomExpressionsKeepTheirDimension) {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  struct Term {
    std::string text;
    double value;
    Dimension d;
  };
  const std::vector<Term> names = {
      {"L", 2, dimension::length}, {"M", 3, dimension::mass}, {"T", 4, dimension::time}};
  std::vector<Diagnostic> errors;
  Node mapping;
  mapping.kind = Node::Kind::mapping;
  for (const auto& [name, text] : {std::pair{"L", "2 m"}, std::pair{"M", "3 kg"}, std::pair{"T", "4 s"}}) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = text;
    mapping.entries.push_back({name, {}, node});
  }
  const Constants constants(&mapping, errors);
  const std::function<Term(int)> make = [&](int depth) -> Term {
    if (depth == 0) return names[static_cast<std::size_t>(pick(3))];
    const Term a = make(depth - 1), b = make(depth - 1);
    switch (pick(5)) {
      case 0:
        return {"(" + a.text + ")*(" + b.text + ")",
                a.value * b.value,
                {a.d.m + b.d.m, a.d.kg + b.d.kg, a.d.s + b.d.s}};
      case 1:
        return {"(" + a.text + ")/(" + b.text + ")",
                a.value / b.value,
                {a.d.m - b.d.m, a.d.kg - b.d.kg, a.d.s - b.d.s}};
      case 2: return {"sqrt((" + a.text + ")^2)", a.value, a.d};
      case 3: return {"((" + a.text + ") + 3*(" + a.text + "))", 4 * a.value, a.d};
      default: return {"min(" + a.text + ", 2*(" + a.text + "))", a.value, a.d};
    }
  };
  for (int k = 0; k < 300; ++k) {
    const Term term = make(1 + pick(4));
    const Result<double> number = constants.number(term.text, term.d);
    ASSERT_TRUE(number) << term.text << ": " << number.errors().front().text;
    EXPECT_NEAR(*number, term.value, 1e-12 * std::abs(term.value)) << term.text;
    const Dimension wrong{term.d.m + 1, term.d.kg, term.d.s};
    EXPECT_FALSE(constants.number(term.text, wrong)) << term.text;
  }
}

// ---- repetition

std::string chain_by_loop(int n) {
  return "planar: true\nconstants: {N: " + std::to_string(n) +
         ", L: 0.1}\nbodies:\n"
         "  link{i}: {for: {i: 1..N}, mass: 1, shape: {kind: rod, length: L}, at: [(i - 0.5)*L, 0], angle: 0}\n"
         "joints:\n"
         "  pin1: {type: revolute, between: [ground, link1], at: [0, 0]}\n"
         "  more: {for: {i: 2..N}, name: \"pin{i}\", type: revolute, between: [\"link{i-1}\", \"link{i}\"], at: "
         "[(i - "
         "1)*L, 0]}\n"
         "solver: {duration: 0.1}\n";
}
std::string chain_written_out(int n) {
  std::string bodies, joints;
  for (int i = 1; i <= n; ++i) {
    const std::string k = std::to_string(i);
    bodies += "  link" + k + ": {mass: 1, shape: {kind: rod, length: 0.1}, at: [" + text_of((i - 0.5) * 0.1) +
              ", 0], angle: 0}\n";
    joints += "  pin" + k + ": {type: revolute, between: [" + (i == 1 ? "ground" : "link" + std::to_string(i - 1)) +
              ", link" + k + "], at: [" + text_of((i - 1) * 0.1) + ", 0]}\n";
  }
  return "planar: true\nbodies:\n" + bodies + "joints:\n" + joints + "solver: {duration: 0.1}\n";
}

TEST(Repetition, IsTheSameSceneAsOneWrittenOut) {
  for (const int n : {1, 2, 7, 40}) {
    const model::Compiled a = from_text(chain_by_loop(n)), b = from_text(chain_written_out(n));
    ASSERT_EQ(a.model.bodies.size(), b.model.bodies.size());
    EXPECT_EQ(a.model.start, b.model.start);
    for (std::size_t i = 0; i < a.model.bodies.size(); ++i)
      EXPECT_EQ(a.model.bodies[i].name, b.model.bodies[i].name);
    for (std::size_t i = 0; i < a.model.rows.size(); ++i) EXPECT_EQ(a.model.rows[i].name, b.model.rows[i].name);
  }
}

TEST(Repetition, LoopsNestAndTakeListsStepsAndEachOther) {
  const auto names_of = [](const std::string& loops, const std::string& name) {
    std::string out;
    const Result<Scene> scene = io::read_scene_text(
        "bodies:\n  " + name + ": {for: " + loops + ", mass: 1, particle: true}\nsolver: {duration: 1}\n",
        "s.yaml");
    for (const Diagnostic& d : scene->errors) out += one_line(d);
    for (const Body& b : scene->bodies) out += b.name + " ";
    return out;
  };
  EXPECT_EQ(names_of("{i: 1..2, j: 1..3}", "b{i}_{j}"), "b1_1 b1_2 b1_3 b2_1 b2_2 b2_3 ");
  EXPECT_EQ(names_of("{i: 1..3, j: 1..i}", "b{i}_{j}"), "b1_1 b2_1 b2_2 b3_1 b3_2 b3_3 ");
  EXPECT_EQ(names_of("{i: [2, 3, 5]}", "b{i}"), "b2 b3 b5 ");
  EXPECT_EQ(names_of("{i: 0..1..0.25}", "b{i}"), "b0 b0_25 b0_5 b0_75 b1 ");
  EXPECT_EQ(names_of("{i: 3..1..-1}", "b{i}"), "b3 b2 b1 ");
  EXPECT_EQ(names_of("{i: 2..1}", "b{i}"), "");
  EXPECT_EQ(names_of("{i: 1..3}", "b{i*i + 1}"), "b2 b5 b10 ");
}

TEST(Repetition, ReachesFunctionsEventsAndChannels) {
  const SceneRun run = run_text(
      "planar: true\ngravity: [0, 0]\nconstants: {w: 2}\nbodies:\n"
      "  p{i}: {for: {i: 1..3}, mass: 1, particle: true, at: [i, 0]}\n"
      "forces:\n  f{i}: {for: {i: 1..3}, body: \"p{i}\", force: [\"i*w*if(t < 1/i, 1, 0)\", 0]}\n"
      "events:\n  e{i}: {for: {i: 1..3}, when: \"p{i}.vx rises through i/10\", then: [record]}\n"
      "solver: {duration: 2}\n");
  // the force i w acts for 1/i: velocity w = 2 of each
  for (const char* name : {"bodies/p1", "bodies/p2", "bodies/p3"})
    EXPECT_NEAR(run.samples.last(name, "vx"), 2, 1e-9) << name;
  ASSERT_EQ(run.recording.events.size(), 3U);  // each at i/10 = i w t: t = 0.05
  for (const auto& event : run.recording.events) EXPECT_NEAR(event.time_s, 0.05, 1e-9);
}

TEST(Repetition, ErrorsNameTheInstanceOnceAndCountTheOthers) {
  const std::vector<std::string> errors =
      errors_of("bodies:\n  link{i}: {for: {i: 5..9}, mass: i - 7, particle: true}\nsolver: {duration: 1}\n");
  ASSERT_EQ(errors.size(), 1U) << all_of(errors);
  EXPECT_EQ(errors[0],
            "s.yaml:2:35: error: body \"link5\": mass: \"(5) - 7\" must be above 0; and 2 more instances [link{i}, "
            "i = 5]");
}

TEST(Repetition, EachMistakeIsOneClearLine) {
  struct Mistake {
    std::string entry, says;
  };
  for (const Mistake& m : std::vector<Mistake>{
           {"b{i}: {for: {i: 1}, mass: 1}", "for: i: expected a range such as 1..40, or a list of numbers"},
           {"b{i}: {for: [1, 2], mass: 1}", "for: expected names and their values, e.g. {i: 1..40}"},
           {"b{i}: {for: {i: 1..x}, mass: 1}", "\"x\" is not a finite number"},
           {"b{i}: {for: {i: 1..3..0}, mass: 1}", "the step is zero"},
           {"b{i}: {for: {t: 1..3}, mass: 1}", "\"t\" cannot be the name of a loop"},
           {"b{i}: {for: {i: 1..1e9}, mass: 1}", "more than 100000 values"},
           {"b{i}: {for: {i: 1..900, j: 1..900}, mass: 1}", "more than 100000 entries in all"},
           {"b: {for: {i: 1..2}, mass: 1, particle: true}",
            "two of bodies are called \"b\"; name them by the loop"},
           {"b{k}: {for: {i: 1..2}, mass: 1, particle: true}", "for: \"k\" is not a finite number"},
           {"b: {name: c, mass: 1, particle: true}", "unknown key \"name\""}}) {
    const std::string errors = all_of(errors_of("bodies:\n  " + m.entry + "\nsolver: {duration: 1}\n"));
    EXPECT_NE(errors.find(m.says), std::string::npos) << m.entry << "\n" << errors.substr(0, 400);
    EXPECT_EQ(errors.find("internal"), std::string::npos);
  }
}

TEST(Repetition, OneInstanceCanBeSet) {
  const std::string text = "bodies:\n  p{i}: {for: {i: 1..3}, mass: i, particle: true}\nsolver: {duration: 1}\n";
  EXPECT_DOUBLE_EQ(from_text(text, {"p2.mass=7"}).model.bodies[2].mass_kg, 7);
  EXPECT_DOUBLE_EQ(from_text(text, {"bodies.p2.mass=7"}).model.bodies[3].mass_kg, 3);
  EXPECT_NE(all_of(errors_of(text, {"p4.mass=7"})).find("nothing is called \"p4\""), std::string::npos);
}

// ---- parts

class Parts : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("percuss_parts_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  model::Compiled compiled(const std::string& name, const std::vector<std::string>& overrides = {}) const {
    return must_compile(io::read_scene(folder_ / name, overrides));
  }
  std::string errors(const std::string& name) const {
    const Result<Scene> scene = io::read_scene(folder_ / name);
    std::vector<Diagnostic> found = scene ? std::vector<Diagnostic>{} : scene.errors();
    if (scene)
      if (const Result<model::Compiled> c = model::compile(*scene); !c) found = c.errors();
    std::string out;
    for (const Diagnostic& d : found) out += one_line(d) + "\n";
    return out;
  }
  fs::path folder_;
};

/// A mechanism of two bodies with everything that has a place or a direction in the world.
std::string mechanism(bool planar) {
  if (planar)
    return "planar: true\ngravity: [0, 0]\nconstants: {L: 0.4, k: 30 N/m}\nbodies:\n"
           "  a: {mass: 2, inertia: 0.1, at: [0.1, 0.2], angle: 0.3, velocity: [1, 2], angular_velocity: 0.7}\n"
           "  b: {mass: 1, inertia: 0.05, at: [0.1 + L, 0.2]}\n"
           "  c: {mass: 1, particle: true, at: [0.1, 0.9], velocity: [0.5, 0]}\n"
           "joints:\n  pin: {type: revolute, between: [a, b], at: [0.3, 0.2]}\n"
           "springs:\n  s: {between: [b, c], at: [[0.4, 0.2], [0.1, 0.9]], stiffness: k}\n"
           "forces:\n  f: {body: a, force: [\"1 + a.w*L\", 0.2], axes: body}\n  g: {body: b, torque: 0.1*sin(t)}\n"
           "solver: {duration: 0.5}\n";
  return "gravity: [0, 0, 0]\nconstants: {L: 0.4, k: 30 N/m}\nbodies:\n"
         "  a: {mass: 2, inertia: [0.1, 0.2, 0.25], at: [0.1, 0.2, 0.1], angle: 0.3, axis: [1, 2, 0.5], velocity: "
         "[1, "
         "2, 0.5], angular_velocity: [0.7, -0.2, 0.4]}\n"
         "  b: {mass: 1, inertia: [0.05, 0.04, 0.03], at: [0.1 + L, 0.2, 0.1], rotation: [0.9, 0.1, -0.3, 0.2]}\n"
         "  c: {mass: 1, particle: true, at: [0.1, 0.9, 0], velocity: [0.5, 0, 0]}\n"
         "joints:\n  pin: {type: universal, between: [a, b], at: [0.3, 0.2, 0.1], axis: x, second_axis: z}\n"
         "springs:\n  s: {between: [b, c], at: [[0.4, 0.2, 0], [0.1, 0.9, 0.1]], stiffness: k}\n"
         "forces:\n  f: {body: a, force: [\"1 + L\", 0.2, \"0.3*b.vx^0\"], axes: body}\n"
         "solver: {duration: 0.5}\n";
}

/// The motion of a part that was put somewhere is the motion of its file, moved there: to the error of integration.
TEST_F(Parts, PutSomewhereMoveAsTheirFileDoesThere) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  for (const bool planar : {true, false}) {
    write("m.yaml", mechanism(planar));
    const SceneRun own = run_model(compiled("m.yaml"));
    for (int k = 0; k < 6; ++k) {
      const Vec3 at{u(random), u(random), planar ? 0 : u(random)};
      const Vec3 axis = planar ? kAxisZ : unit(Vec3{u(random), u(random), u(random)});
      const double angle = k == 0 ? 0 : 3 * u(random);
      const auto list = [&](const Vec3& v) {
        return "[" + text_of(v.x) + ", " + text_of(v.y) + (planar ? "]" : ", " + text_of(v.z) + "]");
      };
      write("whole.yaml", std::string(planar ? "planar: true\ngravity: [0, 0]\n" : "gravity: [0, 0, 0]\n") +
                              "parts:\n  p: {file: m.yaml, at: " + list(at) + ", angle: " + text_of(angle) +
                              (planar ? "" : ", axis: " + list(axis)) + "}\nsolver: {duration: 0.5}\n");
      const SceneRun there = run_model(compiled("whole.yaml"));
      ASSERT_EQ(there.model.bodies.size(), own.model.bodies.size());
      const Mat3 R = matrix_of(rotation_about(axis, angle));
      for (const char* body : {"a", "b", "c"}) {
        const auto last = [&](const SceneRun& run, const std::string& name, const char* x, const char* y,
                              const char* z) {
          return Vec3{run.samples.last(name, x), run.samples.last(name, y), planar ? 0 : run.samples.last(name, z)};
        };
        const std::string from = std::string("bodies/") + body, to = std::string("bodies/p_") + body;
        EXPECT_LT(norm(last(there, to, "x", "y", "z") - at - R * last(own, from, "x", "y", "z")), 1e-7)
            << body << k;
        EXPECT_LT(norm(last(there, to, "vx", "vy", "vz") - R * last(own, from, "vx", "vy", "vz")), 1e-6)
            << body << k;
      }
    }
  }
}

TEST_F(Parts, TakeConstantsFromOutsideAndNest) {
  write(
      "inner/bob.yaml",
      "planar: true\nconstants: {m: 1 kg, r: 10 mm, I: m*r^2}\nbodies:\n  bob: {mass: m, inertia: I, at: [r, 0]}\n"
      "events: {fast: {when: bob.vx + r rises through 2*r, then: [disable push]}}\n"
      "forces: {push: {body: bob, force: [m, 0]}}\nsolver: {duration: 1}\n");
  write("pair.yaml",
        "planar: true\nconstants: {d: 1 m, m: 7 kg}\nparts:\n"
        "  left: {file: inner/bob.yaml, at: [-d, 0], with: {m: 2*m}}\n"
        "  right: {file: inner/bob.yaml, at: [d, 0], with: {r: d/10}}\nsolver: {duration: 1}\n");
  write("all.yaml",
        "planar: true\nconstants: {m: 3 kg}\nparts:\n  row{i}: {for: {i: 1..3}, file: pair.yaml, at: [0, i], with: "
        "{d: i "
        "+ 1}}\nsolver: {duration: 1}\n");
  const model::Compiled c = compiled("all.yaml");
  ASSERT_EQ(c.model.bodies.size(), 7U);
  EXPECT_EQ(c.model.bodies[1].name, "row1_left_bob");
  EXPECT_EQ(c.model.bodies[6].name, "row3_right_bob");
  EXPECT_DOUBLE_EQ(c.model.bodies[1].mass_kg, 14);
  EXPECT_DOUBLE_EQ(c.model.bodies[6].mass_kg, 1);
  EXPECT_DOUBLE_EQ(c.model.bodies[6].inertia_kgm2.row[2].z, 0.4 * 0.4);
  EXPECT_NEAR(c.model.start[0], -2 + 0.01, 1e-15);  // row1: d = 2
  EXPECT_NEAR(c.model.start[15], 4 + 0.4, 1e-15);   // row3: d = 4, r = d/10
  EXPECT_NEAR(c.model.start[16], 3, 1e-15);
  EXPECT_EQ(c.model.switches.size(), 6U);
  const model::Compiled set = compiled("all.yaml", {"row2_left_bob.mass=5", "constants.m=1"});
  EXPECT_DOUBLE_EQ(set.model.bodies[3].mass_kg, 5);
}

/// Ends on the ground that are given by `anchors`, or left out, stand where the part stands; bodies that functions
/// name bare are those of the part.
TEST_F(Parts, MoveTheirEndsOnTheGroundAndNameTheirOwnBodies) {
  write("m.yaml",
        "planar: true\ngravity: [0, 0]\nbodies:\n  b: {mass: 1, inertia: 1, at: [1, 0], angle: 0}\n  c: {mass: 1, "
        "inertia: 1}\n"
        "joints: {j: {type: revolute, between: [ground, c], anchors: [[0.5, 0], [0, 0]]}}\n"
        "springs: {s: {between: [ground, b], stiffness: 10, rest: 1}, r: {between: [b, ground], anchors: [[0, 0], "
        "[0, 1]], "
        "stiffness: 1, rest: 0}}\n"
        "events: {stop: {when: \"distance(b, c) crosses 100\", then: [stop]}}\nsolver: {duration: 0.1}\n");
  write("all.yaml",
        "planar: true\ngravity: [0, 0]\nbodies: {b: {mass: 1, particle: true, at: [9, 9]}}\nparts: {p: {file: "
        "m.yaml, at: [5, 2], "
        "angle: 0.4}}\nsolver: {duration: 0.1}\noutputs: {channels: {l: p_s.length, r: p_r.length, d: "
        "\"distance(p_b, p_c)\"}}\n");
  const SceneRun run = run_model(compiled("all.yaml"));
  EXPECT_NEAR(run.samples.at("channels", "l", 0), 1, 1e-14);
  EXPECT_NEAR(run.samples.at("channels", "r", 0), std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(run.samples.at("channels", "d", 0), 0.5, 1e-12);
  EXPECT_NEAR(run.samples.at("bodies/p_c", "x", 0), 5 + 0.5 * std::cos(0.4), 1e-12);
  EXPECT_EQ(run.model.events[0].stop, true);
}

TEST_F(Parts, MistakesNameThePartAndTheLineInItsFile) {
  write("p.yaml", "bodies:\n  a: {mass: M, particle: true}\nsolver: {duration: 1}\n");
  write("loop.yaml", "bodies: {}\nparts: {me: {file: loop.yaml}}\nsolver: {duration: 1}\n");
  write("flat.yaml", "planar: true\nbodies: {a: {mass: 1, particle: true}}\nsolver: {duration: 1}\n");
  write("moved.yaml", "bodies: {a: {motion: {x: t}}}\nsolver: {duration: 1}\n");
  write(
      "forced.yaml",
      "bodies: {a: {mass: 1, particle: true}}\nforces: {f: {body: a, force: [1, 0, 0]}}\nsolver: {duration: 1}\n");
  struct Mistake {
    std::string part, says;
  };
  for (const Mistake& m : std::vector<Mistake>{
           {"{file: p.yaml}", "p.yaml:2:13: error: body \"x_a\": mass: \"M\" is not a finite number [part \"x\"]"},
           {"{file: no.yaml}", "part \"x\": \"no.yaml\": no such file"},
           {"{fil: p.yaml}", "unknown key \"fil\"; did you mean \"file\"?"},
           {"{file: loop.yaml}", "has itself as a part"},
           {"{file: flat.yaml}", "it is a planar scene, and this scene is in space"},
           {"{file: p.yaml, with: {Q: 1}}", "part \"x\": with: it has no constant \"Q\"; it has none"},
           {"{file: moved.yaml, angle: 1}", "a part that has one cannot be turned"},
           {"{file: forced.yaml, angle: 1}", "in a part that is turned use `axes: body`"},
           {"{file: p.yaml, at: 3}", "part \"x\": at: expected [x, y, z]"}}) {
    write("s.yaml", "parts:\n  x: " + m.part + "\nbodies: {b: {mass: 1, particle: true}}\nsolver: {duration: 1}\n");
    const std::string found = errors("s.yaml");
    EXPECT_NE(found.find(m.says), std::string::npos) << m.part << "\n" << found;
  }
}

TEST_F(Parts, ShapesOfFilesAreFoundBesideThePart) {
  write("sub/tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  write("sub/stone.yaml",
        "bodies: {stone: {shape: {kind: polyhedron, file: tetra.obj, density: 6}}}\nsolver: {duration: 1}\n");
  write("s.yaml", "parts: {one: {file: sub/stone.yaml, at: [0, 0, 2]}}\nsolver: {duration: 1}\n");
  EXPECT_NEAR(compiled("s.yaml").model.bodies.at(1).mass_kg, 1, 1e-12);
}

}  // namespace

}  // namespace percuss::scene
