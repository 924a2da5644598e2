// The parts of the engine by themselves: rows, broad phase, crossings, event rows, held contacts, controllers,
// observers.
#include <Eigen/LU>
#include <cmath>
#include <random>
#include <thread>

#include "percuss/dynamics/events/contact_events.h"
#include "percuss/dynamics/observers/impacts.h"
#include "percuss/dynamics/reading.h"
#include "percuss/model/attach.h"
#include "percuss/model/broad_phase.h"
#include "percuss/ode/newton_matrix.h"
#include "same_bits.h"
#include "scene_runs.h"

namespace percuss {
namespace {

using dynamics::ContactMode;
using dynamics::Progress;
using dynamics::Simulation;
using dynamics::State;

model::Compiled from_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return must_compile(scene::read_scene_text(text, "scene.yaml", overrides));
}
model::Compiled shipped(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return must_compile(scene::read_scene(std::string(PERCUSS_SOURCE) + "/scenes/" + name + ".yaml", overrides));
}

// ---- rows

TEST(RowLayout, SolvesTheEquationsOfTheMultipliers) {
  for (const char* name : {"squeezer", "slider_crank", "four_bar", "governor"}) {
    const model::Compiled c = shipped(name);
    const State state = dynamics::initial_state(c.model);
    dynamics::Workspace workspace(c.model);
    dynamics::place(c.model, 0, state.y, state.modes, workspace, workspace.result);
    const model::RowLayout& rows = *state.modes.rows;
    model::RowValues values;
    rows.evaluate(c.model, 0, state.y, workspace.result.motions, workspace.result.near_rad, values);
    rows.factor(values);
    const auto n = static_cast<Eigen::Index>(rows.count());
    // J M^-1 J^T column by column, from the two products that the engine uses
    Eigen::MatrixXd a(n, n);
    std::vector<double> unit(rows.count()), u(static_cast<std::size_t>(c.model.velocity_count)), out(rows.count());
    for (Eigen::Index j = 0; j < n; ++j) {
      std::ranges::fill(unit, 0.0);
      std::ranges::fill(u, 0.0);
      unit[static_cast<std::size_t>(j)] = 1;
      rows.add_response(values, unit, u);
      rows.times(values, u, out);
      for (Eigen::Index i = 0; i < n; ++i) a(i, j) = out[static_cast<std::size_t>(i)];
    }
    EXPECT_LT((a - a.transpose()).cwiseAbs().maxCoeff(), 1e-12 * a.cwiseAbs().maxCoeff()) << name;
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, 1, 2);
    std::vector<double> x(rows.count());
    rows.solve(values, std::span<const double>(b.data(), rows.count()), x);
    const Eigen::VectorXd exact = a.partialPivLu().solve(b);
    for (Eigen::Index i = 0; i < n; ++i)
      EXPECT_NEAR(x[static_cast<std::size_t>(i)], exact[i], 1e-9 * exact.cwiseAbs().maxCoeff()) << name;
  }
}

TEST(RowLayout, RatesOfRowsAreTheDifferencesOfTheirResiduals) {
  const model::Compiled c = shipped("squeezer");
  State state = dynamics::initial_state(c.model);
  std::mt19937 random(3);
  for (int k = 0; k < c.model.velocity_count; ++k)
    state.y[static_cast<std::size_t>(c.model.position_count + k)] =
        static_cast<double>(random()) / 4294967296.0 - 0.5;
  dynamics::Workspace workspace(c.model);
  const auto residual = [&](const std::vector<double>& y, bool rate) {
    dynamics::place(c.model, 0, y, state.modes, workspace, workspace.result);
    model::RowValues values;
    state.modes.rows->evaluate(c.model, 0, y, workspace.result.motions, workspace.result.near_rad, values);
    return rate ? values.residual_rate : values.residual;
  };
  const double h = 1e-6;
  std::vector<double> ahead = state.y, behind = state.y, d(state.y.size());
  model::position_slopes(c.model, 0, state.y, d);
  for (int i = 0; i < c.model.position_count; ++i) {
    ahead[static_cast<std::size_t>(i)] += h * d[static_cast<std::size_t>(i)];
    behind[static_cast<std::size_t>(i)] -= h * d[static_cast<std::size_t>(i)];
  }
  const auto rate = residual(state.y, true), plus = residual(ahead, false), minus = residual(behind, false);
  for (std::size_t i = 0; i < rate.size(); ++i) EXPECT_NEAR(rate[i], (plus[i] - minus[i]) / (2 * h), 1e-8);
}

// ---- broad phase

std::string cloud(int count, double side, unsigned seed) {
  std::mt19937 random(seed);
  const auto one = [&] { return static_cast<double>(random()) / 4294967296.0; };
  std::string bodies;
  for (int i = 0; i < count; ++i)
    bodies += "  b" + std::to_string(i) +
              ": {mass: 1, shape: {kind: sphere, radius: " + text_of(0.02 + 0.1 * std::pow(one(), 4)) +
              ", material: m}, at: [" + text_of(side * one()) + ", " + text_of(side * one()) + ", " +
              text_of(0.2 + side * one()) + "], velocity: [" + text_of(one() - 0.5) + ", 0, " +
              text_of(one() - 0.5) + "]}\n";
  return "materials: {m: {young: 1e9, poisson: 0.3, density: 1000}}\nbodies:\n" + bodies +
         "  ground: {shape: {kind: plane, material: m}}\n"
         "contacts:\n  all: {materials: [m, m], law: hertz, allow_initial_overlap: true}\nsolver: {duration: 1}\n";
}

TEST(BroadPhase, FindsWhatAllPairsFindWhateverItWasAskedBefore) {
  const model::Compiled c = from_text(cloud(120, 1.0, 5));
  const model::Model& m = c.model;
  std::mt19937 random(9);
  const auto one = [&] { return static_cast<double>(random()) / 4294967296.0; };
  model::BroadPhase kept(m);
  std::vector<double> y = m.start;
  for (int round = 0; round < 30; ++round) {
    model::Motions begin, end;
    model::place_bodies(m, 0, y, begin);
    const double far = round % 5 == 4 ? 0.5 : 0.01;
    for (const model::Body& b : m.bodies)
      for (int k = 0; k < 3 && b.q_at >= 0; ++k) y[static_cast<std::size_t>(b.q_at + k)] += far * (one() - 0.5);
    model::place_bodies(m, 0, y, end);
    model::BroadPhase fresh(m);
    const double h = 1e-3;
    const auto a = kept.near(begin, end, h), b = fresh.near(begin, end, h);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].first == b[i].first && a[i].second == b[i].second);
    // every pair that overlaps at an end is among them
    for (std::size_t i = 0; i < m.surfaces.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const geometry::Surface &p = m.surfaces[i], &q = m.surfaces[j];
        if (!std::isfinite(p.reach_m) || !std::isfinite(q.reach_m)) continue;
        const Vec3 d = end[static_cast<std::size_t>(p.body)].p_m - end[static_cast<std::size_t>(q.body)].p_m;
        if (norm(d) > p.reach_m + q.reach_m) continue;
        EXPECT_TRUE(std::ranges::any_of(a,
                                        [&](const model::ContactPair& pair) {
                                          return std::minmax(pair.first, pair.second) ==
                                                 std::minmax(static_cast<int>(i), static_cast<int>(j));
                                        }))
            << i << " " << j;
      }
  }
}

TEST(ContactsByMaterials, TakeTheLawOfTheirOwnRadii) {
  const model::Compiled c = from_text(
      "materials: {m: {young: 1e9, poisson: 0.3, density: 1000}}\nbodies:\n"
      "  a: {shape: {kind: sphere, radius: 0.1, material: m}, at: [0, 0, 1]}\n"
      "  b: {shape: {kind: sphere, radius: 0.2, material: m}, at: [1, 0, 1]}\n"
      "  c: {shape: {kind: sphere, radius: 0.05, material: m}, at: [2, 0, 1]}\n"
      "contacts:\n  all: {materials: [m, m], law: hertz}\nsolver: {duration: 1}\n");
  const double modulus = 1e9 / (2 * (1 - 0.09));
  const auto stiffness = [&](std::size_t i, std::size_t j, double r_i, double r_j) {
    const auto pair = c.model.pair_of_materials(i, j);
    ASSERT_TRUE(pair);
    EXPECT_NEAR(c.model.law_of(*pair).spec.stiffness / (4.0 / 3 * modulus * std::sqrt(r_i * r_j / (r_i + r_j))), 1,
                1e-12);
  };
  stiffness(0, 1, 0.1, 0.2);
  stiffness(0, 2, 0.1, 0.05);
  stiffness(2, 1, 0.05, 0.2);
  EXPECT_EQ(c.model.contact_kinds.size(), 1U) << "one kind for all sizes";
}

// ---- crossings

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
}

// ---- event rows

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
          dynamics::Pressing pressing;
          const dynamics::Watch w{s.model, s.path, s.modes.contacts[i], i, 1e-16, workspace, pressing};
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
    dynamics::begin_contact(f, {0, c.model.pairs[0], spots.at(0), 0});
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

// ---- contacts that hold

TEST(HeldContacts, CarryTheWeightAndTheirFrictionIsThatOfTheForceFound) {
  for (const bool with_friction : {false, true}) {
    HandMade h(std::string("law: bistiffness, elastic: hooke, parameters: {mu: 0.3}") +
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

// ---- controllers

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
      std::string(kCart) + "forces:\n  law: {on: cart, force: [-8*cart.x - 4*cart.vx, 0, 0], every: 50 ms}\n");
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

// ---- a changed model, observers, threads

TEST(Simulation, GoesOnUnderAChangedModelAndSaysWhatChanged) {
  const model::Compiled soft = shipped("bouncing_ball");
  const model::Compiled stiff = shipped("bouncing_ball", {"bounce.stiffness=2e8"});
  Simulation sim(soft.model, soft.settings);
  while (sim.current().modes.contacts.empty()) sim.step();
  Simulation same(soft.model, soft.settings, sim.state());
  EXPECT_TRUE(same.changes().empty());
  Simulation other(stiff.model, stiff.settings, sim.state());
  ASSERT_EQ(other.changes().size(), 1U);
  EXPECT_NE(other.changes()[0].find("contact \"bounce\""), std::string::npos);
  while (other.step() == Progress::going) {
  }
  EXPECT_EQ(other.failure(), "");

  const model::Compiled crank = shipped("slider_crank");
  Simulation turning(crank.model, crank.settings);
  turning.advance_to(0.1);
  model::Model longer = crank.model;  // the rod a little longer: its pin moves outwards
  for (geometry::Measure& m : longer.measures)
    for (auto& [body, point] : {std::pair<int, Vec3*>{m.body_a, &m.point_a}, {m.body_b, &m.point_b}})
      if (body == 2 && point->x > 0) point->x += 1e-4;
  Simulation moved(longer, crank.settings, turning.state());
  EXPECT_FALSE(moved.changes().empty());
  EXPECT_NE(moved.changes()[0].find("projected onto the joints"), std::string::npos);
  moved.step();
  EXPECT_EQ(moved.failure(), "");
}

TEST(Observers, AreSavedAndRestored) {
  const model::Compiled c = shipped("slider_crank_clearance", {"solver.duration=3 ms", "solver.tolerance=1e-8"});
  const auto run = [&](bool is_cut) {
    auto ledger = std::make_unique<dynamics::Ledger>(c.model);
    auto account = std::make_unique<dynamics::Account>(c.model);
    auto impacts = std::make_unique<dynamics::Impacts>(c.model, *ledger, account.get(), 100);
    auto sim = std::make_unique<Simulation>(
        c.model, c.settings, std::vector<dynamics::Observer*>{ledger.get(), account.get(), impacts.get()});
    if (is_cut) {
      sim->advance_to(1.7e-3);
      Writer bytes;
      for (const dynamics::Observer* o :
           std::initializer_list<dynamics::Observer*>{ledger.get(), account.get(), impacts.get()})
        o->save(bytes);
      const State state = sim->state();
      auto ledger_2 = std::make_unique<dynamics::Ledger>(c.model);
      auto account_2 = std::make_unique<dynamics::Account>(c.model);
      auto impacts_2 = std::make_unique<dynamics::Impacts>(c.model, *ledger_2, account_2.get(), 100);
      Reader in(bytes.bytes());
      for (dynamics::Observer* o :
           std::initializer_list<dynamics::Observer*>{ledger_2.get(), account_2.get(), impacts_2.get()})
        EXPECT_TRUE(o->restore(in));
      EXPECT_TRUE(in.is_whole());
      sim = std::make_unique<Simulation>(
          c.model, c.settings, state,
          std::vector<dynamics::Observer*>{ledger_2.get(), account_2.get(), impacts_2.get()});
      ledger = std::move(ledger_2);
      account = std::move(account_2);
      impacts = std::move(impacts_2);
    }
    while (sim->step() == Progress::going) {
    }
    sim->finish();
    std::vector<double> out{ledger->ledger().largest_gap_J, ledger->energy().lost_in_contacts_J,
                            ledger->energy().by_drivers_J, ledger->energy().friction_J};
    for (const recording::Impact& k : impacts->kept()) {
      const std::vector<double> row = recording::impact_row(k);
      out.insert(out.end(), row.begin(), row.end());
    }
    return out;
  };
  const std::vector<double> whole = run(false), cut = run(true);
  EXPECT_GT(whole.size(), 100U);
  EXPECT_EQ(first_difference(whole, cut, "number"), "");
}

TEST(Simulation, EightAtOnceGiveTheBitsOfOne) {
  const model::Compiled c = shipped("bouncing_ball", {"solver.duration=0.6", "solver.tolerance=1e-6"});
  const auto run = [&] {
    Simulation sim(c.model, c.settings);
    while (sim.step() == Progress::going) {
    }
    return sim.state();
  };
  const State alone = run();
  std::vector<State> states(8);
  {
    std::vector<std::jthread> threads;
    for (State& s : states) threads.emplace_back([&s, &run] { s = run(); });
  }
  for (const State& s : states) EXPECT_EQ(difference(alone, s), "");
}

// ---- the sparse Jacobian

TEST(NewtonMatrix, IsTheDenseOneWithFewerEvaluations) {
  const std::size_t n = 120, block = 4;  // a chain of blocks, each coupled with its neighbours
  ode::Coupling chain;
  for (std::size_t i = 0; i < n; ++i) chain.block_of.push_back(static_cast<int>(i / block));
  for (int b = 0; b < static_cast<int>(n / block); ++b) {
    chain.reads.push_back({b});
    if (b > 0) chain.reads.back().push_back(b - 1);
    if (b + 1 < static_cast<int>(n / block)) chain.reads.back().push_back(b + 1);
  }
  int calls = 0;
  const auto slope = [&](std::span<const double> y, std::span<double> d) {
    ++calls;
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = -3 * y[i] * y[i];
      const std::size_t b = i / block;
      for (std::size_t j = b > 0 ? (b - 1) * block : 0; j < std::min(n, (b + 2) * block); ++j)
        d[i] += 0.1 * std::sin(y[j] + static_cast<double>(i));
    }
  };
  std::vector<double> y(n), d(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = std::cos(static_cast<double>(i));
  slope(y, d);
  ode::NewtonMatrix sparse, dense;
  sparse.lay_out(n, chain);
  dense.lay_out(n, {});
  ASSERT_TRUE(sparse.is_sparse());
  ASSERT_FALSE(dense.is_sparse());
  const auto by = [](std::size_t) { return 1e-7; };
  calls = 0;
  sparse.difference(y, d, by, slope);
  EXPECT_LE(calls, 3 * static_cast<int>(block)) << "three colours";
  dense.difference(y, d, by, slope);
  for (ode::NewtonMatrix* m : {&sparse, &dense}) m->factor(7.0, {5.0, 3.0});
  const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(n), -1, 1);
  EXPECT_LT((sparse.solve(right) - dense.solve(right)).cwiseAbs().maxCoeff(), 1e-6);
  Eigen::VectorXd a, b, p, q;
  sparse.solve(right, right, a, b);
  dense.solve(right, right, p, q);
  EXPECT_LT((a - p).cwiseAbs().maxCoeff() + (b - q).cwiseAbs().maxCoeff(), 1e-6);
}

// ---- found wrong

TEST(Scene, TellsErrorsInElementsOfGravity) {
  const auto errors = [](const std::string& gravity) {
    const auto scene = scene::read_scene_text(
        "gravity: " + gravity + "\nbodies: {a: {mass: 1, inertia: 1}}\nsolver: {duration: 1}\n", "s.yaml");
    if (!scene) return scene.errors().size();
    const auto model = model::compile(*scene);
    return model ? std::size_t{0} : model.errors().size();
  };
  EXPECT_EQ(errors("[0, 0, -1.62 m/s^2]"), 0U);
  EXPECT_GE(errors("[0, 0, -9.81 furlong]"), 1U);
  EXPECT_GE(errors("[0, 0, -1.62 kg]"), 1U);
  EXPECT_GE(errors("[0, x, -9.81]"), 1U);
}

TEST(Scene, TypesTheLengthOfASpringByItsCoordinate) {
  const model::Compiled c = from_text(
      "bodies:\n  a: {mass: 1, inertia: 1, at: [0, 0, 0], angle: 0}\n  b: {mass: 1, inertia: 1, at: [1, 0, 0], "
      "angle: 0}\njoints:\n"
      "  slide: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}\n"
      "  pin: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: y}\n"
      "springs:\n  s: {type: coordinate, joint: slide, stiffness: 10}\n"
      "  t: {type: coordinate, joint: pin, stiffness: 10}\nsolver: {duration: 1}\n");
  const auto dimension_of = [&](const char* name) {
    return c.model.channels[static_cast<std::size_t>(model::find_channel(c.model, name))].dimension;
  };
  EXPECT_TRUE(dimension_of("s.length") == dimension::length);
  EXPECT_TRUE(dimension_of("s.force") == dimension::force);
  EXPECT_TRUE(dimension_of("t.length") == dimension::number);
}

TEST(Clearance, HasNoImpactThatIsRounding) {
  const SceneRun run = run_model(shipped("slider_crank_clearance", {"solver.duration=5 ms"}));
  ASSERT_GT(run.recording.impacts.size(), 8U);
  for (const recording::Impact& k : run.recording.impacts) EXPECT_GT(k.max_force_N, 1e-3) << k.touch_s;
  for (std::size_t i = 1; i < run.recording.impacts.size(); ++i)
    EXPECT_GE(run.recording.impacts[i].touch_s, run.recording.impacts[i - 1].touch_s) << "in the order of touch";
}

TEST(Clearance, ReportsBothRestitutionsUnderLoad) {
  const SceneRun run = run_model(shipped("slider_crank_clearance", {"solver.duration=3 ms"}));
  bool exceeds = false;
  for (const recording::Impact& k : run.recording.impacts) {
    if (!k.released || !k.delivered) continue;
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
      "contacts:\n  c: {between: [ball, ground], response: percussion, restitution: 0}\n"
      "forces:\n  push: {on: ball, force: [0, 0, -30*t]}\n"
      "events:\n  e: {when: c.force rises through 20}\nsolver: {duration: 1 s}\n");
  ASSERT_EQ(run.recording.events.size(), 1U);
  EXPECT_NEAR(run.recording.events[0].time_s, (20 - 9.81) / 30, 1e-9);
}

}  // namespace
}  // namespace percuss
