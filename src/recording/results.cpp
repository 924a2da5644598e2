// The HDF5 reader, in the library's C interface.
#include "percuss/recording/results.h"

#include <hdf5.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "percuss/recording/hdf5.h"

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
  for (const Table& t : tables) tables_.push_back({t, {}});
}

bool MemorySink::row(std::size_t table, std::span<const double> values) {
  tables_[table].values.insert(tables_[table].values.end(), values.begin(), values.end());
  return true;
}

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

struct Reader {
  Results out;
  bool damaged = false;

  void add_text(const std::string& name, hid_t data) {
    const Handle type(H5Dget_type(data), H5Tclose);
    std::string text(H5Tget_size(*type), '\0');
    damaged = damaged || H5Dread(data, *type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0;
    out.facts[name] = without_padding(text);
  }

  void add_table(const std::string& name, hid_t data) {
    const Handle type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
    if (H5Tget_class(*type) == H5T_STRING) return add_text(name, data);
    hsize_t size[2] = {0, 0};
    if (H5Sget_simple_extent_ndims(*space) != 2) {
      damaged = true;
      return;
    }
    H5Sget_simple_extent_dims(*space, size, nullptr);
    FilledTable t;
    t.table.name = name;
    const auto columns = texts_of(data, "columns"), units = texts_of(data, "units");
    damaged = damaged || columns.size() != size[1] || units.size() != size[1];
    for (std::size_t i = 0; i < std::min(columns.size(), units.size()); ++i)
      t.table.columns.push_back({columns[i], units[i]});
    t.values.resize(size[0] * size[1]);
    if (!t.values.empty())
      damaged = damaged || H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t.values.data()) < 0;
    out.tables.push_back(std::move(t));
  }
};

herr_t visit(hid_t file, const char* name, const H5O_info_t* info, void* reader) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  const Handle data(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  auto* r = static_cast<Reader*>(reader);
  if (data)
    r->add_table(name, *data);
  else
    r->damaged = true;
  return 0;
}

}  // namespace

Result<Results> read_results(const std::filesystem::path& path) {
  const auto fail = [&path](const std::string& text) { return Diagnostic{{path.string()}, text}; };
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are ours to report
  {
    std::ifstream there(path, std::ios::binary);
    if (!there) return fail("the file cannot be read");
    std::string head(32, '\0');
    there.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (!head.starts_with("# percuss recording, HDF5")) return fail("is not a result file of percuss");
  }
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file) return fail("is cut short or damaged: HDF5 cannot open it");
  Reader reader;
  reader.out.source = path.string();
  H5Aiterate2(*file, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_fact, &reader.out.facts);
  const std::string version = reader.out.fact("format_version");
  if (version != std::to_string(kFormatVersion))
    return fail("has the format version \"" + version + "\"; this program reads version " +
                std::to_string(kFormatVersion));
  H5Ovisit2(*file, H5_INDEX_NAME, H5_ITER_INC, visit, &reader, H5O_INFO_BASIC);
  if (reader.damaged) return fail("is cut short or damaged: a table cannot be read");
  return std::move(reader.out);
}

}  // namespace percuss::recording
