// What a result file says of the program and the scene.
#pragma once

#include "percuss/io/hdf5.h"
#include "percuss/model/compile.h"
#include "percuss/recording/facts.h"

namespace percuss::cli {

recording::Facts result_facts(const model::Compiled& compiled);

}  // namespace percuss::cli
