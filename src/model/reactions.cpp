// Null space of J^T, row by row.
#include "percuss/model/reactions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/joint/table.h"
#include "percuss/linear/dense.h"

namespace percuss::model {

namespace {

constexpr double kNothing = 1e-7;  // of the largest: what rounding and the closure of the joints leave

std::array<double, 6> numbers_of(const Reaction& r) {
  return {r.force_N.x, r.force_N.y, r.force_N.z, r.torque_Nm.x, r.torque_Nm.y, r.torque_Nm.z};
}

double root_mobility(const RowsAt& rows, std::size_t row) {
  return std::sqrt(rows.all.mobility(rows.all_values, row));
}

}  // namespace

Reaction reaction_of(const Model& model, const Joint& joint, const Motions& motions,
                     std::span<const double> near_rad, std::span<const double> multiplier) {
  Reaction out;
  const auto measured = model.planar ? geometry::evaluate_in_plane : geometry::evaluate;
  for (int k = joint.first_row; k < joint.first_row + joint.row_count; ++k)
    for (const Row::Term& term : model.rows[at(k)].terms) {
      const geometry::Measure& m = model.measures[at(term.measure)];
      const geometry::MeasureValue v =
          measured(m, motions[at(m.body_a)], motions[at(m.body_b)], near_rad[at(term.measure)]);
      const geometry::Gradient& g = m.body_b == joint.body_b ? v.b : v.a;
      const double l = multiplier[at(k)] * term.coefficient;
      out.force_N += l * g.linear;
      out.torque_Nm += l * g.angular;
    }
  out.torque_Nm -= cross(motions[at(joint.body_b)].R * joint.anchor_b_m, out.force_N);
  return out;
}

std::vector<std::vector<double>> idle_multipliers(const Model& model, const RowsAt& rows) {
  std::vector<std::vector<double>> out;
  std::vector<double> response(at(model.velocity_count)), right(rows.in_force.count()), c(rows.in_force.count());
  for (std::size_t r = 0; r < model.rows.size(); ++r) {
    if (!model.rows[r].redundant) continue;
    std::vector<double>& idle = out.emplace_back(model.rows.size(), 0.0);
    idle[r] = 1;
    std::ranges::fill(response, 0.0);
    rows.all.add_response(rows.all_values, idle, response);
    rows.in_force.times(rows.values, response, right);
    rows.in_force.solve(rows.values, right, c);
    for (std::size_t i = 0; i < c.size(); ++i) idle[at(rows.in_force.row_index(i))] -= c[i];
  }
  return out;
}

std::vector<double> spread_multipliers(const Model& model, const RowsAt& rows, std::span<const double> multiplier) {
  std::vector<double> out(model.rows.size(), 0.0);
  for (std::size_t i = 0; i < rows.in_force.count(); ++i) out[at(rows.in_force.row_index(i))] = multiplier[i];
  const auto idle = idle_multipliers(model, rows);
  if (idle.empty()) return out;
  const auto n = static_cast<Eigen::Index>(model.rows.size()), sets = static_cast<Eigen::Index>(idle.size());
  Eigen::MatrixXd N(n, sets);
  Eigen::VectorXd x(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double weight = root_mobility(rows, static_cast<std::size_t>(i));
    x[i] = weight * out[static_cast<std::size_t>(i)];
    for (Eigen::Index s = 0; s < sets; ++s)
      N(i, s) = weight * idle[static_cast<std::size_t>(s)][static_cast<std::size_t>(i)];
  }
  const Eigen::VectorXd share = linear::solve_definite<Eigen::Dynamic>(N.transpose() * N, -N.transpose() * x);
  for (Eigen::Index s = 0; s < sets; ++s)
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += share[s] * idle[static_cast<std::size_t>(s)][i];
  return out;
}

std::vector<std::string> undetermined_reactions(const Model& model, const RowsAt& rows, const Motions& motions,
                                                std::span<const double> near_rad) {
  std::vector<std::array<char, 6>> open(model.joints.size(), std::array<char, 6>{});
  std::vector<char> open_drivers(model.drivers.size(), 0);
  for (std::vector<double> idle : idle_multipliers(model, rows)) {
    double largest = 0;
    for (std::size_t i = 0; i < idle.size(); ++i)
      largest = std::max(largest, std::abs(idle[i]) * root_mobility(rows, i));
    for (std::size_t i = 0; i < idle.size(); ++i)
      if (std::abs(idle[i]) * root_mobility(rows, i) <= kNothing * largest) idle[i] = 0;
    std::vector<std::array<double, 6>> by_joint;
    double force = 0, torque = 0;
    for (const Joint& j : model.joints) {
      const auto six = numbers_of(reaction_of(model, j, motions, near_rad, idle));
      by_joint.push_back(six);
      for (std::size_t k = 0; k < 3; ++k) {
        force = std::max(force, std::abs(six[k]));
        torque = std::max(torque, std::abs(six[3 + k]));
      }
    }
    torque = std::max(torque, model.length_m * force);
    force = std::max(force, torque / model.length_m);
    for (std::size_t j = 0; j < by_joint.size(); ++j)
      for (std::size_t k = 0; k < 6; ++k)
        if (std::abs(by_joint[j][k]) > kNothing * (k < 3 ? force : torque)) open[j][k] = 1;
    for (std::size_t d = 0; d < model.drivers.size(); ++d)
      if (idle[at(model.drivers[d].row)] != 0) open_drivers[d] = 1;
  }
  std::vector<std::string> out;
  for (std::size_t j = 0; j < open.size(); ++j) {
    if (model.joints[j].contact >= 0) continue;  // its columns are those of the contact
    if (!model.joints[j].row->build) {
      if (std::ranges::count(open[j], 1) > 0) out.push_back(model.joints[j].name + ".force");
      continue;
    }
    for (std::size_t k = 0; k < 6; ++k)
      if (open[j][k]) out.push_back(model.joints[j].name + "." + kReactionColumns[k]);
  }
  for (std::size_t d = 0; d < open_drivers.size(); ++d)
    if (open_drivers[d]) out.push_back(model.drivers[d].name + ".force");
  return out;
}

}  // namespace percuss::model
