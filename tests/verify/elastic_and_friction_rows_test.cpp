// Every row of the elastic and of the friction table against its formula, typed here a second time from the
// literature.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "percuss/contact/friction.h"
#include "percuss/contact/rows.h"

namespace percuss::contact {

inline void PrintTo(const ElasticRow& row, std::ostream* out) { *out << row.key; }
inline void PrintTo(const FrictionRow& row, std::ostream* out) { *out << row.key; }

}  // namespace percuss::contact

namespace percuss::tests {
namespace {

using namespace contact;
using std::exp;
using std::log;
using std::pow;
using std::sqrt;
using std::tanh;
using std::numbers::pi;

template <class Param>
std::string name_of_test(const Param& info) {
  std::string name(info.param.key);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

// ---- elastic laws

constexpr double kModulus = 1.1e11, kRadiusI = 0.0095, kRadiusJ = -0.01, kLength = 0.015;  // a journal in its bore
constexpr double kStiffness = 3e9, kFreeExponent = 1.3;
constexpr double kClearance = 0.0005, kRadius = kRadiusI * 0.01 / kClearance;

/// A power law is typed as a force, a law of line contact as the depth of a load per length.
struct ElasticEntry {
  std::string key;
  std::function<double(double depth_m)> force_N = nullptr;
  std::function<double(double load_Npm)> depth_m = nullptr;
};
/// One entry a row of src/contact/elastic_table.cpp. Type the formula from the source, not from the table.
std::vector<ElasticEntry> elastic_entries() {
  const auto powered = [](double n) { return [n](double x) { return kStiffness * pow(x, n); }; };
  const auto per_load = [](double p) { return p / (pi * kModulus); };
  return {{"hertz", powered(3.0 / 2)},
          {"hooke", powered(1)},
          {"power", powered(kFreeExponent)},
          {"brandlein", powered(1.08)},  // Alaci et al., eq. 5
          {"johnson", nullptr,           // Johnson 1985
           [=](double p) { return per_load(p) * (log(4 * pi * kModulus * kClearance / p) - 1); }},
          {"goldsmith", nullptr,  // with q = 3; Dubowsky and Freudenstein 1971: L^3 dR/(F R_i R_j s), s = 1/(pi E*)
           [=](double p) {
             return per_load(p) * (log(pow(kLength, 3) / (p * kLength * kRadius / (pi * kModulus))) + 1);
           }},
          {"esdu-78035", nullptr,
           [=](double p) { return per_load(p) * (log(4 * pi * kModulus * kClearance / p) + 1); }},
          {"liu", [](double x) {  // Liu et al. 2007
             return pi / 2 * kLength * kModulus * x * sqrt(x / (2 * (kClearance + x)));
           }}};
}

class EveryElasticRow : public ::testing::TestWithParam<ElasticRow> {};

TEST_P(EveryElasticRow, IsTheFormulaOfItsSource) {
  const ElasticRow& row = GetParam();
  const std::vector<ElasticEntry> all = elastic_entries();
  const auto entry = std::ranges::find(all, row.key, &ElasticEntry::key);
  ASSERT_NE(entry, all.end()) << "row \"" << row.key
                              << "\" has no expected formula: add an entry to elastic_entries() in "
                              << "tests/verify/elastic_and_friction_rows_test.cpp, typed from its source";
  const ElasticInputs inputs{
      kStiffness, row.exponent > 0 ? row.exponent : kFreeExponent, {kModulus, kRadiusI, kRadiusJ, kLength}};
  const Elastic<> law = row.make(inputs);
  if (entry->force_N) {
    for (const double x : {1e-7, 2e-6, 5e-5})
      EXPECT_NEAR(elastic_force_N(law, x) / entry->force_N(x), 1, 1e-12) << x;
  }
  if (entry->depth_m) {
    for (const double p : {7e3, 7e4, 7e5})
      EXPECT_NEAR(elastic_force_N(law, entry->depth_m(p)) / (p * kLength), 1, 1e-9) << p;
  }
}
INSTANTIATE_TEST_SUITE_P(Table, EveryElasticRow, ::testing::ValuesIn(elastic_rows().begin(), elastic_rows().end()),
                         [](const auto& p) { return name_of_test(p); });

TEST(ElasticRows, KnowTheStiffnessOfSpheres) {  // Alves et al. 2015, Table 3: 2.46e10 and 2.41e10
  EXPECT_NEAR(hertz_stiffness(effective_modulus_Pa(210e9, 0.3, 213e9, 0.29), 0.0254), 2.4614e10, 1e6);
  EXPECT_NEAR(hertz_stiffness(effective_modulus_Pa(210e9, 0.3, 205e9, 0.29), 0.0254), 2.4144e10, 1e6);
}

// ---- friction laws

constexpr double kMu = 0.31, kMuStatic = 0.47, kLoad = 130;

/// The force of steady sliding at a speed, or, of a law that remembers, at a deflection too.
struct FrictionEntry {
  std::string key;
  std::vector<double> parameter;                                                // other than the defaults
  std::vector<double> otherwise;                                                // the defaults; NaN: there is none
  std::function<double(double speed, double deflection_m)> force_N;             // against the slip
  std::function<double(double speed, double deflection_m)> rate_mps = nullptr;  // of the deflection
};
/// One entry a row of src/contact/friction.cpp. Type the formula from the source, not from the table.
std::vector<FrictionEntry> friction_entries() {
  const double mu = kMu, mu_s = kMuStatic, N = kLoad, none = std::nan("");
  const double v_t = 0.004, v_s = 0.03, sigma = 17, s0 = 2.3e4, s1 = 55, s2 = 0.21, k_t = 0.83 * 2e6;
  const auto bristles = [=](double v) { return (mu + (mu_s - mu) * exp(-pow(v / v_s, 2))) / s0; };  // g of LuGre
  const auto lugre_rate = [=](double v, double z) { return v - v * z / bristles(v); };
  return {
      {"coulomb-clamp", {v_t}, {1e-3}, [=](double v, double) { return v < v_t ? mu * N * v / v_t : mu * N; }},
      {"coulomb-tanh", {v_t}, {1e-3}, [=](double v, double) { return mu * N * tanh(v / v_t); }},
      {"coulomb-atan", {v_t}, {1e-3}, [=](double v, double) { return mu * N * (2 / pi) * std::atan(v / v_t); }},
      {"coulomb-root",
       {v_t},
       {1e-3},
       [=](double v, double) { return mu * N * (v / v_t) / sqrt(1 + pow(v / v_t, 2)); }},
      {"threlfall",
       {v_t},
       {1e-3},
       [=](double v, double) { return mu * N * (1 - exp(-3 * std::min(v / v_t, 1.0))); }},
      {"bengisu-akay",
       {v_t, 40},
       {1e-3, 100},
       [=](double v, double) {
         return v < v_t ? mu_s * N - mu_s * N * pow(v - v_t, 2) / (v_t * v_t)
                        : mu * N + (mu_s - mu) * N * exp(-40 * (v - v_t));
       }},
      {"ambrosio",
       {0.0005, v_t},
       {1e-4, 1e-3},
       [=](double v, double) {
         return v <= 0.0005 ? 0 : v >= v_t ? mu * N : mu * N * (v - 0.0005) / (v_t - 0.0005);
       }},
      {"stribeck",
       {v_t, v_s, sigma},
       {1e-3, 1e-2, 0},
       [=](double v, double) {
         return (mu * N + (mu_s - mu) * N * exp(-pow(v / v_s, 2))) * tanh(v / v_t) + sigma * v;
       }},
      {"andersson",
       {v_t, v_s, 1.7},
       {1e-3, 1e-2, 1},
       [=](double v, double) { return (mu + (mu_s - mu) * exp(-pow(v / v_s, 1.7))) * tanh(v / v_t) * N; }},
      {"brown-mcphee",
       {v_t, sigma, 300},
       {1e-3, 0, 1},
       [=](double v, double) {
         return N * (mu * tanh(4 * v / v_t) + (mu_s - mu) * (v / v_t) / pow(pow(v / (2 * v_t), 2) + 3.0 / 4, 2)) +
                sigma * v * tanh(4 * N / 300);
       }},
      {"dahl",
       {s0},
       {1e5},
       [=](double, double z) { return N * s0 * z; },
       [=](double v, double z) { return v * (1 - s0 * z / mu); }},
      {"lugre",
       {s0, s1, s2, v_s},
       {1e5, 100, 0, 1e-2},
       [=](double v, double z) {  // s1 fades with speed to stay passive
         return N * (s0 * z + s1 * exp(-pow(v / v_s, 2)) * lugre_rate(v, z) + s2 * v);
       },
       lugre_rate},
      {"mindlin", {0.83}, {none}, [=](double, double x) { return k_t * x; }, [](double v, double) { return v; }},
  };
}

class EveryFrictionRow : public ::testing::TestWithParam<FrictionRow> {};

TEST_P(EveryFrictionRow, IsTheFormulaOfItsSource) {
  const FrictionRow& row = GetParam();
  const std::vector<FrictionEntry> all = friction_entries();
  const auto entry = std::ranges::find(all, row.key, &FrictionEntry::key);
  ASSERT_NE(entry, all.end()) << "row \"" << row.key
                              << "\" has no expected formula: add an entry to friction_entries() in "
                              << "tests/verify/elastic_and_friction_rows_test.cpp, typed from its source";
  FrictionLaw law{&row, kMu, row.uses_static ? kMuStatic : kMu, 0, 0, 0, {}};
  for (std::size_t k = 0; k < row.parameters.size(); ++k) {
    if (k >= entry->parameter.size()) {
      EXPECT_TRUE(row.parameters[k].name.empty()) << "the entry lacks a value for " << row.parameters[k].name;
      continue;
    }
    law.parameter[k] = entry->parameter[k];
    EXPECT_EQ(row.parameters[k].otherwise.has_value(), !std::isnan(entry->otherwise[k])) << row.parameters[k].name;
    if (row.parameters[k].otherwise) {
      EXPECT_EQ(*row.parameters[k].otherwise, entry->otherwise[k]) << row.parameters[k].name;
    }
  }
  const Vec3 along{0.6, -0.8, 0};
  for (const double speed : {2e-4, 1.3e-3, 3.9e-3, 0.011, 0.07, 2.0})
    for (const double deflection : {0.0, 1e-6, 7e-6}) {
      if (row.memory == FrictionMemory::none && deflection > 0) continue;
      const Sliding now{kLoad, speed * along, deflection * along, 2e6, false};
      const double wanted = entry->force_N(speed, deflection);
      EXPECT_NEAR(dot(friction_force_N(law, now), along), -wanted, 1e-12 * (std::abs(wanted) + kMu * kLoad))
          << speed;
      if (!entry->rate_mps) continue;
      EXPECT_NEAR(dot(memory_rate_mps(law, now, {}), along), entry->rate_mps(speed, deflection),
                  1e-12 * speed * 1e3)
          << speed << ", " << deflection;
    }
}
INSTANTIATE_TEST_SUITE_P(Table, EveryFrictionRow,
                         ::testing::ValuesIn(friction_rows().begin(), friction_rows().end()),
                         [](const auto& p) { return name_of_test(p); });

TEST(FrictionRows, SlipOfTheContactSpringIsCoulombs) {
  const FrictionLaw law{find_friction("mindlin"), kMu, kMu, 0, 0, 0, {0.83}};
  EXPECT_NEAR(slip_limit_m(law, kLoad, 2e6), kMu * kLoad / (0.83 * 2e6), 1e-18);
  EXPECT_NEAR(norm(friction_force_N(law, {kLoad, {0.1, 0, 0}, {1e-5, 0, 0}, 2e6, true})), kMu * kLoad,
              1e-12 * kLoad);
}

}  // namespace
}  // namespace percuss::tests
