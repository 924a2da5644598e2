// Width and colours.
#include "percuss/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace percuss::cli {

namespace {

constexpr std::size_t kNarrow = 80, kLeast = 40, kMost = 400;

/// NO_COLOR (no-color.org): set and not empty.
bool takes_colour(int stream) {
  const char *refused = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  return isatty(stream) && !(refused && *refused) && !(terminal && std::string_view(terminal) == "dumb");
}

std::size_t width_of(int stream) {
  if (const char* said = std::getenv("COLUMNS"); said && *said) {
    std::size_t columns = 0;
    const std::string_view text(said);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (read.ec == std::errc() && columns > 0) return std::clamp(columns, kLeast, kMost);
  }
  winsize size{};
  if (!isatty(stream) || ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kNarrow;
  return std::clamp<std::size_t>(size.ws_col, kLeast, kMost);
}

}  // namespace

report::Style terminal_style() { return {width_of(STDOUT_FILENO), takes_colour(STDOUT_FILENO)}; }

std::string coloured_messages(const std::string& text) {
  if (!takes_colour(STDERR_FILENO)) return text;
  struct Word {
    std::string_view text, colour;
  };
  constexpr Word kWords[] = {{"error:", "\033[1;31m"}, {"warning:", "\033[1;33m"}};
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    std::string line = text.substr(from, to - from);
    for (const Word& word : kWords) {
      const std::size_t at = line.find(word.text);
      if (at == std::string::npos || (at > 0 && line[at - 1] != ' ')) continue;
      line.replace(at, word.text.size(), std::string(word.colour) + std::string(word.text) + "\033[0m");
      break;
    }
    out += line + (to < text.size() ? "\n" : "");
    from = to + 1;
  }
  return out;
}

}  // namespace percuss::cli
