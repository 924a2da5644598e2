// A fit: text, JSON, page.
#pragma once

#include <string>

#include "percuss/report/numbers.h"
#include "percuss/report/page.h"
#include "percuss/study/identify/identify.h"

namespace percuss::report {

std::string fit_text(const study::Identification& id, const study::Fit& fit, const Style& style = {});
std::string fit_json(const study::Identification& id, const study::Fit& fit);
Page fit_page(const study::Identification& id, const study::Fit& fit, const std::string& version);

}  // namespace percuss::report
