// A user's law from a file.
#pragma once

#include <filesystem>

#include "percuss/contact/user_law.h"

namespace percuss::io {

/// YAML with the keys
///   name         optional; the file's name otherwise
///   description  optional
///   force        expression of delta, ddelta, v0, m, K, n, c and the constants
///   constants    optional mapping of names to numbers (SI)
///   release      zero-force (default: the force never pulls) or zero-indentation (it may)
Result<contact::UserLaw> read_law_file(const std::filesystem::path& file);

/// Where a law file of this name is: beside the document that names it, or, given by its name alone with or without
/// its ending, among those that are shipped. Where there is none, the first place.
std::filesystem::path find_law_file(const std::string& name, const std::filesystem::path& beside,
                                    const std::filesystem::path& law_folder);

}  // namespace percuss::io
