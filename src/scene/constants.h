// The constants of a scene, and numbers made of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "percuss/expression/amount.h"
#include "percuss/scene/node.h"

namespace percuss::scene {

class Constants {
 public:
  Constants() = default;
  /// Of a mapping of names to numbers, with or without unit, and to expressions of each other, in any order. What
  /// cannot be read goes into `errors`, and its name stands for 1 from then on.
  Constants(const Node* mapping, std::vector<Diagnostic>& errors);

  const std::vector<std::string>& names() const { return names_; }
  double value(std::size_t i) const { return amounts_[i].si; }
  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = slots_.find(std::string(name));
    return found == slots_.end() ? std::nullopt : std::optional(found->second);
  }
  bool empty() const { return names_.empty(); }
  bool contains(std::string_view name) const { return slots_.contains(std::string(name)); }

  /// A number with its unit, or an expression of these constants; checked against the dimension. The diagnostic
  /// carries no place, but for a column within the text.
  Result<double> number(std::string_view text, const Dimension& expected) const;
  Result<expression::Amount> amount(std::string_view text) const;

 private:
  void add(const std::string& name, const expression::Amount& amount);

  std::vector<std::string> names_;
  std::vector<expression::Amount> amounts_;
  std::unordered_map<std::string, std::size_t> slots_;
};

/// "20 mm" and "-3": what is a number with or without a unit is no expression, whatever its letters.
bool is_quantity(std::string_view text);

/// Every name in an expression replaced by what `replacement` gives for it; as it stands where that is empty.
template <class Replacement>
std::string with_names_replaced(std::string_view text, Replacement&& replacement) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    if (letter(text[i])) {
      while (end < text.size() && (letter(text[end]) || digit(text[end]))) ++end;
      const std::string_view name = text.substr(i, end - i);
      const std::string other = replacement(name);
      out += other.empty() ? std::string(name) : other;
    } else if (digit(text[i])) {  // with the letter of its exponent
      while (end < text.size() && (digit(text[end]) || letter(text[end]))) ++end;
      out += text.substr(i, end - i);
    } else {
      out += text[end++];
    }
    i = end;
  }
  return out;
}

}  // namespace percuss::scene
