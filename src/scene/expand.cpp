// Everything written out: loops first, then parts, which may stand in loops and have loops of their own.
#include "percuss/scene/expand.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <unordered_set>

#include "percuss/base/words.h"
#include "percuss/expression/parse.h"
#include "percuss/scene/constants.h"
#include "percuss/scene/fields.h"

namespace percuss::scene {

namespace {

constexpr std::size_t kMostEntries = 100'000;
constexpr int kDeepestParts = 16;

Node scalar(std::string text, const Where& at) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  node.at = at;
  return node;
}

bool is_number_or_expression(Kind kind) {
  switch (kind) {
    case Kind::number:
    case Kind::whole:
    case Kind::function:
    case Kind::functions:
    case Kind::numbers:
    case Kind::vector:
    case Kind::vectors:
    case Kind::points:
    case Kind::named_points:
    case Kind::direction:
    case Kind::directions:
    case Kind::condition:
    case Kind::constants: return true;
    default: return false;
  }
}

template <class Change>
void each_scalar(Node& node, Change&& change) {
  if (node.kind == Node::Kind::scalar) change(node);
  for (Node& item : node.items) each_scalar(item, change);
  for (Entry& entry : node.entries) each_scalar(entry.value, change);
}

/// Every value below a mapping with the key that it belongs to; what the schema does not know is left to the
/// reader.
template <class Change>
void each_leaf(Node& mapping, const Section& section, Change&& change) {
  each_value(mapping, section, [&](const Key& key, Node& value) {
    if (key.kind == Kind::mapping) return each_leaf(value, *key.inner, change);
    if (key.kind == Kind::named)
      for (Entry& entry : value.entries) each_leaf(entry.value, *key.inner, change);
    else if (key.kind == Kind::list)
      for (Node& item : value.items) each_leaf(item, *key.inner, change);
    else
      change(key, value);
  });
}

template <class Change>
void each_place(Node& node, Change&& change) {
  change(node.at);
  for (Node& item : node.items) each_place(item, change);
  for (Entry& entry : node.entries) {
    change(entry.at);
    each_place(entry.value, change);
  }
}

// ---- loops

struct Loop {
  std::string name;
  double value = 0;
};
using Loops = std::vector<Loop>;

std::string text_of_loop(double value) {  // as it stands in a name
  std::string text = text_of(value);
  std::ranges::replace(text, '.', '_');
  std::ranges::replace(text, '-', 'm');
  return text;
}

class Expander {
 public:
  Expander(const OpenPart& open, std::vector<Diagnostic>& errors) : open_(open), errors_(errors) {}

  /// A document; of a part, with the names of the files being read, against circles.
  Node expand(Node root, std::vector<std::string> files) {
    std::vector<Diagnostic> told_by_reader;
    const Constants constants(root.find("constants"), told_by_reader);
    each_value(root, scene_section(), [&](const Key& key, Node& value) {
      if (key.kind == Kind::named && value.kind == Node::Kind::mapping) repeat(value, key, constants);
    });
    take_parts(root, constants, std::move(files));
    return root;
  }

 private:
  void fail(const Where& at, std::string text) { errors_.push_back({at, std::move(text)}); }

  // ---- loops

  void repeat(Node& section, const Key& key, const Constants& constants) {
    const bool repeats = std::ranges::any_of(section.entries, [](const Entry& e) { return e.value.find("for"); });
    if (!repeats) return;
    std::vector<Entry> out;
    std::unordered_set<std::string> taken;
    for (Entry& entry : section.entries) {
      if (!entry.value.find("for")) {
        out.push_back(std::move(entry));
        continue;
      }
      Entry pattern = std::move(entry);
      const Node loops = std::move(*pattern.value.find("for"));
      if (const Node* name = pattern.value.find("name")) {
        if (name->kind == Node::Kind::scalar) pattern.key = name->text;
        if (name->kind != Node::Kind::scalar) fail(name->at, "name: expected a text such as \"link{i}\"");
      }
      std::erase_if(pattern.value.entries, [](const Entry& e) { return e.key == "for" || e.key == "name"; });
      if (loops.kind != Node::Kind::mapping || loops.entries.empty()) {
        fail(loops.at, in_quotes(pattern.key) + ": for: expected names and their values, e.g. {i: 1..40}");
        continue;
      }
      const std::size_t told = errors_.size();
      count_ += instances(loops, 0, {}, constants);
      if (errors_.size() > told) continue;
      if (count_ > kMostEntries) {
        fail(pattern.at, "for: more than 100000 entries in all");
        break;
      }
      write_out(pattern, key, loops, 0, {}, constants, out);
    }
    for (const Entry& entry : out)
      if (!taken.insert(entry.key).second && !entry.at.instance.empty())
        fail(entry.at, "two of " + std::string(key.name) + " are called " + in_quotes(entry.key) +
                           "; name them by the loop, e.g. \"link{i}\"");
    section.entries = std::move(out);
  }

  /// How many there will be; 0 where a loop cannot be read, which is told.
  double instances(const Node& loops, std::size_t depth, const Loops& so_far, const Constants& constants) {
    const Entry& loop = loops.entries[depth];
    if (!expression::is_free_name(loop.key) || loop.key == "t" || loop.key.find('.') != std::string::npos ||
        constants.contains(loop.key)) {
      fail(loop.at, "for: " + in_quotes(loop.key) + " cannot be the name of a loop" +
                        (constants.contains(loop.key) ? "; a constant has it" : ""));
      return 0;
    }
    const std::vector<double> values = values_of(loop, so_far, constants);
    if (depth + 1 == loops.entries.size()) return static_cast<double>(values.size());
    double count = 0;
    for (const double value : values) {
      Loops with = so_far;
      with.push_back({loop.key, value});
      count += instances(loops, depth + 1, with, constants);
      if (count > kMostEntries) break;
    }
    return count;
  }

  void write_out(const Entry& pattern, const Key& key, const Node& loops, std::size_t depth, const Loops& so_far,
                 const Constants& constants, std::vector<Entry>& out) {
    if (depth == loops.entries.size()) return out.push_back(instance(pattern, key, so_far, constants));
    const Entry& loop = loops.entries[depth];
    for (const double value : values_of(loop, so_far, constants)) {
      Loops with = so_far;
      with.push_back({loop.key, value});
      write_out(pattern, key, loops, depth + 1, with, constants, out);
    }
  }

  std::optional<double> value_of(std::string_view text, const Where& at, const Loops& loops,
                                 const Constants& constants) {
    const Result<double> value = constants.number(bound(text, loops), dimension::number);
    if (value) return *value;
    fail(at, "for: " + value.errors().front().text);
    return std::nullopt;
  }

  /// 1..40, 0..1..0.25 (first, last and step), or a list.
  std::vector<double> values_of(const Entry& loop, const Loops& so_far, const Constants& constants) {
    std::vector<double> out;
    if (loop.value.kind == Node::Kind::list) {
      for (const Node& item : loop.value.items)
        if (const auto value = value_of(item.text, item.at, so_far, constants)) out.push_back(*value);
      return out;
    }
    const std::string& text = loop.value.text;
    const std::size_t dots = text.find("..");
    if (loop.value.kind != Node::Kind::scalar || dots == std::string::npos) {
      fail(loop.value.at, "for: " + loop.key + ": expected a range such as 1..40, or a list of numbers");
      return out;
    }
    const std::size_t second = text.find("..", dots + 2);
    const auto first = value_of(text.substr(0, dots), loop.value.at, so_far, constants);
    const auto last = value_of(text.substr(dots + 2, second == std::string::npos ? second : second - dots - 2),
                               loop.value.at, so_far, constants);
    const auto step = second == std::string::npos
                          ? std::optional(1.0)
                          : value_of(text.substr(second + 2), loop.value.at, so_far, constants);
    if (!first || !last || !step) return out;
    if (*step == 0) {
      fail(loop.value.at, "for: " + loop.key + ": the step is zero");
      return out;
    }
    const double count = std::floor((*last - *first) / *step + 1e-9) + 1;
    if (count > static_cast<double>(kMostEntries)) {
      fail(loop.value.at, "for: " + loop.key + ": more than 100000 values");
      return out;
    }
    for (double k = 0; k < count; ++k) out.push_back(*first + k * *step);  // none where the last is below the first
    return out;
  }

  /// An expression with the loops' values in the place of their names.
  static std::string bound(std::string_view text, const Loops& loops) {
    if (is_quantity(text)) return std::string(text);
    return with_names_replaced(text, [&loops](std::string_view name) {
      for (const Loop& loop : loops)
        if (loop.name == name) return "(" + text_of(loop.value) + ")";
      return std::string{};
    });
  }

  /// Every {EXPRESSION} in a text.
  void fill_braces(std::string& text, const Where& at, const Loops& loops, const Constants& constants,
                   bool is_number = false) {
    for (std::size_t open = 0; (open = text.find('{', open)) != std::string::npos;) {
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) return;
      const auto value = value_of(text.substr(open + 1, close - open - 1), at, loops, constants);
      const auto in_name = [&text](std::size_t k) {
        return k < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_' || text[k] == '.');
      };
      const bool is_own_number = is_number && !in_name(close + 1) && (open == 0 || !in_name(open - 1));
      const std::string filled = !value ? "" : is_own_number ? "(" + text_of(*value) + ")" : text_of_loop(*value);
      text.replace(open, close - open + 1, filled);
      open += filled.size();
    }
  }

  Entry instance(const Entry& pattern, const Key& key, const Loops& loops, const Constants& constants) {
    Entry out = pattern;
    std::string which = pattern.key;
    for (const Loop& loop : loops) which += ", " + loop.name + " = " + text_of(loop.value);
    each_place(out.value, [&which](Where& at) { at.instance = at.instance.empty() ? which : at.instance; });
    out.at.instance = which;
    fill_braces(out.key, out.at, loops, constants);
    each_leaf(out.value, *key.inner, [&](const Key& leaf, Node& value) {
      each_scalar(value, [&](Node& node) {
        const bool is_number = is_number_or_expression(leaf.kind);
        if (node.text.find('{') != std::string::npos) fill_braces(node.text, node.at, loops, constants, is_number);
        if (is_number) node.text = bound(node.text, loops);
        if (leaf.kind == Kind::words && node.text.starts_with("set "))
          node.text = "set " + bound(node.text.substr(4), loops);
      });
    });
    return out;
  }

  // ---- parts

  void take_parts(Node& root, const Constants& constants, std::vector<std::string> files) {
    const Node* const listed = root.find("parts");
    if (!listed) return;
    const Node parts = *listed;
    std::erase_if(root.entries, [](const Entry& e) { return e.key == "parts"; });
    if (parts.kind != Node::Kind::mapping && parts.kind != Node::Kind::empty)
      return fail(parts.at, "parts: expected a mapping of names");
    const Node* planar = root.find("planar");
    const bool is_planar = planar && planar->text == "true";
    for (const Entry& part : parts.entries) {
      const Fields fields(*find_in_schema("parts").section, part.value, part.at, "part " + in_quotes(part.key),
                          errors_, is_planar ? 2 : 3);
      const std::string file = fields.text("file");
      if (file.empty()) continue;
      const Where at = fields.places().of("file");
      if (files.size() >= kDeepestParts) {
        fail(at, "parts: more than 16 within each other");
        continue;
      }
      Result<Node> opened = open_(file, at);
      if (!opened) {
        const bool missing = opened.errors().size() == 1 && opened.errors().front().at.line == 0;
        for (const Diagnostic& e : opened.errors())
          fail(missing ? at : e.at,
               missing ? "part " + in_quotes(part.key) + ": " + in_quotes(file) + ": " + e.text : e.text);
        continue;
      }
      if (opened->kind != Node::Kind::mapping) {
        fail(at, "part " + in_quotes(part.key) + ": " + in_quotes(file) + " is not a mapping of keys and values");
        continue;
      }
      if (std::ranges::find(files, opened->at.source) != files.end()) {
        fail(at, "part " + in_quotes(part.key) + ": " + in_quotes(file) + " has itself as a part");
        continue;
      }
      set_constants(*opened, part, constants);
      std::vector<std::string> deeper = files;
      deeper.push_back(opened->at.source);
      put_in_place(root, part, fields, expand(std::move(*opened), std::move(deeper)), is_planar);
    }
  }

  void put_in_place(Node& root, const Entry& part, const Fields& fields, Node own, bool is_planar) {
    const std::string what = "part " + in_quotes(part.key);
    const std::string note = (part.at.instance.empty() ? "" : part.at.instance + ": ") + what;
    const Node* planar = own.find("planar");
    if ((planar && planar->text == "true") != is_planar)
      return fail(part.at, what + ": " +
                               (is_planar ? "it is a scene in space, and this scene is planar"
                                          : "it is a planar scene, and this scene is in space"));
    each_place(own, [&note](Where& at) { at.instance = at.instance.empty() ? note : note + ": " + at.instance; });
    // what belongs to the mechanism; the rest of the file, its ground too, is for running it alone
    std::erase_if(own.entries, [](const Entry& e) {
      const auto key = std::ranges::find(scene_section().keys, e.key, &Key::name);
      return key != scene_section().keys.end() && key->kind != Kind::named && key->kind != Kind::constants;
    });
    if (Node* bodies = own.find("bodies"))
      std::erase_if(bodies->entries, [](const Entry& e) { return e.key == kGround; });
    const std::string prefix = part.key + "_";
    rename(own, prefix);
    const Constants constants = constants_of_part(root, own);
    if (const auto place = placement(fields, constants, is_planar)) place_in_world(own, *place, constants, what);
    for (Entry& section : own.entries) {
      Node* into = root.find(section.key);
      if (!into) {
        root.entries.push_back(std::move(section));
        continue;
      }
      if (section.value.kind != Node::Kind::mapping || into->kind == Node::Kind::list) continue;
      into->kind = Node::Kind::mapping;
      for (Entry& entry : section.value.entries) {
        if (into->find(entry.key)) fail(part.at, what + ": " + in_quotes(entry.key) + " is there already");
        into->entries.push_back(std::move(entry));
      }
    }
  }

  /// Every name of the part with the prefix, wherever the schema says that a name stands, or an expression.
  static void rename(Node& own, const std::string& prefix) {
    std::unordered_set<std::string> names, constants;
    each_value(own, scene_section(), [&](const Key& key, Node& section) {
      for (const Entry& entry : section.entries)
        if (key.kind == Kind::constants)
          constants.insert(entry.key);
        else
          names.insert(entry.key);
    });
    const auto head = [](std::string_view name) { return std::string(name.substr(0, name.find('.'))); };
    // bare names of bodies stand in distance(a, b) and its like; a constant goes before
    const auto renamed = [&](std::string_view name) {
      const bool is_channel = name.find('.') != std::string_view::npos;
      const bool is_own = is_channel ? names.contains(head(name))
                                     : constants.contains(std::string(name)) || names.contains(std::string(name));
      return is_own ? prefix + std::string(name) : std::string{};
    };
    const auto rename_name = [&](Node& node) {
      if (names.contains(head(node.text))) node.text = prefix + node.text;
    };
    each_leaf(own, scene_section(), [&](const Key& key, Node& value) {
      if (key.kind == Kind::name || key.kind == Kind::names) return each_scalar(value, rename_name);
      if (key.kind == Kind::words)  // actions: a word of ours, then names and expressions
        return each_scalar(value, [&](Node& node) {
          const std::size_t verb = std::min(node.text.find(' '), node.text.size());
          node.text =
              node.text.substr(0, verb) + with_names_replaced(std::string_view(node.text).substr(verb), renamed);
        });
      if (key.kind == Kind::direction && value.kind == Node::Kind::scalar) return;  // x, -y
      if (!is_number_or_expression(key.kind)) return;
      each_scalar(value, [&](Node& node) {
        if (!is_quantity(node.text)) node.text = with_names_replaced(node.text, renamed);
      });
    });
    each_value(own, scene_section(), [&](const Key&, Node& section) {
      for (Entry& entry : section.entries) entry.key = prefix + entry.key;
    });
  }

  /// `with: {R: 20 mm}`: constants of the part that are given from outside, before anything is made of them.
  void set_constants(Node& own, const Entry& part, const Constants& outside) {
    const Node* with = part.value.find("with");
    if (!with || with->kind != Node::Kind::mapping) return;
    const std::string what = "part " + in_quotes(part.key) + ": with: ";
    Node* const constants = own.find("constants");
    for (const Entry& given : with->entries) {
      Node* const place = constants ? constants->find(given.key) : nullptr;
      if (!place) {
        std::vector<std::string_view> names;
        if (constants)
          for (const Entry& e : constants->entries) names.emplace_back(e.key);
        const std::string hint = did_you_mean(given.key, names);
        fail(given.at, what + "it has no constant " + in_quotes(given.key) +
                           (!hint.empty()   ? hint
                            : names.empty() ? "; it has none"
                                            : "; it has " + joined_briefly(names)));
      } else if (const Result<expression::Amount> value = outside.amount(given.value.text)) {
        const bool has_unit = value->unit == expression::Amount::Unit::known;
        *place = scalar(text_of(value->si) + (has_unit ? " " + unit_of(value->dimension) : ""), given.value.at);
      } else {
        fail(given.value.at, what + given.key + ": " + value.errors().front().text);
      }
    }
  }

  static Constants constants_of_part(const Node& root, const Node& own) {
    Node all;
    all.kind = Node::Kind::mapping;
    for (const Node* of : {root.find("constants"), own.find("constants")})
      if (of) all.entries.insert(all.entries.end(), of->entries.begin(), of->entries.end());
    std::vector<Diagnostic> told_by_reader;
    return {&all, told_by_reader};
  }

  // ---- where a part stands

  struct Placement {
    Vec3 at_m;
    Quat turn;
    Mat3 R;
    double angle_rad = 0;
    bool planar = false, turned = false;
  };

  static std::optional<Placement> placement(const Fields& source, const Constants& constants, bool is_planar) {
    const Fields fields = source.with(constants);
    Placement out;
    out.planar = is_planar;
    out.at_m = fields.vector("at").value_or(Vec3{});
    out.angle_rad = fields.number("angle").value_or(0);
    const Vec3 axis = fields.direction("axis").value_or(kAxisZ);
    out.turned = out.angle_rad != 0;
    out.turn = rotation_about(axis, out.angle_rad);
    out.R = matrix_of(out.turn);
    if (!out.turned && out.at_m == Vec3{}) return std::nullopt;
    return out;
  }

  static Node list_of(std::initializer_list<double> numbers, const Where& at) {
    Node list;
    list.kind = Node::Kind::list;
    list.at = at;
    for (const double number : numbers) list.items.push_back(scalar(text_of(number), at));
    return list;
  }
  static Node vector_node(const Vec3& v, bool planar, const Where& at) {
    return planar && v.z == 0 ? list_of({v.x, v.y}, at) : list_of({v.x, v.y, v.z}, at);
  }
  static void set(Node& mapping, const std::string& key, Node value) {
    if (Node* place = mapping.find(key))
      *place = std::move(value);
    else
      mapping.entries.push_back({key, value.at, std::move(value)});
  }

  /// The values of the schema that are places, directions and velocities in the world, moved with the part. What
  /// cannot be read is left as it is: the reader says so.
  void place_in_world(Node& own, const Placement& place, const Constants& constants, const std::string& what) {
    each_value(own, scene_section(), [&](const Key& key, Node& section) {
      if (key.kind != Kind::named) return;
      for (Entry& entry : section.entries) {
        if (section_is(key, "bodies")) place_body(entry, own, place, constants, what);
        if (section_is(key, "forces")) check_force(entry, place, what);
        if (section_is(key, "joints") || section_is(key, "springs"))
          place_ground_end(entry, key, place, constants, what);
        each_value(entry.value, *key.inner, [&](const Key& leaf, Node& value) {
          if (leaf.in_world) move(value, leaf, place, constants);
        });
      }
    });
  }
  static bool section_is(const Key& key, std::string_view name) { return key.name == name; }

  std::optional<Vec3> read_vector(const Node& node, const Key& key, const Constants& constants, bool planar) {
    if (node.kind == Node::Kind::scalar) {
      const bool negative = node.text.starts_with('-');
      for (const auto& [name, e] : {std::pair{"x", kAxisX}, std::pair{"y", kAxisY}, std::pair{"z", kAxisZ}})
        if (node.text.substr(negative ? 1 : 0) == name) return negative ? -e : e;
    }
    if (node.items.size() < (planar ? 2U : 3U) || node.items.size() > 3) return std::nullopt;
    double v[3] = {};
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Result<double> number = constants.number(node.items[i].text, key.dimension);
      if (!number) return std::nullopt;
      v[i] = *number;
    }
    return Vec3{v[0], v[1], v[2]};
  }

  void move(Node& value, const Key& key, const Placement& place, const Constants& constants) {
    if (key.kind == Kind::vectors) {
      for (Node& item : value.items) move_one(item, key, place, constants);
      return;
    }
    if (key.kind == Kind::numbers && value.items.size() != 3) return;  // a spin about z
    move_one(value, key, place, constants);
  }
  void move_one(Node& value, const Key& key, const Placement& place, const Constants& constants) {
    const auto v = read_vector(value, key, constants, place.planar && key.kind != Kind::numbers);
    if (!v) return;
    const bool is_place = key.dimension == dimension::length;
    const Vec3 moved = (is_place ? place.at_m : Vec3{}) + place.R * *v;
    value = vector_node(moved, place.planar, value.at);
  }

  /// A body without a place stands in the origin of the part; one without an angle is turned with it.
  void place_body(Entry& body, const Node& own, const Placement& place, const Constants& constants,
                  const std::string& what) {
    Node& keys = body.value;
    if (keys.kind == Node::Kind::empty) keys.kind = Node::Kind::mapping;
    bool joined = false, joined_in_world = false;
    for (const char* section : {"joints", "springs"})
      if (const Node* all = own.find(section))
        for (const Entry& e : all->entries)
          if (const Node* between = e.value.find("between"))
            for (const Node& name : between->items)
              if (name.text == body.key) {
                joined = joined || section[0] == 'j';
                joined_in_world = joined_in_world || e.value.find("at");
              }
    const bool is_fixed = (keys.find("fixed") && keys.find("fixed")->text == "true") || keys.find("motion");
    if (!keys.find("at") && !keys.find("guess_at") && (!joined || is_fixed))
      set(keys, "at", list_of({0.0, 0.0, 0.0}, body.at));
    if (!place.turned) return;
    if (const Node* motion = keys.find("motion"); motion)
      return fail(motion->at,
                  what + ": body " + in_quotes(body.key) +
                      ": a prescribed motion is along the axes of the world; a part that has one cannot be turned");
    const bool is_particle = keys.find("particle") && keys.find("particle")->text == "true";
    if (is_particle) return;
    const Vec3 part_axis = place.planar ? kAxisZ : unit_axis(place.turn);
    const double part_angle = place.planar ? place.angle_rad : angle_of(place.turn);
    const Node* const given = keys.find("angle");
    const Node* const guess = keys.find("guess_angle");
    if (!given && !guess && !keys.find("rotation")) {
      const bool known = !joined || joined_in_world || is_fixed;
      set(keys, known ? "angle" : "guess_angle", scalar(text_of(part_angle), body.at));
      if (!place.planar) set(keys, "axis", list_of({part_axis.x, part_axis.y, part_axis.z}, body.at));
      return;
    }
    const std::string key = guess ? "guess_angle" : "angle";
    Quat own_turn;
    if (const Node* q = keys.find("rotation")) {
      if (q->items.size() != 4) return;
      double v[4];
      for (std::size_t i = 0; i < 4; ++i) {
        const Result<double> number = constants.number(q->items[i].text, dimension::number);
        if (!number) return;
        v[i] = *number;
      }
      own_turn = unit(Quat{v[0], v[1], v[2], v[3]});
    } else {
      const Result<double> angle = constants.number(keys.find(key)->text, dimension::number);
      if (!angle) return;
      if (place.planar) return set(keys, key, scalar(text_of(*angle + place.angle_rad), keys.find(key)->at));
      const Node* axis = keys.find("axis");
      const auto direction = axis ? read_vector(*axis, Key{}, constants, false) : std::optional(kAxisZ);
      if (!direction || !(norm(*direction) > 0)) return;
      own_turn = rotation_about(unit(*direction), *angle);
    }
    const Quat all = place.turn * own_turn;
    if (guess) {
      const Vec3 axis = unit_axis(all);
      set(keys, "guess_angle", scalar(text_of(angle_of(all)), body.at));
      set(keys, "axis", list_of({axis.x, axis.y, axis.z}, body.at));
      return;
    }
    std::erase_if(keys.entries, [](const Entry& e) { return e.key == "angle" || e.key == "axis"; });
    set(keys, "rotation", list_of({all.w, all.x, all.y, all.z}, body.at));
  }

  static double angle_of(const Quat& q) { return 2 * std::atan2(norm(Vec3{q.x, q.y, q.z}), q.w); }
  static Vec3 unit_axis(const Quat& q) {
    const Vec3 v{q.x, q.y, q.z};
    return norm(v) > 0 ? v / norm(v) : kAxisZ;
  }

  /// Points and axes that are given in the frame of the ground are in the world.
  void place_ground_end(Entry& entry, const Key& section, const Placement& place, const Constants& constants,
                        const std::string& what) {
    const Node* named = entry.value.find("between");
    if (!named || named->items.size() != 2) return;
    const bool is_ground[] = {named->items[0].text == kGround, named->items[1].text == kGround};
    for (std::size_t end = 0; end < 2; ++end) {
      if (!is_ground[end]) continue;
      const Node* type = entry.value.find("type");
      if (place.turned && type && type->text == "bushing")
        return fail(entry.at, what + ": spring " + in_quotes(entry.key) +
                                  ": a bushing to the ground is along the axes of the world; put it on a body with "
                                  "`fixed: true`");
      const bool is_spring = section_is(section, "springs");
      if (is_spring && !entry.value.find("anchors") && !entry.value.find("at")) {
        Node both;
        both.kind = Node::Kind::list;
        both.at = entry.at;
        for (int k = 0; k < 2; ++k) both.items.push_back(vector_node({}, place.planar, entry.at));
        set(entry.value, "anchors", std::move(both));
      }
      for (const char* name : {"anchors", "axes"}) {
        Node* pair = entry.value.find(name);
        if (!pair || pair->items.size() != 2) continue;
        const auto leaf = std::ranges::find(section.inner->keys, name, &Key::name);
        if (leaf != section.inner->keys.end()) move_one(pair->items[end], *leaf, place, constants);
      }
    }
  }

  void check_force(const Entry& force, const Placement& place, const std::string& what) {
    if (!place.turned || force.value.find("joint")) return;
    const Node* axes = force.value.find("axes");
    const bool about_z = place.planar && !force.value.find("force");
    if (!about_z && !(axes && axes->text == "body"))
      fail(force.at, what + ": force " + in_quotes(force.key) +
                         ": it is along the axes of the world; in a part that is turned use `axes: body`");
  }

  const OpenPart& open_;
  std::vector<Diagnostic>& errors_;
  double count_ = 0;  // of the instances written out
};

}  // namespace

Node expand(Node root, const OpenPart& open, std::vector<Diagnostic>& errors) {
  const std::string file = root.at.source;
  return Expander(open, errors).expand(std::move(root), {file});
}

}  // namespace percuss::scene
