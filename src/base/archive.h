// Plain values to bytes and back. A reader that runs out of bytes, or finds a length that cannot be, says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace percuss {

using Bytes = std::vector<std::byte>;

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    bytes_.insert(bytes_.end(), first, first + sizeof(T) * values.size());
  }
  void put(const std::string& text) { put(std::vector<char>(text.begin(), text.end())); }
  const Bytes& bytes() const { return bytes_; }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

class Reader {
 public:
  explicit Reader(const Bytes& bytes) : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  bool get(T& value) {
    if (static_cast<std::size_t>(end_ - next_) < sizeof(T)) return fail();
    std::memcpy(&value, next_, sizeof(T));
    next_ += sizeof(T);
    return true;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  bool get(std::vector<T>& values) {
    std::uint64_t count = 0;
    if (!get(count) || count > static_cast<std::size_t>(end_ - next_) / sizeof(T)) return fail();
    values.resize(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(values.data(), next_, sizeof(T) * values.size());
    next_ += sizeof(T) * values.size();
    return true;
  }
  bool get(std::string& text) {
    std::vector<char> letters;
    if (!get(letters)) return false;
    text.assign(letters.begin(), letters.end());
    return true;
  }
  bool is_whole() const { return !failed_ && next_ == end_; }

 private:
  bool fail() {
    failed_ = true;
    next_ = end_;
    return false;
  }
  const std::byte *next_, *end_;
  bool failed_ = false;
};

}  // namespace percuss
