// A run is a value: the same bits however it is cut, watched, copied or sampled.
#include <map>
#include <random>
#include <thread>

#include "percuss/dynamics/observers/account.h"
#include "percuss/dynamics/observers/impacts.h"
#include "percuss/dynamics/observers/ledger.h"
#include "percuss/dynamics/observers/remarks.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/attach.h"
#include "same_bits.h"
#include "scene_runs.h"
#include "transformed_scene.h"

namespace percuss {
namespace {

using dynamics::Progress;
using dynamics::Simulation;
using dynamics::State;

struct Case {
  std::string scene;
  std::vector<std::string> overrides;
  std::string integrator;
};

/// Shipped scenes, for a short while, with every integrator.
std::vector<Case> cases() {
  const std::pair<const char*, std::vector<std::string>> scenes[] = {
      {"bouncing_ball", {"solver.duration=1"}},
      {"cradle", {"solver.duration=0.2"}},
      {"dropped_box", {"solver.duration=0.45"}},
      {"four_bar", {"solver.duration=0.4"}},
      {"four_bar_clearance", {"solver.duration=0.02", "solver.tolerance=1e-7"}},
      {"governor", {"solver.duration=0.3", "outputs.at=[]"}},
      {"hanging_cradle", {"solver.duration=0.5", "outputs.at=[]"}},
      {"moving_table", {"solver.duration=0.6"}},
      {"pendulum", {"solver.duration=1", "outputs.at=[]"}},
      {"rocking_block", {"solver.duration=0.1"}},
      {"slider_crank", {"solver.duration=0.3"}},
      {"slider_crank_clearance", {"solver.duration=3 ms", "solver.tolerance=1e-8"}},
      {"slider_crank_guide", {"solver.duration=0.02"}},
      {"squeezer", {"solver.duration=0.01"}},
      {"two_bars", {"solver.duration=0.3"}},
  };
  std::vector<Case> out;
  for (const auto& [scene, overrides] : scenes)
    for (const ode::IntegratorRow& row : ode::integrator_rows()) {
      Case c{scene, overrides, std::string(row.key)};
      c.overrides.push_back("solver.integrator=" + c.integrator);
      if (row.fixed_step) {
        c.overrides.push_back("solver.step=2e-6");
        std::erase_if(c.overrides, [](const std::string& o) { return o.starts_with("solver.duration"); });
        c.overrides.push_back("solver.duration=" +
                              std::string(c.scene == "slider_crank_clearance" ? "1 ms" : "4 ms"));
      } else if (row.order < 8) {
        c.overrides.push_back("solver.tolerance=1e-5");
      }
      out.push_back(std::move(c));
    }
  return out;
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.scene << " " << c.integrator; }

model::Compiled compiled(const Case& c) {
  return must_compile(io::read_scene(std::string(PERCUSS_SOURCE) + "/scenes/" + c.scene + ".yaml", c.overrides));
}

State in_one_go(const model::Compiled& c) {
  Simulation sim(c.model, c.settings);
  while (sim.step() == Progress::going) {
  }
  EXPECT_EQ(sim.failure(), "");
  return sim.state();
}

class EveryRun : public ::testing::TestWithParam<Case> {};

TEST_P(EveryRun, IsTheSameCutIntoAThousandParts) {
  const model::Compiled c = compiled(GetParam());
  const State whole = in_one_go(c);
  Simulation sim(c.model, c.settings);
  for (int k = 1; k <= 1000; ++k) {
    const double t = c.settings.duration_s * k / 1000;
    sim.advance_to(t);
    const auto there = sim.at(t);
    ASSERT_TRUE(there || sim.progress() != Progress::going) << t;
  }
  EXPECT_EQ(difference(whole, sim.state()), "");
}

TEST_P(EveryRun, GoesOnFromACopyInAnotherThread) {
  const model::Compiled c = compiled(GetParam());
  const State whole = in_one_go(c);
  Simulation sim(c.model, c.settings);
  const auto steps = static_cast<int>(whole.counts.steps);
  State state;
  int done = 0;
  for (const int stop : {1, steps / 7, steps / 3, steps / 2, steps - 2}) {
    while (done < stop && sim.step() == Progress::going) ++done;
    Writer bytes;  // on its way it is bytes for a while
    save(sim.state(), bytes);
    Reader in(bytes.bytes());
    ASSERT_TRUE(restore(in, c.model, state) && in.is_whole());
    EXPECT_EQ(difference(sim.state(), state), "");
    State end;
    std::thread elsewhere([&, copy = state] {
      Simulation other(c.model, c.settings, copy);
      while (other.step() == Progress::going) {
      }
      end = other.state();
    });
    elsewhere.join();
    EXPECT_EQ(difference(whole, end), "") << "gone on with after " << stop << " of " << steps << " steps";
  }
}

TEST_P(EveryRun, IsTheSameWithEveryObserverAndWithNone) {
  const model::Compiled c = compiled(GetParam());
  const State whole = in_one_go(c);
  for (const double every : {1e-6, 1.0}) {
    model::Settings settings = c.settings;
    settings.sample_every_s = every < 1 ? settings.duration_s / 3000 : every;
    settings.sample_in_contact = true;
    settings.sample_times_s = {settings.duration_s / 3, settings.duration_s / 2};
    recording::MemorySink sink;
    dynamics::Ledger ledger(c.model);
    dynamics::Account account(c.model);
    dynamics::Impacts impacts(c.model, ledger, &account, 100);
    dynamics::Remarks remarks;
    dynamics::Samples samples(c.model, settings, ledger, impacts, sink);
    Simulation sim(c.model, settings, {&ledger, &account, &impacts, &remarks, &samples});
    while (sim.step() == Progress::going) {
    }
    EXPECT_EQ(difference(whole, sim.state()), "") << "samples every " << settings.sample_every_s << " s";
  }
}

TEST_P(EveryRun, EvaluatesTheSameInAnyOrder) {
  const model::Compiled c = compiled(GetParam());
  Simulation sim(c.model, c.settings);
  std::vector<State> states;
  while (sim.step() == Progress::going && states.size() < 200) states.push_back(sim.state());
  dynamics::Workspace workspace(c.model);
  std::vector<std::vector<double>> first(states.size());
  const auto slopes = [&](const State& s, dynamics::Workspace& w) {
    std::vector<double> d(s.y.size());
    dynamics::write_slopes(c.model, s.y, s.modes, dynamics::evaluate(c.model, s.t_s, s.y, s.modes, w), w, d);
    return d;
  };
  for (std::size_t i = 0; i < states.size(); ++i) first[i] = slopes(states[i], workspace);
  std::mt19937 random(7);
  for (int k = 0; k < 400 && !states.empty(); ++k) {
    const std::size_t i = random() % states.size();
    ASSERT_EQ(first_difference(first[i], slopes(states[i], workspace), "slope"), "");
    if (k % 100 == 0) {
      dynamics::Workspace fresh(c.model);
      ASSERT_EQ(first_difference(first[i], slopes(states[i], fresh), "slope"), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryRun, ::testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.scene + "_" + c.param.integrator; });

// ---- what must not matter

class EveryScene : public ::testing::TestWithParam<Case> {};

/// Places of the bodies at the end, by name.
std::map<std::string, Vec3> places(const model::Compiled& c, double from_s = 0) {
  model::Settings settings = c.settings;
  settings.duration_s += from_s;
  State start = dynamics::initial_state(c.model);
  start.t_s = from_s;
  Simulation sim(c.model, settings, start);
  while (sim.step() == Progress::going) {
  }
  EXPECT_EQ(sim.failure(), "");
  std::map<std::string, Vec3> out;
  for (std::size_t b = 1; b < c.model.bodies.size(); ++b) {
    const geometry::BodyMotion& m = sim.evaluation().motions[b];
    out[c.model.bodies[b].name] = m.p_m + m.R * c.model.bodies[b].origin_m;
  }
  return out;
}

double farthest(const std::map<std::string, Vec3>& a, const std::map<std::string, Vec3>& b) {
  double most = 0;
  for (const auto& [name, p] : a) most = std::max(most, norm(p - b.at(name)));
  return most;
}

scene::Scene scene_for(const Case& c) {
  const auto scene = io::read_scene(std::string(PERCUSS_SOURCE) + "/scenes/" + c.scene + ".yaml", c.overrides);
  EXPECT_TRUE(scene);
  return scene ? *scene : scene::Scene{};
}

/// Errors of single steps add up, and grow in what is sensitive: a thousand steps' worth.
double allowed_m(const model::Compiled& c) { return 1e3 * c.settings.tolerance * c.model.length_m; }

TEST_P(EveryScene, DoesNotDependOnTheOrderOfItsBodies) {
  scene::Scene scene = scene_for(GetParam());
  const model::Compiled c = must_compile(scene);
  std::ranges::reverse(scene.bodies);
  const model::Compiled reversed = must_compile(scene);
  EXPECT_LT(farthest(places(c), places(reversed)), allowed_m(c));
}

TEST_P(EveryScene, DoesNotDependOnWhenItBegins) {
  const model::Compiled c = compiled(GetParam());
  for (const model::Driver& d : c.model.drivers)
    if (!d.function.is_constant || !d.by_rate) return;  // it does
  for (const model::Body& b : c.model.bodies)
    if (b.moves) return;
  EXPECT_LT(farthest(places(c), places(c, 8.0)), allowed_m(c));
}

/// The motion of the transformed scene is the transformed motion.
void expect_transformed(const Case& which, const Transform& by, const std::string& what) {
  const scene::Scene scene = scene_for(which);
  const model::Compiled c = must_compile(scene), other = must_compile(transformed(scene, by));
  std::map<std::string, Vec3> expected = places(c);
  for (auto& [name, p] : expected) p = by.place(p);
  EXPECT_LT(farthest(expected, places(other)), by.length * allowed_m(c)) << what;
}

TEST_P(EveryScene, DoesNotDependOnTheUnitsOfItsNumbers) {
  for (const double factor : {1e-3, 1e3}) {
    expect_transformed(GetParam(), {.length = factor}, "lengths times " + text_of(factor));
    expect_transformed(GetParam(), {.mass = factor}, "masses times " + text_of(factor));
    expect_transformed(GetParam(), {.time = factor}, "times times " + text_of(factor));
  }
}

TEST_P(EveryScene, TurnsWithItsWorld) {
  const bool planar = scene_for(GetParam()).planar;
  const Vec3 axis = planar ? kAxisZ : unit(Vec3{0.3, -0.5, 0.9});
  for (const double angle : {0.7, 2.5})
    expect_transformed(GetParam(), {.Q = matrix_of(rotation_about(axis, angle))}, "turned by " + text_of(angle));
}

TEST_P(EveryScene, IsMirroredWithItsWorld) {
  expect_transformed(GetParam(), {.Q = diagonal(-1, 1, 1)}, "left and right exchanged");
}

std::vector<Case> with_dop853() {
  std::vector<Case> out;
  for (const Case& c : cases())
    if (c.integrator == "dop853") out.push_back(c);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Shipped, EveryScene, ::testing::ValuesIn(with_dop853()),
                         [](const auto& c) { return c.param.scene; });

}  // namespace
}  // namespace percuss
