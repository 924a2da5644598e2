// The collision and its rivals.
#include "percuss/study/collision_study.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/collision/rigid_rules.h"
#include "percuss/dynamics/reading.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/model/broad_phase.h"

namespace percuss::study {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr std::size_t kOrdersUpTo = 5;

class Study {
 public:
  Study(const model::Model& model, const CollisionOptions& options) : model_(model), options_(options) {}

  Result<CollisionStudy> run() {
    dynamics::State state = dynamics::initial_state(model_);
    dynamics::Workspace workspace(model_);
    if (state.modes.rows->count() > 0) dynamics::project_onto_joints(model_, 0, state.modes, workspace, state.y);
    const dynamics::Evaluation& e = dynamics::evaluate(model_, 0, state.y, state.modes, workspace);
    model::BroadPhase broad_phase(model_);
    const std::vector<dynamics::StrikePoint> points =
        dynamics::touching_points(model_, e.motions, broad_phase.near(e.motions, e.motions, 0), {});
    if (model_.contacts.empty()) return wrong("the scene has no contacts");
    if (points.empty()) return wrong("nothing touches at the start" + nearest(state.modes, e));
    out_.strike = dynamics::make_strike(model_, state.modes, e, points);
    const VectorXd& approach = out_.strike.collision.approach_mps;
    if (approach.size() == 0) return wrong("no impulse can move the points that touch");
    if (!(approach.maxCoeff() > 1e-12 * approach.cwiseAbs().maxCoeff()))
      return wrong("no point that touches approaches: there is no collision");
    const auto v = state.y.begin() + model_.position_count;
    out_.velocity_before.assign(v, v + model_.velocity_count);
    y_ = state.y;
    out_.kinetic_before_J = kinetic_J(out_.velocity_before);
    out_.outcome = collision::collide(out_.strike.collision);
    out_.velocity_after = velocity_after(out_.strike.impulses_of(out_.outcome));
    if (!std::ranges::all_of(out_.velocity_after, [](double x) { return std::isfinite(x); }))
      return Diagnostic{
          {model_.provenance.source},
          "the velocities after the collision are no numbers: masses and stiffnesses are too far apart",
          Diagnostic::Kind::not_computed};
    out_.kinetic_after_J = kinetic_J(out_.velocity_after);
    add_rules();
    if (options_.compliant) add_compliant(e);
    if (options_.sensitivity)
      out_.sensitivity = collision::sensitivity(out_.strike.collision, *options_.sensitivity);
    return std::move(out_);
  }

 private:
  Diagnostic wrong(const std::string& text) const { return {{model_.provenance.source}, text}; }

  std::string nearest(const dynamics::Modes& modes, const dynamics::Evaluation& e) const {
    std::string out;
    double gap = -1;
    for (std::size_t i = 0; i < model_.contacts.size(); ++i)
      if (const double g = -dynamics::report(model_, modes, e, i).depth_m; gap < 0 || g < gap)
        gap = g,
        out = "; the nearest, contact " + in_quotes(model_.contacts[i].name) + ", is " + text_of(g, 4) + " m apart";
    return out;
  }

  double kinetic_J(const std::vector<double>& velocity) {
    std::ranges::copy(velocity, y_.begin() + model_.position_count);
    return model::kinetic_J(model_, y_);
  }

  /// Of impulses along the first rows.
  std::vector<double> velocity_after(std::span<const double> impulse) const {
    std::vector<double> v = out_.velocity_before;
    for (std::size_t i = 0; i < impulse.size(); ++i)
      for (std::size_t k = 0; k < v.size(); ++k) v[k] += impulse[i] * out_.strike.responses.velocity[i][k];
    return v;
  }

  void add_rule(std::string name, const collision::RigidOutcome& r) {
    Rival rival;
    rival.name = std::move(name);
    rival.remark = !r.ended ? "did not end" : out_.strike.collision.has_friction() ? "without friction" : "";
    rival.velocity = velocity_after({r.impulse_Ns.data(), static_cast<std::size_t>(r.impulse_Ns.size())});
    rival.approach_mps = r.approach_mps;
    rival.kinetic_after_J = kinetic_J(rival.velocity);
    rival.off_mps = (r.approach_mps - out_.outcome.approach_mps).cwiseAbs().maxCoeff();
    out_.rivals.push_back(std::move(rival));
  }

  /// Orders that end alike share a line.
  void add_rules() {
    const collision::Collision& c = out_.strike.collision;
    std::vector<Index> order(c.points.size());
    std::iota(order.begin(), order.end(), 0);
    struct Group {
      collision::RigidOutcome outcome;
      std::vector<std::string> orders;
    };
    std::vector<Group> groups;
    const double same = 1e-9 * c.approach_mps.cwiseAbs().maxCoeff();
    const auto one = [&] {
      collision::RigidOutcome r = collision::newton_in_sequence(c, order);
      std::string name;
      for (const Index i : order) name += (name.empty() ? "" : " ") + std::to_string(i + 1);
      for (Group& g : groups)
        if ((g.outcome.approach_mps - r.approach_mps).cwiseAbs().maxCoeff() <= same) {
          g.orders.push_back(name);
          return;
        }
      groups.push_back({std::move(r), {name}});
    };
    if (order.size() <= kOrdersUpTo) {
      do one();
      while (std::next_permutation(order.begin(), order.end()));
    } else {
      one();
      std::ranges::reverse(order);
      one();
    }
    for (const Group& g : groups) {
      std::string name = "Newton in sequence, " + (g.orders[0].size() > 20 ? "in order" : g.orders[0]);
      if (g.orders.size() > 1) name += " and " + std::to_string(g.orders.size() - 1) + " more";
      add_rule(std::move(name), g.outcome);
    }
    add_rule("Newton at once (Moreau)", collision::newton_at_once(c));
    add_rule("Poisson", collision::poisson(c));
  }

  /// With the springs of the collision, and with the laws of the scene where these are others.
  void add_compliant(const dynamics::Evaluation& e) {
    add_compliant("compliant engine, same springs", with_springs(model_, out_.strike), e);
    const bool own_springs = std::ranges::all_of(out_.strike.springs, &dynamics::SpringOf::is_own);
    const bool rubs = std::ranges::any_of(model_.contact_kinds, [](const model::ContactKind& kind) {
      const contact::FrictionLaw& f = kind.law.friction;
      return f.acts() && !dynamics::is_tangential_spring(f);
    });
    if (own_springs && !rubs) return;
    model::Model own = model_;
    for (model::Contact& contact : own.contacts) contact.impulsive = false;
    add_compliant("compliant engine, the scene's own laws", own, e);
  }

  void add_compliant(const char* name, const model::Model& soft, const dynamics::Evaluation& e) {
    model::Settings settings;
    settings.tolerance = options_.tolerance;
    const double time = out_.outcome.phases.empty() ? 0 : out_.outcome.phases.back().end_s;
    Rival rival;
    rival.name = name;
    for (double duration = 1.2 * time;; duration *= 2) {
      settings.duration_s = duration;
      const recording::Recording r = dynamics::simulate(soft, settings);
      const bool open = std::ranges::all_of(r.impacts, [](const recording::Impact& k) { return k.separated(); });
      const auto v = r.y.begin() + model_.position_count;
      rival.velocity.assign(v, v + model_.velocity_count);
      rival.remark = r.end == recording::End::failed ? r.failure : open ? "" : "still in touch";
      if (open || r.end != recording::End::done || duration > 50 * time) break;
    }
    rival.kinetic_after_J = kinetic_J(rival.velocity);
    const auto n = static_cast<Index>(out_.strike.points.size());
    // at the places of the start: what changed meanwhile is of the order of the indentation
    rival.approach_mps = out_.strike.collision.approach_mps;
    std::vector<double> change = rival.velocity;
    for (std::size_t k = 0; k < change.size(); ++k) change[k] -= out_.velocity_before[k];
    for (Index i = 0; i < n; ++i)
      rival.approach_mps[i] -=
          dynamics::along(model_, e.motions, out_.strike.points[static_cast<std::size_t>(i)].approach, change);
    rival.off_mps = (rival.approach_mps - out_.outcome.approach_mps).cwiseAbs().maxCoeff();
    out_.rivals.push_back(std::move(rival));
  }

  const model::Model& model_;
  const CollisionOptions& options_;
  CollisionStudy out_;
  std::vector<double> y_;
};

}  // namespace

Result<CollisionStudy> study_collision(const model::Model& model, const CollisionOptions& options) {
  return Study(model, options).run();
}

model::Model with_springs(const model::Model& model, const dynamics::Strike& strike, double factor) {
  model::Model soft = model;
  for (std::size_t i = 0; i < strike.points.size(); ++i) {
    const collision::Point& point = strike.collision.points[i];
    contact::LawRequest request;
    request.elastic = "hooke";
    request.stiffness = point.stiffness_Npm * factor;
    if (point.steepening > 1) {
      request.law = "walton-braun";
      request.parameters = {{"unloading_stiffness", point.stiffness_Npm * point.steepening * factor}};
      soft.contacts[at(soft.contact_kinds[at(strike.points[i].pair.kind)].contact)].persistent = true;
    } else {
      request.law = "bistiffness";
      request.parameters = {{"mu", point.friction}};
    }
    if (const Result<contact::LawSpec> spec = contact::specify(request)) {
      soft.contact_kinds[at(strike.points[i].pair.kind)].law.spec = *spec;
      soft.contact_kinds[at(strike.points[i].pair.kind)].request = request;
    }
  }
  for (model::ContactKind& kind : soft.contact_kinds)
    if (!dynamics::is_tangential_spring(kind.law.friction)) kind.law.friction = {};
  for (model::Contact& contact : soft.contacts) contact.impulsive = false;
  return soft;
}

}  // namespace percuss::study
