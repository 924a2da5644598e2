// Any text is either a scene that compiles and starts to run, or a list of errors; never a crash, never a hang.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace percuss;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<scene::Scene> scene = io::read_scene_text(text, "fuzz.yaml");
  if (!scene) {
    if (scene.errors().empty()) std::abort();
    return 0;
  }
  const Result<model::Compiled> model = model::compile(*scene);
  if (!model) {
    if (model.errors().empty()) std::abort();
    return 0;
  }
  int steps = 0;
  dynamics::Options options;
  options.go_on = [&steps](double) { return ++steps < 10; };
  dynamics::simulate(*model, options);
  return 0;
}
