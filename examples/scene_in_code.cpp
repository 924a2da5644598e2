// A scene without a file: a pendulum of two rods, swung for five seconds.
#include <cmath>
#include <cstdio>

#include "percuss/dynamics/simulate.h"
#include "percuss/model/compile.h"
#include "percuss/scene/scene.h"

int main() {
  using namespace percuss;
  scene::Scene scene;
  scene.planar = true;
  for (const char* name : {"upper", "lower"}) {
    scene::Body rod;
    rod.name = name;
    rod.mass_kg = 1;
    rod.inertia_kgm2 = {1.0 / 12};
    rod.centre_of_mass_m = Vec3{0.5, 0, 0};  // its frame stands at the upper end
    rod.angle_rad = 0;
    scene.bodies.push_back(rod);
  }
  const auto pin = [&scene](const char* name, const char* a, const char* b, double at_m) {
    scene::Joint joint;
    joint.name = name;
    joint.type = "revolute";
    joint.between = {a, b};
    joint.anchors_m = {{at_m, 0, 0}, {0, 0, 0}};
    scene.joints.push_back(joint);
  };
  pin("pivot", "ground", "upper", 0);
  pin("elbow", "upper", "lower", 1);
  scene.solver.duration_s = 5;
  scene.solver.tolerance = 1e-11;

  const Result<model::Compiled> compiled = model::compile(scene);
  if (!compiled) {
    for (const Diagnostic& d : compiled.errors()) std::puts(one_line(d).c_str());
    return 2;
  }
  const recording::Recording run = dynamics::simulate(*compiled);
  const double gap = std::abs(run.ledger.error_J()) / run.ledger.exchanged_J;
  std::printf("%lld steps, %lld evaluations, joints off by %.0e m, energy gap %.0e of what moved\n",
              static_cast<long long>(run.counts.steps), static_cast<long long>(run.counts.evaluations),
              run.worst_position_residual, gap);
  return run.end == recording::End::done && gap < 1e-9 ? 0 : 1;
}
