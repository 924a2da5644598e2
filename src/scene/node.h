// A document as a tree that keeps every place: known before any meaning is given to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "percuss/base/diagnostic.h"

namespace percuss::scene {

struct Entry;

/// A value: nothing, a text, a list or a mapping. Keys of a mapping are in the order of the file.
struct Node {
  enum class Kind { empty, scalar, list, mapping };
  Kind kind = Kind::empty;
  std::string text;            // of a scalar
  std::vector<Node> items;     // of a list
  std::vector<Entry> entries;  // of a mapping
  Where at;

  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};
struct Entry {
  std::string key;
  Where at;  // of the key
  Node value;
};

/// What a document is by its keys: a study has axes, a fit has free parameters, a scene has bodies.
enum class DocumentKind { scene, study, fit, unknown };
DocumentKind document_kind(const Node& root);
/// "this is a study: percuss sweep runs it", if it is neither of the expected kind nor unknown; else "".
std::string meant_for_another(const Node& root, DocumentKind wanted);

/// Entries of `over` replace or join those of `under`, mapping by mapping.
void merge(Node& under, Node over);

}  // namespace percuss::scene
