// Columns and items by name.
#include "percuss/recording/table.h"

namespace percuss::recording {

int FilledTable::column(std::string_view name) const {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == name) return static_cast<int>(i);
  return -1;
}

int FilledTable::item(std::string_view name) const {
  for (std::size_t i = 0; i < table.items.size(); ++i)
    if (table.items[i] == name) return static_cast<int>(i);
  return -1;
}

std::vector<double> FilledTable::values_of(std::string_view column_name, std::size_t item) const {
  std::vector<double> out;
  const int c = column(column_name);
  if (c < 0) return out;
  out.reserve(rows());
  for (std::size_t r = 0; r < rows(); ++r) out.push_back(at(r, static_cast<std::size_t>(c), item));
  return out;
}

void MemorySink::begin(const Head&, const std::vector<Table>& tables) {
  for (const Table& t : tables) tables_.push_back({t, {}, 0});
}

bool MemorySink::row(std::size_t table, std::span<const double> values) {
  tables_[table].values.insert(tables_[table].values.end(), values.begin(), values.end());
  ++tables_[table].rows_in_file;
  return true;
}

}  // namespace percuss::recording
