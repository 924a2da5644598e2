// Simbody 3.7: internal coordinates, loops closed by constraints.
#include "peers/simbody.h"

#include <Simbody.h>

#include <chrono>
#include <memory>

namespace percuss::bench {

using namespace SimTK;

namespace {

struct Problem {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  virtual ~Problem() = default;
  virtual void start(State&) const {}
  virtual std::vector<double> numbers(const State&) const = 0;
};

Body::Rigid uniform_rod(double length, const Vec3& centre) {
  const Inertia about_centre(1e-9, length * length / 12, length * length / 12);
  const bool upright = centre[1] != 0;
  const Inertia in_frame = upright ? Inertia(length * length / 12, 1e-9, length * length / 12) : about_centre;
  return Body::Rigid(MassProperties(1, centre, in_frame.shiftFromMassCenter(centre, 1)));
}

struct Pendulum final : Problem {
  MobilizedBody::Pin bob;
  Pendulum() {
    Force::Gravity(forces, matter, Vec3(0, -9.81, 0));
    const Body::Rigid point(MassProperties(1, Vec3(-1, 0, 0), UnitInertia::pointMassAt(Vec3(-1, 0, 0))));
    bob = MobilizedBody::Pin(matter.Ground(), Transform(), point, Transform());
  }
  std::vector<double> numbers(const State& s) const override {
    const Vec3 p = bob.findStationLocationInGround(s, Vec3(-1, 0, 0));
    return {p[0], p[1]};
  }
};

/// A closing pin: the two points have the same x and y.
void close_pin(MobilizedBody& a, const Vec3& on_a, MobilizedBody& b, const Vec3& on_b,
               SimbodyMatterSubsystem& matter) {
  static_cast<void>(matter);
  Constraint::PointInPlane(a, UnitVec3(1, 0, 0), on_a[0], b, on_b);
  Constraint::PointInPlane(a, UnitVec3(0, 1, 0), on_a[1], b, on_b);
}

struct FourBar final : Problem {
  std::vector<MobilizedBody::Pin> cranks, links;
  FourBar() {
    Force::Gravity(forces, matter, Vec3(0, -9.81, 0));
    for (int i = 0; i < 3; ++i)
      cranks.emplace_back(matter.Ground(), Transform(Vec3(i, 0, 0)), uniform_rod(1, Vec3(0, 0.5, 0)), Transform());
    for (int i = 0; i < 2; ++i)
      links.emplace_back(cranks[static_cast<std::size_t>(i)], Transform(Vec3(0, 1, 0)),
                         uniform_rod(1, Vec3(0.5, 0, 0)), Transform());
    for (std::size_t i = 0; i < 2; ++i) close_pin(links[i], Vec3(1, 0, 0), cranks[i + 1], Vec3(0, 1, 0), matter);
  }
  void start(State& s) const override {
    for (const auto& c : cranks) c.setOneU(s, 0, -1);
    for (const auto& l : links) l.setOneU(s, 0, 1);
  }
  std::vector<double> numbers(const State& s) const override {
    const Vec3 p = cranks[0].findStationLocationInGround(s, Vec3(0, 1, 0));
    return {p[0], p[1]};
  }
};

struct Squeezer final : Problem {
  MobilizedBody::Pin k1, k2, k3, k4, k5, k6, k7;
  static Body::Rigid body(double mass, double inertia, const Vec3& centre) {
    return Body::Rigid(
        MassProperties(mass, centre, Inertia(inertia, inertia, inertia).shiftFromMassCenter(centre, mass)));
  }
  Squeezer() {
    const Vec3 a(-0.06934, -0.00227, 0), b(-0.03635, 0.03273, 0);
    auto& ground = matter.Ground();
    k1 = MobilizedBody::Pin(ground, Transform(), body(0.04325, 2.194e-6, Vec3(0.00092, 0, 0)), Transform());
    k2 = MobilizedBody::Pin(k1, Transform(Vec3(0.007, 0, 0)), body(0.00365, 4.410e-7, Vec3(-0.0115, 0, 0)),
                            Transform());
    k3 = MobilizedBody::Pin(ground, Transform(b), body(0.02373, 5.255e-6, Vec3(0.01043, -0.01874, 0)), Transform());
    k5 = MobilizedBody::Pin(ground, Transform(a), body(0.07050, 1.169e-5, Vec3(0.02308, 0.00916, 0)), Transform());
    k4 = MobilizedBody::Pin(k5, Transform(Vec3(0.04, 0, 0)), body(0.00706, 5.667e-7, Vec3(0, -0.00579, 0)),
                            Transform());
    k7 =
        MobilizedBody::Pin(ground, Transform(a), body(0.05498, 1.912e-5, Vec3(-0.00449, -0.01228, 0)), Transform());
    k6 = MobilizedBody::Pin(k7, Transform(Vec3(0, -0.04, 0)), body(0.00706, 5.667e-7, Vec3(0.00579, 0, 0)),
                            Transform());
    const Vec3 e2(-0.028, 0, 0);
    close_pin(k2, e2, k3, Vec3(0, -0.035, 0), matter);
    close_pin(k2, e2, k4, Vec3(0, -0.02, 0), matter);
    close_pin(k2, e2, k6, Vec3(0.02, 0, 0), matter);
    Force::TwoPointLinearSpring(forces, ground, Vec3(0.014, 0.072, 0), k3, Vec3(0.02, -0.018, 0), 4530, 0.07785);
    Force::MobilityConstantForce(forces, k1, 0, 0.033);
  }
  void start(State& s) const override {
    k1.setOneQ(s, 0, -0.0617138900142764);
    k2.setOneQ(s, 0, 0);
    k3.setOneQ(s, 0, 0.4552798191630704);
    k5.setOneQ(s, 0, 0.4873649795438426);
    k4.setOneQ(s, 0, 0.2226683901658859);
    k7.setOneQ(s, 0, 1.2305474445498212);
    k6.setOneQ(s, 0, -0.2226683901658859);
  }
  std::vector<double> numbers(const State& s) const override {
    return {k1.getOneQ(s, 0), k2.getOneQ(s, 0), k3.getOneQ(s, 0)};
  }
};

/// F = K x^1.5 (1 + 1.5 c x'), K = (4/3) sqrt(R) (E^(2/3)/2)^(3/2) of two equal materials.
struct BouncingBall final : Problem {
  GeneralContactSubsystem contacts{system};
  MobilizedBody::Translation ball;
  BouncingBall() {
    Force::Gravity(forces, matter, Vec3(0, 0, -9.81));
    ball = MobilizedBody::Translation(matter.Ground(), Transform(Vec3(0, 0, 1)),
                                      Body::Rigid(MassProperties(1, Vec3(0), Inertia(0.004))), Transform());
    const double modulus = 1.4e8 * 0.75 / std::sqrt(0.1) * std::pow(2.0, 1.5), dissipation = 0.025;
    const ContactSetIndex set = contacts.createContactSet();
    contacts.addBody(set, ball, ContactGeometry::Sphere(0.1), Transform());
    contacts.addBody(set, matter.updGround(), ContactGeometry::HalfSpace(), Transform(Rotation(0.5 * Pi, YAxis)));
    HuntCrossleyForce force(forces, contacts, set);
    for (int i = 0; i < 2; ++i) force.setBodyParameters(ContactSurfaceIndex(i), modulus, dissipation, 0, 0, 0);
  }
  std::vector<double> numbers(const State& s) const override { return {ball.getBodyOriginLocation(s)[2]}; }
};

std::unique_ptr<Problem> make(const std::string& name) {
  if (name == "pendulum") return std::make_unique<Pendulum>();
  if (name == "four_bar") return std::make_unique<FourBar>();
  if (name == "squeezer") return std::make_unique<Squeezer>();
  return std::make_unique<BouncingBall>();
}

}  // namespace

PeerRun simbody(const std::string& name, double accuracy, double end_s) {
  PeerRun run;
  try {
    const auto problem = make(name);
    problem->system.realizeTopology();
    State state = problem->system.getDefaultState();
    problem->start(state);
    problem->system.realize(state, Stage::Velocity);
    RungeKuttaMersonIntegrator integrator(problem->system);
    integrator.setAccuracy(accuracy);
    integrator.setConstraintTolerance(std::max(1e-13, accuracy * 0.1));
    integrator.setInternalStepLimit(20'000'000);
    integrator.initialize(state);
    const auto before = std::chrono::steady_clock::now();
    integrator.setReturnEveryInternalStep(true);  // to keep an eye on the clock
    while (integrator.getTime() < end_s) {
      if (integrator.stepTo(end_s) == Integrator::EndOfSimulation) break;
      run.reached_s = integrator.getTime();
      if (std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() > 3) {
        run.failed = true;
        run.why = "3 s of wall time were over";
        break;
      }
    }
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    problem->system.realize(integrator.getState(), Stage::Position);
    run.numbers = problem->numbers(integrator.getState());
  } catch (const std::exception& e) {
    run.failed = true;
    run.why = e.what();
  }
  return run;
}

}  // namespace percuss::bench
