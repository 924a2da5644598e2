// One line a verb.
#include "percuss/cli/verbs.h"

#include <array>

namespace percuss::cli {

std::span<const Verb> verbs() {
  static const std::array<Verb, 14> all = {kLawsVerb,   kImpactVerb, kMapVerb,        kNewVerb,     kSchemaVerb,
                                           kCheckVerb,  kRunVerb,    kPercussionVerb, kCompareVerb, kReproduceVerb,
                                           kReportVerb, kExportVerb, kSweepVerb,      kIdentifyVerb};
  return all;
}

}  // namespace percuss::cli
