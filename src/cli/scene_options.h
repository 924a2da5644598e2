// What verbs that take a scene have in common.
#pragma once

#include "percuss/cli/arguments.h"
#include "percuss/model/compile.h"

namespace percuss::cli {

inline constexpr Option kSetOption{"set", "PATH=VALUE",
                                   "a value in place of the file's, as ball.restitution=0.6 (may be repeated)",
                                   Option::Kind::list};

Result<model::Compiled> read_compiled(const Arguments& arguments);
std::string warning_lines(const std::vector<std::string>& warnings);

}  // namespace percuss::cli
