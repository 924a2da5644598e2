// Result files: whole or not at all, never over something that is not ours.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "percuss/base/diagnostic.h"

namespace percuss::report {

/// May a result go here? The folder must exist; an existing file must be an older percuss result (the word stands
/// in its first lines) unless `force`.
std::optional<Diagnostic> refusal(const std::filesystem::path& path, bool force);

/// Writes beside the place and renames: the file appears complete, or the old one stays.
std::optional<Diagnostic> write_whole(const std::filesystem::path& path, std::string_view content);

}  // namespace percuss::report
