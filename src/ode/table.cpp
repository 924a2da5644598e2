// One row an integrator.
#include "percuss/ode/makers.h"

namespace percuss::ode {

namespace {

constexpr IntegratorRow kRows[] = {
    {"dop853", "explicit Runge-Kutta 8(5,3) of Dormand and Prince",
     "Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), II.5 and II.10", 8, 7, false,
     false, "a stiff contact or spring sets its step", make_dop853},
    {"dopri5", "explicit Runge-Kutta 5(4) of Dormand and Prince",
     "J. Comput. Appl. Math. 6 (1980) 19; dense output of Shampine, Math. Comp. 46 (1986) 135", 5, 4, false, false,
     "many more steps than dop853 at tight tolerances", make_dopri5},
    {"verlet", "velocity Verlet, fixed step, cubic interpolant", "Swope et al., J. Chem. Phys. 76 (1982) 637", 2, 2,
     true, false, "no error control: the step must be given, and its accuracy is the user's business", make_verlet},
    {"radau5", "implicit Runge-Kutta of Radau IIA, three stages",
     "Hairer, Wanner, Solving Ordinary Differential Equations II (1996), IV.8", 5, 3, false, true,
     "needs a Jacobian, by differences: costly for many bodies, and low order at tight tolerances", make_radau5},
#ifdef PERCUSS_HAS_CVODE
    {"cvode", "backward differentiation formulas of variable order, SUNDIALS",
     "Hindmarsh et al., ACM TOMS 31 (2005) 363", 5, 4, false, true,
     "a multistep method: slow to start again after each event; its order varies from 1 to 5", make_cvode},
#endif
};

}  // namespace

std::span<const IntegratorRow> integrator_rows() { return kRows; }

const IntegratorRow* find_integrator(std::string_view key) {
  for (const IntegratorRow& row : kRows)
    if (row.key == key) return &row;
  return nullptr;
}

}  // namespace percuss::ode
