// One phase: fixed springs, a vibration in closed form.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace percuss::percussion {

/// Functions c0 + c1 t + sum over modes of a cos(w t) + b sin(w t), all with the same frequencies; one row each.
struct Sinusoids {
  Eigen::VectorXd w;       // [mode] above 0
  Eigen::VectorXd c0, c1;  // [row]
  Eigen::MatrixXd a, b;    // [row, mode]

  Eigen::Index rows() const { return c0.size(); }
  Eigen::VectorXd at(double t) const;
  /// Row by row, the rates as functions again.
  void rate_of(const Sinusoids& f);
};

/// Of points in contact space: x'' = -W F with F = k x on `active`, forces on `held` that keep x' = 0 there, and
/// none on the others.
///
/// Without the held points (S) the others move with W' = W - W_S P W_S^T, P the inverse of W_SS. With y = k^(1/2) x
/// on the active points y'' = -B y, B = k^(1/2) W' k^(1/2) symmetric: B u = w^2 u. Modes of zero frequency, which
/// redundancy brings, move linearly: W' k^(1/2) u = 0 there, they push nobody.
struct Vibration {
  Sinusoids depth;              // [point] of all; constant where held
  Sinusoids force;              // [point] zero where neither active nor held
  Eigen::VectorXd frequencies;  // w of all modes of the active points, zeros too

  struct Setting {
    const Eigen::MatrixXd& mobility;  // W
    const Eigen::VectorXd& depth;
    const Eigen::VectorXd& rate;
    const Eigen::VectorXd& spring;     // k with the sense's factor, of active points
    const Eigen::VectorXd& stiffness;  // k: weighs the shares of held points
    const std::vector<Eigen::Index>& active;
    const std::vector<Eigen::Index>& held;
    const Eigen::VectorXd& force;  // of held points, now
  };
  explicit Vibration(const Setting& s);

  /// Integral of the forces from 0 to t.
  Eigen::VectorXd impulse(double t) const;
};

/// W' of the setting above: all points, rows and columns of held ones zero.
Eigen::MatrixXd mobility_beside(const Eigen::MatrixXd& W, const std::vector<Eigen::Index>& held,
                                const Eigen::VectorXd& stiffness);

}  // namespace percuss::percussion
