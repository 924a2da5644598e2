// Values, gradients and biases of measures.
//
// A point P = p + r moves with P' = v + w x r, P'' = a + alpha x r + w x (w x r); a direction d with d' = w x d,
// d'' = alpha x d + w x (w x d). What multiplies a and alpha is the gradient, the rest is the bias.
#include "percuss/geometry/measure.h"

#include <numbers>

namespace percuss::geometry {

namespace {

/// What is known of an acceleration: the part that needs no unknown.
Vec3 centripetal(const Vec3& w, const Vec3& r) { return cross(w, cross(w, r)); }

struct Span {  // from a point of A to a point of B
  Vec3 r_a, r_b, D, rate, bias;
};
Span span_of(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  Span s;
  s.r_a = a.R * m.point_a;
  s.r_b = b.R * m.point_b;
  s.D = (b.p_m - a.p_m) + (s.r_b - s.r_a);
  s.rate = (b.v_mps - a.v_mps) + (cross(b.w_radps, s.r_b) - cross(a.w_radps, s.r_a));
  s.bias = centripetal(b.w_radps, s.r_b) - centripetal(a.w_radps, s.r_a);
  return s;
}

/// e . D for a direction e that turns with w_e (zero: fixed in the world).
void project(const Span& s, const Vec3& e, MeasureValue& out) {
  out.value = dot(e, s.D);
  out.rate = dot(e, s.rate);
  out.bias = dot(e, s.bias);
  out.a.linear = -e;
  out.b.linear = e;
  out.a.angular = -cross(s.r_a, e);
  out.b.angular = cross(s.r_b, e);
}

MeasureValue along(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  MeasureValue out;
  const Span s = span_of(m, a, b);
  const Vec3 e = a.R * m.direction_a, e_rate = cross(a.w_radps, e);
  project(s, e, out);
  out.rate += dot(e_rate, s.D);
  out.bias += dot(centripetal(a.w_radps, e), s.D) + 2 * dot(e_rate, s.rate);
  out.a.angular += cross(e, s.D);
  return out;
}

MeasureValue directions(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  MeasureValue out;
  const Vec3 e = a.R * m.direction_a, f = b.R * m.direction_b;
  const Vec3 e_rate = cross(a.w_radps, e), f_rate = cross(b.w_radps, f);
  out.value = dot(e, f);
  out.rate = dot(e_rate, f) + dot(e, f_rate);
  out.a.angular = cross(e, f);
  out.b.angular = cross(f, e);
  out.bias = dot(centripetal(a.w_radps, e), f) + dot(e, centripetal(b.w_radps, f)) + 2 * dot(e_rate, f_rate);
  return out;
}

/// |D|' = u . D', |D|'' = u . D'' + (|D'|^2 - (u . D')^2)/|D| with u = D/|D|.
MeasureValue distance(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  MeasureValue out;
  const Span s = span_of(m, a, b);
  const double length = norm(s.D);
  const Vec3 u = length > 0 ? s.D / length : kAxisX;
  project(s, u, out);
  out.value = length;
  if (length > 0) out.bias += (dot(s.rate, s.rate) - out.rate * out.rate) / length;
  return out;
}

/// The rate of the angle is e . (w_B - w_A) as long as f stays perpendicular to e, which the joint sees to; then
/// e' . (w_B - w_A) = (w_A x e) . w_B.
MeasureValue angle(const Measure& m, const BodyMotion& a, const BodyMotion& b, double near_rad) {
  MeasureValue out;
  const Vec3 e = a.R * m.direction_a, g = a.R * m.reference_a, f = b.R * m.direction_b;
  const double raw = std::atan2(dot(cross(e, g), f), dot(g, f));
  constexpr double kTurn = 2 * std::numbers::pi;
  out.value = raw + kTurn * std::round((near_rad - raw) / kTurn);
  out.rate = dot(e, b.w_radps - a.w_radps);
  out.bias = dot(cross(a.w_radps, e), b.w_radps);
  out.a.angular = -e;
  out.b.angular = e;
  return out;
}

}  // namespace

MeasureValue evaluate(const Measure& m, const BodyMotion& a, const BodyMotion& b, double near_rad) {
  MeasureValue out;
  switch (m.kind) {
    case Measure::Kind::world_axis: project(span_of(m, a, b), m.direction_a, out); break;
    case Measure::Kind::along: out = along(m, a, b); break;
    case Measure::Kind::directions: out = directions(m, a, b); break;
    case Measure::Kind::distance: out = distance(m, a, b); break;
    case Measure::Kind::angle: out = angle(m, a, b, near_rad + m.offset); break;
    case Measure::Kind::planar_angle:
      out.value = b.turn_rad - a.turn_rad;
      out.rate = b.w_radps.z - a.w_radps.z;
      out.a.angular = -kAxisZ;
      out.b.angular = kAxisZ;
      break;
  }
  out.value -= m.offset;
  out.bias += dot(out.a.linear, a.a_mps2) + dot(out.a.angular, a.alpha_radps2) + dot(out.b.linear, b.a_mps2) +
              dot(out.b.angular, b.alpha_radps2);
  return out;
}

}  // namespace percuss::geometry
