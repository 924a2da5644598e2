// One point of a study, run: the only way there is, on threads, ranks and shards alike.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "percuss/model/compile.h"
#include "percuss/study/sweep/study_file.h"

namespace percuss::study {

enum class PointStatus : std::uint8_t {
  done,
  failed,      // for a reason that is the point's own: it would fail again
  again,       // the wall-clock limit, a full disk or a lack of memory ended it
  interrupted  // nothing is kept
};

struct PointResult {
  std::size_t point = 0;
  PointStatus status = PointStatus::done;
  std::string reason;           // of one that is not done
  std::vector<double> outputs;  // nan: not there
  double wall_s = 0;
};

/// Where whole recordings go.
struct RecordingFiles {
  std::filesystem::path folder;
};

/// Of one thread.
class PointRunner {
 public:
  PointRunner(const Study& study, const RecordingFiles& files, double wall_limit_s, std::function<bool()> go_on);
  PointResult run(std::size_t point);

 private:
  void run_impact(const std::vector<AxisValue>& values, PointResult& out);
  void run_scene(const std::vector<AxisValue>& values, PointResult& out);
  void keep(PointResult& out, const Measured& measured) const;

  const Study& study_;
  const RecordingFiles& files_;
  double wall_limit_s_;
  std::function<bool()> go_on_;
  std::vector<const Measure*> channels_;
  std::vector<double> axes_;
  bool needs_times_, needs_horizon_;
  impact::Words words_;
  std::optional<VariedScene> scene_;
};

}  // namespace percuss::study
