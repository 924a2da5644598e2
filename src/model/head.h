// What a Recording says of a model before the first step.
#pragma once

#include <string>

#include "percuss/model/model.h"
#include "percuss/model/settings.h"
#include "percuss/recording/recording.h"

namespace percuss::model {

/// What the model is, in words: bodies, joints, degrees of freedom, redundant rows.
std::string describe(const Model& model);

/// Of all that decides what is computed: text, overrides, contents of the files that the scene names.
std::string scene_hash(const Provenance& provenance);

recording::Head head_of(const Model& model, const Settings& settings);

}  // namespace percuss::model
