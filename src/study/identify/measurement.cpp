// The reader of CSV.
#include "percuss/study/identify/measurement.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/units.h"
#include "percuss/base/words.h"
#include "percuss/io/yaml.h"
#include "percuss/scene/node.h"

namespace percuss::study {

namespace {
constexpr std::size_t kMostTold = 5;

std::string unquoted(std::string cell) {
  while (!cell.empty() && (cell.back() == '\r' || cell.back() == ' ')) cell.pop_back();
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') return cell.substr(1, cell.size() - 2);
  return cell;
}
}  // namespace

Result<NumberTable> read_csv(const std::filesystem::path& file) {
  const Result<std::string> text = io::read_text(file);
  if (!text) return text.errors();
  NumberTable out;
  out.source = file.string();
  std::vector<Diagnostic> errors;
  int line = 0;
  char separator = ',';
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // that some programs put before UTF-8
  const std::string_view whole = text->starts_with(kMark) ? std::string_view(*text).substr(kMark.size()) : *text;
  for (const std::string& row : split_at(whole, '\n')) {
    ++line;
    if (row.empty() || row == "\r" || row.front() == '#') continue;
    if (out.names.empty()) {
      separator = row.find(';') != std::string::npos ? ';' : row.find('\t') != std::string::npos ? '\t' : ',';
      for (const std::string& cell : split_at(row, separator)) out.names.push_back(unquoted(cell));
      out.columns.resize(out.names.size());
      out.faults.resize(out.names.size());
      continue;
    }
    const std::vector<std::string> cells = split_at(row, separator);
    if (cells.size() != out.names.size()) {
      errors.push_back({{out.source, line},
                        "this line has " + std::to_string(cells.size()) + " cells; the first has " +
                            std::to_string(out.names.size())});
    } else {
      for (std::size_t c = 0; c < cells.size(); ++c) {
        std::string cell = unquoted(cells[c]);
        if (separator == ';') std::ranges::replace(cell, ',', '.');  // decimal commas
        const Result<double> number = read_number(cell);
        out.columns[c].push_back(number ? *number : std::nan(""));
        if (!number && out.faults[c].size() < kMostTold)
          out.faults[c].push_back(
              {{out.source, line}, "column " + in_quotes(out.names[c]) + ": " + number.errors().front().text});
      }
    }
    if (errors.size() >= kMostTold) break;
  }
  if (errors.empty() && (out.names.empty() || out.columns.front().empty()))
    errors.push_back({{out.source}, "there is no line of numbers under a line of names"});
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace percuss::study
