// One description, three forms.
#include "percuss/report/schema_pages.h"

#include <fmt/format.h>

#include "percuss/base/words.h"
#include "percuss/contact/friction.h"
#include "percuss/geometry/pairs.h"
#include "percuss/joint/table.h"
#include "percuss/model/channel_table.h"
#include "percuss/ode/integrator.h"
#include "percuss/report/json.h"
#include "percuss/report/numbers.h"
#include "percuss/scene/shape_table.h"
#include "percuss/study/identify/fit_file.h"
#include "percuss/study/sweep/study_file.h"

namespace percuss::report {

using scene::Key;
using scene::Kind;
using scene::Section;

namespace {

std::string kind_text(const Key& key) {
  std::string text(scene::name_of(key.kind));
  const std::string unit = key.dimension == dimension::number ? "" : unit_of(key.dimension);
  if (!unit.empty()) text += ", " + unit;
  return text;
}

std::string otherwise_text(const Key& key) {
  if (key.needed) return "needed";
  return key.otherwise.empty() ? "" : "otherwise " + std::string(key.otherwise);
}

std::string words_text(const Key& key) {
  if (!key.words) return "";
  const auto words = key.words();
  return words.size() > 24 ? "" : percuss::joined(words);
}

Json json_of(const Section& section);

Json json_of(const Key& key) {
  const Json number = {{"type", Json::array({"number", "string"})}};
  const Json numbers = {{"type", "array"}, {"items", number}};
  Json j;
  switch (key.kind) {
    case Kind::number:
    case Kind::function: j = number; break;
    case Kind::whole: j = {{"type", "integer"}}; break;
    case Kind::flag: j = {{"type", "boolean"}}; break;
    case Kind::word: {
      j = {{"type", "string"}};
      if (key.words) {
        j["enum"] = Json::array();
        for (const std::string_view word : key.words()) j["enum"].push_back(word);
      }
      break;
    }
    case Kind::condition:
    case Kind::text: j = number; break;
    case Kind::file:
    case Kind::name: j = {{"type", "string"}}; break;
    case Kind::names:
      j = {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 2}, {"maxItems", 2}};
      break;
    case Kind::functions:
    case Kind::numbers: j = {{"anyOf", Json::array({number, numbers})}}; break;
    case Kind::vector: j = {{"type", "array"}, {"items", number}, {"minItems", 2}, {"maxItems", 3}}; break;
    case Kind::points:
    case Kind::vectors: j = {{"type", "array"}, {"items", numbers}}; break;
    case Kind::direction: j = {{"anyOf", Json::array({Json{{"type", "string"}}, numbers})}}; break;
    case Kind::directions:
      j = {{"type", "array"},
           {"items", {{"anyOf", Json::array({Json{{"type", "string"}}, numbers})}}},
           {"minItems", 2},
           {"maxItems", 2}};
      break;
    case Kind::words: j = {{"type", Json::array({"string", "array"})}}; break;
    case Kind::mapping: j = json_of(*key.inner); break;
    case Kind::named: {
      Json entry = json_of(*key.inner);
      for (const Key& repeats : scene::repetition_section().keys)
        entry["properties"][std::string(repeats.name)] = json_of(repeats);
      j = {{"type", "object"}, {"additionalProperties", entry}};
      break;
    }
    case Kind::list: j = {{"type", "array"}, {"items", json_of(*key.inner)}}; break;
    case Kind::named_points: j = {{"type", "object"}, {"additionalProperties", numbers}}; break;
    case Kind::constants: j = {{"type", "object"}, {"additionalProperties", number}}; break;
  }
  std::string meaning(key.meaning);
  if (!key.otherwise.empty())
    meaning += (meaning.empty() ? "otherwise " : "; otherwise ") + std::string(key.otherwise);
  if (!(key.dimension == dimension::number)) meaning += " [" + unit_of(key.dimension) + "]";
  if (!meaning.empty()) j["description"] = meaning;
  return j;
}

Json json_of(const Section& section) {
  Json j = {{"type", "object"}, {"additionalProperties", false}};
  j["description"] = section.meaning;
  j["properties"] = Json::object();
  Json needed = Json::array();
  for (const Key& key : section.keys) {
    j["properties"][std::string(key.name)] = json_of(key);
    if (key.needed) needed.push_back(key.name);
  }
  if (!needed.empty()) j["required"] = needed;
  return j;
}

std::string table_cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void add_section(const Section& section, const std::string& path, std::string& out) {
  out += fmt::format("## {}\n\n{}.\n\n", path, section.meaning);
  if (!section.example.empty()) out += fmt::format("```yaml\n{}\n```\n\n", section.example);
  out += "| key | value | meaning | if left out |\n|---|---|---|---|\n";
  for (const Key& key : section.keys) {
    const std::string words = words_text(key);
    out += fmt::format("| `{}` | {} | {}{} | {} |\n", key.name, kind_text(key), table_cell(key.meaning),
                       words.empty() ? "" : " (" + table_cell(words) + ")",
                       key.needed ? "**needed**" : table_cell(key.otherwise));
  }
  out += "\n";
  for (const Key& key : section.keys)
    if (key.inner && key.name != "shape")
      add_section(*key.inner,
                  path == "scene" || path == "study" || path == "fit" ? std::string(key.name)
                                                                      : path + "." + std::string(key.name),
                  out);
}

}  // namespace

std::string schema_text(const scene::Found& found, const Style& style) {
  const auto line = [&style](const Key& key) {
    const std::string words = words_text(key), otherwise = otherwise_text(key);
    std::string right(key.meaning);
    if (!words.empty()) right += (right.empty() ? "" : ": ") + words;
    if (!otherwise.empty()) right += (right.empty() ? "" : "; ") + otherwise;
    const std::string kind = kind_text(key);
    if (style.width < 110)  // the meaning has lines of its own
      return fmt::format("  {:<18} {}\n{:21}{}\n", key.name, wrapped(kind, style.width - 21, std::string(21, ' ')),
                         "", wrapped(right, style.width - 21, std::string(21, ' ')));
    return fmt::format("  {:<18} {:<28} {}\n", key.name, kind,
                       wrapped(right, style.width - 50, std::string(50, ' ')));
  };
  if (found.key) return line(*found.key);
  std::string out = fitted(fmt::format("{}: {}\n\n", found.section->name, found.section->meaning), style);
  for (const Key& key : found.section->keys) out += line(key);
  if (!found.section->example.empty()) out += "\nexample:\n" + std::string(found.section->example) + "\n";
  return out;
}

std::string schema_json(const Section& root) {
  Json j = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "percuss " + std::string(root.name)}};
  j.update(json_of(root));
  return j.dump(2) + "\n";
}

namespace {

void add_channels(std::string& out) {
  out +=
      "\n## The channel table\n\nWhat expressions, events and outputs can read, and what the tables of a result "
      "file "
      "have as columns: the first rows, down to those of springs. Between markers: `distance(A, B)`, "
      "`distance_rate(A, B)`, and `angle(A, B, C)`, from BA to BC; a body stands for the origin of its frame, "
      "`ground` "
      "for that of the world. An output channel may be a vector, `tip: arm.tip.position`; it becomes tip.x, tip.y, "
      "tip.z. "
      "Accelerations and reactions follow from the forces: forces cannot read them, unless they are sampled "
      "(`every`).\n\n| channel | unit | meaning | in |\n|---|---|---|---|\n";
  using Row = model::ChannelRow;
  for (const Row& row : model::channel_rows())
    out += fmt::format("| `{}.{}` | {} | {} | {} |\n",
                       row.of == Row::Of::body       ? "BODY"
                       : row.of == Row::Of::contact  ? "CONTACT"
                       : row.of == Row::Of::spring   ? "SPRING"
                       : row.of == Row::Of::marker   ? "BODY.MARKER"
                       : row.of == Row::Of::joint    ? "JOINT"
                       : row.of == Row::Of::coupling ? "GEAR"
                       : row.of == Row::Of::driver   ? "DRIVER"
                                                     : "system",
                       row.suffix, row.unit, row.meaning,
                       row.in == Row::In::both    ? "plane and space"
                       : row.in == Row::In::plane ? "the plane"
                                                  : "space");
  out +=
      "| `JOINT.COORDINATE` | rad or m | a coordinate that the joint leaves free | plane and space |\n"
      "| `JOINT.COORDINATE_rate` | rad/s or m/s | its rate | plane and space |\n";
}

}  // namespace

std::string scene_markdown() {
  std::string out =
      "# Scenes\n\nMade by `percuss schema --markdown`; the reader of scenes uses the same description.\n\n"
      "Numbers are in SI units or carry a unit (`20 mm`, `210 GPa`, `5000 rpm`, `30 deg`). An expression is in SI "
      "units, of the time "
      "`t`, of `constants`, and, in forces, events and channels, of what the scene measures (the channel table at "
      "the end). A dash in the name of a coordinate becomes `_`.\n\n"
      "Wherever a number may stand, an expression of `constants` may stand too: `mass: 4/3*pi*R^3*rho`. Its unit "
      "is "
      "followed through every operation and checked. Numbers inside an expression are in SI units.\n\n";
  add_section(scene::scene_section(), "scene", out);
  add_section(scene::repetition_section(), "for", out);
  out += "## The joint table\n\n| type | what it holds | rows in space | in the plane |\n|---|---|---|---|\n";
  for (const joint::JointRow& row : joint::joint_rows())
    out += fmt::format(
        "| `{}` | {} | {} | {} |\n", row.key, row.fixes, row.rows,
        row.planar_hint.empty() ? std::to_string(row.planar_rows) : "use " + std::string(row.planar_hint));
  out +=
      "\n## The integrator table\n\n| key | method | order (between) | weakness | source "
      "|\n|---|---|---|---|---|\n";
  for (const ode::IntegratorRow& row : ode::integrator_rows()) {
    out += fmt::format("| `{}` | {} | {} ({}) | {} | {} |\n", row.key, row.title, row.order, row.dense_order,
                       row.weakness, row.source);
  }
  add_channels(out);
  out += "\n## The table of shapes\n\n| kind | keys | for |\n|---|---|---|\n";
  for (const scene::ShapeRow& row : scene::shape_rows())
    out += fmt::format("| `{}` | {} | {}{} |\n", row.key, joined(split(row.keys)),
                       row.in_plane && row.in_space ? "plane and space"
                       : row.in_plane               ? "the plane"
                                                    : "space",
                       !row.surface ? "; mass alone"
                       : !row.solid ? "; contact alone"
                                    : "");
  out += "\n## The pair table\n\n| shapes | meaning |\n|---|---|\n";
  for (const geometry::PairRow& row : geometry::pair_rows())
    out += fmt::format("| {}, {} | {}{} |\n", geometry::name_of(row.first), geometry::name_of(row.second),
                       row.meaning, row.is_line ? "; takes line-contact laws" : "");
  out += "\nCircles are spheres of a planar scene, polygons and boxes its polyhedra.\n";
  out +=
      "\n## The friction table\n\nF_n is the normal force, v the speed of sliding, mu and mu_s the coefficients of "
      "sliding and of rest.\n\n| law | force | parameters | remarks |\n|---|---|---|---|\n";
  for (const contact::FrictionRow& row : contact::friction_rows()) {
    std::string parameters;
    for (const contact::FrictionParameter& p : row.parameters)
      if (!p.name.empty())
        parameters += fmt::format("{}`{}`{}: {}", parameters.empty() ? "" : "; ", p.name,
                                  p.otherwise ? fmt::format(" ({})", text_of(*p.otherwise)) : "", p.meaning);
    std::string remarks = fmt::format("{}; {}", row.title, row.source);
    if (row.holds) remarks += "; holds a body at rest";
    if (!row.weakness.empty()) remarks += fmt::format("; {}", row.weakness);
    if (!row.unconfirmed.empty()) remarks += fmt::format(". Unconfirmed: {}", row.unconfirmed);
    std::string formula(row.formula);
    for (std::size_t at = 0; (at = formula.find('|', at)) != std::string::npos; at += 2)
      formula.replace(at, 1, "\\|");
    out += fmt::format("| `{}` | {} | {} | {} |\n", row.key, formula, parameters, remarks);
  }
  for (const contact::ResistanceRow& row : contact::resistance_rows())
    out += fmt::format("| `{}` beside any | {} | | {}; {} |\n", row.key, row.formula, row.title, row.unconfirmed);
  return out;
}

std::string study_markdown() {
  std::string out =
      "# Studies\n\nMade by `percuss schema --of study --markdown`; the reader of studies uses the same "
      "description.\n\n";
  add_section(study::study_section(), "study", out);
  out += "## What outputs may name\n\n| name | meaning |\n|---|---|\n";
  for (const study::OutputName& n : study::output_names()) out += fmt::format("| `{}` | {} |\n", n.name, n.meaning);
  return out;
}

std::string fit_markdown() {
  std::string out =
      "# Fits\n\nMade by `percuss schema --of fit --markdown`; the reader of fits uses the same description. The "
      "output of "
      "a table may name what [outputs of studies](study.md) may name.\n\n";
  add_section(study::fit_section(), "fit", out);
  return out;
}

}  // namespace percuss::report
