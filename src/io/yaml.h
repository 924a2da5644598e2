// YAML documents, and the texts of files.
#pragma once

#include <filesystem>
#include <string>

#include "percuss/scene/node.h"

namespace percuss::io {

/// One document. Refuses what is not UTF-8, has a key twice in one mapping, is nested too deeply, or uses anchors
/// and aliases (a few lines of those can stand for more nodes than a machine can hold).
Result<scene::Node> parse_document(const std::string& text, const std::string& source);

/// A regular file of at most 256 MiB, or what the environment variable PERCUSS_FILE_LIMIT_MIB says.
Result<std::string> read_text(const std::filesystem::path& path);
Result<scene::Node> parse_file(const std::filesystem::path& path);

}  // namespace percuss::io
