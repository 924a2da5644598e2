// One collision at many points of a scene: ours, the rigid rules, and the compliant engine with the same springs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "percuss/collision/sensitivity.h"
#include "percuss/dynamics/strike.h"
#include "percuss/model/model.h"

namespace percuss::study {

/// What another treatment of the same collision says.
struct Rival {
  std::string name;
  std::string remark;
  std::vector<double> velocity;  // after, all unknowns
  Eigen::VectorXd approach_mps;  // after, at the points
  double kinetic_after_J = 0;
  double off_mps = 0;  // the largest difference of an approach speed to ours
};

struct CollisionStudy {
  dynamics::Strike strike;
  collision::Outcome outcome;
  std::vector<double> velocity_before, velocity_after;  // all unknowns, without the offset of the positions
  double kinetic_before_J = 0, kinetic_after_J = 0;
  std::vector<Rival> rivals;
  std::optional<collision::Sensitivity> sensitivity;
};

struct CollisionOptions {
  std::optional<double> sensitivity;  // epsilon, in units of the greatest indentation
  bool compliant = true;
  double tolerance = 1e-9;  // of the compliant engine
};

/// Of what touches at the start of a model.
Result<CollisionStudy> study_collision(const model::Model& model, const CollisionOptions& options);

/// The model with every contact a force again: bistiffness and walton-braun laws with the springs of the strike,
/// times `factor`. Permanent indentations stay for the next touch, as they do within a collision.
model::Model with_springs(const model::Model& model, const dynamics::Strike& strike, double factor = 1);

}  // namespace percuss::study
