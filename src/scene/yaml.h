// A strict layer over YAML: known keys only, each once, plain values with their place in the file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/base/units.h"

namespace percuss::scene {

/// A value as written, and where.
struct Text {
  std::string value;
  Where at;
};

/// One mapping of a document. Reading takes entries out; errors collect in the list given.
struct Entry {
  Text key;
  Text value;                // a scalar
  std::vector<Entry> inner;  // or a mapping
  bool is_mapping = false;
};

/// The top-level mapping of a file, at most two levels deep. Refuses what is not UTF-8, not a mapping, too large,
/// or has a key twice.
Result<std::vector<Entry>> read_mapping(const std::filesystem::path& file);

/// The entry with this key, if any.
const Entry* find(std::span<const Entry> entries, std::string_view key);

/// One error for each key that is not among those allowed, with the nearest one that is.
void refuse_unknown(std::span<const Entry> entries, std::span<const std::string_view> allowed,
                    std::vector<Diagnostic>& errors);

}  // namespace percuss::scene
