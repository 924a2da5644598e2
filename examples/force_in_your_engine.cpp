// A contact law inside somebody else's time stepping: latch it at first touch, then ask for forces.
#include <cstdio>

#include "percuss/contact/specification.h"

int main() {
  using namespace percuss::contact;
  LawRequest request;
  request.law = "lankarani-nikravesh-plastic";
  request.stiffness = 1e8;
  request.restitution = 0.7;
  const percuss::Result<LawSpec> spec = specify(request);
  if (!spec) {
    for (const percuss::Diagnostic& error : spec.errors()) std::puts(one_line(error).c_str());
    return 1;
  }

  const double mass_kg = 0.5, step_s = 1e-7;
  double height_m = 0, velocity_mps = -2;  // first touch
  const Law law = latch(*spec, mass_kg, -velocity_mps);
  double deepest_m = 0;  // the history of a plastic law is one number a contact
  do {
    const Indentation<> x{-height_m, -velocity_mps, deepest_m};
    velocity_mps += force_N(law, x) / mass_kg * step_s;  // semi-implicit Euler
    height_m += velocity_mps * step_s;
    if (-height_m > deepest_m) deepest_m = -height_m;
  } while (-height_m > residual_depth_m(law, deepest_m) || velocity_mps < 0);

  std::printf("restitution %.4f, permanent indentation %.1f um\n", velocity_mps / 2,
              residual_depth_m(law, deepest_m) * 1e6);
  return velocity_mps / 2 > 0.69 && velocity_mps / 2 < 0.71 ? 0 : 1;
}
