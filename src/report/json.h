// JSON as reports write it: keys in the order in which they are set, and null for a number that does not exist.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace percuss::report {

using Json = nlohmann::ordered_json;

inline Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace percuss::report
