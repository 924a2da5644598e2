// The CSV writer.
#include "percuss/io/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace percuss::io {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTimes = "time";

fs::path file_of(const fs::path& folder, const std::string& table) {
  std::string name = table;
  std::ranges::replace(name, '/', '_');
  return folder / (name + ".csv");
}

/// "bodies" -> "body".
std::string one_of(const std::string& items) {
  if (items.ends_with("ies")) return items.substr(0, items.size() - 3) + "y";
  return items.ends_with('s') ? items.substr(0, items.size() - 1) : items;
}

/// A name with a comma or quotes, as RFC 4180 has it.
std::string field(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void put(double value, std::string& line) {
  std::array<char, 32> digits{};
  line.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

}  // namespace

std::vector<fs::path> CsvSink::files_of(const fs::path& folder, const std::vector<Table>& tables) {
  std::vector<fs::path> out;
  for (const Table& t : tables)
    if (t.name != kTimes) out.push_back(file_of(folder, t.name));
  return out;
}

CsvSink::~CsvSink() {
  std::error_code ignored;
  for (File& f : files_) {
    if (f.path.empty()) continue;
    f.stream.close();
    fs::remove(f.partial, ignored);
  }
}

void CsvSink::begin(const recording::Head&, const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    File& f = files_.emplace_back();
    f.table = table;
    if (table.name == kTimes) continue;
    f.path = f.partial = file_of(folder_, table.name);
    f.partial += ".partial";
    f.stream.open(f.partial, std::ios::binary);
    f.stream << "# percuss recording, " << table.name << "\n";
    if (!table.items.empty()) f.stream << "t [s]," << one_of(table.name) << ",";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& c = table.columns[i];
      f.stream << (i > 0 ? "," : "") << c.name << (c.unit.empty() ? "" : " [" + c.unit + "]");
    }
    f.stream << "\n";
  }
}

bool CsvSink::row(std::size_t table, std::span<const double> values) {
  File& f = files_[table];
  if (f.table.name == kTimes) {
    time_s_ = values.front();
    return true;
  }
  std::string lines;
  const std::size_t columns = f.table.columns.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % columns == 0 && !f.table.items.empty()) {
      put(time_s_, lines);
      lines += ',' + field(f.table.items[i / columns]) + ',';
    }
    put(values[i], lines);
    lines += (i + 1) % columns == 0 ? '\n' : ',';
  }
  f.stream << lines;
  return static_cast<bool>(f.stream);
}

std::optional<Diagnostic> CsvSink::finish(bool whole) {
  for (File& f : files_) {
    if (f.path.empty()) continue;
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
