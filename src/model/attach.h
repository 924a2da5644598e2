// A user's function joined to a model: what it reads, and what its outputs act on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/model/model.h"

namespace percuss::model {

/// On a body: the outputs are force and torque in world axes (fx, fy, fz, tx, ty, tz; planar: fx, fy, tz), fewer
/// ones leave the last at 0. On a coordinate of a joint: one output, its force or torque.
struct Target {
  std::string body{};
  Vec3 at_m{};  // point of the body, in its frame
  bool in_body_axes = false;
  std::string joint{}, coordinate{};  // instead of a body; an empty coordinate is the joint's first
};

/// Adds the controller, with channels read by their names in expressions ("cart.x", "hinge.angle_rate"), and a
/// force of its name that is its outputs. What is wrong is told at once, and the model is then as it was.
std::optional<Diagnostic> attach(Model& model, Controller controller, const std::vector<std::string>& reads,
                                 const Target& target);

/// The index of a channel by its name; -1: there is none.
int find_channel(const Model& model, std::string_view name);

/// A function that is the output of a controller, by its number among all.
Function output_of_controller(Model& model, int output);

}  // namespace percuss::model
