// Forces by a user's functions: continuous, sampled, and those that fail.
#include <cmath>
#include <stdexcept>

#include "percuss/model/attach.h"
#include "same_bits.h"
#include "scene_runs.h"

namespace percuss {
namespace {

using dynamics::Progress;
using dynamics::Simulation;
using dynamics::State;

constexpr const char* kCart =
    "gravity: [0, 0, 0]\nbodies:\n  cart: {mass: 2, inertia: 1, at: [1, 0, 0], angle: 0}\n"
    "joints:\n  slide: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}\n"
    "solver: {duration: 1 s, tolerance: 1e-10}\n";

TEST(Controllers, OfOwnStatesAreIntegratedWithTheMotion) {
  // a filter u' = (v - u)/T whose output brakes: against the same two equations by themselves
  model::Compiled c = from_text(kCart, {"cart.velocity=[1, 0, 0]"});
  model::Controller filter;
  filter.name = "filter";
  filter.outputs = 1;
  filter.start = {0.0};
  filter.call = [](const model::ControllerCall& k) {
    k.next[0] = (k.reads[0] - k.states[0]) / 0.1;
    k.outputs[0] = -5 * k.states[0];
    return std::string();
  };
  ASSERT_FALSE(model::attach(c.model, filter, {"cart.vx"}, {.body = "cart"}));
  Simulation sim(c.model, c.settings);
  while (sim.step() == Progress::going) {
  }
  EXPECT_EQ(sim.failure(), "");
  // v' = -2.5 u, u' = 10 (v - u): s^2 + 10 s + 25 = 0, a double root at -5; v = (1 + 5 t) e^(-5 t)
  EXPECT_NEAR(sim.current().y[static_cast<std::size_t>(c.model.bodies[1].v_at)], 6 * std::exp(-5.0), 1e-8);
}

TEST(Controllers, ThatAreSampledHoldTheirOutputs) {
  // u_k = -8 x(t_k) - 4 v(t_k) every 50 ms on 2 kg: x and v of a double integrator, step by step
  const double T = 0.05;
  double x = 1, v = 0;
  for (int k = 0; k < 20; ++k) {
    const double a = (-8 * x - 4 * v) / 2;
    x += v * T + a * T * T / 2;
    v += a * T;
  }
  model::Compiled by_call = from_text(kCart);
  model::Controller law;
  law.name = "law";
  law.every_s = T;
  law.outputs = 1;
  law.call = [](const model::ControllerCall& k) {
    k.outputs[0] = -8 * k.reads[0] - 4 * k.reads[1];
    return std::string();
  };
  ASSERT_FALSE(model::attach(by_call.model, law, {"cart.x", "cart.vx"}, {.joint = "slide"}));
  const model::Compiled by_words = from_text(
      std::string(kCart) + "forces:\n  law: {body: cart, force: [-8*cart.x - 4*cart.vx, 0, 0], every: 50 ms}\n");
  for (const model::Compiled* c : {&std::as_const(by_call), &by_words}) {
    Simulation sim(c->model, c->settings);
    while (sim.step() == Progress::going) {
    }
    const model::Body& cart = c->model.bodies[1];
    EXPECT_NEAR(sim.current().y[static_cast<std::size_t>(cart.q_at)], x, 1e-9);
    EXPECT_NEAR(sim.current().y[static_cast<std::size_t>(cart.v_at)], v, 1e-9);
    // gone on with from the middle: the same bits
    Simulation half(c->model, c->settings);
    half.advance_to(0.43);
    Simulation rest(c->model, c->settings, half.state());
    while (rest.step() == Progress::going) {
    }
    EXPECT_EQ(difference(sim.state(), rest.state()), "");
  }
}

TEST(Controllers, ThatReportAnErrorLeaveTheLastAcceptedState) {
  for (const double every : {0.0, 0.1}) {
    model::Compiled c = from_text(kCart, {"cart.velocity=[1, 0, 0]"});
    model::Controller law;
    law.name = "law";
    law.every_s = every;
    law.outputs = 1;
    law.call = [](const model::ControllerCall& k) {
      k.outputs[0] = -0.1 * k.reads[0];
      return k.t_s > 0.55 ? std::string("the sensor is gone") : std::string();
    };
    ASSERT_FALSE(model::attach(c.model, law, {"cart.x"}, {.body = "cart"}));
    struct Last final : dynamics::Observer {
      double t_s = 0;
      void state(const dynamics::StateView& v) override { t_s = v.state.t_s; }
    } last;
    Simulation sim(c.model, c.settings, {&last});
    while (sim.step() == Progress::going) {
    }
    EXPECT_EQ(sim.progress(), Progress::failed);
    EXPECT_NE(sim.failure().find("controller \"law\": the sensor is gone"), std::string::npos) << sim.failure();
    EXPECT_EQ(last.t_s, sim.time_s()) << "nobody was told of a step that was taken back";
    EXPECT_LE(sim.time_s(), 0.6);
    // another model, without the fault, goes on from there
    const model::Compiled sound = from_text(kCart);
    EXPECT_TRUE(std::isfinite(sim.state().y[0]));
  }
}

TEST(Controllers, ThatCannotBeAttachedSayWhy) {
  model::Compiled c = from_text(kCart);
  model::Controller law;
  law.name = "law";
  law.outputs = 1;
  const auto why = [&](const std::vector<std::string>& reads, const model::Target& target) {
    const auto wrong = model::attach(c.model, law, reads, target);
    return wrong ? wrong->text : std::string();
  };
  EXPECT_NE(why({}, {.body = "cart"}).find("it has no function"), std::string::npos);
  law.call = [](const model::ControllerCall&) { return std::string(); };
  EXPECT_NE(why({"cart.xx"}, {.body = "cart"}).find("nothing is called \"cart.xx\""), std::string::npos);
  EXPECT_NE(why({}, {.body = "ground"}).find("cannot be moved"), std::string::npos);
  EXPECT_NE(why({}, {}).find("a body or on a joint"), std::string::npos);
  law.outputs = 7;
  EXPECT_NE(why({}, {.body = "cart"}).find("7 outputs"), std::string::npos);
  EXPECT_TRUE(c.model.controllers.empty() && c.model.forces.empty()) << "the model is as it was";
}

model::Controller pushing(double newton, double every_s = 0) {
  model::Controller c;
  c.name = "push";
  c.every_s = every_s;
  c.outputs = 1;
  c.call = [newton](const model::ControllerCall& k) {
    k.outputs[0] = newton;
    return std::string();
  };
  return c;
}

/// Contacts begin under the forces that act: also under those that are sampled.
TEST(Controllers, ThatAreSampledActFromTheStart) {
  const auto law_speed = [](const char* every) {
    const SceneRun run = run_text(
        std::string("bodies:\n  a: {mass: 1, inertia: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.0999]}\n"
                    "  ground: {shape: {kind: plane}}\ncontacts:\n"
                    "  c: {between: [a, ground], law: flores, stiffness: 1e7, restitution: 0.5,"
                    " allow_initial_overlap: true}\nforces:\n  down: {body: a, force: [0, 0, '-1000 + 0*t']") +
        every + "}\nsolver: {duration: 0.01 s, tolerance: 1e-9}\n");
    return run.recording.impacts.at(0).law_speed_mps;
  };
  EXPECT_NEAR(law_speed(", every: 10 ms"), law_speed(""), 1e-12);
}

TEST(Controllers, ThatAreSampledMayBeginLate) {
  model::Compiled c = from_text(kCart);
  ASSERT_FALSE(model::attach(c.model, pushing(2, 0.05), {}, {.body = "cart"}));
  model::Settings settings = c.settings;
  settings.duration_s = 9;
  State late = dynamics::initial_state(c.model);
  late.t_s = 8.013;
  Simulation sim(c.model, settings, late);
  while (sim.step() == Progress::going) {
  }
  EXPECT_EQ(sim.failure(), "");
  EXPECT_NEAR(sim.current().y[static_cast<std::size_t>(c.model.bodies[1].v_at)], 9 - 8.013, 1e-12);
  EXPECT_EQ(sim.current().modes.samples[0], 181);  // the next is due at 9.05 s
}

TEST(Controllers, ThatThrowAreErrorsLikeOthers) {
  model::Compiled c = from_text(kCart);
  model::Controller bad = pushing(1);
  bad.call = [](const model::ControllerCall& k) {
    if (k.t_s > 0.5) throw std::runtime_error("out of range");
    k.outputs[0] = 1;
    return std::string();
  };
  ASSERT_FALSE(model::attach(c.model, bad, {}, {.body = "cart"}));
  Simulation sim(c.model, c.settings);
  while (sim.step() == Progress::going) {
  }
  EXPECT_EQ(sim.progress(), Progress::failed);
  EXPECT_NE(sim.failure().find("controller \"push\": out of range"), std::string::npos) << sim.failure();
  EXPECT_LE(sim.time_s(), 0.5);
}

TEST(Controllers, ThatFailAtTheStartLeaveTheStateAsItWasGiven) {
  model::Compiled c = from_text(
      "bodies:\n  ball: {mass: 1, inertia: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.0999]}\n"
      "  ground: {shape: {kind: plane}}\ncontacts:\n"
      "  c: {between: [ball, ground], law: flores, stiffness: 1e7, restitution: 0.5, allow_initial_overlap: true}\n"
      "solver: {duration: 0.01 s}\n");
  model::Controller bad = pushing(1);
  bad.call = [](const model::ControllerCall&) { return std::string("not ready"); };
  ASSERT_FALSE(model::attach(c.model, bad, {}, {.body = "ball"}));
  Simulation sim(c.model, c.settings);
  EXPECT_EQ(sim.progress(), Progress::failed);
  EXPECT_FALSE(sim.state().has_begun);
  EXPECT_TRUE(sim.state().modes.contacts.empty());
}

/// A function that refuses a time which samples look at, and the steps do not: the run is the same with and without
/// samples, and says what was refused.
TEST(Controllers, ThatRefuseWhatOnlyObserversAskDoNotEndTheRun) {
  model::Compiled c = from_text(kCart, {"cart.velocity=[1, 0, 0]"});
  model::Controller picky = pushing(1);
  picky.call = [](const model::ControllerCall& k) {
    k.outputs[0] = -k.reads[0];
    return std::abs(k.t_s - 0.075) < 1e-9 ? std::string("I do not like this time") : std::string();
  };
  ASSERT_FALSE(model::attach(c.model, picky, {"cart.x"}, {.body = "cart"}));
  c.settings.sample_every_s = 0.025;
  const recording::Recording unwatched = dynamics::simulate(c);
  dynamics::Options options;
  recording::MemorySink sink;
  options.sink = &sink;
  const recording::Recording watched = dynamics::simulate(c, options);
  EXPECT_EQ(watched.failure, "");
  EXPECT_EQ(unwatched.fingerprint, watched.fingerprint);
  ASSERT_EQ(watched.warnings.size(), 1U);
  EXPECT_NE(watched.warnings[0].find("I do not like this time"), std::string::npos);
}

/// A function that refuses the state after an event: nobody was told of the step, nor of the event.
TEST(Controllers, ThatRefuseWhatAnEventLeavesAreAskedBeforeAnybodyIsTold) {
  model::Compiled c = from_text(
      "bodies:\n  ball: {mass: 1, inertia: 1, shape: {kind: circle, radius: 0.1}, at: [0, 0.15]}\n"
      "  ground: {shape: {kind: plane}}\nplanar: true\ncontacts:\n"
      "  c: {between: [ball, ground], response: impulsive, restitution: 0.5}\nsolver: {duration: 1 s}\n");
  model::Controller picky = pushing(0);
  picky.call = [](const model::ControllerCall& k) {  // it rises after the collision alone
    k.outputs[0] = 0;
    return k.reads[0] > 0.1 ? std::string("too fast upwards") : std::string();
  };
  ASSERT_FALSE(model::attach(c.model, picky, {"ball.vy"}, {.body = "ball"}));
  struct Told final : dynamics::Observer {
    int events = 0;
    double until_s = 0;
    void step(const dynamics::StepView& v) override { until_s = v.t1_s; }
    void event(const dynamics::EventView&) override { ++events; }
  } told;
  Simulation sim(c.model, c.settings, {&told});
  while (sim.step() == Progress::going) {
  }
  EXPECT_EQ(sim.progress(), Progress::failed);
  EXPECT_EQ(told.events, 0);
  EXPECT_EQ(told.until_s, sim.time_s());
}

}  // namespace
}  // namespace percuss
