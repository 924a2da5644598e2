// A virtual file driver in HDF5's own interface: plain reads and writes of one file.
#include "percuss/io/guarded_driver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace percuss::io {

namespace {

struct File {
  H5FD_t base{};  // the library's part, in front
  int handle = -1;
  haddr_t end_of_addresses = 0, end_of_file = 0;
  WriteGuard* guard = nullptr;
};
File& own(H5FD_t* file) { return *reinterpret_cast<File*>(file); }
const File& own(const H5FD_t* file) { return *reinterpret_cast<const File*>(file); }

void note(WriteGuard& guard) {
  if (guard.failed) return;
  guard.failed = true;
  guard.why = std::strerror(errno);
}

/// What the library copies along with the properties of a file.
struct Info {
  WriteGuard* guard = nullptr;
};

H5FD_t* open_file(const char* name, unsigned, hid_t access, haddr_t) {
  WriteGuard* const guard = static_cast<const Info*>(H5Pget_driver_info(access))->guard;
  const int handle = ::open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (handle < 0) {
    note(*guard);
    return nullptr;
  }
  auto* file = new (std::nothrow) File;
  if (!file) return nullptr;
  file->handle = handle;
  file->guard = guard;
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  if (::close(own(file).handle) != 0) note(*own(file).guard);
  delete &own(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) { return a < b ? -1 : a > b ? 1 : 0; }

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return own(file).end_of_addresses; }
herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  own(file).end_of_addresses = address;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return own(file).end_of_file; }

/// What was never written, or could not be, reads as zeros.
herr_t read_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* to) {
  auto* next = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = ::pread(own(file).handle, next, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    next += got;
    address += static_cast<haddr_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  std::fill_n(next, size, '\0');
  return 0;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* from) {
  File& f = own(file);
  f.end_of_file = std::max(f.end_of_file, address + size);
  const auto* next = static_cast<const char*>(from);
  while (size > 0 && !f.guard->failed) {
    const ssize_t put = ::pwrite(f.handle, next, size, static_cast<off_t>(address));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      note(*f.guard);
      break;
    }
    next += put;
    address += static_cast<haddr_t>(put);
    size -= static_cast<std::size_t>(put);
  }
  return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  File& f = own(file);
  if (f.end_of_addresses == f.end_of_file) return 0;
  if (!f.guard->failed && ::ftruncate(f.handle, static_cast<off_t>(f.end_of_addresses)) != 0) note(*f.guard);
  f.end_of_file = f.end_of_addresses;
  return 0;
}

const H5FD_class_t& driver() {
  static const H5FD_class_t row = [] {
    H5FD_class_t c{};
    c.name = "percuss";
    c.maxaddr = static_cast<haddr_t>(1) << 62;
    c.fc_degree = H5F_CLOSE_WEAK;
    c.fapl_size = sizeof(Info);
    c.open = open_file;
    c.close = close_file;
    c.cmp = compare;
    c.query = query;
    c.get_eoa = end_of_addresses;
    c.set_eoa = set_end_of_addresses;
    c.get_eof = end_of_file;
    c.read = read_file;
    c.write = write_file;
    c.truncate = truncate_file;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(c.fl_map));
    return c;
  }();
  return row;
}

}  // namespace

hid_t create_guarded(const std::filesystem::path& path, hid_t creation, WriteGuard& guard) {
  static const hid_t id = H5FDregister(&driver());
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  const Info info{&guard};
  H5Pset_driver(access, id, &info);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access);
  H5Pclose(access);
  return file;
}

}  // namespace percuss::io
