// Reading of scenes: everything that can be wrong is said, all at once, with its place.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "percuss/io/scene_file.h"
#include "percuss/model/attach.h"
#include "percuss/model/compile.h"
#include "percuss/report/schema_pages.h"
#include "scene_runs.h"

namespace percuss::scene {

using io::read_scene;
using io::read_scene_text;

namespace {

const std::string kBall =
    "bodies:\n"
    "  ground: {shape: {kind: plane}}\n"
    "  ball: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 1]}\n"
    "contacts:\n"
    "  bounce: {between: [ball, ground], law: flores, restitution: 0.9, stiffness: 1.4e8}\n"
    "solver: {duration: 1 s}\n";

std::vector<std::string> errors_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  std::vector<Diagnostic> errors;
  const Result<Scene> scene = read_scene_text(text, "s.yaml", overrides);
  if (!scene) errors = scene.errors();
  if (scene)
    if (const Result<model::Compiled> model = model::compile(*scene); !model) errors = model.errors();
  std::vector<std::string> lines;
  for (const Diagnostic& d : errors) lines.push_back(one_line(d));
  return lines;
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Mistake {
  std::string from, to, says;
};

TEST(Scene, AGoodOneHasNoErrors) { EXPECT_TRUE(errors_of(kBall).empty()); }

TEST(Scene, EachMistakeGivesOneLineWithItsPlace) {
  for (const Mistake& m : std::vector<Mistake>{
           {"mass: 1", "mas: 1", "s.yaml:3:10: error: body \"ball\": unknown key \"mas\"; did you mean \"mass\"?"},
           {"mass: 1", "mass: heavy", "s.yaml:3:16: error: body \"ball\": mass: \"heavy\" is not a finite number"},
           {"mass: 1", "mass: 1 m",
            "s.yaml:3:16: error: body \"ball\": mass: \"1 m\" is a length; expected a mass, e.g. 2 kg"},
           {"mass: 1", "mass: -1", "s.yaml:3:16: error: body \"ball\": mass: \"-1\" must be above 0"},
           {"mass: 1", "mass: 1, mass: 2", "s.yaml:3:19: error: the key \"mass\" stands here twice"},
           {"mass: 1", "mass: [1]", "expected a number, found a list"},
           {"mass: 1, inertia: 0.004,", "", "body \"ball\": it has no mass"},
           {"inertia: 0.004", "inertia: [1, 1, 3]",
            "s.yaml:3:28: error: body \"ball\": no rigid body has this inertia: the largest principal moment 3 "
            "exceeds"},
           {"inertia: 0.004", "inertia: [1, 2]", "expected one, three or six numbers, found 2"},
           {"inertia: 0.004", "inertia: [1, 1, 1, 2, 0, 0]", "must be above 0"},
           {"kind: sphere", "kind: spere", "unknown word \"spere\"; did you mean \"sphere\"?"},
           {"radius: 0.1", "radius: 0", "must be above 0"},
           {"at: [0, 0, 1]", "at: [0, 0, 1, 2]", "expected [x, y, z]"},
           {"at: [0, 0, 1]", "at: up", "expected [x, y, z]"},
           {"[ball, ground]", "[bal, ground]",
            "s.yaml:5:21: error: contact \"bounce\": no body is called \"bal\"; did you mean \"ball\"?"},
           {"[ball, ground]", "[ball, ball]", "a body does not touch itself"},
           {"[ball, ground]", "[ball]", "expected [first, second], found 1 items"},
           {"law: flores", "law: floras", "unknown word \"floras\"; did you mean \"flores\"?"},
           {"restitution: 0.9", "restitution: 1.9",
            "s.yaml:5:63: error: contact \"bounce\": restitution: 1.9 is outside 0..1"},
           {", stiffness: 1.4e8", "", "stiffness: missing"},
           {"stiffness: 1.4e8", "stiffness: 1.4e8 N/m", "is in N/m; expected a value in N/m^1.5"},
           {"duration: 1 s", "duration: 1 s, tolerance: 2", "tolerance 2 is outside 1e-14..0.01"},
           {"duration: 1 s", "duration: 1 s, integrator: verlet", "verlet needs a step"},
           {"duration: 1 s", "duration: 1 s, step: 1e-3", "finds its own steps"},
           {"duration: 1 s", "integrator: dop853", "the key \"duration\" is missing"},
           {"bodies:", "gravty: [0, 0, 0]\nbodies:",
            "s.yaml:1:1: error: scene: unknown key \"gravty\"; did you mean \"gravity\"?"},
           {"  bounce: {between", "  ball: {between", "contact \"ball\": a body has this name already"},
           {"  ball:", "  9ball:", "a name is a letter, then letters, digits and _"},
       }) {
    const auto errors = errors_of(replaced(kBall, m.from, m.to));
    ASSERT_GE(errors.size(), 1U) << m.to;
    bool found = false;
    for (const std::string& e : errors) found = found || e.find(m.says) != std::string::npos;
    EXPECT_TRUE(found) << m.to << "\n" << errors.front() << "\nwanted: " << m.says;
  }
}

TEST(Scene, MistakesOfTheReaderAndOfTheCompilerComeTogether) {
  const auto errors =
      errors_of(replaced(replaced(kBall, "kind: plane", "kind: plain"), "[ball, ground]", "[bal, ground]"));
  EXPECT_EQ(errors.size(), 2U);
}

TEST(Scene, ARampIsNoMassInTonnes) {
  EXPECT_TRUE(errors_of(kBall + "forces: {f: {body: ball, force: [2*t, 0.1*t^2, 0]}}\n").empty());
  EXPECT_FALSE(errors_of(kBall + "forces: {f: {body: ball, force: [90 deg, 0, 0]}}\n").empty());
}

TEST(Scene, DriversThatContradictAreRefused) {
  const auto errors = errors_of(
      "planar: true\nbodies: {w: {mass: 1, inertia: 1, at: [0, 0], angle: 0}}\n"
      "joints: {a: {type: revolute, between: [ground, w], at: [0, 0]}}\n"
      "drivers: {one: {joint: a, value: t^2}, two: {joint: a, value: t^2*2}}\nsolver: {duration: 1}\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].find("driven by others already"), std::string::npos);
}

TEST(Scene, AllMistakesAreReportedAtOnce) {
  const auto errors =
      errors_of(replaced(replaced(replaced(kBall, "mass: 1", "mas: 1"), "law: flores", "law: floras"),
                         "duration: 1 s", "durtion: 1 s"));
  EXPECT_GE(errors.size(), 4U);  // unknown keys, unknown word, missing duration
}

const std::string kCrank =
    "planar: true\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 0.01, at: [0, 0], angle: 0}\n"
    "  rod: {mass: 1, inertia: 0.01}\n"
    "  slider: {mass: 1, inertia: 0.01, angle: 0}\n"
    "joints:\n"
    "  base: {type: revolute, between: [ground, crank], anchors: [[0, 0], [0, 0]]}\n"
    "  pin: {type: revolute, between: [crank, rod], anchors: [[0.1, 0], [0, 0]]}\n"
    "  wrist: {type: revolute, between: [rod, slider], anchors: [[0.3, 0], [0, 0]]}\n"
    "  guide: {type: prismatic, between: [ground, slider], anchors: [[0, 0.05], [0, 0]], axis: x}\n"
    "solver: {duration: 1 s}\n";

// ---- shapes, contacts, clearance joints

const std::string kPin =
    "planar: true\nbodies:\n"
    "  arm: {mass: 1, inertia: 0.01, at: [0, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute-clearance, between: [ground, arm], at: [0, 0], bearing_radius: 10 mm, clearance: 0.5 "
    "mm, "
    "contact: {law: flores, restitution: 0.9, stiffness: 1e9}}\n"
    "solver: {duration: 1 s}\n";

TEST(ContactScenes, EachMistakeIsSaid) {
  struct Case {
    std::string base, from, to, says;
  };
  for (const Case& m : std::vector<Case>{
           {kBall, "at: [0, 0, 1]", "at: [0, 0, 0.08]",
            "bodies \"ball\" and \"ground\" overlap by 0.02 m at the start, at (0, 0, "},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, friction: {coefficient: -0.3}",
            "\"-0.3\" must be at least 0"},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, friction: {law: coulom-tanh, coefficient: 0.3}",
            "did you mean \"coulomb-tanh\"?"},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, friction: {law: lugre}",
            "friction: the key \"coefficient\" is missing"},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, friction: {law: mindlin, coefficient: 0.3}",
            "mindlin needs the parameter \"ratio\""},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, friction: {coefficient: 0.3, parameters: {slip_sped: 1}}",
            "has no parameter \"slip_sped\"; did you mean \"slip_speed\"?"},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, friction: {coefficient: 0.3, static_coefficient: 0.5}",
            "coulomb-tanh has one coefficient"},
           {kBall, "stiffness: 1.4e8",
            "stiffness: 1.4e8, friction: {law: lugre, coefficient: 0.3, static_coefficient: 0.2}",
            "the coefficient of rest is below that of sliding"},
           {kBall, "stiffness: 1.4e8}",
            "stiffness: 1.4e8}\n  again: {between: [ground, ball.sphere], law: hertz, stiffness: 1}",
            "these shapes have a contact already, \"bounce\""},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, law_speed: effective",
            "law_speed: effective is for fixed-step engines"},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, law_speed: 0 m/s", "a speed must be above 0"},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, law_speed: 3 m", "law_speed: "},
           {kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, law_speed: touched",
            "expected touch, effective or a speed"},
           {kBall, "stiffness: 1.4e8", "response: impulsive, law_speed: 1 m/s",
            "has no meaning with response: impulsive"},
           {kBall, "between: [ball, ground]", "materials: [steel, steel]", "no material is called \"steel\""},
           {kBall, "between: [ball, ground],", "", "give `between` (two shapes) or `materials` (two materials)"},
           {kBall, "kind: plane", "kind: rod, length: 1, radius: 0.1", "a rod is for mass alone and cannot touch"},
           {kBall, "radius: 0.1", "radius: 0.1, size: [1, 1, 1]", "body \"ball\": shape: a sphere has no size"},
           {kBall, "kind: plane", "kind: cylinder, length: 1", "a cylinder needs a radius"},
           {kBall, "kind: plane", "kind: hole, radius: 0.1", "does not fit into the hole of radius 0.1 m"},
           {kBall, "kind: plane", "kind: circle, radius: 1", "a circle is not for scenes in space"},
           {kBall, "kind: plane", "kind: polyhedron, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]",
            "the points have no volume"},
           {kBall, "kind: plane", "kind: polyhedron, points: [[0, 0, 0], [1, 0, 0]]", "at least 4 points"},
           {kBall, "kind: plane", "kind: polyhedron", "a polyhedron needs points or a file"},
           {kBall, "kind: plane", "kind: polyhedron, file: missing.stl", "missing.stl: no such file"},
           {kPin, "revolute-clearance", "revolute",
            "a revolute joint has no bearing_radius; \"revolute-clearance\" has"},
           {kPin, "clearance: 0.5 mm", "clearance: 0.5 mm, ratio: 2", "a revolute-clearance joint has no ratio"},
           {kPin, "clearance: 0.5 mm", "clearance: 0", "without clearance it is the joint \"revolute\""},
           {kPin, "clearance: 0.5 mm", "clearance: -1 mm", "must be at least 0"},
           {kPin, "clearance: 0.5 mm", "journal_radius: 11 mm", "does not fit into the bearing"},
           {kPin, "clearance: 0.5 mm", "clearance: 1 mm, journal_radius: 8 mm", "give two of `bearing_radius`"},
           {kPin, ", contact: {law: flores, restitution: 0.9, stiffness: 1e9}", "",
            "the key \"contact\" is missing"},
           {kPin, "law: flores", "law: floras", "did you mean \"flores\"?"},
           {kPin, "revolute-clearance", "spherical-clearance", "is not for planar scenes; use revolute-clearance"},
           {kPin, "restitution: 0.9, stiffness: 1e9", "restitution: 0.9", "stiffness"},
       }) {
    const auto errors = errors_of(replaced(m.base, m.from, m.to));
    ASSERT_FALSE(errors.empty()) << m.to;
    EXPECT_NE(errors.front().find(m.says), std::string::npos) << m.to << "\n" << errors.front();
  }
  EXPECT_TRUE(errors_of(replaced(replaced(kBall, "at: [0, 0, 1]", "at: [0, 0, 0.08]"), "law: flores",
                                 "allow_initial_overlap: true, law: flores"))
                  .empty());
  EXPECT_TRUE(errors_of(kPin).empty());
}

TEST(ContactScenes, MeshFilesAreReadAndJudged) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "percuss_mesh_test";
  fs::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
  };
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  write("good.obj", vertices + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1/1 4/2 3/3\n");
  write("inside_out.obj", vertices + "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n");
  write("open.obj", vertices + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 2 3 4\n");
  write("bad.obj", vertices + "f 1 3 9\n");
  write("words.stl", "solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 zero\n");
  std::string stl = "solid t\n";
  const char* v[] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
  for (const auto& t : {std::array{0, 2, 1}, std::array{0, 1, 3}, std::array{1, 2, 3}, std::array{0, 3, 2}}) {
    stl += "facet normal 0 0 0\nouter loop\n";
    for (const int i : t) stl += std::string("vertex ") + v[i] + "\n";
    stl += "endloop\nendfacet\n";
  }
  write("good.stl", stl + "endsolid t\n");
  write("short.stl", std::string(100, '\1'));
  // a cube with a corner pushed in
  write("dented.obj",
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv .4 .4 .4\nv 0 1 1\n"
        "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  const auto judged = [&](const std::string& file) {
    const std::string text =
        "materials: {stone: {density: 6}}\nbodies:\n  a: {shape: {kind: polyhedron, material: stone, file: " +
        file +
        "}, at: [0, 0, 3]}\n  ground: {shape: {kind: plane}}\ncontacts:\n  c: {between: [a, ground], law: "
        "hertz, stiffness: 1e6}\nsolver: {duration: 1 s}\n";
    const Result<Scene> scene = read_scene_text(text, (folder / "s.yaml").string(), {});
    const Result<model::Compiled> model = model::compile(*scene);
    if (model) return "mass " + text_of(model->model.bodies[1].mass_kg, 6);
    return one_line(model.errors().front());
  };
  EXPECT_EQ(judged("good.obj"), "mass 1");
  EXPECT_EQ(judged("good.stl"), "mass 1");
  EXPECT_NE(judged("inside_out.obj").find("inside out"), std::string::npos) << judged("inside_out.obj");
  EXPECT_NE(judged("open.obj").find("not closed"), std::string::npos) << judged("open.obj");
  EXPECT_NE(judged("bad.obj").find("bad.obj:5: a face names vertex 9; there are 4"), std::string::npos)
      << judged("bad.obj");
  EXPECT_NE(judged("words.stl").find("expected three numbers"), std::string::npos) << judged("words.stl");
  EXPECT_NE(judged("short.stl").find("a binary STL of"), std::string::npos) << judged("short.stl");
  EXPECT_NE(judged("dented.obj").find("not convex"), std::string::npos) << judged("dented.obj");
  EXPECT_NE(judged("s.txt").find("no such file"), std::string::npos);
  fs::remove_all(folder);
}

TEST(Assembly, PlacesWhatTheSceneLeavesOpen) {
  const Result<Scene> scene = read_scene_text(kCrank, "s.yaml");
  ASSERT_TRUE(scene);
  const Result<model::Compiled> model = model::compile(*scene);
  ASSERT_TRUE(model) << one_line(model.errors().front());
  const model::Body& slider = model->model.bodies[3];
  const double x = model->model.start[static_cast<std::size_t>(slider.q_at)],
               y = model->model.start[static_cast<std::size_t>(slider.q_at) + 1];
  EXPECT_NEAR(y, 0.05, 1e-12);
  EXPECT_NEAR(x, 0.1 + std::sqrt(0.09 - 0.0025), 1e-12);
}

TEST(Assembly, SaysWhatDoesNotClose) {
  for (const Mistake& m : std::vector<Mistake>{
           {"[[0, 0.05], [0, 0]]", "[[0, 0.55], [0, 0]]", "the loop does not close"},
           {"angle: 0}\n  rod: {mass: 1, inertia: 0.01}",
            "angle: 0}\n  rod: {mass: 1, inertia: 0.01, at: [0.2, 0], angle: 0}", "the loop does not close"},
           {"between: [crank, rod]", "between: [crank, crank]", "it joins \"crank\" with itself"},
           {"type: prismatic", "type: cylindrical", "cylindrical is not for planar scenes; use prismatic"},
           {"angle: 0}\n  rod", "angle: 0, angular_velocity: 1, velocity: [1, 0]}\n  rod",
            "the velocities at the start contradict the joints"},
       }) {
    const auto errors = errors_of(replaced(kCrank, m.from, m.to));
    ASSERT_EQ(errors.size(), 1U) << m.to;
    EXPECT_NE(errors.front().find(m.says), std::string::npos) << errors.front();
  }
  const std::string known = replaced(
      replaced(kCrank, "rod: {mass: 1, inertia: 0.01}", "rod: {mass: 1, inertia: 0.01, at: [0.1, 0], angle: 0}"),
      "slider: {mass: 1, inertia: 0.01, angle: 0}", "slider: {mass: 1, inertia: 0.01, at: [0.4, 0.05], angle: 0}");
  const auto errors = errors_of(known);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors.front().find("the anchors do not meet: they are 0.05 m apart"), std::string::npos)
      << errors.front();
}

TEST(Override, ReachesSectionsNamesAndTheContactsOfABody) {
  const auto value = [](const std::string& text) {
    const Result<Scene> scene = read_scene_text(kBall, "s.yaml", {text});
    EXPECT_TRUE(scene) << text;
    return scene;
  };
  EXPECT_EQ(*value("ball.restitution=0.6")->contacts[0].law.law.restitution, 0.6);
  EXPECT_EQ(*value("bounce.restitution=0.6")->contacts[0].law.law.restitution, 0.6);
  EXPECT_EQ(*value("contacts.bounce.restitution=0.6")->contacts[0].law.law.restitution, 0.6);
  EXPECT_EQ(*value("ball.mass=2 kg")->bodies[1].mass_kg, 2);
  EXPECT_EQ(value("ball.at=[0, 0, 2]")->bodies[1].at_m->z, 2);
  EXPECT_EQ(value("solver.tolerance=1e-6")->solver.tolerance, 1e-6);
  EXPECT_EQ(value("gravity=[0, 0, -1.62]")->gravity_mps2->z, -1.62);
  for (const Mistake& m :
       std::vector<Mistake>{{"", "bal.mass=2", "nothing is called \"bal\"; did you mean \"ball\"?"},
                            {"", "ball.mas=2", "\"ball\" has no key \"mas\"; did you mean \"mass\"?"},
                            {"", "ball.mass", "expected path=value"},
                            {"", "ball.mass=heavy", "is not a finite number"},
                            {"", "solver.tolerence=1", "does not lead to a value"}}) {
    const auto errors = errors_of(kBall, {m.to});
    ASSERT_GE(errors.size(), 1U) << m.to;
    EXPECT_NE(errors.front().find(m.says), std::string::npos) << errors.front();
  }
}

class Includes : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("percuss_include_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TEST_F(Includes, WhatStandsInTheFileGoesOverWhatItIncludes) {
  write("base.yaml", kBall);
  const auto file = write("heavy.yaml", "include: base.yaml\nbodies: {ball: {mass: 5}}\n");
  const Result<Scene> scene = read_scene(file);
  ASSERT_TRUE(scene) << one_line(scene.errors().front());
  EXPECT_EQ(*scene->bodies[1].mass_kg, 5);
  EXPECT_EQ(*scene->bodies[1].shapes[0].radius_m, 0.1);
}

TEST_F(Includes, CirclesAndMissingFilesAreErrorsAtTheirPlace) {
  write("a.yaml", "include: b.yaml\n");
  write("b.yaml", "include: a.yaml\n");
  const Result<Scene> circle = read_scene(folder_ / "a.yaml");
  ASSERT_FALSE(circle);
  EXPECT_NE(one_line(circle.errors().front()).find("includes itself"), std::string::npos);
  const Result<Scene> missing = read_scene(write("c.yaml", "include: none.yaml\n"));
  ASSERT_FALSE(missing);
  EXPECT_NE(one_line(missing.errors().front()).find("c.yaml:1:10: error: include: \"none.yaml\": no such file"),
            std::string::npos)
      << one_line(missing.errors().front());
}

TEST(HostileInput, EndsQuicklyWithAnError) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "[";
  std::string laughs = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    laughs += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) laughs += std::string("*") + static_cast<char>(c - 1) + ", ";
    laughs += "]\n";
  }
  std::string many = "bodies:\n";
  for (int i = 0; i < 20'000; ++i) many += "  b" + std::to_string(i) + ": {mass: x}\n";
  for (const std::string& text :
       {deep, laughs, many, std::string("a: \xff\xfe"), std::string("\0\0\0", 3), std::string("? [1]\n: 2"),
        std::string("- 1\n- 2"), std::string("{{{{"), std::string("bodies: 3\nsolver: 4\n")}) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(errors_of(text).empty());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60))
        << "not by the sanitizers' slowness";
  }
}

TEST(Schema, IsOneDescriptionForPeopleAndEditors) {
  const auto json = nlohmann::json::parse(report::schema_json(scene::scene_section()));
  EXPECT_EQ(json["properties"]["bodies"]["additionalProperties"]["properties"]["mass"]["type"][0], "number");
  EXPECT_EQ(json["properties"]["solver"]["required"][0], "duration");
  EXPECT_NE(report::schema_text(find_in_schema("bodies.inertia")).find("about the centre of mass"),
            std::string::npos);
  EXPECT_EQ(find_in_schema("bodies.colour").section, nullptr);
}

TEST(Scene, TellsErrorsInElementsOfGravity) {
  const auto errors = [](const std::string& gravity) {
    const auto scene = io::read_scene_text(
        "gravity: " + gravity + "\nbodies: {a: {mass: 1, inertia: 1}}\nsolver: {duration: 1}\n", "s.yaml");
    if (!scene) return scene.errors().size();
    const auto model = model::compile(*scene);
    return model ? std::size_t{0} : model.errors().size();
  };
  EXPECT_EQ(errors("[0, 0, -1.62 m/s^2]"), 0U);
  EXPECT_GE(errors("[0, 0, -9.81 furlong]"), 1U);
  EXPECT_GE(errors("[0, 0, -1.62 kg]"), 1U);
  EXPECT_GE(errors("[0, x, -9.81]"), 1U);
}

TEST(Scene, TypesTheLengthOfASpringByItsCoordinate) {
  const model::Compiled c = from_text(
      "bodies:\n  a: {mass: 1, inertia: 1, at: [0, 0, 0], angle: 0}\n  b: {mass: 1, inertia: 1, at: [1, 0, 0], "
      "angle: 0}\njoints:\n"
      "  slide: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}\n"
      "  pin: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: y}\n"
      "springs:\n  s: {type: coordinate, joint: slide, stiffness: 10}\n"
      "  t: {type: coordinate, joint: pin, stiffness: 10}\nsolver: {duration: 1}\n");
  const auto dimension_of = [&](const char* name) {
    return c.model.channels[static_cast<std::size_t>(model::find_channel(c.model, name))].dimension;
  };
  EXPECT_TRUE(dimension_of("s.length") == dimension::length);
  EXPECT_TRUE(dimension_of("s.force") == dimension::force);
  EXPECT_TRUE(dimension_of("t.length") == dimension::number);
}

/// Input that used to pass without a word, and did nothing or something else.
TEST(Scene, RefusesWhatWouldSayNothing) {
  const std::string mechanism =
      "planar: true\nbodies:\n"
      "  a: {mass: 1, inertia: 1, at: [0, 0], angle: 0}\n"
      "  b: {mass: 1, inertia: 1, at: [1, 0], angle: 0}\n"
      "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0]}\n"
      "  k: {type: revolute, between: [a, b], at: [0.5, 0]}\n"
      "solver: {duration: 1 s}\n";
  const auto expect = [](const std::string& text, const std::string& said,
                         const std::vector<std::string>& overrides = {}) {
    const std::vector<std::string> errors = errors_of(text, overrides);
    EXPECT_TRUE(
        std::ranges::any_of(errors, [&](const std::string& e) { return e.find(said) != std::string::npos; }))
        << said << "\nin\n"
        << text << "\nfound " << errors.size() << ": " << (errors.empty() ? "" : errors.front());
  };
  ASSERT_TRUE(errors_of(mechanism).empty());
  ASSERT_TRUE(errors_of(kBall).empty());
  // keys without a value
  expect(replaced(mechanism, "between: [ground, a]", "between: "), "\"between\" has no value");
  expect(replaced(kBall, "between: [ball, ground]", "between: "), "\"between\" has no value");
  expect("gravity:\n" + kBall, "\"gravity\" has no value");
  expect(replaced(kBall, "inertia: 0.004", "inertia: []"), "inertia: the list is empty");
  // more than one document, or something behind it
  expect(kBall + "---\ngravity: [0, 0, 0]\n", "after the end of the document");
  expect(kBall, "after the end", {"gravity=[0, 0, -9.81] m/s^2"});
  expect(kBall, "after the end", {"bounce.law=\"flores\" and more"});
  expect(" title: x\n" + kBall, "after the end of the document");
  // shapes
  expect(replaced(mechanism, "inertia: 1, at: [0, 0]", "shape: {kind: rod, axis: x}, at: [0, 0]"),
         "a rod needs: length");
  expect(replaced(kBall, "shape: {kind: sphere, radius: 0.1}",
                  "shapes: [{kind: sphere, radius: 0.1, name: s}, {kind: sphere, radius: 0.1, name: s}]"),
         "two of its shapes are called \"s\"");
  expect(
      replaced(kBall, "{kind: plane}", "{kind: polyhedron, scale: 2, points: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}"),
      "scale is for the numbers of a `file`");
  // contacts
  expect(replaced(kBall, "stiffness: 1.4e8", "stiffness: 1.4e8, parameters: {stiffness: 1e6}"),
         "has no parameter \"stiffness\"");
  const std::string two_mistakes =
      replaced(kBall, "restitution: 0.9", "restitution: 7, friction: {coefficient: 0.1, parameters: {nosuch: 1}}");
  expect(two_mistakes, "no parameter \"nosuch\"");
  expect(two_mistakes, "restitution");
  // constants, expressions
  expect("constants: {ball.y: 3}\n" + kBall, "cannot be a name of a constant");
  expect(mechanism + "forces: {f: {body: a, force: [1/0, 0]}}\n", "is not a number");
  expect(mechanism + "forces: {f: {body: a, force: ['sqrt(-1)', 0]}}\n", "is not a number");
  // springs, forces, bodies
  expect(mechanism + "springs: {s: {joint: j, type: linear, stiffness: 1, between: [a, b]}}\n", "has no joint");
  expect(mechanism + "springs: {s: {joint: j, type: coordinate, stiffness: 1, between: [a, nosuch]}}\n",
         "has no between");
  expect(mechanism + "springs: {s: {between: [a, b], stiffness: 1, turning_stiffness: 3}}\n",
         "has no turning_stiffness");
  expect(mechanism + "springs: {s: {type: bushing, between: [a, b], stiffness: 1, rest: 1}}\n", "it has no rest");
  expect(mechanism + "forces: {f: {joint: j, torque: 1, at: [1, 0]}}\n", "has no at");
  expect(mechanism + "forces: {f: {body: a, torque: 1, coordinate: angle}}\n", "has no coordinate");
  expect(replaced(mechanism, "b: {mass: 1", "b: {particle: true, mass: 1"), "a particle");
  expect(replaced(mechanism, "b: {mass: 1, inertia: 1, ", "b: {fixed: true, mass: 1, "), "it has no mass");
  expect(replaced(mechanism, "at: [1, 0], angle: 0", "at: [1, 0], angle: 0, guess_angle: 1"), "exclude each other");
  // --set
  expect(kBall, "files are included before", {"include=nosuch.yaml"});
  expect(replaced(kBall, "solver: {duration: 1 s}", "solver: fast"), "mapping", {"solver.duration=1"});
  EXPECT_TRUE(errors_of(kBall, {"bounce.restitution=", "bounce.law=hertz"}).empty()) << "a key can be taken away";
}

TEST(Scene, TellsAllThatIsWrongInOneVector) {
  EXPECT_EQ(errors_of("gravity: [1 kg, banana, -9.81]\n" + kBall).size(), 2U);
}

TEST(Scene, RefusesIncludedFilesThatAreNoMappings) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "percuss_include_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "list.yaml") << "- 1\n- 2\n";
  std::ofstream(folder / "empty.yaml") << "";
  for (const char* name : {"list.yaml", "empty.yaml"}) {
    std::ofstream(folder / "s.yaml") << "include: " << name << "\n" << kBall;
    const Result<Scene> scene = read_scene(folder / "s.yaml");
    ASSERT_FALSE(scene) << name;
    EXPECT_NE(scene.errors().front().text.find("is not a mapping"), std::string::npos);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace percuss::scene
