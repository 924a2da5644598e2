// Any words are a command that runs or a refusal with exit 2 and an empty stdout.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "percuss/cli/verbs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"percuss"};
  std::string word;
  for (std::size_t i = 0; i < size; ++i) {
    const char c = static_cast<char>(data[i]);
    if (c == '\n') {
      words.push_back(word);
      word.clear();
    } else if (c != '\0') {
      word += c;
    }
  }
  words.push_back(word);
  for (const std::string& w : words)  // no files from here
    if (w == "run" || w == "new" || w == "report" || w == "export" || w == "compare" || w == "reproduce" ||
        w == "sweep" || w == "identify" || w.rfind("--csv", 0) == 0 || w.rfind("--tables", 0) == 0 ||
        w.rfind("--folder", 0) == 0 || w.rfind("--svg", 0) == 0 || w.find("file") != std::string::npos ||
        w.find(':') != std::string::npos)
      return 0;
  std::vector<const char*> argv;
  for (const std::string& w : words) argv.push_back(w.c_str());
  const auto reply =
      percuss::cli::run_command_line(static_cast<int>(argv.size()), argv.data(), percuss::cli::verbs());
  if (reply.code != 0 && !reply.out.empty()) std::abort();
  if (reply.code != 0 && reply.err.empty()) std::abort();
  return 0;
}
