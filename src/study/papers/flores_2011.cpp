// Flores et al. 2011: the bouncing ball.
#include <fmt/format.h>

#include <cmath>

#include "percuss/study/papers/moving_table.h"

namespace percuss::study {

namespace {

constexpr double kStiffness = 140e6;
const double kImpact_mps = std::sqrt(2 * 9.81 * 0.9);  // from 1 m to the radius

/// x^(3/2) sqrt(1 - x^2) by the trapezoidal rule of the paper's appendix, 1001 points.
double trapezoidal_area() {
  const auto f = [](double x) { return std::pow(x, 1.5) * std::sqrt(1 - x * x); };
  constexpr int n = 1001;
  const double dx = 1.0 / (n - 1);
  double area = dx / 2 * (f(0) + f(1));
  for (int i = 1; i < n - 1; ++i) area += dx * f(i * dx);
  return area;
}

void show_first_contact(PaperWork& work) {
  PaperFigure deformation{"fig6a", "Fig. 6a: deformation", "time", "s", "deformation", "m", {}};
  PaperFigure velocity{"fig6b", "Fig. 6b: velocity of deformation", "time", "s", "velocity", "m/s", {}};
  PaperFigure force{"fig6c", "Fig. 6c: contact force", "time", "s", "force", "N", {}};
  PaperFigure loop{"fig6d", "Fig. 6d: force over deformation", "deformation", "m", "force", "N", {}};
  PaperTable table{"first-contact",
                   "First contact",
                   {"c", "delivered", "deformation (m)", "peak force (N)", "duration (s)", "energy lost (J)"},
                   {},
                   "The paper says that deformation and force fall with c. The deformation does; the force has its "
                   "least value near c = 0.7 and then "
                   "grows, because the damping force at touch does."};
  double depth = 1e300, duration = 0, lost = -1;
  bool shallower = true, longer = true, wider = true;
  for (const double c : {1.0, 0.8, 0.6, 0.4, 0.2}) {
    const Collided one = collide({"flores", c, kStiffness, 1, kImpact_mps});
    const std::string name = fmt::format("c = {}", c);
    deformation.curves.push_back(depth_over_time(name, one));
    velocity.curves.push_back(rate_over_time(name, one));
    force.curves.push_back(force_over_time(name, one));
    loop.curves.push_back(force_over_depth(name, one));
    const impact::Outcome& o = one.outcome;
    table.rows.push_back({c, o.restitution, o.peak_indentation_m, o.peak_force_N, o.duration_s, o.lost_energy_J});
    shallower = shallower && o.peak_indentation_m < depth;
    longer = longer && o.duration_s > duration;
    wider = wider && o.lost_energy_J > lost;
    depth = o.peak_indentation_m, duration = o.duration_s, lost = o.lost_energy_J;
  }
  work.ours["fig6.shallower"] = shallower;
  work.ours["fig6.longer"] = longer;
  work.ours["fig6.wider"] = wider;
  for (PaperFigure* f : {&deformation, &velocity, &force, &loop}) work.figures.push_back(std::move(*f));
  work.tables.push_back(std::move(table));
}

void show_restitutions(PaperWork& work) {
  PaperFigure figure{"fig7", "Fig. 7: restitution after against before",       "before", "", "after",
                     "",     {{"after = before", {0, 1}, {0, 1}, false, true}}};
  double largest = 0;
  for (const NamedLaw& law : kThreeLaws) {
    PaperCurve curve{law.name, {}, {}};
    for (int i = 2; i <= 100; ++i) {
      const double c = i / 100.0, e = collide({law.key, c, kStiffness, 1, kImpact_mps}).outcome.restitution;
      curve.x.push_back(c);
      curve.y.push_back(e);
      if (std::string(law.key) == "flores") largest = std::max(largest, std::abs(e - c));
      if (i == 50 || i == 100 || i == 2) work.ours[fmt::format("after.{}.{}", law.key, c)] = e;
    }
    figure.curves.push_back(std::move(curve));
  }
  work.ours["fig7.flores.largest"] = largest;
  work.figures.push_back(std::move(figure));
}

/// Two spheres, momentum and energy before and after (eq. 10 to 21), and the damping factor from the balance of
/// energy with eq. 40 as it is printed and as it must be.
void show_identities(PaperWork& work) {
  const impact::TwoBodies bodies{1.3, 0.7, 2.0, -0.5};
  const double m = bodies.effective_mass_kg(), v0 = bodies.approach_mps();
  const double e = collide({"flores", 0.6, kStiffness, m, v0}).outcome.restitution;
  const impact::VelocitiesAfter after = impact::velocities_after(bodies, e);
  const auto energy = [&](double vi, double vj) {
    return (bodies.mass_i_kg * vi * vi + bodies.mass_j_kg * vj * vj) / 2;
  };
  const double lost =
      energy(bodies.velocity_i_mps, bodies.velocity_j_mps) - energy(after.velocity_i_mps, after.velocity_j_mps);
  work.ours["momentum"] = bodies.mass_i_kg * (after.velocity_i_mps - bodies.velocity_i_mps) +
                          bodies.mass_j_kg * (after.velocity_j_mps - bodies.velocity_j_mps);
  work.ours["energy.eq16"] = lost / (m * v0 * v0 * (1 - e * e) / 2);
  work.ours["lost.integral"] = collide({"flores", 0.6, kStiffness, m, v0}).outcome.lost_energy_J / lost;
  // X = chi v0/K: with the energy at the deepest point m v0^2/2 = K x^(5/2) (2/5 + X/4) and the loss
  // K x^(5/2) X (1 + s c)/4 = (1 - c^2) m v0^2/2, s = 1 (right) or -1 (eq. 40)
  PaperTable table{"errata",
                   "Eq. 40 and 41: the damping factor chi v0/K that follows",
                   {"c", "eq. 43", "with (1 + c), right", "with (1 - c), as printed"},
                   {},
                   "Eq. 40 (and Moreira's eq. 15) print 1 - c where the two speeds add up to (1 + c) v0; the "
                   "damping would be negative. Eq. 41 lacks the square of the common velocity."};
  for (const double c : {0.9, 0.6, 0.3}) {
    const auto factor = [c](double s) { return 0.4 * (1 - c * c) / ((1 + s * c) / 4 - (1 - c * c) / 4); };
    table.rows.push_back({c, 8 * (1 - c) / (5 * c), factor(1), factor(-1)});
    work.ours[fmt::format("factor.{}", c)] = factor(1);
    work.ours[fmt::format("factor.law.{}", c)] = damping_factor("flores", c);
  }
  work.tables.push_back(std::move(table));
  work.ours["integral.trapezoidal"] = trapezoidal_area();
  work.ours["integral"] = std::tgamma(1.25) * std::tgamma(1.5) / std::tgamma(2.75) / 2;  // B(5/4, 3/2)/2
}

void show_stiffnesses(PaperWork& work) {
  PaperTable table{"stiffness",
                   "One ball, two stiffnesses",
                   {"K (N/m^1.5)", "from", "deformation (m)", "peak force (N)", "duration (s)"},
                   {}};
  for (const auto& [K, from] : {std::pair{140e6, "Flores et al. 2011"}, std::pair{140e10, "Moreira et al."}}) {
    const Collided one = collide({"flores", 0.9, K, 1, kImpact_mps});
    table.rows.push_back(
        {K, std::string(from), one.outcome.peak_indentation_m, one.outcome.peak_force_N, one.outcome.duration_s});
  }
  work.tables.push_back(std::move(table));
}

}  // namespace

std::optional<Diagnostic> work_on_flores_2011(PaperWork& work) {
  const Result<recording::Recording> ball = simulate(work.folder / "bouncing_ball.yaml", {});
  if (!ball) return ball.errors().front();
  work.figures.push_back(
      {"fig5a", "Fig. 5a: position", "time", "s", "position", "m", {body_over_time("ball", *ball, "ball", "y")}});
  work.figures.push_back({"fig5b",
                          "Fig. 5b: velocity",
                          "time",
                          "s",
                          "velocity",
                          "m/s",
                          {body_over_time("ball", *ball, "ball", "vy")}});
  const std::vector<recording::Impact>& hits = ball->impacts;
  work.ours["fig5.speed"] = hits.front().approach_speed_mps;
  bool lower = true, sooner = true;
  for (std::size_t i = 1; i + 1 < hits.size(); ++i) {
    lower = lower && hits[i].approach_speed_mps < hits[i - 1].approach_speed_mps;
    sooner = sooner && hits[i + 1].touch_s - hits[i].touch_s < hits[i].touch_s - hits[i - 1].touch_s;
  }
  work.ours["fig5.lower"] = lower;
  work.ours["fig5.sooner"] = sooner;
  show_first_contact(work);
  show_restitutions(work);
  show_identities(work);
  show_stiffnesses(work);
  return show_moving_table(work, "8", "9");
}

}  // namespace percuss::study
