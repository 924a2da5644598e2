// E*, R, K.
#include "percuss/contact/stiffness.h"

#include <cmath>

namespace percuss::contact {

double effective_modulus_Pa(double young_i_Pa, double poisson_i, double young_j_Pa, double poisson_j) {
  return 1 / ((1 - poisson_i * poisson_i) / young_i_Pa + (1 - poisson_j * poisson_j) / young_j_Pa);
}

double effective_radius_m(double radius_i_m, double radius_j_m) { return 1 / (1 / radius_i_m + 1 / radius_j_m); }

double hertz_stiffness(double modulus_Pa, double radius_m) { return 4.0 / 3 * modulus_Pa * std::sqrt(radius_m); }

}  // namespace percuss::contact
