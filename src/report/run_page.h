// The report of one run, from its result file.
#pragma once

#include "percuss/recording/results.h"
#include "percuss/report/page.h"

namespace percuss::report {

Page run_page(const recording::Results& results);

}  // namespace percuss::report
