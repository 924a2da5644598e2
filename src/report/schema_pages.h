// The schema of scenes for people and for editors.
#pragma once

#include <string>

#include "percuss/scene/schema.h"

namespace percuss::report {

std::string schema_text(const scene::Found& found);
std::string schema_markdown();
std::string schema_json();

}  // namespace percuss::report
