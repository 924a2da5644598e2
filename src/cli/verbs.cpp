// One line a verb.
#include "percuss/cli/verbs.h"

#include <array>

namespace percuss::cli {

std::span<const Verb> verbs() {
  static const std::array<Verb, 15> all = {kLawsVerb,   kImpactVerb, kMapVerb,     kNewVerb,      kSchemaVerb,
                                           kCheckVerb,  kRunVerb,    kCollideVerb, kCompareVerb,  kReproduceVerb,
                                           kReportVerb, kExportVerb, kSweepVerb,   kIdentifyVerb, kCompletionVerb};
  return all;
}

}  // namespace percuss::cli
