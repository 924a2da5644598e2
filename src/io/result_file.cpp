// The HDF5 reader, in the library's C interface.
#include "percuss/io/result_file.h"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "percuss/io/files.h"
#include "percuss/io/hdf5.h"
#include "percuss/recording/facts.h"

namespace percuss::io {

namespace {

/// Closes what the library opened.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t operator*() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

std::string without_padding(std::string text) {
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  return text;
}

std::vector<std::string> texts_of(hid_t attribute) {
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(*type) != H5T_STRING || H5Tis_variable_str(*type) > 0) return {};
  const std::size_t size = H5Tget_size(*type);
  const auto count = static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(*space), 0));
  std::string packed(size * count, '\0');
  if (H5Aread(attribute, *type, packed.data()) < 0) return {};
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(without_padding(packed.substr(i * size, size)));
  return out;
}

std::vector<std::string> texts_of(hid_t object, const char* name) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  return attribute ? texts_of(*attribute) : std::vector<std::string>();
}

herr_t add_fact(hid_t object, const char* name, const H5A_info_t*, void* out) {
  if (const auto texts = texts_of(object, name); texts.size() == 1)
    (*static_cast<std::map<std::string, std::string>*>(out))[name] = texts.front();
  return 0;
}

/// What stands in front of HDF5's bytes, compared with them.
std::optional<std::string> fault_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return "no such file" + similar_file(path);
  if (!in) return "the file cannot be read";
  std::string head(kHeadSize, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (!head.starts_with("# percuss recording, HDF5\n")) return "is not a result file of percuss";
  if (!head.starts_with("# percuss recording, HDF5\nformat " + std::to_string(kFormatVersion) + "\n"))
    return "is damaged, or of another format than version " + std::to_string(kFormatVersion) +
           "; run the scene again";
  if (!in) return "is cut short";
  if (head_for(path) != head) return "is cut short or damaged: its checksum is another";
  return std::nullopt;
}

}  // namespace

struct ResultFile::Open {
  hid_t file = -1;
  std::vector<hid_t> data;
  ~Open() {
    const std::scoped_lock lock(hdf5_lock());
    for (const hid_t d : data) H5Dclose(d);
    if (file >= 0) H5Fclose(file);
  }
};

ResultFile::~ResultFile() = default;
ResultFile::ResultFile(ResultFile&&) noexcept = default;
ResultFile& ResultFile::operator=(ResultFile&&) noexcept = default;

namespace {

/// What `visit` gathers.
struct Gathered {
  std::map<std::string, std::string>& facts;
  std::vector<ResultFile::Entry>& tables;
  std::vector<hid_t>& data;
  std::map<std::string, std::vector<std::string>> items{};  // of the tables that have them
  std::vector<std::size_t> item_counts{};                   // [table]
  bool damaged = false;

  /// Every array has as many names as it says.
  void name_items() {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      tables[i].table.items = items[tables[i].table.name];
      damaged = damaged || tables[i].table.items.size() != item_counts[i];
    }
  }
};

/// texts/NAME is a fact, names/TABLE has the names of its items.
void add_texts(const std::string& name, hid_t data, Gathered& out) {
  const Handle type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
  const std::size_t size = H5Tget_size(*type);
  const auto count = static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(*space), 0));
  std::string packed(size * count, '\0');
  out.damaged = out.damaged || H5Tis_variable_str(*type) > 0 || count == 0 ||
                H5Dread(data, *type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()) < 0;
  if (out.damaged) return;
  const std::string own = name.substr(name.find('/') + 1);
  if (name.starts_with("texts/")) out.facts[own] = without_padding(packed);
  if (name.starts_with("names/"))
    for (std::size_t i = 0; i < count; ++i)
      out.items[own].push_back(without_padding(packed.substr(i * size, size)));
}

herr_t visit(hid_t file, const char* name, const H5O_info_t* info, void* to) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  auto& out = *static_cast<Gathered*>(to);
  const hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
  out.damaged = out.damaged || data < 0;
  if (data < 0) return 0;
  const Handle type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
  hsize_t size[3] = {0, 0, 0};
  const int rank = H5Sget_simple_extent_ndims(*space);
  const bool is_text = H5Tget_class(*type) == H5T_STRING;
  if (is_text || rank < 2 || rank > 3) {
    if (is_text)
      add_texts(name, data, out);
    else
      out.damaged = true;
    H5Dclose(data);
    return 0;
  }
  H5Sget_simple_extent_dims(*space, size, nullptr);
  const hsize_t column_count = size[rank - 1];
  out.item_counts.push_back(rank == 3 ? size[1] : 0);
  ResultFile::Entry entry;
  entry.table.name = name;
  entry.rows = size[0];
  const auto columns = texts_of(data, "columns"), units = texts_of(data, "units");
  out.damaged = out.damaged || columns.size() != column_count || units.size() != column_count;
  for (std::size_t i = 0; i < std::min(columns.size(), units.size()); ++i)
    entry.table.columns.push_back({columns[i], units[i]});
  out.tables.push_back(std::move(entry));
  out.data.push_back(data);
  return 0;
}

bool is_journal(const std::filesystem::path& path) {
  JournalReader reader;
  return reader.open(path);
}

}  // namespace

/// A journal is read through a file that is made of it and has no name: it is gone with the program.
Result<ResultFile> ResultFile::open(const std::filesystem::path& path) {
  const auto fail = [&path](const std::string& text) { return Diagnostic{{path.string()}, text}; };
  std::filesystem::path source = path;
  const bool of_journal = is_journal(path);
  if (of_journal) {
    std::string name = (std::filesystem::temp_directory_path() / "percuss-XXXXXX").string();
    const int made = ::mkstemp(name.data());
    if (made < 0)
      return fail(std::string("its tables find no place in the temporary folder: ") + std::strerror(errno));
    ::close(made);
    source = name;
    if (const auto why = write_hdf5(path, source, {})) {
      std::error_code ignored;
      std::filesystem::remove(source, ignored);
      return fail(*why);
    }
  } else if (const auto fault = fault_of(path)) {
    return fail(*fault);
  }
  const std::scoped_lock lock(hdf5_lock());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are ours to report
  ResultFile out;
  out.open_ = std::make_unique<Open>();
  out.open_->file = H5Fopen(source.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (of_journal) ::unlink(source.c_str());
  bool damaged = out.open_->file < 0;
  if (!damaged) {
    H5Aiterate2(out.open_->file, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_fact, &out.facts_);
    Gathered gathered{out.facts_, out.tables_, out.open_->data};
    damaged = H5Ovisit2(out.open_->file, H5_INDEX_NAME, H5_ITER_INC, visit, &gathered, H5O_INFO_BASIC) < 0;
    gathered.name_items();
    damaged = damaged || gathered.damaged;
  }
  if (!damaged) return out;
  Open& handles = *out.open_;
  for (const hid_t d : std::exchange(handles.data, {})) H5Dclose(d);
  if (handles.file >= 0) H5Fclose(std::exchange(handles.file, -1));
  return fail("is damaged: a table cannot be read");
}

bool ResultFile::read(std::size_t table, std::size_t first, std::size_t count, std::size_t stride,
                      std::vector<double>& out) const {
  const std::scoped_lock lock(hdf5_lock());
  const Table& shape = tables_[table].table;
  out.resize(count * shape.width());
  if (out.empty()) return true;
  const hid_t data = open_->data[table];
  const bool has_items = !shape.items.empty();
  const hsize_t from[3] = {first, 0, 0}, by[3] = {stride, 1, 1};
  const hsize_t size[3] = {count, has_items ? shape.items.size() : shape.columns.size(), shape.columns.size()};
  const Handle space(H5Dget_space(data), H5Sclose),
      memory(H5Screate_simple(has_items ? 3 : 2, size, nullptr), H5Sclose);
  return H5Sselect_hyperslab(*space, H5S_SELECT_SET, from, by, size, nullptr) >= 0 &&
         H5Dread(data, H5T_NATIVE_DOUBLE, *memory, *space, H5P_DEFAULT, out.data()) >= 0;
}

namespace {

/// Of a run that was killed: how far it came, by its rows.
void set_what_rows_say(Recording& r) {
  r.impact_count = static_cast<std::int64_t>(r.impacts.size());
  r.raised_count = std::ranges::count_if(r.impacts, &recording::Impact::law_speed_raised);
  const FilledTable* ledger = r.find("ledger");
  if (!ledger || ledger->rows() == 0) return;
  const std::size_t last = ledger->rows() - 1;
  const auto of = [&](std::size_t row, std::string_view name) {
    const int c = ledger->column(name);
    return c < 0 ? 0.0 : ledger->at(row, static_cast<std::size_t>(c));
  };
  r.time_s = of(last, "t");
  for (const recording::EnergyTerm& term : recording::kEnergyTerms) {
    r.ledger.start.*term.value = of(0, term.key);
    r.ledger.end.*term.value = of(last, term.key);
  }
  for (std::size_t row = 0; row <= last; ++row)
    r.ledger.largest_error_J = std::max(r.ledger.largest_error_J, std::abs(of(row, "error")));
}

}  // namespace

Result<Recording> read_recording(const std::filesystem::path& path, std::size_t most_numbers) {
  const Result<ResultFile> file = ResultFile::open(path);
  if (!file) return file.errors();
  Recording out;
  recording::set_facts({file->facts().begin(), file->facts().end()}, out);
  constexpr std::size_t kLeastRows = 1000;
  std::size_t columns = 1;
  for (const ResultFile::Entry& entry : file->tables()) columns += entry.table.width();
  const std::size_t most_rows = std::max(kLeastRows, most_numbers / columns);
  for (std::size_t i = 0; i < file->tables().size(); ++i) {
    const ResultFile::Entry& entry = file->tables()[i];
    const std::size_t stride = entry.rows / most_rows + (entry.rows % most_rows > 0 ? 1 : 0);
    FilledTable t{entry.table, {}, entry.rows};
    if (stride > 0 && !file->read(i, 0, (entry.rows + stride - 1) / stride, stride, t.values))
      return Diagnostic{{path.string()}, "is damaged: the table " + entry.table.name + " cannot be read"};
    if (entry.table.name == "impacts")
      for (std::size_t r = 0; r < t.rows(); ++r)
        out.impacts.push_back(recording::impact_of(
            std::span(t.values).subspan(r * t.table.width(), t.table.width()), t.table.columns));
    if (entry.table.name == "events")
      for (std::size_t r = 0; r < t.rows(); ++r) out.events.push_back({static_cast<int>(t.at(r, 1)), t.at(r, 0)});
    out.tables.push_back(std::move(t));
  }
  if (const auto order = file->facts().find("tables"); order != file->facts().end()) {
    const auto place = [&](const FilledTable& t) {
      return ("\n" + order->second).find("\n" + t.table.name + "\n");
    };
    std::ranges::stable_sort(out.tables, {}, place);
  }
  if (out.end == recording::End::killed) set_what_rows_say(out);
  return out;
}

}  // namespace percuss::io
