// Checks, the null space of the constraints, the mobility.
#include "percuss/collision/system.h"

#include <cmath>

#include "percuss/base/scalar.h"
#include "percuss/base/units.h"
#include "percuss/linear/dense.h"
#include "percuss/linear/mobility.h"

namespace percuss::collision {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using linear::drop_rounding;

namespace {

constexpr double kSingular = 1e-13;  // a pivot of the mass matrix over its largest diagonal
constexpr double kOpen = 1e-9;       // how far velocities may be off the constraints, over their size

std::string shape(const MatrixXd& m) { return std::to_string(m.rows()) + " x " + std::to_string(m.cols()); }

std::vector<Diagnostic> mistakes(const System& s) {
  std::vector<Diagnostic> out;
  const auto fail = [&out](std::string text) { out.push_back({{"collision"}, std::move(text)}); };
  const Index n = s.velocity.size(), p = s.normals.rows();
  if (n == 0) fail("there are no velocities");
  if (s.mass.rows() != n || s.mass.cols() != n)
    fail("the mass matrix is " + shape(s.mass) + "; with " + std::to_string(n) + " velocities it must be " +
         std::to_string(n) + " x " + std::to_string(n));
  if (s.normals.cols() != n && p > 0)
    fail("the matrix of normals is " + shape(s.normals) + "; it must have " + std::to_string(n) + " columns");
  if (s.constraints.rows() > 0 && s.constraints.cols() != n)
    fail("the matrix of constraints is " + shape(s.constraints) + "; it must have " + std::to_string(n) +
         " columns");
  if (p == 0) fail("there is no point of contact");
  if (static_cast<Index>(s.points.size()) != p)
    fail("there are " + std::to_string(s.points.size()) + " points and " + std::to_string(p) + " rows of normals");
  if (const Index t = s.tangents.rows(); t > 0) {
    if (s.tangents.cols() != n)
      fail("the matrix of tangents is " + shape(s.tangents) + "; it must have " + std::to_string(n) + " columns");
    if (t != p && t != 2 * p)
      fail("there are " + std::to_string(t) + " rows of tangents; with " + std::to_string(p) +
           " points there must be " + std::to_string(p) + " (in the plane) or " + std::to_string(2 * p));
  }
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    const Point& point = s.points[i];
    const std::string which = "point " + std::to_string(i) + ": ";
    if (!(point.stiffness_Npm > 0) || !std::isfinite(point.stiffness_Npm))
      fail(which + "stiffness must be above 0, found " + text_of(point.stiffness_Npm, 6));
    if (!(point.friction >= 0) || !std::isfinite(point.friction))
      fail(which + "friction must be 0 or above, found " + text_of(point.friction, 6));
    if (!(point.steepening >= 1))
      fail(which + "steepening (unloading over loading stiffness) must be 1 or above, found " +
           text_of(point.steepening, 6));
    if (point.steepening > 1 && point.friction > 0) fail(which + "friction and steepening exclude each other");
    if (!(point.sliding >= 0) || !std::isfinite(point.sliding))
      fail(which + "coefficient of friction must be 0 or above, found " + text_of(point.sliding, 6));
    if (!(point.shear > 0) || !std::isfinite(point.shear))
      fail(which + "shear (tangential over normal stiffness) must be above 0, found " + text_of(point.shear, 6));
    if (point.sliding > 0 && s.tangents.rows() == 0)
      fail(which + "friction needs the rows of its tangents, and there are none");
    if (!(point.gap_m >= 0) || !std::isfinite(point.gap_m))
      fail(which + "gap must be 0 or above, found " + text_of(point.gap_m, 6));
  }
  if (!out.empty()) return out;
  if (!s.mass.allFinite() || !s.normals.allFinite() || !s.velocity.allFinite() || !s.tangents.allFinite() ||
      (s.constraints.rows() > 0 && !s.constraints.allFinite()))
    fail("a matrix or velocity holds something that is not a finite number");
  else if (!((s.mass - s.mass.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * s.mass.cwiseAbs().maxCoeff()))
    fail("the mass matrix is not symmetric");
  return out;
}

}  // namespace

Result<Reduced> reduce(const System& s) {
  if (std::vector<Diagnostic> wrong = mistakes(s); !wrong.empty()) return wrong;
  const Index n = s.velocity.size(), p = s.normals.rows();
  const auto fail = [](std::string text) { return Diagnostic{{"collision"}, std::move(text)}; };
  // free directions: the null space N of the constraints
  const bool free = s.constraints.rows() == 0;
  MatrixXd N;
  if (!free) {
    const VectorXd open = s.constraints * s.velocity;
    const VectorXd size = s.constraints.cwiseAbs() * s.velocity.cwiseAbs();
    for (Index i = 0; i < open.size(); ++i)
      if (std::abs(open[i]) > kOpen * size[i])
        return fail("the velocities before violate constraint " + std::to_string(i) + " by " + text_of(open[i], 3));
    N = linear::null_space(s.constraints);
    if (N.cols() == 0) return fail("the constraints leave nothing free to move");
  }
  const MatrixXd mass = free ? s.mass : MatrixXd(N.transpose() * s.mass * N);
  const Index t = s.tangents.rows();
  MatrixXd rows(p + t, n);  // normals, then tangents
  rows.topRows(p) = s.normals;
  if (t > 0) rows.bottomRows(t) = s.tangents;
  const MatrixXd J = free ? rows : MatrixXd(rows * N);
  const auto [factored, pivots, inner] = linear::solve_symmetric(mass, J.transpose());
  if (!factored || !(pivots.minCoeff() > kSingular * mass.diagonal().maxCoeff()))
    return fail("the mass matrix is singular (or not positive) on the free directions: its smallest pivot is " +
                text_of(pivots.minCoeff(), 3));
  Reduced out;
  out.response = free ? inner : MatrixXd(N * inner);
  MatrixXd W = J * inner;
  W = (W + W.transpose().eval()) / 2;
  VectorXd diagonal = W.diagonal();
  drop_rounding(diagonal, 16 * static_cast<double>(n) * kEpsilon, W);
  if (t > 0) {
    out.collision.tangents.directions = t / p;
    out.collision.tangents.slip_mps = s.tangents * s.velocity;
    const VectorXd size = s.tangents.cwiseAbs() * s.velocity.cwiseAbs();
    for (Index i = 0; i < t; ++i)
      if (double& slip = out.collision.tangents.slip_mps[i]; std::abs(slip) <= 16 * kEpsilon * size[i]) slip = 0;
    out.collision.tangents.mobility = W;
    W = W.topLeftCorner(p, p).eval();
    diagonal = diagonal.head(p).eval();
  }
  const VectorXd approach = -(s.normals * s.velocity), size = s.normals.cwiseAbs() * s.velocity.cwiseAbs();
  out.collision.mobility = std::move(W);
  out.collision.approach_mps = approach;
  out.collision.points = s.points;
  bool approaches = false;
  for (Index i = 0; i < p; ++i) {
    double& rate = out.collision.approach_mps[i];
    if (std::abs(rate) <= 16 * kEpsilon * size[i]) rate = 0;
    // a point that the constraints hold has no mobility; without one it cannot approach either
    if (diagonal[i] <= 1e-14 * diagonal.maxCoeff()) {
      if (rate > kOpen * size[i])
        return fail("point " + std::to_string(i) + " approaches, but no impulse can move it");
      out.collision.mobility.row(i).setZero();
      out.collision.mobility.col(i).setZero();
      if (t > 0) out.collision.tangents.mobility.row(i).setZero(), out.collision.tangents.mobility.col(i).setZero();
      rate = 0;
    }
    approaches = approaches || rate > 0;
  }
  if (!approaches) return fail("no point approaches: there is no collision");
  return out;
}

VectorXd Reduced::response_to(const Outcome& outcome) const {
  const Index p = outcome.impulse_Ns.size(), t = outcome.friction_Ns.size();
  VectorXd out = response.leftCols(p) * outcome.impulse_Ns;
  if (t > 0) out += response.rightCols(t) * outcome.friction_Ns;
  return out;
}

Result<Solved> collide(const System& system) {
  Result<Reduced> reduced = reduce(system);
  if (!reduced) return reduced.errors();
  Solved out;
  out.outcome = collide(reduced->collision);
  out.velocity = system.velocity + reduced->response_to(out.outcome);
  if (!out.velocity.allFinite())
    return Diagnostic{{"collision"},
                      "the velocities after are no numbers: masses, stiffnesses and speeds are too far apart",
                      Diagnostic::Kind::not_computed};
  out.kinetic_before_J = system.velocity.dot(system.mass * system.velocity) / 2;
  out.kinetic_after_J = out.velocity.dot(system.mass * out.velocity) / 2;
  return out;
}

}  // namespace percuss::collision
