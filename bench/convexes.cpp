// (i) boxes and polyhedra: the cost of a step against the number of boxes and against the number of vertices.
#include <cmath>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <numbers>
#include <string>

#include "benches.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"
#include "timing.h"

namespace percuss::bench {

namespace {

/// Boxes of one size dropped on each other; `turn` in radians from box to box.
std::string stack(int boxes, double turn) {
  const std::string law = ", law: hunt-crossley, calibration: exact, restitution: 0.5, stiffness: 1e8";
  std::string bodies = "bodies:\n  ground: {shape: {kind: plane}}\n";
  std::string contacts = "contacts:\n  floor: {between: [b0, ground]" + law + "}\n";
  for (int i = 0; i < boxes; ++i) {
    const std::string name = "b" + std::to_string(i);
    bodies += "  " + name + ": {mass: 1, shape: {kind: box, size: [0.2, 0.2, 0.1]}, at: [0, 0, " +
              text_of(0.051 + 0.1001 * i) + "], angle: " + text_of(turn * i) + "}\n";
    if (i > 0)
      contacts +=
          "  c" + std::to_string(i) + ": {between: [b" + std::to_string(i - 1) + ", " + name + "]" + law + "}\n";
  }
  return bodies + contacts + "solver: {duration: 0.06, tolerance: 1e-8}\n";
}

/// Two bodies whose corners lie evenly on spheres.
std::string polyhedra(int corners) {
  std::string points;
  for (int i = 0; i < corners; ++i) {
    const double z = 1 - (2 * i + 1.0) / corners, r = std::sqrt(1 - z * z);
    const double angle = std::numbers::pi * (3 - std::sqrt(5.0)) * i;
    points += (i ? ", [" : "[") + text_of(0.1 * r * std::cos(angle), 12) + ", " +
              text_of(0.1 * r * std::sin(angle), 12) + ", " + text_of(0.1 * z, 12) + "]";
  }
  const std::string shape = "mass: 1, inertia: 0.004, shape: {kind: polyhedron, points: [" + points + "]}";
  return "gravity: [0, 0, 0]\nbodies:\n  a: {" + shape + ", at: [0, 0, 0], angular_velocity: [1, 2, 0.5]}\n  b: {" +
         shape + ", at: [0.02, 0.03, 0.25], velocity: [0, 0, -1], angle: 0.7, axis: [1, 1, 0]}\n" +
         "contacts: {hit: {between: [a, b], law: hertz, stiffness: 1e7}}\n" +
         "solver: {duration: 0.2, tolerance: 1e-8}\n";
}

/// Seconds per step, rejected ones counted; below 0: it failed.
double per_step_s(const std::string& text) {
  const auto scene = io::read_scene_text(text, "bench.yaml", {});
  const auto compiled = model::compile(*scene);
  if (!compiled) return -1;
  recording::Recording last;
  const double t =
      best_times_s({[&] { last = dynamics::simulate(compiled->model, compiled->settings, {}); }}, 0.2)[0];
  if (last.end != recording::End::done) return -1;
  return t / static_cast<double>(last.counts.steps + last.counts.rejected);
}

/// The least exponent p for which the cost grows as n^p from the first size to the last.
bool grows_no_faster(const char* what, std::initializer_list<int> sizes, double most,
                     const std::function<std::string(int)>& scene) {
  double first = 0, exponent = 0;
  int n_first = 0;
  for (const int n : sizes) {
    const double t = per_step_s(scene(n));
    if (t < 0) {
      std::printf("    %-28s %6d   FAILED\n", what, n);
      return false;
    }
    if (first > 0) exponent = std::log(t / first) / std::log(static_cast<double>(n) / n_first);
    if (first == 0) first = t, n_first = n;
    std::printf("    %-28s %6d %10.1f us\n", what, n, 1e6 * t);
  }
  const bool met = exponent <= most;
  std::printf("    %-28s grows as n^%.2f; bar n^%.1f%s\n", what, exponent, most, met ? "" : "   MISSED");
  return met;
}

}  // namespace

bool convexes() {
  std::printf("\n(i) boxes and polyhedra: time of a step\n");
  const bool aligned = grows_no_faster("boxes in a stack", {2, 5, 10}, 1.2, [](int n) { return stack(n, 0); });
  const bool turned = grows_no_faster("boxes, each turned", {2, 5, 10}, 1.2, [](int n) { return stack(n, 0.05); });
  const bool corners = grows_no_faster("vertices of two polyhedra", {50, 150, 500}, 1.0, polyhedra);
  return aligned && turned && corners;
}

}  // namespace percuss::bench
