// The sequence of phases.
#include "percuss/collision/collide.h"

#include <algorithm>
#include <cmath>

#include "percuss/collision/first_crossing.h"
#include "percuss/collision/frictional.h"
#include "percuss/collision/vibration.h"
#include "percuss/linear/bounded_forces.h"

namespace percuss::collision {

using Eigen::Index;
using What = Change::What;
using linear::bounded_forces;
using linear::weighted_inverse;

std::string_view name_of(Sense sense) {
  switch (sense) {
    case Sense::apart: return "apart";
    case Sense::compressing: return "compressing";
    case Sense::expanding: return "expanding";
    case Sense::held: return "held";
    case Sense::unloading: return "unloading";
  }
  return "";
}

std::string_view name_of(What what) {
  switch (what) {
    case What::touches: return "touches";
    case What::separates: return "separates";
    case What::turns: return "turns";
    case What::slips: return "slips";
    case What::yields: return "yields";
    case What::starts_to_slip: return "starts to slip";
    case What::sticks: return "sticks";
  }
  return "";
}

std::string_view name_of(Grip grip) {
  switch (grip) {
    case Grip::none: return "none";
    case Grip::sticking: return "sticking";
    case Grip::slipping: return "slipping";
  }
  return "";
}

bool Collision::has_friction() const {
  return tangents.directions > 0 && std::ranges::any_of(points, [](const Point& p) { return p.sliding > 0; });
}

Point elastoplastic(double stiffness_Npm, double steepening, double gap_m) {
  constexpr double kWall = 1e12;
  if (steepening > kWall) return {stiffness_Npm / 2, 1, gap_m, 1};
  return {stiffness_Npm, 0, gap_m, steepening};
}

namespace {

constexpr double kDeep = 1e-9;      // of the greatest indentation: pressed in
constexpr double kNothing = 1e-29;  // of the energy of the approach: changes speeds by 3e-15
constexpr double kNoise = 1e-12;    // of the sum of what is added up: zero
constexpr std::size_t kPhasesBeforeDoubt = 64, kMostPhases = 20'000;
constexpr long kMostSearchSteps = 5'000'000;  // of the search in all phases: some seconds

template <int most>
class Sequence {
  using Vector = VectorOf<most>;
  using Matrix = MatrixOf<most>;

 public:
  explicit Sequence(const Collision& in);
  Outcome run();

 private:
  std::size_t u(Index i) const { return static_cast<std::size_t>(i); }
  const Point& point(Index i) const { return in_.points[u(i)]; }
  bool is_plastic(Index i) const { return point(i).friction >= 1; }
  double compressing_Npm(Index i) const { return point(i).stiffness_Npm * (1 + point(i).friction); }
  double expanding_Npm(Index i) const { return point(i).stiffness_Npm * std::max(1 - point(i).friction, 0.0); }
  double unloading_Npm(Index i) const { return point(i).stiffness_Npm * point(i).steepening; }
  bool is_elastoplastic(Index i) const { return point(i).steepening > 1; }
  /// x_p of an elastoplastic point: where its unloading line meets zero force.
  double permanent_m(Index i) const { return deepest_[i] * (1 - 1 / point(i).steepening); }
  /// Touches and stands still with all its derivatives: asked again at every phase.
  bool is_waiting(Index i) const { return sense_[u(i)] == Sense::apart && at_level_[u(i)] && at_rest_[u(i)]; }
  bool is_active(Index i) const {
    const Sense sense = sense_[u(i)];
    return sense == Sense::compressing || sense == Sense::expanding || sense == Sense::unloading;
  }
  double force_of(Index i) const {
    return is_active(i) ? spring(i) * stretch_m(i) : sense_[u(i)] == Sense::held ? held_N_[i] : 0;
  }
  double spring(Index i) const {
    switch (sense_[u(i)]) {
      case Sense::expanding: return expanding_Npm(i);
      case Sense::unloading: return unloading_Npm(i);
      default: return compressing_Npm(i);
    }
  }
  /// Where the line that the point is on has no force, and the way from there: exact where unloading begins.
  double origin_m(Index i) const { return sense_[u(i)] == Sense::unloading ? permanent_m(i) : 0; }
  double stretch_m(Index i) const {
    if (sense_[u(i)] != Sense::unloading) return depth_[i];
    return (depth_[i] - deepest_[i]) + deepest_[i] / point(i).steepening;
  }
  /// Pressed, it follows the line for unloading where it has been deeper.
  Sense pressed(Index i) const { return deepest_[i] > 0 ? Sense::unloading : Sense::compressing; }

  /// Twice what the spring holds, of the larger of its two stiffnesses.
  double energy_twice_J(Index i) const {
    const double x = stretch_m(i);
    return (sense_[u(i)] == Sense::unloading ? unloading_Npm(i) : compressing_Npm(i)) * x * x;
  }
  bool has_energy(Index i) const { return energy_twice_J(i) > kNothing * energy_J_; }

  void decide();
  void decide_turning();
  void release_at_bounds();
  void decide_by_derivatives();
  void unload(Index i);
  bool is_over() const;
  double energy_left_J(const Vector& rate);
  void end_plastically(Outcome& out);
  struct Watched {
    SinusoidsOf<most> functions;
    VectorOf<twice(most)> from;  // the size of what each was added up from
    std::vector<Change> meaning;
  };
  Watched watch(const Vibration<most>& vibration) const;
  void apply(const Change& change, double floor_m);

  const Collision& in_;
  Index n_;
  Matrix W_;
  Vector stiffness_;
  // the state
  Vector depth_, rate_, level_, held_N_;
  Vector deepest_;  // of elastoplastic points that have turned; of others 0
  std::vector<Sense> sense_;
  std::vector<char> at_level_, at_rest_;  // exactly: depth = level, rate = 0
  double energy_J_ = 0;                   // of the approach
  Vector rate_scale_;
  Matrix inverse_;  // of W; made when it is needed
};

template <int most>
Sequence<most>::Sequence(const Collision& in) : in_(in), n_(in.approach_mps.size()), W_(in.mobility) {
  stiffness_.resize(n_);
  depth_.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    stiffness_[i] = point(i).stiffness_Npm;
    depth_[i] = -point(i).gap_m;
  }
  rate_ = in.approach_mps;
  level_ = held_N_ = deepest_ = Vector::Zero(n_);
  sense_.assign(u(n_), Sense::apart);
  at_level_.assign(u(n_), 0);
  at_rest_.assign(u(n_), 0);
  // the speed that the energy of the approach could give each point: what is far below it is rounding
  for (Index i = 0; i < n_; ++i)
    if (W_(i, i) > 0) energy_J_ += rate_[i] * rate_[i] / (2 * W_(i, i));
  rate_scale_ = (2 * energy_J_ * W_.diagonal()).cwiseMax(0).cwiseSqrt();
  for (Index i = 0; i < n_; ++i) {
    at_level_[u(i)] = depth_[i] == 0;
    if (std::abs(rate_[i]) <= relative_floor(n_) * rate_scale_[i]) rate_[i] = 0, at_rest_[u(i)] = at_level_[u(i)];
  }
}

/// A point that does not press on: expansion, or, if it is plastic, separation from its dent.
template <int most>
void Sequence<most>::unload(Index i) {
  if (is_plastic(i))
    sense_[u(i)] = Sense::apart, level_[i] = depth_[i];
  else
    sense_[u(i)] = Sense::expanding;
}

/// Which springs act next. What is decided by rates first; then, among points that press and stand still, by
/// accelerations; then, among those that just touch and stand still, by higher derivatives.
template <int most>
void Sequence<most>::decide() {
  for (Index i = 0; i < n_; ++i)
    if (at_level_[u(i)] && !at_rest_[u(i)]) {
      sense_[u(i)] = rate_[i] > 0 ? pressed(i) : Sense::apart;
      at_level_[u(i)] = 0;
    }
  // a point that others hold stands still without having turned
  const double deep = depth_.maxCoeff();
  for (Index i = 0; i < n_; ++i)
    if (is_active(i) && point(i).friction > 0 && depth_[i] > kDeep * deep &&
        std::abs(rate_[i]) <= relative_floor(n_) * rate_scale_[i])
      rate_[i] = 0, at_rest_[u(i)] = 1;
  // one that has turned, or is held, with nothing in its spring just touches
  for (Index i = 0; i < n_; ++i)
    if (const Sense sense = sense_[u(i)];
        (sense == Sense::unloading || ((sense == Sense::expanding || sense == Sense::held) && level_[i] == 0)) &&
        !has_energy(i) && std::abs(rate_[i]) <= relative_floor(n_) * rate_scale_[i]) {
      level_[i] = depth_[i] = origin_m(i);
      rate_[i] = 0;
      at_level_[u(i)] = at_rest_[u(i)] = 1;
    }
  decide_turning();
  decide_by_derivatives();
}

/// Points with an indentation that stand still: each takes the force between that of expansion and that of
/// compression that keeps it still, or the bound beyond which it moves. All together: bounded_forces.
template <int most>
void Sequence<most>::decide_turning() {
  Indices still;
  for (Index i = 0; i < n_; ++i)
    if (at_rest_[u(i)] && !is_elastoplastic(i) && compressing_Npm(i) * depth_[i] > 0) still.push_back(i);
  if (still.empty()) return;
  Vector force = Vector::Zero(n_), low(still.size()), high(still.size());
  for (const Index i : still) sense_[u(i)] = Sense::apart;
  for (Index i = 0; i < n_; ++i) force[i] = force_of(i);
  for (std::size_t k = 0; k < still.size(); ++k) {
    low[static_cast<Index>(k)] = expanding_Npm(still[k]) * depth_[still[k]];
    high[static_cast<Index>(k)] = compressing_Npm(still[k]) * depth_[still[k]];
  }
  const Vector others = W_ * force;
  const Vector own = bounded_forces<most>(picked<most>(W_, still, still), picked<most>(others, still), low, high,
                                          picked<most>(stiffness_, still));
  for (std::size_t k = 0; k < still.size(); ++k) force[still[k]] = own[static_cast<Index>(k)];
  const Vector acceleration = -(W_ * force), size = W_.cwiseAbs() * force.cwiseAbs();
  for (const Index i : still) {
    at_level_[u(i)] = 0;
    if (std::abs(acceleration[i]) <= kNoise * size[i]) {
      sense_[u(i)] = Sense::held;
      held_N_[i] = force[i];
      continue;
    }
    at_rest_[u(i)] = 0;
    if (acceleration[i] > 0)
      sense_[u(i)] = Sense::compressing;
    else
      unload(i);
  }
  release_at_bounds();
}

/// A point held by a force at its bound that is about to leave the band does so now.
template <int most>
void Sequence<most>::release_at_bounds() {
  for (bool again = true; again;) {
    again = false;
    Indices held, active;
    for (Index i = 0; i < n_; ++i) {
      if (sense_[u(i)] == Sense::held) held.push_back(i);
      if (is_active(i)) active.push_back(i);
    }
    if (held.empty() || active.empty()) return;
    Vector change(active.size());
    for (std::size_t k = 0; k < active.size(); ++k)
      change[static_cast<Index>(k)] = spring(active[k]) * rate_[active[k]];
    const Matrix share = -weighted_inverse<most>(picked<most>(W_, held, held), picked<most>(stiffness_, held)) *
                         picked<most>(W_, held, active);
    const Vector slope = share * change, size = share.cwiseAbs() * change.cwiseAbs();
    for (std::size_t k = 0; k < held.size(); ++k) {
      const Index i = held[k];
      const double high = compressing_Npm(i) * depth_[i], low = expanding_Npm(i) * depth_[i];
      const double s = slope[static_cast<Index>(k)], noise = kNoise * size[static_cast<Index>(k)];
      const bool over = held_N_[i] >= high * (1 - kNoise) && s > noise;
      const bool under = held_N_[i] <= low + kNoise * high && s < -noise;
      if (!over && !under) continue;
      at_rest_[u(i)] = 0;
      if (over)
        sense_[u(i)] = Sense::compressing;
      else
        unload(i);
      again = true;
    }
  }
}

/// Points with no force and x' = 0, and elastoplastic points at their deepest indentation with x' = 0. The
/// derivatives of all depths follow from each other: x^(m+2) = -W' k x^(m) over the active points; the first that
/// does not vanish decides, and a point that is pressed in then joins the active ones. A point all of whose
/// derivatives vanish does not move; one without force is asked again at the next phase. Both lines of an
/// elastoplastic point give the same force where they meet, so that it acts before it is decided which it follows.
template <int most>
void Sequence<most>::decide_by_derivatives() {
  Indices open, held;
  for (Index i = 0; i < n_; ++i) {
    if (at_level_[u(i)] && at_rest_[u(i)])
      open.push_back(i), sense_[u(i)] = Sense::apart;
    else if (at_rest_[u(i)] && is_elastoplastic(i) && is_active(i))
      open.push_back(i), sense_[u(i)] = Sense::unloading;
    if (sense_[u(i)] == Sense::held) held.push_back(i);
  }
  if (open.empty()) return;
  const Matrix rest = mobility_beside<most>(W_, held, stiffness_);
  const Matrix rest_size = rest.cwiseAbs();
  // derivatives of order m and m + 1, and the sizes of what they were added up from; in units that keep them finite
  Vector now = Vector::Zero(n_), next = rate_, now_size = now, next_size = rate_.cwiseAbs();
  for (Index i = 0; i < n_; ++i)
    if (is_active(i)) now[i] = stretch_m(i), now_size[i] = std::abs(depth_[i]) + std::abs(origin_m(i));
  for (const Index i : held) next[i] = next_size[i] = 0;
  double stiffest = 1e-300;
  for (Index i = 0; i < n_; ++i)
    stiffest = std::max(stiffest, rest(i, i) * std::max(compressing_Npm(i), unloading_Npm(i)));
  const double unit = 1 / stiffest;
  for (Index order = 0; order <= 2 * n_ + 1 && !open.empty(); ++order) {
    std::erase_if(open, [&](Index i) {
      const bool acts = sense_[u(i)] == Sense::unloading;  // its force is known, its rate is zero
      if ((acts && order < 2) || std::abs(now[i]) <= kNoise * now_size[i]) return false;
      if (acts)
        sense_[u(i)] = now[i] > 0 ? Sense::compressing : Sense::unloading;
      else
        sense_[u(i)] = now[i] > 0 ? pressed(i) : Sense::apart;
      at_level_[u(i)] = at_rest_[u(i)] = 0;
      return true;
    });
    Vector push = Vector::Zero(n_), push_size = Vector::Zero(n_);
    for (Index i = 0; i < n_; ++i)
      if (is_active(i)) push[i] = spring(i) * now[i] * unit, push_size[i] = spring(i) * now_size[i] * unit;
    const Vector after = -(rest * push), after_size = rest_size * push_size;
    now = next, now_size = next_size;
    next = after, next_size = after_size;
  }
  for (const Index i : open)  // nothing moves it: it stays on either line
    if (sense_[u(i)] == Sense::unloading) at_rest_[u(i)] = 0;
}

/// No spring with energy that could change a speed by more than rounding, and no gap that closes.
template <int most>
bool Sequence<most>::is_over() const {
  for (Index i = 0; i < n_; ++i) {
    if (is_waiting(i)) continue;
    const bool presses = is_active(i) || (sense_[u(i)] == Sense::held && held_N_[i] > 0);
    if (presses && has_energy(i)) return false;
    if (sense_[u(i)] != Sense::held && rate_[i] > relative_floor(n_) * rate_scale_[i]) return false;
  }
  return true;
}

/// The most that the points could still exchange: the relative motion x'.W^-1 x'/2 and the springs.
template <int most>
double Sequence<most>::energy_left_J(const Vector& rate) {
  if (inverse_.size() == 0) inverse_ = weighted_inverse<most>(W_, Vector::Ones(n_));
  double energy = rate.dot(inverse_ * rate) / 2;
  for (Index i = 0; i < n_; ++i)
    if (depth_[i] > level_[i] || is_active(i)) energy += energy_twice_J(i) / 2;
  return energy;
}

/// Impulses that stop what still approaches, without rebound.
template <int most>
void Sequence<most>::end_plastically(Outcome& out) {
  out.end = Outcome::End::accumulated;
  out.undecided_J = energy_left_J(rate_);
  const Vector high = Vector::Constant(n_, std::numeric_limits<double>::infinity());
  const Vector impulse = bounded_forces<most>(W_, -rate_, Vector::Zero(n_), high, stiffness_);
  const Vector before = rate_;
  out.impulse_Ns += impulse;
  rate_ -= W_ * impulse;
  out.lost_J += impulse.cwiseProduct(before + rate_) / 2;
}

/// The functions whose first zero ends the phase, and what it means.
template <int most>
typename Sequence<most>::Watched Sequence<most>::watch(const Vibration<most>& vibration) const {
  Watched out;
  SinusoidsOf<most>& f = out.functions;
  Index rows = 0;
  for (const Sense sense : sense_) rows += sense == Sense::apart || sense == Sense::compressing ? 1 : 2;
  for (Index i = 0; i < n_; ++i) rows -= is_waiting(i) ? 1 : 0;
  const Index modes = vibration.depth.w.size();
  f.w = vibration.depth.w;
  f.c0.resize(rows), f.c1.resize(rows), f.a.resize(rows, modes), f.b.resize(rows, modes);
  out.from.resize(rows);
  const auto add = [&](Index i, What what, const SinusoidsOf<most>& source, const Vector& size, double sign,
                       double offset) {
    const auto row = static_cast<Index>(out.meaning.size());
    out.from[row] = size[i] + std::abs(offset);
    f.c0[row] = sign * source.c0[i] + offset;
    f.c1[row] = sign * source.c1[i];
    f.a.row(row) = sign * source.a.row(i);
    f.b.row(row) = sign * source.b.row(i);
    out.meaning.push_back({i, what});
  };
  for (Index i = 0; i < n_; ++i) switch (sense_[u(i)]) {
      case Sense::compressing: add(i, What::turns, vibration.rate, vibration.rate_size, 1, 0); break;
      case Sense::expanding:
        add(i, What::separates, vibration.depth, vibration.depth_size, 1, 0);
        add(i, What::turns, vibration.rate, vibration.rate_size, -1, 0);
        break;
      case Sense::unloading:
        add(i, What::separates, vibration.depth, vibration.depth_size, 1, -origin_m(i));
        add(i, What::yields, vibration.depth, vibration.depth_size, -1, deepest_[i]);
        break;
      case Sense::apart:
        if (!is_waiting(i)) add(i, What::touches, vibration.depth, vibration.depth_size, -1, level_[i]);
        break;
      case Sense::held:
        add(i, What::slips, vibration.force, vibration.force_size, 1, -expanding_Npm(i) * depth_[i]);
        add(i, What::slips, vibration.force, vibration.force_size, -1, compressing_Npm(i) * depth_[i]);
        break;
    }
  return out;
}

template <int most>
void Sequence<most>::apply(const Change& change, double floor_m) {
  const Index i = change.point;
  switch (change.what) {
    case What::turns:
      rate_[i] = 0;
      if (depth_[i] <= floor_m)  // it never was in
        depth_[i] = level_[i] = 0, at_level_[u(i)] = at_rest_[u(i)] = 1;
      else if (is_elastoplastic(i))
        deepest_[i] = depth_[i], sense_[u(i)] = Sense::unloading, at_rest_[u(i)] = 1;
      else if (point(i).friction > 0)
        at_rest_[u(i)] = 1;
      else
        sense_[u(i)] = sense_[u(i)] == Sense::compressing ? Sense::expanding : Sense::compressing;
      break;
    case What::yields:
      depth_[i] = deepest_[i];
      if (std::abs(rate_[i]) <= relative_floor(n_) * rate_scale_[i])
        rate_[i] = 0, at_rest_[u(i)] = 1;  // it grazes the end of the line
      else
        sense_[u(i)] = Sense::compressing;
      break;
    case What::touches:
    case What::separates:
      if (sense_[u(i)] == Sense::unloading) level_[i] = origin_m(i);
      depth_[i] = level_[i];
      at_level_[u(i)] = 1;
      if (std::abs(rate_[i]) <= relative_floor(n_) * rate_scale_[i]) rate_[i] = 0, at_rest_[u(i)] = 1;
      break;
    default: break;  // slips: all held points are asked anew
  }
}

template <int most>
Outcome Sequence<most>::run() {
  Outcome out;
  out.impulse_Ns = out.lost_J = out.peak_indentation_m = out.peak_force_N = Vector::Zero(n_);
  double time_s = 0;
  long steps = 0;
  while (true) {
    decide();
    if (is_over()) break;
    const std::size_t count = out.phases.size();
    if (count > kPhasesBeforeDoubt && (count > kMostPhases || steps > kMostSearchSteps ||
                                       energy_left_J(rate_) <= kUndecided * energy_left_J(in_.approach_mps))) {
      end_plastically(out);
      break;
    }
    Indices active, held;
    Vector springs = Vector::Zero(n_), stretch = Vector::Zero(n_), force(n_);
    for (Index i = 0; i < n_; ++i) {
      if (is_active(i)) active.push_back(i), springs[i] = spring(i), stretch[i] = stretch_m(i);
      if (sense_[u(i)] == Sense::held) held.push_back(i);
      force[i] = force_of(i);
    }
    const Vibration<most> vibration({W_, depth_, rate_, springs, stretch, stiffness_, active, held, held_N_});
    Phase phase{time_s, time_s, sense_, vibration.frequencies, depth_, rate_, force, {}, {}, {}};
    const Watched watched = watch(vibration);
    const std::optional<Crossing> crossing = first_crossing<most>(watched.functions, watched.from);
    if (!crossing) {
      if (!active.empty()) out.end = Outcome::End::endless, out.undecided_J = energy_left_J(rate_);
      break;
    }
    steps += crossing->steps;
    const double t = crossing->t;
    const Vector depth = vibration.depth.at(t);
    for (const Index i : active) {
      const double before = stretch[i], after = before + (depth[i] - depth_[i]);
      out.lost_J[i] += springs[i] * (after * after - before * before) / 2;
      out.peak_indentation_m[i] = std::max({out.peak_indentation_m[i], depth_[i], depth[i]});
      out.peak_force_N[i] = std::max({out.peak_force_N[i], springs[i] * before, springs[i] * after});
    }
    out.impulse_Ns += vibration.impulse(t);
    depth_ = depth;
    rate_ = vibration.rate.at(t);
    for (const Index i : held) rate_[i] = 0, held_N_[i] = vibration.force.at(t)[i];
    for (const Index row : crossing->rows) {
      const Change& change = watched.meaning[static_cast<std::size_t>(row)];
      phase.changes.push_back(change);
      apply(change, relative_floor(n_) * (vibration.depth.a.row(change.point).cwiseAbs().sum() +
                                          vibration.depth.b.row(change.point).cwiseAbs().sum()));
    }
    time_s += t;
    phase.end_s = time_s;
    out.phases.push_back(std::move(phase));
  }
  out.approach_mps = rate_;
  out.dent_m = level_;
  for (Index i = 0; i < n_; ++i)
    if (is_elastoplastic(i)) out.dent_m[i] = permanent_m(i);
  return out;
}

}  // namespace

namespace {

Outcome solve(const Collision& collision) {
  if (collision.has_friction()) return collide_with_friction(collision);
  return collision.approach_mps.size() <= kSmall ? Sequence<kSmall>(collision).run()
                                                 : Sequence<Eigen::Dynamic>(collision).run();
}

/// The exponent of the power of two next to a number above 0.
int exponent(double x) { return x > 0 && std::isfinite(x) ? std::ilogb(x) : 0; }
/// x 2^n, without the overflow of 2^n.
auto times_two_to(int n) {
  return [n](double x) { return std::ldexp(x, n); };
}

/// The units in which the largest stiffness, mobility and speed are about 1: powers of 4, 4 and 2, so that no bit
/// changes. With k = 4^p k', W = 4^q W', v = 2^r v' the times are 2^-(p+q), the indentations 2^(r-p-q), the forces
/// 2^(r+p-q), the impulses 2^(r-2q), the energies 2^(2r-2q) of those in the new units.
struct Units {
  int p = 0, q = 0, r = 0;
  explicit Units(const Collision& c) {
    double stiffness = 0;
    for (const Point& point : c.points) stiffness = std::max(stiffness, point.stiffness_Npm);
    p = exponent(stiffness) / 2;
    if (c.approach_mps.size() == 0) return;
    q = exponent(c.mobility.diagonal().cwiseAbs().maxCoeff()) / 2;
    r = exponent(c.approach_mps.cwiseAbs().maxCoeff());
  }
  Collision of(const Collision& c) const {
    Collision out{c.mobility.unaryExpr(times_two_to(-2 * q)), c.approach_mps.unaryExpr(times_two_to(-r)), c.points};
    if (c.has_friction())
      out.tangents = {c.tangents.directions, c.tangents.mobility.unaryExpr(times_two_to(-2 * q)),
                      c.tangents.slip_mps.unaryExpr(times_two_to(-r))};
    for (Point& point : out.points) {
      point.stiffness_Npm = std::ldexp(point.stiffness_Npm, -2 * p);
      point.gap_m = std::ldexp(point.gap_m, p + q - r);
    }
    return out;
  }
  void put_back(Outcome& o) const {
    const auto scale = [](Eigen::VectorXd& v, int n) { v = v.unaryExpr(times_two_to(n)).eval(); };
    const int time = -(p + q), length = r - p - q, force = r + p - q, energy = 2 * r - 2 * q;
    o.undecided_J = std::ldexp(o.undecided_J, energy);
    scale(o.impulse_Ns, r - 2 * q), scale(o.approach_mps, r), scale(o.lost_J, energy);
    scale(o.peak_indentation_m, length), scale(o.peak_force_N, force), scale(o.dent_m, length);
    scale(o.friction_Ns, r - 2 * q), scale(o.slip_mps, r), scale(o.friction_J, energy);
    for (Phase& phase : o.phases) {
      phase.start_s = std::ldexp(phase.start_s, time);
      phase.end_s = std::ldexp(phase.end_s, time);
      scale(phase.frequencies_radps, -time);
      scale(phase.depth_m, length), scale(phase.approach_mps, r), scale(phase.force_N, force);
      phase.friction_N = phase.friction_N.unaryExpr(times_two_to(force)).eval();
      phase.growth_1ps = std::ldexp(phase.growth_1ps, -time);
    }
  }
};

}  // namespace

Outcome collide(const Collision& collision) {
  const Units units(collision);
  Outcome out = solve(units.of(collision));
  units.put_back(out);
  if (const Tangents& t = collision.tangents; t.directions > 0 && !collision.has_friction()) {
    // friction that does not act: the normal impulses change the slip
    const Eigen::Index n = collision.approach_mps.size(), rows = n * t.directions;
    out.friction_Ns = Eigen::VectorXd::Zero(rows);
    out.friction_J = Eigen::VectorXd::Zero(n);
    out.slip_mps = t.slip_mps + t.mobility.bottomLeftCorner(rows, n) * out.impulse_Ns;
  }
  return out;
}

}  // namespace percuss::collision
