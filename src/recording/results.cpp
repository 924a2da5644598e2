// Tables by name, and their columns.
#include "percuss/recording/results.h"

namespace percuss::recording {

int FilledTable::column(std::string_view name) const {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == name) return static_cast<int>(i);
  return -1;
}

std::vector<double> FilledTable::values_of(std::string_view name) const {
  std::vector<double> out;
  const int c = column(name);
  if (c < 0) return out;
  out.reserve(rows());
  for (std::size_t r = 0; r < rows(); ++r) out.push_back(at(r, static_cast<std::size_t>(c)));
  return out;
}

const FilledTable* Results::find(std::string_view name) const {
  for (const FilledTable& t : tables)
    if (t.table.name == name) return &t;
  return nullptr;
}

std::size_t Results::thinned_by() const {
  std::size_t most = 1;
  for (const FilledTable& t : tables)
    if (t.rows() > 0) most = std::max(most, (t.rows_in_file + t.rows() - 1) / t.rows());
  return most;
}

std::string Results::fact(const std::string& name) const {
  const auto known = facts.find(name);
  return known == facts.end() ? "" : known->second;
}

std::vector<std::string> Results::lines(const std::string& name) const {
  std::vector<std::string> out;
  const std::string text = fact(name);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    out.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

void MemorySink::define(const std::vector<Table>& tables) {
  for (const Table& t : tables) tables_.push_back({t, {}, 0});
}

bool MemorySink::row(std::size_t table, std::span<const double> values) {
  tables_[table].values.insert(tables_[table].values.end(), values.begin(), values.end());
  ++tables_[table].rows_in_file;
  return true;
}

}  // namespace percuss::recording
