// How a diagnostic reads.
#include "percuss/base/diagnostic.h"

#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>

namespace percuss {

namespace {
constexpr std::size_t kLongestLine = 2000;  // long enough for every list of words that are allowed
}

std::string one_line(const Diagnostic& diagnostic) {
  const Where& at = diagnostic.at;
  std::string line = at.source;
  if (at.line > 0) line += ":" + std::to_string(at.line);
  if (at.column > 0) line += ":" + std::to_string(at.column);
  if (!line.empty()) line += ": ";
  line += "error: " + diagnostic.text;
  if (!at.instance.empty()) line += " [" + at.instance + "]";
  std::ranges::replace(line, '\n', ' ');
  if (line.size() <= kLongestLine) return line;
  std::size_t size = kLongestLine - 4;
  while (size > 0 && (line[size] & 0xC0) == 0x80) --size;
  return line.substr(0, size) + " ...";
}

std::vector<Diagnostic> distinct(const std::vector<Diagnostic>& diagnostics) {
  std::vector<Diagnostic> out;
  std::set<std::string> told;
  std::map<std::tuple<std::string_view, int, int>, std::pair<std::size_t, std::set<std::string_view>>> instances;
  for (const Diagnostic& d : diagnostics) {
    if (!told.insert(one_line(d)).second) continue;
    if (d.at.instance.empty()) {
      out.push_back(d);
      continue;
    }
    auto& [first, others] = instances[{d.at.source, d.at.line, d.at.column}];
    if (others.empty()) {
      first = out.size();
      out.push_back(d);
    } else if (d.at.instance == out[first].at.instance) {
      out.push_back(d);
    }
    others.insert(d.at.instance);
  }
  for (const auto& [place, of] : instances)
    if (of.second.size() > 1)
      out[of.first].text += "; and " + std::to_string(of.second.size() - 1) +
                            (of.second.size() == 2 ? " more instance" : " more instances");
  return out;
}

std::string words_of(const std::exception& thrown) {
  if (dynamic_cast<const std::bad_alloc*>(&thrown)) return "there is not enough memory";
  if (const auto* system = dynamic_cast<const std::system_error*>(&thrown))
    return "the system refused: " + system->code().message();
  const std::string_view what = thrown.what();
  // functions of Boost.Math say where they are and for which type
  if (what.starts_with("Error in function") || what.find("boost::") != std::string_view::npos)
    return "a number left the range in which it can be computed";
  return std::string(what);
}

}  // namespace percuss
