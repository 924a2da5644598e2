// A finished study: text, JSON, CSV, page.
#pragma once

#include <string>

#include "percuss/report/numbers.h"
#include "percuss/report/page.h"
#include "percuss/study/sweep/analysis.h"

namespace percuss::report {

std::string sweep_text(const study::SweepData& data, const Style& style = {});
std::string sweep_json(const study::SweepData& data);
std::string sweep_csv(const study::SweepData& data);
Page sweep_page(const study::SweepData& data, const std::string& version);

}  // namespace percuss::report
