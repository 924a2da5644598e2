// The schema of scenes for people and for editors.
#pragma once

#include <string>

#include "percuss/report/numbers.h"
#include "percuss/scene/schema.h"

namespace percuss::report {

std::string schema_text(const scene::Found& found, const Style& style = {});
std::string schema_json(const scene::Section& root);

/// Pages of the reference.
std::string scene_markdown();
std::string study_markdown();
std::string fit_markdown();

}  // namespace percuss::report
