// Line contact: printed samples, inverses, limits.
#include "sample_laws.h"

namespace percuss::tests {
namespace {

/// Steel, E = 207 GPa, nu = 0.3, L = 15 mm, 1000 N.
Elastic<> line_law(const char* key, double radius_j) {
  const Pairing pair{effective_modulus_Pa(207e9, 0.3, 207e9, 0.3), radius_j < 0 ? 0.0095 : 0.01, radius_j, 0.015};
  return find_elastic(key)->make({0, -1, pair});
}
double depth_at(const Elastic<>& law, double force) {
  double low = 0, high = depth_limit_m(law) < 1 ? depth_limit_m(law) : 1e-3;
  for (int i = 0; i < 200; ++i) (elastic_force_N(law, (low + high) / 2) < force ? low : high) = (low + high) / 2;
  return low;
}

TEST(LineContact, HasThePrintedDepthsInsideAndOutside) {
  for (const auto& [key, inside_um, outside_um] :
       {std::tuple{"johnson", 1.545, 2.233}, {"goldsmith", 1.820, 2.499}, {"esdu-78035", 1.918, 2.606}}) {
    EXPECT_NEAR(depth_at(line_law(key, -0.01), 1000) * 1e6, inside_um, 0.51e-3) << key;
    EXPECT_NEAR(depth_at(line_law(key, 0.01), 1000) * 1e6, outside_um, 0.51e-3) << key;
  }
}

TEST(LineContact, JohnsonsInverseSatisfiesHisEquation) {
  const auto law = line_law("johnson", -0.01);
  const double modulus = effective_modulus_Pa(207e9, 0.3, 207e9, 0.3), clearance = 0.0005;
  for (const double depth : {1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 2.5e-4}) {
    const double p = elastic_force_N(law, depth) / 0.015;
    EXPECT_NEAR(p / (M_PI * modulus) * (std::log(4 * M_PI * modulus * clearance / p) - 1) / depth, 1, 1e-12)
        << depth;
  }
}

TEST(LineContact, JohnsonsLawEndsAtItsLimit) {
  const auto law = line_law("johnson", -0.01);
  EXPECT_NEAR(depth_limit_m(law) / 0.0005, 4 * std::exp(-2), 1e-12);
  EXPECT_GT(elastic_slope_Npm(law, 0.999999 * depth_limit_m(law)),
            100 * elastic_slope_Npm(law, 0.5 * depth_limit_m(law)));
  EXPECT_TRUE(std::isinf(depth_of_energy_m(law, 2 * elastic_energy_J(law, depth_limit_m(law)))));
  const impact::Collision hard{{law, Scaled<>{}, Release::zero_force}, 1e4, 100};
  EXPECT_FALSE(impact::collide(hard)) << "the law cannot stop this";
  EXPECT_FALSE(impact::collide_integrated(hard));
}

TEST(LineContact, EsduIsJohnsonPlusTwoOverPiE) {
  const double modulus = effective_modulus_Pa(207e9, 0.3, 207e9, 0.3);
  for (const double force : {10.0, 1e3, 1e5}) {
    const double difference =
        depth_at(line_law("esdu-78035", -0.01), force) - depth_at(line_law("johnson", -0.01), force);
    EXPECT_NEAR(difference / (2 * force / 0.015 / (M_PI * modulus)), 1, 1e-9);
  }
}

}  // namespace
}  // namespace percuss::tests
