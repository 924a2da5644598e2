// A million contacts of one law in one call, with the bits of one contact at a time.
#include <cmath>
#include <cstdio>
#include <vector>

#include "percuss/contact/specification.h"

int main() {
  using namespace percuss;
  contact::LawRequest request;
  request.law = "lankarani-nikravesh";
  request.stiffness = 1e8;
  request.restitution = 0.8;
  const Result<contact::LawSpec> spec = contact::specify(request);
  if (!spec) return std::puts(one_line(spec.errors().front()).c_str()), 2;
  const contact::Law law = contact::latch(*spec, 0.1, 1.0);
  const std::size_t n = 1'000'000;
  std::vector<double> depth_m(n), rate_mps(n), force_N(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double phase = 3.14159 * static_cast<double>(i) / static_cast<double>(n);
    depth_m[i] = 1e-4 * std::sin(phase);
    rate_mps[i] = std::cos(phase);
  }
  contact::forces_N(law, depth_m, rate_mps, {}, force_N);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < n; i += 1000)
    differ += force_N[i] != contact::force_N(law, {depth_m[i], rate_mps[i], 0});
  std::printf("%zu forces on %s, the largest %.1f N; %zu of 1000 differ from single calls\n", n,
              contact::batch_instruction_set(), force_N[n / 2], differ);
  return differ == 0 ? 0 : 1;
}
