// yaml-cpp's events, checked as they come.
#include "percuss/io/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unordered_set>

#include "percuss/base/units.h"
#include "percuss/base/words.h"
#include "percuss/io/files.h"

namespace percuss::io {

using scene::Entry;
using scene::Node;

namespace {

constexpr std::size_t kDeepest = 32;  // mappings and lists within each other
constexpr std::string_view kNoAnchors =
    "anchors and aliases (& and *) are not read; quote a text that begins with one";

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    i += length;
  }
  return true;
}

/// An error that ends the reading at once.
struct Stop {
  Diagnostic diagnostic;
};

class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(std::string source) : source_(std::move(source)) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    place(Node{Node::Kind::empty, "", {}, {}, where(mark)});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark, 1); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    place(Node{Node::Kind::scalar, value, {}, {}, where(mark)});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, Node::Kind::mapping);
  }
  void OnMapEnd() override { close(); }

  bool is_empty() const { return errors_.empty() && root_.kind == Node::Kind::empty; }
  const Where& place() const { return root_.at; }

  Result<Node> result() {
    if (!errors_.empty()) return errors_;
    return std::move(root_);
  }

 private:
  struct Level {
    Node node;
    bool has_key = false;
    Entry entry;
    std::unordered_set<std::string> keys;
  };

  Where where(const YAML::Mark& mark) const { return {source_, mark.line + 1, mark.column + 1}; }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) throw Stop{{where(mark), std::string(kNoAnchors)}};
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Node::Kind kind) {
    refuse_anchor(mark, anchor);
    if (levels_.size() >= kDeepest) throw Stop{{where(mark), "nested more than 32 deep"}};
    Level level;
    level.node.kind = kind;
    level.node.at = where(mark);
    levels_.push_back(std::move(level));
  }
  void close() {
    Node done = std::move(levels_.back().node);
    levels_.pop_back();
    place(std::move(done));
  }

  /// A finished node: the document, an item of a list, a key or the value of one.
  void place(Node node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == Node::Kind::list) {
      level.node.items.push_back(std::move(node));
    } else if (!level.has_key) {
      level.has_key = true;
      if (node.kind != Node::Kind::scalar) errors_.push_back({node.at, "a key must be a word"});
      if (node.kind == Node::Kind::scalar && !level.keys.insert(node.text).second)
        errors_.push_back({node.at, "the key " + in_quotes(node.text) + " stands here twice"});
      level.entry = {node.text, node.at, {}};
    } else {
      level.has_key = false;
      level.entry.value = std::move(node);
      level.node.entries.push_back(std::move(level.entry));
      level.entry = {};
    }
  }

  std::string source_;
  std::vector<Level> levels_;
  std::vector<Diagnostic> errors_;
  Node root_;
};

}  // namespace

namespace {

/// What the reader of YAML found, in words that say what to do. Several of its messages stand for one mistake.
struct Mistake {
  std::string_view found, text;
};
const Mistake kMistakes[] = {
    {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab stands before the text; use spaces"},
    {YAML::ErrorMsg::MAP_VALUE, "a colon cannot stand here; quote a text that contains one: \"a: b\""},
    {YAML::ErrorMsg::MAP_KEY, "a key cannot stand here; check the indentation and the line above"},
    {YAML::ErrorMsg::BLOCK_ENTRY, "an item of a list (-) cannot stand here; check the indentation"},
    {YAML::ErrorMsg::END_OF_MAP, "a line does not belong to the keys above it; check its indentation"},
    {YAML::ErrorMsg::END_OF_SEQ, "a line does not belong to the list above it; check its indentation"},
    {YAML::ErrorMsg::END_OF_MAP_FLOW, "the mapping is not closed: expected a comma or }"},
    {YAML::ErrorMsg::END_OF_SEQ_FLOW, "the list is not closed: expected a comma or ]"},
    {YAML::ErrorMsg::FLOW_END, "a closing bracket that does not fit the opening one"},
    {YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is not closed"},
    {YAML::ErrorMsg::DOC_IN_SCALAR, "a quote is not closed"},
    {YAML::ErrorMsg::CHAR_IN_SCALAR, "a character that cannot stand here; quote the text"},
    {YAML::ErrorMsg::UNKNOWN_TOKEN, "a character that cannot begin a text; quote the text"},
    {YAML::ErrorMsg::CHAR_IN_BLOCK, "a character that cannot stand behind | or >; quote the text"},
    {YAML::ErrorMsg::ZERO_INDENT_IN_BLOCK, "the text below | or > must be indented"},
    {YAML::ErrorMsg::INVALID_ESCAPE, "an unknown escape after a backslash; use single quotes or \\\\"},
    {YAML::ErrorMsg::INVALID_HEX, "an escape that is no number; use single quotes or \\\\"},
    {YAML::ErrorMsg::INVALID_UNICODE, "an escape that is no character"},
};
const std::string_view kOfAnchors[] = {YAML::ErrorMsg::ALIAS_NOT_FOUND,  YAML::ErrorMsg::ANCHOR_NOT_FOUND,
                                       YAML::ErrorMsg::CHAR_IN_ALIAS,    YAML::ErrorMsg::CHAR_IN_ANCHOR,
                                       YAML::ErrorMsg::MULTIPLE_ANCHORS, YAML::ErrorMsg::MULTIPLE_ALIASES,
                                       YAML::ErrorMsg::ALIAS_CONTENT,    YAML::ErrorMsg::UNKNOWN_ANCHOR};

/// Does the line begin with blanks among which there is a tab?
bool is_indented_by_tabs(const std::string& text, int line) {
  std::istringstream in(text);
  std::string found;
  for (int k = 0; k <= line && std::getline(in, found); ++k) {
  }
  return found.substr(0, found.find_first_not_of(" \t")).find('\t') != std::string::npos;
}

std::string words_for(std::string_view found) {
  for (const Mistake& m : kMistakes)
    if (found.starts_with(m.found)) return std::string(m.text);
  for (const std::string_view anchor : kOfAnchors)
    if (found.starts_with(anchor)) return std::string(kNoAnchors);
  return "tags (!) and directives (%) are not read; quote a text that begins with one of ! % @ ` & *";
}

}  // namespace

Result<Node> parse_document(const std::string& text, const std::string& source) {
  if (!is_utf8(text)) return Diagnostic{{source}, "is not UTF-8 text"};
  Builder builder(source);
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    Builder rest(source);
    if (parser.HandleNextDocument(rest) && !rest.is_empty())
      return Diagnostic{rest.place(), "something follows after the end of the document; a file holds one document"};
  } catch (const Stop& stop) {
    return stop.diagnostic;
  } catch (const YAML::Exception& problem) {
    const Where at{source, problem.mark.line + 1, problem.mark.column + 1};
    if (is_indented_by_tabs(text, problem.mark.line)) return Diagnostic{at, std::string(kMistakes[0].text)};
    return Diagnostic{at, words_for(problem.msg)};
  }
  return builder.result();
}

namespace {

constexpr std::uintmax_t kMostMiB = 256;  // a million bodies, or ten million samples of a measurement
constexpr const char* kLimitVariable = "PERCUSS_FILE_LIMIT_MIB";

std::uintmax_t limit_MiB() {
  const char* text = std::getenv(kLimitVariable);
  const Result<double> limit = read_number(text ? text : "");
  return limit && *limit >= 1 && *limit <= 1e6 ? static_cast<std::uintmax_t>(*limit) : kMostMiB;
}

}  // namespace

Result<std::string> read_text(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Diagnostic{{file}, "no such file" + similar_file(path)};
  if (!std::filesystem::is_regular_file(path, error)) return Diagnostic{{file}, "is not a regular file"};
  if (const std::uintmax_t most_MiB = limit_MiB(); std::filesystem::file_size(path, error) > most_MiB << 20)
    return Diagnostic{{file},
                      "larger than " + std::to_string(most_MiB) + " MiB; the environment variable " +
                          kLimitVariable + " sets another limit"};
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) return Diagnostic{{file}, "cannot be read"};
  return text;
}

Result<Node> parse_file(const std::filesystem::path& path) {
  const Result<std::string> text = read_text(path);
  if (!text) return text.errors();
  return parse_document(*text, path.string());
}

}  // namespace percuss::io
