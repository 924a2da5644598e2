// Laws that a change of variables makes a linear oscillator: F = K x^n + chi x^((n-1)/2) x'.
#pragma once

#include "percuss/impact/impact.h"

namespace percuss::impact {

/// s = sqrt(2/(n+1)) x^((n+1)/2) and d(tau) = w s'(x) dt, w^2 = K/m, turn the collision into s'' + 2 z s' + s = 0
/// from s = 0, ds/dtau = v0/w, with z = chi/sqrt(2(n+1) K m); the speed x' is w ds/dtau.  n = 1: the dashpot
/// itself; n = 3/2: Tsuji, and Jankowski, who leaves out the damping on the way back.
Outcome collide_as_oscillator(const Collision& collision, const contact::Power<>& power,
                              const contact::Added<>& damping, Times times);

}  // namespace percuss::impact
