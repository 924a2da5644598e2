// The HDF5 writer, in the library's C interface.
#include "percuss/io/hdf5.h"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "percuss/base/hexadecimal.h"
#include "percuss/base/units.h"
#include "percuss/io/checksum.h"
#include "percuss/io/guarded_driver.h"

namespace percuss::io {

namespace fs = std::filesystem;

std::mutex& hdf5_lock() {
  static std::mutex one_at_a_time;
  return one_at_a_time;
}

std::optional<std::string> head_for(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(kHeadSize);
  Checksum sum;
  std::uint64_t size = kHeadSize;
  std::vector<char> block(1 << 20);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    sum.add(block.data(), static_cast<std::size_t>(in.gcount()));
    size += static_cast<std::uint64_t>(in.gcount());
  }
  if (in.bad()) return std::nullopt;
  const std::string text = "# percuss recording, HDF5\nformat " + std::to_string(kFormatVersion) + "\nsize " +
                           std::to_string(size) + "\nchecksum " + hexadecimal(sum.value()) + "\n";
  std::string head(kHeadSize, '\0');
  text.copy(head.data(), head.size());
  return head;
}

namespace {

constexpr std::size_t kMostRowsAtOnce = 512, kMostNumbersAtOnce = 1 << 17;  // of a table, kept in memory
constexpr std::size_t kMostOfAnAttribute = 60'000;                          // bytes; HDF5 takes 64 KiB

hid_t text_type(std::size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void set_text(hid_t object, const std::string& name, const std::string& text) {
  const hid_t type = text_type(text.size()), space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, text.empty() ? "\0" : text.c_str());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

/// One behind the other, each as long as the longest.
std::pair<std::string, std::size_t> packed_texts(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& t : texts) longest = std::max(longest, t.size());
  std::string packed(longest * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(&packed[i * longest], longest);
  return {packed, longest};
}

void set_texts(hid_t object, const char* name, const std::vector<std::string>& texts) {
  const auto [packed, longest] = packed_texts(texts);
  const hsize_t count = texts.size();
  const hid_t type = text_type(longest), space = H5Screate_simple(1, &count, nullptr);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, packed.data());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

/// Properties of a dataset that is the same whenever it is written, and of links that make their groups.
struct Properties {
  hid_t data = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
  Properties() {
    H5Pset_obj_track_times(data, false);
    H5Pset_create_intermediate_group(links, 1);
  }
  ~Properties() {
    H5Pclose(data);
    H5Pclose(links);
  }
  Properties(const Properties&) = delete;
  Properties& operator=(const Properties&) = delete;
};

/// Texts of one length in a dataset: for what is too long for an attribute. `space` is closed.
void put_texts(hid_t file, const std::string& name, const std::string& packed, std::size_t length, hid_t space) {
  const Properties properties;
  const hid_t type = text_type(length);
  const hid_t data = H5Dcreate2(file, name.c_str(), type, space, properties.links, properties.data, H5P_DEFAULT);
  H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.empty() ? "\0" : packed.data());
  H5Dclose(data);
  H5Sclose(space);
  H5Tclose(type);
}

/// A table that is being filled.
struct OpenTable {
  hid_t data = -1;
  std::vector<hsize_t> shape;  // of a row: columns, or items and columns
  std::size_t width = 0, rows_at_once = 1;
  hsize_t all_rows = 0, rows = 0;
  std::vector<double> buffer;

  /// With the number of rows in front.
  std::vector<hsize_t> with_rows(hsize_t count, bool from_zero = false) const {
    std::vector<hsize_t> out{count};
    for (const hsize_t s : shape) out.push_back(from_zero ? 0 : s);
    return out;
  }

  void create(hid_t file, const Table& table) {
    if (!table.items.empty()) shape.push_back(table.items.size());
    shape.push_back(table.columns.size());
    width = table.width();
    rows_at_once =
        std::clamp<std::size_t>(kMostNumbersAtOnce / std::max<std::size_t>(width, 1), 1, kMostRowsAtOnce);
    const std::vector<hsize_t> size = with_rows(all_rows), most = with_rows(H5S_UNLIMITED),
                               chunk = with_rows(std::clamp<hsize_t>(all_rows, 1, rows_at_once));
    const auto rank = static_cast<int>(size.size());
    const Properties properties;
    const hid_t space = H5Screate_simple(rank, size.data(), most.data());
    H5Pset_chunk(properties.data, rank, chunk.data());
    H5Pset_fletcher32(properties.data);
    data = H5Dcreate2(file, table.name.c_str(), H5T_NATIVE_DOUBLE, space, properties.links, properties.data,
                      H5P_DEFAULT);
    H5Sclose(space);
    if (!table.items.empty()) {
      const auto [packed, longest] = packed_texts(table.items);
      const hsize_t count = table.items.size();
      put_texts(file, "names/" + table.name, packed, longest, H5Screate_simple(1, &count, nullptr));
    }
    std::vector<std::string> names, units;
    for (const Column& c : table.columns) {
      names.push_back(c.name);
      units.push_back(c.unit);
    }
    set_texts(data, "columns", names);
    set_texts(data, "units", units);
  }

  bool write() {
    const hsize_t fresh = width > 0 ? buffer.size() / width : 0;
    if (fresh == 0) return true;
    const std::vector<hsize_t> from = with_rows(rows, true), count = with_rows(fresh);
    const hid_t space = H5Dget_space(data),
                memory = H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr);
    const bool good = H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, buffer.data()) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    rows += fresh;
    buffer.clear();
    return good;
  }
};

/// The tables of a journal with the number of their rows, and its facts.
struct Contents {
  Facts facts;
  std::vector<Table> tables;
  std::vector<hsize_t> rows;
};

std::optional<Contents> contents_of(const fs::path& journal) {
  JournalReader reader;
  if (!reader.open(journal)) return std::nullopt;
  Contents out;
  JournalReader::Frame frame;
  while (reader.next(frame)) {
    if (frame.kind == JournalReader::Frame::Kind::facts)
      out.facts.insert(out.facts.end(), frame.facts.begin(), frame.facts.end());
    if (frame.kind == JournalReader::Frame::Kind::tables) {
      out.tables = frame.tables;
      out.rows.assign(out.tables.size(), 0);
    }
    if (frame.kind != JournalReader::Frame::Kind::row) continue;
    if (frame.table >= out.tables.size() || frame.values.size() != out.tables[frame.table].width())
      return std::nullopt;
    ++out.rows[frame.table];
  }
  return out;
}

bool fill(hid_t file, const fs::path& journal, const Contents& contents, const WriteGuard& guard) {
  std::vector<OpenTable> tables(contents.tables.size());
  bool good = true;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i].all_rows = contents.rows[i];
    tables[i].create(file, contents.tables[i]);
    good = good && tables[i].data >= 0;
  }
  JournalReader reader;
  JournalReader::Frame frame;
  good = good && reader.open(journal);
  while (good && !guard.failed && reader.next(frame)) {
    if (frame.kind != JournalReader::Frame::Kind::row) continue;
    OpenTable& t = tables[frame.table];
    t.buffer.insert(t.buffer.end(), frame.values.begin(), frame.values.end());
    if (t.buffer.size() >= t.rows_at_once * t.width) good = t.write();
  }
  for (OpenTable& t : tables) {
    good = good && t.write();
    if (t.data >= 0) H5Dclose(t.data);
  }
  return good;
}

/// Size and checksum of all behind the head go into it. What is returned says why it could not be done.
std::optional<std::string> seal(const fs::path& path) {
  const std::optional<std::string> head = head_for(path);
  if (!head) return std::strerror(errno);
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out.write(head->data(), static_cast<std::streamsize>(head->size()));
  out.close();
  return out ? std::nullopt : std::optional<std::string>(std::strerror(errno));
}

}  // namespace

std::optional<std::string> write_hdf5(const fs::path& journal, const fs::path& to, const Facts& facts) {
  const std::scoped_lock lock(hdf5_lock());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are ours to report
  const std::optional<Contents> contents = contents_of(journal);
  if (!contents) return journal.string() + " is damaged";
  fs::path beside = to;
  beside += ".part" + std::to_string(::getpid());
  std::error_code ignored;
  const auto failure = [&](const std::string& why) {
    fs::remove(beside, ignored);
    return why;
  };
  WriteGuard guard;
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(creation, kHeadSize);
  H5Pset_obj_track_times(creation, false);
  const hid_t file = create_guarded(beside, creation, guard);
  H5Pclose(creation);
  if (file < 0) return failure(guard.failed ? guard.why : "HDF5 does not make the file");
  bool good = fill(file, journal, *contents, guard);
  Facts all{{"format_version", std::to_string(kFormatVersion)}};
  for (const Facts* list : {&contents->facts, &facts})
    for (const auto& fact : *list) {
      const auto known = std::ranges::find(all, fact.first, &Facts::value_type::first);
      if (known == all.end())
        all.push_back(fact);
      else
        known->second = fact.second;
    }
  for (const auto& [name, text] : all) {
    if (text.size() < kMostOfAnAttribute)
      set_text(file, name, text);
    else
      put_texts(file, "texts/" + name, text, text.size(), H5Screate(H5S_SCALAR));
  }
  good = H5Fclose(file) >= 0 && good;
  if (guard.failed) return failure(guard.why);
  if (!good) return failure("HDF5 does not take the tables");
  if (const auto why = seal(beside)) return failure(*why);
  std::error_code error;
  fs::rename(beside, to, error);
  if (error) return failure(error.message());
  return std::nullopt;
}

ResultSink::ResultSink(fs::path path) : path_(std::move(path)), partial_(path_) { partial_ += ".partial"; }

Result<std::unique_ptr<ResultSink>> ResultSink::open(const fs::path& path) {
  std::unique_ptr<ResultSink> sink(new ResultSink(path));
  sink->journal_.open(sink->partial_);
  sink->journal_.put_facts({{"status", "partial"}});
  if (!sink->journal_.has_failed()) return sink;
  sink->journal_.close();
  std::error_code ignored;
  fs::remove(sink->partial_, ignored);
  return Diagnostic{{path.string()}, "cannot be written: " + sink->journal_.why(), Diagnostic::Kind::not_written};
}

Result<std::unique_ptr<ResultSink>> ResultSink::open_again(const fs::path& path, std::uint64_t size) {
  std::unique_ptr<ResultSink> sink(new ResultSink(path));
  sink->goes_on_ = true;
  if (sink->journal_.open_again(sink->partial_, size)) return sink;
  return Diagnostic{{sink->partial_.string()}, "cannot be gone on with: " + sink->journal_.why()};
}

void ResultSink::begin(const recording::Head& head, const std::vector<Table>& tables) {
  if (goes_on_) return;
  std::string names;
  for (const Table& t : tables) names += t.name + "\n";
  journal_.put_facts(recording::opening_facts(head));
  journal_.put_facts({{"tables", names}});  // their order, which groups of HDF5 do not keep
  journal_.put_tables(tables);
}

std::optional<std::uint64_t> ResultSink::flushed_size() {
  return journal_.flush() ? std::optional(journal_.size()) : std::nullopt;
}

std::optional<Diagnostic> ResultSink::finish(const recording::Recording& recording, bool keep_journal) {
  const auto kept = [this](const std::string& why) {
    return Diagnostic{{path_.string()},
                      "could not be written whole: " + why + "; " + partial_.string() + " has what there is",
                      Diagnostic::Kind::not_written};
  };
  if (!journal_.flush()) return kept(journal_.why());
  journal_.close();
  if (const auto why = write_hdf5(partial_, path_, recording::closing_facts(recording))) return kept(*why);
  std::error_code ignored;
  if (!keep_journal) fs::remove(partial_, ignored);
  return std::nullopt;
}

}  // namespace percuss::io
