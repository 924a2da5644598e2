// One scene, many laws.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/model/model.h"
#include "percuss/recording/recording.h"
#include "percuss/study/jobs.h"

namespace percuss::study {

struct CompareRequest {
  std::string scene_file;
  std::vector<std::string> overrides;  // of every run: key=value
  std::string law_folder;
  std::vector<std::string> laws;  // keys; empty: every row of the table that the scene's contacts can be asked for
  bool published = true, exact = false;                                  // calibrations
  std::vector<std::pair<std::string, std::vector<std::string>>> varied;  // keys of the scene and their values
  bool horizon = true;                                                   // of each run
  unsigned threads = 0;                                                  // 0: all cores
  Progress go_on;
};

/// One law on one variant of the scene.
struct ComparedRun {
  std::string law, calibration, variant;  // variant: "ball.restitution=0.9", or ""
  std::vector<std::string> also;          // laws that are the same one under this calibration
  std::vector<Diagnostic> refused;        // why it could not be asked for; then nothing below is filled
  recording::Recording recording;         // with its samples
  std::vector<std::string> warnings;      // of compilation and of the run
  double wall_s = 0;
  bool other_stiffness = false;  // its number means something else under this law

  int rank = 0;  // among the laws of its variant, from 1; 0: it did not run

  bool ran() const { return refused.empty() && recording.end != recording::End::failed; }
  std::string law_name() const;  // with calibration
  std::string name() const;      // and variant
};

/// What a run comes down to. Numbers that are not there are nan.
struct ComparedNumbers {
  double prescribed = 0, delivered = 0;  // of the first impact
  double bias = 0;                       // mean of |energetic restitution - prescribed|, impacts weighed by energy
  double peak_N = 0, depth_m = 0, lost_J = 0, energy_error = 0;  // largest, over the energy exchanged
  long impacts = 0;
  double horizon_s = 0;  // when the run parts from one at a tighter tolerance; nan: it does not, or nobody asked
};
ComparedNumbers numbers_of(const ComparedRun& run);

/// One law over all variants.
struct OverallBias {
  std::string law;
  double mean = 0, worst = 0;
  std::string worst_variant;
};

struct Comparison {
  std::string title, scene_file, scene_text;
  std::vector<std::string> overrides, contacts;
  bool planar = false;
  std::vector<ComparedRun> runs;     // in the order of the request: variants, then laws, then calibrations
  std::vector<std::size_t> ranking;  // of those that ran, variant by variant: least bias first, then least energy
                                     // lost; laws to which the stiffness is another quantity last
  std::vector<OverallBias> overall;  // least mean first; of laws that ran on all of several variants
};

/// Errors are those of the scene itself or of a key that does not exist; a law that cannot be used or fails does
/// not stop the others.
Result<Comparison> compare(const CompareRequest& request);

}  // namespace percuss::study
