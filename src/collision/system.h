// Bare matrices to contact space and back.
#pragma once

#include <Eigen/Core>

#include "percuss/base/diagnostic.h"
#include "percuss/collision/collide.h"

namespace percuss::collision {

/// M v' = J^T F + A^T (multipliers), A v = 0: constraints are perfect and do no work. Rows of J and of A may be
/// redundant; a point that does not slip has its tangential rows in A.
struct System {
  Eigen::MatrixXd mass;         // M, n x n, symmetric
  Eigen::MatrixXd normals;      // J, p x n: rates of the gaps are J v
  Eigen::MatrixXd constraints;  // A, any number of rows; may have none
  Eigen::VectorXd velocity;     // before
  std::vector<Point> points;    // p
  Eigen::MatrixXd tangents =
      {};  // T, p or 2 p x n, those of a point together: slip speeds are T v; empty: no friction
};

struct Reduced {
  Collision collision;
  Eigen::MatrixXd response;  // n x p, or n x (p + rows of T): velocities that a unit of each impulse gives
  /// Velocities that the impulses of an outcome give.
  Eigen::VectorXd response_to(const Outcome& outcome) const;
};

/// The collision in contact space, or everything that is wrong with the matrices.
Result<Reduced> reduce(const System& system);

struct Solved {
  Outcome outcome;
  Eigen::VectorXd velocity;  // after
  double kinetic_before_J = 0, kinetic_after_J = 0;
};
Result<Solved> collide(const System& system);

}  // namespace percuss::collision
