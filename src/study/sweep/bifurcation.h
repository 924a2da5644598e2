// Stroboscopic sections along one value, each begun where the one before ended.
#pragma once

#include <optional>

#include "percuss/study/sweep/sweep.h"

namespace percuss::study {

/// Runs what is missing of the chain: the values in order, then back. It goes on from the last state in the store.
std::optional<Diagnostic> follow_branches(const Study& study, Store& store, const SweepRequest& request,
                                          SweepOutcome& out);

/// The least p such that the section repeats after p periods, up to `most`; 0 if it does not. Two sections are the
/// same if they differ by less than `share` of the range of all of them, or of their size.
int period_of(const std::vector<std::vector<double>>& section, int most = 16, double share = 1e-3);

}  // namespace percuss::study
