// Derivatives of a collision by dual numbers against differences of the plain collision, for every law of the
// table.
#include <cmath>

#include "percuss/impact/sloped.h"
#include "sample_laws.h"

namespace percuss {
namespace {

using contact::LawSpec;

struct Point {
  LawSpec spec;
  double mass_kg = tests::kMass, velocity_mps = tests::kSpeed;
};

/// The point with one latch input changed by a factor.
Point moved(Point p, int input, double factor) {
  switch (input) {
    case contact::kRestitution: *p.spec.restitution *= factor; break;
    case contact::kStiffness:
      p.spec.stiffness *= factor;
      std::get<contact::Power<>>(p.spec.elastic).stiffness *= factor;
      break;
    case contact::kMass: p.mass_kg *= factor; break;
    case contact::kVelocity: p.velocity_mps *= factor; break;
    default: p.spec.parameter[static_cast<std::size_t>(input - contact::kFirstParameter)] *= factor;
  }
  return p;
}

impact::Collision collision(const Point& p) {
  return {contact::latch(p.spec, p.mass_kg, p.velocity_mps), p.mass_kg, p.velocity_mps};
}

struct Numbers {
  double restitution, force, depth;
};
Numbers plain(const Point& p) {
  const auto o = impact::collide_integrated(collision(p), 1e-13);
  return o ? Numbers{o->restitution, o->peak_force_N, o->peak_indentation_m} : Numbers{};
}

class EveryLawSloped : public ::testing::TestWithParam<contact::DissipationRow> {};

TEST_P(EveryLawSloped, HasTheDerivativesOfItsDifferences) {
  const Result<LawSpec> spec = contact::specify(tests::sample_request(GetParam(), 0.7));
  ASSERT_TRUE(spec);
  if (!contact::can_be_sloped(*spec)) GTEST_SKIP() << "no power law";
  Point p{*spec};
  std::vector<int> inputs;
  if (spec->restitution) inputs.push_back(contact::kRestitution);
  for (const int k : {contact::kStiffness, contact::kMass, contact::kVelocity}) inputs.push_back(k);
  if (spec->row)
    for (std::size_t k = 0; k < spec->row->parameters.size(); ++k)
      inputs.push_back(contact::kFirstParameter + static_cast<int>(k));
  const auto sloped = impact::SlopedCollision::make(p.spec, p.mass_kg, p.velocity_mps, inputs, 1e-11);
  ASSERT_TRUE(sloped) << sloped.errors().front().text;
  const Numbers own = plain(p);
  EXPECT_NEAR(sloped->restitution().value / own.restitution, 1, 1e-7);
  EXPECT_NEAR(sloped->peak_force_N().value / own.force, 1, 1e-7);
  EXPECT_NEAR(sloped->peak_indentation_m().value / own.depth, 1, 1e-8);

  const std::array<double, contact::kLatchInputs> values = contact::latch_values(p.spec, p.mass_kg, p.velocity_mps);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    constexpr double h = 1e-4;  // central: an error of about h^2
    const Numbers more = plain(moved(p, inputs[i], 1 + h)), less = plain(moved(p, inputs[i], 1 - h));
    const double size = values[static_cast<std::size_t>(inputs[i])];
    const auto near = [&](const impact::Sloped& s, double a, double b, double value, const char* what) {
      EXPECT_NEAR(s.slope[i] * size / value, (a - b) / (2 * h * value), 3e-6)
          << GetParam().key << ", " << what << ", input " << inputs[i];
    };
    near(sloped->restitution(), more.restitution, less.restitution, own.restitution, "restitution");
    near(sloped->peak_force_N(), more.force, less.force, own.force, "force");
    near(sloped->peak_indentation_m(), more.depth, less.depth, own.depth, "depth");

    // histories: at a time, and at a depth, against collisions that are a little different
    const auto above =
        impact::SlopedCollision::make(moved(p, inputs[i], 1 + h).spec, moved(p, inputs[i], 1 + h).mass_kg,
                                      moved(p, inputs[i], 1 + h).velocity_mps, {}, 1e-11);
    const auto below =
        impact::SlopedCollision::make(moved(p, inputs[i], 1 - h).spec, moved(p, inputs[i], 1 - h).mass_kg,
                                      moved(p, inputs[i], 1 - h).velocity_mps, {}, 1e-11);
    ASSERT_TRUE(above && below);
    for (const double share : {0.2, 0.45, 0.6, 0.85, 1.2}) {
      const double t = share * sloped->end_s();
      if (std::abs(share * sloped->end_s() / sloped->turn_s() - 1) < 0.02) continue;
      const impact::SlopedSample s = sloped->at_time(t), a = above->at_time(t), b = below->at_time(t);
      const double f = own.force, d = own.depth;
      EXPECT_NEAR(s.force_N.slope[i] * size / f, (a.force_N.value - b.force_N.value) / (2 * h * f), 2e-5)
          << GetParam().key << " force at " << share << ", input " << inputs[i];
      EXPECT_NEAR(s.depth_m.slope[i] * size / d, (a.depth_m.value - b.depth_m.value) / (2 * h * d), 2e-5)
          << GetParam().key << " depth at " << share << ", input " << inputs[i];
    }
    for (const bool out : {false, true}) {
      const double depth = 0.7 * own.depth;
      const impact::SlopedSample s = sloped->at_depth(depth, out), a = above->at_depth(depth, out),
                                 b = below->at_depth(depth, out);
      EXPECT_NEAR(s.force_N.slope[i] * size / own.force, (a.force_N.value - b.force_N.value) / (2 * h * own.force),
                  2e-5)
          << GetParam().key << " at a depth, " << (out ? "out" : "in") << ", input " << inputs[i];
    }
  }
}

/// The loop F(x) is the history F(t), x(t) without its clock: up to the turn, where the last step passes it, and
/// back.
TEST_P(EveryLawSloped, HasTheForceOfItsHistoryAtEveryDepth) {
  const Result<LawSpec> spec = contact::specify(tests::sample_request(GetParam(), 0.7));
  ASSERT_TRUE(spec);
  if (!contact::can_be_sloped(*spec)) GTEST_SKIP() << "no power law";
  const auto run = impact::SlopedCollision::make(*spec, tests::kMass, tests::kSpeed, {}, 1e-11);
  ASSERT_TRUE(run) << run.errors().front().text;
  const double deepest = run->peak_indentation_m().value, peak = run->peak_force_N().value, turn_s = run->turn_s();
  for (int i = 1; i < 400; ++i) {
    const double t = run->end_s() * i / 400;
    const impact::SlopedSample s = run->at_time(t);
    if (s.depth_m.value <= 0 || s.force_N.value <= 0) continue;
    // the depth is located to 1e-14 or so of the deepest; F changes by |F'/x'| times that
    const double slack = 1e-8 * peak + 1e-12 * deepest * std::abs(s.force_rate / s.rate_mps);
    EXPECT_NEAR(run->at_depth(s.depth_m.value, t > turn_s).force_N.value, s.force_N.value, slack)
        << "at " << s.depth_m.value / deepest << " of the depth, " << (t > turn_s ? "leaving" : "approaching");
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLawSloped, ::testing::ValuesIn(contact::dissipation_rows()), tests::test_name);

}  // namespace
}  // namespace percuss
