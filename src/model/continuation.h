// A model that starts where another run of it ended.
#pragma once

#include <span>

#include "percuss/model/model.h"

namespace percuss::model {

/// Takes positions and velocities from `y`, the unknowns at the end of a run; the time begins at 0 again. Whole
/// turns are taken off, so that drivers given as functions of time find their angles where they were at the start.
/// Contacts begin anew: what they remembered (the speed of touch, a dent) is not part of y.
void continue_from(Model& model, std::span<const double> y);

}  // namespace percuss::model
