// Options as words, and back.
#include "percuss/cli/collision_options.h"

#include <algorithm>

#include "percuss/base/words.h"
#include "percuss/contact/rows.h"

namespace percuss::cli {

impact::Words words_of(const Arguments& arguments, std::vector<Diagnostic>& errors) {
  impact::Words words;
  for (const Option& option : kCollisionOptions)
    if (option.name != "parameters" && arguments.has(option.name))
      words.say(option.name, arguments.text(option.name));
  for (const char* own : {"law", "restitution"})
    if (arguments.has(own)) words.say(own, arguments.text(own));
  for (const std::string& text : arguments.texts("parameters")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      errors.push_back({{"--parameters"}, in_quotes(text) + " is not NAME=VALUE"});
    else
      words.say(std::string(impact::Words::kConstant) + text.substr(0, equals), text.substr(equals + 1));
  }
  return words;
}

std::vector<Diagnostic> as_options(const std::vector<Diagnostic>& errors) {
  std::vector<Diagnostic> out = errors;
  for (Diagnostic& d : out)
    if (d.at.source.starts_with(impact::Words::kConstant))
      d.at.source = "--parameters " + d.at.source.substr(impact::Words::kConstant.size());
    else if (d.at.source == "law" || d.at.source == "restitution" ||
             std::ranges::find(kCollisionOptions, d.at.source, &Option::name) != kCollisionOptions.end())
      d.at.source = "--" + d.at.source;
  return out;
}

std::vector<std::string> law_keys() {
  std::vector<std::string> keys;
  for (const contact::DissipationRow& row : contact::dissipation_rows()) keys.emplace_back(row.key);
  return keys;
}

}  // namespace percuss::cli
