// Scenes with all the files they name.
#include "percuss/io/scene_file.h"

#include <algorithm>
#include <fstream>
#include <memory>

#include "percuss/base/hexadecimal.h"
#include "percuss/base/words.h"
#include "percuss/io/checksum.h"
#include "percuss/io/hull.h"
#include "percuss/io/law_file.h"
#include "percuss/io/mesh_file.h"
#include "percuss/io/yaml.h"
#include "percuss/scene/expand.h"
#include "percuss/scene/read.h"
#include "percuss/scene/shape_table.h"

namespace percuss::io {

using scene::DocumentKind;
using scene::Entry;
using scene::Node;
using scene::Scene;

namespace {

constexpr std::size_t kDeepestIncludes = 16, kMostIncludes = 1000;

/// What a document has taken in so far.
struct Included {
  std::string text;
  std::size_t files = 0;  // a file that is taken in twice counts twice: a few that fan out are millions
};

/// Puts the included documents under this one. `open` are the files being read, against circles.
Result<Node> with_includes(Node document, const std::filesystem::path& file,
                           std::vector<std::filesystem::path> open, Included& included) {
  const Node* include = document.find("include");
  if (!include) return document;
  if (open.size() > kDeepestIncludes) return Diagnostic{include->at, "more than 16 includes within each other"};
  std::vector<Diagnostic> errors;
  Node under;
  under.kind = Node::Kind::mapping;
  std::vector<Node> items = include->kind == Node::Kind::list ? include->items : std::vector<Node>{*include};
  for (const Node& item : items) {
    if (item.kind != Node::Kind::scalar) {
      errors.push_back({item.at, "include: expected the name of a file"});
      continue;
    }
    const std::filesystem::path path = (file.parent_path() / item.text).lexically_normal();
    if (std::ranges::find(open, path) != open.end()) {
      errors.push_back({item.at, "include: " + in_quotes(item.text) + " includes itself"});
      continue;
    }
    if (++included.files > kMostIncludes) return Diagnostic{item.at, "more than 1000 includes in all"};
    Result<Node> read = parse_file(path);
    if (read && read->kind != Node::Kind::mapping) {
      errors.push_back({item.at, "include: " + in_quotes(item.text) + " is not a mapping of keys and values"});
      continue;
    }
    if (read) {
      included.text += "# included: " + item.text + "\n" + *read_text(path);
      std::vector<std::filesystem::path> deeper = open;
      deeper.push_back(path);
      read = with_includes(std::move(*read), path, std::move(deeper), included);
    }
    if (!read && included.files > kMostIncludes) return read.errors();  // once is enough
    if (!read) {
      const bool missing = read.errors().size() == 1 && read.errors().front().at.line == 0;
      if (missing)
        errors.push_back({item.at, "include: " + in_quotes(item.text) + ": " + read.errors().front().text});
      if (!missing) errors.insert(errors.end(), read.errors().begin(), read.errors().end());
      continue;
    }
    merge(under, std::move(*read));
  }
  if (!errors.empty()) return distinct(errors);
  std::erase_if(document.entries, [](const Entry& entry) { return entry.key == "include"; });
  merge(under, std::move(document));
  return under;
}

/// The file of a part, found from the file that names it; files that it names in turn are found from where it is.
std::filesystem::path file_of_part(const std::string& file, const Where& at) {
  return (std::filesystem::path(at.source).parent_path() / file).lexically_normal();
}

void rebase_files(Node& mapping, const scene::Section& section, const std::filesystem::path& from,
                  const std::filesystem::path& scene_folder) {
  const auto rebase = [&](Node& value) {
    std::error_code error;
    const std::filesystem::path file = (from / value.text).lexically_normal();
    if (value.text.empty() || std::filesystem::path(value.text).is_absolute()) return;
    if (!std::filesystem::exists(file, error) && !std::filesystem::exists(file.string() + ".yaml", error)) return;
    const std::filesystem::path base = scene_folder.empty() ? std::filesystem::path(".") : scene_folder;
    value.text =
        std::filesystem::absolute(file, error).lexically_relative(std::filesystem::absolute(base, error)).string();
  };
  scene::each_value(mapping, section, [&](const scene::Key& key, Node& value) {
    if (key.kind == scene::Kind::mapping) rebase_files(value, *key.inner, from, scene_folder);
    if (key.kind == scene::Kind::list)
      for (Node& item : value.items) rebase_files(item, *key.inner, from, scene_folder);
    if (key.kind == scene::Kind::named && key.name != "parts")  // those are found from their own file
      for (Entry& entry : value.entries) rebase_files(entry.value, *key.inner, from, scene_folder);
    if (key.kind == scene::Kind::file) rebase(value);
  });
}

Result<Node> read_part(const std::filesystem::path& path, const std::filesystem::path& scene_folder,
                       Included& included) {
  if (++included.files > kMostIncludes) return Diagnostic{{}, "more than 1000 files of parts and includes in all"};
  Result<Node> read = parse_file(path);
  if (!read || read->kind != Node::Kind::mapping) return read;
  included.text += "# part: " + path.filename().string() + "\n" + *read_text(path);
  const Where at = read->at;
  read = with_includes(std::move(*read), path, {path}, included);
  if (!read) return read;
  read->at = at;
  read->at.source = path.string();
  rebase_files(*read, scene::scene_section(), path.parent_path(), scene_folder);
  return read;
}

/// All files of parts, those of parts of parts too, each once.
void read_parts(const Node& root, const std::filesystem::path& scene_folder, Included& included,
                std::map<std::string, Result<Node>>& out) {
  const Node* parts = root.find("parts");
  if (!parts) return;
  for (const Entry& part : parts->entries) {
    const Node* file = part.value.find("file");
    if (!file || file->kind != Node::Kind::scalar || file->text.empty()) continue;
    const std::filesystem::path path = file_of_part(file->text, file->at);
    if (out.contains(path.string())) continue;
    const auto [place, is_new] = out.emplace(path.string(), read_part(path, scene_folder, included));
    if (place->second) read_parts(*place->second, scene_folder, included, out);
  }
}

Result<Document> open_text(const std::string& text, const std::string& source) {
  Result<Node> root = parse_document(text, source);
  if (!root) return root.errors();
  if (root->kind != Node::Kind::mapping) return Diagnostic{{source, 1, 1}, "expected a mapping of keys and values"};
  if (const std::string other = meant_for_another(*root, DocumentKind::scene); !other.empty())
    return Diagnostic{{source, 1, 1}, other};
  const std::filesystem::path path = std::filesystem::path(source).lexically_normal();
  Included included;
  root = with_includes(std::move(*root), path, {path}, included);
  if (!root) return root.errors();
  root->at.source = source;
  std::map<std::string, Result<Node>> parts;
  read_parts(*root, path.parent_path(), included, parts);
  return Document{std::move(*root), source, text + included.text, {}, std::move(parts)};
}

/// Checksum and name: another content is another scene.
void note_input(const std::filesystem::path& file, std::vector<std::string>& inputs) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return;  // told where the file is read
  Checksum sum;
  std::vector<char> block(1 << 16);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    sum.add(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  std::string input = hexadecimal(sum.value()) + " " + file.filename().string();
  if (std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(std::move(input));
}

/// The shape's triangles: from its file, or the hull of its points.
void load(scene::Shape& shape, const std::filesystem::path& folder, std::vector<std::string>& inputs) {
  if (!shape.file.empty()) {
    const std::filesystem::path file = (folder / shape.file).lexically_normal();
    note_input(file, inputs);
    shape.mesh = std::make_shared<const Result<geometry::Mesh>>(read_mesh(file));
  } else if (!shape.points_m.empty()) {
    shape.mesh = std::make_shared<const Result<geometry::Mesh>>(triangulated_hull(shape.points_m));
  }
}

void load(scene::ContactLaw& law, const std::filesystem::path& folder, const std::filesystem::path& law_folder,
          std::vector<std::string>& inputs) {
  if (law.law_file.empty()) return;
  const std::filesystem::path file = find_law_file(law.law_file, folder, law_folder);
  note_input(file, inputs);
  law.own_law = read_law_file(file);
}

}  // namespace

void load_files(Scene& scene, const std::filesystem::path& law_folder) {
  const std::filesystem::path folder = std::filesystem::path(scene.source).parent_path();
  scene.inputs.clear();
  for (scene::Body& body : scene.bodies)
    for (scene::Shape& shape : body.shapes) {
      const scene::ShapeRow* row = scene::find_shape(shape.kind);
      if (row && row->has_triangles) load(shape, folder, scene.inputs);
    }
  for (scene::Contact& contact : scene.contacts) load(contact.law, folder, law_folder, scene.inputs);
  for (scene::Joint& joint : scene.joints)
    for (scene::ContactLaw* law :
         {joint.contact ? &*joint.contact : nullptr, joint.limits ? &joint.limits->law : nullptr})
      if (law) load(*law, folder, law_folder, scene.inputs);
}

Result<Document> open_scene(const std::filesystem::path& file, const std::filesystem::path& law_folder) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.errors();
  Result<Document> document = open_text(*text, file.string());
  if (document) document->law_folder = law_folder;
  return document;
}

namespace {
bool repeats(const Node& root) {
  return root.find("parts") || std::ranges::any_of(root.entries, [](const Entry& section) {
           return std::ranges::any_of(section.value.entries, [](const Entry& e) { return e.value.find("for"); });
         });
}
}  // namespace

/// What an instance of a loop or a part is given can only be set when it is there.
void Document::set(const std::string& override_text) {
  const auto failed = apply_override(root, override_text);
  if (!failed.empty() && repeats(root))
    of_instances.push_back(override_text);
  else
    errors.insert(errors.end(), failed.begin(), failed.end());
  overrides.push_back(override_text);
}

Node expanded(const Document& document, std::vector<Diagnostic>& errors, std::string& late_text) {
  std::map<std::string, Result<Node>> late;  // named by a loop, or set
  Included included;
  const auto open = [&](const std::string& file, const Where& at) -> Result<Node> {
    const std::filesystem::path path = file_of_part(file, at.line > 0 ? at : Where{document.source});
    if (const auto known = document.parts.find(path.string()); known != document.parts.end()) return known->second;
    const auto known = late.find(path.string());
    if (known != late.end()) return known->second;
    return late
        .emplace(path.string(), read_part(path, std::filesystem::path(document.source).parent_path(), included))
        .first->second;
  };
  Node root = scene::expand(document.root, open, errors);
  for (const std::string& text : document.of_instances) {
    const auto failed = apply_override(root, text);
    errors.insert(errors.end(), failed.begin(), failed.end());
  }
  late_text = included.text;
  return root;
}

Scene scene_of(const Document& document) {
  std::vector<Diagnostic> errors;
  std::string late_text;
  Scene scene = repeats(document.root) ? scene::interpret(expanded(document, errors, late_text), document.source)
                                       : scene::interpret(document.root, document.source);
  scene.errors.insert(scene.errors.begin(), errors.begin(), errors.end());
  scene.errors.insert(scene.errors.begin(), document.errors.begin(), document.errors.end());
  scene.text = document.text + late_text;
  scene.overrides = document.overrides;
  if (scene.title.empty()) scene.title = std::filesystem::path(document.source).stem().string();
  load_files(scene, document.law_folder);
  return scene;
}

Scene scene_of(const Document& document, const std::vector<std::string>& overrides) {
  Document own = document;
  for (const std::string& text : overrides) own.set(text);
  return scene_of(own);
}

Result<Scene> read_scene_text(const std::string& text, const std::string& source,
                              const std::vector<std::string>& overrides) {
  const Result<Document> document = open_text(text, source);
  if (!document) return document.errors();
  return scene_of(*document, overrides);
}

Result<Scene> read_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                         const std::filesystem::path& law_folder) {
  const Result<Document> document = open_scene(file, law_folder);
  if (!document) return document.errors();
  return scene_of(*document, overrides);
}

}  // namespace percuss::io
