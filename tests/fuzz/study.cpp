// Any text is a study whose points run, a fit whose laws are tried, or a list of errors; never a crash, never a
// hang.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "percuss/study/identify/identify.h"
#include "percuss/study/sweep/point.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace percuss;
  using Clock = std::chrono::steady_clock;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Clock::time_point begin = Clock::now();
  const auto go_on = [begin] { return Clock::now() - begin < std::chrono::milliseconds(20); };
  // files that a text names are looked for beside the shipped ones
  const Result<study::Study> study = study::read_study_text(text, "studies/fuzz.yaml", "");
  if (!study && study.errors().empty()) std::abort();
  if (study) {
    const study::RecordingFiles nowhere;
    study::PointRunner runner(*study, nowhere, 0, go_on);
    for (std::size_t i = 0; i < study->design.size() && i < 3 && study->recordings.empty() && !study->bifurcation;
         ++i)
      if (runner.run(i).status == study::PointStatus::failed && runner.run(i).reason.empty()) std::abort();
    return 0;
  }
  const Result<study::Fit> fit = study::read_fit_text(text, "studies/fuzz.yaml", "");
  if (!fit) {
    if (fit.errors().empty()) std::abort();
    return 0;
  }
  study::fit_law(*fit, fit->laws.front(), false, go_on);
  return 0;
}
