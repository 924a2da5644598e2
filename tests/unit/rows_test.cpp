// Rows of joints, and what is near in a cloud of shapes.
#include <Eigen/LU>
#include <cmath>
#include <random>

#include "percuss/dynamics/reading.h"
#include "percuss/dynamics/simulation.h"
#include "percuss/model/broad_phase.h"
#include "percuss/model/reactions.h"
#include "scene_runs.h"

namespace percuss {
namespace {

using dynamics::Progress;
using dynamics::Simulation;
using dynamics::State;

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

/// Bricard's loop of six bars along the edges of a cube, six hinges: one row of thirty is redundant.
TEST(Reactions, OfRedundantRowsAreTheSmallestThatDoTheSame) {
  const model::Compiled c = from_text(
      "gravity: [0, -9.81, 0]\nbodies:\n"
      "  b1: {mass: 1, inertia: [0.08, 0.08, 0.02], at: [0, 0, 0.5]}\n"
      "  b2: {mass: 2, inertia: [0.02, 0.08, 0.08], at: [0.5, 0, 1]}\n"
      "  b3: {mass: 1, inertia: [0.08, 0.02, 0.08], at: [1, 0.5, 1]}\n"
      "  b4: {mass: 3, inertia: [0.08, 0.08, 0.02], at: [1, 1, 0.5]}\n"
      "  b5: {mass: 1, inertia: [0.02, 0.08, 0.08], at: [0.5, 1, 0]}\njoints:\n"
      "  j0: {type: revolute, between: [ground, b1], at: [0, 0, 0], axis: x}\n"
      "  j1: {type: revolute, between: [b1, b2], at: [0, 0, 1], axis: y}\n"
      "  j2: {type: revolute, between: [b2, b3], at: [1, 0, 1], axis: z}\n"
      "  j3: {type: revolute, between: [b3, b4], at: [1, 1, 1], axis: x}\n"
      "  j4: {type: revolute, between: [b4, b5], at: [1, 1, 0], axis: y}\n"
      "  j5: {type: revolute, between: [b5, ground], at: [0, 1, 0], axis: z}\nsolver: {duration: 1}\n");
  EXPECT_EQ(c.model.redundant_rows().size(), 1U);
  EXPECT_FALSE(c.model.undetermined_reactions.empty());
  Simulation sim(c.model, c.settings);
  sim.advance_to(0.3);
  const dynamics::Evaluation& e = sim.evaluation();
  const model::RowLayout all(c.model, model::every_row(c.model), model::RowLayout::Order::as_given);
  model::RowValues values;
  all.evaluate(c.model, sim.time_s(), sim.current().y, e.motions, e.near_rad, values);
  const model::RowsAt rows{*sim.current().modes.rows, e.rows, all, values};
  const auto idle = model::idle_multipliers(c.model, rows);
  ASSERT_EQ(idle.size(), 1U);
  const auto what_they_do = [&](const std::vector<double>& multiplier) {
    std::vector<double> u(static_cast<std::size_t>(c.model.velocity_count), 0.0);
    all.add_response(values, multiplier, u);
    return u;
  };
  for (const double u : what_they_do(idle[0])) EXPECT_NEAR(u, 0, 1e-11);
  const std::vector<double> spread = model::spread_multipliers(c.model, rows, e.multiplier);
  std::vector<double> lone(c.model.rows.size(), 0.0);
  for (std::size_t i = 0; i < rows.in_force.count(); ++i)
    lone[static_cast<std::size_t>(rows.in_force.row_index(i))] = e.multiplier[i];
  const std::vector<double> a = what_they_do(spread), b = what_they_do(lone);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
  double across = 0, size = 0;  // of least size: orthogonal to what does nothing, in the metric of the masses
  for (std::size_t i = 0; i < spread.size(); ++i) {
    across += spread[i] * idle[0][i] * all.mobility(values, i);
    size += spread[i] * spread[i] * all.mobility(values, i);
  }
  EXPECT_NEAR(across, 0, 1e-10 * size);
}

/// Two bodies on two rods between the same points: each of the two rods could carry all, in whatever direction they
/// point.
TEST(Reactions, SayWhichOfThemRedundancyLeavesOpen) {
  const model::Compiled c = from_text(
      "planar: true\nbodies:\n  b: {mass: 1, inertia: 1, at: [1, 0]}\n  c: {mass: 1, inertia: 1, at: [2, "
      "0]}\njoints:\n"
      "  pin: {type: revolute, between: [ground, b], at: [0, 0]}\n"
      "  first: {type: distance, between: [b, c], anchors: [[0, 0], [0, 0]]}\n"
      "  second: {type: distance, between: [b, c], anchors: [[0, 0], [0, 0]]}\nsolver: {duration: 1}\n");
  std::vector<std::string> open = c.model.undetermined_reactions;
  std::ranges::sort(open);
  EXPECT_EQ(open, (std::vector<std::string>{"first.fx", "first.fy", "second.fx", "second.fy"}));
}

/// A differential, a1 + a2 = 2 a3, with inertias 1, 2, 3 kg m^2 and 6 N m on the first shaft: with l on the row,
/// a1 = 6 + l, a2 = l/2, a3 = -2 l/3, so that l (1 + 1/2 + 4/3) = -6.
TEST(RowLayout, ARowMayHaveThreeTerms) {
  std::string text = "gravity: [0, 0, 0]\nbodies:\n";
  for (const int i : {1, 2, 3})
    text += "  s" + std::to_string(i) + ": {mass: 1, inertia: [3, 3, " + std::to_string(i) + "], at: [" +
            std::to_string(i) + ", 0, 0]}\n";
  text += "joints:\n";
  for (const int i : {1, 2, 3})
    text += "  j" + std::to_string(i) + ": {type: revolute, between: [ground, s" + std::to_string(i) + "], at: [" +
            std::to_string(i) + ", 0, 0], axis: z}\n";
  text += "  g: {type: gear, joints: [j1, j2], ratio: 1}\n";
  text += "forces:\n  drive: {body: s1, torque: [0, 0, 6]}\nsolver: {duration: 1}\n";
  model::Compiled c = from_text(text);
  model::Model& m = c.model;
  const auto turn = [&](std::size_t joint) { return m.joints[joint].coordinates[0].measure; };
  model::Row& gear = m.rows[static_cast<std::size_t>(m.joints[3].first_row)];
  ASSERT_EQ(gear.terms.size(), 2U);
  gear.terms = {{turn(0), 1.0}, {turn(1), 1.0}, {turn(2), -2.0}};
  gear.target = 0;
  const auto run = dynamics::simulate(m, c.settings);
  ASSERT_EQ(run.end, recording::End::done) << run.failure;
  const double l = -6.0 / (1 + 1.0 / 2 + 4.0 / 3), exact[] = {6 + l, l / 2, -2 * l / 3};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& body = *std::ranges::find(m.bodies, "s" + std::to_string(i + 1), &model::Body::name);
    EXPECT_NEAR(run.y[static_cast<std::size_t>(body.v_at + 5)], exact[i], 1e-9) << "after 1 s";
  }
}

std::string cloud(int count, double side, unsigned seed) {
  std::mt19937 random(seed);
  const auto one = [&] { return static_cast<double>(random()) / 4294967296.0; };
  std::string bodies;
  for (int i = 0; i < count; ++i)
    bodies += std::string("  b") + std::to_string(i) +
              ": {mass: 1, shape: {kind: sphere, radius: " + text_of(0.02 + 0.1 * std::pow(one(), 4)) +
              ", material: m}, at: [" + text_of(side * one()) + ", " + text_of(side * one()) + ", " +
              text_of(0.2 + side * one()) + "], velocity: [" + text_of(one() - 0.5) + ", 0, " +
              text_of(one() - 0.5) + "]}\n";
  std::string out = "materials: {m: {young: 1e9, poisson: 0.3, density: 1000}}\nbodies:\n";
  out += bodies;
  out +=
      "  ground: {shape: {kind: plane, material: m}}\n"
      "contacts:\n  all: {materials: [m, m], law: hertz, allow_initial_overlap: true}\nsolver: {duration: 1}\n";
  return out;
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

}  // namespace
}  // namespace percuss
