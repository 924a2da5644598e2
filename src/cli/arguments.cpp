// CLI11 behind a plain interface: its exit codes and messages are replaced by ours.
#include "percuss/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "percuss/base/words.h"
#include "percuss/cli/help.h"
#include "percuss/cli/program.h"

namespace percuss::cli {

bool Arguments::has(std::string_view name) const { return given.find(name) != given.end(); }

std::string Arguments::text(std::string_view name) const {
  const auto found = given.find(name);
  return found == given.end() || found->second.empty() ? "" : found->second.front();
}

std::vector<std::string> Arguments::texts(std::string_view name) const {
  const auto found = given.find(name);
  return found == given.end() ? std::vector<std::string>{} : found->second;
}

std::optional<double> Arguments::number(std::string_view name, const Dimension& dimension,
                                        std::vector<Diagnostic>& errors) const {
  if (!has(name)) return std::nullopt;
  const Result<double> value = read_number(text(name), dimension);
  if (value) return *value;
  errors.push_back({{"--" + std::string(name)}, value.errors().front().text});
  return std::nullopt;
}

std::string Arguments::word(std::string_view name, std::span<const std::string_view> allowed,
                            std::string_view fallback, std::vector<Diagnostic>& errors) const {
  if (!has(name)) return std::string(fallback);
  const std::string given_word = text(name);
  if (std::ranges::find(allowed, given_word) == allowed.end())
    errors.push_back(
        {{"--" + std::string(name)}, "unknown word " + in_quotes(given_word) + "; allowed: " + joined(allowed)});
  return given_word;
}

Reply refuse(const std::vector<Diagnostic>& errors) {
  const auto is_failure = [](const Diagnostic& d) {
    return d.kind == Diagnostic::Kind::not_written || d.kind == Diagnostic::Kind::not_computed;
  };
  Reply reply{!errors.empty() && std::ranges::all_of(errors, is_failure) ? 1 : 2, "", ""};
  for (const Diagnostic& error : distinct(errors)) reply.err += one_line(error) + "\n";
  return reply;
}

namespace {

Reply usage_error(std::string text) { return refuse({{{"percuss"}, std::move(text)}}); }

/// The first word that looks like an option and is none, with the nearest that is.
std::optional<Reply> unknown_option(const Verb& verb, std::span<const char* const> words) {
  std::vector<std::string> names{"--help"};
  for (const Option& option : verb.options) names.push_back("--" + std::string(option.name));
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string_view word : words) {
    const std::string_view name = word.substr(0, word.find('='));
    if (!word.starts_with("--") || word.size() == 2 || std::ranges::find(views, name) != views.end()) continue;
    const std::string hint = did_you_mean(name, views);
    return usage_error(
        fmt::format("percuss {} does not know \"{}\"{}", verb.name, name,
                    hint.empty() ? fmt::format("; percuss {} --help lists the options", verb.name) : hint));
  }
  return std::nullopt;
}

Reply run_verb(const Verb& verb, int argc, const char* const* argv) {
  if (auto unknown = unknown_option(verb, std::span(argv, static_cast<std::size_t>(argc)).subspan(1)))
    return *unknown;
  CLI::App app;
  app.set_help_flag();  // --help is ours
  app.allow_extras();
  std::map<std::string, std::pair<std::string, CLI::Option*>, std::less<>> values;
  std::map<std::string, bool, std::less<>> flags;
  std::vector<std::string> positional;
  for (const Option& option : verb.options) {
    const std::string name = "--" + std::string(option.name);
    if (option.kind == Option::Kind::flag) {
      app.add_flag(name, flags[std::string(option.name)]);
    } else {
      auto& [last, entry] = values[std::string(option.name)];
      entry = app.add_option(name, last)->take_last();
    }
  }
  bool help = false;
  app.add_flag("--help,-h", help);
  if (!verb.positional.empty()) app.add_option("positional", positional)->expected(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Error& error) {
    std::string what = error.what();
    std::ranges::replace(what, '\n', ' ');
    if (what.starts_with("--") && what.find("required") != std::string::npos)
      return usage_error(what.substr(0, what.find(':')) + " needs a value");
    what = what.starts_with("positional") ? "too many words" : "an option cannot be read";
    return usage_error(fmt::format("{}; percuss {} --help lists the options", what, verb.name));
  }
  if (help) return {0, help_of(verb, text_width()), ""};
  for (const auto& [name, value] : values)
    for (const std::string& word : value.second->results())
      if (word.starts_with("--")) return usage_error("--" + name + " needs a value");
  if (const auto extras = app.remaining(); !extras.empty()) {
    std::vector<std::string> names{"--help"};
    for (const Option& option : verb.options) names.push_back("--" + std::string(option.name));
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string hint = did_you_mean(extras.front(), views);
    return usage_error(
        fmt::format("percuss {} does not know \"{}\"{}", verb.name, extras.front(),
                    hint.empty() ? fmt::format("; percuss {} --help lists the options", verb.name) : hint));
  }
  Arguments arguments;
  for (const Option& option : verb.options) {
    const std::string name(option.name);
    if (option.kind == Option::Kind::flag) {
      if (flags[name]) arguments.given[name] = {};
      continue;
    }
    const std::vector<std::string> words = values[name].second->results();
    if (words.empty()) continue;
    if (option.kind == Option::Kind::value && words.size() > 1) return usage_error("--" + name + " is given twice");
    arguments.given[name] = words;
  }
  if (!positional.empty()) arguments.given["positional"] = positional;
  return verb.run(arguments);
}

}  // namespace

Reply run_command_line(int argc, const char* const* argv, std::span<const Verb> verbs) {
  try {
    const std::string_view first = argc > 1 ? argv[1] : "--help";
    const bool asks = first == "--help" || first == "-h" || first == "help";
    if (asks && argc < 3) return {0, help_of(verbs, text_width()), ""};
    if (first == "--version" || first == "-V")
      return argc < 3 ? Reply{0, version_text(), ""} : usage_error("--version stands alone");
    if (asks) {
      for (const Verb& verb : verbs)
        if (verb.name == argv[2]) return {0, help_of(verb, text_width()), ""};
      std::vector<std::string_view> known;
      for (const Verb& verb : verbs) known.push_back(verb.name);
      return usage_error(fmt::format("unknown verb \"{}\"{}", argv[2], did_you_mean(argv[2], known)));
    }
    for (const Verb& verb : verbs)
      if (verb.name == first) return run_verb(verb, argc - 1, argv + 1);
    std::vector<std::string_view> names{"--help", "--version"};
    for (const Verb& verb : verbs) names.push_back(verb.name);
    const std::string hint = did_you_mean(first, names);
    return usage_error(
        fmt::format("unknown verb \"{}\"{}", first, hint.empty() ? "; percuss --help lists them" : hint));
  } catch (const std::exception& unexpected) {
    return {1, "", fmt::format("percuss: error: {}\n", words_of(unexpected))};
  }
}

}  // namespace percuss::cli
