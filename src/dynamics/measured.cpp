// Markers, sums over bodies, accelerations and reactions.
#include "percuss/dynamics/measured.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/joint/table.h"
#include "percuss/model/channel_table.h"
#include "percuss/model/reactions.h"

namespace percuss::dynamics {

namespace {

using MeasuredKind = model::Channel::Kind;

struct PointMotion {
  Vec3 p_m, v_mps, a_mps2;
};

struct BodyAcceleration {
  Vec3 linear_mps2, angular_radps2;  // of the centre of mass; world axes
};

BodyAcceleration acceleration_of(const Model& model, const Evaluation& e, std::size_t body) {
  const model::Body& b = model.bodies[body];
  const geometry::BodyMotion& m = e.motions[body];
  if (b.velocity_count == 0 || e.acceleration.empty()) return {m.a_mps2, m.alpha_radps2};
  const double* a = &e.acceleration[at(b.v_at - model.position_count)];
  switch (b.kind) {
    case model::Body::Kind::spatial: return {{a[0], a[1], a[2]}, m.R * Vec3{a[3], a[4], a[5]}};  // R (w' + w x w)
    case model::Body::Kind::planar: return {{a[0], a[1], 0}, {0, 0, a[2]}};
    case model::Body::Kind::planar_particle: return {{a[0], a[1], 0}, {}};
    default: return {{a[0], a[1], a[2]}, {}};
  }
}

Vec3 acceleration_at(const Model& model, const Evaluation& e, std::size_t body, const Vec3& point_m) {
  const geometry::BodyMotion& m = e.motions[body];
  const BodyAcceleration a = acceleration_of(model, e, body);
  const Vec3 r = m.R * point_m;
  return a.linear_mps2 + cross(a.angular_radps2, r) + cross(m.w_radps, cross(m.w_radps, r));
}

PointMotion place_of(const Model& model, const Evaluation& e, int marker) {
  const model::Marker& k = model.markers[at(marker)];
  const geometry::BodyMotion& m = e.motions[at(k.body)];
  const Vec3 r = m.R * k.point_m;
  return {m.p_m + r, model::point_velocity(m, r), {}};
}

Vec3 angular_momentum(const Model& model, const Evaluation& e, std::size_t body) {
  const geometry::BodyMotion& m = e.motions[body];
  return m.R * (model.bodies[body].inertia_kgm2 * transposed_times(m.R, m.w_radps));
}

double kinetic(const Model& model, const Evaluation& e, std::size_t body) {
  const geometry::BodyMotion& m = e.motions[body];
  const double spin = dot(m.w_radps, angular_momentum(model, e, body));
  return (model.bodies[body].mass_kg * dot(m.v_mps, m.v_mps) + spin) / 2;
}

double potential(const Model& model, const Evaluation& e, std::size_t body) {
  return -model.bodies[body].mass_kg * dot(model.gravity_mps2, e.motions[body].p_m);
}

/// Sum over the bodies that can move.
template <class Of>
auto sum(const Model& model, Of&& of) {
  decltype(of(std::size_t{0})) total{};
  for (std::size_t b = 1; b < model.bodies.size(); ++b)
    if (model.bodies[b].velocity_count > 0) total += of(b);
  return total;
}

/// Redundant rows share as in the tables of a result file.
std::vector<double> multipliers(const Model& model, const Modes& modes, const Evaluation& e) {
  const model::RowLayout& rows = *modes.rows;
  if (rows.count() == model.rows.size() || model.rows_switch) {
    std::vector<double> out(model.rows.size(), 0.0);
    for (std::size_t i = 0; i < rows.count(); ++i) out[at(rows.row_index(i))] = e.multiplier[i];
    return out;
  }
  const model::RowLayout all(model, model::every_row(model), model::RowLayout::Order::as_given);
  model::RowValues values;
  const std::vector<double> places(model.unknowns(), 0.0);  // gradients are those of the motions
  all.evaluate(model, {e.t_s, modes.pieces}, places, e.motions, e.near_rad, values);
  return model::spread_multipliers(model, {rows, e.rows, all, values}, e.multiplier);
}

double reaction(const Model& model, const Modes& modes, const Evaluation& e, std::size_t joint, int component) {
  const auto [force, torque] =
      model::reaction_of(model, model.joints[joint], e.motions, e.near_rad, multipliers(model, modes, e));
  return component < 3 ? force[component] : torque[component - 3];
}

double tilt(const Mat3& R) { return std::atan2(std::hypot(R.row[0].z, R.row[1].z), R.row[2].z); }

double euler(const Mat3& R, int which) {
  switch (which) {
    case 0: return std::atan2(R.row[2].y, R.row[2].z);
    case 1: return std::atan2(-R.row[2].x, std::hypot(R.row[2].y, R.row[2].z));
    default: return std::atan2(R.row[1].x, R.row[0].x);
  }
}

double between_markers(const Model& model, const Evaluation& e, const model::Channel& c) {
  const model::MarkerSet& set = model.marker_sets[at(c.index)];
  const PointMotion a = place_of(model, e, set[0]), b = place_of(model, e, set[1]);
  const Vec3 d = b.p_m - a.p_m;
  if (c.kind == MeasuredKind::marker_distance) return norm(d);
  if (c.kind == MeasuredKind::marker_distance_rate) {
    const double distance = norm(d);
    return distance > 0 ? dot(d, b.v_mps - a.v_mps) / distance : norm(b.v_mps - a.v_mps);
  }
  const Vec3 u = -d, w = place_of(model, e, set[2]).p_m - b.p_m;
  return std::atan2(norm(cross(u, w)), dot(u, w));
}

}  // namespace

bool needs_forces(MeasuredKind kind) {
  return model::follows_from_forces(kind) || kind == MeasuredKind::contact_push;
}

double measured(const Model& model, const Modes& modes, const Evaluation& e, const model::Channel& c) {
  const std::size_t i = at(c.index);
  switch (c.kind) {
    case MeasuredKind::body_acceleration:
      return acceleration_at(model, e, i, model.bodies[i].origin_m)[c.component];
    case MeasuredKind::body_angular_acceleration: return acceleration_of(model, e, i).angular_radps2[c.component];
    case MeasuredKind::body_tilt: return tilt(e.motions[i].R);
    case MeasuredKind::body_euler: return euler(e.motions[i].R, c.component);
    case MeasuredKind::body_momentum: return model.bodies[i].mass_kg * e.motions[i].v_mps[c.component];
    case MeasuredKind::body_angular_momentum: return angular_momentum(model, e, i)[c.component];
    case MeasuredKind::body_kinetic: return kinetic(model, e, i);
    case MeasuredKind::body_potential: return potential(model, e, i);
    case MeasuredKind::marker_position: return place_of(model, e, c.index).p_m[c.component];
    case MeasuredKind::marker_velocity: return place_of(model, e, c.index).v_mps[c.component];
    case MeasuredKind::marker_acceleration: {
      const model::Marker& marker = model.markers[i];
      return acceleration_at(model, e, at(marker.body), marker.point_m)[c.component];
    }
    case MeasuredKind::marker_distance:
    case MeasuredKind::marker_distance_rate:
    case MeasuredKind::marker_angle: return between_markers(model, e, c);
    case MeasuredKind::joint_reaction: return reaction(model, modes, e, i, c.component);
    case MeasuredKind::coupling_force: return multipliers(model, modes, e)[at(model.joints[i].first_row)];
    case MeasuredKind::driver_force: return multipliers(model, modes, e)[at(model.drivers[i].row)];
    case MeasuredKind::system_position: {
      const Vec3 moment = sum(model, [&](std::size_t b) { return model.bodies[b].mass_kg * e.motions[b].p_m; });
      const double mass = sum(model, [&](std::size_t b) { return model.bodies[b].mass_kg; });
      return mass > 0 ? moment[c.component] / mass : 0;
    }
    case MeasuredKind::system_momentum:
      return sum(model, [&](std::size_t b) { return model.bodies[b].mass_kg * e.motions[b].v_mps; })[c.component];
    case MeasuredKind::system_angular_momentum:
      return sum(model, [&](std::size_t b) {
        return cross(e.motions[b].p_m, model.bodies[b].mass_kg * e.motions[b].v_mps) +
               angular_momentum(model, e, b);
      })[c.component];
    case MeasuredKind::system_kinetic: return sum(model, [&](std::size_t b) { return kinetic(model, e, b); });
    case MeasuredKind::system_potential: return sum(model, [&](std::size_t b) { return potential(model, e, b); });
    default: return 0;
  }
}

std::optional<std::vector<int>> bodies_measured(const Model& model, const model::Channel& c) {
  switch (c.kind) {
    case MeasuredKind::body_tilt:
    case MeasuredKind::body_euler:
    case MeasuredKind::body_momentum:
    case MeasuredKind::body_angular_momentum:
    case MeasuredKind::body_kinetic:
    case MeasuredKind::body_potential: return std::vector<int>{c.index};
    case MeasuredKind::marker_position:
    case MeasuredKind::marker_velocity: return std::vector<int>{model.markers[at(c.index)].body};
    case MeasuredKind::marker_distance:
    case MeasuredKind::marker_distance_rate:
    case MeasuredKind::marker_angle: {
      std::vector<int> bodies;
      for (const int marker : model.marker_sets[at(c.index)])
        if (marker >= 0) bodies.push_back(model.markers[at(marker)].body);
      return bodies;
    }
    default: return std::nullopt;
  }
}

}  // namespace percuss::dynamics
