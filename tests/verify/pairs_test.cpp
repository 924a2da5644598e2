// The pair table against independent searches for the closest points, and rates and biases against differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "percuss/geometry/pairs.h"
#include "percuss/io/hull.h"

namespace percuss {
namespace {

using geometry::BodyMotion;
using geometry::Convex;
using geometry::Spot;
using geometry::Surface;
using Kind = Surface::Kind;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double low, double high) {  // the same numbers with every library
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967295.0);
  }
  Vec3 vector(double size) { return {in(-size, size), in(-size, size), in(-size, size)}; }
  Vec3 direction() {
    for (;;)
      if (const Vec3 v = vector(1); norm(v) > 0.1 && norm(v) < 1) return unit(v);
  }
  BodyMotion motion(double size) {
    BodyMotion m;
    m.p_m = vector(size);
    m.R = matrix_of(rotation_about(direction(), in(-3, 3)));
    m.v_mps = vector(1);
    m.w_radps = vector(2);
    return m;
  }

 private:
  std::mt19937 engine_;
};

/// Bodies that move on without acceleration.
BodyMotion later(BodyMotion m, double t) {
  m.p_m += t * m.v_mps;
  if (const double w = norm(m.w_radps); w > 0) m.R = matrix_of(rotation_about(m.w_radps / w, w * t)) * m.R;
  return m;
}

std::shared_ptr<const Convex> random_polyhedron(Random& random) {
  std::vector<Vec3> points;
  for (int i = 0; i < 14; ++i) points.push_back(random.vector(0.4));
  return std::make_shared<const Convex>(*io::hull_of(points));
}

Surface make(Kind kind, int body, Random& random, bool polyhedron) {
  Surface s;
  s.kind = kind;
  s.body = body;
  s.centre = random.vector(0.2);
  s.axis = random.direction();
  s.radius_m = random.in(0.1, 0.3);
  s.length_m = random.in(0.2, 0.8);
  s.width_m = random.in(1.0, 2.0);
  if (kind == Kind::hole || kind == Kind::socket) s.radius_m = random.in(0.5, 0.9);
  if (kind == Kind::hole) s.length_m = 0;
  if (kind == Kind::convex) {
    s.convex = polyhedron
                   ? random_polyhedron(random)
                   : std::make_shared<const Convex>(geometry::moved(
                         geometry::make_box({random.in(0.2, 0.8), random.in(0.2, 0.8), random.in(0.2, 0.8)}, false),
                         matrix_of(rotation_about(random.direction(), random.in(-3, 3))), s.centre));
  }
  return s;
}

// ---- independent searches

/// The least value of a function with one minimum on [low, high].
double least(const std::function<double(double)>& f, double low, double high) {
  constexpr double g = 0.6180339887498949;
  for (int i = 0; i < 90; ++i) {
    const double a = high - g * (high - low), b = low + g * (high - low);
    (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
  }
  return f((low + high) / 2);
}
/// Over a whole turn, where there may be several.
double least_over_turn(const std::function<double(double)>& f) {
  constexpr int kPlaces = 360;
  const double step = 2 * M_PI / kPlaces;
  double best = 1e300;
  for (int i = 0; i < kPlaces; ++i)
    if (f(i * step) <= f((i - 1) * step) && f(i * step) <= f((i + 1) * step))
      best = std::min(best, least(f, (i - 1) * step, (i + 1) * step));
  return best;
}

/// The nearest point of a convex body by trying the planes of every one, two and three faces (Gram and Schmidt).
double distance_to_convex(const Convex& c, const Vec3& x) {
  const auto outside = [&](const Vec3& p) {
    double most = -1e300;
    for (const auto& f : c.faces) most = std::max(most, dot(f.normal, p) - f.offset_m);
    return most;
  };
  if (outside(x) <= 0) return outside(x);
  double best = 1e300;
  const std::size_t n = c.faces.size();
  const auto offer = [&](const Vec3& p) {
    if (outside(p) < 1e-11) best = std::min(best, norm(p - x));
  };
  for (std::size_t i = 0; i < n; ++i) {
    const auto& f = c.faces[i];
    offer(x - (dot(f.normal, x) - f.offset_m) * f.normal);
    for (std::size_t j = 0; j < i; ++j) {
      const auto& g = c.faces[j];
      const double cosine = dot(f.normal, g.normal), det = 1 - cosine * cosine;
      if (det < 1e-9) continue;
      const double a = dot(f.normal, x) - f.offset_m, b = dot(g.normal, x) - g.offset_m;
      offer(x - ((a - cosine * b) / det) * f.normal - ((b - cosine * a) / det) * g.normal);
    }
  }
  for (const Vec3& v : c.vertices) offer(v);
  return best;
}

/// The point of least norm of a hull of points (Wolfe 1976).
double least_norm(const std::vector<Vec3>& points) {
  std::vector<Vec3> s{points[0]};
  Vec3 x = points[0];
  for (int round = 0; round < 1000; ++round) {
    const Vec3 far = *std::ranges::min_element(points, {}, [&](const Vec3& p) { return dot(p, x); });
    if (dot(far, x) > dot(x, x) - 1e-15) break;
    s.push_back(far);
    // the nearest point of the simplex by trying all its faces
    double best = 1e300;
    std::vector<Vec3> kept;
    Vec3 nearest;
    for (unsigned mask = 1; mask < 1U << s.size(); ++mask) {
      std::vector<Vec3> face;
      for (std::size_t k = 0; k < s.size(); ++k)
        if (mask >> k & 1) face.push_back(s[k]);
      const std::size_t m = face.size() - 1;
      // minimise |face_0 + sum t_k e_k|: normal equations by elimination
      double a[3][4] = {};
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j) a[i][j] = dot(face[i + 1] - face[0], face[j + 1] - face[0]);
        a[i][3] = -dot(face[i + 1] - face[0], face[0]);
      }
      if (m > 3) continue;
      bool good = true;
      for (std::size_t i = 0; i < m && good; ++i) {
        if (std::abs(a[i][i]) < 1e-14) good = false;
        for (std::size_t r = 0; r < m && good; ++r) {
          if (r == i) continue;
          const double q = a[r][i] / a[i][i];
          for (std::size_t k = 0; k < 4; ++k) a[r][k] -= q * a[i][k];
        }
      }
      if (!good) continue;
      Vec3 p = face[0];
      double sum = 0;
      for (std::size_t i = 0; i < m; ++i) {
        const double t = a[i][3] / a[i][i];
        if (t < -1e-12) good = false;
        sum += t;
        p += t * (face[i + 1] - face[0]);
      }
      if (!good || sum > 1 + 1e-12) continue;
      if (norm(p) < best) best = norm(p), nearest = p, kept = face;
    }
    s = kept;
    x = nearest;
  }
  return norm(x);
}

double convex_convex(const Surface& a, const Surface& b, const BodyMotion& m_a, const BodyMotion& m_b) {
  std::vector<Vec3> difference;
  for (const Vec3& p : a.convex->vertices)
    for (const Vec3& q : b.convex->vertices) difference.push_back(m_b.p_m + m_b.R * q - m_a.p_m - m_a.R * p);
  const geometry::Mesh hull = *io::triangulated_hull(difference);
  double inside = 1e300;  // the nearest face of the difference body
  for (const auto& t : hull.triangles) {
    const Vec3 p = hull.vertices[static_cast<std::size_t>(t[0])], q = hull.vertices[static_cast<std::size_t>(t[1])],
               r = hull.vertices[static_cast<std::size_t>(t[2])];
    if (const Vec3 n = cross(q - p, r - p); norm(n) > 1e-10) inside = std::min(inside, dot(unit(n), p));
  }
  return inside > 0 ? -inside : least_norm(difference);
}

double searched(const Surface& a, const Surface& b, const BodyMotion& m_a, const BodyMotion& m_b) {
  const auto at_a = [&](const Vec3& p) { return m_a.p_m + m_a.R * p; };
  const auto at_b = [&](const Vec3& p) { return m_b.p_m + m_b.R * p; };
  const Vec3 axis_a = m_a.R * a.axis, axis_b = m_b.R * b.axis, c_a = at_a(a.centre), c_b = at_b(b.centre);
  // the least height of A over a plane, from its points
  const auto height = [&](const Vec3& point, const Vec3& normal) {
    const auto over = [&](const Vec3& p) { return dot(normal, p - point); };
    switch (a.kind) {
      case Kind::sphere: return over(c_a - a.radius_m * normal);
      case Kind::capsule:
        return least([&](double s) { return over(c_a + s * axis_a); }, -a.length_m / 2, a.length_m / 2) -
               a.radius_m;
      case Kind::cylinder: {
        const Vec3 x = perpendicular_to(axis_a), y = cross(axis_a, x);
        double best = 1e300;
        for (const double end : {-0.5, 0.5})
          best = std::min(
              best, least_over_turn([&](double t) {
                return over(c_a + end * a.length_m * axis_a + a.radius_m * (std::cos(t) * x + std::sin(t) * y));
              }));
        return best;
      }
      default: {
        double best = 1e300;
        for (const Vec3& v : a.convex->vertices) best = std::min(best, over(at_a(v)));
        return best;
      }
    }
  };
  if (b.kind == Kind::plane) return height(c_b, axis_b);
  if (b.kind == Kind::slot)
    return std::min(height(c_b - (b.width_m / 2) * axis_b, axis_b),
                    height(c_b + (b.width_m / 2) * axis_b, -axis_b));
  if (a.kind == Kind::convex) return convex_convex(a, b, m_a, m_b);
  if (a.kind == Kind::capsule) {
    const auto outer = [&](double s) {
      return least([&](double t) { return norm(c_a + s * axis_a - c_b - t * axis_b); }, -b.length_m / 2,
                   b.length_m / 2);
    };
    return least(outer, -a.length_m / 2, a.length_m / 2) - a.radius_m - b.radius_m;
  }
  const auto off_axis = [&](const Vec3& p) { return norm(cross(axis_b, p - c_b)); };
  if (a.kind == Kind::cylinder) {
    const Vec3 x = perpendicular_to(axis_a), y = cross(axis_a, x);
    double far = 0;
    for (const double end : {-0.5, 0.5})
      far = std::max(
          far, -least_over_turn([&](double t) {
            return -off_axis(c_a + end * a.length_m * axis_a + a.radius_m * (std::cos(t) * x + std::sin(t) * y));
          }));
    return b.radius_m - far;
  }
  const Vec3 x = transposed_times(m_b.R, c_a - m_b.p_m);  // a ball
  switch (b.kind) {
    case Kind::sphere: return norm(c_a - c_b) - a.radius_m - b.radius_m;
    case Kind::socket: return b.radius_m - a.radius_m - norm(c_a - c_b);
    case Kind::hole: return b.radius_m - a.radius_m - off_axis(c_a);
    case Kind::capsule:
      return least([&](double t) { return norm(c_a - c_b - t * axis_b); }, -b.length_m / 2, b.length_m / 2) -
             a.radius_m - b.radius_m;
    case Kind::cylinder: {
      const double along = std::abs(dot(axis_b, c_a - c_b)) - b.length_m / 2, off = off_axis(c_a) - b.radius_m;
      const double out = along > 0 && off > 0 ? std::hypot(along, off) : std::max(along, off);
      return out - a.radius_m;
    }
    default: return distance_to_convex(*b.convex, x) - a.radius_m;
  }
}

class EveryPair : public ::testing::TestWithParam<geometry::PairRow> {};

double least_gap(const geometry::PairRow& row, const Surface& a, const Surface& b, const BodyMotion& m_a,
                 const BodyMotion& m_b) {
  const auto closest = geometry::closest_spot(row, a, b, m_a, m_b, std::numeric_limits<double>::infinity());
  return closest ? closest->gap_m : std::numeric_limits<double>::quiet_NaN();
}

TEST_P(EveryPair, DistancesAgreeWithASearchForTheClosestPoints) {
  const geometry::PairRow& row = GetParam();
  if (row.second == Kind::segment) GTEST_SKIP() << "of the plane: below";
  Random random(7);
  int compared = 0, overlapping = 0;
  for (int i = 0; i < 400; ++i) {
    const Surface a = make(row.first, 0, random, i % 2 == 0), b = make(row.second, 1, random, i % 4 < 2);
    const bool inside = row.second == Kind::hole || row.second == Kind::socket;
    const BodyMotion m_a = random.motion(inside ? 0.1 : 0.7), m_b = random.motion(inside ? 0.1 : 0.3);
    const double wanted = searched(a, b, m_a, m_b);
    if (row.first == Kind::convex && row.second == Kind::convex) {
      EXPECT_NEAR(geometry::convex_distance_m(a, b, m_a, m_b), wanted, 1e-12) << i;
      const double gap = least_gap(row, a, b, m_a, m_b);
      // spots are where contact begins: a corner over a face or two edges; below 0 the deepest is the least depth
      if (wanted > 0 && !std::isnan(gap)) {
        EXPECT_GT(gap, 0) << i;
      }
      if (wanted < 0 && wanted > -0.02) {
        EXPECT_LT(gap, 0) << i;
      }
    } else {
      EXPECT_NEAR(least_gap(row, a, b, m_a, m_b), wanted, 1e-12) << i;
    }
    ++compared;
    overlapping += wanted < 0 ? 1 : 0;
  }
  EXPECT_EQ(compared, 400);
  EXPECT_GT(overlapping, 10);
  EXPECT_LT(overlapping, 390);
}

TEST_P(EveryPair, RatesAndBiasesAreDerivativesOfTheGap) {
  const geometry::PairRow& row = GetParam();
  if (row.second == Kind::segment) GTEST_SKIP() << "of the plane: below";
  Random random(11);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    const Surface a = make(row.first, 0, random, i % 2 == 0), b = make(row.second, 1, random, i % 4 < 2);
    const bool inside = row.second == Kind::hole || row.second == Kind::socket;
    const BodyMotion m_a = random.motion(inside ? 0.1 : 0.7), m_b = random.motion(inside ? 0.1 : 0.3);
    std::vector<Spot> spots;
    row.spots(a, b, m_a, m_b, std::numeric_limits<double>::infinity(), spots);
    for (const Spot& spot : spots) {
      const bool straight = spot.feature.measure.body_a == 0;
      const auto gap = [&](double t) {
        const BodyMotion now_a = later(m_a, t), now_b = later(m_b, t);
        return geometry::gap_at(spot.feature, straight ? now_a : now_b, straight ? now_b : now_a);
      };
      const double h = 2e-4;
      const geometry::MeasureValue now = gap(0);
      const auto slope = [&](auto part) {  // of the fourth order
        return (8 * (part(gap(h)) - part(gap(-h))) - (part(gap(2 * h)) - part(gap(-2 * h)))) / (12 * h);
      };
      const double rate = slope([](const auto& g) { return g.value; });
      const double bias = slope([](const auto& g) { return g.rate; });
      // where two extremes of a rim lie close, the differences themselves are poor
      const double scale = 1 + std::abs(now.bias);
      EXPECT_NEAR(now.rate, rate, 1e-9 * scale) << i << " spot " << spot.number;
      if (std::abs(now.bias) < 100) {
        EXPECT_NEAR(now.bias, bias, 2e-7 * scale * scale) << i << " spot " << spot.number;
      }
      const Vec3 turn{slope([](const auto& g) { return g.b.linear.x; }),
                      slope([](const auto& g) { return g.b.linear.y; }),
                      slope([](const auto& g) { return g.b.linear.z; })};
      if (spot.feature.measure.kind != geometry::Measure::Kind::rim_point &&
          spot.feature.measure.kind != geometry::Measure::Kind::rim_line) {
        EXPECT_LT(norm(now.direction_rate - turn), 1e-6 * scale * scale) << i << " spot " << spot.number;
      }
      EXPECT_NEAR(norm(now.b.linear), 1, 1e-14);
      ++compared;
    }
  }
  EXPECT_GT(compared, 30);
}

std::string pair_name(const ::testing::TestParamInfo<geometry::PairRow>& p) {
  const auto word = [](Kind kind) {
    return kind == Kind::convex ? std::string("convex") : std::string(geometry::name_of(kind));
  };
  return word(p.param.first) + "_" + word(p.param.second);
}
/// The limits of a joint have no shape; elements_test.cpp has their gaps.
std::vector<geometry::PairRow> pairs_of_shapes() {
  std::vector<geometry::PairRow> out(geometry::pair_rows().begin(), geometry::pair_rows().end());
  std::erase_if(out, [](const geometry::PairRow& row) { return row.first == Kind::stop; });
  return out;
}
INSTANTIATE_TEST_SUITE_P(Table, EveryPair, ::testing::ValuesIn(pairs_of_shapes()), pair_name);

TEST(PlanarPairs, CirclesAndPolygonsOnSegmentsAndPolygons) {
  Random random(3);
  const geometry::PairRow &ball_on_segment = *geometry::find_pair(Kind::sphere, Kind::segment).row,
                          &ball_on_polygon = *geometry::find_pair(Kind::sphere, Kind::convex).row;
  for (int i = 0; i < 200; ++i) {
    const auto flat = [&](double size) {
      BodyMotion m;
      m.p_m = {random.in(-size, size), random.in(-size, size), 0};
      m.R = matrix_of(rotation_about(kAxisZ, random.in(-3, 3)));
      m.v_mps = {random.in(-1, 1), random.in(-1, 1), 0};
      m.w_radps = {0, 0, random.in(-2, 2)};
      return m;
    };
    Surface ball, segment, polygon;
    ball.radius_m = random.in(0.1, 0.3);
    ball.planar = segment.planar = polygon.planar = true;
    segment.kind = Kind::segment;
    segment.body = polygon.body = 1;
    segment.axis = kAxisX;
    segment.length_m = random.in(0.3, 1);
    segment.convex = geometry::segment_side({}, kAxisX, segment.length_m);
    polygon.kind = Kind::convex;
    std::vector<Vec3> points;
    for (int k = 0; k < 8; ++k) points.push_back({random.in(-0.4, 0.4), random.in(-0.4, 0.4), 0});
    polygon.convex = std::make_shared<const Convex>(*geometry::polygon_of(points));
    const BodyMotion m_a = flat(0.6), m_b = flat(0.2);
    const Vec3 x = transposed_times(m_b.R, m_a.p_m - m_b.p_m);
    const double to_segment = least(
        [&](double t) {
          return norm(x - Vec3{t, 0, 0});
        },
        -segment.length_m / 2, segment.length_m / 2);
    EXPECT_NEAR(least_gap(ball_on_segment, ball, segment, m_a, m_b), to_segment - ball.radius_m, 1e-12);
    EXPECT_NEAR(least_gap(ball_on_polygon, ball, polygon, m_a, m_b),
                distance_to_convex(*polygon.convex, x) - ball.radius_m, 1e-12);
  }
}

TEST(Convexes, HullsMeshesAndTheirMass) {
  const Convex box = geometry::make_box({1, 2, 3}, false);
  EXPECT_EQ(box.faces.size(), 6U);
  EXPECT_EQ(box.edges.size(), 12U);
  std::vector<Vec3> points = box.vertices;
  points.push_back({0.1, 0.2, -0.3});  // inside
  const auto hull = io::hull_of(points);
  ASSERT_TRUE(hull) << hull.errors().front().text;
  EXPECT_EQ(hull->faces.size(), 6U);
  EXPECT_EQ(hull->edges.size(), 12U);
  EXPECT_EQ(hull->vertices.size(), 8U);
  const geometry::Solid solid = geometry::solid_of(*hull);
  EXPECT_NEAR(solid.volume_m3, 6, 1e-13);
  EXPECT_NEAR(solid.inertia.row[0].x, 6 * (4 + 9) / 12.0, 1e-12);
  EXPECT_NEAR(solid.inertia.row[1].y, 6 * (1 + 9) / 12.0, 1e-12);
  EXPECT_NEAR(solid.inertia.row[0].y, 0, 1e-13);
  // a tetrahedron off its own centre
  const auto corner = io::hull_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  const geometry::Solid of_corner = geometry::solid_of(*corner);
  EXPECT_NEAR(of_corner.volume_m3, 1.0 / 6, 1e-15);
  EXPECT_NEAR(of_corner.centre.x, 0.25, 1e-15);
  EXPECT_NEAR(of_corner.inertia.row[0].x, 1.0 / 6 * (2 * (1.0 / 10 - 1.0 / 16)), 1e-15);
  EXPECT_NEAR(of_corner.inertia.row[0].y, -1.0 / 6 * (1.0 / 20 - 1.0 / 16), 1e-15);
  const geometry::Solid square =
      geometry::solid_of(*geometry::polygon_of({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}}));
  EXPECT_NEAR(square.volume_m3, 2, 1e-15);
  EXPECT_NEAR(square.inertia.row[2].z, 2 * (4 + 1) / 12.0, 1e-14);

  EXPECT_FALSE(io::hull_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}})) << "flat";
  EXPECT_FALSE(geometry::polygon_of({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}})) << "on a line";
  geometry::Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
  ASSERT_TRUE(geometry::convex_of(mesh));
  geometry::Mesh inside_out = mesh;
  for (auto& t : inside_out.triangles) std::swap(t[1], t[2]);
  EXPECT_NE(geometry::convex_of(inside_out).errors().front().text.find("inside out"), std::string::npos);
  geometry::Mesh open = mesh;
  open.triangles[3] = open.triangles[2];
  EXPECT_NE(geometry::convex_of(open).errors().front().text.find("not closed"), std::string::npos);
}

}  // namespace
}  // namespace percuss
