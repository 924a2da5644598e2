// Closed form and integration are two routes to one answer, for any elastic law, exponent and restitution.
#include "sample_laws.h"

namespace percuss::tests {
namespace {

class ClosedLaws : public ::testing::TestWithParam<DissipationRow> {};

/// 1e-9 of the approach speed, of depth and of force; times where the speed passes zero slowly are softer.
void expect_same(const impact::Outcome& closed, const impact::Outcome& integrated, const std::string& what) {
  EXPECT_EQ(closed.method, impact::Method::closed_form);
  EXPECT_NEAR(closed.restitution, integrated.restitution, 1e-9) << what;
  EXPECT_NEAR(integrated.peak_indentation_m / closed.peak_indentation_m, 1, 1e-9) << what;
  EXPECT_NEAR(integrated.peak_force_N / closed.peak_force_N, 1, 1e-9) << what;
  EXPECT_NEAR(integrated.peak_force_time_s, closed.peak_force_time_s, 1e-8 * closed.duration_s) << what;
  EXPECT_NEAR(integrated.peak_indentation_time_s, closed.peak_indentation_time_s, 1e-7 * closed.duration_s) << what;
  EXPECT_NEAR(integrated.duration_s / closed.duration_s, 1, 1e-8) << what;
  EXPECT_NEAR(integrated.lost_energy_J, closed.lost_energy_J,
              2e-9 * (closed.lost_energy_J + closed.returned_energy_J))
      << what;
  EXPECT_NEAR(integrated.stored_energy_J / closed.stored_energy_J, 1, 1e-8) << what;
  EXPECT_NEAR(integrated.permanent_indentation_m, closed.permanent_indentation_m, 1e-9 * closed.peak_indentation_m)
      << what;
  EXPECT_NEAR(integrated.lowest_force_N, closed.lowest_force_N, 1e-7 * closed.peak_force_N) << what;
}

TEST_P(ClosedLaws, AgreeWithIntegrationFromNearlyPlasticToNearlyElastic) {
  const DissipationRow& row = GetParam();
  for (const double c : {1e-3, 0.02, 0.2, 0.5, 0.77, 0.97, 1 - 1e-9})
    for (const Release release : {Release::zero_force, Release::zero_indentation}) {
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

TEST(Corners, ClosedFormsKeepTheirDigits) {
  const auto both = [](const LawRequest& r, double mass, double speed) {
    const impact::Collision collision{latch(*specify(r), mass, speed), mass, speed};
    return std::pair{*impact::collide(collision), *impact::collide_integrated(collision, 1e-13)};
  };
  LawRequest mixed = sample_request(*find_dissipation("mixed"), 0.01);  // 1 - a e is exp(-60)
  for (const double share : {1e-3, 1e-2, 1e-17}) {
    mixed.parameters = {{"plastic_share", share}};
    const auto [closed, integrated] = both(mixed, kMass, kSpeed);
    EXPECT_NEAR(closed.restitution, 0.01, 1e-13);
    EXPECT_NEAR(closed.duration_s / integrated.duration_s, 1, 1e-6) << share;
  }
  LawRequest yield;  // just above the yield speed of 0.0714166 m/s
  yield.law = "thornton";
  yield.parameters = {{"yield_pressure", 1e9}, {"effective_modulus", 1e11}, {"effective_radius", 0.01}};
  for (const double ratio : {1 + 1e-9, 1.0001, 1.01, 1.2}) {
    const auto [closed, integrated] = both(yield, 0.02, 0.0714165812662 * ratio);
    EXPECT_NEAR(closed.peak_indentation_time_s / integrated.peak_indentation_time_s, 1, 1e-6) << ratio;
  }
  LawRequest dashpot;
  dashpot.law = "kelvin-voigt";
  dashpot.stiffness = 1;
  for (const auto& [damping, pull_N] : {std::pair{600.0, -4.62917e-9}, {1000.0, -9.99962e-10}}) {
    dashpot.parameters = {{"damping", damping}};
    const auto closed = impact::collide({latch(*specify(dashpot), 1, 1), 1, 1});
    EXPECT_NEAR(closed->lowest_force_N / pull_N, 1, 1e-5) << damping;
    EXPECT_TRUE(std::isinf(closed->duration_s)) << damping;
  }
}

TEST(Corners, NoRestitutionIsRefusedInsteadOfFailing) {
  for (const char* key : {"jankowski", "kelvin-voigt", "tsuji"}) {
    LawRequest r = sample_request(*find_dissipation(key), 0);
    r.calibration = Calibration::exact;
    r.release = Release::zero_force;
    EXPECT_FALSE(specify(r)) << key;
  }
  LawRequest creeping;  // an overdamped law that pulls never lets go, by either route
  creeping.law = "kelvin-voigt";
  creeping.stiffness = 1;
  creeping.parameters = {{"damping", 4}};
  const impact::Collision collision{latch(*specify(creeping), 1, 1), 1, 1};
  EXPECT_TRUE(std::isinf(impact::collide(collision)->duration_s));
  EXPECT_TRUE(std::isinf(impact::collide_integrated(collision)->duration_s));
  for (const double c : {1 - 1e-16, 0.9999999948, 0.2})
    for (const double share : {1e-17, 9e-11, 0.01}) {
      const MixedDamping m = mixed_damping(c, share);
      EXPECT_NEAR(restitution_of_mixed(m), c, 1e-12) << c << " " << share;
    }
}

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
