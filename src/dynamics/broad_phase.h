// Which surfaces can come together in a step: spheres around them, swept, sorted along x.
#pragma once

#include <vector>

#include "percuss/model/kinematics.h"

namespace percuss::dynamics {

class BroadPhase {
 public:
  explicit BroadPhase(const model::Model& model);

  /// Pairs that may touch between two placements of the bodies a time h apart; their order depends on the
  /// places alone.
  const std::vector<model::ContactPair>& near(const model::Motions& begin, const model::Motions& end, double h_s);

 private:
  struct Bounds {
    Vec3 low, high;
  };
  void offer(int a, int b);

  const model::Model& model_;
  std::vector<int> bounded_, unbounded_;  // surfaces with a contact by materials
  std::vector<Bounds> bounds_;            // [surface]
  std::vector<model::ContactPair> pairs_;
};

}  // namespace percuss::dynamics
