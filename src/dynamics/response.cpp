// M^-1 g^T and J M^-1 J^T.
#include "percuss/dynamics/response.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/linear/mobility.h"

namespace percuss::dynamics {

using model::Body;

namespace {

constexpr double kRounding = 1e-14;  // of the points' own mobilities: what cancels

/// M^-1 g^T: without the joints.
void free_response_to(const Model& model, const model::Motions& motions, const Approach& a,
                      std::vector<double>& response) {
  response.assign(at(model.velocity_count), 0.0);
  for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
    const Body& b = model.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6] = {};
    model::reduce(b, motions[at(body)], *g, reduced);
    model::respond(b, reduced, &response[at(b.v_at - model.position_count)]);
  }
}

/// g M^-1 g^T, without a vector of all unknowns.
double free_mobility(const Model& model, const model::Motions& motions, const Approach& a) {
  double sum = 0;
  for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
    const Body& b = model.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6] = {}, response[6] = {};
    model::reduce(b, motions[at(body)], *g, reduced);
    model::respond(b, reduced, response);
    for (int k = 0; k < b.velocity_count; ++k) sum += reduced[k] * response[k];
  }
  return sum;
}

}  // namespace

/// g . u for the gradient g of the gap in the unknowns of its bodies.
double along(const Model& model, const model::Motions& motions, const Approach& a, std::span<const double> u) {
  double sum = 0;
  for (const auto& [body, g] : {std::pair{a.body_a, &a.gap.a}, std::pair{a.body_b, &a.gap.b}}) {
    const Body& b = model.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6] = {};
    model::reduce(b, motions[at(body)], *g, reduced);
    for (int k = 0; k < b.velocity_count; ++k) sum += reduced[k] * u[at(b.v_at - model.position_count + k)];
  }
  return sum;
}

double depth_acceleration(const Model& model, const Evaluation& e, const Approach& a) {
  return -(a.gap.bias + along(model, e.motions, a, e.acceleration));
}

/// Accelerations that a unit force along the gradient g of the gap causes in the constrained system:
/// M^-1 g^T - M^-1 J^T x, (J M^-1 J^T) x = J M^-1 g^T. `multiplier` becomes -x.
void response_to(const Model& model, const Modes& modes, const Evaluation& e, const Approach& a,
                 std::vector<double>& response, std::vector<double>& multiplier) {
  free_response_to(model, e.motions, a, response);
  const model::RowLayout& rows = *modes.rows;
  multiplier.assign(rows.count(), 0.0);
  if (rows.count() == 0) return;
  std::vector<double> coupling(rows.count());
  rows.times(e.rows, response, coupling);
  rows.solve(e.rows, coupling, multiplier);
  for (double& x : multiplier) x = -x;
  rows.add_response(e.rows, multiplier, response);
}

void add_response_to(const Model& model, const Modes& modes, const Evaluation& e, const ContactNow& now,
                     std::vector<double>& response, std::vector<double>& multiplier) {
  const model::RowLayout& rows = *modes.rows;
  std::vector<double> own(at(model.velocity_count), 0.0), coupling(rows.count()), x(rows.count());
  for (const auto& [body, wrench] :
       {std::pair{now.approach.body_a, &now.on_a}, std::pair{now.approach.body_b, &now.on_b}}) {
    const Body& b = model.bodies[at(body)];
    if (b.velocity_count == 0) continue;
    double reduced[6] = {};
    model::reduce(b, e.motions[at(body)], *wrench, reduced);
    model::respond(b, reduced, &own[at(b.v_at - model.position_count)]);
  }
  if (rows.count() > 0) {
    rows.times(e.rows, own, coupling);
    rows.solve(e.rows, coupling, x);
    for (double& v : x) v = -v;
    rows.add_response(e.rows, x, own);
  }
  for (std::size_t i = 0; i < own.size(); ++i) response[i] += own[i];
  for (std::size_t i = 0; i < x.size(); ++i) multiplier[i] += x[i];
}

/// What a unit force along the gap moves it by: g M^-1 g^T - x.(J M^-1 g^T), (J M^-1 J^T) x = J M^-1 g^T; and
/// without the joints.
Mobility mobility(const Model& model, const Modes& modes, const Evaluation& e, const Approach& a) {
  const double free = free_mobility(model, e.motions, a);
  const model::RowLayout& rows = *modes.rows;
  if (rows.count() == 0) return {free, free};
  std::vector<double> response, coupling(rows.count()), x(rows.count());
  free_response_to(model, e.motions, a, response);
  rows.times(e.rows, response, coupling);
  rows.solve(e.rows, coupling, x);
  double held = 0;
  for (std::size_t i = 0; i < coupling.size(); ++i) held += coupling[i] * x[i];
  return {free - held, free};
}

double effective_mass_kg(const Model& model, const Modes& modes, const Evaluation& e, const Approach& a) {
  const Mobility m = mobility(model, modes, e, a);
  return 1 / (m.can_move() ? m.constrained : m.free);
}

double depth_acceleration_by_gravity(const Model& model, const Modes& modes, const Evaluation& e,
                                     const Approach& a) {
  std::vector<double> response, multiplier;
  response_to(model, modes, e, a, response, multiplier);
  double sum = 0;
  for (const Body& b : model.bodies) {
    if (b.velocity_count == 0) continue;
    const double* r = &response[at(b.v_at - model.position_count)];
    const bool spatial = b.kind == Body::Kind::spatial || b.kind == Body::Kind::particle;
    sum -= b.mass_kg * (model.gravity_mps2.x * r[0] + model.gravity_mps2.y * r[1] +
                        (spatial ? model.gravity_mps2.z * r[2] : 0));
  }
  return sum;
}

Responses responses_to(const Model& model, const Modes& modes, const Evaluation& e,
                       std::span<const Approach> points) {
  Responses out;
  out.velocity.resize(points.size());
  out.multiplier.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    response_to(model, modes, e, points[i], out.velocity[i], out.multiplier[i]);
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd& W = out.mobility;
  W.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      W(i, j) =
          along(model, e.motions, points[static_cast<std::size_t>(i)], out.velocity[static_cast<std::size_t>(j)]);
  W = (W + W.transpose().eval()) / 2;
  linear::drop_rounding(W.diagonal().eval(), kRounding, W);
  return out;
}

}  // namespace percuss::dynamics
