// yaml-cpp, checked.
#include "percuss/scene/yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>

#include "percuss/base/words.h"

namespace percuss::scene {

namespace {

constexpr std::uintmax_t kLargestFile = 1 << 20;

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    i += length;
  }
  return true;
}

Where where(const std::string& file, const YAML::Node& node) {
  return {file, node.Mark().line + 1, node.Mark().column + 1};
}

void read_entries(const std::string& file, const YAML::Node& node, int depth, std::vector<Entry>& entries,
                  std::vector<Diagnostic>& errors) {
  for (const auto& pair : node) {
    Entry entry;
    if (!pair.first.IsScalar()) {
      errors.push_back({where(file, pair.first), "a key must be a word"});
      continue;
    }
    entry.key = {pair.first.Scalar(), where(file, pair.first)};
    if (find(entries, entry.key.value))
      errors.push_back({entry.key.at, "the key \"" + entry.key.value + "\" stands here twice"});
    if (pair.second.IsMap() && depth < 1) {
      entry.is_mapping = true;
      read_entries(file, pair.second, depth + 1, entry.inner, errors);
    } else if (pair.second.IsScalar()) {
      entry.value = {pair.second.Scalar(), where(file, pair.second)};
    } else {
      errors.push_back(
          {where(file, pair.second), "the value of \"" + entry.key.value + "\" must be a number or a text"});
    }
    entries.push_back(std::move(entry));
  }
}

}  // namespace

Result<std::vector<Entry>> read_mapping(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Diagnostic{{file}, "no such file"};
  if (!std::filesystem::is_regular_file(path, error)) return Diagnostic{{file}, "is not a regular file"};
  if (std::filesystem::file_size(path, error) > kLargestFile) return Diagnostic{{file}, "larger than 1 MiB"};
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) return Diagnostic{{file}, "cannot be read"};
  if (!is_utf8(text)) return Diagnostic{{file}, "is not UTF-8 text"};
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) return Diagnostic{{file, 1, 1}, "a mapping of keys and values is wanted"};
    std::vector<Entry> entries;
    std::vector<Diagnostic> errors;
    read_entries(file, root, 0, entries, errors);
    if (!errors.empty()) return errors;
    return entries;
  } catch (const YAML::Exception& problem) {
    std::string what = problem.msg;
    std::ranges::replace(what, '\n', ' ');
    return Diagnostic{{file, problem.mark.line + 1, problem.mark.column + 1}, "not YAML: " + what};
  }
}

const Entry* find(std::span<const Entry> entries, std::string_view key) {
  for (const Entry& entry : entries)
    if (entry.key.value == key) return &entry;
  return nullptr;
}

void refuse_unknown(std::span<const Entry> entries, std::span<const std::string_view> allowed,
                    std::vector<Diagnostic>& errors) {
  for (const Entry& entry : entries)
    if (std::ranges::find(allowed, entry.key.value) == allowed.end()) {
      const std::string hint = did_you_mean(entry.key.value, allowed);
      errors.push_back({entry.key.at, "unknown key \"" + entry.key.value + "\"" +
                                          (hint.empty() ? "; allowed: " + joined(allowed) : hint)});
    }
}

}  // namespace percuss::scene
