// Reading of fits.
#include "percuss/study/identify/fit_file.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "percuss/base/words.h"
#include "percuss/contact/rows.h"
#include "percuss/io/yaml.h"
#include "percuss/scene/fields.h"
#include "percuss/study/identify/channel_class.h"
#include "percuss/study/identify/measurement.h"
#include "percuss/study/sweep/axis_file.h"

namespace percuss::study {

namespace {

using scene::Fields;
using scene::Node;

constexpr std::size_t kMostFilterReach = 100'000;  // samples of the model beyond each end of the data

/// What a kind of data has: names of its columns and their dimensions.
struct KindRow {
  std::string_view name, x, y;
  Dimension x_dimension, y_dimension;
  DataKind kind;
  bool of_impact, of_scene;
};
constexpr KindRow kKinds[] = {
    {"force-time", "time", "force", dimension::time, dimension::force, DataKind::force_time, true, false},
    {"displacement-time", "time", "displacement", dimension::time, dimension::length, DataKind::displacement_time,
     true, false},
    {"force-indentation", "indentation", "force", dimension::length, dimension::force, DataKind::force_indentation,
     true, false},
    {"restitution-speed", "velocity", "restitution", dimension::velocity, dimension::number,
     DataKind::restitution_speed, true, false},
    {"table", "", "value", dimension::number, dimension::number, DataKind::table, true, true},
    {"channel-time", "time", "value", dimension::time, dimension::number, DataKind::channel_time, false, true},
};

class Reader {
 public:
  Reader(std::filesystem::path file, Node root, const std::string& law_folder)
      : file_(std::move(file)),
        root_(std::move(root)),
        fields_(fit_section(), root_, {file_.string()}, "fit", errors_),
        law_folder_(law_folder) {}

  Result<Fit> run() {
    fit_.source = file_.string();
    fit_.title = fields_.has("title") ? fields_.text("title") : file_.stem().string();
    places_ = fields_.places();
    static_cast<StudiedModel&>(fit_) = read_model(fields_, file_.parent_path(), law_folder_, errors_);
    if (!fields_.has("scene") && !fields_.has("impact"))
      fail(places_.at, "fit: expected either a scene or an impact");
    if (!fit_.scene && !fit_.impact) return errors_;
    read_laws();
    read_free();
    const std::string loss = fields_.text("loss");
    fit_.loss = loss == "huber" ? Loss::huber : loss == "cauchy" ? Loss::cauchy : Loss::squares;
    const auto count = [&](const char* key, double most) {
      const double n = fields_.number_or_default(key);
      if (n > most) fail(place(key), std::string("fit: ") + key + ": at most " + text_of(most));
      return static_cast<std::uint64_t>(std::min(n, most));
    };
    fit_.starts = static_cast<std::size_t>(count("starts", 1000));
    fit_.seed = count("seed", 1e15);
    fit_.confidence = fields_.number_or_default("confidence");
    if (!(fit_.confidence > 0 && fit_.confidence < 1))
      fail(place("confidence"), "fit: confidence lies between 0 and 1");
    for (const Fields::Inner& inner : fields_.inner("data")) read_test(inner);
    if (fit_.tests.empty() && errors_.empty()) fail(place("data"), "fit: there are no data");
    if (errors_.empty()) check_counts();
    if (!errors_.empty()) return errors_;
    return std::move(fit_);
  }

 private:
  void fail(const Where& at, std::string text) { errors_.push_back({at, std::move(text)}); }
  const Where& place(std::string_view key) const { return places_.of(key); }

  void read_laws() {
    fit_.laws = fields_.texts("laws");
    fit_.law_key = fields_.text("law_key");
    if (fit_.laws.empty()) fit_.laws = {""};
    if (fit_.laws == std::vector<std::string>{"all"}) {
      fit_.laws.clear();
      for (const contact::DissipationRow& row : contact::dissipation_rows()) fit_.laws.emplace_back(row.key);
    }
    const auto words = contact::law_words();
    for (const std::string& law : fit_.laws)
      if (!law.empty() && std::ranges::find(words, law) == words.end())
        fail(place("laws"), "fit: laws: no law is called " + in_quotes(law) + did_you_mean(law, words));
    if (fit_.scene && fields_.has("laws") && fit_.law_key.empty())
      fail(place("laws"), "fit: law_key is missing: which key of the scene takes the laws?");
    if (!fit_.scene && !fit_.law_key.empty()) fail(place("law_key"), "fit: law_key needs a scene");
  }

  void check_key(const Where& at, const std::string& what, const std::string& key) {
    for (const std::string& wrong : wrong_with_key(fit_, key)) fail(at, what + ": " + wrong);
  }

  static const scene::Section& inner_section(std::string_view key) {
    return *scene::find_in_schema(key, fit_section()).section;
  }

  void read_free() {
    for (const Fields::Inner& inner : fields_.inner("free")) {
      const Fields f(inner_section("free"), *inner.node, inner.at, "free " + inner.name, errors_);
      if (!f.has("from") || !f.has("to")) continue;  // reported
      Axis axis = read_axis(f, inner, errors_);
      for (const std::string& key : axis.keys) check_key(inner.at, "free " + inner.name, key);
      fit_.free.push_back(std::move(axis));
    }
    if (fit_.free.empty() && errors_.empty()) fail(place("free"), "fit: nothing is free");
  }

  void read_test(const Fields::Inner& inner) {
    const Fields f(inner_section("data"), *inner.node, inner.at, "data " + inner.name, errors_);
    const std::size_t before = errors_.size();
    DataSet test;
    test.name = inner.name;
    test.at = inner.at;
    test.file = f.text("file");
    const auto row = std::ranges::find(kKinds, f.text("kind"), &KindRow::name);
    if (row == std::end(kKinds)) return;  // reported
    test.kind = row->kind;
    if (fit_.impact ? !row->of_impact : !row->of_scene)
      return fail(f.places().of("kind"), f.what() + ": " + std::string(row->name) + " is data of " +
                                             (fit_.impact ? "a scene" : "an isolated impact"));
    const Result<NumberTable> table = read_csv(file_.parent_path() / test.file);
    if (!table) {
      for (const Diagnostic& d : table.errors())
        errors_.push_back(
            d.at.line > 0 ? d : Diagnostic{f.places().of("file"), f.what() + ": " + test.file + ": " + d.text});
      return;
    }
    for (const std::string& text : f.texts("set")) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) {
        fail(f.places().of("set"), f.what() + ": set: " + in_quotes(text) + " is not key=value");
        continue;
      }
      test.set.emplace_back(text.substr(0, equals), text.substr(equals + 1));
      check_key(f.places().of("set"), f.what() + ": set", test.set.back().first);
    }
    test.output = f.text("output");
    read_columns(f, *row, *table, test);
    if (errors_.size() > before) return;
    read_noise(f, *row, test);
    for (const Fields::Inner& o : f.inner("offset")) {
      const Fields of(inner_section("data.offset"), *o.node, o.at, f.what() + ": offset", errors_);
      if (row->x != "time") fail(o.at, f.what() + ": offset needs data over time");
      if (!of.has("from") || !of.has("to")) continue;
      test.offset = read_axis(of, o, errors_);
      test.offset->name = "offset of " + test.name;
    }
    fit_.tests.push_back(std::move(test));
  }

  void read_columns(const Fields& f, const KindRow& row, const NumberTable& table, DataSet& test) {
    const auto columns = f.constants("columns"), units = f.constants("units");
    const Where at = f.places().of("columns");
    const auto numbers = [&](const std::string& name, const std::string& column, const Dimension& wanted,
                             std::string* unit) -> std::vector<double> {
      const std::vector<std::string_view> known(table.names.begin(), table.names.end());
      const auto found = std::ranges::find(table.names, column);
      if (found == table.names.end()) {
        fail(at,
             f.what() + ": " + table.source + " has no column " + in_quotes(column) + "; it has " + joined(known));
        return {};
      }
      const auto index = static_cast<std::size_t>(found - table.names.begin());
      if (!table.faults[index].empty()) {
        errors_.insert(errors_.end(), table.faults[index].begin(), table.faults[index].end());
        return {};
      }
      std::vector<double> out = table.columns[index];
      const bool any = wanted == dimension::number && name != "restitution";
      if (unit && !any) *unit = wanted == dimension::number ? "" : unit_of(wanted);
      for (const auto& [key, text] : units) {
        if (key != name) continue;
        const Result<Unit> read = read_unit(text.text);
        if (!read || (!any && !(read->dimension == wanted))) {
          fail(text.at, f.what() + ": units: " + in_quotes(text.text) + " is no unit of " + name);
          return {};
        }
        if (unit && any) *unit = read->dimension == Dimension{} ? "" : unit_of(read->dimension);
        for (double& v : out) v *= read->factor;
      }
      return out;
    };
    for (const auto& unit : units)
      if (std::ranges::none_of(columns, [&](const auto& c) { return c.first == unit.first; }))
        fail(unit.second.at, f.what() + ": units: there is no " + in_quotes(unit.first) + " among the columns");
    for (const std::string_view wanted : {row.x, row.y}) {
      if (wanted.empty()) continue;
      const auto found = std::ranges::find_if(columns, [&](const auto& c) { return c.first == wanted; });
      if (found == columns.end()) {
        fail(at, f.what() + ": columns: " + in_quotes(wanted) + " is missing");
        continue;
      }
      const bool is_x = wanted == row.x;
      (is_x ? test.x : test.y) =
          numbers(std::string(wanted), found->second.text, is_x ? row.x_dimension : row.y_dimension,
                  is_x ? &test.x_unit : &test.y_unit);
    }
    test.x_label = row.x.empty() ? "line" : std::string(row.x);
    test.y_label =
        row.kind == DataKind::table || row.kind == DataKind::channel_time ? test.output : std::string(row.y);
    for (const auto& [key, column] : columns) {
      if (key == row.x || key == row.y) continue;
      if (row.kind != DataKind::table) {
        fail(column.at, f.what() + ": columns: " + std::string(row.name) + " data have no " + in_quotes(key));
        continue;
      }
      check_key(column.at, f.what() + ": columns", key);
      test.inputs.emplace_back(key, numbers(key, column.text, dimension::number, nullptr));
    }
    const bool wants_output = row.kind == DataKind::table || row.kind == DataKind::channel_time;
    if (wants_output && test.output.empty()) fail(at, f.what() + ": the key \"output\" is missing");
    if (!wants_output && !test.output.empty())
      fail(f.places().of("output"), f.what() + ": output goes with table and channel-time");
    if (row.kind == DataKind::table && test.inputs.size() == 1) {
      test.x = test.inputs.front().second;
      test.x_label = test.inputs.front().first;
    } else if (row.kind == DataKind::table) {
      for (std::size_t i = 0; i < test.y.size(); ++i) test.x.push_back(static_cast<double>(i + 1));
    }
    if (row.x == "time" && !std::ranges::is_sorted(test.x)) fail(at, f.what() + ": the times do not rise");
  }

  void read_noise(const Fields& f, const KindRow& row, DataSet& test) {
    test.relative_noise = f.number("relative_noise").value_or(0);
    if (f.has("noise")) {
      const Result<Quantity> q = read_quantity(f.text("noise"));
      if (!q)
        fail(f.places().of("noise"), f.what() + ": noise: " + q.errors().front().text);
      else if (!(q->si > 0))
        fail(f.places().of("noise"), f.what() + ": noise must be above 0");
      else if (q->has_unit && row.y != "value" && !(q->dimension == row.y_dimension))
        fail(f.places().of("noise"), f.what() + ": noise is not in a unit of " + std::string(row.y));
      else
        test.noise = q->si;
      if (test.relative_noise > 0)
        fail(f.places().of("noise"), f.what() + ": noise and relative_noise exclude each other");
    }
    if (test.relative_noise > 0 && std::ranges::any_of(test.y, [](double v) { return v == 0; }))
      fail(f.places().of("relative_noise"), f.what() + ": a value is 0: its relative noise means nothing");
    test.channel_class = f.number("filter").value_or(0);
    if (test.channel_class == 0) return;
    const Where at = f.places().of("filter");
    if (test.channel_class < 1 || test.channel_class > 10'000)
      return fail(at, f.what() + ": filter: channel classes lie between 1 and 10000 (SAE J211: 60 to 1000)");
    if (row.x != "time") return fail(at, f.what() + ": filter needs data over time");
    if (test.x.size() < 3) return fail(at, f.what() + ": filter needs at least three samples");
    const double dt = (test.x.back() - test.x.front()) / static_cast<double>(test.x.size() - 1);
    if (!(dt > 0)) return fail(at, f.what() + ": the times do not rise");
    for (std::size_t i = 1; i < test.x.size(); ++i)
      if (std::abs(test.x[i] - test.x[i - 1] - dt) > 1e-3 * dt)
        return fail(at, f.what() + ": filter needs samples at equal times");
    if (filter_reach(dt, test.channel_class) > kMostFilterReach)
      return fail(at, f.what() + ": the data are sampled too finely for channel class " +
                          text_of(test.channel_class) + ": thin them to some hundred samples a cycle of it");
    if (test.channel_class * dt > 0.1)
      fail(at, f.what() + ": the data are sampled too slowly for channel class " + text_of(test.channel_class) +
                   ": SAE J211 asks for ten samples a cycle of it");
  }

  void check_counts() {
    std::size_t parameters = fit_.free.size();
    bool estimates = false;
    for (const DataSet& t : fit_.tests) {
      parameters += t.offset ? 1 : 0;
      estimates = estimates || !t.noise_is_given();
    }
    if (fit_.data() < parameters + (estimates ? 1 : 0))
      fail(place("data"), "fit: " + std::to_string(fit_.data()) + " data cannot decide " +
                              std::to_string(parameters) + " parameters" + (estimates ? " and the noise" : ""));
  }

  std::filesystem::path file_;
  Node root_;
  std::vector<Diagnostic> errors_;
  Fields fields_;
  std::string law_folder_;
  scene::Places places_;
  Fit fit_;
};

}  // namespace

std::span<const std::string_view> data_kinds() {
  static const auto names = [] {
    std::array<std::string_view, std::size(kKinds)> out;
    std::ranges::transform(kKinds, out.begin(), &KindRow::name);
    return out;
  }();
  return names;
}

Result<Fit> read_fit_text(const std::string& text, const std::filesystem::path& file,
                          const std::string& law_folder) {
  Result<Node> root = io::parse_document(text, file.string());
  if (!root) return root.errors();
  if (root->kind != Node::Kind::mapping)
    return Diagnostic{{file.string(), 1, 1}, "expected a mapping of keys and values"};
  if (const std::string other = scene::meant_for_another(*root, scene::DocumentKind::fit); !other.empty())
    return Diagnostic{{file.string(), 1, 1}, other};
  Result<Fit> fit = Reader(file, std::move(*root), law_folder).run();
  if (fit) fit->text = text;
  return fit;
}

Result<Fit> read_fit(const std::filesystem::path& file, const std::string& law_folder) {
  const Result<std::string> text = io::read_text(file);
  if (!text) return text.errors();
  return read_fit_text(*text, file, law_folder);
}

}  // namespace percuss::study
