// Collisions with friction along the surfaces.
//
// Beside its normal spring a point has a tangential spring k_t without mass, whose end the other surface holds with
// |T| <= mu_s F. Sticking, the spring deflects with the surfaces: T = k_t s, s' = y', y the displacement against
// which T acts. Slipping, it follows the limit: s = rho d with rho = mu_s F/k_t and the unit vector d, and the end
// slips at y' - s' = lambda d, lambda >= 0. In the plane d is a sign, and each phase is a linear system x'' = -A x,
// unsymmetric where a point slips. In space d turns, rho d' = y' - d (d.y'), and the phase is not linear.
//
// Both are solved by power series, step by step; events are zeros of the series. Derivation:
// docs/theory/collisions.md.
#pragma once

#include "percuss/collision/collide.h"

namespace percuss::collision {

/// Of a collision whose numbers are about 1 and in which friction acts: `collide` takes care of both.
Outcome collide_with_friction(const Collision& collision);

}  // namespace percuss::collision
