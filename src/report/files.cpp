// Writing of result files.
#include "percuss/report/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace percuss::report {

namespace fs = std::filesystem;

std::optional<Diagnostic> refusal(const fs::path& path, bool force) {
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (path.empty()) return Diagnostic{{"out"}, "the file name is empty"};
  if (!fs::is_directory(folder, error)) return Diagnostic{{path.string()}, "the folder does not exist"};
  if (fs::is_directory(path, error)) return Diagnostic{{path.string()}, "is a folder; a file name is wanted"};
  if (::access(folder.c_str(), W_OK) != 0)
    return Diagnostic{{path.string()}, std::string("cannot be written: ") + std::strerror(errno)};
  if (!fs::exists(path, error) || force) return std::nullopt;
  std::ifstream old(path, std::ios::binary);
  std::string head(512, '\0');
  old.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(old.gcount()));
  if (head.find("percuss") != std::string::npos) return std::nullopt;
  return Diagnostic{{path.string()}, "exists and is not a percuss result; --force replaces it"};
}

std::optional<Diagnostic> write_whole(const fs::path& path, std::string_view content) {
  fs::path beside = path;
  beside += ".part" + std::to_string(::getpid());
  const auto failure = [&](const std::string& what) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    return Diagnostic{{path.string()}, "cannot be written: " + what};
  };
  {
    std::ofstream file(beside, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) return failure(std::strerror(errno));
  }
  std::error_code error;
  fs::rename(beside, path, error);
  if (error) return failure(error.message());
  return std::nullopt;
}

}  // namespace percuss::report
