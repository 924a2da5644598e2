// A program without urdfdom.
#include "percuss/io/urdf.h"

namespace percuss::io {

bool reads_urdf() { return false; }

Result<Urdf> read_urdf(const std::string&, const std::string& source) {
  return Diagnostic{{source},
                    "this program was built without urdfdom (Debian: liburdfdom-dev) and reads no URDF",
                    Diagnostic::Kind::not_available};
}

}  // namespace percuss::io
