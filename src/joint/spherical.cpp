// Spherical joint: the points coincide.
#include "percuss/joint/blocks.h"

namespace percuss::joint {

void build_spherical(const Geometry& g, Parts& parts) { add_coincident(g, parts); }

}  // namespace percuss::joint
