// Screw: a cylindrical joint whose translation is pitch/(2 pi) times its rotation, from where it is at the start.
#include <numbers>

#include "percuss/joint/blocks.h"

namespace percuss::joint {

void build_screw(const Geometry& g, Parts& parts) {
  build_cylindrical(g, parts);
  const Measure position = parts.coordinates[0].measure, angle = parts.coordinates[1].measure;
  parts.constraints.push_back({{{1.0, position}, {-g.pitch_m / (2 * std::numbers::pi), angle}}, true});
}

}  // namespace percuss::joint
