// Qhull gives the facets; their orientation is ours to see to.
#include "percuss/io/hull.h"

#include <libqhull_r/qhull_ra.h>

#include <cstdio>

#include "percuss/base/index.h"

namespace percuss::io {

Result<Mesh> triangulated_hull(const std::vector<Vec3>& points) {
  if (points.size() < 4) return Diagnostic{{}, "a polyhedron has at least 4 points"};
  std::vector<coordT> flat;
  for (const Vec3& p : points) flat.insert(flat.end(), {p.x, p.y, p.z});
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  if (!nowhere) return Diagnostic{{}, "the hull of the points cannot be computed"};
  qhT state;
  qhT* qh = &state;
  qh_zero(qh, nowhere);
  char options[] = "qhull Qt";
  Mesh mesh;
  mesh.vertices = points;
  const bool good =
      qh_new_qhull(qh, 3, static_cast<int>(points.size()), flat.data(), False, options, nowhere, nowhere) == 0;
  if (good) {
    Vec3 middle;
    for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
    facetT* facet = nullptr;
    for (facet = qh->facet_list; facet && facet->next; facet = facet->next) {
      std::array<int, 3> t{};
      std::size_t count = 0;
      for (int k = 0; k < 3 && facet->vertices->e[k].p; ++k, ++count)
        t[at(k)] = qh_pointid(qh, static_cast<vertexT*>(facet->vertices->e[k].p)->point);
      if (count < 3) continue;
      const Vec3 a = points[at(t[0])], n = cross(points[at(t[1])] - a, points[at(t[2])] - a);
      if (dot(n, {facet->normal[0], facet->normal[1], facet->normal[2]}) < 0) std::swap(t[1], t[2]);
      mesh.triangles.push_back(t);
    }
  }
  qh_freeqhull(qh, !qh_ALL);
  int current = 0, total = 0;
  qh_memfreeshort(qh, &current, &total);
  std::fclose(nowhere);
  if (!good) return Diagnostic{{}, "the points have no volume: they lie in a plane, or coincide"};
  return mesh;
}

Result<Convex> hull_of(const std::vector<Vec3>& points) {
  const Result<Mesh> hull = triangulated_hull(points);
  if (!hull) return hull.errors();
  return geometry::convex_of(*hull);
}

}  // namespace percuss::io
