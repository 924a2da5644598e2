// The same warning with other numbers is the same warning.
#include "percuss/dynamics/observers/remarks.h"

#include <algorithm>

namespace percuss::dynamics {

void Remarks::warn(const Warning& warning) {
  constexpr std::size_t kMost = 100;
  const auto is_same = [&](const Warning& w) { return w.kind == warning.kind && w.subject == warning.subject; };
  if (all_.size() < kMost && std::ranges::none_of(all_, is_same)) all_.push_back(warning);
}

std::vector<std::string> Remarks::texts() const {
  std::vector<std::string> out;
  for (const Warning& w : all_) out.push_back(w.text);
  return out;
}

void Remarks::save(Writer& out) const {
  out.put(static_cast<std::uint64_t>(all_.size()));
  for (const Warning& w : all_)
    for (const std::string* text : {&w.kind, &w.subject, &w.text}) out.put(*text);
}

bool Remarks::restore(Reader& in) {
  std::uint64_t count = 0;
  if (!in.get(count)) return false;
  all_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    Warning& w = all_.emplace_back();
    if (!in.get(w.kind) || !in.get(w.subject) || !in.get(w.text)) return false;
  }
  return true;
}

}  // namespace percuss::dynamics
