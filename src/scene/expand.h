// Repetition and parts: a document in which everything stands as often as it is there.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "percuss/scene/node.h"
#include "percuss/scene/schema.h"

namespace percuss::scene {

/// The document of a part's file, found from the place that names it. The reader of files hands this in.
using OpenPart = std::function<Result<Node>(const std::string& file, const Where& at)>;

/// Entries with `for` are written out, one for each value, and parts are put in place: what comes back has neither.
/// Instances know what they are (Where::instance), so that errors name them.
///
/// Names: an entry `link{i}` becomes link1, link2, ...; `{EXPRESSION}` in any text is replaced, and in numbers and
/// expressions the name of the loop stands for its value. Of a part, every name gets the part's in front: `rim` of
/// `wheel` is wheel_rim, its constant R is wheel_R.
Node expand(Node root, const OpenPart& open, std::vector<Diagnostic>& errors);

/// What the keys of a mapping say, by the schema: each value is visited with the key it belongs to.
template <class AnyNode, class Visit>
void each_value(AnyNode& mapping, const Section& section, Visit&& visit) {
  for (auto& entry : mapping.entries)
    for (const Key& key : section.keys)
      if (key.name == entry.key) visit(key, entry.value);
}

}  // namespace percuss::scene
