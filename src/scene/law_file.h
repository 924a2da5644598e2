// A user's law from a file.
#pragma once

#include <filesystem>

#include "percuss/contact/user_law.h"

namespace percuss::scene {

/// YAML with the keys
///   name         optional; the file's name otherwise
///   description  optional
///   force        expression of delta, ddelta, v0, m, K, n, c and the constants
///   constants    optional mapping of names to numbers (SI)
///   release      zero-force (default: the force never pulls) or zero-depth (it may)
Result<contact::UserLaw> read_law_file(const std::filesystem::path& file);

}  // namespace percuss::scene
