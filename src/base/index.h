// Indices are plain ints where -1 is "none"; containers count from 0 without a sign.
#pragma once

#include <cstddef>

namespace percuss {

constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace percuss
