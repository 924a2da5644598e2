// One row a friction law. F_n is the normal force, v the speed of sliding, mu the coefficient of sliding, mu_s that
// of rest, v_t the speed over which a regularised law rises.
#include "percuss/contact/friction.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "percuss/contact/stiffness.h"

namespace percuss::contact {

namespace {

namespace d = dimension;
/// Slow against impacts and quick against creep; custom, not a measurement. Rolling and spinning resistance rise
/// over it too.
constexpr double kSlipSpeed_mps = 1e-3;
constexpr FrictionParameter kRise{"slip_speed", d::velocity, kSlipSpeed_mps, "v_t: below it the force rises"};
constexpr FrictionParameter kStribeckSpeed{"stribeck_speed", d::velocity, 1e-2,
                                           "v_s: the force falls from rest to sliding over it"};
constexpr Dimension kPerLength{-1, 0, 0}, kPerSpeed{-1, 0, 1};

double falling(const FrictionLaw& law, double s) {
  return law.coefficient + (law.static_coefficient - law.coefficient) * s;
}

constexpr std::string_view kTextbook = "regularised Coulomb friction, in general use";
constexpr std::string_view kCreeps = "a loaded body creeps: at rest the force is zero";
constexpr std::string_view kFromMemory = "recollected from the literature, not confirmed in the source";

constexpr FrictionRow kFrictionRows[] = {
    {.key = "coulomb-clamp",
     .title = "Coulomb, straight ramp",
     .source = kTextbook,
     .formula = "mu F_n min(v/v_t, 1)",
     .parameters = {kRise},
     .weakness = kCreeps,
     .force_N = [](const FrictionLaw& l, double n,
                   double v) { return l.coefficient * n * std::min(v / l.parameter[0], 1.0); }},
    {.key = "coulomb-tanh",
     .title = "Coulomb, hyperbolic tangent",
     .source = kTextbook,
     .formula = "mu F_n tanh(v/v_t)",
     .parameters = {kRise},
     .weakness = kCreeps,
     .force_N = [](const FrictionLaw& l, double n,
                   double v) { return l.coefficient * n * std::tanh(v / l.parameter[0]); }},
    {.key = "coulomb-atan",
     .title = "Coulomb, arc tangent",
     .source = kTextbook,
     .formula = "mu F_n (2/pi) atan(v/v_t)",
     .parameters = {kRise},
     .weakness = "creeps, and reaches mu F_n only for v >> v_t",
     .force_N = [](const FrictionLaw& l, double n,
                   double v) { return l.coefficient * n * 2 / std::numbers::pi * std::atan(v / l.parameter[0]); }},
    {.key = "coulomb-root",
     .title = "Coulomb, square root",
     .source = kTextbook,
     .formula = "mu F_n v/sqrt(v^2 + v_t^2)",
     .parameters = {kRise},
     .weakness = kCreeps,
     .force_N = [](const FrictionLaw& l, double n,
                   double v) { return l.coefficient * n * v / std::hypot(v, l.parameter[0]); }},
    {.key = "threlfall",
     .title = "Threlfall 1978",
     .source = "Mech. Mach. Theory 13 (1978) 475",
     .formula = "mu F_n (1 - exp(-3 v/v_r)) below v_r, (1 - exp(-3)) mu F_n = 0.950 mu F_n above",
     .parameters = {FrictionParameter{"slip_speed", d::velocity, kSlipSpeed_mps,
                                      "v_r: above it the force is constant"}},
     .unconfirmed = kFromMemory,
     .weakness = "creeps; slides with 0.95 of the coefficient",
     .force_N = [](const FrictionLaw& l, double n,
                   double v) { return l.coefficient * n * -std::expm1(-3 * std::min(v / l.parameter[0], 1.0)); }},
    {.key = "bengisu-akay",
     .title = "Bengisu and Akay 1994",
     .source = "J. Sound Vib. 171 (1994) 557",
     .formula = "mu_s F_n (1 - (v/v_t - 1)^2) below v_t, F_n (mu + (mu_s - mu) exp(-xi (v - v_t))) above",
     .uses_static = true,
     .parameters = {kRise,
                    FrictionParameter{"decay", kPerSpeed, 100, "xi: how fast the force falls to that of sliding"}},
     .unconfirmed = kFromMemory,
     .weakness = "creeps; the slope jumps at v_t",
     .force_N =
         [](const FrictionLaw& l, double n, double v) {
           const double x = v / l.parameter[0] - 1;
           return n * (x < 0 ? l.static_coefficient * (1 - x * x)
                             : falling(l, std::exp(-l.parameter[1] * (v - l.parameter[0]))));
         }},
    {.key = "ambrosio",
     .title = "Ambrosio 2003",
     .source = "in Virtual Nonlinear Multibody Systems, Kluwer (2003)",
     .formula = "0 below v_0, mu F_n (v - v_0)/(v_1 - v_0) up to v_1, then mu F_n",
     .parameters = {FrictionParameter{"lower_speed", d::velocity, 0.1 * kSlipSpeed_mps,
                                      "v_0: below it there is no force"},
                    FrictionParameter{"slip_speed", d::velocity, kSlipSpeed_mps,
                                      "v_1: above it the force is full"}},
     .unconfirmed = kFromMemory,
     .weakness = "no force below v_0: nothing sticks",
     .force_N =
         [](const FrictionLaw& l, double n, double v) {
           return l.coefficient * n *
                  std::clamp((v - l.parameter[0]) / (l.parameter[1] - l.parameter[0]), 0.0, 1.0);
         },
     .contradiction = [](const FrictionLaw& l) -> std::string_view {
       return l.parameter[1] > l.parameter[0] ? "" : "slip_speed must be above lower_speed";
     }},
    {.key = "stribeck",
     .title = "Stribeck",
     .source = "Z. VDI 46 (1902) 1341, as used in several public codes",
     .formula = "F_n (mu + (mu_s - mu) exp(-(v/v_s)^2)) tanh(v/v_t) + sigma v",
     .uses_static = true,
     .parameters = {kRise, kStribeckSpeed,
                    FrictionParameter{"viscous", Dimension{0, 1, -1}, 0, "sigma: viscous part, N s/m"}},
     .weakness = "the sign of v is smoothed over v_t: creeps",
     .force_N =
         [](const FrictionLaw& l, double n, double v) {
           const double x = v / l.parameter[1];
           return n * falling(l, std::exp(-x * x)) * std::tanh(v / l.parameter[0]) + l.parameter[2] * v;
         }},
    {.key = "andersson",
     .title = "Andersson, Soderberg and Bjorklund 2007",
     .source = "Tribol. Int. 40 (2007) 580",
     .formula = "F_n (mu + (mu_s - mu) exp(-(v/v_s)^p)) tanh(v/v_t)",
     .uses_static = true,
     .parameters = {kRise, kStribeckSpeed, FrictionParameter{"exponent", d::number, 1, "p"}},
     .weakness = kCreeps,
     .force_N =
         [](const FrictionLaw& l, double n, double v) {
           return n * falling(l, std::exp(-std::pow(v / l.parameter[1], l.parameter[2]))) *
                  std::tanh(v / l.parameter[0]);
         }},
    {.key = "brown-mcphee",
     .title = "Brown and McPhee 2016",
     .source = "J. Comput. Nonlinear Dyn. 11 (2016) 054502",
     .formula = "F_n (mu tanh(4 x) + (mu_s - mu) x/(x^2/4 + 3/4)^2) + mu_v v tanh(4 F_n/F_nt), x = v/v_t",
     .uses_static = true,
     .parameters = {kRise, FrictionParameter{"viscous", Dimension{0, 1, -1}, 0, "mu_v: viscous part, N s/m"},
                    FrictionParameter{"transition_force", d::force, 1,
                                      "F_nt: load that brings out the viscous part"}},
     .weakness = kCreeps,
     .force_N =
         [](const FrictionLaw& l, double n, double v) {
           const double x = v / l.parameter[0], q = x * x / 4 + 0.75;
           return n * (l.coefficient * std::tanh(4 * x) + (l.static_coefficient - l.coefficient) * x / (q * q)) +
                  l.parameter[1] * v * std::tanh(4 * n / l.parameter[2]);
         }},
    {.key = "dahl",
     .title = "Dahl 1968",
     .source = "Aerospace Corp. report TOR-0158 (1968)",
     .formula = "F_n sigma z, z' = v - sigma |v| z/mu",
     .memory = FrictionMemory::bristles,
     .parameters = {FrictionParameter{"bristle_stiffness", kPerLength, 1e5,
                                      "sigma: force over normal force and deflection"}},
     .unconfirmed = "recollected, with exponent 1; scaled by the normal force here, as contact needs",
     .weakness = "no damping in the bristles: a stuck body rings; no difference between rest and sliding",
     .bristles =
         [](const FrictionLaw& l, double) {
           return Bristles{l.parameter[0], 0, 0, l.coefficient};
         }},
    {.key = "lugre",
     .title = "LuGre, Canudas de Wit et al. 1995",
     .source = "IEEE Trans. Autom. Control 40 (1995) 419",
     .formula = "F_n (s0 z + s1 exp(-(v/v_s)^2) z' + s2 v), z' = v - s0 |v| z/(mu + (mu_s - mu) exp(-(v/v_s)^2))",
     .memory = FrictionMemory::bristles,
     .holds = true,
     .uses_static = true,
     .parameters = {FrictionParameter{"bristle_stiffness", kPerLength, 1e5,
                                      "s0: force over normal force and deflection"},
                    FrictionParameter{"bristle_damping", kPerSpeed, 100, "s1, fading with speed to stay passive"},
                    FrictionParameter{"viscous", kPerSpeed, 0, "s2"}, kStribeckSpeed},
     .weakness = "drifts under a load that oscillates",
     .bristles =
         [](const FrictionLaw& l, double v) {
           const double x = v / l.parameter[3], fade = std::exp(-x * x);
           return Bristles{l.parameter[0], l.parameter[1] * fade, l.parameter[2], falling(l, fade)};
         }},
    {.key = "mindlin",
     .title = "Mindlin: tangential spring of the contact, with slip",
     .source =
         "stiffness: Mindlin and Deresiewicz, J. Appl. Mech. 20 (1953) 327; in increments, rescaled on unloading: "
         "as mindlin_rescale/force of LAMMPS",
     .formula =
         "T' = k_t v where the normal contact grows, T' = k_t v + T k_t'/k_t where it shrinks, |T| <= mu F_n; "
         "k_t = 8 G* a = ratio dF/d(indentation)",
     .memory = FrictionMemory::contact_spring,
     .holds = true,
     .parameters = {FrictionParameter{"ratio", d::number, std::nullopt,
                                      "k_t over the normal stiffness; from the materials 4 G*/E*", mindlin_ratio}},
     .unconfirmed =
         "stiffness and rescaling are confirmed in public codes; that they follow Thornton, Cummins and Cleary, "
         "Powder Technol. 233 (2013) 30, is recollected",
     .weakness = "gross slip only: the annulus of partial slip is not resolved; no damping: a body that sticks "
                 "rings on its spring (lugre brings it to rest)"},
};

constexpr ResistanceRow kResistances[] = {
    {"rolling", "rolling resistance",
     "torque mu_r R F_n tanh(w R/v_t) against the part of the spin along the surface",
     "in general use; the coefficient is of the effective radius R"},
    {"spinning", "spinning resistance",
     "torque mu_s R F_n tanh(w R/v_t) against the part of the spin about the normal",
     "in general use; the coefficient is of the effective radius R"},
};

}  // namespace

std::span<const FrictionRow> friction_rows() { return kFrictionRows; }
std::span<const ResistanceRow> resistance_rows() { return kResistances; }

const FrictionRow* find_friction(std::string_view key) {
  for (const FrictionRow& row : kFrictionRows)
    if (row.key == key) return &row;
  return nullptr;
}

const FrictionRow& default_friction() { return *find_friction(kDefaultFriction); }

namespace {

/// s0 |v|/level, with |v| (1 - exp(-(v/still)^2)) in the place of |v|.
/// Why: near its limit a bristle yields to slip forwards and not to slip backwards, s0 |v| z/level = 0.99 |v|, say.
/// At rest |v| is an error of integration, of either sign, and an implicit step, which needs a slope of the force,
/// finds two that differ by a factor of a hundred. Weakness: slip slower than `still` deflects the bristles without
/// end, so that creep below that speed is not seen.
double relaxation(const Bristles& b, double speed, double still) {
  constexpr double kFar = 6;  // exp(-36) is rounding
  const double share = speed < kFar * still ? -std::expm1(-(speed / still) * (speed / still)) : 1.0;
  return b.s0 * speed * share / std::max(b.level, 1e-9);
}

}  // namespace

Vec3 friction_force_N(const FrictionLaw& law, const Sliding& now) {
  if (!law.row || !(now.normal_N > 0)) return {};
  const double speed = norm(now.slip_mps);
  switch (law.row->memory) {
    case FrictionMemory::none: {
      if (!(speed > 0)) return {};
      return (-law.row->force_N(law, now.normal_N, speed) / speed) * now.slip_mps;
    }
    case FrictionMemory::bristles: {
      const Bristles b = law.row->bristles(law, speed);
      if (!(law.static_coefficient > 0)) return -now.normal_N * b.s2 * now.slip_mps;
      const Vec3 rate = now.slip_mps - relaxation(b, speed, now.still_mps) * now.memory_m;
      return -now.normal_N * (b.s0 * now.memory_m + b.s1 * rate + b.s2 * now.slip_mps);
    }
    case FrictionMemory::contact_spring: {
      if (!now.slipping) return (-law.parameter[0] * now.stiffness_Npm) * now.memory_m;
      const double size = norm(now.memory_m);
      const Vec3 along = size > 0 ? now.memory_m / size : speed > 0 ? now.slip_mps / speed : Vec3{};
      return (-law.coefficient * now.normal_N) * along;
    }
  }
  return {};
}

/// The contact spring: as the contact grows, new area joins without load (T' = k_t v, so that x' = v - x k_t'/k_t);
/// as it shrinks, area leaves with its load (x' = v). In slip |x| follows its limit mu F_n/k_t.
Vec3 memory_rate_mps(const FrictionLaw& law, const Sliding& now, const SlidingRates& rates) {
  const double speed = norm(now.slip_mps);
  if (law.row->memory == FrictionMemory::bristles) {
    if (!(law.static_coefficient > 0)) return {};
    return now.slip_mps - relaxation(law.row->bristles(law, speed), speed, now.still_mps) * now.memory_m;
  }
  const double k = law.parameter[0] * now.stiffness_Npm, x = norm(now.memory_m);
  if (!(k > 0) ||
      !(now.normal_N > 0)) {  // first touch: x grows as t, with k_t'/k_t = (n - 1)/t, and so does its limit
    const double limit_rate = law.coefficient * std::max(rates.depth_mps, 0.0) / law.parameter[0];
    return (speed > limit_rate ? limit_rate / speed : 1.0) / rates.start_exponent * now.slip_mps;
  }
  const double growth = law.parameter[0] * rates.stiffness_Npmps / k;
  const Vec3 rate = now.slip_mps - std::max(growth, 0.0) * now.memory_m;
  if (!now.slipping || !(x > 0)) return rate;
  const Vec3 outwards = now.memory_m / x;
  const double limit_rate = law.coefficient * (rates.normal_Nps - now.normal_N * growth) / k;
  // the direction follows the slip within the deflection; of one that vanishes (at touch and release) it stays
  const Vec3 aside = rate - dot(rate, outwards) * outwards;
  return limit_rate * outwards + (x / (x + 0.01 * rates.scale_m)) * aside;
}

double slip_limit_m(const FrictionLaw& law, double normal_N, double stiffness_Npm) {
  const double k = law.parameter[0] * stiffness_Npm;
  return k > 0 && normal_N > 0 ? law.coefficient * normal_N / k : 0;
}

double stored_in_memory_J(const FrictionLaw& law, double normal_N, double stiffness_Npm, const Vec3& memory_m) {
  if (!law.remembers()) return 0;
  const bool bristles = law.row->memory == FrictionMemory::bristles;
  return law.parameter[0] * (bristles ? normal_N : stiffness_Npm) * dot(memory_m, memory_m) / 2;
}

Vec3 resisting_torque_Nm(const FrictionLaw& law, double normal_N, const Vec3& n, const Vec3& spin_radps) {
  if (law.rolling_m == 0 && law.spinning_m == 0) return {};
  const double about = dot(spin_radps, n), R = std::max(law.radius_m, 1e-12);
  const Vec3 along = spin_radps - about * n;
  const double rolling = norm(along);
  Vec3 torque = (-law.spinning_m * normal_N * std::tanh(about * R / kSlipSpeed_mps)) * n;
  if (rolling > 0) torque -= (law.rolling_m * normal_N * std::tanh(rolling * R / kSlipSpeed_mps) / rolling) * along;
  return torque;
}

double memory_scale_m(const FrictionLaw& law, double depth_m) {
  if (law.row->memory == FrictionMemory::bristles) return std::max(law.coefficient, 1e-3) / law.parameter[0];
  return std::max(law.coefficient, 1e-3) * depth_m;
}

double mindlin_ratio(const MaterialPair& m) {
  const auto shear_compliance = [](double young, double poisson) {
    return (2 - poisson) * 2 * (1 + poisson) / young;
  };
  return 4 / (shear_compliance(m.young_i_Pa, m.poisson_i) + shear_compliance(m.young_j_Pa, m.poisson_j)) /
         effective_modulus_Pa(m.young_i_Pa, m.poisson_i, m.young_j_Pa, m.poisson_j);
}

}  // namespace percuss::contact
