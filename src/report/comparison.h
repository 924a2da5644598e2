// A comparison of laws: ranking as text, everything as JSON, and as a page.
#pragma once

#include <string>

#include "percuss/report/numbers.h"
#include "percuss/report/page.h"
#include "percuss/study/compare.h"

namespace percuss::report {

std::string comparison_text(const study::Comparison& comparison, const Style& style = {});
std::string comparison_json(const study::Comparison& comparison);
Page comparison_page(const study::Comparison& comparison, const std::string& version);

}  // namespace percuss::report
