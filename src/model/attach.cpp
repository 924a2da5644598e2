// Checks, then additions.
#include "percuss/model/attach.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/expression/parse.h"
#include "percuss/model/channel_table.h"

namespace percuss::model {

int find_channel(const Model& model, std::string_view name) {
  const auto found = std::ranges::find(model.channels, name, &Channel::name);
  return found == model.channels.end() ? -1 : static_cast<int>(found - model.channels.begin());
}

Function output_of_controller(Model& model, int output) {
  Function f;
  constexpr std::string_view kNames[] = {"t", "u"};
  if (const Result<expression::Program> u = expression::parse("u", kNames)) f.program = *u;
  f.channels = {static_cast<int>(model.channels.size())};
  f.is_constant = false;
  model.channels.push_back(
      {"output " + std::to_string(output), Channel::Kind::controller_output, output, 0, dimension::number, ""});
  return f;
}

std::optional<Diagnostic> attach(Model& model, Controller controller, const std::vector<std::string>& reads,
                                 const Target& target) {
  const std::string what = "controller " + in_quotes(controller.name);
  const auto wrong = [&](const std::string& text) {
    return Diagnostic{{model.provenance.source}, what + ": " + text};
  };
  if (!controller.call) return wrong("it has no function");
  if (!(controller.every_s >= 0) || !std::isfinite(controller.every_s))
    return wrong("every: " + text_of(controller.every_s) + " s is no time between samples");
  if (controller.every_s > 0 && (controller.has_breaks() || controller.largest_step_s > 0))
    return wrong("it is sampled; break points and a largest step are of a continuous one");
  if (!std::ranges::is_sorted(controller.breaks_s) || !(controller.largest_step_s >= 0) ||
      !std::ranges::all_of(controller.breaks_s, [](double t) { return std::isfinite(t); }))
    return wrong("its break points must rise, and its largest step must not be below 0");
  if (!controller.breaks_s.empty() && controller.next_break) return wrong("it gives its break points in two ways");
  for (const double x : controller.start)
    if (!std::isfinite(x)) return wrong("a state begins at " + text_of(x));
  for (const Controller& known : model.controllers)
    if (known.name == controller.name) return wrong("another controller has this name");
  if (std::ranges::find(model.switches, controller.name) != model.switches.end())
    return wrong("a force or spring has this name");
  for (const std::string& name : reads) {
    const int channel = find_channel(model, name);
    std::vector<std::string_view> names;
    for (const Channel& c : model.channels) names.push_back(c.name);
    if (channel < 0) return wrong("nothing is called " + in_quotes(name) + did_you_mean(name, names));
    if (!(controller.every_s > 0) && follows_from_forces(model.channels[static_cast<std::size_t>(channel)].kind))
      return wrong(in_quotes(name) +
                   " follows from the forces and is not known while they are computed; sample the "
                   "controller (every_s)");
    controller.reads.push_back(channel);
  }
  Force force;
  force.name = controller.name;
  std::vector<Function*> places;
  if (target.body.empty() == target.joint.empty()) return wrong("it acts on a body or on a joint");
  if (!target.joint.empty()) {
    const auto joint = std::ranges::find(model.joints, target.joint, &Joint::name);
    if (joint == model.joints.end()) return wrong("no joint is called " + in_quotes(target.joint));
    const Coordinate* const coordinate = joint->coordinate(target.coordinate);
    if (!coordinate)
      return wrong("joint " + in_quotes(target.joint) + " has no coordinate " + in_quotes(target.coordinate));
    force.measure = coordinate->measure;
    places = {&force.force[0]};
  } else {
    const auto body = std::ranges::find(model.bodies, target.body, &Body::name);
    if (body == model.bodies.end()) return wrong("no body is called " + in_quotes(target.body));
    if (body->kind == Body::Kind::prescribed)
      return wrong("body " + in_quotes(target.body) + " cannot be moved by a force");
    force.body = static_cast<int>(body - model.bodies.begin());
    force.point_m = target.at_m + body->origin_m;
    force.in_body_axes = target.in_body_axes;
    if (model.planar)
      places = {&force.force[0], &force.force[1], &force.torque[2]};
    else
      places = {&force.force[0],  &force.force[1],  &force.force[2],
                &force.torque[0], &force.torque[1], &force.torque[2]};
  }
  if (controller.outputs == 0 || controller.outputs > places.size())
    return wrong(std::to_string(controller.outputs) + " outputs; its target takes 1 to " +
                 std::to_string(places.size()));
  controller.first_output = model.controller_outputs;
  for (std::size_t i = 0; i < controller.outputs; ++i)
    *places[i] = output_of_controller(model, controller.first_output + static_cast<int>(i));
  model.controller_outputs += static_cast<int>(controller.outputs);
  const auto states = static_cast<int>(controller.start.size());
  if (controller.every_s > 0) {
    controller.states_at = model.sampled_states;
    model.sampled_states += states;
  } else {
    controller.states_at = static_cast<int>(model.unknowns());
    model.controlled_count += states;
    model.start.insert(model.start.end(), controller.start.begin(), controller.start.end());
  }
  if (controller.has_breaks()) controller.clock = model.clocks++;
  force.switch_index = static_cast<int>(model.switches.size());
  model.switches.push_back(force.name);
  model.switched_on.push_back(1);
  model.controllers.push_back(std::move(controller));
  model.forces.push_back(std::move(force));
  return std::nullopt;
}

}  // namespace percuss::model
