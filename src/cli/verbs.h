// The table of verbs.
#pragma once

#include "percuss/cli/arguments.h"

namespace percuss::cli {

std::span<const Verb> verbs();

// one file each
extern const Verb kLawsVerb, kImpactVerb, kMapVerb, kNewVerb, kSchemaVerb, kCheckVerb, kRunVerb, kCollideVerb,
    kReportVerb, kCompareVerb, kReproduceVerb, kExportVerb, kSweepVerb, kIdentifyVerb, kModesVerb, kImportVerb,
    kCompletionVerb;

}  // namespace percuss::cli
