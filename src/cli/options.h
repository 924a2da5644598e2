// Options that several verbs take. A name means the same in all of them: the text up to the first ";" or "(" is
// equal, only defaults differ.
//   --out FILE        the file that the verb makes        --csv FILE   one table      --tables FOLDER   every table
//   --page FILE       the HTML page                       --svg FILE   one figure     --figures FOLDER  every
//   figure
#pragma once

#include <filesystem>

#include "percuss/cli/arguments.h"

namespace percuss::cli {

inline constexpr Option kSetOption{"set", "PATH=VALUE",
                                   "a value in place of the file's, as ball.restitution=0.6; may be repeated",
                                   Option::Kind::list};
inline constexpr Option kJsonOption{"json", "", "print JSON instead of text", Option::Kind::flag};
inline constexpr Option kMarkdownOption{"markdown", "", "print Markdown instead of text; a page of docs/reference",
                                        Option::Kind::flag};
inline constexpr Option kForceOption{"force", "", "replace files that are not results of percuss",
                                     Option::Kind::flag};
inline constexpr Option kThreadsOption{"threads", "COUNT", "how many threads (default: all cores)"};
inline constexpr Option kTablesOption{"tables", "FOLDER",
                                      "every table as a CSV file; the folder is created if missing"};
inline constexpr Option kFiguresOption{
    "figures", "FOLDER", "every plot and map as an SVG file, without a browser; the folder is created if missing"};
inline constexpr Option kNoPageOption{"no-page", "", "without the HTML page", Option::Kind::flag};

/// How many threads: 0 if not given, which means all cores.
unsigned threads_of(const Arguments& arguments, std::vector<Diagnostic>& errors);

/// Where a file goes by the option `name`: the place given, the default name in a folder given, or the default name
/// here.
std::filesystem::path file_of(const Arguments& arguments, std::string_view name, const std::string& default_name);

}  // namespace percuss::cli
