// The start of a model, replaced.
#include "percuss/model/continuation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "percuss/base/index.h"
#include "percuss/model/kinematics.h"

namespace percuss::model {

namespace {

double without_turns(double angle, double near) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle - kTurn * std::round((angle - near) / kTurn);
}

}  // namespace

void continue_from(Model& model, std::span<const double> y) {
  const std::vector<double> first = model.start;
  std::copy_n(y.begin(), model.position_count + model.velocity_count, model.start.begin());
  for (const Body& b : model.bodies)
    if (b.kind == Body::Kind::planar && b.q_at >= 0)
      model.start[at(b.q_at + 2)] = without_turns(model.start[at(b.q_at + 2)], first[at(b.q_at + 2)]);
  for (const Driver& d : model.drivers)
    if (d.by_rate && model.measures[at(d.measure)].kind == geometry::Measure::Kind::angle)
      model.start[at(d.s_at)] = without_turns(model.start[at(d.s_at)], first[at(d.s_at)]);
  Motions motions;
  place_bodies(model, 0, model.start, motions);
  for (std::size_t m = 0; m < model.measures.size(); ++m) {
    const geometry::Measure& measure = model.measures[m];
    if (measure.kind == geometry::Measure::Kind::angle)
      model.start_angle[m] = geometry::evaluate(measure, motions[at(measure.body_a)], motions[at(measure.body_b)],
                                                model.start_angle[m])
                                 .value;
  }
}

}  // namespace percuss::model
