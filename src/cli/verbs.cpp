// One line a verb.
#include "percuss/cli/verbs.h"

#include <array>

namespace percuss::cli {

std::span<const Verb> verbs() {
  static const std::array<Verb, 3> all = {kLawsVerb, kImpactVerb, kMapVerb};
  return all;
}

}  // namespace percuss::cli
