// Completion scripts for shells, and manual pages.
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "percuss/base/words.h"
#include "percuss/cli/help.h"
#include "percuss/cli/verbs.h"
#include "percuss/io/files.h"

namespace percuss::cli {

namespace {

constexpr std::array kCompletionOptions = {
    Option{"verb", "VERB", "with man: the page of this verb (default: that of the program)"},
    Option{"folder", "FOLDER", "with man: all pages, as files; the folder is created if missing"},
};

std::vector<std::string> kinds() { return {"bash", "zsh", "fish", "man"}; }

Reply write_pages(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (const auto failed = io::write_whole(folder / "percuss.1", man_page(verbs()))) return refuse({*failed});
  for (const Verb& verb : verbs())
    if (const auto failed = io::write_whole(folder / ("percuss-" + std::string(verb.name) + ".1"), man_page(verb)))
      return refuse({*failed});
  return {0, "", "wrote " + std::to_string(verbs().size() + 1) + " pages to " + folder.string() + "\n"};
}

Reply run_completion(const Arguments& arguments) {
  const std::string kind = arguments.text("positional"), of = arguments.text("verb");
  for (const char* option : {"verb", "folder"})
    if (arguments.has(option) && kind != "man")
      return refuse({{{"--" + std::string(option)}, "is for percuss completion man"}});
  if (kind == "bash") return {0, bash_completion(verbs()), ""};
  if (kind == "zsh") return {0, zsh_completion(verbs()), ""};
  if (kind == "fish") return {0, fish_completion(verbs()), ""};
  if (kind != "man") return refuse({{{"percuss completion"}, "expected bash, zsh, fish or man"}});
  if (arguments.has("folder")) return write_pages(arguments.text("folder"));
  if (of.empty()) return {0, man_page(verbs()), ""};
  for (const Verb& verb : verbs())
    if (verb.name == of) return {0, man_page(verb), ""};
  return refuse({{{"--verb"}, "there is no verb " + in_quotes(of)}});
}

}  // namespace

constinit const Verb kCompletionVerb{"completion",
                                     "completes verbs, options and laws in a shell; manual pages",
                                     "  source <(percuss completion bash)\n"
                                     "  percuss completion zsh > ~/.zfunc/_percuss\n"
                                     "  percuss completion fish > ~/.config/fish/completions/percuss.fish\n"
                                     "  percuss completion man --verb run | man -l -",
                                     kCompletionOptions,
                                     "SHELL",
                                     "bash, zsh or fish; or man",
                                     run_completion,
                                     kinds};

}  // namespace percuss::cli
