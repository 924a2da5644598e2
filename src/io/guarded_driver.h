// A file for HDF5 whose writes never fail as far as the library can see. The library does not survive a disk that
// is full: it ends the program when the file is closed. Here the first failure is kept, and what comes after it
// goes nowhere.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string>

namespace percuss::io {

/// What became of the writes of one file; it must outlive the file.
struct WriteGuard {
  bool failed = false;
  std::string why;
};

/// A new file with this creation property list; below 0: it cannot be made (`guard` says why).
hid_t create_guarded(const std::filesystem::path& path, hid_t creation, WriteGuard& guard);

}  // namespace percuss::io
