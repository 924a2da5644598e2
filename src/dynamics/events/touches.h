// Where surfaces come into contact in a step.
#pragma once

#include <array>
#include <vector>

#include "percuss/dynamics/path.h"
#include "percuss/model/broad_phase.h"

namespace percuss::dynamics {

/// A point that comes into contact; or one of convex bodies that comes into being with an overlap and does not push
/// yet, or is such a one no more.
struct Touch {
  enum class What { begins, waits, is_forgotten };
  double t_s = 0;
  ContactPair pair;
  geometry::Spot spot;
  double base_m = 0;  // overlap with which the point comes into being
  What what = What::begins;
};

struct Touches {
  std::vector<Touch> all;                     // in the last step
  std::vector<std::array<int, 3>> touching;   // scratch: surfaces and points in touch, sorted
  std::vector<geometry::Spot> spots;          // scratch
  std::vector<ContactPair> coming_and_going;  // near in it, with points that are followed
};

/// More than the way by which points of two bounded surfaces can move against each other in the step.
double way_m(const Path& path, const geometry::Surface& a, const geometry::Surface& b);

bool is_touching(const Modes& modes, const ContactPair& pair, int spot);

/// All points that come into contact in the last step.
void find_touches(const Model& model, const Path& path, model::BroadPhase& broad_phase, Workspace& workspace,
                  Touches& out);

/// At a new state, for surfaces whose points are followed: a point that overlaps and is not in contact pushes from
/// this overlap on.
void note_overlaps(const Model& model, const model::Motions& motions, const std::vector<ContactPair>& pairs,
                   Workspace& workspace, Modes& modes);

}  // namespace percuss::dynamics
