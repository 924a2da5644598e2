// One function per method, for the table.
#pragma once

#include "percuss/ode/integrator.h"

namespace percuss::ode {

std::unique_ptr<Integrator> make_dop853(System&, const Weights&, const Settings&);
std::unique_ptr<Integrator> make_dopri5(System&, const Weights&, const Settings&);
std::unique_ptr<Integrator> make_verlet(System&, const Weights&, const Settings&);
std::unique_ptr<Integrator> make_radau5(System&, const Weights&, const Settings&);

}  // namespace percuss::ode
