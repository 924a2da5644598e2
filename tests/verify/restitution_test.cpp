// The restitution relations against themselves, against printed numbers and against independent formulas.
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/lambert_w.hpp>

#include "percuss/impact/map.h"
#include "sample_laws.h"

namespace percuss::tests {
namespace {

TEST(ScaledDamping, ExactRootsAreThoseOfTheTable) {
  // reference values of a(c), to the printed digits
  for (const auto& [c, a] : {std::pair{0.01, 100.0000000000},
                             {0.05, 19.9999996815},
                             {0.1, 9.9981593975},
                             {0.2, 4.9191667158},
                             {0.3, 3.0870819811},
                             {0.4, 2.0824981641},
                             {0.5, 1.4327505333},
                             {0.6, 0.9748717108},
                             {0.7, 0.6348282813},
                             {0.8, 0.3731462034},
                             {0.9, 0.1664819507},
                             {0.95, 0.0789266053},
                             {0.99, 0.0151513621},
                             {0.999, 0.0015015014}})
    EXPECT_NEAR(damping_of_restitution(c), a, 0.5001e-10) << c;
}

TEST(ScaledDamping, RestitutionAndDampingInvertEachOtherToTheLastDigits) {
  for (double c = 1e-3; c < 1; c *= 1.07)
    EXPECT_NEAR(restitution_of_damping(damping_of_restitution(c)) / c, 1, 1e-14) << c;
  for (double gap = 1e-12; gap < 0.5; gap *= 3)
    EXPECT_NEAR(restitution_of_damping(damping_of_restitution(1 - gap)) / (1 - gap), 1, 1e-14) << gap;
}

TEST(ScaledDamping, AgreesWithLambertsFunctionWhereThatKeepsItsDigits) {
  for (const double a : {0.8, 1.0, 1.5, 3.0, 7.0, 20.0}) {
    const double by_w = (1 + boost::math::lambert_w0(-(1 + a) * std::exp(-(1 + a)))) / a;
    EXPECT_NEAR(restitution_of_damping(a) / by_w, 1, 1e-14) << a;
  }
}

TEST(ScaledDamping, HasTheRightLimits) {
  EXPECT_NEAR(damping_of_restitution(1 - 1e-6) / 1.5e-6, 1, 1e-5);  // slope 3/2 at c = 1
  EXPECT_NEAR(damping_of_restitution(0.01) * 0.01, 1, 1e-12);       // a c -> 1
  EXPECT_EQ(damping_of_restitution(1.0), 0);
  for (const double a : {1e-6, 1e-4, 1e-3})
    EXPECT_NEAR(restitution_of_damping(a), 1 - 2 * a / 3 + 4 * a * a / 9, 0.5 * a * a * a + 3e-16);
}

/// Published laws: wanted 0.1 ... 1.0 to delivered, four printed digits, and the largest deviation.
struct MapRow {
  const char* key;
  double delivered[10];
};
void PrintTo(const MapRow& row, std::ostream* out) { *out << row.key; }
class PublishedMap : public ::testing::TestWithParam<MapRow> {};
TEST_P(PublishedMap, IsTheTableOfReference) {
  for (int i = 0; i < 10; ++i) {
    const double c = (i + 1) / 10.0;
    const auto collision = sample_collision(sample_spec(*find_dissipation(GetParam().key), c));
    const auto& shape = std::get<Scaled<>>(collision.law.shape);
    const double a = shape.gain_s_per_m * kSpeed, e = impact::collide(collision)->restitution;
    EXPECT_NEAR(e, GetParam().delivered[i], 0.5001e-4) << c;
    EXPECT_NEAR(a * (1 + e), std::log1p(a) - std::log1p(-a * e), 1e-12 * (1 + a)) << "equation (1)";
    EXPECT_NEAR(impact::collide_integrated(collision)->restitution, e, 1e-9) << c;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Table, PublishedMap,
    ::testing::Values(
        MapRow{"hunt-crossley", {.5158, .5469, .5813, .6197, .6630, .7120, .7680, .8329, .9090, 1}},
        MapRow{"herbert-mcwhannell", {.4907, .5008, .5200, .5503, .5936, .6511, .7227, .8070, .9009, 1}},
        MapRow{"lee-wang", {.6867, .7120, .7390, .7680, .7992, .8329, .8693, .9090, .9524, 1}},
        MapRow{"lankarani-nikravesh", {.6653, .6723, .6842, .7016, .7252, .7561, .7960, .8471, .9132, 1}},
        MapRow{"gonthier", {.1010, .2046, .3042, .3978, .4877, .5773, .6696, .7680, .8764, 1}},
        MapRow{"zhiying-qishao", {.2175, .2664, .3267, .3988, .4826, .5769, .6796, .7874, .8959, 1}},
        MapRow{"flores", {.0694, .1555, .2562, .3629, .4704, .5773, .6832, .7885, .8939, 1}},
        MapRow{"gharib-hurmuzlu", {.1000, .1970, .2819, .3524, .4107, .4595, .5008, .5362, .5668, .5936}},
        MapRow{"hu-guo", {.0741, .1656, .2707, .3796, .4877, .5936, .6973, .7992, .8999, 1}},
        MapRow{"carvalho-martins", {.1289, .2116, .3040, .4011, .5002, .6000, .7000, .8000, .9000, 1}},
        MapRow{"exact", {.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}}),
    [](const auto& row) {
      std::string name = row.param.key;
      for (char& c : name)
        if (c == '-') c = '_';
      return name;
    });

TEST(AccurateRanges, AreThoseOfTheReference) {
  using Ranges = std::vector<std::pair<double, double>>;
  const auto of = [](const char* key) { return impact::accurate_ranges(*find_dissipation(key)); };
  const auto expect = [](const Ranges& got, const Ranges& want, const char* key) {
    ASSERT_EQ(got.size(), want.size()) << key;
    for (std::size_t i = 0; i < got.size();
         ++i) {  // the grid is 0.01, and one side of a boundary may round the other way
      EXPECT_NEAR(got[i].first, want[i].first, 0.0101) << key;
      EXPECT_NEAR(got[i].second, want[i].second, 0.0101) << key;
    }
  };
  expect(of("hunt-crossley"), {{.85, 1}}, "hunt-crossley");
  expect(of("herbert-mcwhannell"), {{.72, 1}}, "herbert-mcwhannell");
  expect(of("lee-wang"), {{.97, 1}}, "lee-wang");
  expect(of("lankarani-nikravesh"), {{.88, 1}}, "lankarani-nikravesh");
  expect(of("gonthier"), {{.01, .57}, {.93, 1}}, "gonthier");
  expect(of("zhiying-qishao"), {{.33, .52}, {.71, 1}}, "zhiying-qishao");
  expect(of("flores"), {{.01, .05}, {.65, 1}}, "flores");
  expect(of("gharib-hurmuzlu"), {{.01, .30}}, "gharib-hurmuzlu");
  expect(of("hu-guo"), {{.01, .07}, {.41, 1}}, "hu-guo");
  expect(of("carvalho-martins"), {{.15, 1}}, "carvalho-martins");
  expect(of("exact"), {{.01, 1}}, "exact");
}

/// Two aluminium spheres: m = 0.046 kg, v0 = 0.3 m/s, K = 5.5e9 N/m^1.5, c = 0.7, to the printed digits.
struct Golden {
  const char* key;
  double a, e, depth_um, force_N, time_us;
};
TEST(AluminiumSpheres, GiveTheNumbersOfReferenceForEveryLaw) {
  for (const Golden& g : {Golden{"hunt-crossley", .45, .76800, 13.9659, 304.804, 156.807},
                          {"herbert-mcwhannell", .56962, .72268, 13.6543, 302.896, 158.281},
                          {"lee-wang", .225, .86934, 14.6393, 313.631, 154.166},
                          {"lankarani-nikravesh", .3825, .79597, 14.1548, 306.602, 155.995},
                          {"gonthier", .72857, .66958, 13.2797, 302.206, 160.303},
                          {"zhiying-qishao", .69696, .67957, 13.3510, 302.210, 159.896},
                          {"flores", .68571, .68318, 13.3767, 302.226, 159.751},
                          {"gharib-hurmuzlu", 1.42857, .50078, 12.0026, 310.966, 169.869},
                          {"hu-guo", .64286, .69730, 13.4766, 302.361, 159.204},
                          {"carvalho-martins", .63493, .69997, 13.4954, 302.399, 159.104},
                          {"exact", .63483, .70000, 13.4956, 302.400, 159.102}}) {
    const auto collision = sample_collision(sample_spec(*find_dissipation(g.key), 0.7));
    const auto out = impact::collide(collision);
    EXPECT_NEAR(std::get<Scaled<>>(collision.law.shape).gain_s_per_m * kSpeed, g.a, 0.51e-5) << g.key;
    EXPECT_NEAR(out->restitution, g.e, 0.51e-5) << g.key;
    EXPECT_NEAR(out->peak_indentation_m * 1e6, g.depth_um, 0.51e-4) << g.key;
    EXPECT_NEAR(out->peak_force_N / g.force_N, 1, 1e-5) << g.key;  // the reference has five digits
    EXPECT_NEAR(out->duration_s * 1e6, g.time_us, 0.51e-3) << g.key;
  }
  const auto hertz = impact::collide(sample_collision(sample_spec(*find_dissipation("none"))));
  EXPECT_NEAR(hertz->peak_indentation_m * 1e6, 15.4675, 0.51e-4);
  EXPECT_NEAR(hertz->peak_force_N, 334.573, 0.51e-3);
  EXPECT_NEAR(hertz->duration_s * 1e6, 151.750, 0.51e-3);
  EXPECT_NEAR(hertz->duration_s * kSpeed / hertz->peak_indentation_m, 2.94327, 0.6e-5);
}

TEST(KelvinVoigt, ReturnsWhatTheReleaseRuleSays) {
  const DissipationRow& row = *find_dissipation("kelvin-voigt");
  const double clamped[] = {.253, .325, .397, .472, .550, .632, .718, .808, .902};
  const double ratio_at_zero_force[] = {1.2432, .7312, .4972, .3545, .2553, .1809, .1222, .0744, .0343};
  for (int i = 0; i < 9; ++i) {
    const double c = (i + 1) / 10.0;
    LawRequest r = sample_request(row, c);
    const auto collide = [&] { return *impact::collide(sample_collision(*specify(r))); };
    EXPECT_NEAR(collide().restitution, c, 1e-14) << "zero depth, published";
    r.release = Release::zero_force;
    EXPECT_NEAR(collide().restitution, clamped[i], 0.51e-3) << "zero force, published";
    r.calibration = Calibration::exact;
    EXPECT_NEAR(collide().restitution, c, 1e-12) << "zero force, exact";
    const auto spec = specify(r);
    const double chi = std::get<Added<>>(latch(*spec, kMass, kSpeed).shape).chi;
    EXPECT_NEAR(chi / (2 * std::sqrt(kStiffness * kMass)), ratio_at_zero_force[i], 0.51e-4);
  }
}

TEST(Tsuji, ReturnsWhatTheReleaseRuleSays) {
  const double alpha_at_zero_force[] = {1.1119, .7927, .5708, .4044, .2733, .1663, .0766};  // c = 0.3 ... 0.9
  for (int i = 0; i < 7; ++i) {
    LawRequest r = sample_request(*find_dissipation("tsuji"), 0.3 + 0.1 * i);
    EXPECT_NEAR(impact::collide(sample_collision(*specify(r)))->restitution, *r.restitution, 1e-14);
    EXPECT_NEAR(impact::collide_integrated(sample_collision(*specify(r)))->restitution, *r.restitution, 1e-9);
    r.release = Release::zero_force;
    r.calibration = Calibration::exact;
    const auto collision = sample_collision(*specify(r));
    EXPECT_NEAR(impact::collide(collision)->restitution, *r.restitution, 1e-12);
    EXPECT_NEAR(impact::collide_integrated(collision)->restitution, *r.restitution, 1e-9);
    EXPECT_NEAR(std::get<Added<>>(collision.law.shape).chi / std::sqrt(kStiffness * kMass), alpha_at_zero_force[i],
                0.51e-4);
  }
  LawRequest clamped = sample_request(*find_dissipation("tsuji"), 0.5);
  clamped.release = Release::zero_force;
  EXPECT_NEAR(impact::collide(sample_collision(*specify(clamped)))->restitution, 0.550, 0.51e-3);
}

TEST(Jankowski, NeverPullsSoBothReleaseRulesReturnTheSame) {
  const double published[] = {.0933, .1915, .2917, .3930, .4946, .5962, .6977, .7989, .8997, 1};
  const double exact_xi[] = {5.3743, 2.4865, 1.4937, .9828, .6678, .4525, .2950, .1742, .0783};
  for (int i = 0; i < 10; ++i) {
    LawRequest r = sample_request(*find_dissipation("jankowski"), (i + 1) / 10.0);
    const double e = impact::collide(sample_collision(*specify(r)))->restitution;
    EXPECT_NEAR(e, published[i], 0.51e-4);
    r.release = Release::zero_indentation;
    EXPECT_NEAR(impact::collide(sample_collision(*specify(r)))->restitution, e, 1e-14);
    EXPECT_NEAR(impact::collide_integrated(sample_collision(*specify(r)))->restitution, e, 1e-9);
    r.calibration = Calibration::exact;
    if (i == 9) continue;
    const double chi = std::get<Added<>>(latch(*specify(r), kMass, kSpeed).shape).chi;
    EXPECT_NEAR(chi / (2 * std::sqrt(kStiffness * kMass)), exact_xi[i], 0.51e-4);
  }
}

TEST(Thornton, ForceLawAgreesWithItsClosedRestitution) {
  const double modulus = 7e10, radius = 0.01, yield_pressure = 8e8, mass = 0.02;
  const double v_y = std::pow(M_PI / (2 * modulus), 2) * std::sqrt(8 * M_PI * std::pow(radius, 3) / (15 * mass)) *
                     std::pow(yield_pressure, 2.5);
  LawRequest r;
  r.law = "thornton";
  r.parameters = {{"yield_pressure", yield_pressure}, {"effective_modulus", modulus}, {"effective_radius", radius}};
  const auto spec = specify(r);
  ASSERT_TRUE(spec);
  for (const double ratio : {0.5, 1.0, 1.5, 2.0, 5.0, 10.0, 50.0, 100.0, 1000.0}) {
    const double v = ratio * v_y, q = std::min(1.0, 1 / ratio);
    const double closed = std::sqrt(6 * std::sqrt(3.0) / 5) * std::sqrt(1 - q * q / 6) *
                          std::pow(q / (q + 2 * std::sqrt(1.2 - q * q / 5)), 0.25);
    const impact::Collision collision{latch(*spec, mass, v), mass, v};
    EXPECT_NEAR(impact::collide(collision)->restitution, closed, 1e-12) << ratio;
    EXPECT_NEAR(impact::collide_integrated(collision)->restitution, closed, 1e-9) << ratio;
  }
}

TEST(KuwabaraKono, FollowsItsSeriesForWeakDamping) {
  // e = 1 - C1 b + C2 b^2 - ..., b = (3/2) A (K/m)^(2/5) v0^(1/5)
  const double c1 =
      std::sqrt(M_PI) * boost::math::tgamma(0.6) / (std::pow(2, 0.2) * std::pow(5, 0.4) * boost::math::tgamma(2.1));
  EXPECT_NEAR(c1, 1.153449, 1e-6);
  for (const double b : {1e-4, 1e-3, 1e-2}) {
    LawRequest r = sample_request(*find_dissipation("kuwabara-kono"));
    r.parameters = {{"relaxation_time", b / (1.5 * std::pow(kStiffness / kMass, 0.4) * std::pow(kSpeed, 0.2))}};
    r.release = Release::zero_indentation;  // what the series is for
    const double e = impact::collide(sample_collision(*specify(r)))->restitution;
    EXPECT_NEAR(e, 1 - c1 * b + 0.6 * c1 * c1 * b * b, 2 * b * b * b + 1e-9) << b;  // the next term is of order b^3
  }
  LawRequest r = sample_request(*find_dissipation("kuwabara-kono"));
  r.parameters = {{"relaxation_time", 0.05 / (1.5 * std::pow(kStiffness / kMass, 0.4) * std::pow(kSpeed, 0.2))}};
  EXPECT_NEAR(impact::collide(sample_collision(*specify(r)))->restitution, .94439, 1e-5);
  r.release = Release::zero_indentation;
  EXPECT_NEAR(impact::collide(sample_collision(*specify(r)))->restitution, .94426, 1e-5);
}

TEST(EmpiricalDashpots, GrowMoreElasticWithSpeedAsTheirExponentSays) {
  for (const char* key : {"ristow", "lee-herrmann"}) {
    const LawSpec spec = sample_spec(*find_dissipation(key));
    double last = 0;
    for (const double v : {0.03, 0.3, 3.0, 30.0}) {
      const double e = impact::collide({latch(spec, kMass, v), kMass, v})->restitution;
      EXPECT_GT(e, last) << key;
      last = e;
    }
  }
}

TEST(Mixed, HasTheThreeReferenceCasesAndItsTwoLimits) {
  for (const auto& [c, s, a, p] :
       {std::tuple{.3, .5, 1.1858770, .7921911}, {.6, .25, .7360058, .2349888}, {.9, .75, .0414259, .1464222}}) {
    const MixedDamping m = mixed_damping(c, s);
    EXPECT_NEAR(m.damping, a, 0.51e-7);
    EXPECT_NEAR(1 - m.recovered_ratio, p, 0.51e-7);
  }
  for (const double c : {0.1, 0.5, 0.9}) {
    EXPECT_DOUBLE_EQ(mixed_damping(c, 1).recovered_ratio, c * c);
    EXPECT_EQ(mixed_damping(c, 0).damping, damping_of_restitution(c));
  }
}

TEST(Mixed, DeliversRestitutionAndShareOnAGridByBothRoutes) {
  for (const double c : {0.0, 0.001, 0.05, 0.3, 0.34, 0.6, 0.9, 0.999})
    for (const double share : {0.01, 0.25, 0.5, 0.75, 0.99, 1.0}) {
      LawRequest r = sample_request(*find_dissipation("mixed"), c);
      r.parameters = {{"plastic_share", share}};
      for (const char* elastic : {"hertz", "hooke"}) {
        r.elastic = elastic;
        const auto collision = sample_collision(*specify(r));
        const auto closed = impact::collide(collision), integrated = impact::collide_integrated(collision);
        ASSERT_TRUE(closed && integrated);
        EXPECT_NEAR(closed->restitution, c, 1e-12 * std::max(c, 1e-3)) << c << " " << share;
        EXPECT_NEAR(integrated->restitution, c, 1e-9) << c << " " << share;
        EXPECT_NEAR(closed->plastic_energy_J, share * closed->lost_energy_J, 1e-11 * collision.energy_J())
            << c << " " << share;
        EXPECT_NEAR(integrated->peak_indentation_m / closed->peak_indentation_m, 1, 1e-9);
        EXPECT_NEAR(integrated->duration_s / closed->duration_s, 1, 1e-8);
      }
    }
}

}  // namespace
}  // namespace percuss::tests
