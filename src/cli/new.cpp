// percuss new: the shipped scenes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "percuss/base/words.h"
#include "percuss/cli/program.h"
#include "percuss/cli/verbs.h"
#include "percuss/recording/files.h"
#include "percuss/scene/node.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kOptions = {
    Option{"out", "FILE", "where to write it (default: NAME.yaml here)"},
};

struct Shipped {
  std::string name, title;
  fs::path path;
};

std::vector<Shipped> shipped_scenes() {
  std::vector<Shipped> list;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(scenes_folder(), error)) {
    if (entry.path().extension() != ".yaml") continue;
    const Result<scene::Node> document = scene::parse_file(entry.path());
    const scene::Node* title = document ? document->find("title") : nullptr;
    list.push_back({entry.path().stem().string(), title ? title->text : "", entry.path()});
  }
  std::ranges::sort(list, {}, &Shipped::name);
  return list;
}

Reply run(const Arguments& arguments) {
  const std::vector<Shipped> scenes = shipped_scenes();
  if (scenes.empty())
    return refuse({{{"percuss new"}, "the shipped scenes are not found; PERCUSS_DATA says where they are"}});
  const std::string name = arguments.text("positional");
  if (name.empty()) {
    std::string out;
    for (const Shipped& s : scenes) out += fmt::format("  {:<24} {}\n", s.name, s.title);
    return {0, out, "percuss new NAME writes a copy here\n"};
  }
  std::vector<std::string_view> names;
  names.reserve(scenes.size());
  for (const Shipped& s : scenes) names.push_back(s.name);
  const auto found = std::ranges::find(scenes, name, &Shipped::name);
  if (found == scenes.end())
    return refuse({{{"percuss new"}, "no scene is called " + in_quotes(name) + did_you_mean(name, names)}});
  const fs::path target = arguments.has("out") ? fs::path(arguments.text("out")) : fs::path(name + ".yaml");
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error)))
    return refuse({{{target.string()}, "exists; a scene never goes over a file"}});
  if (const auto no = recording::refusal(target, false)) return refuse({*no});
  const Result<std::string> text = scene::read_text(found->path);
  if (!text) return refuse(text.errors());
  if (const auto failed = recording::write_whole(target, *text)) return {1, "", one_line(*failed) + "\n"};
  return {0, "", fmt::format("wrote {}\nnext: percuss run {}\n", target.string(), target.string())};
}

}  // namespace

constinit const Verb kNewVerb{"new",
                              "the shipped scenes: lists them, writes a copy of one",
                              "  percuss new\n  percuss new bouncing_ball",
                              kOptions,
                              "NAME",
                              "of a shipped scene",
                              run};

}  // namespace percuss::cli
