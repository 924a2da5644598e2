// The kinds of springs: what each acts on, and the keys that say nothing about it.
#pragma once

#include <span>
#include <string_view>

namespace percuss::scene {

struct SpringRow {
  enum class Acts { on_line, on_coordinate, between_frames };
  std::string_view key;
  Acts acts = Acts::on_line;
  std::string_view foreign{};  // keys that it does not have
  std::string_view has_no{};   // how a message about them begins
  bool only_pulls = false;
};
std::span<const SpringRow> spring_rows();
const SpringRow* find_spring(std::string_view key);
/// The one that a spring without a type is.
const SpringRow& default_spring(bool names_a_joint);

}  // namespace percuss::scene
