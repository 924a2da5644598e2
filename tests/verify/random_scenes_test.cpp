// Scenes that nobody prepared: the solution belongs to the scene, and not to the tolerance.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "random_cases.h"
#include "scene_runs.h"

namespace percuss {
namespace {

/// Kinds of scenes in turn, with everything about them by chance.
class SceneMaker {
 public:
  explicit SceneMaker(unsigned seed) : random_(seed) {}

  std::string scene(int kind) {
    switch (kind % kKinds) {
      case 0: return dropped_balls();
      case 1: return clearance_crank();
      case 2: return masses_and_springs();
      case 3: return convex_collision();
      case 4: return impulsive_row();
      default: return driven_pendulum_at_a_wall();
    }
  }
  static constexpr int kKinds = 6;
  static const char* name(int kind) {
    static const char* const kNames[] = {"balls",     "crank with clearance", "masses and springs", "convex",
                                         "impulsive", "driven pendulum"};
    return kNames[kind % kKinds];
  }

 private:
  double between(double low, double high) { return std::uniform_real_distribution<>(low, high)(random_); }
  double by_decades(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  template <std::size_t N>
  const char* one_of(const char* const (&words)[N]) {
    return words[std::uniform_int_distribution<std::size_t>(0, N - 1)(random_)];
  }
  std::string vector(double size, bool planar) {
    return planar ? fmt::format("[{}, {}]", between(-size, size), between(-size, size))
                  : fmt::format("[{}, {}, {}]", between(-size, size), between(-size, size), between(-size, size));
  }

  std::string law(double k_low, double k_high) {
    static const char* const kLaws[] = {"flores",
                                        "exact",
                                        "hunt-crossley",
                                        "lankarani-nikravesh",
                                        "hu-guo",
                                        "gonthier",
                                        "tsuji",
                                        "lee-wang",
                                        "herbert-mcwhannell",
                                        "carvalho-martins",
                                        "lankarani-nikravesh-plastic"};
    return fmt::format("law: {}, restitution: {}, stiffness: {}", one_of(kLaws), between(0.3, 0.95),
                       by_decades(k_low, k_high));
  }
  std::string friction() {
    static const char* const kFriction[] = {"coulomb-tanh", "brown-mcphee", "lugre", "mindlin", "dahl"};
    if (between(0, 1) < 0.3) return "";
    const std::string row = one_of(kFriction);
    return fmt::format(", friction: {{law: {}, coefficient: {}{}}}", row, between(0.05, 0.5),
                       row == "mindlin" ? fmt::format(", parameters: {{ratio: {}}}", between(0.6, 0.9)) : "");
  }

  std::string dropped_balls() {
    const int count = 1 + static_cast<int>(between(0, 3));
    std::string bodies, contacts;
    for (int i = 0; i < count; ++i) {
      const double r = between(0.02, 0.1);
      bodies += fmt::format(
          "  b{}: {{mass: {}, shape: {{kind: sphere, radius: {}}}, at: [{}, {}, {}], velocity: {}, "
          "angular_velocity: {}}}\n",
          i, by_decades(0.1, 10), r, 0.25 * i, between(-0.02, 0.02), r + between(0.01, 0.3), vector(1, false),
          vector(20, false));
      contacts += fmt::format("  floor{}: {{between: [b{}, ground], {}{}}}\n", i, i, law(1e6, 1e9), friction());
      for (int k = 0; k < i; ++k)
        contacts +=
            fmt::format("  pair{}{}: {{between: [b{}, b{}], {}{}}}\n", k, i, k, i, law(1e6, 1e9), friction());
    }
    return "bodies:\n  ground: {shape: {kind: plane}}\n" + bodies + "contacts:\n" + contacts + duration(0.4);
  }

  std::string clearance_crank() {
    return fmt::format(
               "planar: true\nbodies:\n  crank: {{mass: 0.3, inertia: 1e-4, at: [25 mm, 0]}}\n  rod: {{mass: {}, "
               "inertia: 2.5e-4, "
               "at: [110 mm, 0]}}\n  slider: {{mass: {}, inertia: 1e-4, at: [170 mm, 0]}}\njoints:\n  bearing: "
               "{{type: revolute, "
               "between: [ground, crank], at: [0, 0]}}\n  pin: {{type: revolute, between: [crank, rod], at: [50 "
               "mm, 0]}}\n  wrist: "
               "{{type: revolute-clearance, between: [slider, rod], at: [170 mm, 0], bearing_radius: 10 mm, "
               "clearance: {}, "
               "contact: {{{}, friction: {{coefficient: {}}}}}}}\n  guide: {{type: prismatic, between: [ground, "
               "slider], at: "
               "[170 mm, 0], axis: x}}\ndrivers:\n  motor: {{joint: bearing, rate: {}}}\n",
               between(0.1, 0.4), between(0.1, 0.4), by_decades(5e-5, 5e-4), law(1e8, 1e10), between(0, 0.1),
               between(100, 500)) +
           duration(0.06);
  }

  std::string masses_and_springs() {
    const int count = 2 + static_cast<int>(between(0, 3));
    std::string bodies, springs, contacts;
    for (int i = 0; i < count; ++i) {
      bodies += fmt::format(
          "  m{}: {{mass: {}, shape: {{kind: sphere, radius: 40 mm}}, at: [{}, 0, 1], velocity: [{}, {}, 0]}}\n", i,
          by_decades(0.2, 5), 0.1 * i, between(-2, 2), between(-0.1, 0.1));
      springs += fmt::format("  s{}: {{between: [{}, m{}], stiffness: {}, damping: {}, rest: {}}}\n", i,
                             i == 0 ? "ground" : fmt::format("m{}", i - 1), i, by_decades(10, 1e4),
                             by_decades(0.01, 2), i == 0 ? 1.0 : 0.1);
      if (i > 0)
        contacts += fmt::format("  c{}: {{between: [m{}, m{}], {}{}}}\n", i, i - 1, i, law(1e6, 1e9), friction());
    }
    return "bodies:\n" + bodies + "springs:\n" + springs + "contacts:\n" + contacts + duration(0.5);
  }

  std::string convex_collision() {
    const auto box = [&](const char* name, double x, double v) {
      return fmt::format(
          "  {}: {{mass: {}, shape: {{kind: box, size: [{}, {}, {}]}}, at: [{}, {}, {}], angle: {}, axis: {}, "
          "velocity: [{}, "
          "{}, {}], angular_velocity: {}}}\n",
          name, by_decades(0.2, 5), between(0.05, 0.2), between(0.05, 0.2), between(0.05, 0.2), x,
          between(-0.03, 0.03), between(-0.03, 0.03), between(0, 3), vector(1, false), v, between(-0.2, 0.2),
          between(-0.2, 0.2), vector(3, false));
    };
    return "gravity: [0, 0, 0]\nbodies:\n" + box("a", 0, between(0.5, 3)) + box("b", 0.4, -between(0.5, 3)) +
           fmt::format("contacts:\n  hit: {{between: [a, b], {}{}}}\n", law(1e6, 1e9), friction()) + duration(0.3);
  }

  std::string impulsive_row() {
    const int count = 2 + static_cast<int>(between(0, 3));
    std::string bodies, contacts;
    double x = 0;
    for (int i = 0; i < count; ++i) {
      bodies += fmt::format(
          "  b{}: {{particle: true, mass: {}, shape: {{kind: sphere, radius: 20 mm}}, at: [{}, 0, 1], "
          "velocity: [{}, 0, 0]}}\n",
          i, by_decades(0.3, 3), x, i == 0 ? between(1, 3) : between(-0.5, 0.5));
      if (i > 0)
        contacts += fmt::format(
            "  c{}: {{between: [b{}, b{}], response: impulsive, stiffness: {}, parameters: {{mu: {}}}}}\n", i,
            i - 1, i, by_decades(1e6, 1e9), between(0, 0.9));
      x += 0.04 + between(0, 0.02);
    }
    return "gravity: [0, 0, 0]\nbodies:\n" + bodies + "contacts:\n" + contacts + duration(0.3);
  }

  std::string driven_pendulum_at_a_wall() {
    return fmt::format(
               "bodies:\n  wall: {{fixed: true, shape: {{kind: plane, axis: x}}, at: [{}, 0, 0]}}\n  cart: {{mass: "
               "1, inertia: 0.01, at: "
               "[0, 0, 1]}}\n  bob: {{mass: {}, shape: {{kind: sphere, radius: 30 mm}}, at: [0.3, 0, "
               "1]}}\njoints:\n  rail: {{type: "
               "prismatic, between: [ground, cart], at: [0, 0, 1], axis: x}}\n  hinge: {{type: revolute, between: "
               "[cart, bob], at: [0, "
               "0, 1], axis: y}}\ndrivers:\n  shaker: {{joint: rail, value: {}*(1-cos({}*t))}}\ncontacts:\n  "
               "hit: {{between: [bob, "
               "wall], {}{}}}\n",
               -between(0.1, 0.2), by_decades(0.2, 3), between(0.01, 0.05), between(3, 20), law(1e6, 1e9),
               friction()) +
           duration(2);
  }

  static std::string duration(double s) { return fmt::format("solver: {{duration: {}}}\n", s); }

  std::mt19937 random_;
};

recording::Recording run_of(const std::string& text, double tolerance, double duration_s = 0,
                            bool horizon = false) {
  std::vector<std::string> overrides{set("solver.tolerance", tolerance)};
  if (horizon) overrides.emplace_back("outputs.horizon=true");
  model::Compiled compiled = from_text(text, overrides);
  if (duration_s > 0) compiled.settings.duration_s = duration_s;
  return dynamics::simulate(compiled);
}

/// The largest difference of the places of bodies.
double difference_m(const std::string& text, const recording::Recording& a, const recording::Recording& b) {
  double most = 0;
  for (const model::Body& body : from_text(text).model.bodies)
    for (int k = 0; k < std::min(body.position_count, 3); ++k) {
      const auto i = static_cast<std::size_t>(body.q_at + k);
      if (k < 2 || body.kind == model::Body::Kind::spatial || body.kind == model::Body::Kind::particle)
        most = std::max(most, std::abs(a.y[i] - b.y[i]));
    }
  return most;
}

TEST(RandomScenes, HaveSolutionsThatTheToleranceDoesNotDecide) {
  const int count = cases(18, 2000);
  int together = 0, parted = 0;
  double worst_energy = 0, worst_gain = 0, worst_difference_m = 0;
  for (int i = 0; i < count; ++i) {
    SceneMaker maker(static_cast<unsigned>(i));
    const std::string text = maker.scene(i);
    const std::string which = fmt::format("case {} ({})\n{}", i, SceneMaker::name(i), text);
    const recording::Recording loose = run_of(text, 1e-8, 0, true), tight = run_of(text, 1e-11);
    ASSERT_FALSE(loose.y.empty()) << which;
    EXPECT_EQ(loose.failure, "") << which;
    EXPECT_EQ(tight.failure, "") << which;
    if (!loose.failure.empty() || !tight.failure.empty()) continue;

    // positions: to the end, or to nine tenths of the horizon
    ASSERT_TRUE(loose.horizon.has_value());
    double apart_m = 0, allowed_m = 0;
    if (loose.horizon->together()) {
      ++together;
      constexpr double kExtent_m = 1;  // about what bodies cover
      apart_m = difference_m(text, loose, tight);
      allowed_m = std::max(10 * loose.horizon->largest_difference * kExtent_m, 1e-6);
      worst_difference_m = std::max(worst_difference_m, apart_m);
    } else {
      ++parted;
      const double until_s = 0.9 * loose.horizon->parted_s;
      apart_m = difference_m(text, run_of(text, 1e-8, until_s), run_of(text, 1e-11, until_s));
      allowed_m = 0.02;
    }
    EXPECT_LT(apart_m, allowed_m) << which;

    // another method, which may only be less exact
    const std::string method = i % 2 == 0 ? "radau5" : "dopri5";
    const recording::Recording other =
        dynamics::simulate(from_text(text, {"solver.tolerance=1e-6", "solver.integrator=" + method}));
    EXPECT_EQ(other.failure, "") << method << ", " << which;

    // energy: the error falls, and nothing is gained
    const auto share = [](const recording::Recording& r) {
      return r.ledger.exchanged_J > 0 ? r.ledger.largest_error_J / r.ledger.exchanged_J : 0;
    };
    EXPECT_LT(share(loose), 1e-5) << which;
    EXPECT_LT(share(tight), std::max(0.3 * share(loose), 1e-9)) << which;
    worst_energy = std::max(worst_energy, share(loose));
    for (const recording::Recording* r : {&loose, &tight}) {
      const recording::Energy &start = r->ledger.start, &end = r->ledger.end;
      const double gained = (start.lost_J() - end.lost_J()) / r->ledger.exchanged_J;
      EXPECT_LT(gained, 1e-9) << which;
      worst_gain = std::max(worst_gain, gained);
      EXPECT_GT(end.lost_in_contacts_J - start.lost_in_contacts_J, -1e-9 * r->ledger.exchanged_J) << which;
    }
  }
  report_figure(
      fmt::format("{} random scenes: {} predictable to the end (1e-8 and 1e-11 differ by at most {:.1e} m), {} "
                  "part before; largest energy error {:.1e} of the energy exchanged, largest gain {:.1e}",
                  count, together, worst_difference_m, parted, worst_energy, worst_gain));
}

}  // namespace
}  // namespace percuss
