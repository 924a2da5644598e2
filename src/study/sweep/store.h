// Results of a study on disk: SQLite, a row a point; a kill at any moment leaves it readable.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "percuss/study/sweep/point.h"

struct sqlite3;
struct sqlite3_stmt;

namespace percuss::study {

/// What a new store may replace: nothing (it goes on in an older one), an older store, or whatever file is there.
enum class Replace { nothing, older_store, any_file };

/// Tables of the file:
///   study   key, value: the program's version, the columns, and every fact of the study
///   points  point, status, reason, a column an axis, a column an output: the same bits however it was run
///   times   point, wall_s: these differ from run to run
/// and for bifurcations
///   sections  point, period, a column an output;  states  point, y
/// Written in transactions of a twentieth of a second under a write-ahead log.
class Store {
 public:
  struct Columns {
    std::vector<std::string> axes, outputs;
    std::vector<bool> axis_has_words;
  };

  /// Makes the file, or opens one of the same study to go on with; what differs is told. An older store of
  /// whatever study, or any file, is replaced if `replace` says so; otherwise a file that is not ours is refused.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& path, const Study& study,
                                             const std::string& version, Replace replace);
  /// An existing one, of any study, to be read.
  static Result<std::unique_ptr<Store>> read(const std::filesystem::path& path);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const Columns& columns() const { return columns_; }
  std::string fact(const std::string& key) const;

  /// [point]: is it settled (done or failed)?
  std::vector<char> settled(std::size_t size);
  struct Counts {
    std::size_t done = 0, failed = 0, again = 0;
  };
  Counts counts();

  /// Rows for the next transaction; an older row of the same point is replaced. One line if the disk would not.
  std::optional<Diagnostic> put(std::span<const PointResult> results, const Design& design);
  /// Ends the transaction now if it is old enough, or in any case.
  std::optional<Diagnostic> commit(bool in_any_case);

  /// Forgets what is not committed.
  void abandon();

  /// The rows of another store of the same study.
  std::optional<Diagnostic> take_from(const std::filesystem::path& shard);

  // ---- bifurcations
  std::optional<Diagnostic> put_section(std::size_t point, const std::vector<std::vector<double>>& periods,
                                        const std::vector<double>& y);
  std::vector<double> state_of(std::size_t point);
  std::vector<std::vector<double>> section_of(std::size_t point);

  struct Row {
    std::size_t point = 0;
    PointStatus status = PointStatus::done;
    std::string reason;
    std::vector<AxisValue> axes;
    std::vector<double> outputs;
  };
  /// In the order of the points.
  template <class Use>
  void each_row(Use&& use) {
    begin_rows();
    for (Row row; next_row(row);) use(std::as_const(row));
  }
  double wall_total_s();
  std::vector<std::pair<std::string, std::string>> facts();

 private:
  explicit Store(std::filesystem::path path);
  std::optional<Diagnostic> connect(bool may_create);
  std::optional<Diagnostic> run(const std::string& sql);
  Diagnostic failure(const std::string& doing, Diagnostic::Kind kind = Diagnostic::Kind::input) const;
  std::optional<Diagnostic> make_tables(const Study& study, const std::string& version);
  std::optional<Diagnostic> read_columns();
  std::vector<Diagnostic> differences(const Study& study, const std::string& version);
  void begin_rows();
  bool next_row(Row& row);

  class Statement;
  struct Connection;
  std::unique_ptr<Connection> connection_;
  std::filesystem::path path_;
  Columns columns_;
};

}  // namespace percuss::study
