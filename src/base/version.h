// Which program this is.
#pragma once

#include <string>

namespace percuss {

std::string version_number();
/// Commit, compiler and build type in one line.
std::string build_text();
/// Empty where the sources are no git checkout.
std::string commit();
std::string compiler();

}  // namespace percuss
