// Crossings, the rows of the event table, effects on a State made by hand, contacts that hold.
#include <cmath>

#include "percuss/dynamics/events/contact_events.h"
#include "percuss/dynamics/observers/remarks.h"
#include "percuss/dynamics/reading.h"
#include "scene_runs.h"

namespace percuss {
namespace {

using dynamics::ContactMode;
using dynamics::Progress;
using dynamics::Simulation;
using dynamics::State;

TEST(FirstRise, IsNotFooledByASignOfRounding) {
  // leaves zero a little below it, dips, comes back: the crossing is the return
  const auto dip = [](double t) {
    const double noise = t == 0 ? -1e-18 : t < 1e-12 ? 1e-16 : 0;
    return dynamics::ValueAndRate{(t - 1) * t + noise, 2 * t - 1};
  };
  const auto t = dynamics::first_rise(dip, 0, 1.5, 1);
  ASSERT_TRUE(t);
  EXPECT_NEAR(*t, 1, 1e-14);
  // two crossings between two places show in the rates
  const auto hump = [](double x) { return dynamics::ValueAndRate{0.01 - (x - 0.5) * (x - 0.5), -2 * (x - 0.5)}; };
  const auto up = dynamics::first_rise(hump, 0, 1, 1);
  ASSERT_TRUE(up);
  EXPECT_NEAR(*up, 0.4, 1e-14);
  EXPECT_FALSE(dynamics::first_rise([](double x) { return dynamics::ValueAndRate{-1 - x, -1}; }, 0, 1, 8));
  EXPECT_EQ(dynamics::first_sign_change([](double x) { return x - 0.3; }, 0, 1, 4, true, false).value_or(-1), 0.3);
  EXPECT_FALSE(dynamics::first_sign_change([](double x) { return x - 0.3; }, 0, 1, 4, false, true));
  const auto from_zero = [](double x) { return x; };
  EXPECT_FALSE(dynamics::first_sign_change(from_zero, 0, 1, 4, true, false)) << "an event has put it at zero";
  EXPECT_EQ(dynamics::first_sign_change(from_zero, 0, 1, 4, true, false, false).value_or(-1), 0.0)
      << "it comes to zero where an event of something else has cut the step";
  EXPECT_FALSE(dynamics::first_sign_change([](double x) { return -x; }, 0, 1, 4, true, false, false));
}

constexpr const char* kBall =
    "bodies:\n  ball: {mass: 0.5, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.3], velocity: [0.4, 0, 0]}\n"
    "  ground: {shape: {kind: plane}}\n";

/// Each row whose rate is read: the rate is the difference of its value, along a real step of a contact.
TEST(ContactEventRows, HaveRatesThatAreTheDifferencesOfTheirValues) {
  for (const char* law :
       {"law: flores, restitution: 0.7", "law: walton-braun, restitution: 0.6",
        "law: bistiffness, parameters: {mu: 0.3}",
        "law: flores, restitution: 0.7, friction: {law: mindlin, coefficient: 0.3, parameters: {ratio: 0.8}}"}) {
    const model::Compiled c =
        from_text(std::string(kBall) + "contacts: {hit: {between: [ball, ground], stiffness: 1e6, " + law +
                  "}}\nsolver: {duration: 0.4, tolerance: 1e-9}\n");
    struct Watcher final : dynamics::Observer {
      explicit Watcher(const model::Model& model) : workspace(model) {}
      dynamics::Workspace workspace;
      int looked_at = 0;
      void step(const dynamics::StepView& s) override {
        for (std::size_t i = 0; i < s.modes.contacts.size(); ++i) {
          dynamics::HeldForces held;
          const dynamics::Watch w{s.model, s.path, s.modes.contacts[i], i, 1e-16, workspace, held};
          for (const dynamics::ContactEventRow& row : dynamics::contact_event_rows()) {
            if (!row.watched(w)) continue;
            ++looked_at;
            const double h = s.t1_s - s.t0_s, t = s.t0_s + 0.4 * h, d = 1e-3 * h;
            const double v = row.value(w, t).value;
            EXPECT_TRUE(std::isfinite(v)) << row.meaning;
            if (row.follow != dynamics::Follow::value_and_rate) continue;
            const double slope = (row.value(w, t + d).value - row.value(w, t - d).value) / (2 * d);
            const double rate = row.value(w, t).rate;
            // places are rounded at 1e-16 m, the interpolant bends over the step
            EXPECT_NEAR(rate, slope, 1e-5 * (std::abs(rate) + 1e-2) + 4e-16 / d) << row.meaning;
          }
        }
      }
    } watcher(c.model);
    Simulation sim(c.model, c.settings, {&watcher});
    while (sim.step() == Progress::going) {
    }
    EXPECT_EQ(sim.failure(), "");
    EXPECT_GT(watcher.looked_at, 10) << law;
  }
}

/// A State with the ball 1 mm deep in the ground, and what an effect does to it.
struct HandMade {
  explicit HandMade(const std::string& law)
      : c(from_text(std::string(kBall) + "contacts: {hit: {between: [ball, ground], stiffness: 1e6, " + law +
                    "}}\nsolver: {duration: 1}\n")),
        state(dynamics::initial_state(c.model)),
        workspace(c.model),
        broad_phase(c.model) {
    state.y[2] = 0.099;
    state.control.speed_scale_mps = 1;
    dynamics::place(c.model, 0, state.y, state.modes, workspace, workspace.result);
    std::vector<geometry::Spot> spots;
    dynamics::find_spots(c.model, workspace.result.motions, c.model.pairs[0], 1, spots);
    dynamics::Effect f = effect();
    const dynamics::Touch touch{0, c.model.pairs[0], spots.at(0), 0};
    dynamics::begin_contacts(f, std::span(&touch, 1));
    EXPECT_TRUE(f.restarts);
    EXPECT_GT(f.first_step_s, 0);
  }
  dynamics::Effect effect() { return {c.model, c.settings, broad_phase, workspace, nobody, 1e-4, 1e-4, state}; }
  ContactMode& contact() { return state.modes.contacts.at(0); }
  model::Compiled c;
  State state;
  dynamics::Workspace workspace;
  model::BroadPhase broad_phase;
  dynamics::Watchers nobody;
};

TEST(Effects, ChangeAHandMadeState) {
  HandMade plain("law: flores, restitution: 0.7");
  EXPECT_EQ(plain.contact().id, 0);
  EXPECT_NEAR(plain.contact().mass_kg, 0.5, 1e-15);
  dynamics::Effect f = plain.effect();
  dynamics::end_force(f, 0);
  EXPECT_EQ(plain.contact().mode, ContactMode::Mode::coasting);
  dynamics::return_force(f, 0);
  EXPECT_EQ(plain.contact().mode, ContactMode::Mode::pushing);
  dynamics::separate(f, 0);
  EXPECT_TRUE(plain.state.modes.contacts.empty());
  EXPECT_EQ(plain.state.modes.touches, 1) << "the next touch has another id";

  HandMade plastic("law: walton-braun, restitution: 0.5, memory: persistent");
  plastic.contact().loading = true;
  dynamics::Effect g = plastic.effect();
  dynamics::compress_most(g, 0);
  EXPECT_NEAR(plastic.contact().deepest_m, 1e-3, 1e-15);
  EXPECT_FALSE(plastic.contact().loading);
  dynamics::separate(g, 0);
  ASSERT_EQ(plastic.state.modes.overlaps.size(), 1U);
  EXPECT_TRUE(plastic.state.modes.overlaps.begin()->second.is_dent);

  HandMade spring(
      "law: flores, restitution: 0.7, friction: {law: mindlin, coefficient: 0.3, parameters: {ratio: 0.8}}");
  ASSERT_EQ(spring.contact().memory_at, static_cast<int>(spring.c.model.unknowns()));
  ASSERT_EQ(spring.state.y.size(), spring.c.model.unknowns() + 3);
  dynamics::Effect h = spring.effect();
  spring.contact().slipping = false;
  dynamics::begin_slip(h, 0);
  EXPECT_TRUE(spring.contact().slipping);
  spring.state.y[static_cast<std::size_t>(spring.contact().memory_at)] = 1e-4;
  dynamics::begin_stick(h, 0);
  EXPECT_FALSE(spring.contact().slipping);
  EXPECT_LT(spring.state.y[static_cast<std::size_t>(spring.contact().memory_at)], 1e-4);
  dynamics::lose(h, 0);
  EXPECT_EQ(spring.state.y.size(), spring.c.model.unknowns());
}

TEST(HeldContacts, CarryTheWeightAndTheirFrictionIsThatOfTheForceFound) {
  for (const bool with_friction : {false, true}) {
    HandMade h(std::string("law: bistiffness, elastic: hooke, parameters: {mu: 0.999}") +
               (with_friction ? ", friction: {coefficient: 0.2}" : ""));
    h.contact().mode = ContactMode::Mode::holding;
    const dynamics::Evaluation& e = dynamics::evaluate(h.c.model, 0, h.state.y, h.state.modes, h.workspace);
    EXPECT_NEAR(e.contacts[0].force.total_N, 0.5 * 9.81, 1e-12);
    EXPECT_NEAR(e.acceleration[2], 0, 1e-12);
    const double slip = 0.4, friction = with_friction ? 0.2 * 0.5 * 9.81 : 0;
    EXPECT_NEAR(norm(e.contacts[0].friction_N), friction, 1e-12);
    EXPECT_NEAR(e.contacts[0].friction_W, friction * slip, 1e-12);
    EXPECT_NEAR(e.acceleration[0], -friction / 0.5, 1e-12);
  }
}

TEST(HeldContacts, EndTheRunOfABoxBesideABouncingBall) {
  for (const char* tolerance : {"1e-5", "1e-6", "1e-7"}) {
    const SceneRun run = run_text(
        "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1964]}\n"
        "  rest: {mass: 0.1, shape: {kind: box, size: [0.2, 0.3, 0.2]}, at: [1, 0, 0.1]}\n"
        "  ground: {shape: {kind: plane}}\ncontacts:\n"
        "  a: {between: [ball, ground], law: flores, stiffness: 8.819e+05, restitution: 0.7}\n"
        "  b: {between: [rest, ground], law: bistiffness, elastic: hertz, stiffness: 25104, parameters: {mu: 0.2}, "
        "friction: {coefficient: 0.3}}\nsolver: {duration: 0.16 s, tolerance: 1e-6}\n",
        {std::string("solver.tolerance=") + tolerance});
    EXPECT_EQ(run.recording.end, recording::End::done) << tolerance;
  }
}

TEST(Clearance, HasNoImpactThatIsRounding) {
  const SceneRun run = run_model(shipped("slider_crank_clearance", {"solver.duration=5 ms"}));
  ASSERT_GT(run.recording.impacts.size(), 8U);
  for (const recording::Impact& k : run.recording.impacts) EXPECT_GT(k.peak_force_N, 1e-3) << k.touch_s;
  for (std::size_t i = 1; i < run.recording.impacts.size(); ++i)
    EXPECT_GE(run.recording.impacts[i].touch_s, run.recording.impacts[i - 1].touch_s) << "in the order of touch";
}

TEST(Clearance, ReportsBothRestitutionsUnderLoad) {
  const SceneRun run = run_model(shipped("slider_crank_clearance", {"solver.duration=3 ms"}));
  bool exceeds = false;
  for (const recording::Impact& k : run.recording.impacts) {
    if (!k.separated() || !k.delivered) continue;
    ASSERT_TRUE(k.energetic);
    EXPECT_LT(*k.energetic, 1) << "the law dissipates";
    EXPECT_NEAR(k.compression_J - k.restitution_J, k.lost_J, 1e-6 * k.compression_J)
        << "what does not come back is lost";
    exceeds = exceeds || *k.delivered > 1;
  }
  EXPECT_TRUE(exceeds) << "the kinematic one may exceed 1 under a load";
}

TEST(Events, OnTheForceOfARestingContactReadTheForceOfTheirMoment) {
  // a ball at rest, pressed by a growing force: the event is where weight and force reach 20 N together
  const SceneRun run = run_text(
      "bodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1]}\n  ground: {shape: {kind: "
      "plane}}\n"
      "contacts:\n  c: {between: [ball, ground], response: impulsive, restitution: 0}\n"
      "forces:\n  push: {body: ball, force: [0, 0, -30*t]}\n"
      "events:\n  e: {when: c.force rises through 20}\nsolver: {duration: 1 s}\n");
  ASSERT_EQ(run.recording.events.size(), 1U);
  EXPECT_NEAR(run.recording.events[0].time_s, (20 - 9.81) / 30, 1e-9);
}

// ---- several things at one time

/// Laws that an event of the contact itself belongs to, and one without.
constexpr const char* kLaws[] = {
    "law: walton-braun, stiffness: 1e6, restitution: 0.5",
    "law: lankarani-nikravesh-plastic, stiffness: 1e8, restitution: 0.5",
    "law: bistiffness, elastic: hooke, stiffness: 1e6, parameters: {mu: 0.5}",
    "law: kuwabara-kono, stiffness: 1e7, parameters: {relaxation_time: 0.0003}",
    "law: flores, stiffness: 1e8, restitution: 0.5",
};

/// Each ball is alone in its world: what happens to others at the same time does not matter to it.
TEST(EventsAtOneTime, HappenToEveryContact) {
  for (const char* law : kLaws) {
    const auto balls = [&](int count) {
      std::string bodies = "bodies:\n  ground: {shape: {kind: plane}}\n", contacts = "contacts:\n";
      for (int i = 0; i < count; ++i) {
        const std::string k = std::to_string(i);
        bodies +=
            "  b" + k + ": {mass: 1, inertia: 1, shape: {kind: sphere, radius: 0.1}, at: [" + k + ", 0, 0.3]}\n";
        contacts += "  c" + k + ": {between: [b" + k + ", ground], " + law + "}\n";
      }
      return run_text(bodies + contacts + "solver: {duration: 0.25 s, tolerance: 1e-9}\n");
    };
    const SceneRun one = balls(1), three = balls(3);
    ASSERT_EQ(one.recording.impacts.size(), 1U) << law;
    ASSERT_EQ(three.recording.impacts.size(), 3U) << law;
    for (const recording::Impact& impact : three.recording.impacts) {
      ASSERT_TRUE(impact.delivered) << law;
      EXPECT_NEAR(*impact.delivered, *one.recording.impacts[0].delivered, 1e-7) << law;
      EXPECT_NEAR(impact.separation_s, one.recording.impacts[0].separation_s, 1e-7) << law;
    }
    EXPECT_LT(gap_share(three), 1e-7) << law;
  }
}

TEST(EventsAtOneTime, HappenAtEveryCornerOfABox) {
  const SceneRun run = run_text(
      "bodies:\n  ground: {shape: {kind: plane}}\n"
      "  a: {mass: 1, shape: {kind: box, size: [0.2, 0.2, 0.2]}, at: [0, 0, 0.3]}\ncontacts:\n"
      "  c: {between: [a, ground], law: walton-braun, stiffness: 1e6, restitution: 0.5}\n"
      "solver: {duration: 0.25 s, tolerance: 1e-9}\n");
  ASSERT_EQ(run.recording.impacts.size(), 4U);
  for (const recording::Impact& impact : run.recording.impacts) EXPECT_NEAR(*impact.delivered, 0.5, 1e-6);
}

/// A force that is switched on lifts a ball at rest: it leaves at once and comes back when free flight says.
TEST(RestAfterCollisions, EndsWhereAForceJumps) {
  const std::string scene =
      "bodies:\n  ground: {shape: {kind: plane}}\n"
      "  a: {mass: 1, inertia: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1]}\n"
      "contacts:\n  c: {between: [a, ground], response: impulsive, restitution: 0.5}\n"
      "solver: {duration: 0.3 s, tolerance: 1e-9}\n";
  const double g = 9.81, lift_s = 0.05, up = 20 - g, z = up * lift_s * lift_s / 2, v = up * lift_s;
  const double back_s = lift_s + (v + std::sqrt(v * v + 2 * g * z)) / g;  // after it was switched on
  for (const auto& [force, on_s] :
       {std::pair{
            "forces:\n  up: {body: a, force: [0, 0, 20], enabled: false}\nevents:\n"
            "  on: {when: t crosses 0.1, then: [enable up]}\n  off: {when: t crosses 0.15, then: [disable up]}\n",
            0.1},
        std::pair{
            "forces:\n  up: {body: a, force: [0, 0, 'if(t < 0.1, 0, if(t < 0.1499, 20, 0))'], every: 10 ms}\n",
            0.1},
        std::pair{"forces:\n  up: {body: a, force: [0, 0, 'if(t < 0.0499, 20, 0)'], every: 10 ms}\n", 0.0}}) {
    const SceneRun run = run_text(scene + force);
    const auto& impacts = run.recording.impacts;
    const auto first = std::ranges::find_if(impacts, [](const auto& i) { return i.approach_speed_mps > 0; });
    ASSERT_NE(first, impacts.end()) << force;
    EXPECT_NEAR(first->touch_s, on_s + back_s, 1e-8) << force;
    EXPECT_LT(gap_share(run), 1e-8) << force;
  }
}

TEST(HeldContacts, ShowTheirFrictionToForceExpressions) {
  // p is pushed by the friction of a contact that holds, q by its force: 0.2 of it
  const SceneRun run = run_text(
      "bodies:\n  a: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1], velocity: [1, 0, 0]}\n"
      "  p: {mass: 1, particle: true, at: [0, 5, 0]}\n  q: {mass: 1, particle: true, at: [0, 6, 0]}\n"
      "  ground: {shape: {kind: plane}}\ncontacts:\n"
      "  c: {between: [a, ground], law: bistiffness, elastic: hooke, stiffness: 1e6, parameters: {mu: 0.9},"
      " friction: {coefficient: 0.2}}\n"
      "forces:\n  f: {body: p, force: [c.friction, 0, 9.81]}\n  g: {body: q, force: [c.force, 0, 9.81]}\n"
      "solver: {duration: 0.1 s, tolerance: 1e-8}\noutputs: {every: 20 ms}\n");
  const double v_p = run.samples.last("bodies/p", "vx"), v_q = run.samples.last("bodies/q", "vx");
  EXPECT_GT(v_q, 0.9);
  EXPECT_NEAR(v_p / v_q, 0.2, 1e-3);
}

TEST(Remarks, AreSaidOnceOfEachKindAndContact) {
  dynamics::Remarks remarks;
  remarks.warn({"fast", "c1", "contact \"c1\": 3 m/s is fast"});
  remarks.warn({"fast", "c1", "contact \"c1\": as fast as 4.5e3 m/s"});
  remarks.warn({"fast", "c2", "contact \"c2\": 3 m/s is fast"});
  remarks.warn({"large", "c1", "contact \"c1\": 3 m/s is fast"});
  EXPECT_EQ(remarks.texts().size(), 3U);
  Writer out;
  remarks.save(out);
  const auto bytes = out.take();
  Reader in(bytes);
  dynamics::Remarks again;
  ASSERT_TRUE(again.restore(in));
  EXPECT_EQ(again.texts(), remarks.texts());
  again.warn({"fast", "c2", "contact \"c2\": 8 m/s is fast"});
  EXPECT_EQ(again.texts().size(), 3U);
}

}  // namespace
}  // namespace percuss
