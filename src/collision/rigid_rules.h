// What others do: Newton's rule in sequence and at once, Poisson's rule. For comparison.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "percuss/collision/collide.h"

namespace percuss::collision {

struct RigidOutcome {
  Eigen::VectorXd impulse_Ns, approach_mps;  // after
  bool ended = true;                         // false: collisions followed each other without end
};

/// Of a point in these rules: e with e^2 = (1 - mu)/(1 + mu), 0 from mu = 1 on; of an elastoplastic one e^2 = 1/w.
double restitution_of(const Point& point);

/// One point at a time, again and again in this order, each with v+ = -e v-, until none approaches.
RigidOutcome newton_in_sequence(const Collision& collision, const std::vector<Eigen::Index>& order);

/// Moreau: all at once, v+ + e v- >= 0 with impulses only where it is 0.
RigidOutcome newton_at_once(const Collision& collision);

/// Poisson (after Glocker and Pfeiffer): compression all at once until nothing approaches, then at least e times
/// the impulse of compression again, more where surfaces would still approach.
RigidOutcome poisson(const Collision& collision);

}  // namespace percuss::collision
