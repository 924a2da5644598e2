// A table under a sampled controller catches a bouncing ball; its State is kept before the catch and returned to.
#include <cmath>
#include <cstdio>

#include "percuss/dynamics/simulation.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/attach.h"
#include "percuss/model/compile.h"

int main() {
  using namespace percuss;
  using dynamics::Progress;
  const auto scene = io::read_scene_text(
      "bodies:\n"
      "  ball: {mass: 0.1, shape: {kind: sphere, radius: 2 cm}, at: [0, 0, 0.5]}\n"
      "  table: {mass: 2, shapes: [{kind: plane}], inertia: 1, at: [0, 0, 0], angle: 0}\n"
      "joints:\n  lift: {type: prismatic, between: [ground, table], at: [0, 0, 0], axis: z}\n"
      "contacts:\n  strike: {between: [ball, table], law: flores, restitution: 0.6, stiffness: 1e6}\n"
      "solver: {duration: 2 s, tolerance: 1e-9}\n",
      "catch.yaml");
  if (!scene) return std::puts(one_line(scene.errors().front()).c_str()), 2;
  Result<model::Compiled> compiled = model::compile(*scene);
  if (!compiled) return std::puts(one_line(compiled.errors().front()).c_str()), 2;

  // every millisecond: hold the table at 0, give way where the ball comes down; the force is held between
  model::Controller catcher;
  catcher.name = "catcher";
  catcher.every_s = 1e-3;
  catcher.outputs = 1;
  catcher.call = [](const model::ControllerCall& k) {
    const double z = k.reads[0], v = k.reads[1], ball = k.reads[2], ball_v = k.reads[3];
    const double wanted_v = ball - z < 0.05 && ball_v < 0 ? 0.5 * ball_v : -4 * z;
    k.outputs[0] = 2 * 9.81 + 80 * (wanted_v - v);
    return std::string();
  };
  if (const auto wrong =
          model::attach(compiled->model, catcher, {"table.z", "table.vz", "ball.z", "ball.vz"}, {.joint = "lift"}))
    return std::puts(one_line(*wrong).c_str()), 2;

  dynamics::Simulation sim(compiled->model, compiled->settings);
  sim.advance_to(0.25);
  const dynamics::State before = sim.state();  // a value: all that the next step needs
  while (sim.step() == Progress::going) {
  }
  dynamics::Simulation again(compiled->model, compiled->settings, before);
  while (again.step() == Progress::going) {
  }
  if (sim.progress() != Progress::done) return std::puts(sim.failure().c_str()), 1;
  std::printf("ball at %.6f m after %.1f s and %lld samples; from the kept state %s\n", sim.current().y[2],
              sim.time_s(), static_cast<long long>(sim.current().modes.samples[0]),
              sim.state().y == again.state().y ? "the same bits" : "ANOTHER RESULT");
  return sim.state().y == again.state().y ? 0 : 1;
}
