// How a run ended, in words.
#include "percuss/recording/facts.h"

#include "percuss/base/hexadecimal.h"
#include "percuss/base/units.h"

namespace percuss::recording {

std::string status_of(const Recording& recording) {
  return recording.end == End::done || recording.end == End::stopped_by_event ? "complete" : "partial";
}

Facts closing_facts(const Recording& recording, const std::vector<std::string>& model_warnings) {
  std::string warnings;
  for (const std::vector<std::string>* list : {&model_warnings, &recording.warnings})
    for (const std::string& w : *list) warnings += w + "\n";
  const std::string end = recording.end == End::stopped_by_event ? "stopped by an event"
                          : recording.end == End::done           ? "done"
                                                                 : "interrupted";
  return {{"end", recording.failure.empty() ? end : recording.failure},
          {"fingerprint", hexadecimal(recording.fingerprint)},
          {"warnings", warnings},
          {"largest_error_J", text_of(recording.ledger.largest_error_J)},
          {"exchanged_J", text_of(recording.ledger.exchanged_J)}};
}

}  // namespace percuss::recording
