// Scene to Model: every error of the user ends here, all of them at once.
#pragma once

#include "percuss/model/model.h"
#include "percuss/scene/scene.h"

namespace percuss::model {

Result<Model> compile(const scene::Scene& scene);

}  // namespace percuss::model
