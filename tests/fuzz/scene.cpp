// Any text is either a scene that compiles and starts to run, or a list of errors; never a crash, never a hang.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "percuss/dynamics/simulate.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"

namespace {
/// A loop of a few letters makes a hundred thousand bodies, which take longer here than an input may.
bool loops_far(const std::string& text) {
  if (text.find("for") == std::string::npos || text.find("..") == std::string::npos) return false;
  int digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (digits > 0 && (text[i] == 'e' || text[i] == 'E')) return true;
    digits = is_digit ? digits + 1 : 0;
    if (digits > 3) return true;
  }
  return false;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace percuss;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (loops_far(text)) return 0;
  const Result<scene::Scene> scene = io::read_scene_text(text, "fuzz.yaml");
  if (!scene) {
    if (scene.errors().empty()) std::abort();
    return 0;
  }
  constexpr std::size_t kMany = 500;
  if (scene->bodies.size() + scene->joints.size() + scene->forces.size() + scene->springs.size() > kMany) return 0;
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
