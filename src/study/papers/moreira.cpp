// Moreira et al.: elastic and dissipative laws on two steel spheres, and the ball on the moving table.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "percuss/contact/stiffness.h"
#include "percuss/study/papers/moving_table.h"

namespace percuss::study {

namespace {

/// Section 2: two equal steel spheres, R = 50 mm, one at 0.5 m/s. Their mass is not given: 7800 kg/m^3 here.
constexpr double kRadius_m = 0.05, kSpeed_mps = 0.5, kHertz = 2.4e10, kHooke = 2.4e9, kDashpot = 3000;
const double kMass_kg = 7800 * 4.0 / 3 * std::numbers::pi * kRadius_m * kRadius_m * kRadius_m / 2;  // effective

void show(PaperWork& work, const std::string& number, const std::string& title,
          const std::vector<std::pair<std::string, Collided>>& all) {
  PaperFigure depth{"fig" + number + "-depth",
                    "Fig. " + number + ": " + title + ", penetration",
                    "time",
                    "s",
                    "penetration",
                    "m",
                    {}};
  PaperFigure force{
      "fig" + number + "-force", "Fig. " + number + ": " + title + ", force", "time", "s", "force", "N", {}};
  PaperFigure loop{"fig" + number + "-loop",
                   "Fig. " + number + ": " + title + ", force over penetration",
                   "penetration",
                   "m",
                   "force",
                   "N",
                   {}};
  for (const auto& [name, c] : all) {
    depth.curves.push_back(depth_over_time(name, c));
    force.curves.push_back(force_over_time(name, c));
    loop.curves.push_back(force_over_depth(name, c));
  }
  for (PaperFigure* f : {&depth, &force, &loop}) work.figures.push_back(std::move(*f));
}

}  // namespace

std::optional<Diagnostic> work_on_moreira(PaperWork& work) {
  work.ours["stiffness"] =
      contact::hertz_stiffness(contact::effective_modulus_Pa(207e9, 0.3, 207e9, 0.3), kRadius_m / 2);
  const Collided hooke = collide({"none", 1, kHooke, kMass_kg, kSpeed_mps, "hooke"});
  show(work, "1", "Hooke", {{"Hooke", hooke}});
  work.ours["hooke.force"] = hooke.outcome.peak_force_N / (kSpeed_mps * std::sqrt(kHooke * kMass_kg));
  const Collided hertz = collide({"none", 1, kHertz, kMass_kg, kSpeed_mps, "hertz"});
  show(work, "2", "Hertz", {{"Hertz", hertz}});
  work.ours["hertz.depth"] =
      hertz.outcome.peak_indentation_m / std::pow(5 * kMass_kg * kSpeed_mps * kSpeed_mps / (4 * kHertz), 0.4);
  work.ours["hertz.duration"] = hertz.outcome.duration_s * kSpeed_mps / hertz.outcome.peak_indentation_m;
  const Collided voigt =
      collide({"kelvin-voigt", 1, kHooke, kMass_kg, kSpeed_mps, "hooke", {{"damping", kDashpot}}});
  show(work, "3", "Kelvin and Voigt", {{"Kelvin and Voigt", voigt}});
  work.ours["voigt.jump"] = voigt.history.front().force_N;
  work.ours["voigt.pulls"] = voigt.outcome.lowest_force_N < 0;
  std::vector<std::pair<std::string, Collided>> three;
  bool uneven = true;
  for (const NamedLaw& law : kThreeLaws) {
    three.emplace_back(law.name, collide({law.key, 0.8, kHertz, kMass_kg, kSpeed_mps, "hertz"}));
    const impact::Outcome& o = three.back().second.outcome;
    uneven = uneven && std::abs(o.peak_indentation_time_s / (o.duration_s - o.peak_indentation_time_s) - 1) > 0.01;
    work.ours["after." + std::string(law.key)] = o.restitution;
  }
  work.ours["fig4.uneven"] = uneven;
  show(work, "4", "three laws, c = 0.8", three);
  if (const auto failed = show_moving_table(work, "6", "7")) return failed;
  PaperFigure output{"fig7d",
                     "Fig. 7d: restitution, output against input, first impact on the table",
                     "input",
                     "",
                     "output",
                     "",
                     {{"output = input", {0, 1}, {0, 1}, false, true}}};
  for (const NamedLaw& law : kThreeLaws) {
    PaperCurve curve{law.name, {}, {}, false, false, true};
    for (const double c : {0.3, 0.6, 0.9}) {
      curve.x.push_back(c);
      curve.y.push_back(work.ours[fmt::format("delivered.{}.{}", law.key, c)]);
    }
    output.curves.push_back(std::move(curve));
  }
  work.figures.push_back(std::move(output));
  return std::nullopt;
}

}  // namespace percuss::study
