// Newton steps with the factors of one place.
#include "percuss/dynamics/projection.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/dynamics/response.h"
#include "percuss/linear/bounded_forces.h"

namespace percuss::dynamics {

namespace {

Residuals residuals(const model::RowValues& rows) {
  Residuals out;
  for (const double r : rows.residual) out.position = std::max(out.position, std::abs(r));
  for (const double r : rows.residual_rate) out.velocity = std::max(out.velocity, std::abs(r));
  return out;
}

}  // namespace

Residuals joint_residuals(const Model& model, double t_s, const Modes& modes, Workspace& workspace,
                          std::span<const double> y) {
  Evaluation& e = workspace.result;
  place(model, t_s, y, modes, workspace, e);
  modes.rows->evaluate(model, moment_of(t_s, modes), y, e.motions, e.near_rad, e.rows);
  return residuals(e.rows);
}

/// With one factorisation for both steps: what the first step moves is of the size of a local error, and its square
/// is what the old factors are off by.
Residuals project_onto_joints(const Model& model, double t_s, const Modes& modes, Workspace& workspace,
                              std::span<double> y) {
  Evaluation& e = workspace.result;
  const model::RowLayout& rows = *modes.rows;
  workspace.right.resize(rows.count());
  e.multiplier.resize(rows.count());
  const auto correction = [&](std::span<const double> wrong) -> std::span<const double> {
    for (std::size_t i = 0; i < rows.count(); ++i) workspace.right[i] = -wrong[i];
    rows.solve(e.rows, workspace.right, e.multiplier);
    e.acceleration.assign(at(model.velocity_count), 0.0);
    rows.add_response(e.rows, e.multiplier, e.acceleration);
    return e.acceleration;
  };
  place(model, t_s, y, modes, workspace, e);
  rows.evaluate(model, moment_of(t_s, modes), y, e.motions, e.near_rad, e.rows);
  rows.factor(e.rows);
  model::displace(model, correction(e.rows.residual), y);
  const Residuals left = joint_residuals(model, t_s, modes, workspace, y);
  const std::span<const double> step = correction(e.rows.residual_rate);
  for (std::size_t i = 0; i < step.size(); ++i) y[at(model.position_count) + i] += step[i];
  return left;
}

void project_rest(const Model& model, double t_s, const Modes& modes, Workspace& workspace, std::span<double> y) {
  const Evaluation& e = evaluate(model, t_s, y, modes, workspace);
  std::vector<std::size_t> resting;
  for (std::size_t i = 0; i < modes.contacts.size(); ++i)
    if (modes.contacts[i].mode == ContactMode::Mode::resting && e.contacts[i].force.total_N > 0)
      resting.push_back(i);
  if (resting.empty()) return;
  const auto n = static_cast<Eigen::Index>(resting.size());
  std::vector<Approach> points;
  points.reserve(resting.size());
  for (const std::size_t contact : resting) points.push_back(e.contacts[contact].approach);
  const Responses responses = responses_to(model, modes, e, points);
  std::vector<double> step(at(model.velocity_count));
  Eigen::VectorXd depth(n);
  for (Eigen::Index i = 0; i < n; ++i) depth[i] = points[static_cast<std::size_t>(i)].depth_m;
  const Eigen::MatrixXd inverse = linear::weighted_inverse(responses.mobility, Eigen::VectorXd::Ones(n));
  const auto correction = [&](const Eigen::VectorXd& wrong) -> std::span<const double> {
    const Eigen::VectorXd x = inverse * wrong;
    std::ranges::fill(step, 0.0);
    for (std::size_t k = 0; k < resting.size(); ++k)
      for (std::size_t c = 0; c < step.size(); ++c)
        step[c] += x[static_cast<Eigen::Index>(k)] * responses.velocity[k][c];
    return step;
  };
  model::displace(model, correction(depth), y);
  place(model, t_s, y, modes, workspace, workspace.result);
  Eigen::VectorXd rate(n);
  for (Eigen::Index i = 0; i < n; ++i)
    rate[i] = approach_of(model, workspace.result.motions, modes.contacts[resting[static_cast<std::size_t>(i)]],
                          workspace.spots)
                  .rate_mps;
  const std::span<const double> by = correction(rate);
  for (std::size_t c = 0; c < by.size(); ++c) y[at(model.position_count) + c] += by[c];
}

void cut_back_memories(const Model& model, const Modes& modes, const model::Motions& motions, Workspace& workspace,
                       std::span<double> y) {
  for (const ContactMode& c : modes.contacts) {
    if (c.memory_at < 0) continue;
    double* z = &y[at(c.memory_at)];
    const Approach a = approach_of(model, motions, c, workspace.spots);
    const Vec3 n = a.gap.b.linear;
    Vec3 memory{z[0], z[1], z[2]};
    memory -= dot(memory, n) * n;
    if (c.friction.row->memory == contact::FrictionMemory::contact_spring) {
      const double limit = slip_limit_m(c, a), size = norm(memory);
      if (size > limit || (c.slipping && size > 0)) memory = (limit / size) * memory;
    }
    z[0] = memory.x, z[1] = memory.y, z[2] = memory.z;
  }
}

}  // namespace percuss::dynamics
