// Texts on the verbs, for people and for shells.
#include "percuss/cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "percuss/cli/program.h"
#include "percuss/cli/terminal.h"
#include "percuss/report/numbers.h"

namespace percuss::cli {

namespace {

constexpr std::string_view kWhat = "a contact-impact laboratory for multibody dynamics";

std::string with_value(const Option& option) {
  return fmt::format("--{}{}{}", option.name, option.placeholder.empty() ? "" : " ", option.placeholder);
}

std::string positional_of(const Verb& verb) {
  return verb.positional.empty() ? "" : " " + std::string(verb.positional);
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string out(text);
  for (std::size_t at = 0; (at = out.find(what, at)) != std::string::npos; at += by.size())
    out.replace(at, what.size(), by);
  return out;
}

std::string spaced(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string names_of(std::span<const Verb> verbs) {
  std::string out;
  for (const Verb& verb : verbs) out += (out.empty() ? "" : " ") + std::string(verb.name);
  return out;
}

/// The names of values are few: those of files say so.
bool takes_files(std::string_view placeholder) {
  for (const std::string_view word : {"FILE", "FOLDER", "SCENE", "STUDY", "RESULT", "FIT"})
    if (placeholder.find(word) != std::string_view::npos) return true;
  return false;
}

}  // namespace

std::size_t text_width() {
  constexpr std::size_t kWidest = 110;  // longer lines of prose are hard to read
  return std::min(terminal_style().width, kWidest);
}

std::string help_of(const Verb& verb, std::size_t width) {
  std::string out = report::wrapped(fmt::format("percuss {} - {}", verb.name, verb.summary), width, "  ") +
                    fmt::format("\n\nusage: percuss {}{} [options]\n\n", verb.name, positional_of(verb));
  // one column for all names; one that is longer has a line of its own
  constexpr std::size_t kIndent = 24;
  const std::string indent(kIndent, ' ');
  const auto line = [&](const std::string& left, std::string_view right) {
    const std::string text = report::wrapped(right, width - kIndent, indent);
    out += left.size() + 3 > kIndent ? fmt::format("  {}\n{}{}\n", left, indent, text)
                                     : fmt::format("  {:<{}}{}\n", left, kIndent - 2, text);
  };
  if (!verb.positional.empty()) line(std::string(verb.positional), verb.positional_help);
  for (const Option& option : verb.options) line(with_value(option), option.help);
  line("--help", "this text");
  return out + "\nexample:\n" + std::string(verb.example) + "\n";
}

std::string help_of(std::span<const Verb> verbs, std::size_t width) {
  std::string out = fmt::format("percuss - {}\n\nusage: percuss VERB [options]\n\n", kWhat);
  constexpr std::size_t kIndent = 14;
  const auto line = [&](std::string_view left, std::string_view right) {
    out += fmt::format("  {:<{}}{}\n", left, kIndent - 2,
                       report::wrapped(right, width - kIndent, std::string(kIndent, ' ')));
  };
  for (const Verb& verb : verbs) line(verb.name, verb.summary);
  out += "\n";
  line("--version", "-V: version, commit, compiler, parts built in");
  line("--help", "this text; percuss help VERB has the options of a verb and an example");
  return out +
         "\nexample:\n  percuss impact --law flores --restitution 0.6 --stiffness 1.4e8 --mass 1 \\\n"
         "                 --velocity 4.2\n";
}

namespace {

/// What roff would take for a command or an escape is none.
std::string roff(std::string_view text) {
  std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  out = replaced(out, "\n.", "\n\\&.");
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string man_head(const std::string& name, std::string_view summary) {
  return fmt::format(".TH \"{}\" 1 \"\" \"percuss {}\"\n.SH NAME\n{} \\- {}\n", roff(name), version_number(),
                     roff(name), roff(summary));
}

}  // namespace

std::string man_page(std::span<const Verb> verbs) {
  std::string out = man_head("percuss", kWhat) +
                    ".SH SYNOPSIS\n.B percuss\n.I VERB\n[options]\n.SH VERBS\nEach has a page of its own: "
                    "percuss\\-run(1).\n";
  for (const Verb& verb : verbs) out += fmt::format(".TP\n.B {}\n{}\n", roff(verb.name), roff(verb.summary));
  return out +
         ".SH EXIT STATUS\n0: done. 1: the run failed. 2: the input is wrong. 130: interrupted, partial results "
         "are kept.\n.SH ENVIRONMENT\n.TP\n.B PERCUSS_DATA\nThe folder of the shipped data.\n";
}

std::string man_page(const Verb& verb) {
  std::string out = man_head("percuss-" + std::string(verb.name), verb.summary) +
                    fmt::format(".SH SYNOPSIS\n.B percuss {}\n{}\n[options]\n.SH OPTIONS\n", roff(verb.name),
                                verb.positional.empty() ? "" : ".I " + roff(verb.positional));
  if (!verb.positional.empty())
    out += fmt::format(".TP\n.I {}\n{}\n", roff(verb.positional), roff(verb.positional_help));
  for (const Option& option : verb.options)
    out += fmt::format(".TP\n.B {}\n{}\n", roff(with_value(option)), roff(option.help));
  return out + ".SH EXAMPLE\n.nf\n" + roff(verb.example) + "\n.fi\n.SH SEE ALSO\npercuss(1)\n";
}

// ---- shells

std::string bash_completion(std::span<const Verb> verbs) {
  std::string out =
      "# bash completion for percuss: source it, or put it into "
      "~/.local/share/bash-completion/completions/percuss\n"
      "_percuss() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local words=\"\" files=\"\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  out += fmt::format("    words=\"{} help --help --version\"\n", names_of(verbs));
  out += "  else\n    case \"${COMP_WORDS[1]} $prev\" in\n";
  out += fmt::format("      \"help help\") words=\"{}\" ;;\n", names_of(verbs));
  for (const Verb& verb : verbs)
    for (const Option& option : verb.options) {
      if (option.kind == Option::Kind::flag) continue;
      const std::string values = option.words ? fmt::format("words=\"{}\"", spaced(option.words()))
                                 : takes_files(option.placeholder) ? "files=yes"
                                                                   : ":";
      out += fmt::format("      \"{} --{}\") {} ;;\n", verb.name, option.name, values);
    }
  out += "      *)\n        case \"${COMP_WORDS[1]}\" in\n";
  for (const Verb& verb : verbs) {
    std::string options = "--help";
    for (const Option& option : verb.options) options += " --" + std::string(option.name);
    const std::string rest = verb.positional_words ? fmt::format("words=\"{}\"", spaced(verb.positional_words()))
                             : takes_files(verb.positional) ? "files=yes"
                                                            : ":";
    out +=
        fmt::format("          {}) case $cur in -*) words=\"{}\" ;; *) {} ;; esac ;;\n", verb.name, options, rest);
  }
  return out +
         "        esac ;;\n    esac\n  fi\n"
         "  local IFS=$'\\n'\n"
         "  if [ -n \"$files\" ]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  elif [ -n \"$words\" ]; then\n"
         "    COMPREPLY=($(IFS=' '; compgen -W \"$words\" -- \"$cur\"))\n"
         "  fi\n}\ncomplete -F _percuss percuss\n";
}

std::string zsh_completion(std::span<const Verb> verbs) {
  const auto quoted = [](std::string_view text) {  // inside of '...', where colons and brackets have a meaning
    std::string out = replaced(text, "'", "'\\''");
    for (const std::string_view special : {":", "[", "]"})
      out = replaced(out, special, "\\" + std::string(special));
    return out;
  };
  const auto action = [&](Words words, std::string_view placeholder) {
    return words                      ? "(" + spaced(words()) + ")"
           : takes_files(placeholder) ? std::string("_files")
                                      : std::string(" ");
  };
  std::string out =
      "#compdef percuss\n# zsh completion for percuss: put it as _percuss into a folder of $fpath\n"
      "_percuss() {\n  local -a verbs=(\n";
  for (const Verb& verb : verbs) out += fmt::format("    '{}:{}'\n", verb.name, quoted(verb.summary));
  out +=
      "    'help:the options of a verb, with an example'\n  )\n"
      "  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
      "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $verb in\n"
      "    help) _describe verb verbs ;;\n";
  for (const Verb& verb : verbs) {
    out += fmt::format("    {}) _arguments", verb.name);
    for (const Option& option : verb.options) {
      out += fmt::format(" \\\n      '{}--{}[{}]", option.kind == Option::Kind::list ? "*" : "", option.name,
                         quoted(option.help));
      if (option.kind != Option::Kind::flag)
        out += fmt::format(":{}:{}", quoted(option.placeholder), action(option.words, option.placeholder));
      out += "'";
    }
    out += " \\\n      '--help[this text]'";
    if (!verb.positional.empty())
      out += fmt::format(" \\\n      '1:{}:{}'", quoted(verb.positional),
                         action(verb.positional_words, verb.positional));
    out += " ;;\n";
  }
  return out + "  esac\n}\n_percuss \"$@\"\n";
}

std::string fish_completion(std::span<const Verb> verbs) {
  const auto quoted = [](std::string_view text) {
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
  };
  std::string out =
      "# fish completion for percuss: put it into ~/.config/fish/completions/percuss.fish\n"
      "complete -c percuss -f\n";
  for (const Verb& verb : verbs)
    out +=
        fmt::format("complete -c percuss -n __fish_use_subcommand -a {} -d {}\n", verb.name, quoted(verb.summary));
  out += "complete -c percuss -n __fish_use_subcommand -a help -d 'the options of a verb, with an example'\n";
  out += fmt::format("complete -c percuss -n '__fish_seen_subcommand_from help' -a '{}'\n", names_of(verbs));
  for (const Verb& verb : verbs) {
    const std::string here = fmt::format("complete -c percuss -n '__fish_seen_subcommand_from {}'", verb.name);
    if (verb.positional_words)
      out += fmt::format("{} -a '{}'\n", here, spaced(verb.positional_words()));
    else if (takes_files(verb.positional))
      out += here + " -F\n";
    for (const Option& option : verb.options) {
      out += fmt::format("{} -l {} -d {}", here, option.name, quoted(option.help));
      if (option.kind != Option::Kind::flag)
        out += option.words                      ? fmt::format(" -x -a '{}'", spaced(option.words()))
               : takes_files(option.placeholder) ? std::string(" -r -F")
                                                 : std::string(" -x");
      out += "\n";
    }
  }
  return out;
}

}  // namespace percuss::cli
