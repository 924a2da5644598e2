// Scene file to Model and Settings.
#include "percuss/cli/scene_options.h"

#include "percuss/cli/program.h"
#include "percuss/io/scene_file.h"

namespace percuss::cli {

Result<model::Compiled> read_compiled(const Arguments& arguments) {
  const std::string file = arguments.text("positional");
  if (file.empty()) return Diagnostic{{"percuss"}, "the name of a scene file is missing"};
  Result<scene::Scene> scene = io::read_scene(file, arguments.texts("set"), law_folder());
  if (!scene) return scene.errors();
  return model::compile(*scene);
}

std::string warning_lines(const std::vector<std::string>& warnings) {
  std::string out;
  for (const std::string& w : warnings) out += "warning: " + w + "\n";
  return out;
}

}  // namespace percuss::cli
