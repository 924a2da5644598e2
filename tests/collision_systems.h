// Systems that collide at several points, as matrices.
#pragma once

#include <cmath>
#include <vector>

#include "percuss/collision/system.h"

namespace percuss {

using collision::Point;
using collision::System;

/// Balls in a line, the first one flying into the others at 1 m/s.
inline System chain(const std::vector<double>& masses, const std::vector<Point>& points) {
  const auto n = static_cast<Eigen::Index>(masses.size());
  System s;
  s.mass = Eigen::MatrixXd::Zero(n, n);
  s.normals = Eigen::MatrixXd::Zero(n - 1, n);
  for (Eigen::Index i = 0; i < n; ++i) s.mass(i, i) = masses[static_cast<std::size_t>(i)];
  for (Eigen::Index i = 0; i + 1 < n; ++i) s.normals(i, i) = -1, s.normals(i, i + 1) = 1;
  s.velocity = Eigen::VectorXd::Unit(n, 0);
  s.points = points;
  return s;
}
inline System chain(int balls, double friction) {
  const auto n = static_cast<std::size_t>(balls);
  return chain(std::vector<double>(n, 1.0), std::vector<Point>(n - 1, {1.0, friction, 0.0}));
}

/// The same system with elastoplastic points that unload w times as steeply.
inline System elastoplastic(System s, double w) {
  for (Point& p : s.points) p = collision::elastoplastic(p.stiffness_Npm, w, p.gap_m);
  return s;
}
/// Every other point elastoplastic, the others as they are.
inline System partly_elastoplastic(System s, double w) {
  for (std::size_t i = 0; i < s.points.size(); i += 2)
    s.points[i] = collision::elastoplastic(s.points[i].stiffness_Npm, w, s.points[i].gap_m);
  return s;
}

/// A ball flies along x into two equal balls that touch each other; `off` turns its direction.
inline System billiard(double friction, double off) {
  System s;
  s.mass = Eigen::MatrixXd::Identity(6, 6);
  s.normals = Eigen::MatrixXd::Zero(3, 6);
  const double c = std::sqrt(3) / 2;
  s.normals.row(0) << -c, -0.5, c, 0.5, 0, 0;
  s.normals.row(1) << -c, 0.5, 0, 0, c, -0.5;
  s.normals.row(2) << 0, 0, 0, 1, 0, -1;
  s.velocity = Eigen::VectorXd::Zero(6);
  s.velocity[0] = std::cos(off), s.velocity[1] = std::sin(off);
  s.points.assign(3, {1.0, friction, 0.0});
  return s;
}

/// A plate on four legs (z, turns about x and y): four points, three of them needed.
inline System table(double friction, double spin_x, double spin_y) {
  System s;
  s.mass = Eigen::Vector3d(2, 0.15, 0.4).asDiagonal();
  s.normals = Eigen::MatrixXd(4, 3);
  int row = 0;
  for (const double x : {-0.6, 0.6})
    for (const double y : {-0.4, 0.4}) s.normals.row(row++) << 1, y, -x;
  s.velocity = Eigen::Vector3d(-1, spin_x, spin_y);
  s.points.assign(4, {1.0, friction, 0.0});
  return s;
}

/// A block with the half width b and half height h falls flat on its two lower corners (x, y, turn), with a turn.
inline System block(double friction, double spin) {
  System s;
  s.mass = Eigen::Vector3d(1, 1, 0.05).asDiagonal();
  s.normals = Eigen::MatrixXd(2, 3);
  s.normals << 0, 1, -0.3, 0, 1, 0.3;
  s.velocity = Eigen::Vector3d(0.2, -1, spin);
  s.points = {{1.0, friction, 0.0}, {1.3, friction, 0.0}};
  return s;
}

/// Two uniform bars of 1 kg and 1 m with a hinge between them, flat above the ground, striking it with both ends
/// and the hinge: (x, y, turn) of each bar, two rows for the hinge. The bars fall at 1 m/s, the left one turns with
/// `left`, the right one with the rate that keeps the hinge together.
inline System two_bars(double friction, double left, bool left_end_rests = false) {
  System s;
  s.mass = Eigen::MatrixXd::Zero(6, 6);
  s.mass.diagonal() << 1, 1, 1.0 / 12, 1, 1, 1.0 / 12;
  s.normals = Eigen::MatrixXd::Zero(3, 6);
  s.normals.row(0) << 0, 1, -0.5, 0, 0, 0;  // left end
  s.normals.row(1) << 0, 1, 0.5, 0, 0, 0;   // hinge
  s.normals.row(2) << 0, 0, 0, 0, 1, 0.5;   // right end
  s.constraints = Eigen::MatrixXd::Zero(2, 6);
  s.constraints.row(0) << 1, 0, 0, -1, 0, 0;
  s.constraints.row(1) << 0, 1, 0.5, 0, -1, 0.5;
  s.velocity = Eigen::VectorXd::Zero(6);
  const double fall = left_end_rests ? 0.5 * left : -1;  // of the left bar's middle
  s.velocity[1] = fall, s.velocity[2] = left;
  const double hinge = fall + 0.5 * left;
  s.velocity[4] = left_end_rests ? hinge - 0.3 : -1;
  s.velocity[5] = 2 * (s.velocity[4] - hinge);
  s.points.assign(3, {1.0, friction, 0.0});
  return s;
}

}  // namespace percuss
