// How a diagnostic reads.
#include "percuss/base/diagnostic.h"

namespace percuss {

std::string one_line(const Diagnostic& diagnostic) {
  const Where& at = diagnostic.at;
  std::string line = at.source;
  if (at.line > 0) line += ":" + std::to_string(at.line);
  if (at.column > 0) line += ":" + std::to_string(at.column);
  if (!line.empty()) line += ": ";
  return line + "error: " + diagnostic.text;
}

}  // namespace percuss
