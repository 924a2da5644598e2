// A contact law inside somebody else's time stepping: an episode latches it at touch, keeps what it remembers, and
// says when it is over.
#include <cstdio>

#include "percuss/contact/episode.h"

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

  const EpisodeRules rules{
      *spec, {LawSpeed::Rule::effective}, true};  // the permanent indentation stays for the next episode
  const double mass_kg = 0.5, step_s = 1e-7;
  double height_m = 1e-6, velocity_mps = -2;
  Episode episode;  // one for each contact point
  do {
    const Indentation<> x{-height_m, -velocity_mps};
    if (begins(episode, x.depth_m)) touch(rules, {mass_kg, x.rate_mps}, episode);
    velocity_mps += force(rules, episode, x).total_N / mass_kg * step_s;  // semi-implicit Euler
    height_m += velocity_mps * step_s;
    advance(rules, x, episode);
  } while (velocity_mps < 0 || episode.phase != Episode::Phase::apart);

  std::printf("restitution %.4f, permanent indentation %.1f um\n", velocity_mps / 2, episode.permanent_m * 1e6);
  return velocity_mps / 2 > 0.69 && velocity_mps / 2 < 0.71 && episode.permanent_m > 0 ? 0 : 1;
}
