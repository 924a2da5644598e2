// What a result file says of the program and the scene.
#pragma once

#include "percuss/model/compile.h"
#include "percuss/recording/hdf5.h"

namespace percuss::cli {

recording::Facts result_facts(const model::Compiled& compiled);

}  // namespace percuss::cli
