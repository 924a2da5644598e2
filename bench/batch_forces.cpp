// (a) Forces of contacts in one batch against the loop that people write: one contact at a time, std::pow for the
// powers.
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "benches.h"
#include "percuss/contact/specification.h"
#include "timing.h"

namespace percuss::bench {

using namespace contact;

namespace {

/// The arrays are padded by different amounts: at equal distances modulo 4096 a store would look like a later load
/// to the processor.
struct Contacts {
  std::size_t count;
  std::vector<double> depth_m, rate_mps, deepest_m, out_N;
  explicit Contacts(std::size_t n)
      : count(n), depth_m(n + 72), rate_mps(n + 136), deepest_m(n + 200), out_N(n + 8) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> depth(0, 1e-5), rate(-0.3, 0.3);
    for (std::size_t i = 0; i < count; ++i) {
      depth_m[i] = depth(random);
      rate_mps[i] = rate(random);
      deepest_m[i] =
          depth_m[i] * (1 + 3e4 * depth(random));  // laws with a memory are on their unloading curve, in contact
    }
  }
  std::span<const double> depths() const { return {depth_m.data(), count}; }
  std::span<const double> rates() const { return {rate_mps.data(), count}; }
  std::span<const double> deepest() const { return {deepest_m.data(), count}; }
  std::span<double> out() { return {out_N.data(), count}; }
};

/// The formulas as they stand in papers, with std::pow; a second, independent writing of every shape, whose results
/// the batch must reproduce.
struct Naive {
  double stiffness, exponent;
  Shape<> shape;
  double lowest_N;

  double elastic(double x) const { return stiffness * std::pow(x, exponent); }
  double operator()(const Scaled<>& s, double x, double v, double) const {
    return elastic(x) * (1 + s.gain_s_per_m * v);
  }
  double operator()(const Added<>& s, double x, double v, double) const {
    return elastic(x) + s.chi * std::pow(x, s.exponent) * (s.on_approach && v < 0 ? 0 : v);
  }
  double operator()(const Ramped<>& s, double x, double v, double) const {
    const double full_depth = 1 / s.per_full_depth, t = x < full_depth ? x / full_depth : 1;
    return elastic(x) + s.chi_Nspm * t * t * (3 - 2 * t) * v;
  }
  double operator()(const Plastic<>& s, double x, double v, double deepest) const {
    if (x >= deepest) return elastic(x) * (1 + s.gain_s_per_m * v);
    const double residual = deepest * (1 - 1 / s.stretch);
    if (x <= residual) return 0;
    return elastic(deepest) * std::pow((x - residual) / (deepest - residual), exponent) * (1 + s.gain_s_per_m * v);
  }
  double operator()(const Dry<>& s, double x, double v, double) const {
    return elastic(x) * (v > 0 ? s.loading_factor : v < 0 ? s.unloading_factor : 1);
  }
  double operator()(const Thornton<>& s, double x, double, double deepest) const {
    const auto loading = [&](double d) {
      return d <= s.yield_depth_m ? elastic(d) : s.yield_force_N + s.plastic_slope_Npm * (d - s.yield_depth_m);
    };
    if (x >= deepest || deepest <= s.yield_depth_m) return loading(x);
    const double peak = loading(deepest);
    const double radius =
        std::pow(s.force_to_area * (2 * peak + s.yield_force_N), 1.5) / (s.force_to_length * peak);
    const double span = std::pow(s.force_to_length * peak / std::sqrt(radius), 2.0 / 3);
    const double rest = x - (deepest - span);
    return rest > 0 ? std::sqrt(radius) / s.force_to_length * std::pow(rest, 1.5) : 0;
  }
  double operator()(const Custom<>&, double, double, double) const { return 0; }
};

void naive_loop(const Naive& naive, Contacts& c) {
  std::visit(
      [&](const auto& shape) {
        for (std::size_t i = 0; i < c.count; ++i) {
          const double x = c.depth_m[i];
          const double force = x > 0 ? naive(shape, x, c.rate_mps[i], c.deepest_m[i]) : 0;
          c.out_N[i] = force < naive.lowest_N ? naive.lowest_N : force;
        }
      },
      naive.shape);
}

/// One row of the table with constants of a plausible size.
LawSpec law_of(const DissipationRow& row) {
  LawRequest r;
  r.law = row.key;
  r.stiffness = 5.5e9;
  if (row.restitution != RestitutionUse::none) r.restitution = 0.6;
  if (row.restitution != RestitutionUse::instead_of_parameters)
    for (const Parameter& p : row.parameters) {
      const bool is_share = p.name == "plastic_share", is_depth = p.name == "full_damping_indentation",
                 is_time = p.name == "relaxation_time";
      r.parameters.emplace_back(p.name, is_share ? 0.5 : is_depth || is_time ? 1e-5 : 100.0);
    }
  if (row.key == "thornton") {
    r.stiffness.reset();
    r.parameters = {{"yield_pressure", 5e8}, {"effective_modulus", 4e10}, {"effective_radius", 0.0106}};
  }
  return *specify(r);
}

bool has_quarter_exponents(const Law& law) {
  const auto* added = std::get_if<Added<>>(&law.shape);
  return !added || added->exponent == 0 || added->exponent == 0.25 || added->exponent == 0.5;
}

double worst_difference(const Contacts& a, const Contacts& b) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < a.count; ++i) {
    worst = std::max(worst, std::abs(a.out_N[i] - b.out_N[i]));
    largest = std::max(largest, std::abs(b.out_N[i]));
  }
  return worst / largest;
}

}  // namespace

bool batch_forces(bool quick) {
  std::printf(
      "(a) forces in a batch against the scalar loop with std::pow, one core; bars 15x at 4096, 8x at 1000000 "
      "contacts\n");
  std::printf("    %-28s %9s %9s %9s %9s %9s   %s\n", "law", "4096", "1000000", "2 cores", "ns each", "of copy",
              "largest difference");
  bool met = true;
  for (const DissipationRow& row : dissipation_rows()) {
    const LawSpec spec = law_of(row);
    const Law law = latch(spec, 0.046, 0.3);
    const Naive naive{spec.stiffness, spec.exponent, law.shape, lowest_force_N(law.pulls())};
    const bool remembers = has_memory(law);
    double ratio[2] = {}, two_cores = 0, each_ns = 0, of_copy = 0, difference = 0;
    for (const std::size_t size : {std::size_t{4096}, std::size_t{1'000'000}}) {
      Contacts batch(size), loop(size);
      const auto run = [&](unsigned threads) {
        forces_N(law, batch.depths(), batch.rates(), remembers ? batch.deepest() : std::span<const double>{},
                 batch.out(), threads);
      };
      const auto copy = [&] {  // the same traffic without arithmetic
        for (std::size_t i = 0; i < size; ++i) loop.out_N[i] = batch.depth_m[i] + batch.rate_mps[i];
        benchmark::DoNotOptimize(loop.out_N.data());
      };
      const auto t = best_times_s({[&] { naive_loop(naive, loop); }, [&] { run(1); }, [&] { run(2); }, copy},
                                  quick ? 0.05 : 0.25);
      naive_loop(naive, loop);
      run(1);
      difference = std::max(difference, worst_difference(batch, loop));
      ratio[size == 4096 ? 0 : 1] = t[0] / t[1];
      if (size > 4096) {
        two_cores = t[0] / t[2];
        each_ns = t[1] / static_cast<double>(size) * 1e9;
        of_copy = t[3] / t[1];
      }
    }
    const bool barred = has_quarter_exponents(law);
    const bool ok = !barred || (ratio[0] >= 15 && ratio[1] >= 8);
    met = met && ok && difference < 1e-12;
    std::printf("    %-28s %8.1fx %8.1fx %8.1fx %9.2f %8.0f%%   %.1e%s\n", std::string(row.key).c_str(), ratio[0],
                ratio[1], two_cores, each_ns, 100 * of_copy, difference,
                !barred ? "   (no bar)"
                : ok    ? ""
                        : "   MISSED");
  }
  std::printf("    \"of copy\": time of a loop with the same memory traffic and one sum, over the batch's\n\n");
  return met;
}

}  // namespace percuss::bench
