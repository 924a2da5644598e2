// A checksum of bytes: fast, and different whenever a single bit is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace percuss::io {

/// FNV-1a over words of eight bytes. Each step h -> (h ^ word) * prime is a bijection of the word and of h, so that
/// two texts of one length that differ in one word never have the same sum. Bytes may come in any parts.
class Checksum {
 public:
  void add(const void* data, std::size_t size) {
    const auto* next = static_cast<const unsigned char*>(data);
    total_ += size;
    for (; size > 0 && held_ > 0; --size) hold(*next++);
    for (; size >= 8; size -= 8, next += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, next, 8);
      mix(word);
    }
    for (; size > 0; --size) hold(*next++);
  }
  std::uint64_t value() const {
    Checksum last = *this;
    last.mix(word_);
    last.mix(total_);
    return last.sum_;
  }

 private:
  void mix(std::uint64_t word) { sum_ = (sum_ ^ word) * 1099511628211ULL; }
  void hold(unsigned char byte) {
    word_ |= static_cast<std::uint64_t>(byte) << (8 * held_);
    if (++held_ < 8) return;
    mix(word_);
    word_ = 0;
    held_ = 0;
  }
  std::uint64_t sum_ = 14695981039346656037ULL, word_ = 0, total_ = 0;
  int held_ = 0;
};

}  // namespace percuss::io
