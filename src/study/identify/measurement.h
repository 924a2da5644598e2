// Tables of measured numbers, from CSV.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"

namespace percuss::study {

/// Columns of numbers under names. The first line that is no comment (#) has the names; commas, semicolons or tabs
/// separate.
struct NumberTable {
  std::string source;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::vector<std::vector<Diagnostic>> faults;  // [column] cells that are not finite numbers, at most a few
};

/// Columns may hold texts: what is wrong with a column matters to whoever uses it.
Result<NumberTable> read_csv(const std::filesystem::path& file);

}  // namespace percuss::study
