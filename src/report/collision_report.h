// A collision at many points, for people and for programs.
#pragma once

#include <string>

#include "percuss/report/numbers.h"
#include "percuss/study/collision_study.h"

namespace percuss::report {

/// Points, phases, outcome, rivals, sensitivity.
std::string collision_text(const model::Model& model, const study::CollisionStudy& study, const Style& style = {});
std::string collision_json(const model::Model& model, const study::CollisionStudy& study);

}  // namespace percuss::report
