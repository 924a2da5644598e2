// The report of one run.
#pragma once

#include "percuss/recording/recording.h"
#include "percuss/report/page.h"

namespace percuss::report {

Page run_page(const recording::Recording& recording);

}  // namespace percuss::report
