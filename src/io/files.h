// Result files: whole or not at all, never over something that is not ours.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "percuss/base/diagnostic.h"

namespace percuss::io {

/// May a result go here? The folder must exist; an existing file must be an older percuss result (its first line
/// says so) unless `force`.
std::optional<Diagnostic> refusal(const std::filesystem::path& path, bool force);

/// The same for all outputs of a run; no two may be one file, none an input. What keeps a folder from being written
/// to is said once.
std::vector<Diagnostic> refusals(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                                 bool force);

/// Makes a folder, unless it is there.
std::optional<Diagnostic> make_folder(const std::filesystem::path& folder);

/// `; did you mean "x"?` with the file of the folder whose name is nearest, or nothing.
std::string similar_file(const std::filesystem::path& missing);

/// Writes beside the place and renames: the file appears complete, or the old one stays.
std::optional<Diagnostic> write_whole(const std::filesystem::path& path, std::string_view content);

}  // namespace percuss::io
