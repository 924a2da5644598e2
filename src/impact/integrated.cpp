// The collision by dop853: the deepest point and the release are located on the dense output, the run restarts at
// the turn.
//
// Contact forces are powers such as x^(3/2) and x^(1/4), not smooth at x = 0, where every collision begins and
// ends; plain time steps crawl there. With the root X = x^(1/k), k = 2 or 4, as the unknown and d(tau) = dt/X^(k-1)
// the equations are
//   dX/dtau = u/k,   du/dtau = -F(X^k, u) X^(k-1),   dt/dtau = X^(k-1),
// polynomials in X for the usual exponents: no singularity is left, and at release, where X or F vanishes, the
// speed u is stationary, so that the error of the located release does not enter the restitution. For a plastic law
// x is counted from the permanent indentation on the way out.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "percuss/base/units.h"
#include "percuss/impact/impact.h"
#include "percuss/ode/dop853.h"
#include "percuss/ode/root.h"

namespace percuss::impact {

using namespace contact;

namespace {

constexpr long kMostSteps = 1'000'000;

/// In units of a reference depth, the approach speed and m v0^2: X, rate, time, energy spent on the rate-dependent
/// force.
enum Component { kRoot, kRate, kTime, kDamped, kCount };
using State = std::array<double, kCount>;

struct Scales {
  double depth_m, time_s, force_N, energy_J;
  double per_force, per_root;  // reciprocals of the force and of k
};

/// A depth at which the law would do work of the order of the energy at hand; only the units of the integration
/// depend on it.
double reference_depth_m(const Collision& c) {
  const double energy = c.energy_J();
  if (!std::holds_alternative<Custom<>>(c.law.shape)) {
    const double depth = depth_of_energy_m(c.law.elastic, energy);
    return std::isfinite(depth) ? depth : depth_limit_m(c.law.elastic);
  }
  const auto work = [&c](double depth, double rate) { return depth * std::abs(force_N(c.law, {depth, rate, 0})); };
  for (double depth = 1e-12; depth < 1e6; depth *= 2)
    if (work(depth, 0) >= energy || work(depth, c.velocity_mps) >= energy) return depth;
  return 1;
}

/// May the force change its sign before zero depth? Scaled, plastic and dry forces keep it in a free collision.
bool can_turn(const Law& law) {
  return std::holds_alternative<Added<>>(law.shape) || std::holds_alternative<Ramped<>>(law.shape) ||
         std::holds_alternative<Custom<>>(law.shape);
}

/// The root k that makes the force a polynomial: 4 for damping with x^(1/4), 2 for all others.
int smoothing_root(const Law& law) {
  const auto* added = std::get_if<Added<>>(&law.shape);
  return added && added->exponent > 0 && added->exponent < 0.5 ? 4 : 2;
}

class Run {
 public:
  /// `sample_times_s`, rising, are where the course is wanted.
  Run(const Collision& c, double tolerance, std::vector<double> sample_times_s = {})
      : c_(c),
        raw_law_(c.law.unruled()),
        sample_times_s_(std::move(sample_times_s)),
        solver_(kCount, {tolerance, tolerance}) {
    scales_.depth_m = reference_depth_m(c);
    scales_.time_s = scales_.depth_m / c.velocity_mps;
    scales_.energy_J = c.mass_kg * c.velocity_mps * c.velocity_mps;
    scales_.force_N = scales_.energy_J / scales_.depth_m;
    scales_.per_force = 1 / scales_.force_N;
    scales_.per_root = 1.0 / root_;
  }

  /// Touch to turn, turn to release.
  Result<Outcome> collide() {
    out_.method = Method::integrated;
    State y{0, 1, 0, 0};
    note_force(y);
    if (auto failure = phase(y, [](const State& s) { return s[kRate]; })) return *failure;
    y[kRate] = 0;
    deepest_ = depth(y);
    out_.peak_indentation_m = deepest_ * scales_.depth_m;
    out_.peak_indentation_time_s = y[kTime] * scales_.time_s;

    unloading_ = true;
    origin_ = permanent_indentation_m(c_.law, out_.peak_indentation_m) / scales_.depth_m;
    out_.permanent_indentation_m = origin_ * scales_.depth_m;
    const double recovered = std::max(deepest_ - origin_, 0.0);
    y[kRoot] = root_ == 4 ? std::sqrt(std::sqrt(recovered)) : std::sqrt(recovered);
    const bool recovers = recovered > 1e-14 * deepest_;
    if (recovers && !(is_dry_ && raw_force(y) <= 0)) {
      const bool until_force_turns = can_turn(c_.law) && c_.law.release == Release::zero_force;
      const auto remaining = [&](const State& s) {
        return until_force_turns ? std::min(s[kRoot], force_left(s)) : s[kRoot];
      };
      if (auto failure = phase(y, remaining)) return *failure;
    }
    while (next_sample_ < sample_times_s_.size()) take_sample(y);  // planned at the very end, missed by rounding
    finish(y);
    return out_;
  }

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  double depth(const State& s) const {
    const double square = s[kRoot] * s[kRoot];
    return origin_ + (root_ == 4 ? square * square : square);
  }

  Indentation<> place(const State& s) const {
    const double rate = is_dry_ ? (unloading_ ? -1 : 1) : s[kRate];  // the sign must not chatter at the turn
    return {depth(s) * scales_.depth_m, rate * c_.velocity_mps, unloading_ ? deepest_ * scales_.depth_m : 0};
  }
  NormalForce<> raw(const State& s) const {
    const NormalForce<> f = force_parts(raw_law_, place(s));
    return {f.total_N * scales_.per_force, f.elastic_N * scales_.per_force};
  }
  double raw_force(const State& s) const { return raw(s).total_N; }

  /// Zero where the force turns: the force over its elastic part, which unlike the force itself does not flatten
  /// out as both fade. A force that fades exponentially (a scaled law with small restitution) is noise about zero
  /// long before contact ends; it counts as turned only when it is below zero by more than that noise.
  double force_left(const State& s) const {
    const NormalForce<> f = raw(s);
    return f.elastic_N > 0 ? f.total_N / f.elastic_N + 1e-13 : f.total_N;
  }

  void slope(std::span<const double> y, std::span<double> dydt) const {
    const State s{y[kRoot], y[kRate], 0, 0};
    const NormalForce<> f = raw(s);
    const double dt = root_ == 4 ? y[kRoot] * y[kRoot] * y[kRoot] : y[kRoot];
    dydt[kRoot] = y[kRate] * scales_.per_root;
    dydt[kRate] = -f.total_N * dt;
    dydt[kTime] = dt;
    dydt[kDamped] = (f.total_N - f.elastic_N) * y[kRate] * dt;
  }

  /// dF/dt along the motion.
  double force_rate(const State& s) const {
    const ForceSlopes f = force_slopes(raw_law_, place(s));
    const double per_depth = f.per_depth_Npm * scales_.depth_m, per_rate = f.per_rate_Nspm * c_.velocity_mps;
    return (per_depth * s[kRate] - per_rate * f.force_N / scales_.force_N) / scales_.force_N;
  }

  void note_force(const State& s) {
    const double f = raw_force(s) * scales_.force_N;
    if (f > out_.peak_force_N) {
      out_.peak_force_N = f;
      out_.peak_force_time_s = s[kTime] * scales_.time_s;
    }
    out_.lowest_force_N = std::min(out_.lowest_force_N, f);
  }

  void take_sample(const State& s) {
    const double depth_m = depth(s) * scales_.depth_m, rate_mps = s[kRate] * c_.velocity_mps;
    const double deepest_m = unloading_ ? out_.peak_indentation_m : depth_m;
    samples_.push_back({s[kTime] * scales_.time_s, depth_m, rate_mps,
                        force_N(c_.law, {depth_m, rate_mps, unloading_ ? deepest_m : 0}),
                        c_.mass_kg * rate_mps * rate_mps / 2, stored_energy_J(c_.law, depth_m, deepest_m),
                        s[kDamped] * scales_.energy_J + plastic_energy_J(c_.law, deepest_m)});
    ++next_sample_;
  }

  State dense_state(double tau) const {
    State s{};
    solver_.interpolate(tau, s);
    return s;
  }

  /// The samples whose time falls into the last step, up to tau_end.
  void take_samples(double tau_end) {
    const State last = dense_state(tau_end);
    while (next_sample_ < sample_times_s_.size() && sample_times_s_[next_sample_] <= last[kTime] * scales_.time_s) {
      const double wanted = sample_times_s_[next_sample_] / scales_.time_s;
      const auto early = [&](double tau) { return dense_state(tau)[kTime] - wanted; };
      const double a = solver_.t_old(), g_a = early(a), g_b = last[kTime] - wanted;
      take_sample(dense_state(g_a >= 0 ? a : ode::locate_root(early, a, tau_end, g_a, g_b)));
    }
  }

  /// Where `event` falls to zero inside the last step, at whose end it has the value g_end <= 0.
  template <class Event>
  std::optional<double> end_of_phase(Event&& event, double g_end) const {
    const auto g = [&](double tau) { return event(dense_state(tau)); };
    double from = solver_.t_old(), g_from = g(from);
    if (!(g_from > 0)) {  // the first step of a phase may start on the event: look just inside
      from += 1e-3 * (solver_.t() - from);
      g_from = g(from);
      if (!(g_from > 0)) return std::nullopt;
    }
    return ode::locate_root(g, from, solver_.t(), g_from, g_end);
  }

  /// Integrates until `event` falls to zero and leaves the state there; extremes of the force on the way are
  /// located too.
  template <class Event>
  std::optional<Diagnostic> phase(State& y, Event&& event) {
    const auto rhs = [this](double, std::span<const double> s, std::span<double> d) { slope(s, d); };
    solver_.start(rhs, 0, y, unloading_ ? solver_.next_step() : 0);
    double force_rate_before = force_rate(y);
    for (long step = 0; step < kMostSteps; ++step) {
      if (solver_.step(rhs, std::numeric_limits<double>::infinity()) != ode::StepOutcome::accepted)
        return Diagnostic{{"law"},
                          "the force cannot be integrated beyond delta = " +
                              text_of(depth(y) * scales_.depth_m, 4) + " m: it is not finite there or has a pole",
                          Diagnostic::Kind::not_computed};
      std::ranges::copy(solver_.y(), y.begin());
      const double g_end = event(y);
      const bool over = !(g_end > 0);
      const double force_rate_now = force_rate(y);
      const bool turns = force_rate_before * force_rate_now < 0;
      const bool samples =
          next_sample_ < sample_times_s_.size() && sample_times_s_[next_sample_] <= y[kTime] * scales_.time_s;
      double end = solver_.t();
      if (over || turns || samples) solver_.prepare_dense(rhs);
      if (over) {
        const auto located = end_of_phase(event, g_end);
        if (!located)
          return Diagnostic{
              {"law"}, "the force pulls from the first moment of contact", Diagnostic::Kind::not_computed};
        end = *located;
      }
      if (turns) note_extreme(end);
      if (samples || over) take_samples(end);
      if (over) {
        if (end > solver_.t_old()) solver_.step_again_to(rhs, end, y);
        y[kRoot] = std::max(y[kRoot], 0.0);
        note_force(y);
        return std::nullopt;
      }
      note_force(y);
      force_rate_before = force_rate_now;
      if (unloading_ && c_.law.pulls() && can_turn(c_.law) && std::abs(y[kRate]) < 1e-12 &&
          depth(y) < 1e-3 * deepest_) {
        y[kRate] = 0;  // an overdamped law that pulls creeps back for ever
        y[kTime] = std::numeric_limits<double>::infinity();
        return std::nullopt;
      }
      if (depth(y) > 1e9)
        return Diagnostic{{"law"}, "the force does not stop the body", Diagnostic::Kind::not_computed};
    }
    return Diagnostic{{"law"},
                      "the contact does not end within " + std::to_string(kMostSteps) + " steps",
                      Diagnostic::Kind::not_computed};
  }

  void note_extreme(double end) {
    const auto h = [&](double tau) { return force_rate(dense_state(tau)); };
    const double from = solver_.t_old(), h_from = h(from), h_end = h(end);
    if (h_from * h_end < 0) note_force(dense_state(ode::locate_root(h, from, end, h_from, h_end)));
  }

  void finish(const State& y) {
    const double energy = c_.energy_J();
    out_.restitution = std::abs(y[kRate]);
    out_.duration_s = y[kTime] * scales_.time_s;
    if (!c_.law.pulls()) out_.lowest_force_N = 0;
    out_.returned_energy_J = energy * out_.restitution * out_.restitution;
    out_.lost_energy_J = energy - out_.returned_energy_J;
    out_.stored_energy_J = stored_energy_J(c_.law, out_.peak_indentation_m, out_.peak_indentation_m);
    out_.plastic_energy_J = plastic_energy_J(c_.law, out_.peak_indentation_m);
    out_.evaluations = solver_.evaluations();
  }

  const Collision& c_;
  Law raw_law_;
  const std::vector<double> sample_times_s_;
  ode::Dop853<kCount> solver_;
  Scales scales_{};
  const int root_ = smoothing_root(c_.law);
  Outcome out_;
  std::vector<Sample> samples_;
  std::size_t next_sample_ = 0;
  double origin_ = 0;   // the depth that X counts from
  double deepest_ = 0;  // 0: virgin loading
  bool unloading_ = false;
  const bool is_dry_ = std::holds_alternative<Dry<>>(c_.law.shape);
};

Result<Outcome> within_range(const Collision& c, Result<Outcome> outcome) {
  if (!outcome || outcome->peak_indentation_m < depth_limit_m(c.law.elastic)) return outcome;
  return beyond_range(c);
}

}  // namespace

Result<Outcome> collide_integrated(const Collision& c, double tolerance) {
  return within_range(c, Run(c, tolerance).collide());
}

Result<std::vector<Sample>> history(const Collision& c, int count) {
  constexpr double kTolerance = 1e-12;
  const Result<Outcome> plan = collide_integrated(c, kTolerance);
  if (!plan) return plan.errors();
  if (!std::isfinite(plan->duration_s))
    return Diagnostic{
        {"law"}, "the surfaces never separate: there is no end to draw", Diagnostic::Kind::not_computed};
  std::vector<double> times_s;
  const double turn = plan->peak_indentation_time_s, end = plan->duration_s;
  for (int i = 0; i < count; ++i) {
    const double x = 2.0 * i / (count - 1);
    times_s.push_back(x <= 1 ? x * turn : turn + (x - 1) * (end - turn));
  }
  Run run(c, kTolerance, std::move(times_s));
  if (const Result<Outcome> outcome = run.collide(); !outcome) return outcome.errors();
  return run.samples();
}

}  // namespace percuss::impact
