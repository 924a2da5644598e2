// Closed form and integration are two routes to one answer, for any elastic law, exponent and restitution.
#include "sample_laws.h"

namespace percuss::tests {
namespace {

class ClosedLaws : public ::testing::TestWithParam<DissipationRow> {};

/// 1e-9 of the approach speed, of depth and of force; times where the speed passes zero slowly are softer.
void expect_same(const impact::Outcome& closed, const impact::Outcome& integrated, const std::string& what) {
  EXPECT_EQ(closed.method, impact::Method::closed_form);
  EXPECT_NEAR(closed.restitution, integrated.restitution, 1e-9) << what;
  EXPECT_NEAR(integrated.max_depth_m / closed.max_depth_m, 1, 1e-9) << what;
  EXPECT_NEAR(integrated.max_force_N / closed.max_force_N, 1, 1e-9) << what;
  EXPECT_NEAR(integrated.max_force_time_s, closed.max_force_time_s, 1e-8 * closed.duration_s) << what;
  EXPECT_NEAR(integrated.max_depth_time_s, closed.max_depth_time_s, 1e-7 * closed.duration_s) << what;
  EXPECT_NEAR(integrated.duration_s / closed.duration_s, 1, 1e-8) << what;
  EXPECT_NEAR(integrated.lost_energy_J, closed.lost_energy_J,
              2e-9 * (closed.lost_energy_J + closed.returned_energy_J))
      << what;
  EXPECT_NEAR(integrated.stored_energy_J / closed.stored_energy_J, 1, 1e-8) << what;
  EXPECT_NEAR(integrated.residual_depth_m, closed.residual_depth_m, 1e-9 * closed.max_depth_m) << what;
  EXPECT_NEAR(integrated.lowest_force_N, closed.lowest_force_N, 1e-7 * closed.max_force_N) << what;
}

TEST_P(ClosedLaws, AgreeWithIntegrationFromNearlyPlasticToNearlyElastic) {
  const DissipationRow& row = GetParam();
  for (const double c : {1e-3, 0.02, 0.2, 0.5, 0.77, 0.97, 1 - 1e-9})
    for (const Release release : {Release::zero_force, Release::zero_depth}) {
      if (row.family != Family::added && release != row.release) continue;
      LawRequest r = sample_request(row, c);
      r.release = release;
      const auto collision = sample_collision(*specify(r));
      if (!impact::has_closed_form(collision.law)) GTEST_SKIP() << "integrated only";
      expect_same(*impact::collide(collision), *impact::collide_integrated(collision), "c = " + std::to_string(c));
    }
}

TEST_P(ClosedLaws, TakeEveryElasticLawTheirRowAllows) {
  const DissipationRow& row = GetParam();
  if (row.fixed_exponent > 0 || row.needs_power_law) GTEST_SKIP() << "fixes its exponent";
  for (const ElasticRow& elastic : elastic_rows()) {
    LawRequest r = sample_request(row, 0.55);
    r.elastic = elastic.key;
    if (elastic.key == "power") r.exponent = 2.3;
    if (!elastic.from_stiffness) {
      r.stiffness.reset();
      r.pairing = Pairing{1.1e11, 0.0095, -0.01, 0.015};
    }
    const auto spec = specify(r);
    ASSERT_TRUE(spec) << elastic.key << ": " << one_line(spec.errors().front());
    const auto collision = sample_collision(*spec);
    const auto closed = impact::collide(collision), integrated = impact::collide_integrated(collision);
    ASSERT_TRUE(closed && integrated) << elastic.key;
    expect_same(*closed, *integrated, std::string(elastic.key));
    if (row.exact.plain != nullptr) {
      r.calibration = Calibration::exact;
      EXPECT_NEAR(impact::collide(sample_collision(*specify(r)))->restitution, 0.55, 1e-12) << elastic.key;
    }
  }
}

TEST_P(ClosedLaws, DeliverTheSameForAnyExponentIfScaled) {
  const DissipationRow& row = GetParam();
  if (row.family != Family::scaled || row.restitution != RestitutionUse::needed) GTEST_SKIP() << "not scaled";
  LawRequest r = sample_request(row, 0.5);
  const double e = impact::collide(sample_collision(*specify(r)))->restitution;
  for (const double n : {0.7, 1.0, 1.08, 10.0 / 9, 2.0, 3.0, 6.0}) {
    r.exponent = n;
    r.stiffness = 1e9;
    const auto collision = sample_collision(*specify(r));
    EXPECT_NEAR(impact::collide(collision)->restitution, e, 1e-14) << n;
    EXPECT_NEAR(impact::collide_integrated(collision)->restitution, e, 1e-9) << n;
    expect_same(*impact::collide(collision), *impact::collide_integrated(collision), "n = " + std::to_string(n));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ClosedLaws,
                         ::testing::ValuesIn(dissipation_rows().begin(), dissipation_rows().end()), test_name);

TEST(IntegratedLaws, HaveConvergedToTheirPromise) {
  for (const char* key : {"ristow", "lee-herrmann", "kuwabara-kono", "bordbar-hyppanen", "adams-impact"}) {
    const auto collision = sample_collision(sample_spec(*find_dissipation(key)));
    const double tight = impact::collide_integrated(collision, 1e-14)->restitution;
    EXPECT_NEAR(impact::collide(collision)->restitution, tight, 1e-9) << key;
    EXPECT_LT(impact::collide(collision)->restitution, 0.95) << key << ": the constants make the loss visible";
  }
}

}  // namespace
}  // namespace percuss::tests
