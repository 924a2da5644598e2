// Edit distance and hints.
#include "percuss/base/words.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace percuss {

namespace {
bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}
}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> d((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return d[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = static_cast<int>(i + j);
        continue;
      }
      const int change = at(i - 1, j - 1) + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      at(i, j) = std::min({change, at(i - 1, j) + 1, at(i, j - 1) + 1});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  int best_distance = static_cast<int>(word.size());
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    const int tolerated = static_cast<int>(std::max(word.size(), candidate.size()) + 2) / 3;
    const bool is_part = word.size() >= 3 && candidate.find(word) != std::string_view::npos;
    if ((distance <= tolerated || is_part) && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    } else if (is_part && best.empty()) {
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > kMostQuoted) return "";  // no word of ours; and the search grows with its length
  const std::string_view best = nearest_word(word, candidates);
  return best.empty() || best == word ? "" : "; did you mean " + in_quotes(best) + "?";
}

/// What follows is left out letter by letter, not byte by byte; what would break the line is a blank.
std::string in_quotes(std::string_view word) {
  std::size_t size = std::min(word.size(), kMostQuoted);
  while (size < word.size() && size > 0 && (word[size] & 0xC0) == 0x80) --size;
  std::string out = "\"" + std::string(word.substr(0, size)) + (size < word.size() ? "...\"" : "\"");
  std::ranges::replace_if(
      out, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return out;
}

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.emplace_back(part);
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string joined(std::span<const std::string_view> words, std::string_view separator) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

std::string joined_briefly(std::span<const std::string_view> words, std::size_t most) {
  if (words.size() <= most) return joined(words);
  return joined(words.first(most)) + " and " + std::to_string(words.size() - most) + " more";
}

}  // namespace percuss
