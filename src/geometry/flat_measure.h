// Measures between bodies that move in the plane z = 0, with a third of the arithmetic and none of the third axis.
#pragma once

#include <cmath>

#include "percuss/geometry/measure.h"

namespace percuss::geometry {

/// The numbers of a MeasureValue that are not always zero: gradients are -+(e_x, e_y) and the two turns.
struct FlatValue {
  double value, rate, bias;
  double e_x, e_y, angular_a, angular_b;
  double end_x, end_y;              // of end_b
  double direction_x, direction_y;  // of direction_rate
};

inline bool is_flat(Measure::Kind kind) {
  return kind == Measure::Kind::distance || kind == Measure::Kind::along || kind == Measure::Kind::world_axis ||
         kind == Measure::Kind::planar_angle;
}

/// A vector of the plane.
struct Flat {
  double x, y;
};
inline Flat turned(const Mat3& R, const Vec3& v) {
  return {R.row[0].x * v.x + R.row[0].y * v.y, R.row[1].x * v.x + R.row[1].y * v.y};
}
inline double dot(const Flat& p, const Flat& q) { return p.x * q.x + p.y * q.y; }
inline double across(const Flat& p, const Flat& q) { return p.x * q.y - p.y * q.x; }

/// From the point of A to that of B: D, its rate V, and what of its acceleration needs no unknown. Measures between
/// the same points share it. The product of a turn w about z with r is w (-r.y, r.x), twice taken -w^2 r.
struct FlatSpan {
  Flat r_a, r_b, D, V, pull;
};
inline FlatSpan flat_span(const Measure& m, const BodyMotion& a, const BodyMotion& b) {
  FlatSpan s;
  s.r_a = turned(a.R, m.point_a), s.r_b = turned(b.R, m.point_b);
  const double w_a = a.w_radps.z, w_b = b.w_radps.z;
  s.D = {(b.p_m.x - a.p_m.x) + (s.r_b.x - s.r_a.x), (b.p_m.y - a.p_m.y) + (s.r_b.y - s.r_a.y)};
  s.V = {(b.v_mps.x - a.v_mps.x) - (w_b * s.r_b.y - w_a * s.r_a.y),
         (b.v_mps.y - a.v_mps.y) + (w_b * s.r_b.x - w_a * s.r_a.x)};
  s.pull = {w_a * w_a * s.r_a.x - w_b * w_b * s.r_b.x, w_a * w_a * s.r_a.y - w_b * w_b * s.r_b.y};
  return s;
}

/// Of the kinds above; the span is not read for an angle.
inline FlatValue evaluate_flat(const Measure& m, const FlatSpan& s, const BodyMotion& a, const BodyMotion& b) {
  FlatValue out;
  out.direction_x = out.direction_y = 0;
  if (m.kind == Measure::Kind::planar_angle) {
    out.value = (b.turn_rad - a.turn_rad) - m.offset;
    out.rate = b.w_radps.z - a.w_radps.z;
    out.bias = out.e_x = out.e_y = out.end_x = out.end_y = 0;
    out.angular_a = -1, out.angular_b = 1;
    return out;
  }
  const double w_a = a.w_radps.z;
  const bool with_distance = m.kind == Measure::Kind::distance;
  Flat e{m.direction_a.x, m.direction_a.y};
  if (m.kind == Measure::Kind::along) e = turned(a.R, m.direction_a);
  double length = 0;
  if (with_distance) {
    length = std::sqrt(dot(s.D, s.D));
    e = length > 0 ? Flat{s.D.x / length, s.D.y / length} : Flat{1, 0};
  }
  out.value = with_distance ? length : dot(e, s.D);
  out.rate = dot(e, s.V);
  out.bias = dot(e, s.pull);
  out.e_x = e.x, out.e_y = e.y;
  out.angular_a = -across(s.r_a, e);
  out.angular_b = across(s.r_b, e);
  out.end_x = s.r_b.x, out.end_y = s.r_b.y;
  if (with_distance && length > 0) {
    out.bias += (dot(s.V, s.V) - out.rate * out.rate) / length;
    out.direction_x = (s.V.x - out.rate * e.x) / length, out.direction_y = (s.V.y - out.rate * e.y) / length;
  } else if (m.kind == Measure::Kind::along) {
    out.rate += w_a * across(e, s.D);
    out.bias += -w_a * w_a * dot(e, s.D) + 2 * w_a * across(e, s.V);
    out.angular_a += across(e, s.D);
    out.direction_x = -w_a * e.y, out.direction_y = w_a * e.x;
  }
  out.value -= m.offset;
  return out;
}

/// What prescribed accelerations of the bodies add to the bias.
inline double prescribed_bias(const FlatValue& v, const BodyMotion& a, const BodyMotion& b) {
  return -v.e_x * a.a_mps2.x + -v.e_y * a.a_mps2.y + v.angular_a * a.alpha_radps2.z + v.e_x * b.a_mps2.x +
         v.e_y * b.a_mps2.y + v.angular_b * b.alpha_radps2.z;
}

}  // namespace percuss::geometry
