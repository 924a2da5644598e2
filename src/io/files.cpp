// Writing of result files.
#include "percuss/io/files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "percuss/base/words.h"

namespace percuss::io {

namespace fs = std::filesystem;

namespace {

/// The signatures that the writers of HDF5, CSV, HTML, VTK and SVG begin their files with.
bool is_percuss_result(const fs::path& path) {
  std::ifstream old(path, std::ios::binary);
  std::string head(512, '\0');
  old.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(old.gcount()));
  const bool is_table = head.starts_with("# percuss "),
             is_page = head.starts_with("<!doctype html><!-- percuss ") ||
                       head.starts_with("<?xml version=\"1.0\"?><!-- percuss ");
  return is_table || is_page ||
         (head.starts_with("<svg ") && head.find("<!-- made by percuss -->") != std::string::npos);
}

}  // namespace

namespace {
std::optional<Diagnostic> cannot_write_to(const fs::path& folder, const fs::path& path) {
  if (::access(folder.c_str(), W_OK) == 0) return std::nullopt;
  return Diagnostic{
      {path.string()}, std::string("cannot be written: ") + std::strerror(errno), Diagnostic::Kind::not_written};
}
}  // namespace

std::optional<Diagnostic> make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return std::nullopt;
  fs::create_directory(folder, error);
  if (!error) return std::nullopt;
  return Diagnostic{
      {folder.string()}, "the folder cannot be made: " + error.message(), Diagnostic::Kind::not_written};
}

std::optional<Diagnostic> refusal(const fs::path& path, bool force) {
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (path.empty()) return Diagnostic{{}, "a file name is empty"};
  if (!fs::is_directory(folder, error)) return Diagnostic{{path.string()}, "the folder does not exist"};
  if (fs::exists(fs::symlink_status(path, error)) && !fs::is_regular_file(path, error))
    return Diagnostic{{path.string()}, "is not a regular file"};
  if (const auto no = cannot_write_to(folder, path)) return no;
  if (!fs::exists(path, error) || force || is_percuss_result(path)) return std::nullopt;
  return Diagnostic{{path.string()}, "exists and is not a percuss result; --force replaces it"};
}

std::vector<Diagnostic> refusals(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                                 bool force) {
  std::vector<Diagnostic> list;
  std::error_code error;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (const auto no = refusal(outputs[i], force)) {
      const bool is_told =
          no->kind == Diagnostic::Kind::not_written && std::ranges::any_of(list, [&](const Diagnostic& d) {
            return d.kind == Diagnostic::Kind::not_written &&
                   fs::path(d.at.source).parent_path() == fs::path(outputs[i]).parent_path();
          });
      if (!is_told) list.push_back(*no);
    }
    for (std::size_t k = 0; k < i; ++k)
      if (!outputs[i].empty() && fs::path(outputs[i]).lexically_normal() == fs::path(outputs[k]).lexically_normal())
        list.push_back({{outputs[i]}, "is to hold two results"});
    for (const std::string& input : inputs)
      if (fs::equivalent(outputs[i], input, error)) list.push_back({{outputs[i]}, "is an input of this run"});
  }
  return list;
}

std::string similar_file(const fs::path& missing) {
  const fs::path folder = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view nearest = nearest_word(missing.filename().string(), candidates);
  if (nearest.empty()) return "";
  return "; did you mean " + in_quotes((missing.parent_path() / nearest).string()) + "?";
}

std::optional<Diagnostic> write_whole(const fs::path& path, std::string_view content) {
  fs::path beside = path;
  beside += ".part" + std::to_string(::getpid());
  const auto failure = [&](const std::string& what) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    return Diagnostic{{path.string()}, "cannot be written: " + what, Diagnostic::Kind::not_written};
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

}  // namespace percuss::io
