// The eigenvalues of the linearised motion.
#include "percuss/dynamics/natural_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "percuss/base/index.h"
#include "percuss/dynamics/linearisation.h"
#include "percuss/linear/spectrum.h"

namespace percuss::dynamics {

double NaturalMode::natural_frequency_Hz() const {
  return kind == NaturalMode::Kind::oscillation || (kind == NaturalMode::Kind::unstable && rate_radps.imag() != 0)
             ? std::abs(rate_radps) / (2 * std::numbers::pi)
             : 0;
}
double NaturalMode::damped_frequency_Hz() const { return std::abs(rate_radps.imag()) / (2 * std::numbers::pi); }
double NaturalMode::damping_ratio() const {
  return kind == NaturalMode::Kind::rigid_body ? 0 : -rate_radps.real() / std::abs(rate_radps);
}
double NaturalMode::time_constant_s() const {
  return rate_radps.real() == 0 ? std::numeric_limits<double>::infinity() : 1 / std::abs(rate_radps.real());
}

std::string_view name_of(NaturalMode::Kind kind) {
  switch (kind) {
    case NaturalMode::Kind::rigid_body: return "rigid-body motion";
    case NaturalMode::Kind::oscillation: return "oscillation";
    case NaturalMode::Kind::decay: return "decay";
    case NaturalMode::Kind::unstable: return "unstable";
  }
  return "";
}

namespace {

constexpr double kNoGrowth = 1e-8;  // of the rate: a real part below it is that of the differences

/// In the coordinates of the linearisation.
struct Solution {
  std::complex<double> rate;
  Eigen::VectorXcd coordinates;
};

/// Undamped, with a symmetric stiffness: s'' = -K s. Every number is real.
std::vector<Solution> conservative_solutions(const Eigen::MatrixXd& stiffness) {
  const linear::Spectrum spectrum(stiffness);
  std::vector<Solution> out;
  for (Eigen::Index i = 0; i < spectrum.values.size(); ++i) {
    const double square = spectrum.values[i], root = std::sqrt(std::abs(square));
    const Eigen::VectorXcd shape = spectrum.vectors.col(i).cast<std::complex<double>>();
    if (square > 0)
      out.push_back({{0, root}, shape});
    else
      out.push_back({{root, 0}, shape}), out.push_back({{-root, 0}, shape});
  }
  return out;
}

/// s'' = -C s' - K s as a first-order system. Coordinates along which K vanishes only follow: they are no unknowns,
/// and neither are their velocities where C vanishes, too. Positions are scaled by their own frequencies, so that a
/// stiff contact (1e5 rad/s) leaves eleven digits of a pendulum (1 rad/s).
std::vector<Solution> damped_solutions(const Eigen::MatrixXd& stiffness, const Eigen::MatrixXd& damping,
                                       const std::vector<char>& is_free, const std::vector<char>& is_undamped) {
  const Eigen::Index n = stiffness.rows();
  std::vector<Eigen::Index> positions, velocities;
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    if (!is_free[k]) positions.push_back(j);
    if (!is_free[k] || !is_undamped[k]) velocities.push_back(j);
  }
  const auto np = static_cast<Eigen::Index>(positions.size()), nv = static_cast<Eigen::Index>(velocities.size());
  const auto p_at = [&](Eigen::Index i) { return positions[static_cast<std::size_t>(i)]; };
  const auto v_at = [&](Eigen::Index i) { return velocities[static_cast<std::size_t>(i)]; };
  Eigen::VectorXd scale(np);
  for (Eigen::Index i = 0; i < np; ++i) scale[i] = std::sqrt(stiffness.col(p_at(i)).cwiseAbs().maxCoeff());
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(np + nv, np + nv);
  for (Eigen::Index i = 0; i < nv; ++i) {
    for (Eigen::Index k = 0; k < np; ++k) {
      if (v_at(i) == p_at(k)) a(k, np + i) = scale[k];
      a(np + i, k) = -stiffness(v_at(i), p_at(k)) / scale[k];
    }
    for (Eigen::Index k = 0; k < nv; ++k) a(np + i, np + k) = -damping(v_at(i), v_at(k));
  }
  const linear::GeneralSpectrum spectrum(a);
  std::vector<Solution> out;
  for (Eigen::Index e = 0; e < spectrum.values.size(); ++e) {
    const std::complex<double> rate = spectrum.values[e];
    if (rate.imag() < 0) continue;
    // velocities over the rate are positions, where the rate is one
    Eigen::VectorXcd s = Eigen::VectorXcd::Zero(n), v = Eigen::VectorXcd::Zero(n);
    for (Eigen::Index i = 0; i < np; ++i) s[p_at(i)] = spectrum.vectors(i, e) / scale[i];
    for (Eigen::Index i = 0; i < nv; ++i) v[v_at(i)] = spectrum.vectors(np + i, e);
    if (std::abs(rate) > 0)
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto k = static_cast<std::size_t>(j);
        if (!is_free[k]) continue;
        if (is_undamped[k])
          v[j] = -((stiffness.row(j).cast<std::complex<double>>() * s)(0) +
                   (damping.row(j).cast<std::complex<double>>() * v)(0)) /
                 rate;
        s[j] = v[j] / rate;
      }
    out.push_back({rate, s});
  }
  return out;
}

bool is_symmetric(const Eigen::MatrixXd& k, const Eigen::VectorXd& noise) {
  constexpr double kTruncation = 1e-9;
  for (Eigen::Index i = 0; i < k.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (std::abs(k(i, j) - k(j, i)) >
          8 * (noise[i] + noise[j]) + kTruncation * std::sqrt(std::abs(k(i, i) * k(j, j))))
        return false;
  return true;
}

/// Displacements with the largest way of a body 1 and real, and the shares of the kinetic energy.
void put_shape(const Model& model, const Eigen::VectorXcd& u, NaturalMode& mode) {
  double most = 0;
  std::complex<double> largest = 1;
  const auto n = static_cast<std::size_t>(u.size());
  std::vector<double> real(n), imaginary(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::complex<double> x = u[static_cast<Eigen::Index>(k)];
    real[k] = x.real(), imaginary[k] = x.imag();
    if (std::abs(x) > most * (1 + 1e-9)) most = std::abs(x), largest = x;
  }
  std::complex<double> turn = most > 0 ? std::conj(largest) / most : 1;
  for (std::size_t k = 0; k < n; ++k) {
    const std::complex<double> x = std::complex<double>(real[k], imaginary[k]) * turn;
    real[k] = x.real(), imaginary[k] = x.imag();
  }
  const double way = std::max(way_m(model, real), way_m(model, imaginary));
  const std::vector<double> m_real = mass_times(model, real), m_imaginary = mass_times(model, imaginary);
  mode.energy_share.assign(model.bodies.size(), 0.0);
  double whole = 0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    for (int k = 0; k < model.bodies[b].velocity_count; ++k) {
      const std::size_t c = at(model.bodies[b].v_at - model.position_count + k);
      mode.energy_share[b] += real[c] * m_real[c] + imaginary[c] * m_imaginary[c];
      whole += real[c] * m_real[c] + imaginary[c] * m_imaginary[c];
    }
  for (double& share : mode.energy_share) share = whole > 0 ? share / whole : 0;
  mode.shape.resize(n);
  for (std::size_t k = 0; k < n; ++k)
    mode.shape[k] = way > 0 ? std::complex<double>(real[k], imaginary[k]) / way : std::complex<double>();
}

NaturalMode::Kind rate_kind(std::complex<double> rate) {
  if (rate.real() > 0) return NaturalMode::Kind::unstable;
  return rate.imag() != 0 ? NaturalMode::Kind::oscillation : NaturalMode::Kind::decay;
}

std::vector<std::string> remarks_on(const Model& model, const State& about) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& text) {
    if (std::ranges::find(out, text) == out.end()) out.push_back(text);
  };
  for (const ContactMode& c : about.modes.contacts) {
    const std::string name = "contact \"" + model.contact_of(c.pair).name + "\": ";
    if (std::holds_alternative<contact::Dry<>>(c.law.shape))
      add(name + "the force of its law jumps with the direction of motion; the slope is that of unloading");
    if (c.friction.row && c.friction.row->memory == contact::FrictionMemory::none)
      add(name + "friction \"" + std::string(c.friction.row->key) +
          "\" is a viscous force at rest, and far stiffer than in sliding; lugre and mindlin hold as springs");
    if (c.memory_at >= 0 && c.friction.row->memory == contact::FrictionMemory::contact_spring) {
      const double* z = &about.y[at(c.memory_at)];
      if (norm(Vec3{z[0], z[1], z[2]}) > 0)
        add(name + "its contact springs are loaded; that their force falls where the contact shrinks is left out");
    }
  }
  return out;
}

}  // namespace

NaturalModes natural_modes(const Model& model, const State& about) {
  NaturalModes out;
  const Model held = held_at(model, about.t_s, about.modes);
  Workspace workspace(held);
  const Linearisation l = linearise(held, about.t_s, about.y, about.modes, WithDamping::yes, 4, workspace);
  out.acceleration_mps2 = l.acceleration_mps2;
  out.worst_body = l.worst_body;
  out.remarks = remarks_on(model, about);
  const Eigen::Index n = l.basis.cols();
  if (n == 0) return out;
  if (!l.stiffness.allFinite() || !l.damping.allFinite()) {
    out.remarks.emplace_back("a force is no number near this place");
    return out;
  }
  constexpr double kClearly = 8;
  const double most_damped = l.damping.cwiseAbs().maxCoeff();
  std::vector<char> is_free, is_undamped;
  const double room = kClearly * std::sqrt(static_cast<double>(n));
  for (Eigen::Index j = 0; j < n; ++j) {
    is_free.push_back(l.stiffness.col(j).norm() <= room * l.noise[j]);
    is_undamped.push_back(l.damping.col(j).norm() <= room * l.damping_noise[j]);
  }
  const auto add = [&](NaturalMode::Kind kind, std::complex<double> rate, const Eigen::VectorXcd& coordinates) {
    NaturalMode mode;
    mode.kind = kind;
    mode.rate_radps = rate;
    put_shape(held, l.basis.cast<std::complex<double>>() * coordinates, mode);
    out.modes.push_back(std::move(mode));
  };
  for (Eigen::Index j = 0; j < n; ++j)
    if (is_free[static_cast<std::size_t>(j)]) add(NaturalMode::Kind::rigid_body, 0, Eigen::VectorXcd::Unit(n, j));
  const bool is_conservative = is_symmetric(l.stiffness, l.noise) &&
                               std::ranges::all_of(is_undamped, [](char undamped) { return undamped != 0; });
  std::vector<Solution> solutions;
  if (is_conservative) {
    std::vector<Eigen::Index> kept;
    for (Eigen::Index j = 0; j < n; ++j)
      if (!is_free[static_cast<std::size_t>(j)]) kept.push_back(j);
    const Eigen::MatrixXd k = l.stiffness(kept, kept);
    if (!kept.empty()) solutions = conservative_solutions((k + k.transpose()) / 2);
    for (Solution& s : solutions) {
      Eigen::VectorXcd whole = Eigen::VectorXcd::Zero(n);
      whole(kept) = s.coordinates;
      s.coordinates = whole;
    }
  } else {
    solutions = damped_solutions(l.stiffness, l.damping, is_free, is_undamped);
  }
  for (const Solution& s : solutions) {
    // the stiffness along a shape is known up to this; a rate below it is none
    const Eigen::VectorXd squares = s.coordinates.cwiseAbs2();
    const double noise = room * squares.dot(l.noise) / std::max(squares.sum(), std::numeric_limits<double>::min());
    const double lowest = std::sqrt(noise) / std::max(1.0, most_damped / std::sqrt(std::max(noise, 1e-300)));
    if (std::abs(s.rate) <= lowest)
      add(NaturalMode::Kind::rigid_body, 0, s.coordinates);
    else {
      // stiffness that rounding makes unsymmetric turns two equal frequencies into growth and decay
      const bool is_undamped_rate =
          std::abs(s.rate.real()) * std::abs(s.rate) <= kNoGrowth * std::norm(s.rate) + noise;
      const std::complex<double> rate =
          s.rate.imag() != 0 && is_undamped_rate ? std::complex<double>(0, s.rate.imag()) : s.rate;
      add(rate_kind(rate), rate, s.coordinates);
    }
  }
  std::ranges::stable_sort(out.modes, [](const NaturalMode& a, const NaturalMode& b) {
    if ((a.kind == NaturalMode::Kind::rigid_body) != (b.kind == NaturalMode::Kind::rigid_body))
      return a.kind == NaturalMode::Kind::rigid_body;
    return std::abs(a.rate_radps) < std::abs(b.rate_radps);
  });
  return out;
}

}  // namespace percuss::dynamics
