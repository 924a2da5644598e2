// A collision at many points, for people and for programs.
#pragma once

#include <string>

#include "percuss/study/percussion_study.h"

namespace percuss::report {

/// Points, phases, outcome, rivals, sensitivity.
std::string percussion_text(const model::Model& model, const study::PercussionStudy& study);
std::string percussion_json(const model::Model& model, const study::PercussionStudy& study);

}  // namespace percuss::report
