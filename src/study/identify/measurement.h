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
};

/// Every cell must be a finite number; what is not is told with its line, at most a few of them.
Result<NumberTable> read_csv(const std::filesystem::path& file);

}  // namespace percuss::study
