// Numbers of 64 bits as text.
#pragma once

#include <cstdint>
#include <string>

namespace percuss {

inline std::string hexadecimal(std::uint64_t value) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[value >> shift & 15];
  return out;
}

}  // namespace percuss
