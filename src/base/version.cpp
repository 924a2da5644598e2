// The values are CMake's.
#include "percuss/base/version.h"

#include "percuss_version.h"

namespace percuss {

std::string version_number() { return PERCUSS_VERSION; }
std::string commit() { return PERCUSS_COMMIT; }
std::string compiler() { return PERCUSS_COMPILER ", " PERCUSS_BUILD_TYPE; }
std::string build_text() { return (commit().empty() ? "" : "commit " + commit() + ", ") + compiler(); }

}  // namespace percuss
