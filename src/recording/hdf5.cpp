// The HDF5 writer, in the library's C interface.
#include "percuss/recording/hdf5.h"

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <system_error>

#include "percuss/base/units.h"

namespace percuss::recording {

namespace fs = std::filesystem;

namespace {

constexpr hsize_t kUserBlock = 512;  // bytes before HDF5's own signature; holds the line that says whose file it is
constexpr std::size_t kRowsAtOnce = 512;  // of a table, kept in memory
constexpr std::chrono::seconds kFlushEvery{1};

void set_text(hid_t object, const std::string& name, const std::string& text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, text.empty() ? 1 : text.size());
  H5Tset_cset(type, H5T_CSET_UTF8);
  const hid_t space = H5Screate(H5S_SCALAR);
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  const hid_t attribute = H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, text.empty() ? "\0" : text.c_str());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

void set_texts(hid_t object, const char* name, const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& t : texts) longest = std::max(longest, t.size());
  std::string packed(longest * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(&packed[i * longest], longest);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, longest);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const hsize_t count = texts.size();
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, packed.data());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

/// A text too long for an attribute (64 KiB) goes into a dataset.
void set_long_text(hid_t file, const char* name, const std::string& text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, text.empty() ? 1 : text.size());
  H5Tset_cset(type, H5T_CSET_UTF8);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(properties, false);
  const hid_t data = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.empty() ? "\0" : text.c_str());
  H5Dclose(data);
  H5Pclose(properties);
  H5Sclose(space);
  H5Tclose(type);
}

void set_fact(hid_t file, const std::string& name, const std::string& text) {
  constexpr std::size_t kMostOfAnAttribute = 60'000;
  if (text.size() < kMostOfAnAttribute)
    set_text(file, name, text);
  else
    set_long_text(file, name.c_str(), text);
}

}  // namespace

struct Hdf5Sink::File {
  fs::path path, partial;
  hid_t id = -1;
  struct Open {
    hid_t data = -1;
    std::size_t columns = 0;
    hsize_t rows = 0;
    std::vector<double> buffer;
  };
  std::vector<Open> tables;
  bool failed = false;
  std::chrono::steady_clock::time_point flushed = std::chrono::steady_clock::now();

  void write(Open& t) {
    if (t.buffer.empty() || failed) return;
    const hsize_t fresh = t.buffer.size() / t.columns;
    const hsize_t size[2] = {t.rows + fresh, t.columns}, from[2] = {t.rows, 0}, count[2] = {fresh, t.columns};
    failed = H5Dset_extent(t.data, size) < 0;
    const hid_t space = H5Dget_space(t.data), memory = H5Screate_simple(2, count, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, count, nullptr);
    failed = failed || H5Dwrite(t.data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, t.buffer.data()) < 0;
    H5Sclose(memory);
    H5Sclose(space);
    t.rows += fresh;
    t.buffer.clear();
  }

  void flush_now_and_then() {
    const auto now = std::chrono::steady_clock::now();
    if (now - flushed < kFlushEvery) return;
    flushed = now;
    for (Open& t : tables) write(t);
    failed = failed || H5Fflush(id, H5F_SCOPE_GLOBAL) < 0;
  }

  void close() {
    for (Open& t : tables) H5Dclose(t.data);
    tables.clear();
    if (id >= 0 && H5Fclose(id) < 0) failed = true;
    id = -1;
  }
};

Hdf5Sink::Hdf5Sink(std::unique_ptr<File> file) : file_(std::move(file)) {}
Hdf5Sink::~Hdf5Sink() {
  if (file_->id >= 0) file_->close();
}

Result<std::unique_ptr<Hdf5Sink>> Hdf5Sink::open(const fs::path& path, const Facts& facts) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are ours to report
  auto file = std::make_unique<File>();
  file->path = path;
  file->partial = path;
  file->partial += ".partial";
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(creation, kUserBlock);
  H5Pset_obj_track_times(creation, false);
  file->id = H5Fcreate(file->partial.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
  H5Pclose(creation);
  if (file->id < 0) return Diagnostic{{path.string()}, "cannot be written"};
  std::string head = "# percuss recording, HDF5\n";
  head.resize(kUserBlock, '\0');
  const int raw = ::open(file->partial.c_str(), O_WRONLY);
  const bool marked = raw >= 0 && ::pwrite(raw, head.data(), head.size(), 0) == static_cast<ssize_t>(head.size());
  if (raw >= 0) ::close(raw);
  if (!marked) return Diagnostic{{path.string()}, "cannot be written"};
  set_text(file->id, "format_version", std::to_string(kFormatVersion));
  set_text(file->id, "status", "partial");
  for (const auto& [name, text] : facts) set_fact(file->id, name, text);
  H5Fflush(file->id, H5F_SCOPE_GLOBAL);
  return std::unique_ptr<Hdf5Sink>(new Hdf5Sink(std::move(file)));
}

void Hdf5Sink::define(const std::vector<Table>& tables) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  for (const Table& table : tables) {
    File::Open t;
    t.columns = table.columns.size();
    const hsize_t now[2] = {0, t.columns}, most[2] = {H5S_UNLIMITED, t.columns},
                  chunk[2] = {kRowsAtOnce, t.columns};
    const hid_t space = H5Screate_simple(2, now, most), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 2, chunk);
    H5Pset_obj_track_times(properties, false);
    t.data = H5Dcreate2(file_->id, table.name.c_str(), H5T_NATIVE_DOUBLE, space, links, properties, H5P_DEFAULT);
    H5Pclose(properties);
    H5Sclose(space);
    file_->failed = file_->failed || t.data < 0;
    std::vector<std::string> names, units;
    for (const Column& c : table.columns) {
      names.push_back(c.name);
      units.push_back(c.unit);
    }
    set_texts(t.data, "columns", names);
    set_texts(t.data, "units", units);
    file_->tables.push_back(std::move(t));
  }
  H5Pclose(links);
  H5Fflush(file_->id, H5F_SCOPE_GLOBAL);
}

bool Hdf5Sink::row(std::size_t table, std::span<const double> values) {
  File::Open& t = file_->tables[table];
  t.buffer.insert(t.buffer.end(), values.begin(), values.end());
  if (t.buffer.size() >= kRowsAtOnce * t.columns) {
    file_->write(t);
    file_->flush_now_and_then();
  }
  return !file_->failed;
}

std::optional<Diagnostic> Hdf5Sink::finish(const std::string& status, const Facts& facts) {
  for (File::Open& t : file_->tables) file_->write(t);
  for (const auto& [name, text] : facts) set_fact(file_->id, name, text);
  set_text(file_->id, "status", file_->failed ? "partial" : status);
  file_->close();
  if (file_->failed)
    return Diagnostic{{file_->path.string()},
                      "could not be written whole; " + file_->partial.string() + " has what there is"};
  std::error_code error;
  fs::rename(file_->partial, file_->path, error);
  if (error) return Diagnostic{{file_->path.string()}, "cannot be written: " + error.message()};
  return std::nullopt;
}

std::string status_of(const Recording& recording) {
  return recording.end == End::done || recording.end == End::stopped_by_event ? "complete" : "partial";
}

Facts closing_facts(const Recording& recording, const std::vector<std::string>& model_warnings) {
  std::string warnings, fingerprint;
  for (const std::vector<std::string>* list : {&model_warnings, &recording.warnings})
    for (const std::string& w : *list) warnings += w + "\n";
  for (int shift = 60; shift >= 0; shift -= 4)
    fingerprint += "0123456789abcdef"[recording.fingerprint >> shift & 15];
  const std::string end = status_of(recording) == "complete" ? "done" : "interrupted";
  return {{"end", recording.failure.empty() ? end : recording.failure},
          {"fingerprint", fingerprint},
          {"warnings", warnings},
          {"largest_gap_J", text_of(recording.ledger.largest_gap_J)},
          {"moved_J", text_of(recording.ledger.moved_J)}};
}

}  // namespace percuss::recording
