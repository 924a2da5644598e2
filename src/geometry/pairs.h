// The pair table: which two shapes can touch, at which spots, and the gap at each as a measure.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "percuss/geometry/measure.h"
#include "percuss/geometry/surface.h"

namespace percuss::geometry {

/// gap = sign * measure + offset; positive: apart. The gradient of the gap is the direction in which a contact
/// force pushes. The surface of B lies `back_m` behind the end of the measure on B.
struct Feature {
  Measure measure;
  double sign = 1, offset_m = 0;
  double back_m = 0;
};

/// A place where the two can touch. The number stays with the spot as long as it exists: memory belongs to it.
struct Spot {
  int number = 0;
  Feature feature;
};

/// Radii of the surfaces at the contact, concave ones negative, infinity for a plane, 0 where a corner has none.
struct Radii {
  double first_m = 0, second_m = 0;
};

/// Of a spot: always the same; found anew at every place (a ball that rolls over an edge); or kept from touch until
/// the spot is no more (a corner that slides off a face).
enum class Features { fixed, followed, kept };

struct PairRow {
  Surface::Kind first, second;
  std::string_view meaning;
  Features features = Features::fixed;
  bool is_line = false;  // can take a line-contact law; each spot carries `share` of the length
  double share = 1;
  /// The spots whose gap may be below `near_m`; more may be given.
  void (*spots)(const Surface& first, const Surface& second, const BodyMotion&, const BodyMotion&, double near_m,
                std::vector<Spot>& out) = nullptr;
  Radii (*radii)(const Surface& first, const Surface& second) = nullptr;
  bool shares_stiffness = false;  // the spots are the ends of one bearing: each carries `share` of a point law too
};
std::span<const PairRow> pair_rows();

/// The row for two kinds in either order. `swapped`: the second comes first.
struct PairFound {
  const PairRow* row = nullptr;
  bool swapped = false;
};
PairFound find_pair(Surface::Kind a, Surface::Kind b);

/// The gap at a spot, with rate, bias and gradients of the gap itself.
MeasureValue gap_at(const Feature& feature, const BodyMotion& a, const BodyMotion& b, bool planar = false);

/// The least gap over all spots, and its spot; nothing if no spot is near.
struct Closest {
  double gap_m = 0;
  Spot spot;
};
std::optional<Closest> closest_spot(const PairRow& row, const Surface& first, const Surface& second,
                                    const BodyMotion& motion_1, const BodyMotion& motion_2, double near_m);

/// The distance of two convex bodies: below 0 the least depth by which a translation parts them. Exact over all
/// features (not only those where contact begins); the work grows with the product of their sizes.
double convex_distance_m(const Surface& a, const Surface& b, const BodyMotion& motion_a,
                         const BodyMotion& motion_b);

// one file each
using Spots = std::vector<Spot>;
void sphere_spots(const Surface& sphere, const Surface& other, const BodyMotion&, const BodyMotion&, double near_m,
                  Spots& out);
void capsule_plane_spots(const Surface&, const Surface&, const BodyMotion&, const BodyMotion&, double, Spots&);
void capsule_capsule_spots(const Surface&, const Surface&, const BodyMotion&, const BodyMotion&, double, Spots&);
void cylinder_plane_spots(const Surface&, const Surface&, const BodyMotion&, const BodyMotion&, double, Spots&);
void cylinder_hole_spots(const Surface&, const Surface&, const BodyMotion&, const BodyMotion&, double, Spots&);
void convex_plane_spots(const Surface&, const Surface&, const BodyMotion&, const BodyMotion&, double, Spots&);
void convex_convex_spots(const Surface&, const Surface&, const BodyMotion&, const BodyMotion&, double, Spots&);

// ---- building blocks of features: A is the body of the first argument
/// The point `q` of a body above the plane through `point` with the outer `normal`.
Feature over_plane(int plane_body, const Vec3& point, const Vec3& normal, int body, const Vec3& q, double radius_m);
Feature point_to_point(int body_a, const Vec3& p, double radius_a_m, int body_b, const Vec3& q, double radius_b_m);
Feature point_to_line(int line_body, const Vec3& p, const Vec3& along, double line_radius_m, int body,
                      const Vec3& q, double radius_m);
/// The two sides of a slot, or the one of a plane.
void add_over_sides(const Surface& plane_or_slot, int body, const Vec3& q, double radius_m, int& number,
                    Spots& out);

/// A point of one body in the axes of another.
inline Vec3 seen_from(const BodyMotion& viewer, const BodyMotion& owner, const Vec3& point) {
  return transposed_times(viewer.R, (owner.p_m - viewer.p_m) + owner.R * point);
}

}  // namespace percuss::geometry
