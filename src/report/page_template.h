// The page that viewer/ builds, as it stands in the program.
#pragma once

#include <string_view>

namespace percuss::report {

/// With the place of the data marked.
std::string_view page_template();

}  // namespace percuss::report
