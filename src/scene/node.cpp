// A tree of values with their places.
#include "percuss/scene/node.h"

#include <utility>

namespace percuss::scene {

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}
Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

DocumentKind document_kind(const Node& root) {
  if (root.find("axes")) return DocumentKind::study;
  if (root.find("free")) return DocumentKind::fit;
  return root.find("bodies") ? DocumentKind::scene : DocumentKind::unknown;
}

std::string meant_for_another(const Node& root, DocumentKind wanted) {
  const DocumentKind kind = document_kind(root);
  if (kind == wanted) return "";
  switch (kind) {
    case DocumentKind::scene: return "this is a scene: percuss run runs it";
    case DocumentKind::study: return "this is a study: percuss sweep runs it";
    case DocumentKind::fit: return "this is a fit: percuss identify takes it";
    case DocumentKind::unknown: break;
  }
  return "";
}

void merge(Node& under, Node over) {
  if (under.kind != Node::Kind::mapping || over.kind != Node::Kind::mapping) {
    under = std::move(over);
    return;
  }
  for (Entry& entry : over.entries) {
    const auto same = std::ranges::find(under.entries, entry.key, &Entry::key);
    if (same == under.entries.end()) {
      under.entries.push_back(std::move(entry));
    } else {
      same->at = entry.at;
      merge(same->value, std::move(entry.value));
    }
  }
}

}  // namespace percuss::scene
