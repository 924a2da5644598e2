// What the pages show works: every complete scene and every command of the docs is tried.
#include <algorithm>
#include <regex>

#include "run.h"

namespace percuss::tests {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages() {
  std::vector<fs::path> out{PERCUSS_SOURCE "/README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(PERCUSS_SOURCE "/docs"))
    if (entry.path().extension() == ".md") out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

using Docs = Command;

TEST_F(Docs, EveryCompleteSceneOfThePagesRuns) {
  int found = 0;
  for (const fs::path& page : pages()) {
    const std::string text = contents(page);
    for (std::size_t at = text.find("\n```yaml\n"); at != std::string::npos;
         at = text.find("\n```yaml\n", at + 1)) {
      const std::size_t begin = at + 8, end = text.find("\n```", begin);
      const std::string scene = text.substr(begin, end - begin) + "\n";
      if (scene.find("\nbodies:") == std::string::npos || scene.find("\nsolver:") == std::string::npos) continue;
      ++found;
      write("scene.yaml", scene);
      const Said said = percuss("run scene.yaml --no-h5 --set solver.duration=0.01");
      EXPECT_EQ(said.code, 0) << page << "\n" << scene << "\n" << said.err;
    }
  }
  EXPECT_GE(found, 1);
}

/// Commands stand in indented lines or begin a line of a block. Those with names in capitals or variables are
/// patterns; files that a page takes for granted are made first.
TEST_F(Docs, EveryCommandOfThePagesRuns) {
  const std::regex command(R"(^(?:    |\$ )?(?:build/release/src/)?(percuss [^`]*)$)");
  const std::regex file(R"(([a-z][a-z0-9_]*)\.(yaml|h5))");
  int run = 0;
  for (const fs::path& page : pages()) {
    std::vector<std::string> lines;
    std::istringstream text(contents(page));
    for (std::string line; std::getline(text, line);) {
      std::smatch m;
      if (!std::regex_match(line, m, command)) continue;
      std::string words = m[1].str();
      words = words.substr(0, words.find(" #"));
      if (words.find('$') != std::string::npos || std::regex_search(words, std::regex("[A-Z]{3,}")) ||
          words.find("...") != std::string::npos)
        continue;
      lines.push_back(words);
    }
    fs::remove_all(folder_ / "page");
    fs::create_directories(folder_ / "page");
    const std::string go = "cd page && PATH=\"$(dirname '" PERCUSS_PROGRAM "'):$PATH\" && ";
    const auto shell = [&](const std::string& line) {
      const std::string all = "cd '" + folder_.string() + "' && " + go + "( " +
                              std::regex_replace(line, std::regex("build/release/src/percuss"), "percuss") +
                              " ) >../.out 2>../.err </dev/null";
      const int status = std::system(all.c_str());
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    for (const std::string& line : lines) {
      bool is_shipped = true;
      for (std::sregex_iterator it(line.begin(), line.end(), file), end; it != end; ++it) {
        const std::string name = (*it)[1], ending = (*it)[2];
        if (line.find("new " + name) != std::string::npos || fs::exists(folder_ / "page" / (name + "." + ending)))
          continue;
        if (!fs::exists(folder_ / "page" / (name + ".yaml")) && shell("percuss new " + name) != 0)
          is_shipped = false;
        if (is_shipped && ending == "h5") shell("percuss run " + name + ".yaml");
      }
      if (!is_shipped) continue;  // a file of the reader's own
      ++run;
      EXPECT_EQ(shell(line), 0) << page << ": " << line << "\n" << contents(folder_ / ".err");
    }
  }
  EXPECT_GE(run, 30);
}

}  // namespace
}  // namespace percuss::tests
