// What the schema says of a key that is not given is what such a scene gets.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "percuss/base/words.h"
#include "percuss/contact/friction.h"
#include "percuss/dynamics/simulation.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"
#include "percuss/scene/schema.h"

namespace percuss {
namespace {

using scene::Key;
using scene::Kind;

/// One thing of each kind, with the keys that must be given and no other.
const std::string kScene =
    "bodies:\n"
    "  ground: {shape: {kind: plane}}\n"
    "  ball: {mass: 1, inertia: 0.004, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.2], velocity: [1, 0, 0]}\n"
    "  other: {mass: 1, inertia: 0.004, at: [1, 0, 1]}\n"
    "springs: {strut: {between: [ball, other], stiffness: 10}}\n"
    "forces: {push: {body: ball, force: [1, 0, 0]}}\n"
    "contacts: {bounce: {between: [ball, ground], law: flores, restitution: 0.9, stiffness: 1e6,\n"
    "                    friction: {coefficient: 0.3}}}\n"
    "events: {low: {when: ball.z falls through 0.15}}\n"
    "solver: {duration: 0.3 s}\n";

/// Everything that a default could change: the settings, and the motion to its last bit.
struct Outcome {
  std::tuple<std::string_view, double, double, double, double, bool, long, double, bool, bool> settings;
  std::vector<double> y;
  Vec3 gravity;
  std::size_t records = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(const std::vector<std::string>& overrides) {
  const Result<scene::Scene> scene = io::read_scene_text(kScene, "s.yaml", overrides);
  if (!scene) throw std::runtime_error(one_line(scene.errors().front()));
  const Result<model::Compiled> compiled = model::compile(*scene);
  if (!compiled) throw std::runtime_error(one_line(compiled.errors().front()));
  const auto& [model, s] = *compiled;
  dynamics::Simulation run(model, s);
  while (run.step() == dynamics::Progress::going) {
  }
  std::size_t records = 0;
  for (const model::Event& e : model.events) records += e.record ? 1 : 0;
  return {{s.integrator->key, s.duration_s, s.tolerance, s.step_s, s.largest_step_s, s.hand_over_when_stiff,
           s.most_steps, s.sample_every_s, s.sample_in_contact, s.account},
          run.current().y,
          model.gravity_mps2,
          records};
}

/// The default as a user would write it; "" where the schema has a sentence instead.
std::string stated(const Key& key) {
  switch (key.kind) {
    case Kind::number:
    case Kind::whole: return read_number(key.otherwise, key.dimension) ? std::string(key.otherwise) : "";
    case Kind::flag: return key.otherwise.empty() ? "" : scene::default_flag(key) ? "true" : "false";
    case Kind::word: return std::string(scene::default_word(key));
    default: return "";
  }
}

TEST(Defaults, AreWhatASceneGetsThatSaysNothing) {
  const Outcome plain = outcome({});
  const std::map<std::string, std::string> names{{"solver", "solver"},   {"outputs", "outputs"},
                                                 {"springs", "strut"},   {"forces", "push"},
                                                 {"contacts", "bounce"}, {"contacts.friction", "bounce.friction"},
                                                 {"bodies", "ball"}};
  int checked = 0;
  for (const auto& [section, name] : names)
    for (const Key& key : scene::find_in_schema(section).section->keys) {
      const std::string value = stated(key);
      const bool goes_with_another =  // a key that has no meaning beside what the scene leaves out
          key.name == "baumgarte_rate" || key.name == "axes" || key.name == "guess_angle" || key.name == "angle";
      const bool exists_already = kScene.find(std::string(key.name) + ":") != std::string::npos && key.needed;
      if (value.empty() || goes_with_another || exists_already) continue;
      ++checked;
      EXPECT_EQ(outcome({name + "." + std::string(key.name) + "=" + value}), plain)
          << section << "." << key.name << ": " << key.otherwise;
    }
  EXPECT_GE(checked, 15);
}

TEST(Defaults, ThatAreNoSingleWordAreThoseOfTheSchemaToo) {
  const Outcome plain = outcome({});
  EXPECT_EQ(outcome({"gravity=[0, 0, -9.81]"}), plain);
  EXPECT_NE(scene::find_in_schema("gravity").key->otherwise.find("[0, 0, -9.81]"), std::string_view::npos);
  EXPECT_EQ(scene::default_vector("gravity", true), (Vec3{0, -9.81, 0}));
  EXPECT_EQ(std::get<7>(plain.settings), 0.3 / 500);
  EXPECT_EQ(outcome({"low.then=record"}), plain);
  EXPECT_EQ(outcome({"bounce.law_speed=touch"}), plain);
  for (const contact::FrictionParameter& p : contact::default_friction().parameters)
    if (!p.name.empty()) {
      EXPECT_EQ(outcome({"bounce.friction.parameters." + std::string(p.name) + "=" + text_of(*p.otherwise)}), plain)
          << p.name;
    }
}

TEST(Defaults, OfScenesMadeInCodeAreThoseOfTheSchema) {
  const scene::Solver solver;
  EXPECT_EQ(solver.tolerance, scene::default_number("solver.tolerance"));
  EXPECT_EQ(solver.integrator, scene::default_word("solver.integrator"));
  EXPECT_EQ(solver.stabilization, scene::default_word("solver.stabilization"));
  const model::Settings settings;
  EXPECT_EQ(settings.tolerance, scene::default_number("solver.tolerance"));
  EXPECT_EQ(settings.integrator->key, scene::default_word("solver.integrator"));
  EXPECT_EQ(static_cast<double>(settings.most_steps), scene::default_number("solver.most_steps"));
  EXPECT_TRUE(scene::Spring{}.enabled);
  EXPECT_EQ(scene::Shape{}.scale, scene::default_number("bodies.shapes.scale"));
}

}  // namespace
}  // namespace percuss
