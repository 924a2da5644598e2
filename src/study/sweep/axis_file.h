// An axis as a file says it.
#pragma once

#include "percuss/scene/fields.h"
#include "percuss/study/sweep/axis.h"

namespace percuss::study {

/// {values: ...}, {from: ..., to: ..., count: ...} or {distribution: ...}.
Axis read_axis(const scene::Fields& fields, const scene::Fields::Inner& inner, std::vector<Diagnostic>& errors);

}  // namespace percuss::study
