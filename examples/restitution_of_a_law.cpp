// Ask a law for a restitution and print what an isolated collision delivers, as printed and calibrated exactly.
#include <cstdio>

#include "percuss/contact/specification.h"
#include "percuss/impact/impact.h"

int main() {
  using namespace percuss;
  contact::LawRequest request;
  request.law = "flores";
  request.stiffness = 1.4e8;  // N/m^1.5
  request.restitution = 0.6;
  const double mass_kg = 1, speed_mps = 4.2;

  for (const auto calibration : {contact::Calibration::published, contact::Calibration::exact}) {
    request.calibration = calibration;
    const auto spec = contact::specify(request);
    if (!spec) {
      for (const Diagnostic& error : spec.errors()) std::puts(one_line(error).c_str());
      return 1;
    }
    const auto outcome = impact::collide({contact::latch(*spec, mass_kg, speed_mps), mass_kg, speed_mps});
    if (!outcome) {
      std::puts(one_line(outcome.errors().front()).c_str());
      return 1;
    }
    std::printf("%-9s  prescribed 0.6, delivered %.6f, peak force %.1f N\n",
                calibration == contact::Calibration::exact ? "exact" : "published", outcome->restitution,
                outcome->peak_force_N);
  }
}
