// Vectors, rotations and unit quaternions of space; plain values.
#pragma once

#include <array>
#include <cmath>

namespace percuss {

struct Vec3 {
  double x = 0, y = 0, z = 0;
  constexpr bool operator==(const Vec3&) const = default;
  constexpr Vec3& operator+=(const Vec3& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  constexpr Vec3& operator-=(const Vec3& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
  constexpr double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};
constexpr Vec3 operator+(Vec3 a, const Vec3& b) { return a += b; }
constexpr Vec3 operator-(Vec3 a, const Vec3& b) { return a -= b; }
constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
constexpr Vec3 operator*(const Vec3& a, double s) { return s * a; }
constexpr Vec3 operator/(const Vec3& a, double s) { return {a.x / s, a.y / s, a.z / s}; }
constexpr double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 unit(const Vec3& a) { return a / norm(a); }

inline constexpr Vec3 kAxisX{1, 0, 0}, kAxisY{0, 1, 0}, kAxisZ{0, 0, 1};

/// Some unit vector perpendicular to the unit vector a: the axis least along it, made perpendicular.
inline Vec3 perpendicular_to(const Vec3& a) {
  const double x = std::abs(a.x), y = std::abs(a.y), z = std::abs(a.z);
  const Vec3 away = x <= y && x <= z ? kAxisX : y <= z ? kAxisY : kAxisZ;
  return unit(away - dot(away, a) * a);
}

/// Three rows.
struct Mat3 {
  std::array<Vec3, 3> row{kAxisX, kAxisY, kAxisZ};
  constexpr bool operator==(const Mat3&) const = default;
};
constexpr Vec3 operator*(const Mat3& m, const Vec3& v) {
  return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)};
}
/// Transpose times vector.
constexpr Vec3 transposed_times(const Mat3& m, const Vec3& v) {
  return v.x * m.row[0] + v.y * m.row[1] + v.z * m.row[2];
}
constexpr Mat3 transposed(const Mat3& m) {
  return {{{{m.row[0].x, m.row[1].x, m.row[2].x},
            {m.row[0].y, m.row[1].y, m.row[2].y},
            {m.row[0].z, m.row[1].z, m.row[2].z}}}};
}
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {{transposed_times(b, a.row[0]), transposed_times(b, a.row[1]), transposed_times(b, a.row[2])}};
}
constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
  return {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
}
constexpr Mat3 operator*(double s, const Mat3& a) { return {{s * a.row[0], s * a.row[1], s * a.row[2]}}; }
constexpr Mat3 diagonal(double x, double y, double z) { return {{{{x, 0, 0}, {0, y, 0}, {0, 0, z}}}}; }
constexpr double determinant(const Mat3& m) { return dot(m.row[0], cross(m.row[1], m.row[2])); }
constexpr Mat3 inverse(const Mat3& m) {
  const double per = 1 / determinant(m);
  return transposed(
      Mat3{{per * cross(m.row[1], m.row[2]), per * cross(m.row[2], m.row[0]), per * cross(m.row[0], m.row[1])}});
}

/// A unit quaternion, scalar first: the rotation that takes body axes to world axes.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;
  constexpr bool operator==(const Quat&) const = default;
};
constexpr Quat operator*(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quat unit(const Quat& q) {
  const double per = 1 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w * per, q.x * per, q.y * per, q.z * per};
}
inline Quat rotation_about(const Vec3& axis, double angle_rad) {
  const double s = std::sin(angle_rad / 2);
  return {std::cos(angle_rad / 2), s * axis.x, s * axis.y, s * axis.z};
}
constexpr Mat3 matrix_of(const Quat& q) {
  const double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  const double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  return {
      {{{1 - (yy + zz), xy - wz, xz + wy}, {xy + wz, 1 - (xx + zz), yz - wx}, {xz - wy, yz + wx, 1 - (xx + yy)}}}};
}
/// The quaternion of a rotation matrix (Shepperd: the largest of the four is found first).
inline Quat quat_of(const Mat3& m) {
  const double a = m.row[0].x, b = m.row[1].y, c = m.row[2].z, trace = a + b + c;
  Quat q;
  if (trace >= a && trace >= b && trace >= c) {
    q = {1 + trace, m.row[2].y - m.row[1].z, m.row[0].z - m.row[2].x, m.row[1].x - m.row[0].y};
  } else if (a >= b && a >= c) {
    q = {m.row[2].y - m.row[1].z, 1 + 2 * a - trace, m.row[0].y + m.row[1].x, m.row[0].z + m.row[2].x};
  } else if (b >= c) {
    q = {m.row[0].z - m.row[2].x, m.row[0].y + m.row[1].x, 1 + 2 * b - trace, m.row[1].z + m.row[2].y};
  } else {
    q = {m.row[1].x - m.row[0].y, m.row[0].z + m.row[2].x, m.row[1].z + m.row[2].y, 1 + 2 * c - trace};
  }
  return unit(q);
}
/// q' of a body that turns at w, written in body axes: q (0, w)/2.
constexpr Quat slope_of(const Quat& q, const Vec3& w) {
  const Quat twice = q * Quat{0, w.x, w.y, w.z};
  return {twice.w / 2, twice.x / 2, twice.y / 2, twice.z / 2};
}

}  // namespace percuss
