// How much the outcome hangs on gaps too small to know.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "percuss/collision/collide.h"

namespace percuss::collision {

/// One outcome, and how many of the perturbed collisions end like it.
struct Variant {
  Eigen::VectorXd impulse_Ns, approach_mps;
  std::vector<char> opened;  // [point] of the first that ended so: which gaps were open
  int count = 0;
};

struct Sensitivity {
  double gap_m = 0;  // of an open point
  bool all = true;   // all combinations of open points were tried; else a sample of them
  int tried = 0;
  std::vector<Variant> variants;        // distinct outcomes, the most frequent first
  Eigen::VectorXd least_mps, most_mps;  // of the approach speeds after, over all
};

/// Each point is closed, or open by epsilon times the greatest indentation of the unperturbed collision. All
/// combinations with at least one closed point are tried (with more than ten points: each alone open, each alone
/// closed, and a seeded sample). Outcomes are distinct if an approach speed differs by more than `apart` of the
/// largest one before.
Sensitivity sensitivity(const Collision& collision, double epsilon, double apart = 1e-6);

}  // namespace percuss::collision
