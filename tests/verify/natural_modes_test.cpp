// Natural modes against closed forms, and against an independent Lagrangian.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "percuss/base/index.h"
#include "percuss/dynamics/equilibrium.h"
#include "percuss/dynamics/natural_modes.h"
#include "random_cases.h"
#include "scene_runs.h"

namespace percuss {
namespace {

using dynamics::NaturalMode;
using Kind = NaturalMode::Kind;

/// Differences of order 4 are exact to 3e-10 of a Hertzian stiffness, a frequency to half of that; rounding of
/// places adds about as much.
constexpr double kExact = 1e-8;

struct Vibration {
  model::Compiled compiled;
  dynamics::Equilibrium equilibrium;
  dynamics::NaturalModes modes;

  explicit Vibration(const std::string& text) : compiled(from_text(text)) {
    equilibrium =
        dynamics::find_equilibrium(compiled.model, compiled.settings, dynamics::initial_state(compiled.model));
    EXPECT_EQ(equilibrium.failure, "");
    if (equilibrium.is_found()) modes = dynamics::natural_modes(compiled.model, equilibrium.state);
  }
  std::vector<NaturalMode> of(Kind kind) const {
    std::vector<NaturalMode> out;
    for (const NaturalMode& m : modes.modes)
      if (m.kind == kind) out.push_back(m);
    return out;
  }
};

/// All that oscillates, in rad/s, is undamped and as listed; and there are so many rigid-body motions.
void expect_undamped(const Vibration& v, std::vector<double> omega_radps, std::size_t rigid,
                     double relative = kExact) {
  std::ranges::sort(omega_radps);
  const std::vector<NaturalMode> found = v.of(Kind::oscillation);
  EXPECT_EQ(v.of(Kind::rigid_body).size(), rigid);
  ASSERT_EQ(found.size(), omega_radps.size());
  EXPECT_EQ(v.modes.modes.size(), found.size() + rigid);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(2 * std::numbers::pi * found[i].natural_frequency_Hz() / omega_radps[i], 1, relative) << i;
    EXPECT_EQ(found[i].damping_ratio(), 0) << i;
  }
}

TEST(NaturalModes, OfAPendulum) {
  const Vibration v(R"(
planar: true
bodies:
  rod: {mass: 2, inertia: 0.1, at: [0.5, 0.1]}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0]}
solver: {duration: 1}
)");
  const double l = std::hypot(0.5, 0.1);
  expect_undamped(v, {std::sqrt(2 * 9.81 * l / (0.1 + 2 * l * l))}, 0);
}

TEST(NaturalModes, OfADoublePendulum) {
  const Vibration v(R"(
planar: true
bodies:
  upper: {mass: 3, particle: true, at: [0.3, -0.4]}
  lower: {mass: 3, particle: true, at: [0.6, -0.8]}
joints:
  a: {type: distance, between: [ground, upper], anchors: [[0, 0], [0, 0]]}
  b: {type: distance, between: [upper, lower], anchors: [[0, 0], [0, 0]]}
solver: {duration: 1}
)");
  const double w2 = 9.81 / 0.5;
  expect_undamped(v, {std::sqrt(w2 * (2 - std::sqrt(2))), std::sqrt(w2 * (2 + std::sqrt(2)))}, 0);
}

std::string damped_mass(double damping) {
  return "bodies:\n  mass: {mass: 2, inertia: 1, at: [1, 0, 0]}\njoints:\n"
         "  rail: {type: prismatic, between: [ground, mass], at: [1, 0, 0], axis: x}\nsprings:\n"
         "  s: {between: [ground, mass], anchors: [[0, 0, 0], [0, 0, 0]], stiffness: 800, damping: " +
         text_of(damping) + "}\nsolver: {duration: 1}\n";
}

TEST(NaturalModes, OfAMassOnASpringWithADamper) {
  const double omega = 20, ratio = 0.3;
  const Vibration v(damped_mass(2 * ratio * omega * 2));
  ASSERT_EQ(v.modes.modes.size(), 1U);
  const NaturalMode& m = v.modes.modes[0];
  EXPECT_EQ(m.kind, Kind::oscillation);
  EXPECT_NEAR(m.natural_frequency_Hz(), omega / (2 * std::numbers::pi), kExact);
  EXPECT_NEAR(m.damped_frequency_Hz(), omega * std::sqrt(1 - ratio * ratio) / (2 * std::numbers::pi), kExact);
  EXPECT_NEAR(m.damping_ratio(), ratio, kExact);
  EXPECT_NEAR(m.time_constant_s(), 1 / (ratio * omega), kExact);
}

TEST(NaturalModes, OfAMassWithAStrongDamperAreTwoDecays) {
  const double omega = 20, ratio = 2;
  const Vibration v(damped_mass(2 * ratio * omega * 2));
  ASSERT_EQ(v.modes.modes.size(), 2U);
  for (const int sign : {-1, 1}) {
    const NaturalMode& m = v.modes.modes[sign < 0 ? 0 : 1];
    EXPECT_EQ(m.kind, Kind::decay);
    EXPECT_NEAR(m.time_constant_s() * omega * (ratio + sign * std::sqrt(ratio * ratio - 1)), 1, kExact);
  }
}

TEST(NaturalModes, AnInvertedPendulumIsUnstable) {
  const Vibration v(R"(
planar: true
bodies:
  mass: {mass: 2, particle: true, at: [0, 0.5]}
joints:
  rod: {type: distance, between: [ground, mass], anchors: [[0, 0], [0, 0]]}
solver: {duration: 1}
)");
  const std::vector<NaturalMode> grows = v.of(Kind::unstable), decays = v.of(Kind::decay);
  ASSERT_EQ(grows.size(), 1U);
  ASSERT_EQ(decays.size(), 1U);
  EXPECT_NEAR(grows[0].rate_radps.real() / std::sqrt(9.81 / 0.5), 1, kExact);
  EXPECT_NEAR(decays[0].rate_radps.real() / std::sqrt(9.81 / 0.5), -1, kExact);
}

std::string ball(const std::string& law) {
  return R"(
bodies:
  ground: {shape: {kind: plane, axis: z}}
  ball: {mass: 2, inertia: 0.008, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.11]}
contacts:
  touch: {between: [ball, ground], stiffness: 1e8, )" +
         law + "}\nsolver: {duration: 1}\n";
}

// omega^2 = K n d^(n-1)/m at the indentation d = (m g/K)^(1/n), n = 3/2
TEST(NaturalModes, OfABallOnAPlaneAreThoseOfTheSlopeOfHertzAtRest) {
  const double d = std::pow(2 * 9.81 / 1e8, 2.0 / 3);
  expect_undamped(Vibration(ball("law: hertz")), {std::sqrt(1.5 * 1e8 * std::sqrt(d) / 2)}, 5);
}

// F = K d^1.5 (1 + a d'/v0), a = 1.5 (1 - e): the damping is m g a/v0 at rest, v0 what the law is latched with
TEST(NaturalModes, OfABallUnderALawWithDampingHaveThatOfTheLawAtRest) {
  const double e = 0.9, v0 = 2, d = std::pow(2 * 9.81 / 1e8, 2.0 / 3),
               omega = std::sqrt(1.5 * 1e8 * std::sqrt(d) / 2);
  const Vibration v(ball("law: hunt-crossley, restitution: 0.9, law_speed: 2 m/s"));
  const std::vector<NaturalMode> found = v.of(Kind::oscillation);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(v.of(Kind::rigid_body).size(), 5U);
  EXPECT_NEAR(2 * std::numbers::pi * found[0].natural_frequency_Hz() / omega, 1, kExact);
  EXPECT_NEAR(found[0].damping_ratio() / (9.81 * 1.5 * (1 - e) / v0 / (2 * omega)), 1, kExact);
}

// Two ways: the engine's run after a small tap, and the rate s of its mode. Samples of exp(s t) and its conjugate
// at equal distances obey x(n+1) = 2 Re(w) x(n) - |w|^2 x(n-1), w = exp(s dt), whatever their phase.
TEST(NaturalModes, AreWhatARunRingsWithAfterASmallTap) {
  const double dt = 1e-3, d = std::pow(2 * 9.81 / 1e8, 2.0 / 3);
  std::string text = ball("law: hunt-crossley, restitution: 0.9, law_speed: 0.05 m/s");
  const Vibration v(text);
  ASSERT_EQ(v.of(Kind::oscillation).size(), 1U);
  const std::complex<double> w = std::exp(v.of(Kind::oscillation)[0].rate_radps * dt);
  text +=
      "forces: {tap: {body: ball, force: [0, 0, \"1e-2*exp(-((t - 0.01)/1e-3)^2)\"]}}\nstart: {equilibrium: "
      "true}\n";
  const SceneRun run = run_text(text, {"solver.duration=0.1", "solver.tolerance=1e-12", "outputs.every=1ms"});
  std::vector<double> x;
  double most = 0;
  for (const auto& row : run.samples.rows("bodies/ball"))
    x.push_back(row[run.samples.column("bodies/ball", "z")] - (0.1 - d));
  for (const double deviation : x) most = std::max(most, std::abs(deviation));
  ASSERT_GT(most, 1e-9);
  int checked = 0;
  for (std::size_t n = 20; n + 1 < x.size(); ++n, ++checked)  // after the tap
    // the force of K d^1.5 bends by a quarter of the deviation over d
    EXPECT_NEAR(x[n + 1], 2 * w.real() * x[n] - std::norm(w) * x[n - 1], most * most / d) << n;
  EXPECT_GT(checked, 50);
}

// a tangential spring k at the height of the contact: rolling is free, and omega^2 = k (1/m + r^2/I) across, in two
// directions; friction acts in the middle of the overlap, r = R - d/2
TEST(NaturalModes, OfABallWithContactSpringsOrBristlesSwingOnThem) {
  const double d = std::pow(2 * 9.81 / 1e8, 2.0 / 3), slope = 1.5 * 1e8 * std::sqrt(d), r = 0.1 - d / 2;
  const auto across = [&](double k) { return std::sqrt(k * (1 / 2.0 + r * r / 0.008)); };
  const double normal = std::sqrt(slope / 2), mindlin = across(0.8 * slope);
  expect_undamped(
      Vibration(ball("law: hertz, friction: {law: mindlin, coefficient: 0.3, parameters: {ratio: 0.8}}")),
      {normal, mindlin, mindlin}, 3);
  const double weight = 2 * 9.81, bristles = across(weight * 1e5);
  const Vibration v(
      ball("law: hertz, friction: {law: lugre, coefficient: 0.3, parameters: {bristle_damping: 50}}"));
  const std::vector<NaturalMode> found = v.of(Kind::oscillation);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(v.of(Kind::rigid_body).size(), 3U);
  EXPECT_NEAR(2 * std::numbers::pi * found[0].natural_frequency_Hz() / normal, 1, kExact);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_NEAR(2 * std::numbers::pi * found[i].natural_frequency_Hz() / bristles, 1, kExact);
    // force over normal force: s0 z + s1 z', so that c/k = s1/s0
    EXPECT_NEAR(found[i].damping_ratio() / (50.0 / 1e5 * bristles / 2), 1, 1e-7);
  }
}

TEST(NaturalModes, OfABlockOnFourPointsBounceAndRock) {
  const Vibration v(R"(
bodies:
  ground: {shape: {kind: plane, axis: z}}
  block: {mass: 2, inertia: [0.01, 0.02, 0.03], shape: {kind: box, size: [0.4, 0.3, 0.2]}, at: [0, 0, 0.11]}
contacts:
  feet: {between: [block, ground], law: hertz, stiffness: 1e8}
solver: {duration: 1}
)");
  const double weight = 2 * 9.81, d = std::pow(weight / 4 / 1e8, 2.0 / 3), k = 4 * 1.5 * 1e8 * std::sqrt(d);
  // the corners below the centre of mass, loaded by the weight, take m g h from the stiffness against rocking
  expect_undamped(v,
                  {std::sqrt(k / 2), std::sqrt((k * 0.2 * 0.2 - weight * 0.1) / 0.02),
                   std::sqrt((k * 0.15 * 0.15 - weight * 0.1) / 0.01)},
                  3);
}

TEST(NaturalModes, OfAChainOfMasses) {
  const int n = 7;
  for (const bool held : {true, false}) {
    std::string text = "planar: true\ngravity: [0, 0]\nbodies:\n", springs = "springs:\n", joints = "joints:\n";
    for (int i = 1; i <= n; ++i) {
      const std::string name = "m" + std::to_string(i);
      text += "  " + name + ": {mass: 0.5, inertia: 1, at: [" + std::to_string(i) + ", 0]}\n";
      joints += "  r" + std::to_string(i) + ": {type: prismatic, between: [ground, " + name + "], at: [" +
                std::to_string(i) + ", 0], axis: x}\n";
      if (i > 1 || held)
        springs += "  s" + std::to_string(i) + ": {between: [" +
                   (i == 1 ? std::string("ground") : "m" + std::to_string(i - 1)) + ", " + name +
                   "], stiffness: 300}\n";
    }
    if (held) springs += "  last: {between: [m7, ground], anchors: [[0, 0], [8, 0]], stiffness: 300}\n";
    const Vibration v(text + joints + springs + "solver: {duration: 1}\n");
    std::vector<double> omega;
    for (int k = 1; k <= (held ? n : n - 1); ++k)
      omega.push_back(2 * std::sqrt(300 / 0.5) * std::sin(k * std::numbers::pi / (2 * (held ? n + 1 : n))));
    expect_undamped(v, omega, held ? 0 : 1);
  }
}

TEST(NaturalModes, OfABodyOnABushing) {
  const Vibration v(R"(
gravity: [0, 0, 0]
bodies:
  body: {mass: 2, inertia: [0.01, 0.02, 0.03], at: [1, 2, 3]}
springs:
  mount: {type: bushing, between: [ground, body], at: [[1, 2, 3], [1, 2, 3]], stiffness: [1000, 2000, 3e6], turning_stiffness: [5, 60, 7]}
solver: {duration: 1}
)");
  expect_undamped(v,
                  {std::sqrt(1000 / 2.0), std::sqrt(2000 / 2.0), std::sqrt(3e6 / 2.0), std::sqrt(5 / 0.01),
                   std::sqrt(60 / 0.02), std::sqrt(7 / 0.03)},
                  0);
}

TEST(NaturalModes, OfAFourBarWithASpring) {
  const Vibration v(R"(
planar: true
bodies:
  left: {mass: 1, inertia: 0.02, at: [0, -0.25]}
  right: {mass: 1, inertia: 0.02, at: [1, -0.25]}
  coupler: {mass: 3, inertia: 0.4, at: [0.5, -0.5]}
joints:
  a: {type: revolute, between: [ground, left], at: [0, 0]}
  b: {type: revolute, between: [ground, right], at: [1, 0]}
  c: {type: revolute, between: [left, coupler], at: [0, -0.5]}
  d: {type: revolute, between: [right, coupler], at: [1, -0.5]}
springs:
  spiral: {joint: a, stiffness: 12}
solver: {duration: 1}
)");
  const double inertia = 2 * (0.02 + 0.25 * 0.25) + 3 * 0.25, stiffness = 12 + 9.81 * (2 * 0.25 + 3 * 0.5);
  expect_undamped(v, {std::sqrt(stiffness / inertia)}, 0);
}

TEST(NaturalModes, SharesOfKineticEnergyAddUpToOneAndShapesAreOfSizeOne) {
  const Vibration v(damped_mass(3));
  for (const NaturalMode& m : v.modes.modes) {
    double sum = 0;
    for (const double share : m.energy_share) sum += share;
    EXPECT_NEAR(sum, 1, 1e-14);
    double most = 0;
    for (const auto& x : m.shape) most = std::max(most, std::abs(x));
    EXPECT_NEAR(most, 1, 1e-12);
  }
}

/// Rods in a tree, each hinged to the tip of its parent with a torsion spring. In the absolute angles p_i the
/// energies are T = 1/2 sum_ij M_ij(p) p_i' p_j', V = sum m g y + 1/2 sum k (p_i - p_parent - rest)^2, written down
/// here.
class RandomTrees : public ::testing::TestWithParam<int> {};

TEST_P(RandomTrees, HaveTheModesOfTheirLagrangian) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto between = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
  };
  const int n = 2 + GetParam() % 6;
  std::vector<int> parent;
  std::vector<double> length, mass, inertia, stiffness, angle;
  std::vector<std::array<double, 2>> base;
  std::string bodies = "planar: true\nbodies:\n", joints = "joints:\n", springs = "springs:\n";
  for (int i = 0; i < n; ++i) {
    parent.push_back(i == 0 ? -1 : static_cast<int>(random() % static_cast<unsigned>(i + 1)) - 1);
    length.push_back(between(0.2, 1)), mass.push_back(between(0.5, 3)), inertia.push_back(between(0.01, 0.1));
    stiffness.push_back(between(5, 50)), angle.push_back(between(-3, 3));
    const int p = parent.back();
    const std::size_t k = at(i);
    base.push_back(p < 0 ? std::array{0.0, 0.0}
                         : std::array{base[at(p)][0] + length[at(p)] * std::cos(angle[at(p)]),
                                      base[at(p)][1] + length[at(p)] * std::sin(angle[at(p)])});
    bodies += "  b" + std::to_string(i) + ": {mass: " + text_of(mass[k]) + ", inertia: " + text_of(inertia[k]) +
              ", at: [" + text_of(base[k][0] + length[k] / 2 * std::cos(angle[k])) + ", " +
              text_of(base[k][1] + length[k] / 2 * std::sin(angle[k])) + "], angle: " + text_of(angle[k]) + "}\n";
    joints += "  j" + std::to_string(i) + ": {type: revolute, between: [" +
              (p < 0 ? std::string("ground") : "b" + std::to_string(p)) + ", b" + std::to_string(i) + "], at: [" +
              text_of(base[k][0]) + ", " + text_of(base[k][1]) + "]}\n";
    springs += "  s" + std::to_string(i) + ": {joint: j" + std::to_string(i) +
               ", stiffness: " + text_of(stiffness[k]) + "}\n";
  }
  const Vibration v(bodies + joints + springs + "solver: {duration: 1}\n");
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n), k = Eigen::MatrixXd::Zero(n, n);
  std::vector<double> now;
  for (int i = 0; i < n; ++i) now.push_back(v.equilibrium.state.y[at(v.compiled.model.bodies[at(i) + 1].q_at) + 2]);
  for (int b = 0; b < n; ++b) {
    // the centre of mass of b: the lengths from its ancestors, half of its own
    std::vector<std::pair<int, double>> levers{{b, length[at(b)] / 2}};
    for (int a = parent[at(b)]; a >= 0; a = parent[at(a)]) levers.emplace_back(a, length[at(a)]);
    for (const auto& [i, r] : levers) {
      for (const auto& [j, s] : levers) m(i, j) += mass[at(b)] * r * s * std::cos(now[at(i)] - now[at(j)]);
      k(i, i) -= mass[at(b)] * 9.81 * r * std::sin(now[at(i)]);
    }
    m(b, b) += inertia[at(b)];
    const int p = parent[at(b)];
    k(b, b) += stiffness[at(b)];
    if (p >= 0) k(p, p) += stiffness[at(b)], k(p, b) -= stiffness[at(b)], k(b, p) -= stiffness[at(b)];
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(k, m);
  ASSERT_GT(solver.eigenvalues().minCoeff(), 0) << "the equilibrium is stable";
  std::vector<double> omega;
  for (const double square : solver.eigenvalues()) omega.push_back(std::sqrt(square));
  expect_undamped(v, omega, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrees, ::testing::Range(0, cases(30, 3000)));

}  // namespace
}  // namespace percuss
