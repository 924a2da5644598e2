// Rod: the distance of two points, given or as it is at the start.
#include "percuss/joint/blocks.h"

namespace percuss::joint {

void build_distance(const Geometry& g, Parts& parts) {
  const Measure m = measure_of(g, Measure::Kind::distance);
  parts.constraints.push_back({{{1.0, m}}, g.length_m < 0, g.length_m});
  parts.coordinates.push_back({"length", m, dimension::length});
}

}  // namespace percuss::joint
