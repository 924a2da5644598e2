// Every dissipation law, one row each. To add one of a known shape, add a row; CONTRIBUTING.md lists the steps.
#include <cmath>
#include <numbers>

#include "percuss/contact/rows.h"

namespace percuss::contact {

namespace {

// ---- calibrations
// ------------------------------------------------------------------------------------------------------

template <class Calibrate>
constexpr Calibrator calibrator(Calibrate calibrate) {
  return {calibrate, calibrate};
}

/// F = f(x)(1 + a x'/v0) with a(c) from the row.
template <class DampingOfRestitution>
constexpr Calibrator scaled(DampingOfRestitution) {
  return calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
    return Scaled<P>{DampingOfRestitution{}(in.restitution) / in.velocity_mps};
  });
}
constexpr Calibrator kScaledExactly = scaled([](const auto& c) { return damping_of_restitution(c); });

/// chi of F = K x^n + chi x^((n-1)/2) x' for a damping ratio z: 2 z sqrt((n+1)/2) sqrt(K m).
template <class P>
P oscillator_chi(const Latch<P>& in, const P& z, double n) {
  using std::sqrt;
  return (2 * std::sqrt((n + 1) / 2)) * z * sqrt(in.stiffness * in.mass_kg);
}
template <class P>
P ratio_for_release(const Latch<P>& in) {
  return in.release == Release::zero_indentation ? damping_ratio_to_zero_indentation(in.restitution)
                                                 : damping_ratio_to_zero_force(in.restitution);
}
/// The formula that papers print: restitution reached at zero depth, whatever the release.
constexpr Calibrator kDashpot = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  return Added<P>{oscillator_chi(in, damping_ratio_to_zero_indentation(in.restitution), 1), 0};
});
constexpr Calibrator kDashpotExactly = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  return Added<P>{oscillator_chi(in, ratio_for_release(in), 1), 0};
});
constexpr Calibrator kTsuji = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  return Added<P>{oscillator_chi(in, damping_ratio_to_zero_indentation(in.restitution), 1.5), 0.25};
});
constexpr Calibrator kTsujiExactly = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  return Added<P>{oscillator_chi(in, ratio_for_release(in), 1.5), 0.25};
});

/// xi = (9 sqrt5/2)(1 - c^2)/(c [c (9 pi - 16) + 16]), chi = 2 xi sqrt(K m).
constexpr Calibrator kJankowski = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  using std::sqrt;
  const P& c = in.restitution;
  const P xi = (4.5 * std::sqrt(5.0)) * (1.0 - c * c) / (c * (c * (9 * std::numbers::pi - 16) + 16.0));
  return Added<P>{2.0 * xi * sqrt(in.stiffness * in.mass_kg), 0.25, true};
});
constexpr Calibrator kJankowskiExactly = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  return Added<P>{oscillator_chi(in, P(damping_ratio_on_approach(in.restitution)), 1.5), 0.25, true};
});

constexpr Calibrator kPlastic = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  return Plastic<P>{1.0 / (in.restitution * in.restitution), P(0.0)};
});
constexpr Calibrator kDry = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  const P c2 = in.restitution * in.restitution;
  return Dry<P>{2.0 / (1.0 + c2), 2.0 * c2 / (1.0 + c2)};
});
constexpr Calibrator kMixed = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  const auto mixed = mixed_damping(in.restitution, in.parameter[0]);
  return Plastic<P>{1.0 / mixed.recovered_ratio, mixed.damping / in.velocity_mps};
});

/// delta_y = (pi p_y/(2E*))^2 R, F_y = K delta_y^(3/2), slope pi p_y R.
constexpr Calibrator kThornton = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
  using std::sqrt;
  const P& yield_pressure = in.parameter[0];
  const P& modulus = in.parameter[1];
  const P& radius = in.parameter[2];
  const P ratio = std::numbers::pi * yield_pressure / (2.0 * modulus);
  const P yield_depth = ratio * ratio * radius;
  const P yield_force = in.stiffness * power_of_quarters<6>(yield_depth);
  return Thornton<P>{yield_depth, yield_force, std::numbers::pi * yield_pressure * radius, 0.75 / modulus,
                     1.0 / (2 * std::numbers::pi * yield_pressure)};
});

// ---- constants that rows ask for
// -----------------------------------------------------------------------------------------

constexpr Parameter kDamping[] = {{"damping", dimension::damping(0), 0, 1e300, "dashpot coefficient D", true}};
constexpr Parameter kRistow[] = {
    {"damping", dimension::damping(0), 0, 1e300, "dashpot coefficient chi, empirical", true}};
constexpr Parameter kRate[] = {{"damping_rate",
                                {0, 0, -1},
                                0,
                                1e300,
                                "gamma, empirical; the dashpot is gamma times the effective mass",
                                true}};
constexpr Parameter kAlpha[] = {{"alpha",
                                 {-1, 0, 1},
                                 0,
                                 1e300,
                                 "material constant; restitution is about 1 - alpha v0 for small alpha v0",
                                 true}};
constexpr Parameter kRelaxation[] = {
    {"relaxation_time", dimension::time, 0, 1e300, "A of the viscoelastic sphere", true}};
constexpr Parameter kTsujiAlpha[] = {{"alpha", dimension::number, 0, 1e300, "damping factor alpha", true}};
constexpr Parameter kBordbar[] = {{"damping", dimension::damping(0.65), 0, 1e300, "chi, empirical", true}};
constexpr Parameter kAdams[] = {
    {"max_damping", dimension::damping(0), 0, 1e300, "largest damping, c_max", true},
    {"full_damping_indentation", dimension::length, 0, 1e300, "indentation d at which damping is full"}};
constexpr Parameter kUnloading[] = {
    {"unloading_stiffness", dimension::stiffness(1), 0, 1e300, "k2, at least the loading stiffness k1"}};
constexpr Parameter kYield[] = {
    {"yield_pressure", dimension::pressure, 0, 1e300, "contact pressure p_y at first yield"},
    {"effective_modulus", dimension::pressure, 0, 1e300, "E*; follows from materials if they are given", false,
     [](const Pairing& p) { return p.modulus_Pa; }},
    {"effective_radius", dimension::length, 0, 1e300, "R; follows from the radii if they are given", false,
     [](const Pairing& p) { return p.effective_radius(); }}};
constexpr Parameter kMu[] = {
    {"mu", dimension::number, 0, 1e300, "dry coefficient; c^2 = (1 - mu)/(1 + mu), 0 from mu = 1 on", true}};
constexpr Parameter kShare[] = {
    {"plastic_share", dimension::number, 0, 1, "share of the lost energy left in the permanent indentation", true}};

constexpr std::string_view kJumpAtTouch = "the force jumps to D v0 at touch and pulls before separation";

// ---- the table
// -------------------------------------------------------------------------------------------------------------

constexpr DissipationRow kDissipationRows[] = {
    {.key = "none",
     .title = "no dissipation",
     .source = "the elastic law alone",
     .formula = "F = f(x)",
     .family = Family::elastic,
     .restitution = RestitutionUse::none,
     .claimed = "elastic contact",
     .published = calibrator([]<class P>(const Latch<P>&) -> Shape<P> { return Scaled<P>{}; })},

    {.key = "kelvin-voigt",
     .title = "Kelvin-Voigt: spring and dashpot",
     .source = "as in Flores et al., Multibody Syst. Dyn. 25 (2011) 357, eq. 4",
     .formula = "F = K x + D x';  from restitution: D = 2 z sqrt(K m), z = -ln c/sqrt(pi^2 + ln^2 c)",
     .family = Family::added,
     .restitution = RestitutionUse::instead_of_parameters,
     .parameters = kDamping,
     .fixed_exponent = 1,
     .release = Release::zero_indentation,
     .jump = Jump::at_touch,
     .claimed = "qualitative only",
     .corrected = "in multibody papers the name also stands for F = K x loading, c K x unloading, which returns "
                  "sqrt(c); here "
                  "it is the dashpot",
     .weakness = kJumpAtTouch,
     .published = kDashpot,
     .exact = kDashpotExactly,
     .direct = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
       return Added<P>{in.parameter[0], 0};
     })},

    {.key = "anagnostopoulos",
     .title = "Anagnostopoulos 1988",
     .source = "Earthq. Eng. Struct. Dyn. 16 (1988) 443",
     .formula = "F = K x + chi x', chi = 2 z sqrt(K m), z = -ln c/sqrt(pi^2 + ln^2 c)",
     .family = Family::added,
     .fixed_exponent = 1,
     .release = Release::zero_indentation,
     .jump = Jump::at_touch,
     .claimed = "pounding of structures",
     .corrected = "Alves et al. 2015, Table 1, prints chi x x'; the units of its chi, N s/m, and the restitution "
                  "ask for chi x'",
     .weakness = kJumpAtTouch,
     .published = kDashpot,
     .exact = kDashpotExactly},

    {.key = "ristow",
     .title = "Ristow 1992, Schafer, Dippel, Wolf 1996",
     .source = "J. Phys. I 6 (1996) 5",
     .formula = "F = K x^1.5 + chi x'",
     .family = Family::added,
     .restitution = RestitutionUse::none,
     .parameters = kRistow,
     .fixed_exponent = 1.5,
     .jump = Jump::at_touch,
     .claimed = "granular flow",
     .corrected = "Alves et al. 2015, Table 1, prints a damping exponent of 1; its text says linear in the rate "
                  "alone, exponent 0",
     .unconfirmed = "formula recollected from the literature; its velocity dependence (e grows with v0) tells it "
                    "from exponent 1",
     .weakness = "restitution grows with speed, contrary to experiment; the force jumps at touch",
     .published = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
       return Added<P>{in.parameter[0], 0};
     })},

    {.key = "lee-herrmann",
     .title = "Lee and Herrmann 1993",
     .source = "J. Phys. A 26 (1993) 373",
     .formula = "F = K x^1.5 + m gamma x'",
     .family = Family::added,
     .restitution = RestitutionUse::none,
     .parameters = kRate,
     .fixed_exponent = 1.5,
     .jump = Jump::at_touch,
     .claimed = "granular flow",
     .corrected = "Alves et al. 2015, Table 1, prints a damping exponent of 1; it is 0, as for ristow",
     .unconfirmed = "formula recollected from the literature; other codes use the same idea",
     .weakness = "restitution grows with speed, contrary to experiment; the force jumps at touch",
     .published = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
       return Added<P>{in.parameter[0] * in.mass_kg, 0};
     })},

    {.key = "hunt-crossley",
     .title = "Hunt and Crossley 1975, Marhefka and Orin 1999",
     .source = "J. Appl. Mech. 42 (1975) 440",
     .formula = "F = f(x)(1 + a x'/v0), a = 3(1 - c)/2",
     .claimed = "c close to 1",
     .corrected = "papers cite volume 7; it is volume 42",
     .published = scaled([](const auto& c) { return 1.5 * (1.0 - c); }),
     .exact = kScaledExactly},

    {.key = "hunt-crossley-alpha",
     .title = "Hunt and Crossley with a material constant",
     .source = "J. Appl. Mech. 42 (1975) 440; Marhefka and Orin 1999, eq. 12",
     .formula = "F = f(x)(1 + (3/2) alpha x')",
     .restitution = RestitutionUse::none,
     .parameters = kAlpha,
     .claimed = "alpha v0 much smaller than 1",
     .weakness =
         "restitution 1 - alpha v0 only to first order; the form for lasting contact, as it needs no impact speed",
     .published =
         calibrator([]<class P>(const Latch<P>& in) -> Shape<P> { return Scaled<P>{1.5 * in.parameter[0]}; })},

    {.key = "herbert-mcwhannell",
     .title = "Herbert and McWhannell 1977",
     .source = "J. Eng. Ind. 99 (1977) 513",
     .formula = "F = f(x)(1 + a x'/v0), a = 6(1 - c)/((2c - 1)^2 + 3)",
     .claimed = "c close to 1",
     .published = scaled([](const auto& c) { return 6.0 * (1.0 - c) / ((2.0 * c - 1.0) * (2.0 * c - 1.0) + 3.0); }),
     .exact = kScaledExactly},

    {.key = "lee-wang",
     .title = "Lee and Wang 1983",
     .source = "J. Mech. Transm. Autom. Des. 105 (1983) 534",
     .formula = "F = f(x)(1 + a x'/v0), a = 3(1 - c)/4",
     .claimed = "c close to 1",
     .weakness = "half the slope that c near 1 asks for: it under-damps everywhere",
     .published = scaled([](const auto& c) { return 0.75 * (1.0 - c); }),
     .exact = kScaledExactly},

    {.key = "lankarani-nikravesh",
     .title = "Lankarani and Nikravesh 1990",
     .source = "J. Mech. Des. 112 (1990) 369",
     .formula = "F = f(x)(1 + a x'/v0), a = 3(1 - c^2)/4",
     .claimed = "c close to 1",
     .weakness = "never plastic: c = 0 returns 0.66",
     .published = scaled([](const auto& c) { return 0.75 * (1.0 - c * c); }),
     .exact = kScaledExactly},

    {.key = "gonthier",
     .title = "Gonthier et al. 2004, Zhang and Sharf 2004",
     .source = "Multibody Syst. Dyn. 11 (2004) 209",
     .formula = "F = f(x)(1 + a x'/v0), a = (1 - c^2)/c",
     .claimed = "0 < c <= 1",
     .corrected = "the paper's exact root is the key exact; Table 4 of Alves et al. 2015 was computed with this "
                  "approximation",
     .weakness = "a third over-damped near c = 1",
     .published = scaled([](const auto& c) { return (1.0 - c * c) / c; }),
     .exact = kScaledExactly},

    {.key = "zhiying-qishao",
     .title = "Zhiying and Qishao 2006",
     .source = "J. Dyn. Control 4 (2006) 294",
     .formula = "F = f(x)(1 + a x'/v0), a = (3/4)(1 - c^2) exp(2(1 - c))",
     .claimed = "0 <= c <= 1",
     .unconfirmed = "journal data recollected; the formula is confirmed by Table 4 of Alves et al. 2015",
     .published = scaled([](const auto& c) {
       using std::exp;
       return 0.75 * (1.0 - c * c) * exp(2.0 * (1.0 - c));
     }),
     .exact = kScaledExactly},

    {.key = "flores",
     .title = "Flores et al. 2011",
     .source = "Multibody Syst. Dyn. 25 (2011) 357, eq. 43-44",
     .formula = "F = f(x)(1 + a x'/v0), a = 8(1 - c)/(5c)",
     .claimed = "0 < c <= 1",
     .corrected =
         "the energy balance of eq. 40 is printed with (1 - c); only (1 + c) gives eq. 43, which stands here",
     .weakness = "returns up to 0.045 less than asked",
     .published = scaled([](const auto& c) { return 1.6 * (1.0 - c) / c; }),
     .exact = kScaledExactly},

    {.key = "gharib-hurmuzlu",
     .title = "Gharib and Hurmuzlu 2012",
     .source = "J. Appl. Mech. 79 (2012) 064506",
     .formula = "F = f(x)(1 + a x'/v0), a = 1/c",
     .elastic_at_one = false,
     .claimed = "small c",
     .weakness = "does not become elastic at c = 1, where it returns 0.594",
     .published = scaled([](const auto& c) { return 1.0 / c; }),
     .exact = kScaledExactly},

    {.key = "kuwabara-kono",
     .title = "Kuwabara and Kono 1987, Brilliantov et al. 1996",
     .source = "Jpn. J. Appl. Phys. 26 (1987) 1230; Phys. Rev. E 53 (1996) 5382",
     .formula = "F = K (x^1.5 + (3/2) A sqrt(x) x')",
     .family = Family::added,
     .restitution = RestitutionUse::none,
     .parameters = kRelaxation,
     .fixed_exponent = 1.5,
     .claimed = "viscoelastic spheres; restitution falls with v0^(1/5)",
     .corrected = "some codes leave out the 3/2, so that their A is 3/2 of this one; Alves et al. 2015, Table 1, "
                  "is unreadable here",
     .unconfirmed = "A of the materials recollected, so A is given; the series in v0^(1/5) supports the structure",
     .weakness = "would pull before separation; contact ends where the force does",
     .published = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
       return Added<P>{1.5 * in.parameter[0] * in.stiffness, 0.5};
     })},

    {.key = "tsuji",
     .title = "Tsuji, Tanaka, Ishida 1992",
     .source = "Powder Technol. 71 (1992) 239",
     .formula = "F = K x^1.5 + alpha sqrt(m K) x^(1/4) x', alpha = -sqrt(5) ln c/sqrt(pi^2 + ln^2 c)",
     .family = Family::added,
     .restitution = RestitutionUse::instead_of_parameters,
     .parameters = kTsujiAlpha,
     .fixed_exponent = 1.5,
     .release = Release::zero_indentation,
     .claimed = "0 < c <= 1, any speed",
     .corrected =
         "alpha(c) holds for contact that ends at zero indentation; clamped at zero force, as many codes do, "
         "0.5 returns 0.55",
     .unconfirmed = "alpha(c) recollected (Antypov and Elliott 2011); the map to a linear oscillator proves it",
     .weakness = "pulls before separation; the slope in x is singular at touch",
     .published = kTsuji,
     .exact = kTsujiExactly,
     .direct = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
       using std::sqrt;
       return Added<P>{in.parameter[0] * sqrt(in.stiffness * in.mass_kg), 0.25};
     })},

    {.key = "jankowski",
     .title = "Jankowski 2005, 2006",
     .source = "Earthq. Eng. Struct. Dyn. 34 (2005) 595; 35 (2006) 517",
     .formula = "F = K x^1.5 + 2 xi sqrt(m K sqrt(x)) x' approaching, K x^1.5 leaving; "
                "xi = (9 sqrt(5)/2)(1 - c^2)/(c (c (9 pi - 16) + 16))",
     .family = Family::added,
     .fixed_exponent = 1.5,
     .claimed = "0 < c <= 1",
     .corrected =
         "Alves et al. 2015, Table 1, prints a damping exponent of 1; sqrt(K sqrt(x) m) makes it 1/4. The force is "
         "continuous: only its slope jumps at maximum compression",
     .weakness = "returns up to 0.009 less than asked",
     .published = kJankowski,
     .exact = kJankowskiExactly},

    {.key = "bordbar-hyppanen",
     .title = "Bordbar and Hyppanen 2007",
     .source = "as in Alves et al., Nonlinear Dyn. (2015), Table 1",
     .formula = "F = K x^1.5 + chi x^0.65 x'",
     .family = Family::added,
     .restitution = RestitutionUse::none,
     .parameters = kBordbar,
     .fixed_exponent = 1.5,
     .claimed = "granular flow",
     .weakness =
         "chi is empirical, in N s/m^1.65; would pull before separation, so contact ends where the force does",
     .published = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
       return Added<P>{in.parameter[0], 0.65};
     })},

    {.key = "hu-guo",
     .title = "Hu and Guo 2015",
     .source = "Multibody Syst. Dyn. 35 (2015) 131",
     .formula = "F = f(x)(1 + a x'/v0), a = 3(1 - c)/(2c)",
     .claimed = "0 < c <= 1",
     .unconfirmed = "formula recollected; it has the right limit at c = 1, and the accuracy it is known for",
     .published = scaled([](const auto& c) { return 1.5 * (1.0 - c) / c; }),
     .exact = kScaledExactly},

    {.key = "carvalho-martins",
     .title = "Carvalho and Martins 2019",
     .source = "Mech. Mach. Theory 139 (2019) 174",
     .formula = "F = f(x)(1 + a x'/v0), a = (3/2)(1 - c)(11 - c)/(1 + 9c)",
     .claimed = "c > 1/3 (Exudyn changes to gonthier below)",
     .published = scaled([](const auto& c) { return 1.5 * (1.0 - c) * (11.0 - c) / (1.0 + 9.0 * c); }),
     .exact = kScaledExactly},

    {.key = "exact",
     .title = "the exact scaled law",
     .source =
         "docs/theory/restitution.md, eq. 1; Gonthier et al. 2004 and Carvalho and Martins 2019 give the same root",
     .formula = "F = f(x)(1 + a x'/v0), a(1 + c) = ln((1 + a)/(1 - a c))",
     .claimed = "0 < c <= 1: returns what is asked",
     .published = kScaledExactly,
     .exact = kScaledExactly},

    {.key = "adams-impact",
     .title = "IMPACT of ADAMS and MotionSolve",
     .source = "function reference of the programs",
     .formula = "F = max(0, K x^n + c_max step(x; 0, 0, d, 1) x')",
     .family = Family::added,
     .restitution = RestitutionUse::none,
     .parameters = kAdams,
     .needs_power_law = true,
     .claimed = "industrial practice; restitution is not prescribed",
     .unconfirmed = "formula recollected; the parameters are documented",
     .weakness = "restitution depends on everything",
     .published = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
       return Ramped<P>{in.parameter[0], 1.0 / in.parameter[1]};
     })},

    {.key = "lankarani-nikravesh-plastic",
     .title = "Lankarani and Nikravesh 1994, permanent indentation",
     .source = "Nonlinear Dyn. 5 (1994) 193; as in Alaci et al., eq. 6-7",
     .formula = "loading f(x); unloading f(x_m (x - x_p)/(x_m - x_p)), x_p = x_m (1 - c^2)",
     .family = Family::plastic,
     .claimed = "plastic impact, moderate speed",
     .corrected = "x_m and F_m come from the history, not from v0; reloading runs back along the unloading curve",
     .weakness = "unloading becomes infinitely steep as c tends to 0",
     .published = kPlastic,
     .exact = kPlastic},

    {.key = "walton-braun",
     .title = "Walton and Braun 1986",
     .source = "J. Rheol. 30 (1986) 949",
     .formula = "loading k1 x; unloading k2 (x - x_p), x_p = x_m (1 - k1/k2); c = sqrt(k1/k2)",
     .family = Family::plastic,
     .restitution = RestitutionUse::instead_of_parameters,
     .parameters = kUnloading,
     .fixed_exponent = 1,
     .claimed = "constant restitution; the lines of the bi-stiffness of Liu, Zhao and Brogliato for one point",
     .unconfirmed = "journal data recollected; the law is proved by its energies",
     .published = kPlastic,
     .exact = kPlastic,
     .direct = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
       return Plastic<P>{in.parameter[0] / in.stiffness, P(0.0)};
     })},

    {.key = "thornton",
     .title = "Thornton 1997, elastic - perfectly plastic spheres",
     .source = "J. Appl. Mech. 64 (1997) 383",
     .formula =
         "Hertz to x_y = (pi p_y/(2E*))^2 R; then F_y + pi p_y R (x - x_y); unloading Hertz with the flattened R_p",
     .family = Family::plastic,
     .restitution = RestitutionUse::none,
     .parameters = kYield,
     .pairing_of =
         [](const std::array<double, 3>& p) {
           return Pairing{p[1], p[2], std::numeric_limits<double>::infinity(), 0};
         },
     .fixed_exponent = 1.5,
     .claimed = "v above the yield speed; restitution falls as v^(-1/4)",
     .weakness = "the contact pressure is capped at p_y: no hardening",
     .published = kThornton},

    {.key = "bistiffness",
     .title = "Batlle's bistiffness, dry friction in parallel",
     .source = "Int. J. Impact Eng. 25 (2001) 615; Barjau et al., eq. 1-2",
     .formula = "F = f(x)(1 + mu sgn x'), c^2 = (1 - mu)/(1 + mu); from mu = 1 on no expansion",
     .family = Family::dry,
     .restitution = RestitutionUse::instead_of_parameters,
     .parameters = kMu,
     .jump = Jump::at_turn,
     .claimed = "0 <= c <= 1, any speed",
     .corrected =
         "not the bi-stiffness of Liu, Zhao and Brogliato (Proc. R. Soc. A 464 (2008) 3193), which unloads on a "
         "stiffer line without a jump of the force: that is walton-braun",
     .weakness = "the force jumps at maximum compression; at rest any force in a band is in balance",
     .published = kDry,
     .exact = kDry,
     .direct = calibrator([]<class P>(const Latch<P>& in) -> Shape<P> {
       return Dry<P>{1.0 + in.parameter[0], max_of(P(1.0 - in.parameter[0]), P(0.0))};
     })},

    {.key = "mixed",
     .title = "internal damping and plasticity together",
     .source = "docs/theory/mixed.md; the model that Alaci et al. ask for",
     .formula = "loading f(x)(1 + a x'/v0); unloading f(x_m (x - x_p)/(x_m - x_p))(1 + a x'/v0), x_p = p x_m; "
                "G-(a, c) = (1 - p) G+(a)",
     .family = Family::mixed,
     .parameters = kShare,
     .claimed = "0 <= c <= 1 (c = 0 with a plastic share above 0): returns what is asked",
     .published = kMixed,
     .exact = kMixed},
};

constexpr Alias kAliases[] = {
    {"marhefka-orin", "hunt-crossley", "Marhefka and Orin 1999 use Hunt and Crossley's law"},
    {"zhang-sharf", "gonthier", "Zhang and Sharf 2004 have the same law"},
    {"brilliantov", "kuwabara-kono", "Brilliantov et al. 1996 have the same law"},
    {"schafer", "ristow", "Schafer, Dippel and Wolf 1996 have the same law"},
    {"schwager-poschel", "bordbar-hyppanen", "Schwager and Poschel 1998 have the same law"},
};

}  // namespace

std::span<const DissipationRow> dissipation_rows() { return kDissipationRows; }
std::span<const Alias> aliases() { return kAliases; }

std::string_view name_of(Family family) {
  switch (family) {
    case Family::elastic: return "elastic";
    case Family::scaled: return "scaled";
    case Family::added: return "added";
    case Family::plastic: return "plastic";
    case Family::dry: return "dry";
    case Family::mixed: return "mixed";
  }
  return "";
}

}  // namespace percuss::contact
