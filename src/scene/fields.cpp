// Reading by the schema.
#include "percuss/scene/fields.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "percuss/base/words.h"

namespace percuss::scene {

namespace {

std::string_view kind_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::empty: return "nothing";
    case Node::Kind::scalar: return "a text";
    case Node::Kind::list: return "a list";
    case Node::Kind::mapping: return "a mapping";
  }
  return "";
}

}  // namespace

Fields::Fields(const Section& section, const Node& node, const Where& at, std::string what,
               std::vector<Diagnostic>& errors, std::size_t axes, const Constants* constants)
    : section_(section),
      node_(node),
      at_(at),
      what_(std::move(what)),
      errors_(errors),
      axes_(axes),
      constants_(constants) {
  if (node.kind != Node::Kind::mapping) {
    if (node.kind != Node::Kind::empty)
      fail(node.at, what_ + ": expected a mapping of keys and values, found " + std::string(kind_of(node)));
  }
  std::vector<std::string_view> allowed;
  for (const Key& key : section.keys) allowed.push_back(key.name);
  for (const Entry& entry : node.entries)
    if (std::ranges::find(allowed, entry.key) == allowed.end()) {
      const bool is_cut = std::ranges::count(entry.key, ')') > std::ranges::count(entry.key, '(');
      const std::string hint = is_cut ? "; quote a text that contains a comma" : did_you_mean(entry.key, allowed);
      fail(entry.at, what_ + ": unknown key " + in_quotes(entry.key) +
                         (hint.empty() ? "; allowed: " + joined(allowed) : hint));
    }
  for (const Key& key : section.keys) {
    const Node* given = node.find(key.name);
    const bool is_section = key.kind == Kind::mapping || key.kind == Kind::named || key.kind == Kind::list ||
                            key.kind == Kind::constants;
    if (given && given->kind == Node::Kind::empty && !is_section)
      fail(given->at, what_ + ": the key " + in_quotes(key.name) + " has no value; leave it out for the default");
    else if (given && given->kind == Node::Kind::list && given->items.empty() && !is_section && key.name != "at")
      fail(given->at, what_ + ": " + std::string(key.name) + ": the list is empty");
    else if (key.needed && !has(key.name))
      fail(at_, what_ + ": the key " + in_quotes(key.name) + " is missing");
  }
}

Fields Fields::with(const Constants& constants) const {
  Fields out = *this;
  out.constants_ = &constants;
  return out;
}

bool Fields::knows(std::string_view key) const {
  return std::ranges::find(section_.keys, key, &Key::name) != section_.keys.end();
}
const Key& Fields::spec(std::string_view name) const {
  const auto found = std::ranges::find(section_.keys, name, &Key::name);
  assert(found != section_.keys.end());
  return *found;
}
const Node* Fields::node_of(std::string_view key) const {
  const Node* node = node_.find(key);
  const bool is_empty = node && (node->kind == Node::Kind::empty ||
                                 (node->kind == Node::Kind::list && node->items.empty() && key != "at"));
  return is_empty ? nullptr : node;
}
std::string Fields::label(std::string_view key) const { return what_ + ": " + std::string(key); }

const Node* Fields::scalar(std::string_view key) const {
  const Node* node = node_of(key);
  if (!node) return nullptr;
  if (node->kind == Node::Kind::scalar) return node;
  fail(node->at, label(key) + ": expected a " + std::string(name_of(spec(key).kind)) + ", found " +
                     std::string(kind_of(*node)));
  return nullptr;
}

std::optional<double> Fields::read(const Node& node, const Key& key) const {
  if (node.kind != Node::Kind::scalar) {
    fail(node.at, label(key.name) + ": expected a number, found " + std::string(kind_of(node)));
    return std::nullopt;
  }
  const Result<double> value =
      constants_ ? constants_->number(node.text, key.dimension) : read_number(node.text, key.dimension);
  if (!value) {
    fail(node.at, label(key.name) + ": " + value.errors().front().text);
    return std::nullopt;
  }
  if (key.lowest_allowed ? *value < key.lowest : *value <= key.lowest) {
    fail(node.at, label(key.name) + ": " + in_quotes(node.text) +
                      (key.lowest_allowed ? " must be at least " : " must be above ") + text_of(key.lowest));
    return std::nullopt;
  }
  return *value;
}

std::optional<double> Fields::number(std::string_view key) const {
  const Node* node = node_of(key);
  if (!node) return std::nullopt;
  const std::optional<double> value = read(*node, spec(key));
  if (value && spec(key).kind == Kind::whole && *value != std::floor(*value)) {
    fail(node->at, label(key) + ": " + in_quotes(node->text) + " is not a whole number");
    return std::nullopt;
  }
  return value;
}

std::vector<double> Fields::numbers(std::string_view key) const {
  std::vector<double> out;
  const Node* node = node_of(key);
  if (!node) return out;
  if (node->kind == Node::Kind::scalar) {
    if (const auto value = read(*node, spec(key))) out.push_back(*value);
  } else if (node->kind == Node::Kind::list) {
    for (const Node& item : node->items)
      if (const auto value = read(item, spec(key))) out.push_back(*value);
    if (out.size() != node->items.size()) out.clear();
  } else {
    fail(node->at, label(key) + ": expected a number or a list of numbers, found " + std::string(kind_of(*node)));
  }
  return out;
}

double Fields::number_or_default(std::string_view key) const {
  const std::optional<double> given = number(key);
  return given ? *given : default_number(spec(key));
}

bool Fields::flag(std::string_view key) const {
  const Node* node = scalar(key);
  if (!node) return default_flag(spec(key));
  if (node->text == "true") return true;
  if (node->text != "false")
    fail(node->at, label(key) + ": expected true or false, found " + in_quotes(node->text));
  return false;
}

std::string Fields::text(std::string_view key) const {
  const Node* node = scalar(key);
  const std::string_view otherwise = spec(key).words ? default_word(spec(key)) : std::string_view{};
  if (!node) return std::string(otherwise);
  if (spec(key).kind == Kind::name && node->text.empty())
    fail(node->at, label(key) + ": expected a name, found nothing");
  if (const auto words_of = spec(key).words) {
    const auto words = words_of();
    if (std::ranges::find(words, node->text) == words.end()) {
      const std::string hint = did_you_mean(node->text, words);
      fail(node->at, label(key) + ": unknown word " + in_quotes(node->text) +
                         (hint.empty() && words.size() <= 12 ? "; allowed: " + joined(words) : hint));
      return std::string(otherwise);
    }
  }
  return node->text;
}

std::vector<std::string> Fields::texts(std::string_view key) const {
  std::vector<std::string> out;
  const Node* node = node_of(key);
  if (!node) return out;
  if (node->kind == Node::Kind::scalar) return {node->text};
  for (const Node& item : node->items)
    if (item.kind == Node::Kind::scalar) out.push_back(item.text);
  if (node->kind != Node::Kind::list || out.size() != node->items.size())
    fail(node->at, label(key) + ": expected a text or a list of texts");
  return out;
}

const Node* Fields::list_of(std::string_view key, std::size_t least, std::size_t most,
                            std::string_view wanted) const {
  const Node* node = node_of(key);
  if (!node) return nullptr;
  if (node->kind == Node::Kind::list && node->items.size() >= least && node->items.size() <= most) return node;
  fail(node->at, label(key) + ": expected " + std::string(wanted) +
                     (node->kind == Node::Kind::list ? ", found " + std::to_string(node->items.size()) + " items"
                                                     : ", found " + std::string(kind_of(*node))));
  return nullptr;
}

std::optional<std::pair<std::string, std::string>> Fields::names(std::string_view key) const {
  const Node* node = list_of(key, 2, 2, "[first, second]");
  if (!node) return std::nullopt;
  for (const Node& item : node->items)
    if (item.kind != Node::Kind::scalar) {
      fail(item.at, label(key) + ": expected a name, found " + std::string(kind_of(item)));
      return std::nullopt;
    }
  for (const Node& item : node->items)
    if (item.text.empty()) {
      fail(item.at, label(key) + ": expected a name, found nothing");
      return std::nullopt;
    }
  return std::pair{node->items[0].text, node->items[1].text};
}

std::optional<Function> Fields::function(std::string_view key) const {
  const Node* node = scalar(key);
  if (!node) return std::nullopt;
  return Function{node->text, node->at};
}

std::vector<Function> Fields::functions(std::string_view key) const {
  const Node* node = node_of(key);
  if (!node) return {};
  if (node->kind == Node::Kind::scalar) return {{node->text, node->at}};
  std::vector<Function> out;
  for (const Node& item : node->items)
    if (item.kind == Node::Kind::scalar) out.push_back({item.text, item.at});
  if (node->kind != Node::Kind::list || out.size() != node->items.size() || out.size() > 3) {
    fail(node->at, label(key) + ": expected an expression or a list of up to three");
    out.clear();
  }
  return out;
}

std::optional<Vec3> Fields::read_vector(const Node& node, const Key& key) const {
  if (node.kind != Node::Kind::list || node.items.size() < axes_ || node.items.size() > 3) {
    const bool is_cut = std::ranges::any_of(node.items, [](const Node& item) {
      return std::ranges::count(item.text, '(') != std::ranges::count(item.text, ')');
    });
    fail(node.at, label(key.name) + (axes_ == 3 ? ": expected [x, y, z]" : ": expected [x, y] or [x, y, z]") +
                      (is_cut ? "; quote an expression that contains a comma: \"max(a, b)\"" : ""));
    return std::nullopt;
  }
  double v[3] = {0, 0, 0};
  bool all = true;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto value = read(node.items[i], key);
    all = all && value;
    v[i] = value.value_or(0);
  }
  return all ? std::optional(Vec3{v[0], v[1], v[2]}) : std::nullopt;
}

std::optional<Vec3> Fields::read_direction(const Node& node, const Key& key) const {
  if (node.kind == Node::Kind::scalar) {
    const bool negative = node.text.starts_with('-');
    const std::string axis = negative || node.text.starts_with('+') ? node.text.substr(1) : node.text;
    for (const auto& [name, e] : {std::pair{"x", kAxisX}, std::pair{"y", kAxisY}, std::pair{"z", kAxisZ}})
      if (axis == name) return negative ? -e : e;
    fail(node.at, label(key.name) + ": expected x, y, z, -x, -y, -z or a vector, found " + in_quotes(node.text));
    return std::nullopt;
  }
  const auto v = read_vector(node, key);
  if (!v) return std::nullopt;
  const double length = norm(*v);
  if (!(length > 0) || !std::isfinite(length)) {
    fail(node.at, label(key.name) + ": a direction cannot be of length zero");
    return std::nullopt;
  }
  return *v / length;
}

std::optional<Vec3> Fields::vector(std::string_view key) const {
  const Node* node = node_of(key);
  return node ? read_vector(*node, spec(key)) : std::nullopt;
}
std::optional<Vec3> Fields::direction(std::string_view key) const {
  const Node* node = node_of(key);
  return node ? read_direction(*node, spec(key)) : std::nullopt;
}

std::vector<Vec3> Fields::points(std::string_view key) const {
  const Node* node = node_of(key);
  if (!node) return {};
  std::vector<Vec3> out;
  if (node->kind != Node::Kind::list) fail(node->at, label(key) + ": expected a list of points");
  for (const Node& item : node->items)
    if (const auto point = read_vector(item, spec(key))) out.push_back(*point);
  if (out.size() != node->items.size()) out.clear();
  return out;
}

std::vector<std::pair<std::string, Vec3>> Fields::named_points(std::string_view key) const {
  const Node* node = node_of(key);
  if (!node) return {};
  std::vector<std::pair<std::string, Vec3>> out;
  if (node->kind != Node::Kind::mapping)
    fail(node->at,
         label(key) + ": expected names and their points, e.g. {tip: [0.3, 0" + (axes_ == 3 ? ", 0]}" : "]}"));
  for (const Entry& entry : node->entries)
    if (const auto point = read_vector(entry.value, spec(key))) out.emplace_back(entry.key, *point);
  return out;
}

std::optional<std::pair<Vec3, Vec3>> Fields::vectors(std::string_view key) const {
  const Node* node = list_of(key, 2, 2, "two vectors");
  if (!node) return std::nullopt;
  const auto a = read_vector(node->items[0], spec(key)), b = read_vector(node->items[1], spec(key));
  if (!a || !b) return std::nullopt;
  return std::pair{*a, *b};
}
std::optional<std::pair<Vec3, Vec3>> Fields::directions(std::string_view key) const {
  const Node* node = list_of(key, 2, 2, "two axes");
  if (!node) return std::nullopt;
  const auto a = read_direction(node->items[0], spec(key)), b = read_direction(node->items[1], spec(key));
  if (!a || !b) return std::nullopt;
  return std::pair{*a, *b};
}

std::vector<std::pair<std::string, Function>> Fields::constants(std::string_view key) const {
  std::vector<std::pair<std::string, Function>> out;
  const Node* node = node_of(key);
  if (!node) return out;
  if (node->kind != Node::Kind::mapping) fail(node->at, label(key) + ": expected a mapping of names to values");
  for (const Entry& entry : node->entries) {
    if (entry.value.kind == Node::Kind::scalar)
      out.emplace_back(entry.key, Function{entry.value.text, entry.value.at});
    else
      fail(entry.value.at, label(key) + "." + entry.key + ": expected a number or an expression");
  }
  return out;
}

std::vector<Fields::Inner> Fields::inner(std::string_view key) const {
  std::vector<Inner> out;
  const Node* node = node_of(key);
  if (!node) return out;
  const Kind kind = spec(key).kind;
  if (kind == Kind::mapping) return {{std::string(key), node, node->at}};
  if (kind == Kind::named) {
    if (node->kind != Node::Kind::mapping) fail(node->at, label(key) + ": expected a mapping of names");
    for (const Entry& entry : node->entries) out.push_back({entry.key, &entry.value, entry.at});
  } else {
    if (node->kind != Node::Kind::list) fail(node->at, label(key) + ": expected a list of mappings");
    for (const Node& item : node->items) out.push_back({"", &item, item.at});
  }
  return out;
}

Places Fields::places() const {
  Places places;
  places.at = at_;
  for (const Entry& entry : node_.entries)
    places.keys[entry.key] = entry.value.kind == Node::Kind::empty ? entry.at : entry.value.at;
  return places;
}

}  // namespace percuss::scene
