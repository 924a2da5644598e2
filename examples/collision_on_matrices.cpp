// A collision at two points on bare matrices: three balls in a line, the first one flying into the others.
#include <cmath>
#include <cstdio>

#include "percuss/collision/system.h"

int main() {
  using namespace percuss::collision;
  System s;
  s.mass = Eigen::Vector3d(1, 1, 1).asDiagonal();
  s.normals = Eigen::MatrixXd(2, 3);
  s.normals << -1, 1, 0,  // the gap between the first and the second ball grows with v2 - v1
      0, -1, 1;
  s.velocity = Eigen::Vector3d(1, 0, 0);
  s.points = {{1e8, friction_of_restitution(0.9), 0}, {1e8, friction_of_restitution(0.9), 0}};

  const percuss::Result<Solved> out = collide(s);
  if (!out) {
    for (const percuss::Diagnostic& d : out.errors()) std::puts(percuss::one_line(d).c_str());
    return 2;
  }
  for (const Phase& phase : out->outcome.phases) {
    std::printf("%8.2f us to %8.2f us:", 1e6 * phase.start_s, 1e6 * phase.end_s);
    for (const Sense sense : phase.sense) std::printf("  %s", std::string(name_of(sense)).c_str());
    std::puts("");
  }
  std::printf("after: %.6f %.6f %.6f m/s, lost %.6f J\n", out->velocity[0], out->velocity[1], out->velocity[2],
              out->outcome.lost_J.sum());
  return std::abs(out->velocity.sum() - 1) < 1e-14 ? 0 : 1;
}
