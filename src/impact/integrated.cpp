// The collision by dop853: the deepest point and the release are located on the dense output, the run restarts at
// the turn.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "percuss/impact/impact.h"
#include "percuss/ode/dop853.h"
#include "percuss/ode/root.h"

namespace percuss::impact {

using namespace contact;

namespace {

constexpr long kMostSteps = 2'000'000;

/// State in units of a reference depth, the approach speed and m v0^2: depth, rate, energy spent on the
/// rate-dependent part.
enum Component { kDepth, kRate, kDamped, kCount };
using State = std::array<double, kCount>;

struct Scales {
  double depth_m, time_s, force_N, energy_J;
};

/// A depth at which the law would do work of the order of the energy at hand; only the units of the integration
/// depend on it.
double reference_depth_m(const Collision& c) {
  const double energy = c.energy_J();
  if (!std::holds_alternative<Custom<>>(c.law.shape)) {
    const double depth = depth_of_energy_m(c.law.elastic, energy);
    return std::isfinite(depth) ? depth : depth_limit_m(c.law.elastic);
  }
  for (double depth = 1e-12; depth < 1e6; depth *= 2)
    if (depth * std::abs(force_N(c.law, {depth, 0, 0})) >= energy ||
        depth * std::abs(force_N(c.law, {depth, c.velocity_mps, 0})) >= energy)
      return depth;
  return 1;
}

/// May the force change its sign before zero depth? Scaled, plastic and dry forces keep it in a free collision.
bool can_turn(const Law& law) {
  return std::holds_alternative<Added<>>(law.shape) || std::holds_alternative<Ramped<>>(law.shape) ||
         std::holds_alternative<Custom<>>(law.shape);
}

class Run {
 public:
  Run(const Collision& c, double tolerance) : c_(c), raw_law_(c.law), solver_(kCount, {tolerance, tolerance}) {
    raw_law_.release = Release::zero_depth;  // the force itself, without the rule against pulling
    scales_.depth_m = reference_depth_m(c);
    scales_.time_s = scales_.depth_m / c.velocity_mps;
    scales_.energy_J = c.mass_kg * c.velocity_mps * c.velocity_mps;
    scales_.force_N = scales_.energy_J / scales_.depth_m;
  }

  /// `visit(t, state, deepest)` sees the states at the rising `sample_times` (in units of this run).
  template <class Visit>
  Result<Outcome> collide(const std::vector<double>& sample_times, Visit&& visit) {
    Outcome out;
    out.method = Method::integrated;
    State y{0, 1, 0};
    double t = 0;
    note_force(t, y, out);

    deepest_ = 0;  // virgin loading
    if (auto failure = phase(t, y, out, sample_times, visit, [](const State& s) { return s[kRate]; }))
      return *failure;
    y[kRate] = 0;
    deepest_ = y[kDepth];
    out.max_depth_m = deepest_ * scales_.depth_m;
    out.max_depth_time_s = t * scales_.time_s;

    const double residual = residual_depth_m(c_.law, out.max_depth_m) / scales_.depth_m;
    out.residual_depth_m = residual * scales_.depth_m;
    const bool sticks = remembers_ && deepest_ - residual <= 1e-14 * deepest_;  // rounding: nothing is recovered
    unloading_ = true;
    if (!sticks && stuck(y)) return finish(t, y, out);
    if (!sticks) {
      const auto remaining = [&](const State& s) {
        const double depth = s[kDepth] - residual;
        return can_turn(c_.law) && c_.law.release == Release::zero_force ? std::min(depth, force_left(s)) : depth;
      };
      if (auto failure = phase(t, y, out, sample_times, visit, remaining)) return *failure;
    }
    for (; next_sample_ < sample_times.size(); ++next_sample_)
      visit(t, y);  // samples planned at the end, missed by rounding
    return finish(t, y, out);
  }

  const Scales& scales() const { return scales_; }

 private:
  /// The force without the rule against pulling, continued point-symmetrically to a gap, so that a step across the
  /// end is smooth.
  Indentation<> place(double depth, double rate) const {
    const bool gap = depth < 0;
    Indentation<> x{std::abs(depth) * scales_.depth_m, (gap ? -rate : rate) * c_.velocity_mps,
                    unloading_ ? deepest_ * scales_.depth_m : 0};
    if (is_dry_) x.rate_mps = unloading_ != gap ? -1 : 1;  // the sign must not chatter at the turn
    return x;
  }
  double unit(double depth) const { return (depth < 0 ? -1 : 1) / scales_.force_N; }
  NormalForce<> raw(double depth, double rate) const {
    if (remembers_ && depth < 0) return {};
    const NormalForce<> f = force_parts(raw_law_, place(depth, rate));
    return {f.total_N * unit(depth), f.elastic_N * unit(depth)};
  }
  double raw_force(const State& s) const { return raw(s[kDepth], s[kRate]).total_N; }

  /// Zero where the force turns. A force that fades out exponentially (a scaled law with small restitution) is
  /// noise about zero long before contact ends; it counts as turned only when it is below zero by more than that
  /// noise.
  double force_left(const State& s) const {
    const NormalForce<> f = raw(s[kDepth], s[kRate]);
    return f.total_N + 1e-13 * std::abs(f.elastic_N);
  }

  void slope(std::span<const double> y, std::span<double> dydt) const {
    const NormalForce<> f = raw(y[kDepth], y[kRate]);
    dydt[kDepth] = y[kRate];
    dydt[kRate] = -f.total_N;
    dydt[kDamped] = (f.total_N - f.elastic_N) * y[kRate];
  }

  /// dF/dt along the motion.
  double force_rate(const State& s) const {
    const ForceSlopes f = force_slopes(raw_law_, place(s[kDepth], s[kRate]));
    const double per_depth = f.per_depth_Npm * scales_.depth_m / scales_.force_N;
    const double per_rate = f.per_rate_Nspm * c_.velocity_mps / scales_.force_N;
    return per_depth * s[kRate] - per_rate * raw_force(s);
  }

  bool stuck(const State& y) const {  // nothing drives the body back: bistiffness with mu = 1
    return is_dry_ && raw_force(y) <= 0;
  }

  void note_force(double t, const State& y, Outcome& out) const {
    const double f = raw_force(y) * scales_.force_N;
    if (f > out.max_force_N) {
      out.max_force_N = f;
      out.max_force_time_s = t * scales_.time_s;
    }
    out.lowest_force_N = std::min(out.lowest_force_N, f);
  }

  /// Integrates until `event` falls to zero; leaves time and state there. An extreme of the force on the way is
  /// located too.
  template <class Visit, class Event>
  std::optional<Diagnostic> phase(double& t, State& y, Outcome& out, const std::vector<double>& sample_times,
                                  Visit&& visit, Event&& event) {
    const auto rhs = [this](double, std::span<const double> s, std::span<double> d) { slope(s, d); };
    solver_.start(rhs, t, y, unloading_ ? solver_.next_step() : 0);
    double rate_before = force_rate(y);
    const auto state_at = [this](double at) {
      State s;
      solver_.interpolate(at, s);
      return s;
    };
    for (long step = 0; step < kMostSteps; ++step) {
      if (solver_.step(rhs, std::numeric_limits<double>::infinity()) != ode::StepOutcome::accepted)
        return Diagnostic{{"law"},
                          "the force cannot be integrated beyond delta = " +
                              std::to_string(solver_.y()[kDepth] * scales_.depth_m) +
                              " m: it is not finite or has a pole"};
      State end;
      std::ranges::copy(solver_.y(), end.begin());
      const double g_end = event(end);
      const bool over = g_end <= 0;
      const double force_rate_end = force_rate(end);
      const bool turns = rate_before * force_rate_end < 0;
      const bool samples = next_sample_ < sample_times.size() && sample_times[next_sample_] <= solver_.t();
      double t_end = solver_.t();
      if (over || turns || samples) solver_.prepare_dense(rhs);
      if (over) {
        const double from = solver_.t_old();
        State start;
        std::ranges::copy(solver_.y_old(), start.begin());
        const auto g = [&](double at) { return event(state_at(at)); };
        double g_start = event(start);
        double left = from;
        if (!(g_start > 0)) {  // the very first step starts on the event itself: look just inside
          left = from + 1e-3 * (t_end - from);
          g_start = g(left);
          if (!(g_start > 0)) return Diagnostic{{"law"}, "the force pulls from the first moment of contact"};
        }
        t_end = ode::locate_root(g, left, t_end, g_start, g(t_end));
      }
      if (turns) {
        const double a = solver_.t_old(), b = t_end;
        const auto h = [&](double at) { return force_rate(state_at(at)); };
        const double h_a = h(a), h_b = h(b);
        if (h_a * h_b < 0) {
          const double at = ode::locate_root(h, a, b, h_a, h_b);
          note_force(at, state_at(at), out);
        }
      }
      for (; next_sample_ < sample_times.size() && sample_times[next_sample_] <= t_end; ++next_sample_)
        visit(sample_times[next_sample_], state_at(sample_times[next_sample_]));
      if (over) {
        if (t_end > solver_.t_old()) solver_.step_again_to(rhs, t_end, end);
        t = t_end;
        y = end;
        y[kDepth] = std::max(y[kDepth], 0.0);
        note_force(t, y, out);
        return std::nullopt;
      }
      note_force(solver_.t(), end, out);
      rate_before = force_rate_end;
      if (end[kDepth] > 1e9) return Diagnostic{{"law"}, "the force does not stop the body"};
    }
    return Diagnostic{{"law"}, "the contact does not end within " + std::to_string(kMostSteps) + " steps"};
  }

  Outcome finish(double t, const State& y, Outcome out) const {
    const double energy = c_.energy_J();
    out.restitution = std::abs(y[kRate]);
    out.duration_s = t * scales_.time_s;
    if (!c_.law.pulls()) out.lowest_force_N = 0;
    out.returned_energy_J = energy * out.restitution * out.restitution;
    out.lost_energy_J = energy - out.returned_energy_J;
    out.stored_energy_J = stored_energy_J(c_.law, out.max_depth_m, out.max_depth_m);
    out.plastic_energy_J = plastic_energy_J(c_.law, out.max_depth_m);
    out.evaluations = solver_.evaluations();
    return out;
  }

  const Collision& c_;
  Law raw_law_;
  ode::Dop853 solver_;
  Scales scales_{};
  double deepest_ = 0;
  bool unloading_ = false;
  const bool remembers_ = has_memory(c_.law), is_dry_ = std::holds_alternative<Dry<>>(c_.law.shape);
  std::size_t next_sample_ = 0;
};

Result<Outcome> checked(const Collision& c, Result<Outcome> outcome) {
  if (!outcome || outcome->max_depth_m < depth_limit_m(c.law.elastic)) return outcome;
  return Diagnostic{{"velocity"},
                    "the indentation would pass " + std::to_string(depth_limit_m(c.law.elastic) * 1e6) +
                        " um, where the elastic law ends"};
}

}  // namespace

Result<Outcome> collide_integrated(const Collision& c, double tolerance) {
  return checked(c, Run(c, tolerance).collide({}, [](double, const State&) {}));
}

Result<std::vector<Sample>> history(const Collision& c, int count) {
  constexpr double kTolerance = 1e-11;
  const Result<Outcome> plan = collide_integrated(c, kTolerance);
  if (!plan) return plan.errors();
  std::vector<Sample> samples;
  Run run(c, kTolerance);
  const Scales& unit = run.scales();
  std::vector<double> times;
  const double turn = plan->max_depth_time_s / unit.time_s, end = plan->duration_s / unit.time_s;
  for (int i = 0; i < count; ++i) {
    const double x = 2.0 * i / (count - 1);
    times.push_back(x <= 1 ? x * turn : turn + (x - 1) * (end - turn));
  }
  double deepest_m = 0;
  const Result<Outcome> outcome = run.collide(times, [&](double t, const State& y) {
    const double depth = std::max(y[kDepth], 0.0) * unit.depth_m, rate = y[kRate] * c.velocity_mps;
    const bool loading = t <= turn;
    deepest_m = std::max(deepest_m, loading ? depth : plan->max_depth_m);
    samples.push_back({t * unit.time_s, depth, rate, force_N(c.law, {depth, rate, loading ? 0 : deepest_m}),
                       c.mass_kg * rate * rate / 2, stored_energy_J(c.law, depth, loading ? depth : deepest_m),
                       y[kDamped] * unit.energy_J + plastic_energy_J(c.law, deepest_m)});
  });
  if (!outcome) return outcome.errors();
  return samples;
}

}  // namespace percuss::impact
