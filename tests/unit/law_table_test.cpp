// Statements that hold for every row of the law table.
#include <cstring>
#include <fstream>
#include <random>
#include <set>

#include "percuss/expression/parse.h"
#include "sample_laws.h"

namespace percuss::tests {
namespace {

class EveryLaw : public ::testing::TestWithParam<DissipationRow> {};

TEST_P(EveryLaw, NeverPullsUnlessItsRowSaysSo) {
  const Law law = latch(sample_spec(GetParam(), 0.3), kMass, kSpeed);
  bool pulled = false;
  for (const double depth : evenly(0, 3e-5, 31))
    for (const double rate : evenly(-10 * kSpeed, 10 * kSpeed, 41))
      for (const double deepest : {0.0, 2e-5}) pulled = pulled || force_N(law, {depth, rate, deepest}) < 0;
  EXPECT_EQ(pulled, GetParam().release == Release::zero_indentation);
}

TEST_P(EveryLaw, HasNoForceAtAGap) {
  const Law law = latch(sample_spec(GetParam()), kMass, kSpeed);
  for (const double rate : {-1.0, 0.0, 1.0}) EXPECT_EQ(force_N(law, {-1e-9, rate, 1e-5}), 0);
}

TEST_P(EveryLaw, DissipatesAndItsEnergiesAddUpAtEveryMoment) {
  for (const double c : {0.2, 0.7, 1.0}) {
    const impact::Collision collision = sample_collision(sample_spec(GetParam(), c));
    const auto course = impact::history(collision, 201);
    ASSERT_TRUE(course) << one_line(course.errors().front());
    ASSERT_EQ(course->size(), 201u);
    double lost = 0;
    for (const impact::Sample& s : *course) {
      // the integration's tolerance of 1e-11, summed over some hundred steps
      EXPECT_NEAR(s.kinetic_J + s.stored_J + s.lost_J, collision.energy_J(), 1e-8 * collision.energy_J())
          << "t = " << s.time_s;
      EXPECT_GE(s.lost_J, lost - 1e-9 * collision.energy_J()) << "t = " << s.time_s;
      lost = s.lost_J;
    }
  }
}

TEST_P(EveryLaw, IsContinuousWhereItsRowSaysSo) {
  const impact::Collision collision = sample_collision(sample_spec(GetParam(), 0.5));
  const auto outcome = impact::collide(collision);
  ASSERT_TRUE(outcome);
  const double unit = outcome->peak_force_N, deepest = outcome->peak_indentation_m;
  const double touch = force_N(collision.law, {1e-9 * deepest, kSpeed, 0});
  const double tiny = 1e-9 * kSpeed;
  const double turn =
      force_N(collision.law, {deepest, tiny, 0}) - force_N(collision.law, {deepest, -tiny, deepest});
  if (GetParam().jump == Jump::at_touch) {
    EXPECT_GT(touch, 0.01 * unit);
  } else {
    EXPECT_LT(touch, 0.01 * unit);  // x^(1/4) of 1e-9 is 0.006
  }
  if (GetParam().jump == Jump::at_turn) {
    EXPECT_GT(turn, 0.01 * unit);
  } else {
    EXPECT_LT(std::abs(turn), 1e-6 * unit);
  }
}

TEST_P(EveryLaw, HasTheDerivativesOfItsForce) {
  const Law law = latch(sample_spec(GetParam(), 0.6), kMass, kSpeed);
  for (const double depth : {2e-6, 8e-6, 1.7e-5})
    for (const double rate : {-0.15, -0.02, 0.02, 0.2}) {
      const double deepest = rate < 0 ? 1.9e-5 : 0, h = 1e-4 * depth, k = 1e-4 * std::abs(rate);
      const auto f = [&](double dx, double dv) { return force_N(law, {depth + dx, rate + dv, deepest}); };
      const ForceSlopes got = force_slopes(law, {depth, rate, deepest});
      if (got.force_N == 0) continue;  // released or clamped
      EXPECT_EQ(got.force_N, f(0, 0));
      const double by_depth = (f(-2 * h, 0) - 8 * f(-h, 0) + 8 * f(h, 0) - f(2 * h, 0)) / (12 * h);
      const double by_rate = (f(0, -2 * k) - 8 * f(0, -k) + 8 * f(0, k) - f(0, 2 * k)) / (12 * k);
      const double size = std::abs(got.force_N) / depth;  // of a slope; rounding over h is 1e-16/1e-4
      EXPECT_NEAR(got.per_depth_Npm, by_depth, 1e-9 * size) << "depth " << depth << " rate " << rate;
      EXPECT_NEAR(got.per_rate_Nspm, by_rate, 1e-9 * std::abs(got.force_N / rate))
          << "depth " << depth << " rate " << rate;
    }
}

TEST_P(EveryLaw, HasTheDerivativeInItsRestitution) {
  const DissipationRow& row = GetParam();
  if (row.restitution == RestitutionUse::none) GTEST_SKIP() << "takes none";
  for (const Calibration calibration : {Calibration::published, Calibration::exact})
    for (const double c : {0.15, 0.5, 0.93}) {
      const double h = 1e-4 * c, depth = 8e-6, rate = -0.1, deepest = 1e-5;
      const auto f = [&](double dc) {
        return force_N(latch(sample_spec(row, c + dc, calibration), kMass, kSpeed), {depth, rate, deepest});
      };
      const auto sloped = latch_with_slope(sample_spec(row, c, calibration), kMass, kSpeed);
      const Slope got = force(sloped, Indentation<Slope>{Slope(depth), Slope(rate), Slope(deepest)}).total_N;
      EXPECT_NEAR(got.v, f(0), 1e-12 * std::abs(f(0)));
      const double difference = (f(-2 * h) - 8 * f(-h) + 8 * f(h) - f(2 * h)) / (12 * h);
      EXPECT_NEAR(got.d[0], difference, 2e-8 * std::max(std::abs(difference), std::abs(got.v))) << "c = " << c;
    }
}

TEST_P(EveryLaw, GivesTheSameBitsInBatchesAloneAndAsADual) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> depth(-2e-6, 2e-5), rate(-0.5, 0.5);
  const Law law = latch(sample_spec(GetParam(), 0.4), kMass, kSpeed);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 5u, 1023u}) {
    std::vector<double> x(count), v(count), m(count), batch(count, -1), virgin(count, -1);
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = i % 17 == 3 ? 0.0 : depth(random);
      v[i] = i % 19 == 4 ? 0.0 : rate(random);
      m[i] = std::max(0.0, depth(random));
    }
    forces_N(law, x, v, m, batch);
    forces_N(law, x, v, {}, virgin);
    std::vector<double> baseline(count, -1);
    forces_N(law, x, v, m, baseline, 1, InstructionSet::baseline);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(std::memcmp(&baseline[i], &batch[i], sizeof(double)), 0) << "another instruction set";
    for (std::size_t i = 0; i < count; ++i) {
      const double alone = force_N(law, {x[i], v[i], m[i]}), first = force_N(law, {x[i], v[i], 0});
      const double dual = force_slopes(law, {x[i], v[i], m[i]}).force_N;
      EXPECT_EQ(std::memcmp(&batch[i], &alone, sizeof alone), 0)
          << x[i] << " " << v[i] << ": " << batch[i] << " " << alone;
      EXPECT_EQ(std::memcmp(&virgin[i], &first, sizeof first), 0) << x[i] << " " << v[i];
      EXPECT_EQ(std::memcmp(&dual, &alone, sizeof alone), 0) << x[i] << " " << v[i] << ": " << dual << " " << alone;
    }
  }
}

TEST_P(EveryLaw, ReturnsTheSameWhenLengthsMassesAndTimesAreScaled) {
  const DissipationRow& row = GetParam();
  const auto scaled = [&row](double length, double mass, double time) {
    LawRequest r = sample_request(row, 0.45);
    const auto by = [&](const Dimension& d) {
      return std::pow(length, d.m) * std::pow(mass, d.kg) * std::pow(time, d.s);
    };
    const double n = row.fixed_exponent > 0 ? row.fixed_exponent : 1.5;
    if (r.stiffness) *r.stiffness *= by(dimension::stiffness(n));
    for (auto& [name, value] : r.parameters)
      for (const Parameter& p : row.parameters)
        if (p.name == name) value *= by(p.dimension);
    const auto spec = specify(r);
    const double m = kMass * mass, v = kSpeed * by(dimension::velocity);
    const impact::Collision collision{latch(*spec, m, v), m, v};
    return std::pair{*impact::collide(collision), *impact::collide_integrated(collision)};
  };
  const auto [one, one_integrated] = scaled(1, 1, 1);
  for (const auto& [l, m, t] : {std::tuple{1e3, 1.0, 1.0}, {1.0, 1e-4, 1.0}, {1.0, 1.0, 1e5}, {3.7, 2e5, 1e-3}}) {
    const auto [other, integrated] = scaled(l, m, t);
    EXPECT_NEAR(other.restitution, one.restitution, 1e-10);
    EXPECT_NEAR(integrated.restitution, one_integrated.restitution, 1e-10);
    EXPECT_NEAR(other.peak_indentation_m / l, one.peak_indentation_m, 1e-9 * one.peak_indentation_m);
    EXPECT_NEAR(other.duration_s / t, one.duration_s, 1e-9 * one.duration_s);
  }
}

TEST_P(EveryLaw, IsElasticWhenRestitutionOneIsAsked) {
  const DissipationRow& row = GetParam();
  if (row.restitution == RestitutionUse::none) GTEST_SKIP() << "takes none";
  const auto outcome = impact::collide(sample_collision(sample_spec(row, 1)));
  ASSERT_TRUE(outcome);
  if (row.elastic_at_one) {
    EXPECT_NEAR(outcome->restitution, 1, 1e-14);
    EXPECT_NEAR(outcome->lost_energy_J, 0, 1e-14);
  } else {
    EXPECT_NEAR(outcome->restitution, 0.59362426, 1e-8);
  }
  EXPECT_NEAR(impact::collide(sample_collision(sample_spec(row, 1, Calibration::exact)))->restitution, 1, 1e-14);
}

TEST_P(EveryLaw, ExactCalibrationDeliversWhatIsAsked) {
  const DissipationRow& row = GetParam();
  if (row.restitution == RestitutionUse::none) GTEST_SKIP() << "takes none";
  for (const double c : {1e-3, 0.01, 0.1, 0.33, 0.34, 0.5, 0.8, 0.99, 1 - 1e-6, 1 - 1e-9}) {
    const impact::Collision collision = sample_collision(sample_spec(row, c, Calibration::exact));
    EXPECT_NEAR(impact::collide(collision)->restitution / c, 1, 1e-12) << "c = " << c;
    EXPECT_NEAR(impact::collide_integrated(collision)->restitution, c, 1e-9) << "c = " << c;
  }
}

TEST_P(EveryLaw, SaysWhatItIsAndWhereItComesFrom) {
  const DissipationRow& row = GetParam();
  EXPECT_FALSE(row.title.empty() || row.source.empty() || row.formula.empty() || row.claimed.empty());
  EXPECT_NE(row.published.plain, nullptr);
  EXPECT_EQ(row.exact.plain != nullptr, row.restitution != RestitutionUse::none);
  EXPECT_EQ(row.direct.plain != nullptr, row.restitution == RestitutionUse::instead_of_parameters);
  for (const Parameter& p : row.parameters) EXPECT_TRUE(expression::is_free_name(p.name)) << p.name;
}

TEST_P(EveryLaw, HasAParagraphOfTheory) {
  std::ifstream page(PERCUSS_SOURCE "/docs/theory/laws.md");
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("### `" + std::string(GetParam().key) + "`\n"), std::string::npos);
}

TEST_P(EveryLaw, RefusesAnotherExponentIfItFixesOne) {
  LawRequest r = sample_request(GetParam());
  r.exponent = 1.3;
  r.stiffness = 1e8;
  const auto spec = specify(r);
  EXPECT_EQ(bool(spec), GetParam().fixed_exponent == 0);
  if (spec) {
    EXPECT_TRUE(impact::collide_integrated(sample_collision(*spec)));
  } else {
    EXPECT_NE(spec.errors().front().text.find("is defined for n = "), std::string::npos)
        << spec.errors().front().text;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLaw, ::testing::ValuesIn(dissipation_rows().begin(), dissipation_rows().end()),
                         test_name);

TEST(LawTable, HasEveryKeyOnce) {
  const std::set<std::string_view> wanted = {"none",
                                             "kelvin-voigt",
                                             "anagnostopoulos",
                                             "ristow",
                                             "lee-herrmann",
                                             "hunt-crossley",
                                             "hunt-crossley-alpha",
                                             "herbert-mcwhannell",
                                             "lee-wang",
                                             "lankarani-nikravesh",
                                             "gonthier",
                                             "zhiying-qishao",
                                             "flores",
                                             "gharib-hurmuzlu",
                                             "kuwabara-kono",
                                             "tsuji",
                                             "jankowski",
                                             "bordbar-hyppanen",
                                             "hu-guo",
                                             "carvalho-martins",
                                             "exact",
                                             "adams-impact",
                                             "lankarani-nikravesh-plastic",
                                             "walton-braun",
                                             "thornton",
                                             "bistiffness",
                                             "mixed"};
  std::set<std::string_view> found;
  for (const DissipationRow& row : dissipation_rows()) EXPECT_TRUE(found.insert(row.key).second) << row.key;
  EXPECT_EQ(found, wanted);
  const auto words = law_words();
  EXPECT_EQ(std::set(words.begin(), words.end()).size(), words.size()) << "a word stands for two things";
}

TEST(LawTable, AliasesResolveAndSaySo) {
  for (const Alias& alias : aliases()) {
    const DissipationRow* row = find_dissipation(alias.key);
    ASSERT_NE(row, nullptr) << alias.name;
    LawRequest r = sample_request(*row);
    r.law = alias.name;
    const auto spec = specify(r);
    ASSERT_TRUE(spec) << alias.name;
    EXPECT_EQ(spec->row, row);
    ASSERT_EQ(spec->notes.size(), 1u);
    EXPECT_NE(spec->notes.front().find(alias.name), std::string::npos);
  }
}

}  // namespace
}  // namespace percuss::tests
