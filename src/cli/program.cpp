// Version and data folder.
#include "percuss/cli/program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>
#include <system_error>

#include "percuss/base/version.h"
#include "percuss/contact/law.h"
#include "percuss/io/urdf.h"
#include "percuss/study/sweep/workers.h"

namespace percuss::cli {

namespace fs = std::filesystem;

std::string version_text() {
  const fs::path data = data_folder();
  return fmt::format(
      "percuss {}{}\ncompiler   {}\nbatches    {}\nparts      contact, impact, engine, studies{}{}\n"
      "data       {}\n",
      version_number(), commit().empty() ? "" : " (commit " + commit() + ")", compiler(),
      contact::batch_instruction_set(), study::ranks::built_in() ? " with MPI" : "",
      io::reads_urdf() ? ", URDF" : "", data.empty() ? "not found; set PERCUSS_DATA" : data.string());
}

/// Installed: PREFIX/bin/percuss and PREFIX/share/percuss. Built: build/PRESET/src/percuss and data in the source
/// tree.
fs::path data_folder() {
  if (const char* set = std::getenv("PERCUSS_DATA"); set && *set) return set;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const char* candidate : {"../share/percuss", "../../../data"}) {
    const fs::path folder = (program.parent_path() / candidate).lexically_normal();
    if (fs::is_directory(folder / "laws", error)) return folder;
  }
  return {};
}

std::string law_folder() {
  const fs::path data = data_folder();
  return data.empty() ? "" : (data / "laws").string();
}

namespace {

/// Installed beside the data, or in the source tree.
fs::path beside_data(const char* name) {
  const fs::path data = data_folder();
  std::error_code error;
  for (const fs::path& folder : {data / name, (data / ".." / name).lexically_normal()})
    if (!data.empty() && fs::is_directory(folder, error)) return folder;
  return {};
}

}  // namespace

fs::path scenes_folder() { return beside_data("scenes"); }
fs::path papers_folder() { return beside_data("papers"); }
fs::path studies_folder() { return beside_data("studies"); }

}  // namespace percuss::cli
