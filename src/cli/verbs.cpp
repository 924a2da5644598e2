// One line a verb.
#include "percuss/cli/verbs.h"

#include <array>

namespace percuss::cli {

std::span<const Verb> verbs() {
  static const std::array<Verb, 17> all = {kLawsVerb,      kImpactVerb,    kMapVerb,    kNewVerb,     kSchemaVerb,
                                           kCheckVerb,     kRunVerb,       kModesVerb,  kCollideVerb, kCompareVerb,
                                           kReproduceVerb, kReportVerb,    kExportVerb, kSweepVerb,   kIdentifyVerb,
                                           kImportVerb,    kCompletionVerb};
  return all;
}

}  // namespace percuss::cli
