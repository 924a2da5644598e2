// The variational equations of a collision, by dual numbers.
#include "percuss/impact/sloped.h"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "percuss/ode/dop853.h"
#include "percuss/ode/root.h"

namespace percuss::impact {

using namespace contact;

namespace {

constexpr long kMostSlopedSteps = 200'000;

}  // namespace

/// The unknowns are those of the integrated collision: with X = (x - x_0)^(1/k), k = 2 or 4, and d(tau) =
/// dt/X^(k-1),
///   dX/dtau = u/k,   du/dtau = -(F/m) X^(k-1),   dt/dtau = X^(k-1)
/// are smooth where forces are powers of the depth; x_0 is the permanent indentation on the way out, 0 else. Each
/// input p adds X_p, u_p and t_p, taken at a fixed tau; at a fixed time y_p - (dy/dt) t_p. Everything is in units
/// of the elastic collision and of the inputs' own sizes, so that one tolerance suits all.
struct SlopedCollision::Course {
  /// A value and its derivatives in the inputs, in units.
  struct Slopes {
    double value = 0;
    std::vector<double> slope;
  };
  enum Component : std::size_t {
    kRoot,
    kRate,
    kTime,
    kBlock
  };  // a block of three for the values, and for each input

  double velocity_mps = 0;
  std::vector<int> inputs;
  std::vector<double> size;        // [input] of the input itself
  std::vector<LawOf<Slope>> laws;  // [input]; one without derivatives if there is none
  LawOf<Slope> plain;              // without derivatives
  std::vector<Slope> mass;
  bool dry = false, pulls = false;
  int root = 2;
  double depth_unit_m = 1, time_unit_s = 1;
  Slopes deepest, origin;  // of the way out
  struct Step {
    ode::Dop853<> solver;  // with its dense output
    double until_tau;      // its end, or the turn or release within it
    double until_s;        // time there, in units
    double depth;          // and depth
  };
  std::vector<Step> way_in, way_out;
  double turn = 0, end = 0;  // times, in units
  std::vector<double> turn_state, end_state;
  Slopes end_depth, end_time;
  Sloped restitution, peak_force, peak_indentation;

  std::size_t dimension() const { return kBlock * (1 + inputs.size()); }
  std::size_t passes() const { return std::max<std::size_t>(inputs.size(), 1); }
  static std::size_t at(std::size_t k, Component c) { return kBlock * (1 + k) + c; }
  double speed_unit() const { return depth_unit_m / time_unit_s; }

  double power(double X, int n) const {
    double out = 1;
    for (int i = 0; i < n; ++i) out *= X;
    return out;
  }
  double depth(std::span<const double> y, bool out) const {
    return (out ? origin.value : 0) + power(y[kRoot], root);
  }
  double depth_slope(std::span<const double> y, std::size_t k, bool out) const {
    return (out ? origin.slope[k] : 0) + root * power(y[kRoot], root - 1) * y[at(k, kRoot)];
  }

  /// The force in N on dual numbers, for the input k.
  Slope raw_force(std::span<const double> y, std::size_t k, bool out) const {
    Slope x(depth(y, out) * depth_unit_m), u(y[kRate] * speed_unit()),
        most(out ? deepest.value * depth_unit_m : 0.0);
    if (dry) u.v = out ? -1 : 1;  // the sign must not chatter at the turn
    if (!inputs.empty()) {
      x.d[0] = depth_slope(y, k, out) * depth_unit_m;
      u.d[0] = dry ? 0 : y[at(k, kRate)] * speed_unit();
      if (out) most.d[0] = deepest.slope[k] * depth_unit_m;
    }
    if (x.v < 0) x = Slope(0.0);
    return force(laws[k], Indentation<Slope>{x, u, most}).total_N;
  }
  double raw_force(std::span<const double> y, bool out) const { return raw_force(y, 0, out).v; }

  void slope(std::span<const double> y, std::span<double> dydt, bool out) const {
    const double X = y[kRoot], dt = power(X, root - 1), dt_per_X = (root - 1) * power(X, root - 2);
    const double unit = time_unit_s / speed_unit();
    dydt[kRoot] = y[kRate] / root;
    dydt[kTime] = dt;
    for (std::size_t k = 0; k < passes(); ++k) {
      const Slope a = raw_force(y, k, out) / mass[k] * unit;
      dydt[kRate] = -a.v * dt;
      if (inputs.empty()) return;
      const double X_p = y[at(k, kRoot)];
      dydt[at(k, kRoot)] = y[at(k, kRate)] / root;
      dydt[at(k, kRate)] = -(dt > 0 ? a.d[0] * dt : 0) - a.v * dt_per_X * X_p;
      dydt[at(k, kTime)] = dt_per_X * X_p;
    }
  }

  /// Force and derivatives at a fixed tau, in SI.
  Sloped force_at(std::span<const double> y, bool out) const {
    Sloped f;
    for (std::size_t k = 0; k < passes(); ++k) {
      Slope one = raw_force(y, k, out);
      if (!pulls && one.v < 0) one = Slope(0.0);
      f.value = one.v;
      if (!inputs.empty()) f.slope.push_back(one.d[0] / size[k]);
    }
    return f;
  }

  /// dF/dt along the motion, in N a unit of time: one dual pass whose direction is the motion itself.
  double force_rate(std::span<const double> y, bool out) const {
    Slope x(std::max(depth(y, out), 0.0) * depth_unit_m), u(y[kRate] * speed_unit()),
        most(out ? deepest.value * depth_unit_m : 0.0);
    if (dry) u.v = out ? -1 : 1;
    x.d[0] = y[kRate] * depth_unit_m;
    u.d[0] = dry ? 0 : -raw_force(y, out) / mass.front().v * time_unit_s;
    return force(plain, Indentation<Slope>{x, u, most}).total_N.d[0];
  }

  /// At the largest force F_t = 0: its derivative at a fixed time is that at a fixed tau.
  void note_peak(std::span<const double> y, bool out) {
    Sloped f = force_at(y, out);
    if (f.value > peak_force.value) peak_force = std::move(f);
  }

  /// Steps until `event` falls to zero and leaves the state there.
  template <class Event>
  std::optional<Diagnostic> phase(std::vector<double>& y, double tolerance, bool out, Event&& event) {
    ode::Dop853<> solver(dimension(), {tolerance, tolerance});
    const auto rhs = [this, out](double, std::span<const double> s, std::span<double> d) { slope(s, d, out); };
    solver.start(rhs, 0, y);
    std::vector<double> inside(dimension());
    const auto state = [&](double tau) -> const std::vector<double>& {
      solver.interpolate(tau, inside);
      return inside;
    };
    double rate_before = force_rate(y, out);
    for (long k = 0; k < kMostSlopedSteps; ++k) {
      if (solver.step(rhs, std::numeric_limits<double>::infinity()) != ode::StepOutcome::accepted)
        return Diagnostic{{"law"},
                          "the force cannot be integrated: it is not finite or has a pole",
                          Diagnostic::Kind::not_computed};
      solver.prepare_dense(rhs);
      double until = solver.t();
      std::vector<double> last(solver.y().begin(), solver.y().end());
      const double g_end = event(last);
      const bool over = !(g_end > 0);
      if (over) {
        double from = solver.t_old(), g_from = event(state(from));
        if (!(g_from > 0)) from += 1e-3 * (until - from), g_from = event(state(from));
        if (!(g_from > 0))
          return Diagnostic{
              {"law"}, "the force pulls from the first moment of contact", Diagnostic::Kind::not_computed};
        until = ode::locate_root([&](double tau) { return event(state(tau)); }, from, until, g_from, g_end);
        last = state(until);
      }
      (out ? way_out : way_in).push_back({solver, until, last[kTime], depth(last, out)});
      const double rate_now = force_rate(last, out);
      if (rate_before > 0 && rate_now < 0) {
        const auto rate = [&](double tau) { return force_rate(state(tau), out); };
        const double from = solver.t_old(), a = rate(from), b = rate(until);
        if (a * b < 0) note_peak(state(ode::locate_root(rate, from, until, a, b)), out);
      }
      note_peak(last, out);
      rate_before = rate_now;
      y = std::move(last);
      if (over) return std::nullopt;
      if (out && pulls && std::abs(y[kRate]) < 1e-9 && depth(y, out) < 1e-3 * deepest.value)
        return Diagnostic{{"law"}, "the surfaces never separate", Diagnostic::Kind::not_computed};
      if (depth(y, out) > 1e9)
        return Diagnostic{{"law"}, "the force does not stop the body", Diagnostic::Kind::not_computed};
    }
    return Diagnostic{{"law"},
                      "the contact takes more than " + std::to_string(kMostSlopedSteps) + " steps",
                      Diagnostic::Kind::not_computed};
  }

  std::optional<Diagnostic> run(double tolerance) {
    std::vector<double> y(dimension(), 0.0);
    y[kRate] = velocity_mps / speed_unit();
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k] == kVelocity) y[at(k, kRate)] = size[k] / speed_unit();
    note_peak(y, false);  // a dashpot's force jumps at touch
    if (auto failed = phase(y, tolerance, false, [](const std::vector<double>& s) { return s[kRate]; }))
      return failed;
    begin_way_out(y);
    const bool may_turn =
        std::holds_alternative<Added<Slope>>(plain.shape) || std::holds_alternative<Ramped<Slope>>(plain.shape);
    const bool until_force_turns = may_turn && !pulls;
    const auto left = [&](const std::vector<double>& s) {
      return until_force_turns ? std::min(s[kRoot], raw_force(s, true) / peak_force.value + 1e-13) : s[kRoot];
    };
    if (auto failed = phase(y, tolerance, true, left)) return failed;
    finish(y);
    return std::nullopt;
  }

  /// At the turn u = 0, so that tau_p = -u_p/u_tau moves the time alone: depth and its derivatives stay, the rate
  /// has none, t_p gains X^(k-1) tau_p. From there the depth counts from the permanent indentation.
  void begin_way_out(std::vector<double>& y) {
    std::vector<double> d(dimension());
    slope(y, d, false);
    turn = y[kTime];
    turn_state = y;
    deepest.value = depth(y, false);
    peak_indentation.value = deepest.value * depth_unit_m;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      deepest.slope.push_back(depth_slope(y, k, false));
      peak_indentation.slope.push_back(deepest.slope[k] * depth_unit_m / size[k]);
      y[at(k, kTime)] += -y[at(k, kRate)] / d[kRate] * d[kTime];
      y[at(k, kRate)] = 0;
      turn_state[at(k, kTime)] = y[at(k, kTime)];
      turn_state[at(k, kRate)] = 0;
    }
    y[kRate] = turn_state[kRate] = 0;
    for (std::size_t k = 0; k < passes(); ++k) {
      const Slope x_0 = residual(k);
      origin.value = x_0.v;
      origin.slope.push_back(x_0.d[0]);
    }
    y[kRoot] = std::pow(deepest.value - origin.value, 1.0 / root);
    for (std::size_t k = 0; k < inputs.size(); ++k)
      y[at(k, kRoot)] = (deepest.slope[k] - origin.slope[k]) / (root * power(y[kRoot], root - 1));
    note_peak(y, true);
  }

  /// Where a plastic law lets go, in units.
  Slope residual(std::size_t k) const {
    Slope most(deepest.value);
    if (!inputs.empty()) most.d[0] = deepest.slope[k];
    if (const auto* p = std::get_if<Plastic<Slope>>(&laws[k].shape)) return most * (1.0 - 1.0 / p->stretch);
    if (const auto* th = std::get_if<Thornton<Slope>>(&laws[k].shape)) {
      const Slope most_m = most * depth_unit_m;
      if (most_m.v <= th->yield_depth_m.v) return Slope(0.0);
      const Slope peak = th->yield_force_N + th->plastic_slope_Npm * (most_m - th->yield_depth_m);
      const Slope width = sqrt(th->force_to_area * (2.0 * peak + th->yield_force_N));
      return (most_m - th->force_to_length * peak / width) / depth_unit_m;
    }
    return Slope(0.0);
  }

  /// Release: at X = 0, or where the force is zero, u_tau = 0, so that e = |u|/v0 needs no derivative of the event.
  void finish(const std::vector<double>& y) {
    end = y[kTime];
    end_state = y;
    restitution.value = std::abs(y[kRate]) * speed_unit() / velocity_mps;
    const bool at_origin = y[kRoot] < 1e-9;
    end_depth.value = depth(y, true);
    end_time.value = end;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      double e_p = -y[at(k, kRate)] * speed_unit() / (velocity_mps * size[k]);
      if (inputs[k] == kVelocity) e_p -= restitution.value / velocity_mps;
      restitution.slope.push_back(e_p);
      // F(tau_e, p) = 0: tau_p = -F_p/F_tau; x = x_0 at the origin
      const double dt = power(y[kRoot], root - 1);
      const double F_tau = force_rate(y, true) * dt;
      const double tau_p = at_origin || F_tau == 0 ? 0 : -raw_force(y, k, true).d[0] / F_tau;
      end_time.slope.push_back(y[at(k, kTime)] + dt * tau_p);
      end_depth.slope.push_back(at_origin ? origin.slope[k] : depth_slope(y, k, true) + y[kRate] * dt * tau_p);
    }
  }

  /// The state at a time, or at a depth: where a quantity that rises along the step passes zero.
  std::vector<double> state_at_time(double t, bool out) const {
    const std::vector<Step>& steps = out ? way_out : way_in;
    const auto found = std::ranges::lower_bound(steps, t, {}, &Step::until_s);
    return state_in(found == steps.end() ? steps.back() : *found,
                    [&](std::span<const double> y) { return std::pair(y[kTime] - t, power(y[kRoot], root - 1)); });
  }
  std::vector<double> state_at_depth(double x, bool out) const {
    const std::vector<Step>& steps = out ? way_out : way_in;
    const auto found =
        std::ranges::find_if(steps, [&](const Step& s) { return out ? s.depth <= x : s.depth >= x; });
    const double sign = out ? -1 : 1;
    return state_in(found == steps.end() ? steps.back() : *found, [&](std::span<const double> y) {
      return std::pair(sign * (depth(y, out) - x), sign * power(y[kRoot], root - 1) * y[kRate]);
    });
  }
  /// `passed` gives the quantity and its slope in tau.
  template <class Passed>
  std::vector<double> state_in(const Step& step, Passed&& passed) const {
    std::vector<double> y(dimension());
    const auto at_tau = [&](double tau) {
      step.solver.interpolate(tau, y);
      return passed(std::span<const double>(y));
    };
    const double from = step.solver.t_old(), to = step.until_tau;
    constexpr int kBits = 50;
    std::uintmax_t most = 100;
    double tau = to;
    if (at_tau(from).first >= 0)
      tau = from;
    else if (at_tau(to).first > 0)
      tau = boost::math::tools::newton_raphson_iterate(at_tau, (from + to) / 2, from, to, kBits, most);
    step.solver.interpolate(tau, y);
    return y;
  }

  /// Derivatives at the same time: y_p - (dy/dt) t_p.
  SlopedSample at_fixed_time(std::span<const double> y, bool out) const {
    SlopedSample s;
    s.depth_m.value = depth(y, out) * depth_unit_m;
    s.rate_mps = y[kRate] * speed_unit();
    s.force_N = force_at(y, out);
    const double F_t = s.force_N.value > 0 || pulls ? force_rate(y, out) : 0;
    s.force_rate = F_t / time_unit_s;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      s.depth_m.slope.push_back((depth_slope(y, k, out) - y[kRate] * y[at(k, kTime)]) * depth_unit_m / size[k]);
      s.force_N.slope[k] -= F_t * y[at(k, kTime)] / size[k];
    }
    return s;
  }

  SlopedSample free_motion(double t) const {
    SlopedSample s;
    s.force_N.slope.assign(inputs.size(), 0.0);
    if (t <= 0) {
      s.rate_mps = velocity_mps;
      s.depth_m.value = velocity_mps * t * time_unit_s;
      for (const int input : inputs) s.depth_m.slope.push_back(input == kVelocity ? t * time_unit_s : 0);
      return s;
    }
    // x = x_e + u_e (t - t_e), all moving with p
    const double later = t - end;
    s.rate_mps = end_state[kRate] * speed_unit();
    s.depth_m.value = (end_depth.value + end_state[kRate] * later) * depth_unit_m;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      s.depth_m.slope.push_back(
          (end_depth.slope[k] + end_state[at(k, kRate)] * later - end_state[kRate] * end_time.slope[k]) *
          depth_unit_m / size[k]);
    return s;
  }
};

SlopedCollision::SlopedCollision(std::unique_ptr<Course> course) : course_(std::move(course)) {}
SlopedCollision::SlopedCollision(SlopedCollision&&) noexcept = default;
SlopedCollision& SlopedCollision::operator=(SlopedCollision&&) noexcept = default;
SlopedCollision::~SlopedCollision() = default;

Result<SlopedCollision> SlopedCollision::make(const LawSpec& spec, double mass_kg, double velocity_mps,
                                              const std::vector<int>& inputs, double tolerance) {
  auto c = std::make_unique<Course>();
  c->velocity_mps = velocity_mps;
  c->inputs = inputs;
  const auto values = latch_values(spec, mass_kg, velocity_mps);
  for (const int input : inputs) {
    const double own = std::abs(values[static_cast<std::size_t>(input)]);
    c->size.push_back(own > 0 ? own : 1);
    c->laws.push_back(latch_with_slope(spec, mass_kg, velocity_mps, input, c->size.back()));
    c->mass.push_back(Slope(mass_kg));
    if (input == kMass) c->mass.back().d[0] = c->size.back();
  }
  c->plain = latch_with_slope(spec, mass_kg, velocity_mps, kRestitution, 0);
  c->pulls = c->plain.pulls();
  c->plain.release = Release::zero_indentation;  // the force itself; the rule against pulling is applied here
  for (LawOf<Slope>& law : c->laws) law.release = Release::zero_indentation;
  if (inputs.empty()) {
    c->laws.push_back(c->plain);
    c->mass.emplace_back(mass_kg);
  }
  if (const auto* added = std::get_if<Added<Slope>>(&c->plain.shape))
    c->root = added->exponent > 0 && added->exponent < 0.5 ? 4 : 2;  // as in the integrated collision
  c->dry = std::holds_alternative<Dry<Slope>>(c->laws.front().shape);
  c->depth_unit_m = depth_of_energy_m(spec.elastic, mass_kg * velocity_mps * velocity_mps / 2);
  c->time_unit_s = c->depth_unit_m / velocity_mps;
  if (const auto failed = c->run(tolerance)) return *failed;
  return SlopedCollision(std::move(c));
}

const Sloped& SlopedCollision::restitution() const { return course_->restitution; }
const Sloped& SlopedCollision::peak_force_N() const { return course_->peak_force; }
const Sloped& SlopedCollision::peak_indentation_m() const { return course_->peak_indentation; }
double SlopedCollision::turn_s() const { return course_->turn * course_->time_unit_s; }
double SlopedCollision::end_s() const { return course_->end * course_->time_unit_s; }

SlopedSample SlopedCollision::at_time(double t_s) const {
  const double t = t_s / course_->time_unit_s;
  if (t <= 0 || t >= course_->end) return course_->free_motion(t);
  const bool out = t > course_->turn;
  return course_->at_fixed_time(course_->state_at_time(t, out), out);
}

SlopedSample SlopedCollision::at_depth(double depth_m, bool on_the_way_out) const {
  const Course& c = *course_;
  const double wanted = depth_m / c.depth_unit_m;
  SlopedSample none;
  none.depth_m.value = depth_m;
  none.force_N.slope.assign(c.inputs.size(), 0.0);
  if (wanted <= 0 || (on_the_way_out && wanted <= c.end_depth.value)) return none;
  if (wanted >= c.deepest.value) {  // as at the turn, and on along the slope of the force at rest
    SlopedSample s = c.at_fixed_time(c.turn_state, false);
    Slope x(c.peak_indentation.value), u(0.0);
    x.d[0] = 1;
    const double slope_Npm = force(c.plain, contact::Indentation<Slope>{x, u, Slope(0.0)}).total_N.d[0];
    s.force_N.value += slope_Npm * (depth_m - c.peak_indentation.value);
    for (std::size_t k = 0; k < c.inputs.size(); ++k) s.force_N.slope[k] -= slope_Npm * c.peak_indentation.slope[k];
    return s;
  }
  SlopedSample s = c.at_fixed_time(c.state_at_depth(wanted, on_the_way_out), on_the_way_out);
  // x(t(p), p) stays: t_p = -x_p/x', and F at that depth has F_p + F_t t_p
  for (std::size_t k = 0; k < c.inputs.size(); ++k)
    if (s.rate_mps != 0) s.force_N.slope[k] -= s.force_rate * s.depth_m.slope[k] / s.rate_mps;
  return s;
}

}  // namespace percuss::impact
