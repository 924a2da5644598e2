// The law tables as text, JSON and Markdown.
#pragma once

#include <string>
#include <string_view>
#include "percuss/report/numbers.h"

namespace percuss::report {

std::string catalogue_text(const Style& style = {});  // one line a law
std::string catalogue_json();
std::string catalogue_markdown();                                     // docs/reference/laws.md
std::string law_text(std::string_view key, const Style& style = {});  // one row in full; key must exist
std::string law_json(std::string_view key);
std::string law_markdown(std::string_view key);

}  // namespace percuss::report
