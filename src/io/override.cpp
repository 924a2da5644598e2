// --set path=value: one value of a document, found by its path.
#include <algorithm>

#include "percuss/base/words.h"
#include "percuss/io/scene_file.h"
#include "percuss/io/yaml.h"
#include "percuss/scene/schema.h"

namespace percuss::io {

using scene::Entry;
using scene::find_in_schema;
using scene::Key;
using scene::Kind;
using scene::Node;
using scene::scene_section;
using scene::Section;

namespace {

const Key* key_of(const Section& section, std::string_view name) {
  const auto found = std::ranges::find(section.keys, name, &Key::name);
  return found == section.keys.end() ? nullptr : &*found;
}

/// Does the schema know these words below a section? Names of the user's choice are any word.
bool allows(const Section& section, std::span<const std::string> words) {
  if (words.empty()) return true;
  const Key* key = key_of(section, words.front());
  if (!key) return false;
  if (words.size() == 1) return key->kind != Kind::named && key->kind != Kind::list;
  if (key->kind == Kind::mapping && key->inner) return allows(*key->inner, words.subspan(1));
  return key->kind == Kind::constants && words.size() == 2;
}

Node& child(Node& node, const std::string& key, const Where& at) {
  if (node.kind == Node::Kind::empty) {
    node = {};
    node.kind = Node::Kind::mapping;
    node.at = at;
  }
  if (Node* found = node.find(key)) return *found;
  node.entries.push_back({key, at, {}});
  return node.entries.back().value;
}

/// A path without a value takes the key away, as if it were not given. What stands on the way as something else
/// than a mapping is left alone: the reader says that it is wrong.
void set(Node& node, std::span<const std::string> words, const Node& value) {
  Node* place = &node;
  for (const std::string& word : words) {
    if (place->kind != Node::Kind::mapping && place->kind != Node::Kind::empty) return;
    if (value.kind == Node::Kind::empty && !place->find(word)) return;
    if (value.kind == Node::Kind::empty && &word == &words.back()) {
      std::erase_if(place->entries, [&word](const Entry& entry) { return entry.key == word; });
      return;
    }
    place = &child(*place, word, value.at);
  }
  *place = value;
}

bool touches(const Node& contact, std::string_view body) {
  const Node* between = contact.find("between");
  return between && std::ranges::any_of(between->items, [&](const Node& item) {
           return item.text == body || item.text.starts_with(std::string(body) + ".");
         });
}

/// A number, with its unit or without, is read as YAML would read it, at a hundredth of the cost: sweeps set
/// thousands.
Result<Node> parse_value(std::string text, const std::string& source) {
  constexpr std::string_view kPlain = "0123456789.+-eE /^abcdfghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ_";
  const std::size_t first_digit = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const bool is_number = text.size() > first_digit && text[first_digit] >= '0' && text[first_digit] <= '9';
  if (!is_number || text.back() == ' ' || text.find_first_not_of(kPlain) != std::string::npos)
    return parse_document(text, source);
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  return node;
}

}  // namespace

std::vector<Diagnostic> apply_override(Node& document, const std::string& text) {
  const Where at{"--set " + (text.size() > kMostQuoted ? in_quotes(text) : text)};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return {{at, "expected path=value, as ball.restitution=0.6"}};
  Result<Node> parsed = parse_value(text.substr(equals + 1), at.source);
  if (!parsed) return {{at, parsed.errors().front().text}};
  Node value = std::move(*parsed);
  value.at = at;
  for (Node& item : value.items) item.at = at;
  const std::vector<std::string> words = split_at(text.substr(0, equals), '.');
  const std::span<const std::string> tail = std::span(words).subspan(1);

  const Section& scene = scene_section();
  if (words.front() == "include")
    return {{at, "files are included before values are set; write it into the scene"}};
  if (const Key* section = key_of(scene, words.front())) {
    if (section->kind == Kind::named && words.size() > 2) {
      Node* entries = document.find(words[0]);
      if (!entries || !entries->find(words[1])) return {{at, words[0] + " has no " + in_quotes(words[1])}};
      if (!allows(*section->inner, tail.subspan(1)))
        return {{at, words[0] + " have no key " + in_quotes(words[2])}};
      set(document, words, value);
      return {};
    }
    if (allows(scene, words)) {
      set(document, words, value);
      return {};
    }
    return {{at, in_quotes(text.substr(0, equals)) + " does not lead to a value"}};
  }
  if (words.size() < 2)
    return {{at, "unknown key " + in_quotes(words.front()) + "; a section or a name in one begins the path"}};

  std::vector<Node*> places;
  std::vector<std::string_view> names, keys;
  for (const Key& section : scene.keys) {
    Node* entries = section.kind == Kind::named ? document.find(section.name) : nullptr;
    if (!entries) continue;
    for (Entry& entry : entries->entries) {
      names.push_back(entry.key);
      if (entry.key != words.front()) continue;
      for (const Key& key : section.inner->keys) keys.push_back(key.name);
      if (allows(*section.inner, tail)) places.push_back(&entry.value);
    }
  }
  if (places.empty() && document.find("bodies") && document.find("bodies")->find(words.front())) {
    const Section& contacts = *find_in_schema("contacts").section;
    if (Node* all = document.find("contacts"); all && allows(contacts, tail)) {
      for (Entry& entry : all->entries)
        if (touches(entry.value, words.front())) places.push_back(&entry.value);
      for (Node* place : places) set(*place, tail, value);
      if (!places.empty()) return {};
    }
  }
  if (places.size() == 1) {
    set(*places.front(), tail, value);
    return {};
  }
  if (places.size() > 1)
    return {{at, in_quotes(words.front()) + " stands in several sections that have " + in_quotes(words[1]) +
                     "; begin the path with the section"}};
  for (const Key& key : find_in_schema("contacts").section->keys) keys.push_back(key.name);
  if (std::ranges::find(names, words.front()) == names.end())
    return {{at, "nothing is called " + in_quotes(words.front()) + did_you_mean(words.front(), names)}};
  return {{at, in_quotes(words.front()) + " has no key " + in_quotes(words[1]) + did_you_mean(words[1], keys)}};
}

}  // namespace percuss::io
