// The books: what a unit force at a contact moves, the sums of each episode, powers and energies.
#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/dynamics/equations.h"
#include "percuss/dynamics/strike.h"

namespace percuss::dynamics {

using model::Body;
using Mode = ContactState::Mode;

/// g . u for the gradient g of the gap in the unknowns of its bodies.
double Equations::along(const Approach& a, std::span<const double> u) const {
  double sum = 0;
  for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
    const Body& b = model_.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6] = {};
    model::reduce(b, motions_[at(body)], *g, reduced);
    for (int k = 0; k < b.velocity_count; ++k) sum += reduced[k] * u[at(b.v_at - model_.position_count + k)];
  }
  return sum;
}

double Equations::depth_acceleration(const Approach& a) const { return -(a.gap.bias + along(a, acceleration_)); }

/// M^-1 g^T: without the joints.
void Equations::free_response_to(const Approach& a, std::vector<double>& response) const {
  response.assign(force_.size(), 0.0);
  for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
    const Body& b = model_.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6] = {};
    model::reduce(b, motions_[at(body)], *g, reduced);
    model::respond(b, reduced, &response[at(b.v_at - model_.position_count)]);
  }
}

/// Accelerations that a unit force along the gradient g of the gap causes in the constrained system:
/// M^-1 g^T - M^-1 J^T x, (J M^-1 J^T) x = J M^-1 g^T. `multiplier` becomes -x.
void Equations::response_to(const Approach& a, std::vector<double>& response,
                            std::vector<double>& multiplier) const {
  free_response_to(a, response);
  multiplier.assign(rows_.count(), 0.0);
  if (rows_.count() == 0) return;
  coupling_.resize(rows_.count());
  rows_.times(response, coupling_);
  rows_.solve(coupling_, multiplier);
  for (double& x : multiplier) x = -x;
  rows_.add_response(multiplier, response);
}

/// What a unit force along the gap moves it by: g M^-1 g^T - x.(J M^-1 g^T), (J M^-1 J^T) x = J M^-1 g^T; and
/// without the joints.
Equations::Mobility Equations::mobility(const Approach& a) const {
  free_response_to(a, response_);
  const double free = along(a, response_);
  if (rows_.count() == 0) return {free, free};
  coupling_.resize(rows_.count());
  response_multiplier_.resize(rows_.count());
  rows_.times(response_, coupling_);
  rows_.solve(coupling_, response_multiplier_);
  double held = 0;
  for (std::size_t i = 0; i < coupling_.size(); ++i) held += coupling_[i] * response_multiplier_[i];
  return {free - held, free};
}

double Equations::effective_mass_kg(const Approach& a) const {
  const Mobility m = mobility(a);
  return 1 / (can_move(m) ? m.constrained : m.free);
}

double Equations::depth_acceleration_by_gravity(const Approach& a) const {
  response_to(a, response_, response_multiplier_);
  double sum = 0;
  for (const Body& b : model_.bodies) {
    if (b.velocity_count == 0) continue;
    const double* r = &response_[at(b.v_at - model_.position_count)];
    const bool spatial = b.kind == Body::Kind::spatial || b.kind == Body::Kind::particle;
    sum -= b.mass_kg * (model_.gravity_mps2.x * r[0] + model_.gravity_mps2.y * r[1] +
                        (spatial ? model_.gravity_mps2.z * r[2] : 0));
  }
  return sum;
}

/// The account of an episode. With m the effective mass now and m_0 that at touch, the depth x and the force F,
///   x'' = -F/m + (what all other forces do),  m_0 (v_1^2 - v_0^2)/2 = integral of m_0 x' x''
///     = -integral of F x' + integral of F x' (1 - m_0/m) + m_0 integral of x' (x'' + F/m).
/// The last is split into other contacts and the rest; a force f changes x'' by -r . f, r the response to a unit
/// force at the spot.
void Equations::write_sums(std::span<double> sums) {
  for (std::size_t i = 0; i < contact_now_.size(); ++i) {
    const ContactNow& now = contact_now_[i];
    const Approach& a = now.approach;
    const double rate = a.rate_mps, force = now.force.total_N, mass = state_.contacts[i].record.mass_kg;
    double* z = &sums[i * kSums];
    z[dissipated] = (force - now.force.elastic_N) * rate;
    z[impulse] = force;
    z[friction_work] = now.friction_W;
    double by_contacts = 0, mobile = 0;
    if (contact_now_.size() == 1) {
      mobile = mobility(a).constrained;
    } else {
      response_to(a, response_, response_multiplier_);
      mobile = along(a, response_);
    }
    if (!(mobile * mass > kImmovable)) mobile = 1 / mass;
    for (std::size_t k = 0; k < contact_now_.size(); ++k) {
      if (k == i) continue;
      const ContactNow& other = contact_now_[k];
      for (const auto& [body, wrench] :
           {std::pair{other.approach.body_a, &other.on_a}, std::pair{other.approach.body_b, &other.on_b}}) {
        const Body& b = model_.bodies[at(body)];
        if (b.velocity_count == 0) continue;
        double reduced[6] = {};
        model::reduce(b, motions_[at(body)], *wrench, reduced);
        for (int d = 0; d < b.velocity_count; ++d)
          by_contacts -= reduced[d] * response_[at(b.v_at - model_.position_count + d)];
      }
    }
    z[other_contacts] = mass * rate * by_contacts;
    z[other_forces] = mass * rate * (depth_acceleration(a) + force * mobile - by_contacts);
    z[mass_change] = force * rate * (1 - mass * mobile);
  }
}

bool Equations::moves_with(const model::Row& row, int body) const {
  return std::any_of(row.terms.begin(), row.terms.begin() + row.term_count, [&](const model::Row::Term& term) {
    const geometry::Measure& m = model_.measures[at(term.measure)];
    return m.body_a == body || m.body_b == body;
  });
}

void Equations::write_quadratures(double t_s, std::span<const double> y, std::span<double> z) {
  for (std::size_t i = 0; i < model_.springs.size(); ++i) {
    z[at(model_.springs[i].damped_at)] = spring_power_[i].damped_W;
    z[at(model_.springs[i].supplied_at)] = spring_power_[i].supplied_W;
  }
  for (std::size_t i = 0; i < model_.forces.size(); ++i) z[at(model_.forces[i].supplied_at)] = force_power_[i];
  for (std::size_t i = 0; i < rows_.count(); ++i)
    if (rows_.row(i).driver >= 0)
      z[at(model_.drivers[at(rows_.row(i).driver)].supplied_at)] = multiplier_[i] * rows_.target_rate()[i];
  if (!has_moving_bodies_) return;
  // what prescribes a motion supplies the opposite of the power of the forces on that body
  if (rows_.count() > 0) rows_.times(y.subspan(at(model_.position_count), at(model_.velocity_count)), scratch_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    if (!body.moves) continue;
    const geometry::BodyMotion& m = motions_[b];
    double power = -(dot(on_prescribed_[b].linear, m.v_mps) + dot(on_prescribed_[b].angular, m.w_radps));
    for (std::size_t i = 0; i < rows_.count(); ++i) {
      if (!moves_with(rows_.row(i), static_cast<int>(b))) continue;
      power += multiplier_[i] * (scratch_[i] - rows_.residual_rate()[i] - rows_.target_rate()[i]);
    }
    z[at(body.supplied_at)] = power;
    z[at(body.ghost_at)] = m.v_mps.x;
    z[at(body.ghost_at + 1)] = m.v_mps.y;
    z[at(body.ghost_at + 2)] = m.v_mps.z;
    z[at(body.ghost_at + 3)] = body.motion[3].at(t_s).first;
  }
}

/// Velocities jump by the responses. What prescribes motions and drives joints does work on the way: impulses times
/// their speeds, which do not change.
void Equations::add_impulses(std::span<const StrikePoint> points, const Responses& responses,
                             std::span<const double> impulse, std::span<double> y) {
  const std::span<double> velocity = y.subspan(at(model_.position_count), at(model_.velocity_count));
  const std::span<double> z = y.subspan(quadratures_at());
  std::vector<double> rows(rows_.count(), 0.0);
  if (rows_.count() > 0) rows_.times(velocity, scratch_);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < velocity.size(); ++k) velocity[k] += impulse[i] * responses.velocity[i][k];
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] += impulse[i] * responses.multiplier[i][k];
    const Approach& a = points[i].approach;
    for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
      const geometry::BodyMotion& m = motions_[at(body)];
      if (model_.bodies[at(body)].moves)
        z[at(model_.bodies[at(body)].supplied_at)] -=
            impulse[i] * (dot(g->linear, m.v_mps) + dot(g->angular, m.w_radps));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const model::Row& row = rows_.row(i);
    if (row.driver >= 0) z[at(model_.drivers[at(row.driver)].supplied_at)] += rows[i] * rows_.target_rate()[i];
    for (std::size_t b = 0; b < model_.bodies.size() && has_moving_bodies_; ++b)
      if (model_.bodies[b].moves && moves_with(row, static_cast<int>(b)))
        z[at(model_.bodies[b].supplied_at)] +=
            rows[i] * (scratch_[i] - rows_.residual_rate()[i] - rows_.target_rate()[i]);
  }
}

recording::Energy Equations::energy(double t_s, std::span<const double> y) {
  evaluate_motion(t_s, y);
  recording::Energy e;
  const std::span<const double> z = y.subspan(quadratures_at());
  e.kinetic_J = model::kinetic_J(model_, y);
  e.potential_J = model::potential_J(model_, motions_);
  for (const model::Spring& s : model_.springs) {
    e.damped_J += z[at(s.damped_at)];
    e.by_springs_J += z[at(s.supplied_at)];
    if (!state_.switched_on[at(s.switch_index)]) continue;
    for (std::size_t k = 0; k < s.lines.size(); ++k) {
      const double x = measure(s.lines[k].measure).value - (k == 0 ? s.rest.at(t_s).value : 0);
      e.springs_J += s.lines[k].stiffness * x * x / 2;
    }
  }
  for (const ContactTotals& t : state_.totals) {
    e.lost_in_contacts_J += t.lost_J;
    e.friction_J += t.friction_J;
  }
  for (std::size_t i = 0; i < state_.contacts.size(); ++i) {
    const ContactState& s = state_.contacts[i];
    const double* sums = &y[sums_at(i)];
    const double depth = approach(i).depth_m, deepest = std::max(depth, s.deepest_m);
    if (s.mode != Mode::coasting && s.mode != Mode::resting)
      e.contacts_J += contact::stored_energy_J(s.law, depth, deepest);
    e.lost_in_contacts_J +=
        sums[dissipated] + contact::plastic_energy_J(s.law, deepest) - s.plastic_at_touch_J + s.given_up_J;
    e.friction_J += sums[friction_work];
  }
  for (const model::Driver& d : model_.drivers) e.by_drivers_J += z[at(d.supplied_at)];
  for (const model::Force& f : model_.forces) e.by_forces_J += z[at(f.supplied_at)];
  for (const Body& b : model_.bodies)
    if (b.moves) e.by_motions_J += z[at(b.supplied_at)];
  e.by_projection_J = state_.projection_J;
  e.by_switches_J = state_.switching_J;
  return e;
}
}  // namespace percuss::dynamics
