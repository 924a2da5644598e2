// Values, gradients and biases of measures.
//
// A point P = p + r moves with P' = v + w x r, P'' = a + alpha x r + w x (w x r); a direction d with d' = w x d,
// d'' = alpha x d + w x (w x d). What multiplies a and alpha is the gradient, the rest is the bias.
#include "percuss/geometry/measure.h"

#include <algorithm>
#include <numbers>

#include "percuss/geometry/flat_measure.h"

namespace percuss::geometry {

namespace {

/// What is known of an acceleration: the part that needs no unknown.
Vec3 centripetal(const Vec3& w, const Vec3& r) { return cross(w, cross(w, r)); }

struct Span {  // from a point of A to a point of B
  Vec3 r_a, r_b, D, rate, bias;
};
Span span_between(const Vec3& r_a, const Vec3& r_b, const BodyMotion& a, const BodyMotion& b) {
  Span s;
  s.r_a = r_a;
  s.r_b = r_b;
  s.D = (b.p_m - a.p_m) + (s.r_b - s.r_a);
  s.rate = (b.v_mps - a.v_mps) + (cross(b.w_radps, s.r_b) - cross(a.w_radps, s.r_a));
  s.bias = centripetal(b.w_radps, s.r_b) - centripetal(a.w_radps, s.r_a);
  return s;
}
Span span_of(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  return span_between(a.R * m.point_a, b.R * m.point_b, a, b);
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
  out.end_b = s.r_b;
}

/// e . D for a direction e that turns with A.
MeasureValue along(const Span& s, const Vec3& e, const BodyMotion& a) {
  MeasureValue out;
  const Vec3 e_rate = cross(a.w_radps, e);
  project(s, e, out);
  out.direction_rate = e_rate;
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
MeasureValue distance(const Span& s) {
  MeasureValue out;
  const double length = norm(s.D);
  const Vec3 u = length > 0 ? s.D / length : kAxisX;
  project(s, u, out);
  out.value = length;
  if (length > 0) {
    out.bias += (dot(s.rate, s.rate) - out.rate * out.rate) / length;
    out.direction_rate = (s.rate - out.rate * u) / length;
  }
  return out;
}

/// The nearest point of a line moves along it: P + x e. With V the relative velocity of the two points as points of
/// their bodies and L u the vector between them, (L u)' = V - x' e and (L u) . e = 0 give x' and u'; the rate is
/// u . V because the nearest point may slip along the line without changing the distance, and its derivative is
///   u' . V + u . (centripetal terms - w_A x (x' e)).
MeasureValue line(const Vec3& r_a, const Vec3& r_b, const Vec3& e, const BodyMotion& a, const BodyMotion& b) {
  MeasureValue out;
  const Vec3 D = (b.p_m - a.p_m) + (r_b - r_a);
  const Span s = span_between(r_a + dot(e, D) * e, r_b, a, b);
  const double length = norm(s.D);
  const Vec3 u = length > 0 ? s.D / length : perpendicular_to(e);
  project(s, u, out);
  out.value = length;
  const double slip = dot(e, s.rate) + length * dot(cross(a.w_radps, e), u);
  if (length > 0) out.direction_rate = (s.rate - slip * e - out.rate * u) / length;
  out.bias += dot(out.direction_rate, s.rate) - dot(u, cross(a.w_radps, slip * e));
  return out;
}

/// Lines P + x e and Q + y f: n = e x f/L with L = |e x f|. With the nearest points and V as above,
/// n' = (c' - n (n . c'))/L for c = e x f, and y' f - x' e = rate n + value n' - V gives x' and y'.
MeasureValue lines(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  MeasureValue out;
  const Vec3 e = a.R * m.direction_a, f = b.R * m.direction_b, c = cross(e, f);
  const double sine = norm(c);
  const Vec3 n = sine > 0 ? c / sine : perpendicular_to(e);
  const Vec3 r_p = a.R * m.point_a, r_q = b.R * m.point_b, D = (b.p_m - a.p_m) + (r_q - r_p);
  const double per = sine > 0 ? 1 / sine : 0;
  const double x = dot(cross(D, f), n) * per, y = dot(cross(D, e), n) * per;
  const Span s = span_between(r_p + x * e, r_q + y * f, a, b);
  project(s, n, out);
  const Vec3 c_rate = cross(cross(a.w_radps, e), f) + cross(e, cross(b.w_radps, f));
  out.direction_rate = per * (c_rate - dot(n, c_rate) * n);
  const Vec3 slip = out.rate * n + out.value * out.direction_rate - s.rate;
  const double x_rate = -dot(slip, cross(f, n)) * per, y_rate = -dot(slip, cross(e, n)) * per;
  out.bias += dot(out.direction_rate, s.rate) + dot(n, cross(b.w_radps, y_rate * f) - cross(a.w_radps, x_rate * e));
  return out;
}

/// The extreme of a function g(t, angle) over the angle: its rate is that of the material point at the extreme, and
///   d2/dt2 g = g_tt - g_ta^2/g_aa.
MeasureValue rim_height(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  const Vec3 e = a.R * m.direction_a, f = b.R * m.direction_b;
  const Vec3 across = e - dot(e, f) * f;
  const double sine = norm(across);
  // upright to rounding: any point of the rim, exactly across the axis
  Vec3 down = sine > 1e-7 ? across / -sine : b.R * perpendicular_to(m.direction_b);
  down = unit(down - dot(down, f) * f);
  const Span s = span_between(a.R * m.point_a, b.R * m.point_b + m.radius_m * down, a, b);
  MeasureValue out = along(s, e, a);
  const Vec3 tangent = cross(f, down);
  const double g_ta = m.radius_m * (dot(out.direction_rate, tangent) + dot(e, cross(b.w_radps, tangent)));
  if (sine > 1e-7) out.bias -= g_ta * g_ta / (m.radius_m * sine);
  return out;
}

MeasureValue rim_point(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  const Vec3 f = b.R * m.direction_b, r_a = a.R * m.point_a, r_q = b.R * m.point_b;
  const Vec3 off = (a.p_m - b.p_m) + (r_a - r_q), across = off - dot(off, f) * f;
  const Vec3 d = norm(across) > 0 ? unit(across) : b.R * perpendicular_to(m.direction_b);
  MeasureValue out = distance(span_between(r_a, r_q + m.radius_m * d, a, b));
  const Vec3 tangent = cross(f, d), u = out.b.linear;
  const double g_aa = -m.radius_m * dot(u, d) + (out.value > 0 ? m.radius_m * m.radius_m / out.value : 0);
  const double g_ta = m.radius_m * (dot(out.direction_rate, tangent) + dot(u, cross(b.w_radps, tangent)));
  if (g_aa > 1e-9 * m.radius_m) out.bias -= g_ta * g_ta / g_aa;
  return out;
}

/// The extreme of the distance of rim points from the line (P, e), by Newton's method on the angle from the
/// direction in which the rim lies off the line.
MeasureValue rim_line(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  const Vec3 e = a.R * m.direction_a, f = b.R * m.direction_b;
  const Vec3 r_a = a.R * m.point_a, r_q = b.R * m.point_b, D = (b.p_m - a.p_m) + (r_q - r_a);
  const double R = std::abs(m.radius_m);
  Vec3 off = D - dot(D, e) * e;
  off = off - dot(off, f) * f;
  Vec3 d = norm(off) > 1e-14 * R ? unit(off) : b.R * perpendicular_to(m.direction_b);
  if (m.radius_m < 0) d = -d;
  const auto across = [&e](const Vec3& v) { return v - dot(v, e) * e; };
  // of h = |across(D + R d)|^2/2, whose extremes are those of the distance
  for (int k = 0; k < 50; ++k) {
    const Vec3 tangent = cross(f, d), p = across(D + R * d), t = across(tangent);
    const double slope = R * dot(p, t), bend = R * R * dot(t, t) - R * dot(p, across(d));
    const double wanted_sign = m.radius_m > 0 ? -1 : 1;  // a maximum or a minimum
    const double step = bend * wanted_sign > 0 ? -slope / bend : wanted_sign * -0.5 * (slope > 0 ? 1 : -1);
    d = unit(d + std::clamp(step, -0.5, 0.5) * tangent);
    if (std::abs(step) < 1e-15) break;
  }
  MeasureValue out = line(r_a, r_q + R * d, e, a, b);
  const Vec3 tangent = cross(f, d), u = out.b.linear;
  const double length = out.value, u_t = dot(u, tangent), e_t = dot(e, tangent);
  const double g_aa = -R * dot(u, d) + (length > 0 ? R * R * (1 - e_t * e_t - u_t * u_t) / length : 0);
  const double g_ta = R * (dot(out.direction_rate, tangent) + dot(u, cross(b.w_radps, tangent)));
  if (std::abs(g_aa) > 1e-9 * R) out.bias -= g_ta * g_ta / g_aa;
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
    case Measure::Kind::along: out = along(span_of(m, a, b), a.R * m.direction_a, a); break;
    case Measure::Kind::directions: out = directions(m, a, b); break;
    case Measure::Kind::distance: out = distance(span_of(m, a, b)); break;
    case Measure::Kind::line: out = line(a.R * m.point_a, b.R * m.point_b, a.R * m.direction_a, a, b); break;
    case Measure::Kind::lines: out = lines(m, a, b); break;
    case Measure::Kind::rim_height: out = rim_height(m, a, b); break;
    case Measure::Kind::rim_point: out = rim_point(m, a, b); break;
    case Measure::Kind::rim_line: out = rim_line(m, a, b); break;
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

MeasureValue evaluate_in_plane(const Measure& m, const BodyMotion& a, const BodyMotion& b, double near_rad) {
  if (!is_flat(m.kind)) return evaluate(m, a, b, near_rad);
  const FlatValue v = evaluate_flat(m, flat_span(m, a, b), a, b);
  MeasureValue out;
  out.value = v.value;
  out.rate = v.rate;
  out.bias = v.bias + prescribed_bias(v, a, b);
  out.a = {{-v.e_x, -v.e_y, 0}, {0, 0, v.angular_a}};
  out.b = {{v.e_x, v.e_y, 0}, {0, 0, v.angular_b}};
  out.end_b = {v.end_x, v.end_y, 0};
  out.direction_rate = {v.direction_x, v.direction_y, 0};
  return out;
}

}  // namespace percuss::geometry
