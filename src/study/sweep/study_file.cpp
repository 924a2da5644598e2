// Reading of study files.
#include "percuss/study/sweep/study_file.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "percuss/base/words.h"
#include "percuss/contact/rows.h"
#include "percuss/expression/parse.h"
#include "percuss/io/law_file.h"
#include "percuss/io/scene_file.h"
#include "percuss/io/yaml.h"
#include "percuss/model/compile.h"
#include "percuss/scene/fields.h"
#include "percuss/study/sweep/axis_file.h"
#include "percuss/study/sweep/point.h"
#include "percuss/study/sweep/random.h"

namespace percuss::study {

namespace {

using scene::Fields;
using scene::Node;

constexpr double kMostPoints = 1e8, kMostSampledNumbers = 1e8;  // both are held in memory

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The leaves of a document, by path.
void flatten(const Node& node, const std::string& path, std::vector<std::pair<std::string, std::string>>& out) {
  if (node.kind == Node::Kind::mapping)
    for (const scene::Entry& e : node.entries) flatten(e.value, path.empty() ? e.key : path + "." + e.key, out);
  else if (node.kind == Node::Kind::list)
    for (std::size_t i = 0; i < node.items.size(); ++i)
      flatten(node.items[i], path + "[" + std::to_string(i + 1) + "]", out);
  else
    out.emplace_back(path, node.text);
}

class StudyReader {
 public:
  StudyReader(std::filesystem::path file, Node root, const std::string& law_folder,
              std::vector<std::string> overrides)
      : file_(std::move(file)),
        root_(std::move(root)),
        fields_(study_section(), root_, {file_.string()}, "study", errors_),
        law_folder_(law_folder),
        overrides_(std::move(overrides)) {}

  Result<Study> run() {
    study_.source = file_.string();
    study_.title = fields_.has("title") ? fields_.text("title") : file_.stem().string();
    places_ = fields_.places();
    study_.wall_limit_s = fields_.number("wall_limit").value_or(0);
    is_bifurcation_ = fields_.text("kind") == "bifurcation";
    static_cast<StudiedModel&>(study_) = read_model(fields_, file_.parent_path(), law_folder_, errors_);
    study_.overrides.insert(study_.overrides.end(), overrides_.begin(), overrides_.end());
    if (!fields_.has("scene") && !overrides_.empty()) fail({"--set"}, "study: set needs a scene");
    read_axes();
    if (!errors_.empty()) return errors_;
    read_design();
    if (is_bifurcation_) read_bifurcation();
    if (!is_bifurcation_)
      for (const char* key : {"period", "transient", "kept", "direction"})
        if (fields_.has(key)) fail(place(key), std::string("study: ") + key + " goes with kind: bifurcation");
    if (!errors_.empty()) return errors_;
    check_keys();
    if (!errors_.empty()) return errors_;
    read_outputs_and_recordings();
    collect_facts();
    if (errors_.empty() && study_.impact) try_impacts();
    if (!errors_.empty()) return errors_;
    return std::move(study_);
  }

 private:
  void fail(const Where& at, std::string text) { errors_.push_back({at, std::move(text)}); }
  const Where& place(std::string_view key) const { return places_.of(key); }

  void read_axes() {
    for (const Fields::Inner& inner : fields_.inner("axes")) {
      const Fields f(*scene::find_in_schema("axes", study_section()).section, *inner.node, inner.at,
                     "axis " + inner.name, errors_);
      axes_.push_back(read_axis(f, inner, errors_));
      for (std::size_t i = 0; i + 1 < axes_.size(); ++i) {
        if (lower(axes_[i].name) == lower(inner.name))
          fail(inner.at, f.what() + ": there is an axis " + in_quotes(axes_[i].name) + " already");
        for (const std::string& key : axes_.back().keys)
          if (std::ranges::find(axes_[i].keys, key) != axes_[i].keys.end() && key != inner.name)
            fail(inner.at,
                 f.what() + ": axis " + in_quotes(axes_[i].name) + " sets " + in_quotes(key) + " already");
      }
    }
    if (axes_.empty() && errors_.empty()) fail(place("axes"), "study: there is no axis");
  }

  void read_design() {
    const bool sampled = std::ranges::any_of(axes_, &Axis::is_sampled);
    const auto names = sampling_names();
    const auto sampling = static_cast<Sampling>(std::ranges::find(names, fields_.text("sampling")) - names.begin());
    const double samples = fields_.number("points").value_or(0), seed = fields_.number_or_default("seed");
    if (sampled && samples < 1 && fields_.has("points")) return;  // reported
    if (sampled && samples < 1)
      return fail(places_.at, "study: points is missing: how many samples of the axes without a count?");
    if (!sampled)
      for (const char* key : {"points", "sampling", "seed"})
        if (fields_.has(key)) fail(place(key), std::string("study: ") + key + " needs an axis that is sampled");
    if (seed > 1e15) fail(place("seed"), "study: seed: at most 1e15");
    double size = sampled ? samples : 1, dimensions = 0;
    for (const Axis& a : axes_) {
      if (!a.is_sampled()) size *= static_cast<double>(a.count());
      if (a.is_sampled()) ++dimensions;
    }
    if (sampled && sampling == Sampling::saltelli) size *= dimensions + 2;
    if (2 * dimensions > static_cast<double>(kMostSobolDimensions)) fail(place("axes"), "study: too many axes");
    if (size > kMostPoints) return fail(place("points"), "study: " + text_of(size) + " points; at most 1e8");
    if (samples * dimensions > kMostSampledNumbers)
      return fail(place("points"), "study: " + text_of(samples) + " samples of " + text_of(dimensions) +
                                       " axes; at most 1e8 numbers");
    if (!errors_.empty()) return;
    study_.design = Design(axes_, sampling, static_cast<std::size_t>(samples), static_cast<std::uint64_t>(seed));
  }

  void read_bifurcation() {
    Bifurcation b;
    if (!study_.scene) return fail(places_.at, "study: a bifurcation needs a scene");
    if (axes_.size() != 1 || axes_.front().kind != Axis::Kind::numbers)
      return fail(place("axes"), "study: a bifurcation has one axis, with values or a range with a count");
    if (!fields_.has("period")) return fail(places_.at, "study: a bifurcation needs the key \"period\"");
    b.period = fields_.text("period");
    const auto count = [&](const char* key, double most) {
      const double n = fields_.number_or_default(key);
      if (n > most) fail(place(key), std::string("study: ") + key + ": at most " + text_of(most));
      return static_cast<int>(std::min(n, most));
    };
    b.transient = count("transient", 1e7);
    b.kept = count("kept", 1e6);
    b.down = fields_.text("direction") == "both";
    if (const Result<double> number = read_number(b.period, dimension::time)) {
      b.period_s = *number;
      if (!(b.period_s > 0)) fail(place("period"), "study: period must be above 0");
    } else {
      const std::string_view variables[] = {axes_.front().name};
      Result<expression::Program> program = expression::parse(b.period, variables);
      if (program)
        b.period_of = std::move(*program);
      else
        fail(place("period"), "study: period: " + program.errors().front().text);
    }
    if (b.down) {  // and back: the points of the chain
      std::vector<double>& numbers = axes_.front().numbers;
      numbers.insert(numbers.end(), numbers.rbegin(), numbers.rend());
      study_.design = Design(axes_, Sampling::random, 1, 1);
    }
    study_.bifurcation = std::move(b);
  }

  /// Do the axes reach something?
  void check_keys() {
    const std::vector<AxisValue> first = study_.design.at(0);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Axis& axis = axes_[i];
      for (const std::string& key : axis.keys) {
        if (axis.has_words() && (key == "law" || key.ends_with(".law"))) check_laws(axis);
        if (study_.scene || study_.impact) {
          const std::string value =
              std::holds_alternative<double>(first[i]) ? "1" : std::get<std::string>(first[i]);
          for (const std::string& wrong : wrong_with_key(study_, key, value))
            fail(axis.at, "axis " + axis.name + ": " + wrong);
        } else if (!expression::is_free_name(key)) {
          fail(axis.at, "axis " + in_quotes(key) + " cannot be a variable of expressions");
        }
      }
    }
  }
  void check_laws(const Axis& axis) {
    const auto known = contact::law_words();
    for (const std::string& law : axis.words)
      if (std::ranges::find(known, law) == known.end())
        fail(axis.at, "axis " + axis.name + ": no law is called " + in_quotes(law) + did_you_mean(law, known));
  }

  void read_outputs_and_recordings() {
    OutputContext context;
    for (const Axis& a : axes_) {
      context.axes.push_back(a.has_words() ? "" : a.name);
      context.units.push_back(a.unit());
    }
    context.isolated_impact = study_.impact.has_value();
    std::optional<model::Compiled> probe;
    if (study_.scene) probe = first_that_compiles();
    if (study_.scene && !probe) return;
    if (probe) context.run = &probe->model;
    if (probe)
      for (const model::Contact& c : probe->model.contacts) study_.contacts.push_back(c.name);
    const auto texts = fields_.constants("outputs");
    if (texts.empty() && errors_.empty()) fail(place("outputs"), "study: outputs names nothing to keep");
    std::set<std::string> taken{"point", "status", "reason"};
    for (const Axis& a : axes_)
      if (!taken.insert(lower(a.name)).second) fail(a.at, "axis " + in_quotes(a.name) + ": the name is taken");
    for (const auto& [name, text] : texts)
      if (!taken.insert(lower(name)).second)
        fail(text.at, "output " + in_quotes(name) + ": the name is taken (capitals do not count)");
    if (study_.bifurcation) return read_section(texts);
    Result<std::vector<Output>> outputs = study::read_outputs(texts, context);
    if (outputs) {
      study_.outputs = std::move(*outputs);
      for (const Output& o : study_.outputs)
        for (const Measure& m : o.variables)
          if (m.kind == Measure::Kind::of_channel && m.take == Measure::Take::at_time && probe &&
              m.time_s > probe->settings.duration_s)
            fail(o.at, "output " + o.name + ": " + text_of(m.time_s) + " s is after the end of the run, " +
                           text_of(probe->settings.duration_s) + " s");
    } else
      for (Diagnostic d : outputs.errors()) {
        if (d.at.source == "axes") d.at = place("axes");
        errors_.push_back(std::move(d));
      }
    for (const double k : fields_.numbers("recordings")) {
      if (k != std::floor(k) || k >= static_cast<double>(study_.design.size()))
        fail(place("recordings"), "study: recordings: " + text_of(k) + " is no point; they are 0 to " +
                                      std::to_string(study_.design.size() - 1));
      else if (!study_.scene)
        fail(place("recordings"), "study: recordings need a scene");
      else
        study_.recordings.push_back(static_cast<std::size_t>(k));
    }
  }

  /// A point may fail; if none of some can be computed, the study says so before it begins.
  void try_impacts() {
    constexpr std::size_t kTries = 16;
    const RecordingFiles files;
    PointRunner runner(study_, files, 0, [] { return true; });
    std::string first;
    for (std::size_t k = 0; k < kTries; ++k) {
      const PointResult result = runner.run(study_.design.size() * k / kTries);
      if (result.status == PointStatus::done) return;
      if (first.empty()) first = result.reason;
    }
    fail(place("impact"), "study: impact: no point can be computed: " + first);
  }

  /// What is kept of a section are channels of the scene: the compiler reads them.
  void read_section(const std::vector<std::pair<std::string, scene::Function>>& texts) {
    if (fields_.has("recordings")) fail(place("recordings"), "study: a bifurcation keeps sections, not recordings");
    scene::Scene scene = io::scene_of(*study_.scene, study_.overrides_at(study_.design.at(0)));
    scene.outputs.channels = texts;
    const Result<model::Compiled> model = model::compile(scene);
    if (!model) errors_.insert(errors_.end(), model.errors().begin(), model.errors().end());
    for (const auto& [name, text] : texts)
      study_.outputs.push_back(
          {name, text.text, text.at, {}, {}, model ? unit_of_channel(model->model, text.text) : std::string()});
  }

  /// A point may fail; the names of things are those of one that does not.
  std::optional<model::Compiled> first_that_compiles() {
    constexpr std::size_t kTries = 16;
    const std::size_t size = study_.design.size();
    std::vector<Diagnostic> first;
    for (std::size_t k = 0; k < kTries; ++k) {
      const std::size_t point = size * k / kTries;
      scene::Scene scene = io::scene_of(*study_.scene, study_.overrides_at(study_.design.at(point)));
      Result<model::Compiled> model = model::compile(scene);
      if (model) return std::move(*model);
      if (first.empty()) first = model.errors();
    }
    blame(std::move(first));
    return std::nullopt;
  }

  /// What comes from a value of the study is said of its place there, and alone: the rest may follow from it.
  void blame(std::vector<Diagnostic> errors) {
    bool ours = false;
    for (Diagnostic& d : errors) {
      constexpr std::string_view kSet = "--set ";
      if (!d.at.source.starts_with(kSet)) continue;
      const std::string text = d.at.source.substr(kSet.size()), key = text.substr(0, text.find('='));
      const auto axis = std::ranges::find_if(
          axes_, [&](const Axis& a) { return std::ranges::find(a.keys, key) != a.keys.end(); });
      const bool of_command = std::ranges::find(overrides_, text) != overrides_.end();
      if (axis != axes_.end())
        d = {axis->at, "axis " + axis->name + ": " + d.text};
      else if (!of_command)
        d = {place("set"), "study: set: " + text + ": " + d.text};
      ours = true;
    }
    for (Diagnostic& d : errors)
      if (!ours || d.at.source == file_.string() || d.at.source.starts_with("--set"))
        errors_.push_back(std::move(d));
  }

  void collect_facts() {
    for (const scene::Entry& e : root_.entries)
      if (e.key != "title" && e.key != "description" && e.key != "wall_limit" && e.key != "scene")
        flatten(e.value, e.key, study_.facts);
    for (std::size_t i = 0; i < overrides_.size(); ++i)
      study_.facts.emplace_back("--set[" + std::to_string(i + 1) + "]", overrides_[i]);
    if (study_.scene) flatten(study_.scene->root, "scene", study_.facts);
    // points are numbered by the order of the axes, and columns stand in that of the file
    study_.facts.emplace_back("order of axes", names_of(axes_));
    study_.facts.emplace_back("order of outputs", names_of(study_.outputs));
    add_files();
  }

  template <class Named>
  static std::string names_of(const std::vector<Named>& things) {
    std::string out;
    for (const Named& thing : things) out += (out.empty() ? "" : ", ") + thing.name;
    return out;
  }

  /// Files that the model reads decide results too: laws and meshes, wherever they are named.
  void add_files() {
    std::set<std::string> names;
    const auto is_file = [](std::string_view key) { return key.ends_with("law_file") || key.ends_with(".file"); };
    for (const auto& [key, value] : study_.facts)
      if (is_file(key)) names.insert(value);
    for (const std::string& o : study_.overrides)
      if (const std::size_t equals = o.find('='); equals != std::string::npos && is_file(o.substr(0, equals)))
        names.insert(o.substr(equals + 1));
    for (const Axis& axis : axes_)
      if (std::ranges::any_of(axis.keys, is_file)) names.insert(axis.words.begin(), axis.words.end());
    const std::filesystem::path scene_folder =
        study_.scene ? std::filesystem::path(study_.scene->source).parent_path() : file_.parent_path();
    for (const std::string& name : names) {
      const std::filesystem::path path = io::find_law_file(name, scene_folder, study_.law_folder);
      std::error_code error;
      if (!std::filesystem::is_regular_file(path, error)) continue;
      const Result<std::string> text = io::read_text(path);
      study_.facts.emplace_back("content of " + name, text ? *text : size_of(path));
    }
  }
  /// Of files that are too large to keep: their size and time.
  static std::string size_of(const std::filesystem::path& path) {
    std::error_code error;
    return std::to_string(std::filesystem::file_size(path, error)) + " bytes, written " +
           std::to_string(std::filesystem::last_write_time(path, error).time_since_epoch().count());
  }

  std::filesystem::path file_;
  Node root_;
  std::vector<Diagnostic> errors_;
  Fields fields_;
  std::string law_folder_;
  std::vector<std::string> overrides_;
  scene::Places places_;
  bool is_bifurcation_ = false;
  std::vector<Axis> axes_;
  Study study_;
};

}  // namespace

std::vector<std::string> Study::overrides_at(const std::vector<AxisValue>& values) const {
  std::vector<std::string> out = overrides;
  for (std::string& text : axis_overrides(values)) out.push_back(std::move(text));
  return out;
}

std::vector<std::string> Study::axis_overrides(const std::vector<AxisValue>& values) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < values.size(); ++i) add_overrides(design.axes()[i], values[i], out);
  return out;
}

Result<Study> read_study_text(const std::string& text, const std::filesystem::path& file,
                              const std::string& law_folder, const std::vector<std::string>& overrides) {
  Result<Node> root = io::parse_document(text, file.string());
  if (!root) return root.errors();
  if (root->kind != Node::Kind::mapping)
    return Diagnostic{{file.string(), 1, 1}, "expected a mapping of keys and values"};
  if (const std::string other = scene::meant_for_another(*root, scene::DocumentKind::study); !other.empty())
    return Diagnostic{{file.string(), 1, 1}, other};
  return StudyReader(file, std::move(*root), law_folder, overrides).run();
}

Result<Study> read_study(const std::filesystem::path& file, const std::string& law_folder,
                         const std::vector<std::string>& overrides) {
  const Result<std::string> text = io::read_text(file);
  if (!text) return text.errors();
  return read_study_text(*text, file, law_folder, overrides);
}

}  // namespace percuss::study
