// Modes of the active points, and what they do to the others.
#include "percuss/collision/vibration.h"

#include <cmath>
#include <limits>

#include "percuss/linear/bounded_forces.h"
#include "percuss/linear/mobility.h"
#include "percuss/linear/spectrum.h"

namespace percuss::collision {

using Eigen::Index;
using linear::drop_rounding;
using linear::kZeroEigenvalue;
using linear::SpectrumOf;
using linear::weighted_inverse;

namespace {
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
}  // namespace

template <int most>
VectorOf<twice(most)> SinusoidsOf<most>::at(double t) const {
  if (w.size() == 0) return c0 + c1 * t;
  const VectorOf<most> phase = w * t;
  return c0 + c1 * t + a * phase.array().cos().matrix() + b * phase.array().sin().matrix();
}

template <int most>
void SinusoidsOf<most>::rate_of(const SinusoidsOf& f) {
  w = f.w;
  c0 = f.c1;
  c1.setZero(f.c1.size());
  a = f.b * w.asDiagonal();
  b = -(f.a * w.asDiagonal());
}

template <int most>
MatrixOf<most> mobility_beside(const MatrixOf<most>& W, const Indices& held, const VectorOf<most>& stiffness) {
  if (held.empty()) return W;
  const MatrixOf<most> W_S = picked_columns<most>(W, held);
  MatrixOf<most> rest = W - W_S *
                                weighted_inverse<most>(picked<most>(W, held, held), picked<most>(stiffness, held)) *
                                W_S.transpose();
  drop_rounding(W.diagonal(), kRounding, rest);
  for (const Index i : held) rest.row(i).setZero(), rest.col(i).setZero();
  return rest;
}

template <int most>
Vibration<most>::Vibration(const Setting& s) {
  solve(s);
  rate.rate_of(depth);
}

template <int most>
void Vibration<most>::solve(const Setting& s) {
  const Index n = s.depth.size(), m = static_cast<Index>(s.active.size());
  depth.c0 = s.depth;
  depth.c1 = s.rate;
  for (const Index i : s.held) depth.c1[i] = 0;
  force.c0.setZero(n), force.c1.setZero(n);
  for (std::size_t i = 0; i < s.held.size(); ++i) force.c0[s.held[i]] = s.force[s.held[i]];
  depth_size = s.depth.cwiseAbs(), rate_size = s.rate.cwiseAbs(), force_size = force.c0.cwiseAbs();
  if (m == 0) {
    for (auto* block : {&depth.a, &depth.b, &force.a, &force.b}) block->setZero(n, 0);
    return;
  }
  const MatrixOf<most> rest = mobility_beside<most>(s.mobility, s.held, s.stiffness);
  const VectorOf<most> root = picked<most>(s.spring, s.active).cwiseSqrt();
  const SpectrumOf<most> spectrum(root.asDiagonal() * picked<most>(rest, s.active, s.active) * root.asDiagonal());
  const VectorOf<most>& square = spectrum.values;
  const double zero = kZeroEigenvalue * static_cast<double>(m) * std::max(square[m - 1], 0.0);
  Index zeros = 0;
  while (zeros < m && !(square[zeros] > zero)) ++zeros;
  const Index modes = m - zeros;
  frequencies = square.cwiseMax(0).cwiseSqrt();
  frequencies.head(zeros).setZero();
  const VectorOf<most> w = frequencies.tail(modes);
  depth.w = force.w = w;
  const MatrixOf<most>& U = spectrum.vectors;
  const VectorOf<most> alpha = U.transpose() * root.cwiseProduct(picked<most>(s.stretch, s.active));
  const VectorOf<most> speed = U.transpose() * root.cwiseProduct(picked<most>(s.rate, s.active));
  const VectorOf<most> cosine = alpha.tail(modes), sine = speed.tail(modes).cwiseQuotient(w);
  const VectorOf<most> amplitude = (cosine.cwiseAbs2() + sine.cwiseAbs2()).cwiseSqrt();

  // depths: those of active points directly, those of the others by two integrations of -W' F
  const MatrixOf<most> push = root.asDiagonal() * U.rightCols(modes);  // forces of the modes
  MatrixOf<most> shape = picked_columns<most>(rest, s.active) * push * w.cwiseAbs2().cwiseInverse().asDiagonal();
  depth.a = shape * cosine.asDiagonal();
  depth.b = shape * sine.asDiagonal();
  depth.c0 -= depth.a.rowwise().sum();
  depth.c1 -= depth.b * w;
  const VectorOf<most> drive = picked_columns<most>(rest, s.active).cwiseAbs() * root;
  depth_size += drive * amplitude.cwiseQuotient(w.cwiseAbs2()).sum();
  rate_size += drive * amplitude.cwiseQuotient(w).sum();
  const VectorOf<most> soft = root.cwiseInverse();
  const VectorOf<most> level = soft.cwiseProduct(U.leftCols(zeros) * alpha.head(zeros)),
                       drift = soft.cwiseProduct(U.leftCols(zeros) * speed.head(zeros));
  for (Index k = 0; k < m; ++k) {
    const Index i = s.active[static_cast<std::size_t>(k)];
    const auto mode = soft[k] * U.row(k).tail(modes).transpose().array();
    depth.a.row(i) = (mode * cosine.array()).matrix().transpose();
    depth.b.row(i) = (mode * sine.array()).matrix().transpose();
    const double origin = s.depth[i] - s.stretch[i];
    depth.c0[i] = level[k] + origin;
    depth.c1[i] = drift[k];
    depth_size[i] = soft[k] * (amplitude.sum() + alpha.head(zeros).cwiseAbs().sum()) + std::abs(origin);
    rate_size[i] = soft[k] * (amplitude.dot(w) + speed.head(zeros).cwiseAbs().sum());
    force_size[i] = s.spring[i] * depth_size[i];
  }
  for (const Index i : s.held) depth.a.row(i).setZero(), depth.b.row(i).setZero();

  // forces: springs, and what keeps the held points where they are
  force.a.setZero(n, modes), force.b.setZero(n, modes);
  for (Index k = 0; k < m; ++k) {
    const Index i = s.active[static_cast<std::size_t>(k)];
    force.a.row(i) = s.spring[i] * depth.a.row(i);
    force.b.row(i) = s.spring[i] * depth.b.row(i);
    force.c0[i] = s.spring[i] * level[k];
    force.c1[i] = s.spring[i] * depth.c1[i];
  }
  if (s.held.empty()) return;
  const MatrixOf<most> share =
      -weighted_inverse<most>(picked<most>(s.mobility, s.held, s.held), picked<most>(s.stiffness, s.held)) *
      picked<most>(s.mobility, s.held, s.active);
  const MatrixOf<most> by_modes = share * push;
  const VectorOf<most> by_drift = share * root.cwiseProduct(U.leftCols(zeros) * speed.head(zeros));
  for (std::size_t k = 0; k < s.held.size(); ++k) {
    const Index i = s.held[k], row = static_cast<Index>(k);
    force.a.row(i) = by_modes.row(row).cwiseProduct(cosine.transpose());
    force.b.row(i) = by_modes.row(row).cwiseProduct(sine.transpose());
    force.c0[i] -= force.a.row(i).sum();
    force.c1[i] = by_drift[row];
    force_size[i] += share.row(row).cwiseAbs().dot(root) * amplitude.sum();
  }
}

template <int most>
VectorOf<most> Vibration<most>::impulse(double t) const {
  const VectorOf<most> sum = force.c0 * t + force.c1 * (t * t / 2);
  if (force.w.size() == 0) return sum;
  const Eigen::Array<double, Eigen::Dynamic, 1, 0, most, 1> w = force.w.array(), half = (w * t / 2).sin();
  // (1 - cos w t)/w without its cancellation
  return sum + force.a * ((w * t).sin() / w).matrix() + force.b * (2 * half.square() / w).matrix();
}

template struct SinusoidsOf<kSmall>;
template struct SinusoidsOf<Eigen::Dynamic>;
template struct Vibration<kSmall>;
template struct Vibration<Eigen::Dynamic>;
template MatrixOf<kSmall> mobility_beside<kSmall>(const MatrixOf<kSmall>&, const Indices&, const VectorOf<kSmall>&);
template Eigen::MatrixXd mobility_beside<Eigen::Dynamic>(const Eigen::MatrixXd&, const Indices&,
                                                         const Eigen::VectorXd&);

}  // namespace percuss::collision
