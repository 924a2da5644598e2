// One phase: fixed springs, a vibration in closed form.
#pragma once

#include "percuss/linear/sizes.h"

namespace percuss::collision {

using linear::Indices;
using linear::kSmall;
using linear::MatrixOf;
using linear::picked;
using linear::picked_columns;
using linear::twice;
using linear::VectorOf;

/// Functions c0 + c1 t + sum over modes of a cos(w t) + b sin(w t), all with the same frequencies; one row each.
template <int most>  // modes; twice as many rows
struct SinusoidsOf {
  VectorOf<most> w;              // [mode] above 0
  VectorOf<twice(most)> c0, c1;  // [row]
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, twice(most), most>;
  Block a, b;  // [row, mode]

  Eigen::Index rows() const { return c0.size(); }
  VectorOf<twice(most)> at(double t) const;
  /// Row by row, the rates as functions again.
  void rate_of(const SinusoidsOf& f);
};
using Sinusoids = SinusoidsOf<Eigen::Dynamic>;

/// Of points in contact space: x'' = -W F with F = k (x - x_0) on `active`, forces on `held` that keep x' = 0
/// there, and none on the others. In the following x is counted from x_0.
///
/// Without the held points (S) the others move with W' = W - W_S P W_S^T, P the inverse of W_SS. With y = k^(1/2) x
/// on the active points y'' = -B y, B = k^(1/2) W' k^(1/2) symmetric: B u = w^2 u. Modes of zero frequency, which
/// redundancy brings, move linearly: W' k^(1/2) u = 0 there, they push nobody.
template <int most>
struct Vibration {
  SinusoidsOf<most> depth;     // [point] of all; constant where held
  SinusoidsOf<most> rate;      // [point] of the depth
  SinusoidsOf<most> force;     // [point] zero where neither active nor held
  VectorOf<most> frequencies;  // w of all modes of the active points, zeros too
  /// [point] The size of what each was added up from: eigenvectors are known to the last digits of 1, not of their
  /// entries, so that what hardly moves is known to the last digits of what moves.
  VectorOf<most> depth_size, rate_size, force_size;

  struct Setting {
    const MatrixOf<most>& mobility;  // W
    const VectorOf<most>& depth;
    const VectorOf<most>& rate;
    const VectorOf<most>& spring;     // k with the sense's factor, of active points
    const VectorOf<most>& stretch;    // x - x_0 of active points
    const VectorOf<most>& stiffness;  // k: weighs the shares of held points
    const Indices& active;
    const Indices& held;
    const VectorOf<most>& force;  // of held points, now
  };
  explicit Vibration(const Setting& s);

  /// Integral of the forces from 0 to t.
  VectorOf<most> impulse(double t) const;

 private:
  void solve(const Setting& s);
};

/// W' of the setting above: all points, rows and columns of held ones zero.
template <int most>
MatrixOf<most> mobility_beside(const MatrixOf<most>& W, const Indices& held, const VectorOf<most>& stiffness);

}  // namespace percuss::collision
