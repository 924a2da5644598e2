// What the replay draws: shapes of bodies, and what links them.
#pragma once

#include <string>

#include "percuss/model/model.h"

namespace percuss::model {

/// JSON: {planar, size, up, bodies: [{name, shapes: [{kind, at, axis, radius, length, width, points, faces}]}],
/// links: [{from, to, a, b, kind}]}. Lengths in m, from the origin of each body's frame, which is what samples say.
std::string replay_picture(const Model& model);

}  // namespace percuss::model
