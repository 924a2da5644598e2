// A State gone on with: under the same model, a changed one, other settings; observers saved and restored.
#include <thread>

#include "percuss/dynamics/observers/impacts.h"
#include "percuss/model/attach.h"
#include "same_bits.h"
#include "scene_runs.h"

namespace percuss {
namespace {

using dynamics::ContactMode;
using dynamics::Progress;
using dynamics::Simulation;
using dynamics::State;

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
    std::vector<double> out{ledger->ledger().largest_error_J, ledger->energy().lost_in_contacts_J,
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

/// Loose tolerances leave large residuals of the joints: they are no change of the model.
TEST(Simulation, GoesOnToTheSameBitsAtLooseTolerances) {
  for (const char* scene : {"slider_crank", "four_bar", "squeezer"})
    for (const ode::IntegratorRow& row : ode::integrator_rows())
      for (const char* tolerance : {"1e-2", "1e-4"}) {
        std::vector<std::string> set{"solver.integrator=" + std::string(row.key), "solver.duration=0.01"};
        set.push_back(row.fixed_step
                          ? std::string("solver.step=") + (tolerance == std::string("1e-2") ? "1e-4" : "1e-5")
                          : std::string("solver.tolerance=") + tolerance);
        const model::Compiled c = shipped(scene, set);
        Simulation whole(c.model, c.settings), first(c.model, c.settings);
        while (whole.step() == Progress::going) {
        }
        first.advance_to(0.0037);
        Simulation rest(c.model, c.settings, first.state());
        EXPECT_TRUE(rest.changes().empty()) << scene << " " << row.key << ": " << rest.changes().front();
        while (rest.step() == Progress::going) {
        }
        EXPECT_EQ(difference(whole.state(), rest.state()), "") << scene << " " << row.key << " " << tolerance;
      }
}

TEST(Simulation, GoesOnUnderOtherCoefficientsOfRows) {
  const auto gear = [](const char* ratio) {
    return from_text(std::string("planar: true\ngravity: [0, 0]\nbodies:\n"
                                 "  a: {mass: 1, inertia: 1, at: [0, 0], angle: 0, angular_velocity: 2}\n"
                                 "  b: {mass: 1, inertia: 1, at: [1, 0], angle: 0}\njoints:\n"
                                 "  ja: {type: revolute, between: [ground, a], at: [0, 0]}\n"
                                 "  jb: {type: revolute, between: [ground, b], at: [1, 0]}\n"
                                 "  g: {type: gear, joints: [ja, jb], ratio: ") +
                     ratio + "}\nsolver: {duration: 1 s}\n");
  };
  const model::Compiled two = gear("2"), four = gear("4");
  Simulation sim(two.model, two.settings);
  sim.advance_to(0.3);
  Simulation other(four.model, four.settings, sim.state());
  EXPECT_FALSE(other.changes().empty());
  const auto ratio = [](const Simulation& s, const model::Model& m) {
    const std::vector<double>& y = s.current().y;
    const double a = y[static_cast<std::size_t>(m.bodies[1].v_at) + 2],
                 b = y[static_cast<std::size_t>(m.bodies[2].v_at) + 2];
    return std::max(std::abs(a / b), std::abs(b / a));
  };
  EXPECT_NEAR(ratio(sim, two.model), 2, 1e-9);
  while (other.step() == Progress::going) {
  }
  EXPECT_EQ(other.failure(), "");
  EXPECT_NEAR(ratio(other, four.model), 4, 1e-9);
}

TEST(Simulation, TakesUpAnotherDriverRateAtOnce) {
  const auto driven = [](const char* rate) {
    return from_text(
        std::string("planar: true\nbodies:\n  a: {mass: 1, inertia: 1, at: [0, 0], angle: 0}\njoints:\n"
                    "  j: {type: revolute, between: [ground, a], at: [0, 0]}\ndrivers:\n"
                    "  d: {joint: j, rate: ") +
        rate + "}\nsolver: {duration: 1 s}\n");
  };
  const model::Compiled slow = driven("1"), fast = driven("2");
  Simulation sim(slow.model, slow.settings);
  sim.advance_to(0.3);
  Simulation other(fast.model, fast.settings, sim.state());
  EXPECT_EQ(other.changes().size(), 1U);
  EXPECT_NEAR(other.current().y[static_cast<std::size_t>(fast.model.bodies[1].v_at) + 2], 2, 1e-12);
}

TEST(Simulation, GoesOnWithAnotherIntegratorAndSaysSo) {
  const auto with = [](const ode::IntegratorRow& row) {
    return shipped("bouncing_ball",
                   {"ball.at=[0, 0, 0.1001]", "solver.duration=0.45", "solver.integrator=" + std::string(row.key),
                    row.fixed_step ? "solver.step=1e-6" : "solver.tolerance=1e-8"});
  };
  for (const ode::IntegratorRow& from : ode::integrator_rows())
    for (const ode::IntegratorRow& to : ode::integrator_rows()) {
      const model::Compiled a = with(from), b = with(to);
      Simulation sim(a.model, a.settings);
      while (sim.current().modes.contacts.empty()) sim.step();
      Simulation other(b.model, b.settings, sim.state());
      EXPECT_EQ(other.changes().empty(), from.key == to.key) << from.key << " to " << to.key;
      for (int k = 0; k < 20 && other.step() == Progress::going; ++k) {
      }
      EXPECT_EQ(other.failure(), "") << from.key << " to " << to.key;
    }
}

TEST(Simulation, ForgetsTheMemoryOfAFrictionThatRemembersNothing) {
  const auto sliding = [](const char* friction) {
    return from_text(
        std::string("bodies:\n  ground: {shape: {kind: plane}}\n"
                    "  b: {mass: 1, inertia: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 0.1001],"
                    " velocity: [0.1, 0, 0]}\n"
                    "contacts:\n  c: {between: [b, ground], law: flores, stiffness: 1e7, restitution: 0.5,"
                    " friction: {coefficient: 0.3, law: ") +
        friction + "}}\nsolver: {duration: 0.1 s, tolerance: 1e-7}\n");
  };
  const model::Compiled with = sliding("lugre"), without = sliding("coulomb-tanh");
  Simulation sim(with.model, with.settings);
  while (sim.current().modes.contacts.empty()) sim.step();
  sim.step();
  ASSERT_EQ(sim.current().y.size(), with.model.unknowns() + 3);
  Simulation other(without.model, without.settings, sim.state());
  EXPECT_EQ(other.current().y.size(), without.model.unknowns());
  EXPECT_EQ(other.current().modes.contacts[0].memory_at, -1);
  ASSERT_EQ(other.changes().size(), 1U);
  EXPECT_NE(other.changes()[0].find("friction"), std::string::npos);
  while (other.step() == Progress::going) {
  }
  EXPECT_EQ(other.failure(), "");
}

TEST(Simulation, RefusesAStateOfAnotherModel) {
  const model::Compiled ball = shipped("bouncing_ball"), crank = shipped("slider_crank");
  Simulation sim(ball.model, ball.settings);
  sim.step();
  Simulation other(crank.model, crank.settings, sim.state());
  EXPECT_EQ(other.progress(), Progress::failed);
  EXPECT_NE(other.failure().find("does not belong to this model"), std::string::npos);
  EXPECT_EQ(other.step(), Progress::failed);
  State empty;
  empty.has_begun = true;
  EXPECT_EQ(Simulation(ball.model, ball.settings, empty).progress(), Progress::failed);
}

TEST(Samples, OfARunThatGoesOnAreOfWhatIsStillToCome) {
  const model::Compiled c = shipped("bouncing_ball", {"solver.duration=0.3", "outputs.every=0.05",
                                                      "outputs.in_contact=false", "outputs.at=[0, 0.02, 0.22]"});
  Simulation sim(c.model, c.settings);
  sim.land_on(0.11);
  for (const double from_s : {0.0, 0.11}) {
    Samples rows;
    dynamics::Options options;
    options.sink = &rows;
    if (from_s > 0) options.from = sim.state();
    dynamics::simulate(c, options);
    std::vector<double> times;
    for (const auto& row : rows.rows("bodies/ball")) times.push_back(row[0]);
    const std::vector<double> expected = from_s > 0 ? std::vector{0.11, 0.15, 0.2, 0.22, 0.25, 0.3}
                                                    : std::vector{0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.22, 0.25, 0.3};
    ASSERT_EQ(times.size(), expected.size());
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 1e-12);
  }
}

/// What an observer asks inside a step: weights belong to the stages of this step.
TEST(Observers, FindTheStagesThatTheirWeightsBelongTo) {
  struct Middle final : dynamics::Observer {
    int steps = 0;
    void step(const dynamics::StepView& v) override {
      const double t = v.t0_s + 0.3 * (v.t1_s - v.t0_s);
      std::vector<double> w;
      v.weights_to(t, w);
      double time = 0, first = 0;  // the integrals of 1 and of the time
      for (std::size_t s = 0; s < w.size(); ++s)
        if (w[s] != 0) time += w[s], first += w[s] * v.stages()[s]->t_s;
      EXPECT_NEAR(time, t - v.t0_s, 1e-12 * (1 + t));
      EXPECT_NEAR(first, (t * t - v.t0_s * v.t0_s) / 2, 1e-9 * (t - v.t0_s)) << "step " << steps;
      ++steps;
    }
    dynamics::StageDetail needs_stages() const override { return dynamics::StageDetail::forces; }
  };
  for (const char* integrator : {"dop853", "dopri5", "radau5"}) {
    const model::Compiled c = shipped("bouncing_ball", {"solver.duration=0.5", "solver.tolerance=1e-8",
                                                        std::string("solver.integrator=") + integrator});
    Middle middle;
    Simulation sim(c.model, c.settings, {&middle});
    while (sim.step() == Progress::going) {
    }
    EXPECT_GT(middle.steps, 10);
  }
}

TEST(Radau5, FailsWhereASparseMatrixHasNoNumbers) {
  std::string bodies = "bodies:\n";
  for (int i = 0; i < 30; ++i)
    bodies += "  p" + std::to_string(i) + ": {mass: 1, particle: true, at: [" + std::to_string(i) + ", 0, 0]}\n";
  const model::Compiled c =
      from_text(bodies +
                "forces:\n  f: {body: p0, force: ['sqrt(-(p0.x))', 0, 0]}\ngravity: [0, 0, 0]\n"
                "solver: {duration: 0.1 s, integrator: radau5, tolerance: 1e-6}\n");
  Simulation sim(c.model, c.settings);
  EXPECT_EQ(sim.step(), Progress::failed);
  EXPECT_NE(sim.failure().find("no longer a number"), std::string::npos);
}

}  // namespace
}  // namespace percuss
