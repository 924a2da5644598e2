// Contact points of two convex bodies: corners of one over faces of the other, and edges that cross.
//
// Each point by itself has two functions of the places of the bodies, both continuous: its gap, whose gradient is
// the direction of the force, and its margin. It exists where the margin is above 0. A point is therefore born or
// ends where one of two continuous functions changes sign, which is located on the path of the bodies like any
// other event; no search over all features decides it.
//
//   corner v over a face F   gap     height of v over the plane of F
//                            margin  least of: distances of v inside the sides of F; inclination of the edges at v
//                                    off the plane of F, that they do not lead into the body by more than kTilt
//   edges e, g that cross    gap     distance of their lines along n, perpendicular to both, outwards from A
//                            margin  least of: distances by which the ends of each lie on the two sides of the
//                            other;
//                                    n within the normals of the faces at e, and -n of those at g, to kTilt; sine
//                                    of the angle between e and g
//
// Exactly aligned bodies have corners over sides and over corners. There body A counts as larger by kSlack: a
// corner of B over a side is over the face, a corner of A over a side is not, and edges of B cross sides of A that
// stand out by that much. Together the points are then always the corners of one common polygon, none twice and
// none missing.
//
// Weakness: edges that are parallel to 0.06 degrees do not count as crossing.
#pragma once

#include <vector>

#include "percuss/geometry/pairs.h"

namespace percuss::geometry {

struct ConvexPoint {
  enum class Kind { corner_of_a, corner_of_b, edges };
  Kind kind = Kind::corner_of_a;
  int of_a = 0, of_b = 0;  // corner and face, or face and corner, or two edges
  bool operator==(const ConvexPoint&) const = default;
};

/// The number of a point among all of its pair, and back.
int number_of(const Convex& a, const Convex& b, const ConvexPoint& point);
ConvexPoint point_of(const Convex& a, const Convex& b, int number);

/// Points that the features of this one touch: where its corner goes, or its edges go on, when it ends.
void add_neighbours(const Convex& a, const Convex& b, const ConvexPoint& point, std::vector<ConvexPoint>& out);

/// Two bodies at one instant.
class ConvexPair {
 public:
  ConvexPair(const Surface& a, const Surface& b, const BodyMotion& of_a, const BodyMotion& of_b);

  /// All in the axes of A.
  struct Now {
    double gap_m = 0, margin_m = 0;
    Vec3 normal;           // outwards from A
    bool swapped = false;  // of edges: the normal is against e x g
  };
  Now look(const ConvexPoint& point) const;
  double gap_m(const ConvexPoint& point) const { return look(point).gap_m; }
  /// Where the point is, in the axes of A.
  Vec3 place(const ConvexPoint& point) const;
  Feature feature(const ConvexPoint& point) const;

  /// How far apart the bodies are along a unit vector of A's axes; below 0: by how much they overlap along it.
  double apart_m(const Vec3& direction) const;
  /// Turns the direction until the bodies overlap along it by no more than a hundredth of the smaller, if there is
  /// such a one nearby; if they are apart, until it shows at least `enough_m` of that, or nearly all. The result.
  double improve(Vec3& direction, double enough_m) const;

  /// All points whose gap is below `near_m`, and whose margin is above minus that; points farther than `near_m`
  /// from the slab of overlap along the direction are not looked at.
  void near_points(const Vec3& direction, double near_m, std::vector<ConvexPoint>& out) const;

  double size_m() const { return size_m_; }  // of the smaller

 private:
  Vec3 seen(const Vec3& of_b) const { return t_ + Q_ * of_b; }
  Now corner_over_face(const Convex& of_corner, int corner, const Convex& of_face, int face,
                       bool corner_is_of_b) const;
  /// An edge in the axes of A, its direction, and the sum of the normals at it with its length.
  struct Line {
    Vec3 from, to, along, out;
    double out_length = 0;
  };
  Line line_of_a(int edge) const;
  Line line_of_b(int edge) const;
  Now crossing(const Line& of_a, const Line& of_b) const;

  const Surface &a_, &b_;
  const Convex &ca_, &cb_;
  Mat3 Q_;  // axes of B to axes of A
  Vec3 t_;
  double size_m_ = 0, slack_m_ = 0;
};

}  // namespace percuss::geometry
