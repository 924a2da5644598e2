// SQLite, and nothing else knows it.
#include "percuss/study/sweep/store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

#include "percuss/base/words.h"

namespace percuss::study {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kApplication = 0x70637573;  // "pcus": what SQLite files of this program carry
constexpr int kFormat = 1;
constexpr auto kTransaction = std::chrono::milliseconds(50);
constexpr std::string_view kStatus[] = {"done", "failed", "again"};

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

/// A statement, finalized at its end.
class Store::Statement {
 public:
  Statement(sqlite3* db, const std::string& sql) { sqlite3_prepare_v2(db, sql.c_str(), -1, &handle_, nullptr); }
  ~Statement() { sqlite3_finalize(handle_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  explicit operator bool() const { return handle_ != nullptr; }
  bool row() { return handle_ && sqlite3_step(handle_) == SQLITE_ROW; }
  bool done() { return handle_ && sqlite3_step(handle_) == SQLITE_DONE; }
  std::string text(int column) const {
    const auto* t = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
    return t ? std::string(t, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))) : "";
  }
  double number(int column) const {
    return sqlite3_column_type(handle_, column) == SQLITE_NULL ? std::nan("")
                                                               : sqlite3_column_double(handle_, column);
  }
  std::int64_t whole(int column) const { return sqlite3_column_int64(handle_, column); }
  bool is_text(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_TEXT; }
  std::vector<double> numbers(int column) const {
    std::vector<double> out(static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)) / sizeof(double));
    if (!out.empty()) std::memcpy(out.data(), sqlite3_column_blob(handle_, column), out.size() * sizeof(double));
    return out;
  }
  void bind(int i, const std::string& text) {
    sqlite3_bind_text(handle_, i, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(int i, std::string_view text) {
    sqlite3_bind_text(handle_, i, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int i, double number) { sqlite3_bind_double(handle_, i, number); }  // nan becomes NULL
  void bind(int i, std::size_t number) { sqlite3_bind_int64(handle_, i, static_cast<sqlite3_int64>(number)); }
  void bind(int i, const std::vector<double>& numbers) {
    sqlite3_bind_blob(handle_, i, numbers.data(), static_cast<int>(numbers.size() * sizeof(double)),
                      SQLITE_TRANSIENT);
  }
  void bind_nothing(int i) { sqlite3_bind_null(handle_, i); }
  void reset() { sqlite3_reset(handle_); }

 private:
  sqlite3_stmt* handle_ = nullptr;
};

struct Store::Connection {
  sqlite3* db = nullptr;
  int lock = -1;  // held as long as the connection: one writer a store
  bool in_transaction = false;
  Clock::time_point begun;
  std::unique_ptr<Statement> put_point, put_time, rows;

  ~Connection() {
    put_point.reset();
    put_time.reset();
    rows.reset();
    sqlite3_close(db);  // before the lock's descriptor: closing that one first would end SQLite's own locks
    if (lock >= 0) ::close(lock);
  }
};

Store::Store(fs::path path) : connection_(std::make_unique<Connection>()), path_(std::move(path)) {}

Store::~Store() {
  if (connection_->in_transaction) commit(true);
}

Diagnostic Store::failure(const std::string& doing, Diagnostic::Kind kind) const {
  const auto what = [](int code) -> std::string {
    switch (code) {
      case SQLITE_FULL:
      case SQLITE_IOERR: return "the disk is full or would not be written to";
      case SQLITE_BUSY:
      case SQLITE_LOCKED: return "another program is writing to it";
      case SQLITE_CORRUPT:
      case SQLITE_NOTADB: return "it is damaged, or no store of a sweep; --anew begins another";
      case SQLITE_READONLY:
      case SQLITE_PERM:
      case SQLITE_CANTOPEN: return "it may not be opened or written";
      case SQLITE_NOMEM: return "there is not enough memory";
      default: return "its format is another (code " + std::to_string(code) + "); --anew begins another";
    }
  };
  return {{path_.string()}, doing + ": " + what(sqlite3_errcode(connection_->db) & 0xff), kind};
}

std::optional<Diagnostic> Store::run(const std::string& sql) {
  if (sqlite3_exec(connection_->db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return std::nullopt;
  return failure("the store could not be written", Diagnostic::Kind::not_written);
}

std::optional<Diagnostic> Store::connect(bool may_create) {
  const int flags = SQLITE_OPEN_READWRITE | (may_create ? SQLITE_OPEN_CREATE : 0);
  if (sqlite3_open_v2(path_.c_str(), &connection_->db, flags, nullptr) != SQLITE_OK)
    return failure("cannot be opened");
  sqlite3_busy_timeout(connection_->db, 10'000);
  return std::nullopt;
}

std::string Store::fact(const std::string& key) const {
  Statement s(connection_->db, "SELECT value FROM study WHERE key = ?");
  s.bind(1, key);
  return s.row() ? s.text(0) : "";
}

namespace {

/// Is this a store of ours? Looked at without SQLite, so that nothing is touched that is not.
enum class FileKind { none, empty, ours, other };
FileKind kind_of(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return FileKind::none;
  if (!fs::is_regular_file(path, error)) return FileKind::other;
  if (fs::file_size(path, error) == 0) return FileKind::empty;
  unsigned char head[100] = {};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return FileKind::other;
  const auto got = ::read(file, head, sizeof head);
  ::close(file);
  if (got != sizeof head || std::memcmp(head, "SQLite format 3", 16) != 0) return FileKind::other;
  const int application = head[68] << 24 | head[69] << 16 | head[70] << 8 | head[71];
  return application == kApplication ? FileKind::ours : FileKind::other;
}

Diagnostic not_ours(const fs::path& path) {
  return {{path.string()},
          "is not a store of percuss; it is left alone (--out names another, --anew --force replaces it)"};
}

void remove_store(const fs::path& path) {
  std::error_code error;
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(path.string() + end, error);
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const fs::path& path, const Study& study, const std::string& version,
                                           Replace replace) {
  const auto may_stay = [replace](FileKind kind) {
    return kind != FileKind::other || replace == Replace::any_file;
  };
  if (!may_stay(kind_of(path))) return not_ours(path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (std::error_code error; !fs::is_directory(folder, error))
    return Diagnostic{{path.string()}, "the folder " + folder.string() + " does not exist"};

  std::unique_ptr<Store> store(new Store(path));
  Connection& c = *store->connection_;
  c.lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (c.lock < 0)
    return Diagnostic{
        {path.string()}, std::string("cannot be written: ") + std::strerror(errno), Diagnostic::Kind::not_written};
  if (::flock(c.lock, LOCK_EX | LOCK_NB) != 0)
    return Diagnostic{{path.string()},
                      errno == EWOULDBLOCK ? "another sweep is writing this store"
                                           : std::string("cannot be locked: ") + std::strerror(errno)};
  FileKind kind = kind_of(path);  // once more, now that nobody else can change it
  if (!may_stay(kind)) return not_ours(path);
  // emptied, not removed: the lock stays on the file
  if (kind == FileKind::other || (kind == FileKind::ours && replace != Replace::nothing)) {
    std::error_code error;
    for (const char* end : {"-wal", "-shm"}) fs::remove(path.string() + end, error);
    if (::ftruncate(c.lock, 0) != 0) return Diagnostic{{path.string()}, "cannot be emptied"};
    kind = FileKind::empty;
  }
  if (const auto failed = store->connect(true)) return *failed;
  const bool made_here = kind != FileKind::ours;
  bool is_new = made_here;
  if (!made_here) {  // a kill between the first bytes and the tables leaves a file of ours without any
    Statement schema(c.db, "SELECT count(*) FROM sqlite_schema WHERE name = 'points'");
    if (!schema.row()) return store->failure("cannot be read; it is left as it is");
    is_new = schema.whole(0) == 0;
  }
  if (is_new) {
    if (const auto failed = store->make_tables(study, version)) {
      store.reset();
      if (made_here) remove_store(path);
      return *failed;
    }
  } else {
    if (const auto failed = store->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")) return *failed;
    const std::vector<Diagnostic> changed = store->differences(study, version);
    if (!changed.empty()) return changed;
  }
  if (const auto failed = store->read_columns()) return *failed;
  return store;
}

Result<std::unique_ptr<Store>> Store::read(const fs::path& path) {
  const FileKind kind = kind_of(path);
  if (kind == FileKind::none) return Diagnostic{{path.string()}, "does not exist"};
  if (kind != FileKind::ours) return not_ours(path);
  std::unique_ptr<Store> store(new Store(path));
  if (const auto failed = store->connect(false)) return *failed;
  if (const auto failed = store->read_columns()) return *failed;
  return store;
}

std::optional<Diagnostic> Store::make_tables(const Study& study, const std::string& version) {
  std::string columns;
  for (const Axis& a : study.design.axes()) columns += ", " + quoted(a.name) + (a.has_words() ? " TEXT" : " REAL");
  for (const Output& o : study.outputs) columns += ", " + quoted(o.name) + " REAL";
  std::string sections;
  for (const Output& o : study.outputs) sections += ", " + quoted(o.name) + " REAL";
  // the application's number reaches the head of the file before anything else, outside the log
  const std::string sql = "PRAGMA application_id = " + std::to_string(kApplication) +
                          "; PRAGMA user_version = " + std::to_string(kFormat) +
                          "; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE;"
                          "CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
                          "CREATE TABLE facts(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
                          "CREATE TABLE points(point INTEGER PRIMARY KEY, status TEXT NOT NULL, reason TEXT" +
                          columns +
                          ");"
                          "CREATE TABLE times(point INTEGER PRIMARY KEY, wall_s REAL);" +
                          (study.bifurcation ? "CREATE TABLE sections(point INTEGER, period INTEGER" + sections +
                                                   ", PRIMARY KEY(point, period)) WITHOUT ROWID;"
                                                   "CREATE TABLE states(point INTEGER PRIMARY KEY, y BLOB);"
                                             : std::string());
  if (const auto failed = run(sql)) return failed;
  const auto put = [this](const char* table, const std::string& key, const std::string& value) {
    Statement s(connection_->db, std::string("INSERT OR REPLACE INTO ") + table + " VALUES(?, ?)");
    s.bind(1, key);
    s.bind(2, value);
    return s.done();
  };
  std::string sampled, units, output_units;
  for (const Output& o : study.outputs) output_units += o.unit + "\n";
  for (const Axis& a : study.design.axes()) {
    sampled += a.is_sampled() ? '+' : '-';
    units += a.unit() + "\n";
  }
  bool kept =
      put("study", "program", "percuss") && put("study", "version", version) &&
      put("study", "title", study.title) && put("study", "kind", study.bifurcation ? "bifurcation" : "sweep") &&
      put("study", "size", std::to_string(study.design.size())) &&
      put("study", "samples", std::to_string(study.design.samples())) &&
      put("study", "rows_of_matrix", std::to_string(study.design.rows_of_matrix())) &&
      put("study", "sampling", std::string(name_of(study.design.sampling()))) && put("study", "sampled", sampled) &&
      put("study", "units", units) && put("study", "output_units", output_units) &&
      put("study", "axes", std::to_string(study.design.axes().size()));
  for (const auto& [key, value] : study.facts) kept = kept && put("facts", key, value);
  if (!kept) return failure("the store could not be made", Diagnostic::Kind::not_written);
  return run("COMMIT");
}

std::optional<Diagnostic> Store::read_columns() {
  Statement version(connection_->db, "PRAGMA user_version");
  if (!version || !version.row()) return failure("cannot be read");
  if (version.whole(0) != kFormat)
    return Diagnostic{
        {path_.string()},
        "is of format " + std::to_string(version.whole(0)) + "; this program reads " + std::to_string(kFormat)};
  std::size_t axes = 0;
  if (const Result<double> n = read_number(fact("axes"))) axes = static_cast<std::size_t>(*n);
  Statement columns(connection_->db, "PRAGMA table_info(points)");
  std::size_t k = 0;
  while (columns.row()) {
    if (k >= 3 && k < 3 + axes) {
      columns_.axes.push_back(columns.text(1));
      columns_.axis_has_words.push_back(columns.text(2) == "TEXT");
    } else if (k >= 3) {
      columns_.outputs.push_back(columns.text(1));
    }
    ++k;
  }
  if (k < 3 || columns_.axes.size() != axes) return Diagnostic{{path_.string()}, "is damaged or not whole"};
  return std::nullopt;
}

/// One line for each fact that is not as it was.
std::vector<Diagnostic> Store::differences(const Study& study, const std::string& version) {
  std::map<std::string, std::string> then, now;
  for (const auto& [key, value] : facts()) then[key] = value;
  for (const auto& [key, value] : study.facts) now[key] = value;
  then["program's version"] = fact("version");
  now["program's version"] = version;
  std::vector<std::string> changed;
  for (const auto& [key, value] : then)
    if (const auto found = now.find(key); found == now.end())
      changed.push_back(key + ": was " + in_quotes(value) + ", is gone");
    else if (found->second != value)
      changed.push_back(key + ": was " + in_quotes(value) + ", is " + in_quotes(found->second));
  for (const auto& [key, value] : now)
    if (!then.contains(key)) changed.push_back(key + ": is new, " + in_quotes(value));
  constexpr std::size_t kMostTold = 8;
  std::vector<Diagnostic> out;
  for (std::size_t i = 0; i < std::min(changed.size(), kMostTold); ++i)
    out.push_back({{path_.string()}, "the study has changed since this store was begun: " + changed[i]});
  if (changed.size() > kMostTold)
    out.push_back({{path_.string()}, "and " + std::to_string(changed.size() - kMostTold) + " further changes"});
  if (!out.empty())
    out.push_back({{path_.string()}, "nothing was run; --out names another store, --anew begins this one again"});
  return out;
}

std::vector<char> Store::settled(std::size_t size) {
  std::vector<char> out(size, 0);
  Statement s(connection_->db, "SELECT point FROM points WHERE status <> 'again'");
  while (s.row())
    if (const auto point = static_cast<std::size_t>(s.whole(0)); point < size) out[point] = 1;
  return out;
}

Store::Counts Store::counts() {
  Counts out;
  Statement s(connection_->db, "SELECT status, count(*) FROM points GROUP BY status");
  while (s.row()) {
    const auto n = static_cast<std::size_t>(s.whole(1));
    (s.text(0) == kStatus[0] ? out.done : s.text(0) == kStatus[1] ? out.failed : out.again) = n;
  }
  return out;
}

std::optional<Diagnostic> Store::put(std::span<const PointResult> results, const Design& design) {
  Connection& c = *connection_;
  if (!c.in_transaction) {
    if (const auto failed = run("BEGIN IMMEDIATE")) return failed;
    c.in_transaction = true;
    c.begun = Clock::now();
  }
  if (!c.put_point) {
    std::string marks = "?, ?, ?";
    for (std::size_t i = 0; i < columns_.axes.size() + columns_.outputs.size(); ++i) marks += ", ?";
    c.put_point = std::make_unique<Statement>(c.db, "INSERT OR REPLACE INTO points VALUES(" + marks + ")");
    c.put_time = std::make_unique<Statement>(c.db, "INSERT OR REPLACE INTO times VALUES(?, ?)");
  }
  for (const PointResult& r : results) {
    Statement& s = *c.put_point;
    s.bind(1, r.point);
    s.bind(2, kStatus[static_cast<std::size_t>(r.status)]);
    if (r.reason.empty())
      s.bind_nothing(3);
    else
      s.bind(3, r.reason);
    int column = 4;
    for (const AxisValue& v : design.at(r.point)) {
      if (const auto* word = std::get_if<std::string>(&v))
        s.bind(column++, *word);
      else
        s.bind(column++, std::get<double>(v));
    }
    for (const double v : r.outputs) s.bind(column++, v);
    const bool kept = s.done();
    s.reset();
    c.put_time->bind(1, r.point);
    c.put_time->bind(2, r.wall_s);
    const bool timed = c.put_time->done();
    c.put_time->reset();
    if (!kept || !timed) return failure("the store could not be written", Diagnostic::Kind::not_written);
  }
  return std::nullopt;
}

std::optional<Diagnostic> Store::commit(bool in_any_case) {
  Connection& c = *connection_;
  if (!c.in_transaction || (!in_any_case && Clock::now() - c.begun < kTransaction)) return std::nullopt;
  c.in_transaction = false;
  if (const auto failed = run("COMMIT")) {
    sqlite3_exec(c.db, "ROLLBACK", nullptr, nullptr, nullptr);
    return failed;
  }
  return std::nullopt;
}

void Store::abandon() {
  if (connection_->in_transaction) sqlite3_exec(connection_->db, "ROLLBACK", nullptr, nullptr, nullptr);
  connection_->in_transaction = false;
}

std::optional<Diagnostic> Store::take_from(const fs::path& shard) {
  Statement attach(connection_->db, "ATTACH ? AS shard");
  attach.bind(1, shard.string());
  if (!attach.done()) return failure(shard.string() + " could not be read");
  auto failed =
      run("BEGIN IMMEDIATE;"
          "INSERT OR REPLACE INTO points SELECT * FROM shard.points WHERE point NOT IN "
          "(SELECT point FROM points WHERE status <> 'again');"
          "INSERT OR REPLACE INTO times SELECT * FROM shard.times; COMMIT");
  if (failed) sqlite3_exec(connection_->db, "ROLLBACK", nullptr, nullptr, nullptr);
  const auto detached = run("DETACH shard");
  return failed ? failed : detached;
}

std::optional<Diagnostic> Store::put_section(std::size_t point, const std::vector<std::vector<double>>& periods,
                                             const std::vector<double>& y) {
  std::string marks = "?, ?";
  for (std::size_t i = 0; i < columns_.outputs.size(); ++i) marks += ", ?";
  Statement s(connection_->db, "INSERT OR REPLACE INTO sections VALUES(" + marks + ")");
  for (std::size_t k = 0; k < periods.size(); ++k) {
    s.bind(1, point);
    s.bind(2, k);
    for (std::size_t i = 0; i < periods[k].size(); ++i) s.bind(static_cast<int>(3 + i), periods[k][i]);
    if (!s.done()) return failure("the store could not be written", Diagnostic::Kind::not_written);
    s.reset();
  }
  Statement state(connection_->db, "INSERT OR REPLACE INTO states VALUES(?, ?)");
  state.bind(1, point);
  state.bind(2, y);
  if (!state.done()) return failure("the store could not be written", Diagnostic::Kind::not_written);
  return std::nullopt;
}

std::vector<double> Store::state_of(std::size_t point) {
  Statement s(connection_->db, "SELECT y FROM states WHERE point = ?");
  s.bind(1, point);
  return s.row() ? s.numbers(0) : std::vector<double>{};
}

std::vector<std::vector<double>> Store::section_of(std::size_t point) {
  Statement s(connection_->db, "SELECT * FROM sections WHERE point = ? ORDER BY period");
  s.bind(1, point);
  std::vector<std::vector<double>> out;
  while (s.row()) {
    out.emplace_back();
    for (std::size_t i = 0; i < columns_.outputs.size(); ++i)
      out.back().push_back(s.number(static_cast<int>(2 + i)));
  }
  return out;
}

void Store::begin_rows() {
  connection_->rows = std::make_unique<Statement>(connection_->db, "SELECT * FROM points ORDER BY point");
}

bool Store::next_row(Row& row) {
  Statement& s = *connection_->rows;
  if (!s.row()) {
    connection_->rows.reset();
    return false;
  }
  row.point = static_cast<std::size_t>(s.whole(0));
  const std::string status = s.text(1);
  row.status = status == kStatus[0]   ? PointStatus::done
               : status == kStatus[1] ? PointStatus::failed
                                      : PointStatus::again;
  row.reason = s.text(2);
  row.axes.clear();
  row.outputs.clear();
  int column = 3;
  for (std::size_t i = 0; i < columns_.axes.size(); ++i, ++column) {
    if (s.is_text(column))
      row.axes.emplace_back(s.text(column));
    else
      row.axes.emplace_back(s.number(column));
  }
  for (std::size_t i = 0; i < columns_.outputs.size(); ++i, ++column) row.outputs.push_back(s.number(column));
  return true;
}

std::vector<std::pair<std::string, std::string>> Store::facts() {
  std::vector<std::pair<std::string, std::string>> out;
  Statement s(connection_->db, "SELECT key, value FROM facts");
  while (s.row()) out.emplace_back(s.text(0), s.text(1));
  return out;
}

double Store::wall_total_s() {
  Statement s(connection_->db, "SELECT total(wall_s) FROM times");
  return s.row() ? s.number(0) : 0;
}

}  // namespace percuss::study
