// Any file is either a law that can be collided or rejected, or a list of errors; never a crash.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "percuss/contact/specification.h"
#include "percuss/impact/validity.h"
#include "percuss/io/law_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace percuss;
  static const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("percuss-fuzz-" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto user = io::read_law_file(file);
  std::filesystem::remove(file);
  if (!user) {
    if (user.errors().empty()) std::abort();
    return 0;
  }
  contact::LawRequest request;
  request.user_law = *user;
  request.stiffness = 1e8;
  request.exponent = 1.5;
  request.restitution = 0.5;
  const auto spec = contact::specify(request);
  if (!spec) return 0;
  contact::find_pole(std::get<contact::Custom<>>(contact::latch(*spec, 1, 1).shape), 1e-3, 1);
  return 0;
}
