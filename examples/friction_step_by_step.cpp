// A ball thrown without spin slips, grips and rolls: stepped by hand, the slip read off each state.
#include <cmath>
#include <cstdio>

#include "percuss/dynamics/simulation.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"

int main() {
  using namespace percuss;
  const auto scene = io::read_scene_text(
      "bodies:\n"
      "  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1], velocity: [2, 0, 0], "
      "angular_velocity: [0, 0, 0]}\n"
      "  ground: {shape: {kind: plane}}\n"
      "contacts:\n  floor: {between: [ball, ground], law: hunt-crossley, restitution: 0.5, stiffness: 1e6,\n"
      "          friction: {law: mindlin, coefficient: 0.3, parameters: {ratio: 0.8}}}\n"
      "solver: {duration: 1 s, tolerance: 1e-8}\n",
      "bowl.yaml");
  if (!scene) return std::puts(one_line(scene.errors().front()).c_str()), 2;
  const Result<model::Compiled> compiled = model::compile(*scene);
  if (!compiled) return std::puts(one_line(compiled.errors().front()).c_str()), 2;

  dynamics::Simulation sim(compiled->model, compiled->settings);
  double gripped_s = -1;
  while (sim.step() == dynamics::Progress::going)
    for (const dynamics::ContactNow& now : sim.evaluation().contacts)
      if (gripped_s < 0 && sim.time_s() > 0.01 && norm(now.slip_mps) < 1e-3) gripped_s = sim.time_s();
  if (sim.progress() != dynamics::Progress::done) return std::puts(sim.failure().c_str()), 1;
  // a solid ball rolls when v = 5/7 v0, after 2 v0/(7 mu g)
  const double v = sim.evaluation().motions[1].v_mps.x, expected_s = 2 * 2.0 / (7 * 0.3 * 9.81);
  std::printf("grips after %.4f s (2 v0/(7 mu g) = %.4f s), then rolls at %.4f m/s (5/7 v0 = %.4f)\n", gripped_s,
              expected_s, v, 10.0 / 7);
  return std::abs(v - 10.0 / 7) < 0.01 && std::abs(gripped_s - expected_s) < 0.01 ? 0 : 1;
}
