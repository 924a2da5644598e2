// percuss import: a robot in URDF as a scene.
#include <fmt/format.h>

#include <array>

#include "percuss/cli/options.h"
#include "percuss/cli/program.h"
#include "percuss/cli/verbs.h"
#include "percuss/io/files.h"
#include "percuss/io/scene_file.h"
#include "percuss/io/urdf_scene.h"
#include "percuss/io/yaml.h"
#include "percuss/model/compile.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 3> kBases = {"by-mass", "fixed", "free"};
std::vector<std::string> base_words() { return {kBases.begin(), kBases.end()}; }

constexpr std::array kImportOptions = {
    Option{"out", "FILE", "where the file goes (default: NAME.yaml, here)"},
    Option{"base", "HOW",
           "what holds the root: fixed to the ground, free, or by-mass (default): fixed if it has none",
           Option::Kind::value, base_words},
    kForceOption,
};

Reply import_robot(const Arguments& arguments) {
  const std::string file = arguments.text("positional");
  if (file.empty()) return refuse({{{"percuss"}, "the name of a URDF file is missing"}});
  std::vector<Diagnostic> errors;
  const std::string how = arguments.word("base", kBases, "by-mass", errors);
  const fs::path target = file_of(arguments, "out", fs::path(file).stem().string() + ".yaml");
  std::error_code error;
  if (!arguments.has("force") && fs::exists(fs::symlink_status(target, error)))
    errors.push_back({{target.string()}, "exists; not overwritten (--force replaces it)"});
  else if (const auto no = io::refusals({target.string()}, {file}, arguments.has("force")); !no.empty())
    errors.insert(errors.end(), no.begin(), no.end());
  if (!errors.empty()) return refuse(errors);
  const Result<std::string> text = io::read_text(file);
  if (!text) return refuse(text.errors());
  const Result<io::Urdf> robot = io::read_urdf(*text, file);
  if (!robot) return refuse(robot.errors());
  const io::UrdfBase base = how == "fixed"  ? io::UrdfBase::fixed
                            : how == "free" ? io::UrdfBase::free
                                            : io::UrdfBase::by_mass;
  const Result<io::UrdfScene> scene =
      io::scene_of(*robot, base, fs::path(file).parent_path(), target.parent_path());
  if (!scene) return refuse(scene.errors());
  // what a scene refuses (an inertia that no body has) is said here and not by the next command
  const Result<scene::Scene> read = io::read_scene_text(scene->text, target.string());
  if (!read) return refuse(read.errors());
  if (const Result<model::Compiled> compiled = model::compile(*read); !compiled) {
    for (Diagnostic d : compiled.errors()) {
      d.at = {file};
      errors.push_back(d);
    }
    return refuse(errors);
  }
  if (const auto failed = io::write_whole(target, scene->text)) return {1, "", one_line(*failed) + "\n"};
  Reply reply;
  for (const io::UrdfRemark& r : scene->left_out)
    reply.err += fmt::format("{}:{}: not carried over: {}\n", file, r.line, r.text);
  reply.err += fmt::format("wrote {}: {} {}, {} {}\nnext: percuss run {}\n", target.string(), scene->bodies,
                           scene->bodies == 1 ? "body" : "bodies", scene->joints,
                           scene->joints == 1 ? "joint" : "joints", target.string());
  return reply;
}

}  // namespace

constinit const Verb kImportVerb{"import",
                                 "a robot in URDF as a scene; what cannot be carried over is listed line by line",
                                 "  percuss import gripper.urdf\n"
                                 "  percuss run gripper.yaml",
                                 kImportOptions,
                                 "FILE",
                                 "a robot in URDF",
                                 import_robot};

}  // namespace percuss::cli
