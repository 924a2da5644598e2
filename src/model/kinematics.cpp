// Unknowns to motions and back.
#include "percuss/model/kinematics.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"

namespace percuss::model {

bool Function::has_breaks() const { return std::ranges::any_of(sites, &expression::Site::of_time_alone); }
bool Function::has_state_switches() const { return !std::ranges::all_of(sites, &expression::Site::of_time_alone); }

expression::Derivatives Function::differentiated(const Moment& moment) const {
  const double t_s = moment.t_s;
  if (sites.empty()) return expression::differentiate(program, std::span(&t_s, 1), 0);
  if (!moment.pieces.empty()) return expression::differentiate_on(program, t_s, own(moment.pieces));
  std::vector<double> right(sites.size(), 0.0);
  expression::settle_time_pieces(program, sites, t_s, right);
  return expression::differentiate_on(program, t_s, right);
}

std::optional<ContactPair> Model::pair_of_materials(std::size_t a, std::size_t b) const {
  const MaterialContacts& m = by_materials;
  const int class_a = m.class_of[a], class_b = m.class_of[b];
  if (class_a < 0 || class_b < 0) return std::nullopt;
  const int kind = m.kind_of[at(class_a * m.classes + class_b)];
  if (kind < 0) return std::nullopt;
  const int body_a = surfaces[a].body, body_b = surfaces[b].body;
  if (body_a == body_b || bodies[at(body_a)].velocity_count + bodies[at(body_b)].velocity_count == 0)
    return std::nullopt;
  const auto has = [](const std::vector<std::pair<int, int>>& list, int x, int y) {
    return !list.empty() && std::ranges::binary_search(list, std::pair<int, int>(std::minmax(x, y)));
  };
  if (has(m.joined_bodies, body_a, body_b) || has(m.named, static_cast<int>(a), static_cast<int>(b)))
    return std::nullopt;
  const bool straight = contact_kinds[at(kind)].row->first == surfaces[a].kind;
  return ContactPair{static_cast<int>(straight ? a : b), static_cast<int>(straight ? b : a), kind};
}

double line_length_m(const geometry::PairRow& row, const geometry::Surface& first,
                     const geometry::Surface& second) {
  if (!row.is_line) return 0;
  if (second.kind == geometry::Surface::Kind::hole && second.length_m > 0)
    return (first.length_m > 0 ? std::min(first.length_m, second.length_m) : second.length_m) * row.share;
  return first.length_m * row.share;
}

PairLaw Model::law_of(const ContactPair& pair) const {
  const ContactKind& kind = kind_of(pair);
  const geometry::Surface &f = surfaces[at(pair.first)], &s = surfaces[at(pair.second)];
  const geometry::Radii radii = kind.row->radii(f, s);
  const double length = line_length_m(*kind.row, f, s);
  if (radii.first_m == kind.radii.first_m && radii.second_m == kind.radii.second_m && length == kind.line_length_m)
    return kind.law;
  PairLaw out = kind.law;
  if (radii.first_m != 0 && radii.second_m != 0)
    out.radius_m = contact::effective_radius_m(radii.first_m, radii.second_m);
  if (kind.request.pairing) {
    contact::LawRequest request = kind.request;
    request.pairing->radius_i_m = radii.first_m;
    request.pairing->radius_j_m = radii.second_m;
    request.pairing->length_m = length;
    if (const auto spec = contact::specify(request)) out.spec = *spec;  // checked by compile
  }
  const double grown = kind.law.friction.radius_m > 0 ? out.radius_m / kind.law.friction.radius_m : 1;
  out.friction.radius_m *= grown;
  out.friction.rolling_m *= grown;
  out.friction.spinning_m *= grown;
  return out;
}

const Coordinate* Joint::coordinate(std::string_view wanted) const {
  const bool all_left = std::ranges::all_of(coordinates, &Coordinate::left_to_contact);
  for (const Coordinate& c : coordinates)
    if (wanted.empty() ? all_left || !c.left_to_contact : c.name == wanted) return &c;
  return nullptr;
}

std::vector<std::string> Model::redundant_rows() const {
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (row.redundant) names.push_back(row.name);
  return names;
}

geometry::BodyMotion prescribed_motion(const Body& body, const Moment& now) {
  geometry::BodyMotion m;
  m.p_m = body.at_m;
  m.turn_rad = body.turn_rad;
  m.R = matrix_of(body.rotation);
  if (!body.moves) return m;
  const auto x = body.motion[0].at(now), y = body.motion[1].at(now), z = body.motion[2].at(now);
  m.p_m += Vec3{x.value, y.value, z.value};
  m.v_mps = {x.first, y.first, z.first};
  m.a_mps2 = {x.second, y.second, z.second};
  if (body.motion[3].is_constant && body.motion[3].value == 0) return m;
  const auto angle = body.motion[3].at(now);
  m.R = matrix_of(rotation_about(body.axis, angle.value) * body.rotation);
  m.turn_rad += angle.value * body.axis.z;  // planar: the axis is z or -z
  m.w_radps = angle.first * body.axis;
  m.alpha_radps2 = angle.second * body.axis;
  return m;
}

void place_body(const Body& b, const double* q, const double* v, geometry::BodyMotion& m) {
  switch (b.kind) {
    case Body::Kind::spatial: {
      m.p_m = {q[0], q[1], q[2]};
      m.R = matrix_of(unit(Quat{q[3], q[4], q[5], q[6]}));
      m.v_mps = {v[0], v[1], v[2]};
      m.w_radps = m.R * Vec3{v[3], v[4], v[5]};
      break;
    }
    case Body::Kind::planar: {
      const double c = std::cos(q[2]), s = std::sin(q[2]);
      // what is zero, or one, in the plane is so from the beginning
      m.p_m.x = q[0], m.p_m.y = q[1];
      m.R.row[0].x = m.R.row[1].y = c, m.R.row[0].y = -s, m.R.row[1].x = s;
      m.v_mps.x = v[0], m.v_mps.y = v[1];
      m.w_radps.z = v[2];
      m.turn_rad = q[2];
      break;
    }
    case Body::Kind::particle:
      m.p_m = {q[0], q[1], q[2]};
      m.v_mps = {v[0], v[1], v[2]};
      break;
    case Body::Kind::planar_particle:
      m.p_m.x = q[0], m.p_m.y = q[1];
      m.v_mps.x = v[0], m.v_mps.y = v[1];
      break;
    case Body::Kind::prescribed: break;
  }
}

void place_bodies(const Model& model, const Moment& moment, std::span<const double> y, Motions& out) {
  const bool first = out.size() != model.bodies.size();
  out.resize(model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& b = model.bodies[i];
    if (b.kind != Body::Kind::prescribed)
      place_body(b, &y[at(b.q_at)], &y[at(b.v_at)], out[i]);
    else if (b.moves || first)
      out[i] = prescribed_motion(b, moment);
  }
}

void position_slopes(const Model& model, const Moment& moment, std::span<const double> y, std::span<double> dydt) {
  for (const Body& b : model.bodies) {
    if (b.kind == Body::Kind::prescribed) continue;
    const double* q = &y[at(b.q_at)];
    const double* v = &y[at(b.v_at)];
    double* d = &dydt[at(b.q_at)];
    if (b.kind == Body::Kind::spatial) {
      for (int k = 0; k < 3; ++k) d[k] = v[k];
      const Quat slope = slope_of(Quat{q[3], q[4], q[5], q[6]}, {v[3], v[4], v[5]});
      d[3] = slope.w, d[4] = slope.x, d[5] = slope.y, d[6] = slope.z;
    } else {
      for (int k = 0; k < b.velocity_count; ++k) d[k] = v[k];
    }
  }
  for (const Driver& driver : model.drivers)
    if (driver.by_rate) dydt[at(driver.s_at)] = driver.function.at(moment).value;
}

void displace(const Model& model, std::span<const double> step, std::span<double> y) {
  for (const Body& b : model.bodies) {
    if (b.kind == Body::Kind::prescribed) continue;
    double* q = &y[at(b.q_at)];
    const double* s = &step[at(b.v_at - model.position_count)];
    if (b.kind == Body::Kind::spatial) {
      for (int k = 0; k < 3; ++k) q[k] += s[k];
      const Vec3 turn{s[3], s[4], s[5]};
      const double angle = norm(turn);
      if (angle == 0) continue;
      const Quat r = unit(Quat{q[3], q[4], q[5], q[6]} * rotation_about(turn / angle, angle));
      q[3] = r.w, q[4] = r.x, q[5] = r.y, q[6] = r.z;
    } else {
      for (int k = 0; k < b.velocity_count; ++k) q[k] += s[k];
    }
  }
}

void normalise(const Model& model, std::span<double> y) {
  for (const Body& b : model.bodies) {
    if (b.kind != Body::Kind::spatial) continue;
    double* q = &y[at(b.q_at + 3)];
    const Quat r = unit(Quat{q[0], q[1], q[2], q[3]});
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  }
}

double kinetic_J(const Model& model, std::span<const double> y) {
  double twice = 0;
  for (const Body& b : model.bodies) {
    if (b.kind == Body::Kind::prescribed) continue;
    const double* v = &y[at(b.v_at)];
    if (b.kind == Body::Kind::spatial) {
      const Vec3 w{v[3], v[4], v[5]};
      twice += b.mass_kg * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + dot(w, b.inertia_kgm2 * w);
    } else if (b.kind == Body::Kind::planar) {
      twice += b.mass_kg * (v[0] * v[0] + v[1] * v[1]) + b.inertia_kgm2.row[2].z * v[2] * v[2];
    } else {
      for (int k = 0; k < b.velocity_count; ++k) twice += b.mass_kg * v[k] * v[k];
    }
  }
  return twice / 2;
}

double potential_J(const Model& model, const Motions& motions) {
  double sum = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind != Body::Kind::prescribed)
      sum -= model.bodies[i].mass_kg * dot(model.gravity_mps2, motions[i].p_m);
  return sum;
}

}  // namespace percuss::model
