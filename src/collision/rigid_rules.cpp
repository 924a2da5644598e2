// The rules.
#include "percuss/collision/rigid_rules.h"

#include <cmath>
#include <limits>

#include "percuss/linear/bounded_forces.h"

namespace percuss::collision {

using Eigen::Index;
using Eigen::VectorXd;
using linear::bounded_forces;

namespace {

constexpr long kMostCollisions = 100'000;

VectorXd restitutions(const Collision& c) {
  VectorXd e(c.approach_mps.size());
  for (Index i = 0; i < e.size(); ++i) e[i] = restitution_of(c.points[static_cast<std::size_t>(i)]);
  return e;
}

/// I >= low with v = approach - W I <= target, and I above low only where v = target.
VectorXd impulses(const Collision& c, const VectorXd& approach, const VectorXd& low) {
  const Index n = approach.size();
  return bounded_forces(c.mobility, -approach, low, VectorXd::Constant(n, std::numeric_limits<double>::infinity()),
                        VectorXd::Ones(n));
}

}  // namespace

double restitution_of(const Point& point) {
  if (point.steepening > 1) return 1 / std::sqrt(point.steepening);
  return point.friction < 1 ? std::sqrt((1 - point.friction) / (1 + point.friction)) : 0;
}

RigidOutcome newton_in_sequence(const Collision& c, const std::vector<Index>& order) {
  RigidOutcome out{VectorXd::Zero(c.approach_mps.size()), c.approach_mps, true};
  const double still = 1e-13 * c.approach_mps.cwiseAbs().maxCoeff();
  long collisions = 0;
  for (bool again = true; again;) {
    again = false;
    for (const Index i : order) {
      const double v = out.approach_mps[i];
      if (!(v > still) || !(c.mobility(i, i) > 0)) continue;
      const double impulse = (1 + restitution_of(c.points[static_cast<std::size_t>(i)])) * v / c.mobility(i, i);
      out.impulse_Ns[i] += impulse;
      out.approach_mps -= impulse * c.mobility.col(i);
      again = true;
      if (++collisions > kMostCollisions) {
        out.ended = false;
        return out;
      }
    }
  }
  return out;
}

RigidOutcome newton_at_once(const Collision& c) {
  const VectorXd e = restitutions(c);
  const VectorXd before = c.approach_mps, wanted = before + e.cwiseProduct(before);
  const VectorXd impulse = impulses(c, wanted, VectorXd::Zero(e.size()));
  return {impulse, before - c.mobility * impulse, true};
}

RigidOutcome poisson(const Collision& c) {
  const VectorXd e = restitutions(c), zero = VectorXd::Zero(e.size());
  const VectorXd compression = impulses(c, c.approach_mps, zero);
  const VectorXd between = c.approach_mps - c.mobility * compression;
  const VectorXd expansion = impulses(c, between, e.cwiseProduct(compression));
  return {compression + expansion, between - c.mobility * expansion, true};
}

}  // namespace percuss::collision
