// Where surfaces come into contact in a step.
#pragma once

#include <array>
#include <vector>

#include "percuss/dynamics/path.h"
#include "percuss/model/broad_phase.h"

namespace percuss::dynamics {

/// A point that comes into contact.
struct Touch {
  double t_s = 0;
  ContactPair pair;
  geometry::Spot spot;
  double base_m = 0;  // overlap with which the point comes into being
};

struct Touches {
  std::vector<Touch> all;                     // in the last step
  std::vector<std::array<int, 3>> touching;   // scratch: surfaces and points in touch, sorted
  std::vector<geometry::Spot> spots;          // scratch
  std::vector<ContactPair> coming_and_going;  // near in it, with points that are not fixed
};

bool is_touching(const Modes& modes, const ContactPair& pair, int spot);

/// All points that come into contact in the last step.
void find_touches(const Model& model, const Path& path, model::BroadPhase& broad_phase, Workspace& workspace,
                  Touches& out);

/// At a new state, for surfaces whose points come and go: a point that overlaps and is not in contact pushes from
/// this overlap on.
void note_overlaps(const Model& model, const model::Motions& motions, const std::vector<ContactPair>& pairs,
                   Workspace& workspace, Modes& modes);

}  // namespace percuss::dynamics
