// The isolated collision as a component: outcomes, two bodies, maps, batches, warnings.
#include "percuss/impact/batch.h"
#include "percuss/impact/map.h"
#include "percuss/impact/validity.h"
#include "sample_laws.h"

namespace percuss::tests {
namespace {

TEST(TwoBodies, KeepTheirMomentumAndPartAtTheRestitution) {
  const impact::TwoBodies bodies{2, 3, 5, -1};
  const auto after = velocities_after(bodies, 0.4);
  EXPECT_NEAR(2 * after.velocity_i_mps + 3 * after.velocity_j_mps, 2 * 5 + 3 * -1, 1e-14);
  EXPECT_NEAR(after.velocity_j_mps - after.velocity_i_mps, 0.4 * 6, 1e-14);
  EXPECT_DOUBLE_EQ(bodies.effective_mass_kg(), 1.2);
  const impact::TwoBodies wall{2, std::numeric_limits<double>::infinity(), 5, 0};
  EXPECT_DOUBLE_EQ(wall.effective_mass_kg(), 2);
  EXPECT_DOUBLE_EQ(velocities_after(wall, 0.4).velocity_i_mps, -2);
  EXPECT_EQ(velocities_after(wall, 0.4).velocity_j_mps, 0);
}

TEST(History, StartsAtTouchTurnsInTheMiddleAndEndsAtRelease) {
  const impact::Collision collision = sample_collision(sample_spec(*find_dissipation("flores"), 0.5));
  const auto out = impact::collide(collision);
  const auto course = impact::history(collision, 101);
  ASSERT_TRUE(course);
  EXPECT_EQ(course->front().time_s, 0);
  EXPECT_EQ(course->front().rate_mps, kSpeed);
  EXPECT_NEAR((*course)[50].depth_m / out->peak_indentation_m, 1, 1e-9);
  EXPECT_NEAR(course->back().time_s / out->duration_s, 1, 1e-8);
  EXPECT_NEAR(course->back().rate_mps, -out->restitution * kSpeed, 1e-8);
  double most = 0;
  for (const auto& s : *course) most = std::max(most, s.force_N);
  EXPECT_NEAR(most / out->peak_force_N, 1, 1e-3);
  EXPECT_LE(most, out->peak_force_N * (1 + 1e-9));
}

TEST(History, OfABodyThatStaysStuckEndsAtTheDeepestPoint) {
  for (const char* key : {"lankarani-nikravesh-plastic", "mixed", "bistiffness", "walton-braun"}) {
    const impact::Collision collision = sample_collision(sample_spec(*find_dissipation(key), 0));
    const auto out = impact::collide(collision);
    const auto course = impact::history(collision, 51);
    ASSERT_TRUE(out && course) << key;
    EXPECT_NEAR(course->back().depth_m / out->peak_indentation_m, 1, 1e-9) << key;
    for (const auto& s : *course) EXPECT_LE(s.force_N, out->peak_force_N * (1 + 1e-9)) << key;
  }
}

TEST(Maps, AllMeansEveryKeyAndNothingIsLeftOutSilently) {
  impact::MapRequest request;
  request.grid = {0, 0.5, 1};
  request.common.stiffness = 1e8;
  const auto map = impact::restitution_map(request);
  EXPECT_EQ(map.curves.size() + map.lacking.size(), dissipation_rows().size());
  for (const auto& lack : map.lacking) EXPECT_FALSE(lack.lacks.empty()) << lack.law;
  for (const auto& curve : map.curves) {
    ASSERT_EQ(curve.delivered.size(), 3u);
    EXPECT_TRUE(curve.delivered[1] && curve.delivered[2]) << curve.law;
    EXPECT_EQ(curve.delivered[0].has_value(), curve.refused.empty()) << curve.law;
  }
}

TEST(ImpactBatches, AgreeWithSingleImpactsAndWithEachOther) {
  std::vector<double> c, k, m, v;
  for (int i = 0; i < 5000; ++i) {
    c.push_back(0.02 + 0.98 * (i % 97) / 96.0);
    k.push_back(1e6 * (1 + i % 13));
    m.push_back(0.1 * (1 + i % 7));
    v.push_back(0.2 * (1 + i % 11));
  }
  for (const char* key : {"flores", "exact", "lankarani-nikravesh"}) {
    const DissipationRow& row = *find_dissipation(key);
    std::vector<double> e(c.size()), d(c.size()), f(c.size()), e2(c.size()), d2(c.size()), f2(c.size());
    impact::collide_batch(row, Calibration::published, 1.5, {c, k, m, v}, {e, d, f});
    impact::collide_batch(row, Calibration::published, 1.5, {c, k, m, v}, {e2, d2, f2}, 3);
    EXPECT_EQ(e, e2);
    EXPECT_EQ(f, f2);
    for (std::size_t i = 0; i < c.size(); i += 61) {
      LawRequest r;
      r.law = key;
      r.restitution = c[i];
      r.stiffness = k[i];
      const auto one = impact::collide({latch(*specify(r), m[i], v[i]), m[i], v[i]});
      EXPECT_NEAR(e[i], one->restitution, 1e-14);
      EXPECT_NEAR(d[i] / one->peak_indentation_m, 1, 1e-13);
      EXPECT_NEAR(f[i] / one->peak_force_N, 1, 1e-13);
    }
  }
}

TEST(Warnings, NameTheDeviationThePullAndTheLimits) {
  const auto list = [](const char* key, double c, const impact::Bodies& bodies) {
    const LawSpec spec = sample_spec(*find_dissipation(key), c);
    const impact::Collision collision = sample_collision(spec);
    std::string all;
    for (const Warning& w : impact::warnings(spec, collision, *impact::collide(collision), bodies))
      all += w.text + "\n";
    return all;
  };
  EXPECT_NE(list("flores", 0.3, {}).find("delivers 0.2562"), std::string::npos);
  EXPECT_EQ(list("flores", 0.9, {}), "");
  EXPECT_NE(list("tsuji", 0.5, {}).find("pulls"), std::string::npos);
  EXPECT_NE(list("flores", 0.9, {70e9, 2700, 0.01}).find("sqrt(E/rho)"), std::string::npos);
  EXPECT_NE(list("flores", 0.9, {0, 0, 1e-4}).find("contact radius"), std::string::npos);
  EXPECT_NE(list("anagnostopoulos", 0, {}).find("never separate"), std::string::npos);
}

}  // namespace
}  // namespace percuss::tests
