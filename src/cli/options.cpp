// What the shared options say.
#include "percuss/cli/options.h"

namespace percuss::cli {

unsigned threads_of(const Arguments& arguments, std::vector<Diagnostic>& errors) {
  const auto threads = arguments.number("threads", dimension::number, errors);
  if (!threads) return 0;
  if (*threads >= 1 && *threads <= 1024 && *threads == static_cast<unsigned>(*threads))
    return static_cast<unsigned>(*threads);
  errors.push_back({{"--threads"}, "must be a whole number from 1 to 1024"});
  return 0;
}

std::filesystem::path file_of(const Arguments& arguments, std::string_view name, const std::string& default_name) {
  if (!arguments.has(name)) return default_name;
  const std::filesystem::path given = arguments.text(name);
  std::error_code error;
  return std::filesystem::is_directory(given, error) ? given / default_name : given;
}

}  // namespace percuss::cli
