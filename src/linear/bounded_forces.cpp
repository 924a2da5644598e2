// A proximal active-set method.
//
// With G = F/D the matrix H = D W D + r 1 is definite, so that an active-set method for
//   G.H G/2 + (D c - r G_0).G,   low <= D G <= high
// ends after finitely many steps at a unique point. Moved to G_0 = that point and repeated, it tends to a solution
// without r; its active set is right long before, and solving the free forces exactly on it ends the search.
#include "percuss/linear/bounded_forces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "percuss/linear/dense.h"
#include "percuss/linear/mobility.h"
#include "percuss/linear/spectrum.h"

namespace percuss::linear {

using Eigen::Index;

namespace {

constexpr double kProximal = 1e-4;  // r over the largest diagonal
constexpr int kMostRounds = 60;

enum class At { low, inside, high };

/// The part of H, or of a vector, of the points that are free.
Indices free_points(const std::vector<At>& at) {
  Indices free;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (at[i] == At::inside) free.push_back(static_cast<Index>(i));
  return free;
}

/// Minimises G.H G/2 + q.G within bounds from a feasible G; H positive definite.
template <int most>
void minimise(const MatrixOf<most>& H, const VectorOf<most>& q, const VectorOf<most>& low,
              const VectorOf<most>& high, VectorOf<most>& G, std::vector<At>& at) {
  const Index n = H.rows();
  const long steps = 50 * static_cast<long>(n) + 50;
  for (long step = 0; step < steps; ++step) {
    const Indices free = free_points(at);
    VectorOf<most> target = G;
    if (!free.empty()) {
      const VectorOf<most> gradient = H * G + q;
      const VectorOf<most> move = -solve_definite<most>(picked<most>(H, free, free), picked<most>(gradient, free));
      for (std::size_t k = 0; k < free.size(); ++k) target[free[k]] += move[static_cast<Index>(k)];
    }
    double part = 1;  // of the way to the target until a bound is met
    Index met = -1;
    for (const Index i : free) {
      const double d = target[i] - G[i];
      const double room = d < 0 ? low[i] - G[i] : high[i] - G[i];
      if (d != 0 && room / d < part) part = std::max(0.0, room / d), met = i;
    }
    if (met >= 0) {
      const bool down = target[met] < G[met];
      for (const Index i : free) G[i] += part * (target[i] - G[i]);
      G[met] = down ? low[met] : high[met];
      at[static_cast<std::size_t>(met)] = down ? At::low : At::high;
      continue;
    }
    for (const Index i : free) G[i] = target[i];
    const VectorOf<most> gradient = H * G + q, size = H.cwiseAbs() * G.cwiseAbs() + q.cwiseAbs();
    Index worst = -1;
    double most_wrong = 0;
    for (Index i = 0; i < n; ++i) {
      const At where = at[static_cast<std::size_t>(i)];
      if (where == At::inside || low[i] == high[i]) continue;
      const double wrong =
          (where == At::low ? -gradient[i] : gradient[i]) - 64 * std::numeric_limits<double>::epsilon() * size[i];
      if (wrong > most_wrong) most_wrong = wrong, worst = i;
    }
    if (worst < 0) return;
    at[static_cast<std::size_t>(worst)] = At::inside;
  }
}

}  // namespace

template <int most>
MatrixOf<most> weighted_inverse(const MatrixOf<most>& W, const VectorOf<most>& stiffness) {
  const VectorOf<most> D = stiffness.cwiseSqrt();
  const SpectrumOf<most> spectrum(D.asDiagonal() * W * D.asDiagonal());
  const VectorOf<most>& values = spectrum.values;
  const double zero = kZeroEigenvalue * static_cast<double>(W.rows()) * std::max(values[values.size() - 1], 0.0);
  const VectorOf<most> inverse = values.unaryExpr([&](double x) { return x > zero ? 1 / x : 0.0; });
  const MatrixOf<most> V = D.asDiagonal() * spectrum.vectors;
  return V * inverse.asDiagonal() * V.transpose();
}

namespace {

template <int most>
VectorOf<most> coupled_forces(const MatrixOf<most>& W, const VectorOf<most>& c, const VectorOf<most>& low,
                              const VectorOf<most>& high, const VectorOf<most>& stiffness) {
  const Index n = W.rows();
  if (n == 1) {
    const double F = W(0, 0) > 0 ? -c[0] / W(0, 0) : c[0] < 0 ? high[0] : low[0];
    return VectorOf<most>::Constant(1, std::min(std::max(F, low[0]), high[0]));
  }
  // all mobilities 1: soft and stiff, light and heavy points alike
  const VectorOf<most> D = W.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; });
  MatrixOf<most> H = D.asDiagonal() * W * D.asDiagonal();
  const double r = kProximal * std::max(H.diagonal().maxCoeff(), 1e-300);
  H.diagonal().array() += r;
  const VectorOf<most> g_low = low.cwiseQuotient(D), g_high = high.cwiseQuotient(D), q = D.cwiseProduct(c);
  VectorOf<most> G = VectorOf<most>::Zero(n).cwiseMax(g_low).cwiseMin(g_high);
  std::vector<At> at(static_cast<std::size_t>(n), At::inside);
  for (Index i = 0; i < n; ++i)
    at[static_cast<std::size_t>(i)] = G[i] == g_low[i] ? At::low : G[i] == g_high[i] ? At::high : At::inside;
  VectorOf<most> F = D.cwiseProduct(G);
  for (int round = 0; round < kMostRounds; ++round) {
    const VectorOf<most> before = G;
    minimise<most>(H, q - r * before, g_low, g_high, G, at);
    F = D.cwiseProduct(G);
    const Indices free = free_points(at);
    if (!free.empty()) {  // exactly, on this active set
      const VectorOf<most> a = W * F + c;
      const VectorOf<most> move =
          -weighted_inverse<most>(picked<most>(W, free, free), picked<most>(stiffness, free)) *
          picked<most>(a, free);
      for (std::size_t k = 0; k < free.size(); ++k) F[free[k]] += move[static_cast<Index>(k)];
    }
    const VectorOf<most> a = W * F + c, size = W.cwiseAbs() * F.cwiseAbs() + c.cwiseAbs();
    bool solved = true;
    for (Index i = 0; i < n && solved; ++i) {
      const double floor = 1e-12 * size[i], slack = 1e-12 * std::abs(F[i]);
      if (low[i] == high[i]) continue;
      const At where = at[static_cast<std::size_t>(i)];
      solved = F[i] >= low[i] - slack && F[i] <= high[i] + slack &&
               (where == At::inside ? std::abs(a[i]) <= floor
                : where == At::low  ? a[i] >= -floor
                                    : a[i] <= floor);
    }
    if (solved) break;
  }
  return F.cwiseMax(low).cwiseMin(high);
}

}  // namespace

/// Points that share nothing are solved apart: many bodies at rest beside each other cost what each costs.
template <int most>
VectorOf<most> bounded_forces(const MatrixOf<most>& W, const VectorOf<most>& c, const VectorOf<most>& low,
                              const VectorOf<most>& high, const VectorOf<most>& stiffness) {
  const Index n = W.rows();
  if ((W.array() != 0).all()) return coupled_forces<most>(W, c, low, high, stiffness);
  VectorOf<most> out(n);
  std::vector<char> done(static_cast<std::size_t>(n), 0);
  for (Index first = 0; first < n; ++first) {
    if (done[static_cast<std::size_t>(first)]) continue;
    const Indices group = coupled_with({first}, W);
    for (const Index i : group) done[static_cast<std::size_t>(i)] = 1;
    const VectorOf<most> part =
        coupled_forces<most>(picked<most>(W, group, group), picked<most>(c, group), picked<most>(low, group),
                             picked<most>(high, group), picked<most>(stiffness, group));
    for (std::size_t k = 0; k < group.size(); ++k) out[group[k]] = part[static_cast<Index>(k)];
  }
  return out;
}

template VectorOf<kSmall> bounded_forces<kSmall>(const MatrixOf<kSmall>&, const VectorOf<kSmall>&,
                                                 const VectorOf<kSmall>&, const VectorOf<kSmall>&,
                                                 const VectorOf<kSmall>&);
template Eigen::VectorXd bounded_forces<Eigen::Dynamic>(const Eigen::MatrixXd&, const Eigen::VectorXd&,
                                                        const Eigen::VectorXd&, const Eigen::VectorXd&,
                                                        const Eigen::VectorXd&);
template MatrixOf<kSmall> weighted_inverse<kSmall>(const MatrixOf<kSmall>&, const VectorOf<kSmall>&);
template Eigen::MatrixXd weighted_inverse<Eigen::Dynamic>(const Eigen::MatrixXd&, const Eigen::VectorXd&);

}  // namespace percuss::linear
