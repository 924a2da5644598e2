// Alaci et al.: all loss by damping against all loss by plasticity, and what lies between.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "percuss/contact/stiffness.h"
#include "percuss/study/papers/collisions.h"

namespace percuss::study {

namespace {

/// Section 4: a steel ball of R = 15 mm from 0.4 m on a fixed steel surface. E, nu and density are not given.
constexpr double kBallRadius_m = 0.015, kYoung_Pa = 207e9, kPoisson = 0.3;
const double kBallMass_kg = 7800 * 4.0 / 3 * std::numbers::pi * kBallRadius_m * kBallRadius_m * kBallRadius_m;
const double kDropSpeed_mps = std::sqrt(2 * 9.81 * 0.4);

struct Scale {
  double depth_m, time_s;  // of Hertz: greatest approach, duration of the compression
};

PaperCurve scaled(PaperCurve curve, double x, double y) {
  for (double& v : curve.x) v /= x;
  for (double& v : curve.y) v /= y;
  return curve;
}

}  // namespace

std::optional<Diagnostic> work_on_alaci(PaperWork& work) {
  const double right = contact::hertz_stiffness(
      contact::effective_modulus_Pa(kYoung_Pa, kPoisson, kYoung_Pa, kPoisson), kBallRadius_m);
  const double printed = right / std::numbers::pi;  // eq. 3
  work.ours["stiffness.right"] = right;
  work.ours["stiffness.printed"] = printed;
  PaperTable pi{"pi",
                "With and without the stray pi of eq. 3",
                {"K (N/m^1.5)", "from", "Hertz approach (m)", "Hertz force (N)", "Hertz duration (s)"},
                {},
                "Figures in units of the Hertz values are the same for both, because the stiffness scales out."};
  Scale hertz{};
  for (const auto& [K, from] :
       {std::pair{right, "K = 4/(3 (eta_1 + eta_2)) sqrt(R)"}, std::pair{printed, "eq. 3, with pi"}}) {
    const impact::Outcome o = collide({"none", 1, K, kBallMass_kg, kDropSpeed_mps, "hertz"}).outcome;
    pi.rows.push_back({K, std::string(from), o.peak_indentation_m, o.peak_force_N, o.duration_s});
    if (K == right) hertz = {o.peak_indentation_m, o.peak_indentation_time_s};
  }
  work.ours["pi.depth"] = std::get<double>(pi.rows[1][2]) / std::get<double>(pi.rows[0][2]);
  work.tables.push_back(std::move(pi));

  PaperFigure approach{"fig3",
                       "Fig. 3: approach over time",
                       "t/t_H",
                       "",
                       "x/x_H",
                       "",
                       {},
                       "Full: Flores (damping). Dashed: Lankarani and Nikravesh 1994 (plasticity). Grey: mixed, "
                       "half of the loss each."};
  PaperFigure velocity{"fig4", "Fig. 4: velocity over time", "t/t_H", "", "v/v0", "", {}, approach.note};
  PaperFigure phase{"fig5", "Fig. 5: phase diagram", "x/x_H", "", "v/v0", "", {}, approach.note};
  PaperFigure loops{"loops",      "Force over approach (Fig. 2 for all laws)", "x/x_H", "", "F/(K x_H^1.5)", "", {},
                    approach.note};
  bool deeper = true, longer = true, shorter = true, between = true;
  for (const double e : {0.999, 0.7, 0.4, 0.2}) {
    const Collided damped = collide({"flores", e, right, kBallMass_kg, kDropSpeed_mps, "hertz"});
    const Collided plastic =
        collide({"lankarani-nikravesh-plastic", e, right, kBallMass_kg, kDropSpeed_mps, "hertz"});
    const Collided mixed =
        collide({"mixed", e, right, kBallMass_kg, kDropSpeed_mps, "hertz", {{"plastic_share", 0.5}}});
    struct Drawn {
      const char* name;
      const Collided* c;
      bool dashed, muted;
    };
    for (const Drawn& d : {Drawn{"Flores", &damped, false, false}, Drawn{"plastic", &plastic, true, false},
                           Drawn{"mixed", &mixed, false, true}}) {
      const std::string name = fmt::format("{}, e = {}", d.name, e);
      const auto add = [&](PaperFigure& f, PaperCurve curve, double x, double y) {
        curve.dashed = d.dashed;
        curve.muted = d.muted;
        f.curves.push_back(scaled(std::move(curve), x, y));
      };
      add(approach, depth_over_time(name, *d.c), hertz.time_s, hertz.depth_m);
      add(velocity, rate_over_time(name, *d.c), hertz.time_s, kDropSpeed_mps);
      add(phase, rate_over_depth(name, *d.c), hertz.depth_m, kDropSpeed_mps);
      add(loops, force_over_depth(name, *d.c), hertz.depth_m, right * std::pow(hertz.depth_m, 1.5));
    }
    const impact::Outcome &a = damped.outcome, &b = plastic.outcome, &m = mixed.outcome;
    deeper = deeper && b.peak_indentation_m > a.peak_indentation_m;
    longer = longer && a.duration_s > 2 * hertz.time_s;
    shorter = shorter && b.duration_s < 2 * hertz.time_s;
    between = between && m.peak_indentation_m >= a.peak_indentation_m &&
              m.peak_indentation_m <= b.peak_indentation_m && m.duration_s <= a.duration_s &&
              m.duration_s >= b.duration_s;
    work.ours[fmt::format("plastic.depth.{}", e)] = b.peak_indentation_m / hertz.depth_m;
    work.ours[fmt::format("plastic.e.{}", e)] = b.restitution;
    work.ours[fmt::format("mixed.e.{}", e)] = m.restitution;
    work.ours[fmt::format("difference.{}", e)] = b.peak_indentation_m / a.peak_indentation_m - 1;
  }
  work.ours["deeper"] = deeper;
  work.ours["longer"] = longer;
  work.ours["shorter"] = shorter;
  work.ours["between"] = between;
  // the same dimensionless collision with the printed stiffness
  const impact::Outcome other = collide({"flores", 0.6, printed, kBallMass_kg, kDropSpeed_mps, "hertz"}).outcome;
  const impact::Outcome other_hertz = collide({"none", 1, printed, kBallMass_kg, kDropSpeed_mps, "hertz"}).outcome;
  const impact::Outcome own = collide({"flores", 0.6, right, kBallMass_kg, kDropSpeed_mps, "hertz"}).outcome;
  work.ours["pi.scales-out"] =
      (other.peak_indentation_m / other_hertz.peak_indentation_m) / (own.peak_indentation_m / hertz.depth_m);
  for (PaperFigure* f : {&approach, &velocity, &phase, &loops}) work.figures.push_back(std::move(*f));
  return std::nullopt;
}

}  // namespace percuss::study
