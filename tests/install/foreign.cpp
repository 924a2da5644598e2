// Uses the installed library: a law by name, its force, its delivered restitution.
#include <percuss/contact/specification.h>
#include <percuss/impact/impact.h>

#include <cmath>
#include <cstdio>

int main() {
  percuss::contact::LawRequest request;
  request.law = "exact";
  request.restitution = 0.6;
  request.stiffness = 1.4e8;
  const auto spec = percuss::contact::specify(request);
  if (!spec) return 1;
  const auto law = percuss::contact::latch(*spec, 1.0, 4.2);
  const auto outcome = percuss::impact::collide({law, 1.0, 4.2});
  std::printf("force %g N, restitution %.15f\n", percuss::contact::force_N(law, {1e-3, 2.0, 0}),
              outcome->restitution);
  return std::abs(outcome->restitution - 0.6) < 1e-12 ? 0 : 1;
}
