// The sequence of phases with friction.
#include "percuss/collision/frictional.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/scalar.h"
#include "percuss/collision/first_crossing.h"
#include "percuss/collision/series.h"
#include "percuss/linear/bounded_forces.h"

namespace percuss::collision {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using linear::Indices;
using What = Change::What;

constexpr Index kOrder = 24;
constexpr double kReach = 1.2;  // of a step times the highest frequency: 1.2^24/24! = 1e-22
constexpr double kCut = 1e-17;  // what the last terms of a direction may be
constexpr double kSmallForce =
    1e-6;                        // of the greatest force: below it slip turns no more; 1e-12 of the impulse is left
constexpr double kRest = 1e-29;  // of the energy of the approach, as in collide.cpp
constexpr double kZero = 1e-12;  // of the sum of what is added up
constexpr double kIndented = 1e-9;  // of the greatest indentation: pressed in
constexpr double kJammed = 1e-6;    // of the mobility of a point: its own slip takes the rest away
constexpr double kAtLimit = 1e-12;  // of the limit of friction
constexpr std::size_t kDoubtAfter = 64, kMostParts = 20'000;
constexpr long kMostStepsOfPhase = 200'000;  // in a phase
constexpr long kMostOfAll = 1'000'000;       // in all phases: some seconds

/// One collision; a step is the series of all functions around a moment.
class FrictionalSequence {
 public:
  explicit FrictionalSequence(const Collision& in);
  Outcome run();

 private:
  struct Step {
    MatrixXd depth, rate, force;  // [point, order]
    MatrixXd slide, deflection, way, friction,
        turn;  // [row of a direction, order]; turn: only its first row of a point
  };
  struct Watched {
    Change change;
    Series function;
    double floor_size = 0;  // size of what it was added up from, beside its own terms
    int side = 0;           // of held points: the bound
    Series size_of = {};    // sizes of what its terms were added up from, if these are not its own
  };

  static std::size_t u(Index i) { return static_cast<std::size_t>(i); }
  const Point& point(Index i) const { return in_.points[u(i)]; }
  bool is_plastic(Index i) const { return point(i).friction >= 1; }
  bool is_elastoplastic(Index i) const { return point(i).steepening > 1; }
  bool is_dry(Index i) const { return point(i).friction > 0; }
  double compressing_Npm(Index i) const { return point(i).stiffness_Npm * (1 + point(i).friction); }
  double expanding_Npm(Index i) const { return point(i).stiffness_Npm * std::max(1 - point(i).friction, 0.0); }
  double unloading_Npm(Index i) const { return point(i).stiffness_Npm * point(i).steepening; }
  double tangential_Npm(Index i) const { return point(i).stiffness_Npm * point(i).shear; }
  double permanent_m(Index i) const { return deepest_[i] * (1 - 1 / point(i).steepening); }
  bool is_waiting(Index i) const { return sense_[u(i)] == Sense::apart && at_level_[u(i)] && at_rest_[u(i)]; }
  bool is_active(Index i) const {
    const Sense sense = sense_[u(i)];
    return sense == Sense::compressing || sense == Sense::expanding || sense == Sense::unloading;
  }
  bool is_held(Index i) const { return sense_[u(i)] == Sense::held; }
  double spring_Npm(Index i) const {
    switch (sense_[u(i)]) {
      case Sense::expanding: return expanding_Npm(i);
      case Sense::unloading: return unloading_Npm(i);
      default: return compressing_Npm(i);
    }
  }
  double origin_m(Index i) const { return sense_[u(i)] == Sense::unloading ? permanent_m(i) : 0; }
  double stretch_m(Index i) const {
    if (sense_[u(i)] != Sense::unloading) return depth_[i];
    return (depth_[i] - deepest_[i]) + deepest_[i] / point(i).steepening;
  }
  double force_N(Index i) const {
    return is_active(i) ? spring_Npm(i) * stretch_m(i) : is_held(i) ? held_N_[i] : 0;
  }
  Sense pressed(Index i) const { return deepest_[i] > 0 ? Sense::unloading : Sense::compressing; }
  double energy_twice_J(Index i) const {
    const double x = stretch_m(i);
    return (sense_[u(i)] == Sense::unloading ? unloading_Npm(i) : compressing_Npm(i)) * x * x;
  }
  bool has_energy(Index i) const { return energy_twice_J(i) > kRest * energy_J_; }

  // blocks of one point
  Index row(Index i) const { return n_ + d_ * i; }  // in the mobility
  auto of(const VectorXd& v, Index i) const { return v.segment(d_ * i, d_); }
  auto of(VectorXd& v, Index i) const { return v.segment(d_ * i, d_); }
  auto of(const MatrixXd& m, Index i, Index k) const { return m.col(k).segment(d_ * i, d_); }
  auto of(MatrixXd& m, Index i, Index k) const { return m.col(k).segment(d_ * i, d_); }
  bool rubs(Index i) const { return point(i).sliding > 0; }
  double limit_m(Index i, double force) const { return point(i).sliding * force / tangential_Npm(i); }
  VectorXd friction_N(Index i) const {
    return starting_[u(i)] || grip_[u(i)] == Grip::none ? VectorXd(VectorXd::Zero(d_))
                                                        : VectorXd(tangential_Npm(i) * of(deflection_, i));
  }
  VectorXd all_forces() const;

  void decide();
  void decide_turning();
  VectorXd forces_at_turning(const Indices& still) const;
  double force_at_turning(Index i, const VectorXd& force) const;
  VectorXd friction_at(Index i, double force) const;
  void unload(Index i);
  void decide_grips();
  void release_jammed();
  void decide_grip(Index i, const VectorXd& acceleration);
  double held_rate_Nps(Index held) const;
  bool is_over() const;
  double energy_left_J() const;
  void end_plastically(Outcome& out);

  Step expand();
  void begin_grip(Step& s, const MatrixXd& size, Index i, Index order);
  void add_turning_at_start(Step& s, Index i, Index order) const;
  void add_turning(Step& s, Index i, Index order) const;
  Indices open_points() const;
  struct Modes {
    VectorXd frequencies_radps;
    double growth_1ps = 0, highest_radps = 0;
    bool jams = false;
  };
  Modes modes() const;
  double reach(const Step& s);
  std::vector<Watched> watch(const Step& s) const;
  void book(const Step& s, double t, Outcome& out);
  void move_to(const Step& s, double t);
  void apply(const Watched& event);

  const Collision& in_;
  Index n_, d_;
  MatrixXd W_, W_size_;
  VectorXd stiffness_;
  // the state
  VectorXd depth_, rate_, level_, held_N_, deepest_;
  VectorXd slide_, deflection_, way_;  // [point * directions + direction]
  std::vector<Sense> sense_;
  std::vector<Grip> grip_;
  std::vector<char> at_level_, at_rest_;
  std::vector<char> starting_;        // presses from zero force on: the next series says whether it sticks
  std::vector<char> no_limit_slope_;  // sticks from its limit on, with no speed along it
  std::vector<char> released_;        // was held until now, and moves with the next derivative
  std::vector<char> keeps_way_;       // its force is about to vanish: the direction of slip is kept
  double energy_J_ = 0;               // of the approach
  VectorXd rate_scale_, slide_scale_;
  double greatest_N_ = 0;
  double vibration_s_ = 1;  // that the fastest mode allows a step
  double unit_s_ = 1;       // of the time in a series
  // of a series that starts at zero force: the orders at which force and speed begin
  std::vector<Index> force_from_, speed_from_;
};

FrictionalSequence::FrictionalSequence(const Collision& in)
    : in_(in),
      n_(in.approach_mps.size()),
      d_(in.tangents.directions),
      W_(in.tangents.mobility),
      W_size_(in.tangents.mobility.cwiseAbs()) {
  stiffness_.resize(n_);
  depth_.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    stiffness_[i] = point(i).stiffness_Npm;
    depth_[i] = -point(i).gap_m;
  }
  rate_ = in.approach_mps;
  slide_ = -in.tangents.slip_mps;
  level_ = held_N_ = deepest_ = VectorXd::Zero(n_);
  deflection_ = way_ = VectorXd::Zero(n_ * d_);
  sense_.assign(u(n_), Sense::apart);
  grip_.assign(u(n_), Grip::none);
  at_level_.assign(u(n_), 0);
  at_rest_ = starting_ = no_limit_slope_ = keeps_way_ = released_ = at_level_;
  force_from_.assign(u(n_), 0);
  speed_from_ = force_from_;
  for (Index i = 0; i < n_; ++i)
    if (W_(i, i) > 0) energy_J_ += rate_[i] * rate_[i] / (2 * W_(i, i));
  const VectorXd scale = (2 * energy_J_ * W_.diagonal()).cwiseMax(0).cwiseSqrt();
  rate_scale_ = scale.head(n_), slide_scale_ = scale.tail(n_ * d_);
  for (Index i = 0; i < n_; ++i) {
    at_level_[u(i)] = depth_[i] == 0;
    if (std::abs(rate_[i]) <= relative_floor(n_) * rate_scale_[i]) rate_[i] = 0, at_rest_[u(i)] = at_level_[u(i)];
  }
}

VectorXd FrictionalSequence::all_forces() const {
  VectorXd out(n_ * (1 + d_));
  for (Index i = 0; i < n_; ++i) {
    out[i] = force_N(i);
    out.segment(row(i), d_) = friction_N(i);
  }
  return out;
}

void FrictionalSequence::unload(Index i) {
  if (is_plastic(i))
    sense_[u(i)] = Sense::apart, level_[i] = depth_[i], grip_[u(i)] = Grip::none, of(deflection_, i).setZero();
  else
    sense_[u(i)] = Sense::expanding;
}

/// Which springs act next: by rates, then, of dry points that stand still, by accelerations. Points that just touch
/// and stand still are decided within the next series.
void FrictionalSequence::decide() {
  for (Index i = 0; i < n_; ++i)
    if (at_level_[u(i)] && !at_rest_[u(i)]) {
      sense_[u(i)] = rate_[i] > 0 ? pressed(i) : Sense::apart;
      at_level_[u(i)] = 0;
      starting_[u(i)] = rate_[i] > 0;
    }
  const double deep = depth_.maxCoeff();
  for (Index i = 0; i < n_; ++i)
    if (is_active(i) && is_dry(i) && !released_[u(i)] && depth_[i] > kIndented * deep &&
        std::abs(rate_[i]) <= relative_floor(n_) * rate_scale_[i])
      rate_[i] = 0, at_rest_[u(i)] = 1;
  std::ranges::fill(released_, 0);
  // one that has turned, or is held, with nothing in its spring just touches
  for (Index i = 0; i < n_; ++i)
    if (const Sense sense = sense_[u(i)];
        (sense == Sense::unloading || ((sense == Sense::expanding || sense == Sense::held) && level_[i] == 0)) &&
        !has_energy(i) && std::abs(rate_[i]) <= relative_floor(n_) * rate_scale_[i]) {
      level_[i] = depth_[i] = origin_m(i);
      rate_[i] = 0;
      sense_[u(i)] = Sense::apart;
      at_level_[u(i)] = at_rest_[u(i)] = 1;
    }
  decide_turning();
  for (Index i = 0; i < n_; ++i)
    if (is_waiting(i) || sense_[u(i)] == Sense::apart) {
      sense_[u(i)] = Sense::apart, grip_[u(i)] = Grip::none, starting_[u(i)] = 0;
      of(deflection_, i).setZero();
    }
  decide_grips();
  release_jammed();
}

/// Forces between those of expansion and of compression of dry points that stand still, as in collide.cpp. Their
/// friction depends on them: T = k_t s as long as it is within the limit mu_s F, else at the limit. From the forces
/// as they are, first all points together by a part of their way, so that their order does not matter, then in turn
/// until nothing changes. The acceleration of a point falls with its own force unless its friction presses it in;
/// then there is a choice, and the point goes on as it came: one that compressed expands now.
VectorXd FrictionalSequence::forces_at_turning(const Indices& still) const {
  constexpr int kTogether = 200, kMostSweeps = 4000;
  VectorXd force = all_forces();
  for (const Index i : still)  // held ones have theirs
    if (!is_held(i))
      force[i] = (sense_[u(i)] == Sense::compressing ? compressing_Npm(i) : expanding_Npm(i)) * depth_[i];
  const auto m = static_cast<Index>(still.size());
  VectorXd next = force;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    const bool together = m > 1 && sweep < kTogether;
    double change = 0;
    for (const Index i : still) {
      const double before = force[i], part = together ? 1 / static_cast<double>(m) : 1;
      const double f = before + part * (force_at_turning(i, force) - before);
      change = std::max(change, std::abs(f - before) / (compressing_Npm(i) * depth_[i]));
      next[i] = f;
      next.segment(row(i), d_) = friction_at(i, f);
      if (!together) force = next;
    }
    force = next;
    if (change <= 4 * kEpsilon) break;
  }
  return force;
}

/// Of a point whose normal force is f: its spring as it is deflected, cut to the limit.
VectorXd FrictionalSequence::friction_at(Index i, double f) const {
  if (grip_[u(i)] == Grip::none) return VectorXd::Zero(d_);
  const VectorXd spring = tangential_Npm(i) * of(deflection_, i);
  const double size = spring.norm(), limit = point(i).sliding * f;
  return size > limit ? VectorXd(spring * (limit / size)) : spring;
}

/// The force of one point under those of the others.
double FrictionalSequence::force_at_turning(Index i, const VectorXd& force) const {
  const VectorXd across = W_.row(i).segment(row(i), d_);
  const double others = W_.row(i).dot(force) - W_(i, i) * force[i] - across.dot(force.segment(row(i), d_));
  const auto acceleration = [&](double f) { return -(others + W_(i, i) * f + across.dot(friction_at(i, f))); };
  double low = expanding_Npm(i) * depth_[i], high = compressing_Npm(i) * depth_[i];
  const double at_low = acceleration(low), at_high = acceleration(high);
  const double knee = rubs(i) ? tangential_Npm(i) * of(deflection_, i).norm() / point(i).sliding : 0;
  const double noise = kZero * (std::abs(others) + W_(i, i) * force[i]);
  // a held point that slip would press in stays held as long as it sticks
  if (is_held(i) && at_low <= 0 && at_high < 0 && knee > low && knee < high && acceleration(knee) >= -noise)
    low = knee;
  else if (at_low <= 0 && at_high >= 0)
    return sense_[u(i)] == Sense::expanding ? high : low;
  else if (at_low <= 0)
    return low;
  if (at_high >= 0) return high;
  // one zero, of two straight pieces
  if (knee > low && knee < high) (acceleration(knee) > 0 ? low : high) = knee;
  const double p = acceleration(low), q = acceleration(high);
  return p == q ? low : std::clamp(low + (high - low) * p / (p - q), low, high);
}

void FrictionalSequence::decide_turning() {
  Indices still;
  for (Index i = 0; i < n_; ++i)
    if (at_rest_[u(i)] && !is_elastoplastic(i) && is_dry(i) && compressing_Npm(i) * depth_[i] > 0)
      still.push_back(i);
  if (still.empty()) return;
  for (const Index i : still)
    if (sense_[u(i)] == Sense::apart) grip_[u(i)] = Grip::none;
  const VectorXd force = forces_at_turning(still);
  const VectorXd acceleration = -(W_ * force), size = W_size_ * force.cwiseAbs();
  for (const Index i : still) {
    at_level_[u(i)] = 0;
    held_N_[i] = force[i] > kZero * greatest_N_ ? force[i] : 0;
    if (grip_[u(i)] == Grip::none) grip_[u(i)] = Grip::sticking;
    if (rubs(i)) of(deflection_, i) = force.segment(row(i), d_) / tangential_Npm(i);
    if (std::abs(acceleration[i]) <= kZero * size[i]) {
      sense_[u(i)] = Sense::held;
      continue;
    }
    at_rest_[u(i)] = 0;
    if (acceleration[i] > 0)
      sense_[u(i)] = Sense::compressing;
    else
      unload(i);
  }
}

/// Whether points with a force stick or slip. Inside the limit a point sticks. At the limit |s| = rho, with d =
/// s/|s|, it slips if its spring would go beyond: by d.y' - rho', and if that is zero, by the next derivative.
void FrictionalSequence::decide_grips() {
  VectorXd acceleration;
  for (Index i = 0; i < n_; ++i) {
    no_limit_slope_[u(i)] = 0;
    if (!(is_active(i) || is_held(i)) || !rubs(i)) {
      grip_[u(i)] = Grip::none;
      continue;
    }
    if (starting_[u(i)]) continue;
    if (acceleration.size() == 0) acceleration = -(W_ * all_forces());
    decide_grip(i, acceleration);
  }
}

/// A held point that slips and is pressed in by its own slip is held by no force: it goes.
void FrictionalSequence::release_jammed() {
  for (Index i = 0; i < n_; ++i) {
    if (!is_held(i) || grip_[u(i)] != Grip::slipping) continue;
    const double with_friction = W_(i, i) + point(i).sliding * W_.row(i).segment(row(i), d_).dot(of(way_, i));
    if (with_friction > kJammed * W_(i, i)) continue;
    at_rest_[u(i)] = 0, released_[u(i)] = 1;
    unload(i);
  }
}

/// How fast the force of a held point grows if all held points stick. (With N' as under slip, d.y' - rho' has the
/// same sign as long as slip does not press the point in: the two differ by the factor 1 + mu_s W_nt.d/W_nn.)
double FrictionalSequence::held_rate_Nps(Index which) const {
  Indices held;
  VectorXd change = VectorXd::Zero(n_ * (1 + d_));
  for (Index i = 0; i < n_; ++i) {
    if (is_held(i)) held.push_back(i);
    if (is_active(i)) change[i] = spring_Npm(i) * rate_[i];
    if (!rubs(i) || !(is_active(i) || is_held(i))) continue;
    if (grip_[u(i)] == Grip::slipping && is_active(i)) {
      const VectorXd d = of(way_, i), across = of(slide_, i) - d.dot(of(slide_, i)) * d;
      change.segment(row(i), d_) = point(i).sliding * change[i] * d + tangential_Npm(i) * across;
    } else if (grip_[u(i)] != Grip::none) {
      change.segment(row(i), d_) = tangential_Npm(i) * of(slide_, i);
    }
  }
  const auto h = static_cast<Index>(held.size());
  MatrixXd among(h, h);
  VectorXd need(h);
  for (Index a = 0; a < h; ++a) {
    need[a] = -W_.row(held[u(a)]).dot(change);
    for (Index b = 0; b < h; ++b) among(a, b) = W_(held[u(a)], held[u(b)]);
  }
  const VectorXd rates = Eigen::CompleteOrthogonalDecomposition<MatrixXd>(among).solve(need);
  return rates[std::ranges::find(held, which) - held.begin()];
}

void FrictionalSequence::decide_grip(Index i, const VectorXd& acceleration) {
  const double rho = limit_m(i, force_N(i)), deflected = of(deflection_, i).norm();
  keeps_way_[u(i)] = 0;
  if (!(force_N(i) > kZero * greatest_N_)) {
    grip_[u(i)] = Grip::none;
    of(deflection_, i).setZero();
    if (is_active(i) && rate_[i] > 0) depth_[i] = origin_m(i), starting_[u(i)] = 1;
    return;
  }
  if (deflected < rho * (1 - kAtLimit)) {
    grip_[u(i)] = Grip::sticking;
    return;
  }
  const VectorXd d = of(deflection_, i) / deflected;
  of(deflection_, i) = rho * d;
  of(way_, i) = d;
  const double per_N = limit_m(i, 1);
  const double growth = per_N * (is_held(i) ? held_rate_Nps(i) : spring_Npm(i) * rate_[i]);
  const double along = d.dot(of(slide_, i)), beyond = along - growth;
  const double noise =
      kZero * (std::abs(along) + std::abs(growth)) + relative_floor(n_) * of(slide_scale_, i).norm();
  if (std::abs(beyond) > noise) {
    grip_[u(i)] = beyond > 0 ? Grip::slipping : Grip::sticking;
    return;
  }
  const VectorXd across = of(slide_, i) - along * d;
  double next = d.dot(acceleration.segment(row(i), d_)) + across.squaredNorm() / rho;
  if (!is_held(i)) next -= per_N * spring_Npm(i) * acceleration[i];
  grip_[u(i)] = next > 0 ? Grip::slipping : Grip::sticking;
  no_limit_slope_[u(i)] = grip_[u(i)] == Grip::sticking;
}

bool FrictionalSequence::is_over() const {
  for (Index i = 0; i < n_; ++i) {
    if (is_waiting(i)) continue;
    const bool presses = is_active(i) || (is_held(i) && held_N_[i] > 0);
    if (presses && has_energy(i)) return false;
    if (!is_held(i) && rate_[i] > relative_floor(n_) * rate_scale_[i]) return false;
  }
  return true;
}

/// The most that the points could still exchange: the relative motion and the springs.
double FrictionalSequence::energy_left_J() const {
  const Index all = n_ * (1 + d_);
  VectorXd speed(all);
  speed << rate_, slide_;
  double energy = speed.dot(linear::weighted_inverse(W_, VectorXd::Ones(all)) * speed) / 2;
  for (Index i = 0; i < n_; ++i) {
    if (is_active(i)) energy += energy_twice_J(i) / 2;
    energy += tangential_Npm(i) * of(deflection_, i).squaredNorm() / 2;
  }
  return energy;
}

/// Normal impulses that stop what still approaches, without rebound and without friction.
void FrictionalSequence::end_plastically(Outcome& out) {
  out.end = Outcome::End::accumulated;
  out.undecided_J = energy_left_J();
  const VectorXd high = VectorXd::Constant(n_, std::numeric_limits<double>::infinity());
  const VectorXd impulse =
      linear::bounded_forces(MatrixXd(W_.topLeftCorner(n_, n_)), -rate_, VectorXd::Zero(n_), high, stiffness_);
  const VectorXd before = rate_, change = -(W_.leftCols(n_) * impulse);
  out.impulse_Ns += impulse;
  rate_ += change.head(n_), slide_ += change.tail(n_ * d_);
  out.lost_J += impulse.cwiseProduct(before + rate_) / 2;
}

// ---- a step

/// Points that just touch and stand still: the first coefficient of their depth that is not zero decides.
Indices FrictionalSequence::open_points() const {
  Indices out;
  for (Index i = 0; i < n_; ++i)
    if (is_waiting(i)) out.push_back(i);
  return out;
}

/// Coefficient by coefficient: forces from deflections, speeds from forces, deflections from speeds. In units of
/// time of the step before, so that coefficients of series of a small radius stay finite: speeds per unit, W by its
/// square.
FrictionalSequence::Step FrictionalSequence::expand() {
  const Index columns = kOrder + 1, rows = n_ * d_;
  Step s;
  for (MatrixXd* m : {&s.depth, &s.rate, &s.force}) m->setZero(n_, columns);
  for (MatrixXd* m : {&s.slide, &s.deflection, &s.way, &s.friction}) m->setZero(rows, columns);
  s.turn.setZero(n_, columns);
  s.depth.col(0) = depth_, s.rate.col(0) = unit_s_ * rate_, s.slide.col(0) = unit_s_ * slide_;
  s.deflection.col(0) = deflection_, s.way.col(0) = way_;
  Indices open = open_points(), held;
  MatrixXd size = MatrixXd::Zero(n_ * (1 + d_), columns);  // of what the speeds are added up from
  for (Index i = 0; i < n_; ++i) {
    if (is_held(i)) held.push_back(i);
    force_from_[u(i)] = speed_from_[u(i)] = 0;
    if (grip_[u(i)] != Grip::none && !starting_[u(i)]) continue;
    of(s.deflection, i, 0).setZero();
  }
  // what unit forces of held points do to them, with the friction that follows where they slip
  const auto h = static_cast<Index>(held.size());
  MatrixXd hold(h, h);
  for (Index a = 0; a < h; ++a)
    for (Index b = 0; b < h; ++b) {
      const Index i = held[u(a)], j = held[u(b)];
      hold(a, b) = W_(i, j);
      if (grip_[u(j)] == Grip::slipping)
        hold(a, b) += point(j).sliding * W_.row(i).segment(row(j), d_).dot(of(way_, j));
    }
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> holding;
  if (h > 0) holding.compute(hold);
  VectorXd force(n_ * (1 + d_));
  for (Index k = 0; k < columns; ++k) {
    const double order = static_cast<double>(k);
    if (k > 0) s.depth.col(k) = s.rate.col(k - 1) / order;
    if (k > 0)
      std::erase_if(open, [&](Index i) {
        const double x = s.depth(i, k), noise = kZero * size(i, k - 1) / order;
        if (std::abs(x) <= noise) {
          s.depth(i, k) = s.rate(i, k - 1) = 0;
          return false;
        }
        at_level_[u(i)] = at_rest_[u(i)] = 0;
        if (x > 0) sense_[u(i)] = pressed(i), starting_[u(i)] = 1;
        return true;
      });
    for (Index i = 0; i < n_; ++i) {
      if (is_active(i)) {
        // on its line of unloading a point that begins to press has no force, but for rounding
        const bool from_zero = starting_[u(i)] && sense_[u(i)] == Sense::unloading;
        s.force(i, k) = spring_Npm(i) * (k > 0 ? s.depth(i, k) : from_zero ? 0 : stretch_m(i));
      }
      if (is_held(i) && k == 0) s.force(i, 0) = held_N_[i];
      if (starting_[u(i)] && is_active(i) && rubs(i) && s.force(i, k) > 0) begin_grip(s, size, i, k);
      if (grip_[u(i)] == Grip::sticking && k > 0) of(s.deflection, i, k) = of(s.slide, i, k - 1) / order;
      if (grip_[u(i)] == Grip::slipping && force_from_[u(i)] > 0) add_turning_at_start(s, i, k);
      if (grip_[u(i)] == Grip::sticking)
        of(s.friction, i, k) = tangential_Npm(i) * of(s.deflection, i, k);
      else if (grip_[u(i)] == Grip::slipping)
        for (Index j = 0; j <= k; ++j)  // of held points the newest force comes below
          of(s.friction, i, k) += point(i).sliding * s.force(i, j) * of(s.way, i, k - j);
    }
    force << s.force.col(k), s.friction.col(k);
    if (h > 0 && k > 0) {
      VectorXd need(h);
      for (Index a = 0; a < h; ++a) need[a] = -W_.row(held[u(a)]).dot(force);
      const VectorXd keep = holding.solve(need);
      for (Index a = 0; a < h; ++a) {
        const Index i = held[u(a)];
        s.force(i, k) = keep[a];
        if (grip_[u(i)] == Grip::slipping) of(s.friction, i, k) += point(i).sliding * keep[a] * of(way_, i);
      }
      force << s.force.col(k), s.friction.col(k);
    }
    if (k + 1 == columns) break;
    const double per_unit = unit_s_ * unit_s_ / (order + 1);
    const VectorXd after = -per_unit * (W_ * force);
    s.rate.col(k + 1) = after.head(n_), s.slide.col(k + 1) = after.tail(rows);
    size.col(k + 1) = per_unit * (W_size_ * force.cwiseAbs());
    for (const Index i : held) s.rate(i, k + 1) = 0;
    for (Index i = 0; i < n_; ++i)
      if (grip_[u(i)] == Grip::slipping && force_from_[u(i)] == 0) add_turning(s, i, k);
  }
  for (Index i = 0; i < n_; ++i)
    if (!is_waiting(i)) starting_[u(i)] = 0;
  return s;
}

/// Where a force begins as N_m t^m, the limit does as rho_m t^m and the speed along the surface as y_p t^p. The
/// spring would deflect by y_p t^(p+1)/(p+1): beyond the limit if p + 1 < m, or p + 1 = m and |y_p|/m > rho_m; the
/// point slips then, along y_p, and else sticks. What friction does to the speed comes at order m + 1.
void FrictionalSequence::begin_grip(Step& s, const MatrixXd& size, Index i, Index m) {
  starting_[u(i)] = 0;
  keeps_way_[u(i)] = 0;
  grip_[u(i)] = Grip::sticking;
  Index p = 0;
  const auto is_zero = [&](Index k) {
    return k == 0 ? of(slide_, i).norm() <= relative_floor(n_) * of(slide_scale_, i).norm()
                  : of(s.slide, i, k).norm() <= kZero * size.col(k).segment(row(i), d_).norm();
  };
  while (p < m && is_zero(p)) ++p;
  for (Index k = 1; k < std::min(p + 1, m); ++k) of(s.deflection, i, k).setZero();
  if (p >= m) return;
  const double speed = of(s.slide, i, p).norm(), rho = limit_m(i, s.force(i, m));
  if (p + 1 == m && speed / static_cast<double>(m) <= rho * (1 + kAtLimit)) return;
  grip_[u(i)] = Grip::slipping;
  force_from_[u(i)] = m, speed_from_[u(i)] = p;
  of(s.way, i, 0) = of(s.slide, i, p) / speed;
  of(way_, i) = of(s.way, i, 0);
  s.turn(i, p) = speed;
  for (Index k = p + 1; k < m; ++k) add_turning_at_start(s, i, k);
}

/// d of order j = k - p from rho d' = y' - d (d.y') at order k, where rho begins at order m > p. Of what is unknown
/// there is (|y_p| + [m = p + 1] rho_m j) d_j + d_0 (d_j.y_p).
void FrictionalSequence::add_turning_at_start(Step& s, Index i, Index k) const {
  const Index m = force_from_[u(i)], p = speed_from_[u(i)], j = k - p;
  if (j < 1) return;
  if (d_ == 1) {
    s.turn(i, k) = of(s.way, i, 0).dot(of(s.slide, i, k));
    return;
  }
  const double speed = of(s.slide, i, p).norm();
  const VectorXd d0 = of(s.way, i, 0);
  double known = 0;  // of d.y'
  for (Index a = 0; a < j; ++a) known += of(s.way, i, a).dot(of(s.slide, i, k - a));
  VectorXd r = of(s.slide, i, k) - d0 * known;
  for (Index a = 1; a < j; ++a) r -= of(s.way, i, a) * s.turn(i, k - a);
  for (Index a = m; a <= k; ++a)
    r -= limit_m(i, s.force(i, a)) * static_cast<double>(k - a + 1) * of(s.way, i, k - a + 1);
  const double alpha = speed + (m == p + 1 ? limit_m(i, s.force(i, m)) * static_cast<double>(j) : 0);
  const VectorXd dj = (r - d0 * (speed / (alpha + speed) * d0.dot(r))) / alpha;
  of(s.way, i, j) = dj;
  s.turn(i, k) = known + speed * d0.dot(dj);
}

/// d of order k + 1 where rho does not vanish.
void FrictionalSequence::add_turning(Step& s, Index i, Index k) const {
  for (Index a = 0; a <= k; ++a) s.turn(i, k) += of(s.way, i, a).dot(of(s.slide, i, k - a));
  if (d_ == 1 || keeps_way_[u(i)]) return;
  VectorXd r = of(s.slide, i, k);
  for (Index a = 0; a <= k; ++a) r -= of(s.way, i, a) * s.turn(i, k - a);
  for (Index a = 1; a <= k; ++a)
    r -= limit_m(i, s.force(i, a)) * static_cast<double>(k + 1 - a) * of(s.way, i, k + 1 - a);
  of(s.way, i, k + 1) = r / (limit_m(i, s.force(i, 0)) * static_cast<double>(k + 1));
}

/// The linear system of this phase, the directions of slip as they are now. Coordinates z are the depths of active
/// points and the deflections of sticking ones; forces G K z, of held points such that these stand still.
FrictionalSequence::Modes FrictionalSequence::modes() const {
  Modes out;
  Indices rows, held;
  std::vector<double> springs;
  std::vector<VectorXd> forces, holds;
  const auto with_friction = [&](Index i) {
    VectorXd f = VectorXd::Unit(n_ * (1 + d_), i);
    if (grip_[u(i)] == Grip::slipping) f.segment(row(i), d_) = point(i).sliding * of(way_, i);
    return f;
  };
  for (Index i = 0; i < n_; ++i) {
    if (is_active(i)) rows.push_back(i), springs.push_back(spring_Npm(i)), forces.push_back(with_friction(i));
    if (is_held(i)) held.push_back(i), holds.push_back(with_friction(i));
    if (grip_[u(i)] == Grip::sticking)
      for (Index k = 0; k < d_; ++k) {
        rows.push_back(row(i) + k), springs.push_back(tangential_Npm(i));
        forces.push_back(VectorXd::Unit(n_ * (1 + d_), row(i) + k));
      }
  }
  const auto m = static_cast<Index>(rows.size()), h = static_cast<Index>(held.size());
  out.frequencies_radps = VectorXd::Zero(m);
  if (m == 0) return out;
  MatrixXd G(W_.rows(), m), H(W_.rows(), h);
  VectorXd root(m);
  for (Index k = 0; k < m; ++k) G.col(k) = W_ * forces[u(k)], root[k] = std::sqrt(springs[u(k)]);
  if (h > 0) {
    MatrixXd among(h, h), from(h, m);
    for (Index k = 0; k < h; ++k) H.col(k) = W_ * holds[u(k)];
    for (Index k = 0; k < h; ++k) among.row(k) = H.row(held[u(k)]), from.row(k) = G.row(held[u(k)]);
    G -= H * Eigen::CompleteOrthogonalDecomposition<MatrixXd>(among).solve(from);
  }
  MatrixXd A(m, m);
  for (Index k = 0; k < m; ++k) A.row(k) = root[k] * (G.row(rows[u(k)]) * root.asDiagonal());
  out.highest_radps = std::sqrt(A.cwiseAbs().rowwise().sum().maxCoeff());
  constexpr double kReal =
      1e-6;  // of the largest: an eigenvalue that is not simple is known to the root of rounding
  const double largest = out.highest_radps * out.highest_radps;
  const Eigen::VectorXcd square = Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues();
  for (Index k = 0; k < m; ++k) {
    const std::complex<double> l = square[k];
    const bool real = std::abs(l.imag()) <= kReal * largest;
    const std::complex<double> root_of = std::sqrt(real ? std::complex<double>(l.real()) : l);
    out.frequencies_radps[k] = std::abs(l) <= kReal * kReal * largest ? 0 : root_of.real();
    if (real && l.real() >= -kReal * kReal * largest) continue;
    out.growth_1ps = std::max(out.growth_1ps, std::abs(root_of.imag()));
    out.jams = out.jams || real;
  }
  std::ranges::sort(out.frequencies_radps);
  return out;
}

/// How far a step may go, in units of time.
double FrictionalSequence::reach(const Step& s) {
  const double highest = modes().highest_radps;
  if (highest > 0) vibration_s_ = kReach / highest;
  double out = highest > 0 ? kReach / (highest * unit_s_) : kInfinity;
  for (Index i = 0; i < n_; ++i) {
    if (highest == 0 && sense_[u(i)] == Sense::apart && !is_waiting(i) && rate_[i] > 0)
      out = std::min(out, 2 * (level_[i] - depth_[i]) / (rate_[i] * unit_s_));
    if (d_ == 1 || grip_[u(i)] != Grip::slipping || keeps_way_[u(i)]) continue;
    // terms of orders 12 to 24: the last ones of a series that starts at zero force are not computed
    for (Index k = kOrder / 2; k <= kOrder; ++k)
      if (const double c = of(s.way, i, k).norm(); c > 0)
        out = std::min(out, std::pow(kCut, 1.0 / kOrder) * std::pow(c, -1.0 / static_cast<double>(k)));
  }
  return out;
}

std::vector<FrictionalSequence::Watched> FrictionalSequence::watch(const Step& s) const {
  std::vector<Watched> out;
  const auto add = [&](Index i, What what, const Series& source, double sign, double start, double size,
                       int side = 0) {
    Series f = sign * source;
    f[0] = start;
    out.push_back({{i, what}, std::move(f), size, side});
  };
  for (Index i = 0; i < n_; ++i) {
    const double x = depth_[i];
    const Series depth = s.depth.row(i), rate = s.rate.row(i), force = s.force.row(i);
    switch (sense_[u(i)]) {
      case Sense::compressing: add(i, What::turns, rate, 1, rate[0], unit_s_ * rate_scale_[i]); break;
      case Sense::expanding:
        add(i, What::separates, depth, 1, x, 0);
        add(i, What::turns, rate, -1, -rate[0], unit_s_ * rate_scale_[i]);
        break;
      case Sense::unloading:
        add(i, What::separates, depth, 1, stretch_m(i), deepest_[i]);
        add(i, What::yields, depth, -1, deepest_[i] - x, deepest_[i]);
        break;
      case Sense::apart:
        if (!is_waiting(i)) add(i, What::touches, depth, -1, level_[i] - x, std::abs(level_[i]) + std::abs(x));
        break;
      case Sense::held: {
        const double low = expanding_Npm(i) * x, high = compressing_Npm(i) * x;
        add(i, What::slips, force, -1, high - held_N_[i], high, 1);
        add(i, What::slips, force, 1, held_N_[i] - low, high, -1);
        if (grip_[u(i)] == Grip::none && rubs(i))  // pressed by nothing until now
          add(i, What::sticks, force, -1, kSmallForce * greatest_N_ - held_N_[i], greatest_N_);
        break;
      }
    }
    if (grip_[u(i)] == Grip::sticking) {
      Series deflected = Series::Zero(kOrder + 1);
      const Series rho = limit_m(i, 1) * force;
      for (Index k = 0; k < d_; ++k) {
        const Series one = s.deflection.row(d_ * i + k);
        deflected += product(one, one);
      }
      const Series limit = product(rho, rho);
      Series inside = limit - deflected;
      if (std::abs(inside[0]) <= 4 * kAtLimit * limit[0]) inside[0] = 0;
      if (no_limit_slope_[u(i)]) inside[1] = 0;
      out.push_back({{i, What::starts_to_slip}, inside, 0, 0});
      out.back().size_of = limit.cwiseAbs() + deflected.cwiseAbs();
    } else if (grip_[u(i)] == Grip::slipping) {
      Series beyond = s.turn.row(i), size = beyond.cwiseAbs();
      for (Index k = 0; k < kOrder; ++k) {
        const double rate_of_limit = limit_m(i, force[k + 1]) * static_cast<double>(k + 1);
        beyond[k] -= rate_of_limit, size[k] += std::abs(rate_of_limit);
      }
      beyond[kOrder] = size[kOrder] = 0;
      if (std::abs(beyond[0]) <= kZero * size[0]) beyond[0] = 0;
      out.push_back({{i, What::sticks}, beyond, unit_s_ * of(slide_scale_, i).norm(), 0});
      out.back().size_of = size;
    }
  }
  return out;
}

void FrictionalSequence::book(const Step& s, double t, Outcome& out) {
  for (Index i = 0; i < n_; ++i) {
    const Series force = s.force.row(i);
    const double at_start = force[0], at_end = value_at(force, t);
    out.impulse_Ns[i] += unit_s_ * integral_to(force, t);
    if (is_active(i)) {
      const double before = stretch_m(i), after = before + (value_at(s.depth.row(i), t) - depth_[i]);
      out.lost_J[i] += spring_Npm(i) * (after * after - before * before) / 2;
      out.peak_indentation_m[i] = std::max({out.peak_indentation_m[i], depth_[i], value_at(s.depth.row(i), t)});
    }
    out.peak_force_N[i] = std::max({out.peak_force_N[i], at_start, at_end});
    greatest_N_ = std::max({greatest_N_, at_start, at_end});
    if (grip_[u(i)] == Grip::none) continue;
    for (Index k = 0; k < d_; ++k) {
      const Series friction = s.friction.row(d_ * i + k), slide = s.slide.row(d_ * i + k);
      out.friction_Ns[d_ * i + k] += unit_s_ * integral_to(friction, t);
      out.friction_J[i] += integral_to(product(friction, slide), t);
    }
  }
}

void FrictionalSequence::move_to(const Step& s, double t) {
  const auto at = [t](const MatrixXd& m, Index i) { return value_at(m.row(i), t); };
  for (Index i = 0; i < n_; ++i) {
    depth_[i] = at(s.depth, i), rate_[i] = at(s.rate, i) / unit_s_;
    if (is_held(i)) {
      rate_[i] = 0, held_N_[i] = at(s.force, i);
    }
    for (Index k = d_ * i; k < d_ * (i + 1); ++k) {
      slide_[k] = at(s.slide, k) / unit_s_;
      if (grip_[u(i)] == Grip::sticking) deflection_[k] = at(s.deflection, k);
      if (grip_[u(i)] == Grip::slipping) way_[k] = at(s.way, k);
    }
    if (grip_[u(i)] == Grip::slipping) {
      of(way_, i) = of(way_, i).normalized().eval();
      of(deflection_, i) = limit_m(i, std::max(force_N(i), 0.0)) * of(way_, i);
    }
  }
}

void FrictionalSequence::apply(const Watched& event) {
  const Index i = event.change.point;
  const bool stands = std::abs(rate_[i]) <= relative_floor(n_) * rate_scale_[i];
  switch (event.change.what) {
    case What::turns:
      rate_[i] = 0;
      if (level_[i] == 0 && !has_energy(i))
        depth_[i] = 0, sense_[u(i)] = Sense::apart, at_level_[u(i)] = at_rest_[u(i)] = 1;
      else if (is_elastoplastic(i))
        deepest_[i] = depth_[i], sense_[u(i)] = Sense::unloading;
      else if (is_dry(i))
        at_rest_[u(i)] = 1;
      else
        sense_[u(i)] = sense_[u(i)] == Sense::compressing ? Sense::expanding : Sense::compressing;
      break;
    case What::yields: depth_[i] = deepest_[i], sense_[u(i)] = Sense::compressing; break;
    case What::touches:
    case What::separates:
      if (sense_[u(i)] == Sense::unloading) level_[i] = origin_m(i);
      depth_[i] = level_[i];
      at_level_[u(i)] = 1;
      if (stands) rate_[i] = 0, at_rest_[u(i)] = 1, sense_[u(i)] = Sense::apart;
      break;
    case What::slips:
      at_rest_[u(i)] = 0;
      released_[u(i)] = 1;
      if (event.side > 0)
        sense_[u(i)] = Sense::compressing;
      else
        unload(i);
      break;
    case What::starts_to_slip:  // exactly at the limit
      if (const double s = of(deflection_, i).norm(); s > 0) of(deflection_, i) *= limit_m(i, force_N(i)) / s;
      break;
    case What::sticks: break;
  }
}

Outcome FrictionalSequence::run() {
  Outcome out;
  out.impulse_Ns = out.lost_J = out.peak_indentation_m = out.peak_force_N = out.friction_J = VectorXd::Zero(n_);
  out.friction_Ns = VectorXd::Zero(n_ * d_);
  double time_s = 0;
  long steps = 0;
  while (true) {
    decide();
    if (is_over()) break;
    const std::size_t count = out.phases.size();
    if (count > kDoubtAfter &&
        (count > kMostParts || steps > kMostOfAll || energy_left_J() <= kUndecided * energy_J_)) {
      end_plastically(out);
      break;
    }
    Phase phase{time_s, time_s, {}, {}, depth_, rate_, VectorXd(n_), {}, {}, MatrixXd::Zero(d_, n_)};
    for (Index i = 0; i < n_; ++i) {
      phase.force_N[i] = force_N(i);
      phase.friction_N.col(i) = friction_N(i);
    }
    bool ended = false;
    for (long step = 0; !ended; ++step, ++steps) {
      unit_s_ = vibration_s_;
      if (d_ == 2)
        for (Index i = 0; i < n_; ++i) {
          if (grip_[u(i)] != Grip::slipping) continue;
          keeps_way_[u(i)] = (is_held(i) || rate_[i] < 0) && force_N(i) < kSmallForce * greatest_N_;
          // the time in which the direction turns: else its coefficients would overflow
          const double turning_s = limit_m(i, force_N(i)) / of(slide_, i).norm();
          if (!keeps_way_[u(i)] && turning_s > 0) unit_s_ = std::min(unit_s_, 10 * turning_s);
        }
      const Step s = expand();
      if (step == 0) {
        phase.sense = sense_, phase.grip = grip_;
        const Modes m = modes();
        phase.frequencies_radps = m.frequencies_radps, phase.growth_1ps = m.growth_1ps, phase.jams = m.jams;
      }
      const double h = reach(s);
      const std::vector<Watched> watched = watch(s);
      double t = h;
      std::vector<std::size_t> now;
      if (h < kInfinity) {
        std::vector<double> when(watched.size(), kInfinity);
        for (std::size_t k = 0; k < watched.size(); ++k) {
          const Watched& w = watched[k];
          const Series& size = w.size_of.size() > 0 ? w.size_of : w.function;
          const double floor = relative_floor(n_) * (value_at(size.cwiseAbs(), h) + w.floor_size);
          Series f = w.function;
          if (std::abs(f[0]) <= floor) f[0] = std::max(f[0], 0.0);
          if (const std::optional<double> fall = first_fall(f, h, floor)) when[k] = *fall, t = std::min(t, *fall);
        }
        for (std::size_t k = 0; k < when.size(); ++k)
          if (when[k] - t <= 64 * kEpsilon * (t + h)) now.push_back(k);
      }
      if (h == kInfinity || step > kMostStepsOfPhase) {
        out.end = Outcome::End::endless, out.undecided_J = energy_left_J();
        break;
      }
      book(s, t, out);
      move_to(s, t);
      std::ranges::fill(no_limit_slope_, 0);
      time_s += t * unit_s_;
      for (const std::size_t k : now) {
        phase.changes.push_back(watched[k].change);
        apply(watched[k]);
        ended = true;
      }
    }
    phase.end_s = time_s;
    out.phases.push_back(std::move(phase));
    if (out.end == Outcome::End::endless) break;
  }
  out.approach_mps = rate_;
  out.slip_mps = -slide_;
  out.dent_m = level_;
  for (Index i = 0; i < n_; ++i)
    if (is_elastoplastic(i)) out.dent_m[i] = permanent_m(i);
  return out;
}

}  // namespace

Outcome collide_with_friction(const Collision& collision) { return FrictionalSequence(collision).run(); }

}  // namespace percuss::collision
