// What verbs that take a scene have in common.
#pragma once

#include "percuss/cli/arguments.h"
#include "percuss/model/compile.h"

namespace percuss::cli {

Result<model::Compiled> read_compiled(const Arguments& arguments);
std::string warning_lines(const std::vector<std::string>& warnings);

}  // namespace percuss::cli
