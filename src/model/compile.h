// Scene to Model and Settings: every error of the user ends here, all of them at once.
#pragma once

#include "percuss/model/model.h"
#include "percuss/model/settings.h"
#include "percuss/scene/scene.h"

namespace percuss::model {

/// What a scene says, checked: physics, and how to run it.
struct Compiled {
  Model model;
  Settings settings;
};
Result<Compiled> compile(const scene::Scene& scene);

}  // namespace percuss::model
