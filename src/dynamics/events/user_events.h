// The events of a scene: functions that cross zero.
#pragma once

#include <optional>
#include <vector>

#include "percuss/dynamics/events/contact_events.h"

namespace percuss::dynamics {

/// What an event's function needs to be known: the bodies that it reads, or a whole evaluation.
struct EventReads {
  bool forces = false;
  std::optional<std::vector<int>> bodies;
};
std::vector<EventReads> event_reads(const Model& model);

int sign_of(double g);
bool happens(const model::Event& event, int new_side);

/// The first crossing of an event in the last step. An event knows the side it is on; after it has happened it is
/// armed again once the function has been seen on its new side, because rounding may leave it a little short of it.
std::optional<Located> first_user_event(const Model& model, const Path& path, const std::vector<EventReads>& reads,
                                        Workspace& workspace);

}  // namespace percuss::dynamics
