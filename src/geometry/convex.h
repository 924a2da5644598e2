// Convex polyhedra and, in a plane, polygons: vertices, faces, edges, and the nearest feature to a point.
#pragma once

#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/base/vector.h"

namespace percuss::geometry {

/// Faces of a polygon are its sides, with two vertices each; it has no edges.
struct Convex {
  struct Face {
    Vec3 normal;            // outwards
    double offset_m = 0;    // normal . x of its points
    std::vector<int> loop;  // vertices, counter-clockwise seen from outside
  };
  struct Edge {
    int from = 0, to = 0;
    int left = 0, right = 0;  // faces; left has from -> to in its loop
  };
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Edge> edges;
  bool planar = false;
  // who is next to whom, see connect
  std::vector<std::vector<int>> neighbours;  // [vertex] vertices at the other ends of its edges (sides)
  std::vector<std::vector<int>> edges_at;    // [vertex]
  std::vector<std::vector<int>> faces_at;    // [vertex]
  std::vector<std::vector<int>> edges_of;    // [face]

  const Vec3& vertex(int i) const { return vertices[static_cast<std::size_t>(i)]; }
};

/// Triangles, three indices each.
struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
};

/// Fills in who is next to whom, from vertices, faces and edges.
void connect(Convex& convex);

Convex make_box(const Vec3& size_m, bool planar);

/// The hull of points in a plane, of their x and y. The error says what is wrong with them. (That of points in
/// space is in io.)
Result<Convex> polygon_of(const std::vector<Vec3>& points);

/// A closed mesh whose faces look outwards and that is convex, or what it lacks. Triangles in one plane, to `flat`
/// of the size, become one face; files have six or seven digits.
Result<Convex> convex_of(const Mesh& mesh, double flat = 1e-9);

/// Volume, centre, and second moments about the centre (inertia of density 1); a polygon has a thickness of 1 m.
struct Solid {
  double volume_m3 = 0;
  Vec3 centre;
  Mat3 inertia = diagonal(0, 0, 0);
};
Solid solid_of(const Convex& convex);

/// The feature of the surface nearest to a point, with the distance; inside, the nearest face and minus its depth.
struct Nearest {
  enum class Feature { face, edge, vertex } feature = Feature::face;
  int index = 0;
  double distance_m = 0;
};
Nearest nearest_feature(const Convex& convex, const Vec3& x);

/// Is the foot of x on the face's plane inside of the face, or outside by no more than `slack_m`?
bool is_over(const Convex& convex, const Convex::Face& face, const Vec3& x, double slack_m);

}  // namespace percuss::geometry
