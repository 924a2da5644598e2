// Papers reproduced: the table on the terminal, JSON, and one page.
#pragma once

#include <string>
#include <vector>

#include "percuss/report/numbers.h"
#include "percuss/report/page.h"
#include "percuss/study/reproduction.h"

namespace percuss::report {

std::string reproduction_text(const study::Reproduction& paper, const Style& style = {});
std::string reproductions_json(const std::vector<study::Reproduction>& papers);
Page reproduction_page(const std::vector<study::Reproduction>& papers, const std::string& version);

}  // namespace percuss::report
