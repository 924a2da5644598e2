// Which surfaces can come together in a step: boxes around their paths, sorted into cells.
#pragma once

#include <vector>

#include "percuss/model/kinematics.h"

namespace percuss::model {

/// The pairs found are a function of the places alone. Wider boxes are kept from call to call, so that as long as
/// all paths stay inside of them only their neighbours are looked at; that changes the cost, never the answer.
class BroadPhase {
 public:
  explicit BroadPhase(const Model& model);

  /// Pairs that may touch between two placements of the bodies a time h apart: those with a contact by name, in
  /// their order, then those by materials, sorted by their surfaces.
  const std::vector<ContactPair>& near(const Motions& begin, const Motions& end, double h_s);

 private:
  struct Box {
    Vec3 low, high;
  };
  static bool meet(const Box& a, const Box& b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
  }
  Box path_of(int surface, const Motions& begin, const Motions& end, double h_s) const;
  bool all_inside() const;
  void find_neighbours();

  const Model& model_;
  std::vector<int> bounded_, unbounded_;         // surfaces with a contact by materials
  std::vector<Box> paths_, wide_;                // [place in bounded_]
  std::vector<std::pair<int, int>> neighbours_;  // places in bounded_ whose wide boxes meet, sorted
  std::vector<ContactPair> pairs_;
};

}  // namespace percuss::model
