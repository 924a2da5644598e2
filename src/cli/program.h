// The program as a whole: its version, its data.
#pragma once

#include <filesystem>
#include <string>

#include "percuss/base/version.h"

namespace percuss::cli {

/// "percuss 0.1.0 ..." with commit, compiler, instruction set, parts built in, data folder.
std::string version_text();

/// The folder of shipped data: PERCUSS_DATA, or relative to the program; empty if there is none.
std::filesystem::path data_folder();
/// Where laws are looked for by name; "" if there is none.
std::string law_folder();

/// The folder of shipped scenes; empty if there is none.
std::filesystem::path scenes_folder();
std::filesystem::path papers_folder();
std::filesystem::path studies_folder();

}  // namespace percuss::cli
