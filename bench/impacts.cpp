// (b) impacts in closed form, (c) the integrated path.
#include "percuss/impact/impact.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "benches.h"
#include "percuss/impact/batch.h"
#include "timing.h"

namespace percuss::bench {

using namespace contact;

namespace {

bool closed_form_batches() {
  const std::size_t count = 1'000'000;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> c(0.02, 1), decade(0, 1);
  std::vector<double> wanted(count), k(count), m(count), v(count), e(count), d(count), f(count);
  for (std::size_t i = 0; i < count; ++i) {
    wanted[i] = c(random);
    k[i] = std::pow(10, 6 + 5 * decade(random));
    m[i] = std::pow(10, -3 + 4 * decade(random));
    v[i] = std::pow(10, -3 + 4 * decade(random));
  }
  std::printf(
      "(b) restitution, depth and force of 1000000 impacts of mixed c, K, m, v0, n = 1.5; bar 2.0 million/s on one "
      "core\n");
  std::printf("    %-28s %14s %14s\n", "law", "million/s", "2 cores");
  bool met = true;
  for (const DissipationRow& row : dissipation_rows()) {
    if (row.family != Family::scaled || row.restitution != RestitutionUse::needed) continue;
    const auto run = [&](unsigned threads) {
      impact::collide_batch(row, Calibration::published, 1.5, {wanted, k, m, v}, {e, d, f}, threads);
    };
    const auto t = best_times_s({[&] { run(1); }, [&] { run(2); }}, 0.4);
    const double rate = static_cast<double>(count) / t[0] * 1e-6;
    met = met && rate > 2;
    std::printf("    %-28s %14.2f %14.2f%s\n", std::string(row.key).c_str(), rate,
                static_cast<double>(count) / t[1] * 1e-6, rate > 2 ? "" : "   MISSED");
  }
  return met;
}

impact::Collision collision_of(const char* law, double restitution,
                               const std::vector<std::pair<std::string, double>>& parameters = {}) {
  LawRequest r;
  r.law = law;
  r.stiffness = 5.5e9;
  if (restitution > 0) r.restitution = restitution;
  r.parameters = parameters;
  return {latch(*specify(r), 0.046, 0.3), 0.046, 0.3};
}

bool single_impacts() {
  std::printf("\n    one impact, everything (restitution, depth, force, times of both, duration, energies)\n");
  const auto closed = collision_of("flores", 0.6);
  const auto t = best_times_s({[&] {
    for (int i = 0; i < 100; ++i) benchmark::DoNotOptimize(impact::collide(closed));
  }});
  std::printf("    %-28s %14.2f us, of which durations are almost all\n", "flores, closed form", t[0] * 1e4);

  std::printf("\n(c) one impact by integration, error of the restitution below 1e-9; bar 25 us\n");
  std::printf("    %-28s %10s %14s %14s\n", "law", "us", "evaluations", "error");
  bool met = true;
  const std::vector<std::pair<const char*, impact::Collision>> cases = {
      {"none", collision_of("none", 0)},
      {"flores", collision_of("flores", 0.6)},
      {"tsuji", collision_of("tsuji", 0.6)},
      {"kelvin-voigt", collision_of("kelvin-voigt", 0.6)},
      {"mixed", collision_of("mixed", 0.6, {{"plastic_share", 0.5}})},
      {"kuwabara-kono", collision_of("kuwabara-kono", 0, {{"relaxation_time", 1e-5}})},
      {"ristow", collision_of("ristow", 0, {{"damping", 1500}})},
      {"bordbar-hyppanen", collision_of("bordbar-hyppanen", 0, {{"damping", 1e6}})},
      {"adams-impact",
       collision_of("adams-impact", 0, {{"max_damping", 1500}, {"full_damping_indentation", 1e-5}})}};
  for (const auto& [name, collision] : cases) {
    constexpr double kTolerance = 1e-9;
    const auto reference = impact::has_closed_form(collision.law) ? impact::collide(collision)
                                                                  : impact::collide_integrated(collision, 1e-14);
    const auto outcome = impact::collide_integrated(collision, kTolerance);
    const double error = std::abs(outcome->restitution - reference->restitution);
    const auto time = best_times_s({[&c = collision] {
      for (int i = 0; i < 100; ++i) benchmark::DoNotOptimize(impact::collide_integrated(c, kTolerance));
    }});
    const bool ok = time[0] * 1e4 < 25 && error < 1e-9;
    met = met && ok;
    std::printf("    %-28s %10.2f %14ld %14.1e%s\n", name, time[0] * 1e4, outcome->evaluations, error,
                ok ? "" : "   MISSED");
  }
  return met;
}

}  // namespace

bool impacts() {
  const bool batches = closed_form_batches();
  return single_impacts() && batches;
}

}  // namespace percuss::bench
