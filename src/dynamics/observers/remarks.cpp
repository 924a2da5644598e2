// The same warning with other numbers is the same warning.
#include "percuss/dynamics/observers/remarks.h"

#include <algorithm>

namespace percuss::dynamics {

void Remarks::warn(const std::string& text) {
  constexpr std::size_t kMost = 100;
  const auto kind = [](std::string words) {  // names stand in quotes and keep their digits
    bool is_name = false;
    std::erase_if(words, [&is_name](char c) {
      if (c == '"') is_name = !is_name;
      return !is_name && ((c >= '0' && c <= '9') || c == '.' || c == '-' || c == 'e' || c == '+');
    });
    return words;
  };
  for (const std::string& known : all_)
    if (kind(known) == kind(text)) return;
  if (all_.size() < kMost) all_.push_back(text);
}

void Remarks::save(Writer& out) const {
  out.put(static_cast<std::uint64_t>(all_.size()));
  for (const std::string& text : all_) out.put(text);
}

bool Remarks::restore(Reader& in) {
  std::uint64_t count = 0;
  if (!in.get(count)) return false;
  all_.clear();
  for (std::uint64_t i = 0; i < count; ++i)
    if (!in.get(all_.emplace_back())) return false;
  return true;
}

}  // namespace percuss::dynamics
