// The CSV writer.
#include "percuss/io/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace percuss::io {

namespace fs = std::filesystem;

fs::path CsvSink::file_of(const fs::path& folder, const std::string& table) {
  std::string name = table;
  std::ranges::replace(name, '/', '_');
  return folder / (name + ".csv");
}

CsvSink::~CsvSink() {
  std::error_code ignored;
  for (File& f : files_) {
    f.stream.close();
    fs::remove(f.partial, ignored);
  }
}

void CsvSink::define(const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    File f;
    f.path = f.partial = file_of(folder_, table.name);
    f.partial += ".partial";
    f.stream.open(f.partial, std::ios::binary);
    f.stream << "# percuss recording, " << table.name << "\n";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& c = table.columns[i];
      f.stream << (i > 0 ? "," : "") << c.name << (c.unit.empty() ? "" : " [" + c.unit + "]");
    }
    f.stream << "\n";
    files_.push_back(std::move(f));
  }
}

bool CsvSink::row(std::size_t table, std::span<const double> values) {
  std::string line;
  std::array<char, 32> digits{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) line += ',';
    line.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), values[i]).ptr);
  }
  files_[table].stream << line << '\n';
  return static_cast<bool>(files_[table].stream);
}

std::optional<Diagnostic> CsvSink::finish(bool whole) {
  for (File& f : files_) {
    if (!whole) f.stream << "# partial: the run did not reach its end\n";
    f.stream.close();
    std::error_code error;
    if (f.stream) fs::rename(f.partial, f.path, error);
    if (!f.stream || error)
      return Diagnostic{{f.path.string()}, "cannot be written", Diagnostic::Kind::not_written};
  }
  files_.clear();
  return std::nullopt;
}

}  // namespace percuss::io
