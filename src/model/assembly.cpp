// Assembly: places and velocities that agree with the joints, from what the scene states; rows that say nothing
// new.
#include <algorithm>
#include <cmath>
#include <random>

#include "percuss/base/index.h"
#include "percuss/linear/dense.h"
#include "percuss/model/compiler.h"
#include "percuss/model/reactions.h"

namespace percuss::model {

namespace {

Eigen::Index idx(std::size_t i) { return static_cast<Eigen::Index>(i); }

constexpr double kMeets = 1e-9;    // of the size of things: points closer than this meet
constexpr double kClosed = 1e-14;  // where the iteration aims
constexpr double kRank = 1e-10;    // of the largest pivot: equations below it repeat others
constexpr int kMostIterations = 100;

double largest(std::span<const double> v) {
  double most = 0;
  for (const double x : v) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace

/// A body whose place is not given is put where a joint with a placed body wants it, turn by turn.
void Compiler::guess_places() {
  for (bool found = true; found;) {
    found = false;
    for (const PointJoint& j : point_joints_)
      for (const bool forward : {true, false}) {
        const int from = forward ? j.a : j.b, to = forward ? j.b : j.a;
        if (!starts_[at(from)].has_guess && from != 0 && !starts_[at(from)].position_known) continue;
        BodyStart& target = starts_[at(to)];
        if (target.has_guess || target.position_known) continue;
        const BodyStart& source = starts_[at(from)];
        const Vec3 on_from = (forward ? j.on_a : j.on_b) - model_.bodies[at(from)].origin_m;
        const Vec3 on_to = (forward ? j.on_b : j.on_a) - model_.bodies[at(to)].origin_m;
        target.origin_m = source.origin_m + source.R * on_from - target.R * on_to;
        target.has_guess = found = true;
      }
  }
}

void Compiler::write_start() {
  model_.start.assign(model_.unknowns(), 0.0);
  model_.start_angle.assign(model_.measures.size(), 0.0);
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& b = model_.bodies[i];
    if (b.velocity_count == 0) continue;
    const BodyStart& s = starts_[i];
    const Vec3 p = s.origin_m - s.R * b.origin_m;
    double* q = &model_.start[at(b.q_at)];
    q[0] = p.x, q[1] = p.y;
    if (b.kind == Body::Kind::spatial || b.kind == Body::Kind::particle) q[2] = p.z;
    if (b.kind == Body::Kind::spatial)
      q[3] = s.rotation.w, q[4] = s.rotation.x, q[5] = s.rotation.y, q[6] = s.rotation.z;
    if (b.kind == Body::Kind::planar) q[2] = s.turn_rad;
  }
  for (const Driver& d : model_.drivers)
    if (!d.by_rate) model_.start_angle[at(d.measure)] = d.function.at(0).value;
}

void Compiler::assemble_positions() {
  std::vector<double>& y = model_.start;
  Motions motions;
  const auto set_targets = [&](bool before) {
    place_bodies(model_, 0, y, motions);
    for (const auto& [row, is_before] : start_targets_) {
      if (is_before != before) continue;
      Row& r = model_.rows[at(row)];
      double value = 0;
      for (const Row::Term& term : r.terms) {
        const int m = term.measure;
        const geometry::Measure& measure = model_.measures[at(m)];
        value += term.coefficient * geometry::evaluate(measure, motions[at(measure.body_a)],
                                                       motions[at(measure.body_b)], model_.start_angle[at(m)])
                                        .value;
      }
      if (r.driver >= 0)
        y[at(model_.drivers[at(r.driver)].s_at)] = value;
      else
        r.target = value;
    }
  };
  set_targets(true);

  Constraints rows(model_);
  std::vector<char> waits(rows.count(), 0);  // rows whose target is taken from the assembled places
  for (const auto& [row, is_before] : start_targets_)
    if (!is_before) waits[at(row)] = 1;
  const auto residual_of = [&](std::span<double> out) {
    place_bodies(model_, 0, y, motions);
    rows.evaluate(0, y, motions, model_.start_angle);
    for (std::size_t i = 0; i < rows.count(); ++i) out[i] = waits[i] ? 0 : rows.residual()[i];
  };
  std::vector<double> residual(rows.count());
  residual_of(residual);
  const double length = model_.length_m;
  if (largest(residual) > kClosed * length) {
    // unknowns: velocities-like steps of the bodies that are not wholly known; equations: rows, and known origins
    std::vector<int> columns;
    std::vector<std::size_t> pinned;
    std::vector<double> scale;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const Body& b = model_.bodies[i];
      const BodyStart& s = starts_[i];
      if (b.velocity_count == 0 || (s.position_known && s.rotation_known)) continue;
      const int linear = b.kind == Body::Kind::planar || b.kind == Body::Kind::planar_particle ? 2 : 3;
      for (int k = 0; k < b.velocity_count; ++k) {
        if (k >= linear && s.rotation_known) continue;
        columns.push_back(b.v_at - model_.position_count + k);
        scale.push_back(k < linear ? 1.0 : 1 / length);
      }
      if (s.position_known) pinned.push_back(i);
    }
    const int dims = scene_.planar ? 2 : 3;
    for (int iteration = 0; iteration < kMostIterations && !columns.empty(); ++iteration) {
      const std::size_t extra = pinned.size() * at(dims);
      Eigen::MatrixXd j = Eigen::MatrixXd::Zero(idx(rows.count() + extra), idx(at(model_.velocity_count)));
      Eigen::VectorXd c = Eigen::VectorXd::Zero(idx(rows.count() + extra));
      for (std::size_t i = 0; i < rows.count(); ++i) {
        if (waits[i]) continue;
        c[idx(i)] = residual[i];
        for (const auto& slot : rows.slots(i))
          for (int k = 0; k < slot.size; ++k) j(idx(i), slot.v_at + k) = rows.jacobian(slot)[k];
      }
      for (std::size_t p = 0; p < pinned.size(); ++p) {
        const Body& b = model_.bodies[pinned[p]];
        const geometry::BodyMotion& m = motions[pinned[p]];
        const Vec3 r = m.R * b.origin_m, off = m.p_m + r - starts_[pinned[p]].origin_m;
        for (int k = 0; k < dims; ++k) {
          const Vec3 e = k == 0 ? kAxisX : k == 1 ? kAxisY : kAxisZ;
          double reduced[6] = {};
          reduce(b, m, {e, cross(r, e)}, reduced);
          const Eigen::Index row = idx(rows.count() + p * at(dims)) + k;
          c[row] = off[k];
          for (int v = 0; v < b.velocity_count; ++v) j(row, b.v_at - model_.position_count + v) = reduced[v];
        }
      }
      Eigen::MatrixXd reduced_j(j.rows(), idx(columns.size()));
      for (std::size_t k = 0; k < columns.size(); ++k) reduced_j.col(idx(k)) = j.col(columns[k]) * scale[k];
      Eigen::VectorXd step = linear::least_squares(reduced_j, -c, kRank);
      const double most = step.cwiseAbs().maxCoeff();
      if (most > 0.5 * length) step *= 0.5 * length / most;  // about half a radian at most: stay on the branch
      std::vector<double> full(at(model_.velocity_count), 0.0);
      for (std::size_t k = 0; k < columns.size(); ++k) full[at(columns[k])] = step[idx(k)] * scale[k];
      displace(model_, full, y);
      residual_of(residual);
      if (largest(residual) <= kClosed * length || most <= 1e-15 * length) break;
    }
  }
  for (std::size_t i = 0; i < rows.count(); ++i) {
    if (std::abs(residual[i]) <= kMeets * length) continue;
    const Row& r = rows.row(i);
    const auto worst =
        std::ranges::max_element(residual, {}, [](double x) { return std::abs(x); }) - residual.begin();
    if (static_cast<std::size_t>(worst) != i) continue;  // one error for the loop, at its worst joint
    const bool all_known =
        std::ranges::all_of(starts_, [](const BodyStart& s) { return s.position_known && s.rotation_known; });
    const geometry::Measure& m = model_.measures[at(r.terms[0].measure)];
    const bool is_length = m.kind == geometry::Measure::Kind::world_axis ||
                           m.kind == geometry::Measure::Kind::along || m.kind == geometry::Measure::Kind::distance;
    const std::string by = text_of(std::abs(residual[i]), 3) + (is_length ? " m" : " rad");
    const Where place = r.joint >= 0 ? scene_.joints[0].places.at : scene_.places.at;
    Where found = place;
    std::string what = "driver " + in_quotes(r.name);
    if (r.joint >= 0) {
      what = "joint " + in_quotes(model_.joints[at(r.joint)].name);
      for (const scene::Joint& j : scene_.joints)
        if (j.name == model_.joints[at(r.joint)].name) found = j.places.at;
    } else {
      for (const scene::Driver& d : scene_.drivers)
        if (d.name == r.name) found = d.places.at;
    }
    if (r.driver >= 0)
      fail(found, what + ": at the start it asks for " + by + " more or less than what the joint has");
    else if (all_known)
      fail(found, what + ": the anchors do not meet: they are " + by +
                      " apart; correct the places, or leave one out and it is found");
    else
      fail(found, what + ": the loop does not close: " + by + " are left at this joint");
  }
  set_targets(false);
  place_bodies(model_, 0, y, motions);
  for (std::size_t m = 0; m < model_.measures.size(); ++m) {
    const geometry::Measure& measure = model_.measures[m];
    if (geometry::is_angle(measure))
      model_.start_angle[m] = geometry::evaluate(measure, motions[at(measure.body_a)], motions[at(measure.body_b)],
                                                 model_.start_angle[m])
                                  .value;
  }
}

/// Springs whose length at rest is not given rest as they are at the start.
void Compiler::set_rest_lengths() {
  Motions motions;
  place_bodies(model_, 0, model_.start, motions);
  for (Spring& s : model_.springs)
    if (!s.rest_is_given) {
      const geometry::Measure& measure = model_.measures[at(s.lines[0].measure)];
      s.rest = {};
      s.rest.value = geometry::evaluate(measure, motions[at(measure.body_a)], motions[at(measure.body_b)],
                                        model_.start_angle[at(s.lines[0].measure)])
                         .value;
    }
}

/// Unknown: all velocities. Equations: the rates of the rows, and the velocities given. Least squares of least
/// size.
void Compiler::assemble_velocities() {
  std::vector<double>& y = model_.start;
  Motions motions;
  place_bodies(model_, 0, y, motions);
  const auto is_soft = [](const Row& r) { return r.assembly_only; };
  const bool may_give_way =
      std::ranges::any_of(model_.rows, is_soft);  // journals move as in ideal joints, if they can
  Constraints rows(model_);
  rows.evaluate(0, y, motions, model_.start_angle);
  const std::size_t unknowns = at(model_.velocity_count);
  struct Equation {
    std::size_t body;
    geometry::Gradient gradient;
    double value;
  };
  std::vector<Equation> given;
  const int dims = scene_.planar ? 2 : 3;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& b = model_.bodies[i];
    if (b.velocity_count == 0) continue;
    const Vec3 r = motions[i].R * b.origin_m;
    if (starts_[i].velocity_mps)
      for (int k = 0; k < dims; ++k) {
        const Vec3 e = k == 0 ? kAxisX : k == 1 ? kAxisY : kAxisZ;
        given.push_back({i, {e, cross(r, e)}, (*starts_[i].velocity_mps)[k]});
      }
    if (starts_[i].angular_velocity_radps)
      for (int k = scene_.planar ? 2 : 0; k < 3; ++k) {
        const Vec3 e = k == 0 ? kAxisX : k == 1 ? kAxisY : kAxisZ;
        given.push_back({i, {{}, e}, (*starts_[i].angular_velocity_radps)[k]});
      }
  }
  // bodies at rest and rows without rates need no solution
  std::vector<double> wanted(rows.target_rate().begin(), rows.target_rate().end());
  for (std::size_t i = 0; i < rows.count(); ++i) wanted[i] -= rows.residual_rate()[i] + rows.target_rate()[i];
  const bool something_moves =
      largest(wanted) > 0 || std::ranges::any_of(given, [](const Equation& e) { return e.value != 0; });
  if (!something_moves) return;
  if (rows.count() == 0) {  // nothing couples the bodies: each velocity by itself
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const Body& b = model_.bodies[i];
      if (b.velocity_count == 0) continue;
      const Vec3 w = starts_[i].angular_velocity_radps.value_or(Vec3{});
      const Vec3 v = starts_[i].velocity_mps.value_or(Vec3{}) - cross(w, motions[i].R * b.origin_m);
      const Vec3 w_body = transposed_times(motions[i].R, w);
      double* out = &y[at(b.v_at)];
      out[0] = v.x, out[1] = v.y;
      if (b.kind == Body::Kind::planar) out[2] = w.z;
      if (b.kind == Body::Kind::spatial || b.kind == Body::Kind::particle) out[2] = v.z;
      if (b.kind == Body::Kind::spatial) out[3] = w_body.x, out[4] = w_body.y, out[5] = w_body.z;
    }
    return;
  }
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(idx(rows.count() + given.size()), idx(unknowns));
  Eigen::VectorXd c = Eigen::VectorXd::Zero(j.rows());
  for (std::size_t i = 0; i < rows.count(); ++i) {
    c[idx(i)] = wanted[i];
    for (const auto& slot : rows.slots(i))
      for (int k = 0; k < slot.size; ++k) j(idx(i), slot.v_at + k) = rows.jacobian(slot)[k];
  }
  for (std::size_t e = 0; e < given.size(); ++e) {
    const Body& b = model_.bodies[given[e].body];
    double reduced[6] = {};
    reduce(b, motions[given[e].body], given[e].gradient, reduced);
    c[idx(rows.count() + e)] = given[e].value;
    for (int k = 0; k < b.velocity_count; ++k)
      j(idx(rows.count() + e), b.v_at - model_.position_count + k) = reduced[k];
  }
  const Eigen::VectorXd v = linear::least_squares(j, c, kRank);
  const Eigen::VectorXd left = j * v - c;
  const double speed = std::max(v.cwiseAbs().maxCoeff(), 1e-12);
  Eigen::Index worst = 0;
  if (left.cwiseAbs().maxCoeff(&worst) > kMeets * std::max(speed, c.cwiseAbs().maxCoeff())) {
    if (may_give_way) {
      std::erase_if(model_.rows, is_soft);
      return assemble_velocities();
    }
    const bool by_row = worst < idx(rows.count());
    const std::string name = by_row
                                 ? rows.row(static_cast<std::size_t>(worst)).name
                                 : model_.bodies[given[static_cast<std::size_t>(worst) - rows.count()].body].name;
    fail(scene_.places.of("bodies"),
         "the velocities at the start contradict the joints: " + text_of(std::abs(left[worst]), 3) +
             " m/s (or rad/s) are left at " + in_quotes(name) + "; leave some out and they are found");
    return;
  }
  for (std::size_t i = 0; i < unknowns; ++i) y[at(model_.position_count) + i] = v[idx(i)];
}

/// A row is redundant if it depends on the rows before it here and wherever the bodies can go: at a singular
/// position rows depend on each other for a moment only. A short way along some free motion tells the two apart.
void Compiler::find_redundant_rows() {
  if (model_.rows.empty()) return;
  Motions motions;
  std::vector<double> y = model_.start;
  Constraints rows(model_);
  const auto look = [&] {
    place_bodies(model_, 0, y, motions);
    rows.evaluate(0, y, motions, model_.start_angle);
    rows.factor();
  };
  look();
  if (!rows.is_regularised()) return;
  std::vector<int> dependent = rows.dependent_rows();
  std::mt19937 random(1);
  std::vector<double> response(rows.count()), multiplier(rows.count()), step(at(model_.velocity_count));
  for (int attempt = 0; attempt < 3 && !dependent.empty(); ++attempt) {
    y = model_.start;
    look();
    for (double& s : step) s = static_cast<double>(random()) / 4294967296.0 - 0.5;
    rows.times(step, response);
    for (double& r : response) r = -r;
    rows.solve(response, multiplier);
    rows.add_response(multiplier, step);  // a motion that the rows allow
    const double most = largest(step);
    if (most < 1e-9) break;
    for (double& s : step) s *= 0.02 * model_.length_m / most;
    displace(model_, step, y);
    for (int iteration = 0; iteration < 5; ++iteration) {
      look();
      for (std::size_t i = 0; i < rows.count(); ++i) response[i] = -rows.residual()[i];
      rows.solve(response, multiplier);
      std::ranges::fill(step, 0.0);
      rows.add_response(multiplier, step);
      displace(model_, step, y);
    }
    look();
    if (!rows.is_regularised()) {
      dependent.clear();
      break;
    }
    const std::vector<int> there = rows.dependent_rows();
    if (there.size() < dependent.size()) dependent = there;
  }
  for (const int i : dependent) {
    Row& row = model_.rows[at(rows.row_index(at(i)))];
    row.redundant = true;
    for (const scene::Driver& d : scene_.drivers)
      if (row.driver >= 0 && d.name == row.name)
        fail(d.places.at, "driver " + in_quotes(d.name) + ": what it drives is held or driven by others already");
  }
  if (dependent.empty() || !errors_.empty()) return;
  note_undetermined_reactions(model_.start);
  note_undetermined_reactions(y);
}

/// At one place: components in world axes that are determined here may be open elsewhere.
void Compiler::note_undetermined_reactions(std::span<const double> y) {
  const RowLayout in_force(model_, independent_rows(model_), RowLayout::Order::for_elimination),
      all(model_, every_row(model_), RowLayout::Order::as_given);
  Motions motions;
  RowValues values, all_values;
  place_bodies(model_, 0, y, motions);
  in_force.evaluate(model_, 0, y, motions, model_.start_angle, values);
  in_force.factor(values);
  all.evaluate(model_, 0, y, motions, model_.start_angle, all_values);
  std::vector<std::string>& known = model_.undetermined_reactions;
  for (std::string& name :
       undetermined_reactions(model_, {in_force, values, all, all_values}, motions, model_.start_angle))
    if (std::ranges::find(known, name) == known.end()) known.push_back(std::move(name));
}

}  // namespace percuss::model
