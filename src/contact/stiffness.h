// Stiffness from materials and radii: one function for each kind of contact, one definition of E* and R.
#pragma once

namespace percuss::contact {

/// 1/E* = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j. No factor pi hides in here: the definitions (1 - nu^2)/(pi E) that
/// some papers use are where published stiffnesses lose a factor pi.
double effective_modulus_Pa(double young_i_Pa, double poisson_i, double young_j_Pa, double poisson_j);

/// 1/R = 1/R_i + 1/R_j; a plane has an infinite radius, a concave surface a negative one. Positive if the surfaces
/// can touch.
double effective_radius_m(double radius_i_m, double radius_j_m);

/// Hertz 1881, spheres: K = (4/3) E* sqrt(R), N/m^1.5.
double hertz_stiffness(double modulus_Pa, double radius_m);

/// The pair of surfaces as elastic laws need it.
struct Pairing {
  double modulus_Pa = 0;  // E*
  double radius_i_m = 0, radius_j_m = 0;
  double length_m = 0;  // of a line contact
  double effective_radius() const { return effective_radius_m(radius_i_m, radius_j_m); }
  /// R_i + R_j outside, the clearance R_j - R_i inside.
  double radius_sum_m() const {
    return radius_i_m + radius_j_m < 0 ? -(radius_i_m + radius_j_m) : radius_i_m + radius_j_m;
  }
};

}  // namespace percuss::contact
