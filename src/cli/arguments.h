// The words of a command line, read and checked; CLI11 is known to arguments.cpp alone.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/base/units.h"

namespace percuss::cli {

/// What a word may be, for shells that complete it.
using Words = std::vector<std::string> (*)();

struct Option {
  enum class Kind { flag, value, list };  // list: may be given several times
  std::string_view name;                  // without the dashes
  std::string_view placeholder;
  std::string_view help;
  Kind kind = Kind::value;
  Words words = nullptr;
};

class Arguments {
 public:
  bool has(std::string_view name) const;
  std::string text(std::string_view name) const;                // "" if not given
  std::vector<std::string> texts(std::string_view name) const;  // of a list
  /// The number after an option, in SI; what is wrong with it goes to `errors`.
  std::optional<double> number(std::string_view name, const Dimension& dimension,
                               std::vector<Diagnostic>& errors) const;
  /// One of the words allowed; `fallback` if not given.
  std::string word(std::string_view name, std::span<const std::string_view> allowed, std::string_view fallback,
                   std::vector<Diagnostic>& errors) const;

  std::map<std::string, std::vector<std::string>, std::less<>> given;
};

/// What a verb hands back: the exit code and what goes to the two streams. On errors `out` is empty.
struct Reply {
  int code = 0;
  std::string out, err;
};

/// One line each. Exit 2: the input is wrong; 1: it is in order, and the disk or the numbers did not do it.
Reply refuse(const std::vector<Diagnostic>& errors);

struct Verb {
  std::string_view name, summary, example;
  std::span<const Option> options;
  std::string_view positional, positional_help;  // "" if the verb takes none; in brackets if it may be left out
  Reply (*run)(const Arguments&);
  Words positional_words = nullptr;
};

/// Reads a command line for these verbs and runs the one it names. Never throws.
Reply run_command_line(int argc, const char* const* argv, std::span<const Verb> verbs);

}  // namespace percuss::cli
