// Episodes: what is latched at touch, the speed a law uses, where contact ends, what a plastic contact leaves.
#include "percuss/contact/episode.h"

#include <gtest/gtest.h>

#include <cmath>

#include "percuss/contact/restitution.h"

namespace percuss {
namespace {

using contact::Episode;
using contact::EpisodeRules;
using contact::LawSpeed;
using Phase = Episode::Phase;

constexpr double kMass = 0.5, kSpeed = 0.8, kStiffness = 1e8, kG = 9.81;

EpisodeRules rules_of(const char* law, LawSpeed speed, double restitution = 0.6, const char* elastic = "hertz",
                      bool persistent = false) {
  contact::LawRequest r;
  r.law = law;
  r.elastic = elastic;
  r.stiffness = kStiffness;
  r.restitution = restitution;
  r.calibration = contact::Calibration::exact;
  const auto spec = contact::specify(r);
  if (!spec) throw std::runtime_error(one_line(spec.errors().front()));
  return {*spec, speed, persistent};
}

constexpr LawSpeed kTouch{}, kEffective{LawSpeed::Rule::effective, 0};

/// Half the period of an oscillator as stiff as the contact at its largest indentation: about the time of contact.
double contact_time_s() {
  const double depth = contact::depth_of_energy_m(contact::Power<>{kStiffness, 1.5}, kMass * kSpeed * kSpeed / 2);
  return 2.94 * depth / kSpeed;  // Hertz
}

struct Flight {
  double depth_m = 0, rate_mps = 0;  // rate at the half step before
  Episode episode;
};

/// One step of velocity Verlet: the force at n with the rate at n - 1/2, then kick and drift.
void step(const EpisodeRules& rules, double dt_s, double load_N, Flight& f) {
  if (begins(f.episode, f.depth_m)) touch(rules, {kMass, f.rate_mps}, f.episode);
  const double force_N = force(rules, f.episode, {f.depth_m, f.rate_mps}).total_N;
  advance(rules, {f.depth_m, f.rate_mps}, f.episode);
  f.rate_mps += (load_N - force_N) / kMass * dt_s;
  f.depth_m += f.rate_mps * dt_s;
}

/// From `phase` of a step before touch to the gap after it.
Flight collided(const EpisodeRules& rules, double dt_s, double phase) {
  Flight f{-phase * dt_s * kSpeed, kSpeed, {}};
  bool touched = false;
  for (int i = 0; i < 100000; ++i) {
    step(rules, dt_s, 0, f);
    touched = touched || f.episode.phase != Phase::apart;
    if (touched && f.episode.phase == Phase::apart) return f;
  }
  ADD_FAILURE() << "the collision does not end";
  return f;
}

// ---- the speed of the law

TEST(Episodes, DeliverThePrescribedRestitutionAtFixedStepUnderTheEffectiveSpeed) {
  const EpisodeRules rules = rules_of("flores", kEffective);
  for (const auto& [steps, tolerance] : {std::pair{50.0, 3e-5}, std::pair{100.0, 5e-6}}) {
    double worst = 0;
    for (int k = 0; k < 200; ++k) {
      const Flight f = collided(rules, contact_time_s() / steps, (k + 0.5) / 200);
      worst = std::max(worst, std::abs(-f.rate_mps / kSpeed - 0.6));
      EXPECT_FALSE(f.episode.was_raised());
    }
    EXPECT_LT(worst, tolerance) << "steps in a contact: " << steps;
    EXPECT_GT(worst, tolerance / 4) << "the tolerance is that of the steps";
  }
}

TEST(Episodes, EffectiveAndTouchAreTheSameBitsInAFreeCollision) {
  for (const char* law : {"flores", "tsuji", "lankarani-nikravesh-plastic"}) {
    const Flight a = collided(rules_of(law, kTouch), contact_time_s() / 100, 0.3);
    const Flight b = collided(rules_of(law, kEffective), contact_time_s() / 100, 0.3);
    EXPECT_EQ(a.rate_mps, b.rate_mps) << law;
    EXPECT_EQ(a.depth_m, b.depth_m) << law;
  }
}

TEST(Episodes, AContactBornWithoutSpeedUnderLoadSettlesAtItsStaticIndentation) {
  for (const char* elastic : {"hertz", "hooke"}) {
    const EpisodeRules rules = rules_of("exact", kEffective, 0.6, elastic);
    const double load_N = kMass * kG;
    const double exponent = rules.spec.exponent, rest_m = std::pow(load_N / kStiffness, 1 / exponent);
    const double dt_s = 0.02 * std::sqrt(kMass / (exponent * kStiffness * std::pow(rest_m, exponent - 1)));
    Flight f{1e-18, 0, {}};
    double deepest_m = 0;
    for (int i = 0; i < 5000; ++i) {
      step(rules, dt_s, load_N, f);
      ASSERT_TRUE(std::isfinite(f.depth_m)) << elastic << ", step " << i;
      deepest_m = std::max(deepest_m, f.depth_m);
    }
    EXPECT_NEAR(f.depth_m, rest_m, 1e-9 * rest_m) << elastic;
    EXPECT_LT(deepest_m, 2 * rest_m) << "no more than a load put on suddenly, without damping";
    EXPECT_EQ(f.episode.approach_mps, 0);
    EXPECT_TRUE(f.episode.was_raised()) << "and it says so";
    EXPECT_NEAR(f.episode.highest_law_speed_mps,
                std::sqrt(2 * contact::elastic_energy_J(rules.spec.elastic, deepest_m) / kMass),
                1e-9 * f.episode.highest_law_speed_mps);
  }
}

/// a f/sqrt(2 U/m) x' = 2 z sqrt((n+1) K m/2) x^((n-1)/2) x' with z = a/2.
TEST(Episodes, UnderLoadTheEffectiveSpeedIsTsujisDampingOfHalfTheFactor) {
  const double a = contact::damping_of_restitution(0.6);
  for (const char* elastic : {"hertz", "hooke"}) {
    const EpisodeRules rules = rules_of("exact", kEffective, 0.6, elastic);
    const double n = rules.spec.exponent;
    Episode e;
    touch(rules, {kMass, 0}, e);
    for (const double depth : {1e-9, 1e-6, 1e-3})
      for (const double rate : {-1e-3 * depth, 0.0, 0.1 * depth}) {
        const contact::NormalForce<> f = force(rules, e, {depth, rate});
        const double tsuji = a * std::sqrt((n + 1) * kStiffness * kMass / 2) * std::pow(depth, (n - 1) / 2) * rate;
        EXPECT_NEAR(f.total_N - f.elastic_N, tsuji, 1e-12 * f.elastic_N) << elastic << " " << depth;
      }
    EXPECT_EQ(force(rules, e, {0, 0.1}).total_N, 0) << "no indentation, no number that is none";
    EXPECT_TRUE(std::isfinite(force(rules, e, {1e-200, 1}).total_N));
  }
}

TEST(Episodes, LatchTheSpeedThatTheRuleSays) {
  EXPECT_EQ(law_speed_mps(kTouch, {1, 0.3, 0.1}), 0.3);
  EXPECT_EQ(law_speed_mps(kTouch, {1, 0.3, 0.5}), 0.5) << "never below rest";
  EXPECT_EQ(law_speed_mps(kTouch, {1, 0, 0}), 0) << "the engine decides";
  EXPECT_EQ(contact::law_speed_mps({LawSpeed::Rule::fixed, 2}, {1, 0.3, 0.5}), 2);
  Episode e;
  const EpisodeRules fixed = rules_of("exact", {LawSpeed::Rule::fixed, 2});
  touch(fixed, {kMass, 0.3}, e);
  EXPECT_EQ(e.law, contact::latch(fixed.spec, kMass, 2));
  EXPECT_TRUE(e.was_raised());
  touch(fixed, {kMass, 3}, e);
  EXPECT_EQ(e.law, contact::latch(fixed.spec, kMass, 2));
  EXPECT_FALSE(e.was_raised());
}

TEST(Episodes, ReadTheRuleAsAUserWritesIt) {
  EXPECT_EQ(*contact::read_law_speed("touch"), kTouch);
  EXPECT_EQ(*contact::read_law_speed("effective"), kEffective);
  EXPECT_EQ(*contact::read_law_speed("300 mm/s"), (LawSpeed{LawSpeed::Rule::fixed, 0.3}));
  EXPECT_EQ(contact::read_law_speed("3 kg").errors().front().kind, Diagnostic::Kind::dimension);
  for (const char* wrong : {"", "0", "-1", "rest"}) EXPECT_FALSE(contact::read_law_speed(wrong)) << wrong;
}

TEST(Episodes, RestSpeedIsThatOfAFallThroughTheStaticIndentation) {
  const contact::Law hooke = contact::latch(rules_of("exact", kTouch, 0.6, "hooke").spec, kMass, 1);
  EXPECT_NEAR(rest_speed_mps(hooke, kMass, kG), kG * std::sqrt(2 * kMass / kStiffness), 1e-15);
  EXPECT_EQ(rest_speed_mps(hooke, kMass, 0), 0);
  EXPECT_EQ(rest_speed_mps(hooke, kMass, -1), 0) << "a load that parts them";
}

// ---- its end

TEST(Episodes, EndAtTheReleaseOfTheRowAndBeginAgainAfterAGap) {
  contact::LawRequest r;
  r.law = "kelvin-voigt";
  r.stiffness = 1e6;
  r.restitution = 0.5;
  for (const contact::Release release : {contact::Release::zero_force, contact::Release::zero_indentation}) {
    r.release = release;
    const auto spec = contact::specify(r);
    ASSERT_TRUE(spec) << one_line(spec.errors().front());
    const EpisodeRules rules{*spec};
    Episode e;
    EXPECT_FALSE(begins(e, -1e-6));
    EXPECT_FALSE(separates(rules, e, {-1e-6, 0})) << "there is none to end";
    EXPECT_EQ(force(rules, e, {1e-6, 1}).total_N, 0) << "nothing was latched";
    ASSERT_TRUE(begins(e, 1e-9));
    touch(rules, {kMass, 1}, e);
    EXPECT_FALSE(begins(e, 1e-6)) << "one at a time";
    advance(rules, {1e-4, 0.5}, e);
    const contact::Indentation<> pulling{1e-5, -1};  // k x < c |x'|
    EXPECT_EQ(separates(rules, e, pulling), release == contact::Release::zero_force);
    advance(rules, pulling, e);
    EXPECT_EQ(e.phase, release == contact::Release::zero_force ? Phase::separated : Phase::touching);
    EXPECT_FALSE(begins(e, 1e-5)) << "not without a gap";
    const Episode before = e;
    advance(rules, {1e-5, 1}, e);  // struck again before there was a gap: what was latched stays
    EXPECT_EQ(e.phase, Phase::touching);
    EXPECT_EQ(e.law, before.law);
    EXPECT_TRUE(separates(rules, e, {-1e-9, -1}));
    advance(rules, {-1e-9, -1}, e);
    EXPECT_EQ(e.phase, Phase::apart);
    EXPECT_TRUE(begins(e, 1e-9));
  }
}

// ---- plastic contacts

TEST(Episodes, KeepThePermanentIndentationIfTheContactIsPersistent) {
  for (const bool persistent : {true, false}) {
    const EpisodeRules rules = rules_of("lankarani-nikravesh-plastic", kTouch, 0.6, "hertz", persistent);
    const double dt_s = contact_time_s() / 400;
    Flight first = collided(rules, dt_s, 0.5);
    const Episode& e = first.episode;
    EXPECT_NEAR(-first.rate_mps / kSpeed, 0.6, 2e-3);
    if (!persistent) {
      EXPECT_EQ(e.permanent_m, 0);
      EXPECT_EQ(e.deepest_m, 0);
      continue;
    }
    // plastic unloading loses the share 1 - e^2 of the energy, and leaves it of the indentation
    const double deepest_m = contact::depth_of_energy_m(rules.spec.elastic, kMass * kSpeed * kSpeed / 2);
    EXPECT_NEAR(e.deepest_m, deepest_m, 1e-4 * deepest_m);
    EXPECT_NEAR(e.permanent_m, (1 - 0.36) * deepest_m, 1e-4 * deepest_m);
    // the second episode begins there, and a slower collision stays on the curve of unloading: nothing is lost
    EXPECT_FALSE(begins(e, 0.999 * e.permanent_m));
    ASSERT_TRUE(begins(e, 1.001 * e.permanent_m));
    const double left_m = e.permanent_m;
    Flight second{e.permanent_m, 0.3 * kSpeed, e};
    for (int i = 0; i < 100000 && !(i > 0 && second.rate_mps < 0 && second.depth_m < left_m); ++i)
      step(rules, dt_s, 0, second);
    EXPECT_NEAR(-second.rate_mps, 0.3 * kSpeed, 1e-3 * kSpeed) << "elastic in its own dent";
    EXPECT_EQ(second.episode.deepest_m, e.deepest_m);
  }
}

TEST(Episodes, ACollisionInADentDoesNotRaiseTheSpeed) {
  const EpisodeRules rules = rules_of("lankarani-nikravesh-plastic", kEffective, 0.6, "hertz", true);
  const double dt_s = contact_time_s() / 400;
  const Flight first = collided(rules, dt_s, 0.5);
  Flight second{first.episode.permanent_m, 0.3 * kSpeed, first.episode};
  for (int i = 0; i < 100000 && !(i > 0 && second.rate_mps < 0 && second.episode.phase == Phase::separated); ++i)
    step(rules, dt_s, 0, second);
  EXPECT_NEAR(second.episode.highest_law_speed_mps, 0.3 * kSpeed, 1e-3 * kSpeed);
}

}  // namespace
}  // namespace percuss
