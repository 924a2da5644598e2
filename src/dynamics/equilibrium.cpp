// A Newton iteration with a bound on each step and a search along it.
#include "percuss/dynamics/equilibrium.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/events/branches.h"
#include "percuss/dynamics/events/effects.h"
#include "percuss/dynamics/linearisation.h"
#include "percuss/dynamics/step_control.h"
#include "percuss/linear/dense.h"
#include "percuss/linear/spectrum.h"

namespace percuss::dynamics {

namespace {

constexpr int kMostIterationsToRest = 500;
constexpr double kFirstRadius = 0.1;       // of the characteristic length: how far a body moves in the first step
constexpr double kLeastRadius = 1e-3;      // the same of the radius that a step leaves
constexpr double kLargestTurn = 0.5;       // of the characteristic length, which stands for radians
constexpr double kLongestWayToRest = 1e4;  // of the characteristic length: it falls without end
constexpr double kNegligible = 1e-9;       // of gravity or of the first acceleration: balance

/// How far a body may move in one step and still meet what is in its way: a quarter of the smallest bounded
/// surface.
double longest_way_m(const Model& model) {
  double least = std::numeric_limits<double>::infinity();
  if (!model.pairs.empty() || !model.by_materials.empty())
    for (const geometry::Surface& s : model.surfaces)
      if (std::isfinite(s.reach_m) && s.reach_m > 0) least = std::min(least, s.reach_m / 4);
  return least;
}

class WayToRest {
 public:
  WayToRest(const Model& model, const Settings& settings, const State& start)
      : held_(held_at(model, start.t_s, start.modes)),
        settings_(settings),
        workspace_(held_),
        broad_phase_(held_),
        branchings_(branchings(held_)) {
    state_ = start;
    state_.has_begun = false;
    state_.control = {};
    state_.counts = {};
    longest_way_m_ = longest_way_m(held_);
  }

  Equilibrium run();
  State as_it_stands() {
    put_at_start();
    return std::move(state_);
  }

 private:
  /// Brings a State to a place: velocities 0, turns counted, the contacts that overlap there.
  void put(State& state, std::vector<double> y);
  void settle_contacts(State& state);
  void put_at_start();
  Linearisation linearise_at(const State& state) {
    return linearise(held_, state.t_s, state.y, state.modes, WithDamping::no, 2, workspace_);
  }
  /// N^T M a along a step: the power of the forces on the way.
  double push_along(const State& state, std::span<const double> step);
  State beside(const State& state, std::span<const double> step, std::span<const double> shift, double share);
  std::string why_not(const Linearisation& last, double moved_m) const;

  const Model held_;
  const Settings& settings_;
  Workspace workspace_;
  model::BroadPhase broad_phase_;
  const std::vector<Branching> branchings_;
  const Watchers nobody_{};
  State state_;
  double longest_way_m_ = 0;
};

void WayToRest::settle_contacts(State& state) {
  std::map<ContactKey, Vec3> memories;
  for (const ContactMode& c : state.modes.contacts)
    if (c.memory_at >= 0) {
      const double* z = &state.y[at(c.memory_at)];
      memories[c.key()] = {z[0], z[1], z[2]};
    }
  state.modes.contacts.clear();
  state.modes.overlaps.clear();
  state.modes.touches = 0;
  state.y.resize(held_.unknowns());
  Effect f{held_, settings_, broad_phase_, workspace_, nobody_, 0, 0, state};
  begin_contacts(f, overlapping_points(f), memories);
  place(held_, state.t_s, state.y, state.modes, workspace_, workspace_.result);
  for (const ContactMode& c : state.modes.contacts) {  // into the surface, and not beyond the limit
    if (c.memory_at < 0) continue;
    const Approach a = approach_of(held_, workspace_.result.motions, c, workspace_.spots);
    double* z = &state.y[at(c.memory_at)];
    Vec3 memory{z[0], z[1], z[2]};
    memory -= dot(memory, a.gap.b.linear) * a.gap.b.linear;
    const double size = norm(memory), limit = memory_limit_m(c, a);
    if (size > limit) memory = (limit / size) * memory;
    z[0] = memory.x, z[1] = memory.y, z[2] = memory.z;
  }
}

void WayToRest::put(State& state, std::vector<double> y) {
  state.y = std::move(y);
  model::normalise(held_, state.y);
  place(held_, state.t_s, state.y, state.modes, workspace_, workspace_.result);
  for (const int m : workspace_.angles) {
    state.modes.angle_rad[at(m)] = measure(held_, workspace_.result, m).value;
    state.modes.angle_rate[at(m)] = 0;
  }
  state.modes.angle_time_s = state.t_s;
  state.control.speed_scale_mps = speed_scale_mps(held_, settings_, workspace_.result.motions);
  if (!branchings_.empty()) {
    Effect f{held_, settings_, broad_phase_, workspace_, nobody_, 0, 0, state};
    settle_branches(f, branchings_, nullptr);
  }
  settle_contacts(state);
}

State WayToRest::beside(const State& state, std::span<const double> step, std::span<const double> shift,
                        double share) {
  State out = state;
  put(out, displaced(held_, state.t_s, state.y, state.modes, step, shift, share, workspace_));
  return out;
}

double WayToRest::push_along(const State& state, std::span<const double> step) {
  const Evaluation& e = evaluate(held_, state.t_s, state.y, state.modes, workspace_);
  const std::vector<double> m = mass_times(held_, step);
  double push = 0;
  for (std::size_t k = 0; k < m.size(); ++k) push += m[k] * e.acceleration[k];
  return push;
}

/// What is solved for a step p: (K + D) p = r, in coordinates with M = 1. D lifts directions whose stiffness is
/// below zero to its amount, so that the way leads to where energy is least, and those without stiffness to what
/// rounding leaves uncertain, so that a body that may roll does not. A bound on the way is met by a further
/// multiple of the unit matrix (Levenberg and Marquardt): stiff contacts take their full step even then. A multiple
/// that vanishes with the accelerations left is always added: the iteration stays quadratic, also where equilibria
/// are not isolated. Friction makes K unsymmetric, and its symmetric part negative though nothing is unstable: what
/// is not below the antisymmetric part is not lifted.
Eigen::VectorXd bounded_step(const Model& model, const Linearisation& l, double radius_m) {
  const Eigen::MatrixXd symmetric = (l.stiffness + l.stiffness.transpose()) / 2;
  const double unsymmetric = (l.stiffness - symmetric).norm();
  const linear::Spectrum spectrum(symmetric);
  const Eigen::VectorXd along = spectrum.vectors.transpose() * l.residual;
  Eigen::VectorXd lifted = spectrum.values, lift = Eigen::VectorXd::Zero(lifted.size());
  for (Eigen::Index i = 0; i < lifted.size(); ++i) {
    const double value = spectrum.values[i], least = std::max(spectrum.vectors.col(i).cwiseAbs2().dot(l.noise),
                                                              std::numeric_limits<double>::min());
    lifted[i] = std::max(std::abs(value), least);
    if (value < -unsymmetric || std::abs(value) < least) lift[i] = lifted[i] - value;
  }
  const auto way_of = [&](const Eigen::VectorXd& p) {
    const Eigen::VectorXd u = l.basis * p;
    return way_m(model, {u.data(), static_cast<std::size_t>(u.size())});
  };
  const auto spectral = [&](double extra) {
    return Eigen::VectorXd(spectrum.vectors * (along.array() / (lifted.array() + extra)).matrix());
  };
  constexpr double kRegular =
      0.1;  // over a characteristic length; vanishes with what is left, and so keeps the order
  double extra = kRegular * l.acceleration_mps2 / model.length_m;
  if (way_of(spectral(extra)) > radius_m) {
    double low = std::log(std::max(extra, std::numeric_limits<double>::min())),
           high = std::log(lifted.maxCoeff() + extra + way_of(spectral(1)) / radius_m + 1);
    while (way_of(spectral(std::exp(high))) > radius_m) high += 5;
    constexpr int kHalvings = 60;
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = (low + high) / 2;
      (way_of(spectral(std::exp(middle))) > radius_m ? low : high) = middle;
    }
    extra = std::exp(high);
  }
  const Eigen::VectorXd added = lift.array() + extra;
  const Eigen::MatrixXd whole = l.stiffness + spectrum.vectors * added.asDiagonal() * spectrum.vectors.transpose();
  constexpr double kRank = 1e-15;
  const Eigen::VectorXd p = linear::least_squares(whole, l.residual, kRank);
  if (p.allFinite() && p.dot(l.residual) > 0) return p * std::min(1.0, radius_m / way_of(p));
  return spectral(extra);  // that one goes with the forces
}

std::string WayToRest::why_not(const Linearisation& last, double moved_m) const {
  std::string out = "no static equilibrium: body \"" + held_.bodies[at(last.worst_body)].name +
                    "\" still accelerates at " + text_of(last.acceleration_mps2, 3) + " m/s^2 after " +
                    text_of(moved_m, 3) + " m";
  for (const ContactMode& c : state_.modes.contacts)
    if (c.friction.row && !c.friction.row->holds)
      return out + "; friction \"" + std::string(c.friction.row->key) + "\" of contact \"" +
             held_.contact_of(c.pair).name + "\" holds nothing at rest (lugre and mindlin do)";
  if (state_.modes.contacts.empty() && held_.springs.empty()) out += "; nothing carries it";
  return out;
}

void WayToRest::put_at_start() {
  const std::vector<double> nothing(at(held_.velocity_count));
  put(state_, displaced(held_, state_.t_s, state_.y, state_.modes, nothing, {}, 0, workspace_));
}

Equilibrium WayToRest::run() {
  Equilibrium out;
  for (const model::Contact& c : held_.contacts)
    if (c.impulsive) {
      out.failure = "no static equilibrium: contact \"" + c.name +
                    "\" has an impulsive response and no indentation; a response by force is needed";
      return out;
    }
  put_at_start();
  Linearisation l = linearise_at(state_);
  const double scale_mps2 = std::max(norm(held_.gravity_mps2), l.acceleration_mps2);
  const auto allowed = [&](const Linearisation& at_place) {
    return kNegligible * scale_mps2 + at_place.noise_mps2;
  };
  double radius_m = kFirstRadius * held_.length_m, moved_m = 0;
  bool is_polished = false;
  int& i = out.iterations;
  for (; i < kMostIterationsToRest && moved_m < kLongestWayToRest * held_.length_m &&
         std::isfinite(l.acceleration_mps2);
       ++i) {
    if (l.basis.cols() == 0 || l.acceleration_mps2 == 0) break;
    const bool is_balanced = l.acceleration_mps2 <= allowed(l);
    if (is_balanced && is_polished) break;
    const double reach_m = std::min({radius_m, longest_way_m_, held_.length_m * kLargestTurn + radius_m});
    const Eigen::VectorXd p = bounded_step(held_, l, reach_m);
    const Eigen::VectorXd u = l.basis * p;
    const std::span<const double> step{u.data(), static_cast<std::size_t>(u.size())};
    if (!u.allFinite()) break;
    const std::vector<double> shift =
        memory_shift(held_, state_.t_s, state_.y, state_.modes, step, Memories::as_they_move, workspace_);
    State next = beside(state_, step, shift, 1);
    if (is_balanced) {  // one more step, kept if it is better: the last digits
      const Linearisation there = linearise_at(next);
      is_polished = !(there.acceleration_mps2 < l.acceleration_mps2 / 2);
      if (there.acceleration_mps2 < l.acceleration_mps2) state_ = std::move(next), l = there;
      continue;
    }
    // along the step the forces push less and less; where they push back there is a balance between
    constexpr double kEnough = 0.5;
    const double push_0 = p.dot(l.residual);
    double share = 1, push = push_along(next, step);
    if (!(push > -kEnough * push_0)) {
      double low = 0, high = 1;
      constexpr int kMostHalvings = 80;
      for (int k = 0; k < kMostHalvings && high - low > 1e-15 * high; ++k) {
        share = (low + high) / 2;
        next = beside(state_, step, shift, share);
        push = push_along(next, step);
        if (std::abs(push) <= kEnough * push_0) break;
        (push > 0 ? low : high) = share;
      }
    }
    state_ = std::move(next);
    moved_m += share * way_m(held_, step);
    // a longer way next time where the forces are as foreseen, a shorter one where they are not
    const double went_m = share * way_m(held_, step), foreseen = push_0 - p.dot(l.stiffness * p);
    constexpr double kAgree = 0.25;
    const bool is_foreseen = share == 1 && std::abs(push - foreseen) <= kAgree * push_0;
    if (is_foreseen && went_m > radius_m / 2)
      radius_m *= 2;
    else if (!is_foreseen)
      radius_m = std::max(went_m, kLeastRadius * held_.length_m);
    l = linearise_at(state_);
  }
  out.acceleration_mps2 = l.acceleration_mps2;
  out.allowed_mps2 = allowed(l);
  if (!(l.acceleration_mps2 <= out.allowed_mps2)) out.failure = why_not(l, moved_m);
  state_.counts = {};
  state_.control = {};
  out.state = std::move(state_);
  return out;
}

}  // namespace

Equilibrium find_equilibrium(const Model& model, const Settings& settings, const State& start) {
  try {
    return WayToRest(model, settings, start).run();
  } catch (const ControllerError& error) {
    Equilibrium out;
    out.failure = std::string("no static equilibrium: ") + error.what();
    return out;
  }
}

State standing_still(const Model& model, const Settings& settings, const State& start) {
  return WayToRest(model, settings, start).as_it_stands();
}

Equilibrium starting_state(const Model& model, const Settings& settings) {
  if (settings.starts_at_equilibrium) return find_equilibrium(model, settings, initial_state(model));
  Equilibrium out;
  out.state = initial_state(model);
  return out;
}

}  // namespace percuss::dynamics
