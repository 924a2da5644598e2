// One row per integrator.
#include "percuss/ode/makers.h"

namespace percuss::ode {

namespace {

constexpr IntegratorRow kRows[] = {
    {.key = "dop853",
     .title = "explicit Runge-Kutta 8(5,3) of Dormand and Prince",
     .source = "Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), II.5 and II.10",
     .order = 8,
     .dense_order = 7,
     .weakness = "a stiff contact or spring sets its step",
     .make = make_dop853},
    {.key = "dopri5",
     .title = "explicit Runge-Kutta 5(4) of Dormand and Prince",
     .source = "J. Comput. Appl. Math. 6 (1980) 19; dense output of Shampine, Math. Comp. 46 (1986) 135",
     .order = 5,
     .dense_order = 4,
     .weakness = "many more steps than dop853 at tight tolerances",
     .make = make_dopri5},
    {.key = "verlet",
     .title = "velocity Verlet, fixed step, cubic interpolant",
     .source = "Swope et al., J. Chem. Phys. 76 (1982) 637",
     .order = 2,
     .dense_order = 2,
     .fixed_step = true,
     .weakness = "no error control: the step must be given, and its accuracy is the user's business",
     .make = make_verlet},
    {.key = "radau5",
     .title = "implicit Runge-Kutta of Radau IIA, three stages",
     .source = "Hairer, Wanner, Solving Ordinary Differential Equations II (1996), IV.8",
     .order = 5,
     .dense_order = 3,
     .stiff = true,
     .weakness = "needs a Jacobian, by differences, and has a low order at tight tolerances",
     .make = make_radau5},
};

}  // namespace

std::span<const IntegratorRow> integrator_rows() { return kRows; }

const IntegratorRow* find_integrator(std::string_view key) {
  for (const IntegratorRow& row : kRows)
    if (row.key == key) return &row;
  return nullptr;
}

}  // namespace percuss::ode
