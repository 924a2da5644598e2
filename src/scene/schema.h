// What a scene may contain: one description that the reader, the command, the reference page and editors use.
#pragma once

#include <span>
#include <string_view>

#include "percuss/base/units.h"
#include "percuss/base/vector.h"

namespace percuss::scene {

enum class Kind {
  // clang-format off
  number,      // one number with a unit
  whole,       // a whole number
  flag,        // true or false
  word,        // one of a list
  text,        // anything
  name,        // of something in the scene
  names,       // two of them
  function,    // a number with a unit, or an expression of t in SI units
  functions,   // one for each axis
  numbers,     // several numbers of one dimension
  vector,      // a place or a velocity: one number for each axis
  vectors,     // two vectors
  points,      // any number of vectors
  named_points,  // names of the user's choice, each with a vector
  direction,   // x, y, z, -x ... or a vector
  directions,  // two of them
  words,       // a list of texts
  file,        // a file, found from the one that names it
  condition,   // EXPRESSION crosses VALUE
  mapping,     // keys of its own
  named,       // names of the user's choice, each with keys of its own
  list,        // a list of mappings
  constants,   // names of the user's choice, each with a number
  // clang-format on
};
std::string_view name_of(Kind kind);

struct Section;

struct Key {
  std::string_view name;
  Kind kind = Kind::number;
  Dimension dimension{};
  std::string_view meaning{};
  std::string_view otherwise{};  // what holds if it is not given, see default_number; "" if nothing can
  bool needed = false;
  std::span<const std::string_view> (*words)() = nullptr;
  const Section* inner = nullptr;
  double lowest = -1e300;       // numbers must be above it ...
  bool lowest_allowed = false;  // ... or equal to it
  bool in_world = false;        // a place, direction or velocity in the world, which moves with a part
};

struct Section {
  std::string_view name, meaning;
  std::span<const Key> keys;
  std::string_view example{};
};

/// The whole scene.
const Section& scene_section();
/// What every entry of a mapping of names may have: the keys that repeat it.
const Section& repetition_section();

/// The section that a path such as "bodies" or "bodies.shapes" leads to, and the key it ends with.
struct Found {
  const Section* section = nullptr;
  const Key* key = nullptr;  // null: the section itself
};
Found find_in_schema(std::string_view path, const Section& root = scene_section());

// ---- defaults: what a key is if it is not given stands in `otherwise` of its row and nowhere else. The reader,
// the structures of a scene and the settings of a run take it from there, so that help and pages say what holds.
// Undefined where `otherwise` is not such a value: "from the materials".

/// A number with its unit, in SI.
double default_number(const Key& key);
double default_number(std::string_view path);
/// The same as an expression of one name: "duration/500".
double default_number(std::string_view path, std::string_view name, double value);
/// True if `otherwise` begins with "true".
bool default_flag(const Key& key);
bool default_flag(std::string_view path);
/// One of its words; "" where `otherwise` is a sentence.
std::string_view default_word(const Key& key);
std::string_view default_word(std::string_view path);
/// "[0, 0, -9.81], planar [0, -9.81]".
Vec3 default_vector(std::string_view path, bool planar);

}  // namespace percuss::scene
