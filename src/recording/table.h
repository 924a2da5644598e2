// Tables of numbers: their columns, their rows in memory, and whoever receives rows as they come.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percuss::recording {

struct Head;

struct Column {
  std::string name, unit;
  bool operator==(const Column&) const = default;
};

/// A row holds one number per column; with `items`, one per item and column, item by item: the table is an array
/// [row x item x column].
struct Table {
  std::string name;  // "contacts/bounce"
  std::vector<Column> columns;
  std::vector<std::string> items{};

  std::size_t width() const { return columns.size() * (items.empty() ? 1 : items.size()); }
  bool operator==(const Table&) const = default;
};

/// A table with its rows.
struct FilledTable {
  Table table;
  std::vector<double> values;
  std::size_t rows_in_file = 0;  // more than are here if it was thinned

  std::size_t rows() const { return table.width() == 0 ? 0 : values.size() / table.width(); }
  double at(std::size_t row, std::size_t column, std::size_t item = 0) const {
    return values[row * table.width() + item * table.columns.size() + column];
  }
  /// -1: there is none of this name.
  int column(std::string_view name) const;
  int item(std::string_view name) const;
  /// Empty if there is no such column.
  std::vector<double> values_of(std::string_view column_name, std::size_t item = 0) const;
};

/// Receives rows as they come, so that memory does not grow with the run.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const Head& head, const std::vector<Table>& tables) = 0;
  /// False: it could not be kept; the run ends.
  virtual bool row(std::size_t table, std::span<const double> values) = 0;
};

/// Keeps all rows in memory.
class MemorySink final : public Sink {
 public:
  void begin(const Head& head, const std::vector<Table>& tables) override;
  bool row(std::size_t table, std::span<const double> values) override;
  std::vector<FilledTable> take() { return std::move(tables_); }

 private:
  std::vector<FilledTable> tables_;
};

/// Hands everything to several.
class SinkList final : public Sink {
 public:
  void add(Sink* sink) { sinks_.push_back(sink); }
  bool is_empty() const { return sinks_.empty(); }
  void begin(const Head& head, const std::vector<Table>& tables) override {
    for (Sink* s : sinks_) s->begin(head, tables);
  }
  bool row(std::size_t table, std::span<const double> values) override {
    bool kept = true;
    for (Sink* s : sinks_) kept = s->row(table, values) && kept;
    return kept;
  }

 private:
  std::vector<Sink*> sinks_;
};

}  // namespace percuss::recording
