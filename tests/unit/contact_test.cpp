// Stiffness, elastic laws, specifications, history, batches, user laws.
#include <limits>
#include <set>

#include "percuss/impact/validity.h"
#include "sample_laws.h"

namespace percuss::tests {
namespace {

constexpr double kPlane = std::numeric_limits<double>::infinity();

TEST(Stiffness, OfSteelBallsIsThatOfThePapers) {
  const auto ball_on = [](double young, double poisson) {
    return hertz_stiffness(effective_modulus_Pa(210e9, 0.30, young, poisson), effective_radius_m(0.0254, kPlane));
  };
  EXPECT_NEAR(ball_on(213e9, 0.29), 2.4614e10, 0.00005e10);
  EXPECT_NEAR(ball_on(205e9, 0.29), 2.4144e10, 0.00005e10);
  EXPECT_NEAR(hertz_stiffness(effective_modulus_Pa(207e9, 0.3, 207e9, 0.3), effective_radius_m(0.05, 0.05)),
              2.398e10, 0.0005e10);
}

TEST(Stiffness, OfABallInASocketGrowsAsTheRadiiMeet) {
  EXPECT_DOUBLE_EQ(effective_radius_m(0.01, -0.02), 0.02);
  EXPECT_GT(effective_radius_m(0.01, -0.011), effective_radius_m(0.01, -0.02));
  EXPECT_DOUBLE_EQ(effective_radius_m(0.01, kPlane), 0.01);
}

TEST(ElasticLaws, EnergyIsTheIntegralOfTheForceAndInverts) {
  const Pairing pair{115e9, 0.0095, -0.01, 0.015};
  for (const ElasticRow& row : elastic_rows()) {
    const ElasticInputs in{1e8, row.exponent > 0 ? row.exponent : 1.7, pair};
    const Elastic<> law = row.make(in);
    double sum = 0;
    const int steps = 20'000;
    const double depth = 1e-5;
    for (int i = 0; i < steps; ++i)
      sum += elastic_force_N(law, depth * (i + 0.5) / steps) * depth / steps;  // midpoint rule
    EXPECT_NEAR(elastic_energy_J(law, depth) / sum, 1, 1e-6) << row.key;
    EXPECT_NEAR(depth_of_energy_m(law, elastic_energy_J(law, depth)) / depth, 1, 1e-13) << row.key;
    EXPECT_GT(elastic_slope_Npm(law, depth), 0) << row.key;
    EXPECT_EQ(elastic_force_N(law, 0), 0) << row.key;
  }
}

TEST(Specifications, ReportEverythingThatIsMissingAtOnce) {
  LawRequest r;
  r.law = "mixed";
  const auto spec = specify(r);
  ASSERT_FALSE(spec);
  std::set<std::string> words;
  for (const Diagnostic& d : spec.errors()) words.insert(d.at.source);
  EXPECT_EQ(words, (std::set<std::string>{"restitution", "stiffness", "parameters.plastic_share"}));
}

TEST(Specifications, RefuseInfiniteDampingAtZeroRestitution) {
  for (const char* law : {"flores", "gonthier", "hu-guo", "gharib-hurmuzlu", "jankowski", "exact"}) {
    LawRequest r = sample_request(*find_dissipation(law), 0);
    EXPECT_FALSE(specify(r)) << law;
  }
  for (const char* law : {"hunt-crossley", "lankarani-nikravesh", "lee-wang", "zhiying-qishao", "carvalho-martins",
                          "bistiffness", "lankarani-nikravesh-plastic", "mixed"}) {
    const auto spec = specify(sample_request(*find_dissipation(law), 0));
    ASSERT_TRUE(spec) << law;
    const auto out = impact::collide(sample_collision(*spec));
    ASSERT_TRUE(out) << law;
    const auto integrated = impact::collide_integrated(sample_collision(*spec));
    ASSERT_TRUE(integrated) << law;
    EXPECT_NEAR(out->restitution, integrated->restitution, 1e-9) << law;
  }
  LawRequest damped = sample_request(*find_dissipation("lankarani-nikravesh"), 0);
  damped.calibration = Calibration::exact;
  EXPECT_FALSE(specify(damped)) << "the exact calibration needs infinite damping";
}

TEST(Specifications, TellContradictionsApart) {
  const auto fails_at = [](LawRequest r) {
    const auto spec = specify(r);
    return spec ? std::string("nothing") : spec.errors().front().at.source;
  };
  LawRequest base;
  base.law = "flores";
  base.stiffness = 1e8;
  base.restitution = 0.5;
  EXPECT_EQ(fails_at(base), "nothing");
  auto with = [&base](auto&& change) {
    LawRequest r = base;
    change(r);
    return r;
  };
  EXPECT_EQ(fails_at(with([](auto& r) { r.elastic = "hertz", r.exponent = 2; })), "exponent");
  EXPECT_EQ(fails_at(with([](auto& r) { r.elastic = "hertzz"; })), "elastic");
  EXPECT_EQ(fails_at(with([](auto& r) { r.law = "hertz", r.elastic = "hooke", r.restitution.reset(); })),
            "elastic");
  EXPECT_EQ(fails_at(with([](auto& r) { r.pairing = Pairing{1e11, 0.01, kPlane, 0}; })), "stiffness");
  EXPECT_EQ(fails_at(with([](auto& r) { r.elastic = "johnson"; })), "stiffness");
  EXPECT_EQ(fails_at(with([](auto& r) { r.law = "hertz"; })), "restitution");
  EXPECT_EQ(fails_at(with([](auto& r) { r.parameters = {{"alpha", 1}}; })), "parameters");
  EXPECT_EQ(fails_at(with([](auto& r) { r.release = Release::zero_indentation; })), "release");
  EXPECT_EQ(fails_at(with([](auto& r) {
              r.law = "kelvin-voigt", r.parameters = {{"damping", 1}};
            })),
            "restitution");
  EXPECT_EQ(fails_at(with([](auto& r) { r.law = "kelvin-voigt", r.exponent = 1.5; })), "exponent");
  EXPECT_EQ(fails_at(with([](auto& r) {
              r.law = "walton-braun", r.restitution.reset(), r.parameters = {{"unloading_stiffness", 1e7}};
            })),
            "parameters.unloading_stiffness");
  EXPECT_EQ(
      fails_at(with([](auto& r) {
        r.law = "thornton", r.restitution.reset(), r.stiffness.reset(), r.pairing = Pairing{1e11, 0.01, kPlane, 0};
        r.parameters = {{"yield_pressure", 1e9}, {"effective_modulus", 1e9}};
      })),
      "parameters.effective_modulus");
  EXPECT_EQ(fails_at(with([](auto& r) { r.restitution = 1.2; })), "restitution");
  EXPECT_EQ(fails_at(with([](auto& r) { r.stiffness = -1; })), "stiffness");
}

TEST(PlasticLaws, ReloadAlongTheUnloadingCurveAndThenTheVirginOne) {
  const Law law = latch(sample_spec(*find_dissipation("lankarani-nikravesh-plastic"), 0.6), kMass, kSpeed);
  const double deepest = 1e-5, peak = force_N(law, {deepest, 0, 0}),
               residual = permanent_indentation_m(law, deepest);
  EXPECT_NEAR(residual, deepest * (1 - 0.36), 1e-18);
  EXPECT_EQ(force_N(law, {residual, 0, deepest}), 0);
  EXPECT_EQ(force_N(law, {0.9 * residual, 0, deepest}), 0) << "below the permanent indentation nothing touches";
  EXPECT_NEAR(force_N(law, {deepest, 0, deepest}), peak, 1e-9 * peak);
  EXPECT_LT(force_N(law, {0.9e-5, 0, deepest}), force_N(law, {0.9e-5, 0, 0}));
  EXPECT_EQ(force_N(law, {1.2e-5, 0, deepest}), force_N(law, {1.2e-5, 0, 0}));
}

TEST(Batches, DoNotDependOnTheNumberOfThreads) {
  const Law law = latch(sample_spec(*find_dissipation("mixed"), 0.4), kMass, kSpeed);
  const std::size_t count = 100'003;
  std::vector<double> x(count), v(count), m(count), one(count), four(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = 1e-5 * std::sin(static_cast<double>(i));
    v[i] = 0.3 * std::cos(static_cast<double>(i) * 1.7);
    m[i] = 1e-5;
  }
  forces_N(law, x, v, m, one, 1);
  forces_N(law, x, v, m, four, 4);
  EXPECT_EQ(one, four);
}

Result<LawSpec> user_spec(const std::string& force, Release release = Release::zero_force) {
  const auto user = make_user_law("mine", force, {{"beta", 0.3}}, release);
  if (!user) return user.errors();
  LawRequest r;
  r.user_law = *user;
  r.stiffness = kStiffness;
  r.exponent = 1.5;
  r.restitution = 0.6;
  return specify(r);
}

TEST(UserLaws, GiveTheNumbersOfTheBuiltInLawTheyRepeat) {
  const auto spec = user_spec("K*delta^n*(1 + 8*(1-c)/(5*c)*ddelta/v0)");
  ASSERT_TRUE(spec);
  const auto mine = impact::collide(sample_collision(*spec));
  const auto built_in = impact::collide(sample_collision(sample_spec(*find_dissipation("flores"), 0.6)));
  ASSERT_TRUE(mine);
  EXPECT_NEAR(mine->restitution, built_in->restitution, 1e-10);
  EXPECT_NEAR(mine->peak_force_N / built_in->peak_force_N, 1, 1e-10);
  EXPECT_NEAR(mine->duration_s / built_in->duration_s, 1, 1e-9);
}

TEST(UserLaws, SayWhatTheyDoNotUse) {
  const auto spec = user_spec("1e9*delta");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->notes.size(), 3u);  // K, n and c were given
  EXPECT_FALSE(spec->restitution);
}

TEST(UserLaws, AreCheckedForPolesUnknownNamesAndEnergyFromNothing) {
  EXPECT_FALSE(user_spec("K*delta^n*gamma"));
  const auto fault = [](const std::string& force) {
    const auto spec = user_spec(force);
    const impact::Collision collision = sample_collision(*spec);
    const auto faults = impact::user_law_faults(collision, impact::collide(collision));
    return faults.empty() ? std::string() : faults.front().text;
  };
  EXPECT_EQ(fault("K*delta^n"), "");
  EXPECT_NE(fault("K/delta"), "");
  EXPECT_NE(fault("K*delta^n/(delta - 5e-6)"), "");
  EXPECT_NE(fault("K*delta^n + 1/(delta - 5e-6)^2*0 + K*delta^n*1e-9/(delta-5e-6)"), "")
      << "a pole inside the range";
  EXPECT_NE(fault("K*delta^n*(1 - 0.5*ddelta/v0)"), "") << "creates energy";
  EXPECT_NE(fault("0*delta"), "") << "stops nothing";
  EXPECT_NE(fault("-K*delta"), "") << "pulls";
  EXPECT_NE(fault("K*delta^n*log(delta - 1)"), "") << "outside the domain of log";
}

}  // namespace
}  // namespace percuss::tests
