// The values of one mapping, read by the schema: kind, unit, range and place are checked here, once for all keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "percuss/base/vector.h"
#include "percuss/scene/constants.h"
#include "percuss/scene/node.h"
#include "percuss/scene/scene.h"
#include "percuss/scene/schema.h"

namespace percuss::scene {

class Fields {
 public:
  /// Reports unknown and missing keys at once. Vectors have at least `axes` numbers.
  Fields(const Section& section, const Node& node, const Where& at, std::string what,
         std::vector<Diagnostic>& errors, std::size_t axes = 2, const Constants* constants = nullptr);
  /// The same mapping; numbers may be expressions of these constants.
  Fields with(const Constants& constants) const;

  bool has(std::string_view key) const { return node_of(key) != nullptr; }
  bool knows(std::string_view key) const;  // is it in the schema?
  std::optional<double> number(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;
  double number_or_default(std::string_view key) const;
  bool flag(std::string_view key) const;  // as given, or the schema's default
  /// A text or name as given; a word as given, or the schema's default.
  std::string text(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  std::optional<std::pair<std::string, std::string>> names(std::string_view key) const;
  std::optional<Function> function(std::string_view key) const;
  std::vector<Function> functions(std::string_view key) const;
  std::optional<Vec3> vector(std::string_view key) const;
  std::optional<std::pair<Vec3, Vec3>> vectors(std::string_view key) const;
  std::vector<Vec3> points(std::string_view key) const;
  std::vector<std::pair<std::string, Vec3>> named_points(std::string_view key) const;
  std::optional<Vec3> direction(std::string_view key) const;
  std::optional<std::pair<Vec3, Vec3>> directions(std::string_view key) const;
  std::vector<std::pair<std::string, Function>> constants(std::string_view key) const;

  /// The entries of a key of kind named or list, or the one of kind mapping; a list's items have no name.
  struct Inner {
    std::string name;
    const Node* node;
    Where at;
  };
  std::vector<Inner> inner(std::string_view key) const;

  Places places() const;
  const std::string& what() const { return what_; }
  void fail(const Where& at, std::string text) const { errors_.push_back({at, std::move(text)}); }

 private:
  const Key& spec(std::string_view key) const;
  const Node* node_of(std::string_view key) const;
  std::string label(std::string_view key) const;
  std::optional<double> read(const Node& node, const Key& key) const;
  std::optional<Vec3> read_vector(const Node& node, const Key& key) const;
  std::optional<Vec3> read_direction(const Node& node, const Key& key) const;
  const Node* scalar(std::string_view key) const;
  const Node* list_of(std::string_view key, std::size_t least, std::size_t most, std::string_view wanted) const;

  const Section& section_;
  const Node& node_;
  Where at_;
  std::string what_;
  std::vector<Diagnostic>& errors_;
  std::size_t axes_;
  const Constants* constants_;
};

}  // namespace percuss::scene
