// Results for ParaView: bodies and contacts, a file a moment.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "percuss/recording/recording.h"

namespace percuss::report {

/// Names and contents: bodies_0000.vtp ... with bodies.pvd, contacts_0000.vtp ... with contacts.pvd. At most
/// `frames` moments, evenly spread over the samples. Bodies carry their number and velocity, contact points their
/// force.
std::vector<std::pair<std::string, std::string>> vtk_series(const recording::Recording& recording,
                                                            std::size_t frames);

}  // namespace percuss::report
