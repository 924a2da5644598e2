// percuss new: the shipped scenes and studies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "percuss/base/words.h"
#include "percuss/cli/options.h"
#include "percuss/cli/program.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/io/files.h"
#include "percuss/io/yaml.h"
#include "percuss/scene/node.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kNewOptions = {
    Option{"out", "FILE", "where the file goes (default: NAME.yaml, here)"},
    kForceOption,
};

struct Shipped {
  std::string name, title;
  fs::path path;
  std::string_view verb;         // that runs it
  std::vector<fs::path> with{};  // files it needs beside it
};

/// What a scene needs: the files of its parts. What a study needs: its scene, its data.
std::vector<fs::path> companions(const scene::Node& study, const fs::path& folder) {
  std::vector<fs::path> out;
  if (const scene::Node* parts = study.find("parts"))
    for (const scene::Entry& part : parts->entries)
      if (const scene::Node* file = part.value.find("file"))
        if (const fs::path path = folder / file->text; std::ranges::find(out, path) == out.end())
          out.push_back(path);
  if (const scene::Node* scene = study.find("scene")) out.push_back(scenes_folder() / scene->text);
  if (const scene::Node* data = study.find("data"))
    for (const scene::Entry& test : data->entries)
      if (const scene::Node* file = test.value.find("file")) out.push_back(folder / file->text);
  return out;
}

void add_shipped(const fs::path& folder, bool studies, std::vector<Shipped>& list) {
  std::error_code error;
  const std::size_t before = list.size();
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".yaml") continue;
    const Result<scene::Node> document = io::parse_file(entry.path());
    if (!document) continue;
    const scene::Node* title = document->find("title");
    Shipped s{entry.path().stem().string(), title ? title->text : "", entry.path(), "run",
              companions(*document, folder)};
    if (studies) s.verb = document->find("data") ? "identify" : "sweep";
    list.push_back(std::move(s));
  }
  std::sort(list.begin() + static_cast<std::ptrdiff_t>(before), list.end(),
            [](const Shipped& a, const Shipped& b) { return a.name < b.name; });
}

std::vector<Shipped> shipped() {
  std::vector<Shipped> list;
  add_shipped(scenes_folder(), false, list);
  add_shipped(studies_folder(), true, list);
  return list;
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> out;
  for (const Shipped& s : shipped()) out.push_back(s.name);
  return out;
}

std::optional<Diagnostic> write_copy(const fs::path& from, const fs::path& to) {
  const Result<std::string> text = io::read_text(from);
  if (!text) return text.errors().front();
  return io::write_whole(to, *text);
}

Reply run_new(const Arguments& arguments) {
  const std::vector<Shipped> scenes = shipped();
  if (scenes.empty())
    return refuse({{{"percuss new"}, "the shipped scenes are not found; PERCUSS_DATA says where they are"}});
  const std::string name = arguments.text("positional");
  if (name.empty()) {
    std::string out;
    for (const Shipped& s : scenes) out += fmt::format("  {:<9} {:<24} {}\n", s.verb, s.name, s.title);
    return {0, report::fitted(out, terminal_style()), "percuss new NAME writes a copy here\n"};
  }
  std::vector<std::string_view> names;
  names.reserve(scenes.size());
  for (const Shipped& s : scenes) names.push_back(s.name);
  const auto found = std::ranges::find(scenes, name, &Shipped::name);
  if (found == scenes.end())
    return refuse(
        {{{"percuss new"}, "no scene or study is called " + in_quotes(name) + did_you_mean(name, names)}});
  const fs::path target = file_of(arguments, "out", name + ".yaml");
  std::error_code error;
  if (!arguments.has("force") && fs::exists(fs::symlink_status(target, error)))
    return refuse({{{target.string()}, "exists; not overwritten (--force replaces it)"}});
  if (const auto no = io::refusal(target, arguments.has("force"))) return refuse({*no});
  Reply reply;
  if (const auto failed = write_copy(found->path, target)) return {1, "", one_line(*failed) + "\n"};
  reply.err = "wrote " + target.string() + "\n";
  for (const fs::path& from : found->with) {
    const fs::path to = target.parent_path() / from.filename();
    if (fs::exists(fs::symlink_status(to, error))) continue;
    if (const auto failed = write_copy(from, to)) return {1, "", one_line(*failed) + "\n"};
    reply.err += "wrote " + to.string() + "\n";
  }
  reply.err += fmt::format("next: percuss {} {}\n", found->verb, target.string());
  return reply;
}

}  // namespace

constinit const Verb kNewVerb{"new",
                              "the shipped scenes and studies: lists them, writes a copy of one",
                              "  percuss new\n  percuss new bouncing_ball",
                              kNewOptions,
                              "[NAME]",
                              "of a shipped scene or study",
                              run_new,
                              shipped_names};

}  // namespace percuss::cli
