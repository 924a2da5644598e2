// Words: the nearest valid one, lists for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percuss {

/// Optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours; case is ignored.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or "" if none is near enough to be what was meant.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

/// `; did you mean "x"?` or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// What the user wrote, as messages show it: "word", cut after kMostQuoted bytes.
inline constexpr std::size_t kMostQuoted = 80;
std::string in_quotes(std::string_view word);

/// What stands between separators, without blanks around it.
std::vector<std::string> split_at(std::string_view text, char separator);

/// The words between blanks.
std::vector<std::string_view> split(std::string_view text);

/// a, b, c and 40 more
std::string joined_briefly(std::span<const std::string_view> words, std::size_t most = 16);
/// a, b, c
std::string joined(std::span<const std::string_view> words, std::string_view separator = ", ");

}  // namespace percuss
