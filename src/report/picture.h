// What a scene looks like: bodies, shapes and what connects them, as JSON that result files keep for the replay.
#pragma once

#include <string>

#include "percuss/model/model.h"

namespace percuss::report {

std::string replay_picture(const model::Model& model);

}  // namespace percuss::report
